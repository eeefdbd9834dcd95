//! The `bash` tool: runs a shell command and shows its output.
//!
//! Owns the declaration, the time limit, and the updates while a command runs. Must not start
//! processes or touch files itself: that is the environment's.

mod clean;
mod output;
mod report;

use super::{Access, Tool, ToolContext, ToolError};
use crate::env::{CommandEnd, CommandError, ExecutionEnv, OutputSink, RunCommand, Stderr};
use futures_util::future::BoxFuture;
use letscode_wire::{ContentPart, ExecutionMode, Meta, Partial, ToolOutput, ToolSpec};
use output::{Output, Spill};
use serde_json::{Map, Value, json};
use std::convert::Infallible;
use std::mem;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::sleep;

const DEFAULT_TIMEOUT: f64 = 120.0;

/// How long a command that a person typed may take.
pub(crate) const TYPED_TIMEOUT: Duration = Duration::from_secs(120);
/// More is taken for a mistake, such as milliseconds.
const LONGEST_TIMEOUT: f64 = 3_600.0;
/// The shortest time between two updates.
const UPDATE_PAUSE: Duration = Duration::from_millis(50);

const DESCRIPTION: &str = "Run a shell command (bash, or sh where there is no bash) in the \
working directory and return what it prints, stdout and stderr together. Each call starts a \
fresh shell. Nobody can answer questions: stdin is empty, there is no terminal, editors and \
pagers are switched off. Only the last 2000 lines or 50 KB are shown; the whole output is then in \
a file that the result names. For a server or another long-running program append ` > FILE 2>&1 &` \
and look into the file later; begin it with nohup if it is to outlive this conversation.";

/// The `bash` tool.
#[derive(Debug)]
pub struct Bash {
    spec: ToolSpec,
}

impl Bash {
    /// Returns the tool.
    pub fn new() -> Self {
        let parameters = json!({
            "type": "object",
            "properties": {
                "command": { "type": "string", "description": "The command line or script." },
                "timeout": {
                    "type": "number",
                    "description":
                        "Seconds after which the command is ended by force: 120 unless given, \
                         at most 3600.",
                },
            },
            "required": ["command"],
        });
        Self {
            spec: ToolSpec {
                name: "bash".to_owned(),
                description: DESCRIPTION.to_owned(),
                parameters,
                execution_mode: ExecutionMode::Parallel,
            },
        }
    }
}

impl Default for Bash {
    fn default() -> Self {
        Self::new()
    }
}

impl Tool for Bash {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn access(&self, _arguments: &Map<String, Value>, _env: &dyn ExecutionEnv) -> Access {
        Access { changes: true, path: None }
    }

    fn time_limit(&self, arguments: &Map<String, Value>) -> Option<Duration> {
        Some(timeout(arguments))
    }

    fn run<'a>(
        &'a self,
        arguments: Map<String, Value>,
        context: ToolContext,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        let command = arguments.get("command").and_then(Value::as_str).unwrap_or_default();
        let request = RunCommand {
            command: command.to_owned(),
            timeout: timeout(&arguments),
            stderr: Stderr::Merged,
        };
        Box::pin(run(request, context))
    }
}

/// Runs a command that a person typed: as a call does, but stderr tells only of a failure.
pub(crate) async fn run_typed(
    command: &str,
    context: ToolContext,
) -> Result<ToolOutput, ToolError> {
    let request = RunCommand {
        command: command.to_owned(),
        timeout: TYPED_TIMEOUT,
        stderr: Stderr::OnFailure,
    };
    run(request, context).await
}

/// Returns the time-out that the arguments ask for; what makes no sense is the usual one.
fn timeout(arguments: &Map<String, Value>) -> Duration {
    let seconds = arguments.get("timeout").and_then(Value::as_f64).filter(|asked| *asked > 0.0);
    Duration::from_secs_f64(seconds.unwrap_or(DEFAULT_TIMEOUT).min(LONGEST_TIMEOUT))
}

async fn run(request: RunCommand, context: ToolContext) -> Result<ToolOutput, ToolError> {
    let watched = Watched::default();
    let mut sink = Sink { watched: &watched, spill: Spill::new(&*context.env) };
    let end = tokio::select! {
        biased;
        end = context.env.run(request.clone(), &mut sink, context.cancel.clone()) => end,
        never = watched.show(&context) => match never {},
    };
    let end = end.map_err(|error| refusal(&error))?;
    Ok(sink.finish(&context, &request, end).await)
}

fn refusal(error: &CommandError) -> ToolError {
    match error {
        CommandError::WorkingDirGone { .. } => ToolError::new(format!(
            "{error}: no command can run until it is there again (writing a file into it makes it)"
        )),
        CommandError::NoShell | CommandError::TooLong { .. } | CommandError::Io { .. } => {
            ToolError::new(error.to_string())
        }
    }
}

/// The output of a running command, between the one who takes it and the one who shows it.
#[derive(Default)]
struct Watched {
    output: Mutex<Output>,
    /// Told when there is something that was not shown.
    changed: Notify,
    /// Whether anything was shown.
    shown: AtomicBool,
}

impl Watched {
    fn output(&self) -> MutexGuard<'_, Output> {
        self.output.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Shows the newest output whenever it has changed, but not too often.
    async fn show(&self, context: &ToolContext) -> Infallible {
        loop {
            self.changed.notified().await;
            self.show_now(context);
            sleep(UPDATE_PAUSE).await;
        }
    }

    fn show_now(&self, context: &ToolContext) {
        self.shown.store(true, Ordering::Relaxed);
        let text = self.output().preview().to_owned();
        let content = vec![ContentPart::text(text)];
        context.progress.send(Partial { content, details: Meta::new() });
    }
}

/// Takes a command's output.
struct Sink<'a> {
    watched: &'a Watched,
    spill: Spill<'a>,
}

impl OutputSink for Sink<'_> {
    fn take<'a>(&'a mut self, piece: &'a [u8]) -> BoxFuture<'a, ()> {
        let moved = self.watched.output().push(piece);
        self.watched.changed.notify_one();
        Box::pin(async move {
            if let Some(text) = moved {
                self.spill.append(text).await;
            }
        })
    }
}

impl Sink<'_> {
    /// Returns the result, once the command has ended.
    async fn finish(
        mut self,
        context: &ToolContext,
        request: &RunCommand,
        end: CommandEnd,
    ) -> ToolOutput {
        // However quick a command was, what it printed is seen before its result.
        if !self.watched.shown.load(Ordering::Relaxed) && self.watched.output().total_bytes() > 0 {
            self.watched.show_now(context);
        }
        let mut output = mem::take(&mut *self.watched.output());
        output.finish();
        if report::is_cut(&output) {
            self.spill.append(output.window().to_owned()).await;
        }
        report::report(request, end, &output, self.spill.report())
    }
}

#[cfg(test)]
mod tests;
