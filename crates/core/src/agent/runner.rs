//! Running the tool calls of one message: prepare, execute, finalise.
//!
//! Owns the way of a call from the model's arguments to a result that is safe to keep: checks,
//! hooks, the schedule, panics, cancellation, size cap, masking of keys. Reports to the actor
//! and never touches the conversation.

use super::schedule::{CallClass, Schedule};
use super::turn::Outcome;
use crate::env::ExecutionEnv;
use crate::hooks::Hooks;
use crate::secrets::Secrets;
use crate::tools::{
    FileLedger, Progress, Tool, ToolContext, ToolError, ToolRegistry, check_arguments,
};
use crate::ui::Ui;
use letscode_wire::{
    AfterToolCall, AfterToolCallReply, BeforeToolCall, ContentPart, ExecutionMode, HookName,
    Partial, ToolCall, ToolOutput,
};
use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// The most text that one result gives the model, whatever the tool does itself.
const MAX_RESULT_BYTES: usize = 256 * 1024;

/// How long a cancelled call may take to end by itself. A command gets 2 s between the two
/// signals that end it.
const CANCEL_GRACE: Duration = Duration::from_secs(4);

/// How long the plugins may take over the result of a cancelled call.
const HOOK_GRACE: Duration = Duration::from_millis(500);

const INTERRUPTED: &str = "Interrupted by the user before the call was complete.";
const NOT_STARTED: &str = "Not run: the user interrupted the run first.";

/// What all calls of a conversation share.
pub(crate) struct ToolRunner {
    pub(crate) tools: ToolRegistry,
    pub(crate) hooks: Hooks,
    pub(crate) env: Arc<dyn ExecutionEnv>,
    pub(crate) files: Arc<FileLedger>,
    pub(crate) secrets: Arc<Secrets>,
    pub(crate) ui: Ui,
}

/// What the actor hears of a batch of calls.
#[derive(Debug)]
pub(crate) struct ToolReport {
    /// Which batch; reports of one that is over are dropped.
    pub(crate) batch: u64,
    /// The call's place in its message.
    pub(crate) index: usize,
    pub(crate) news: ToolNews,
}

#[derive(Debug)]
pub(crate) enum ToolNews {
    /// The call runs, and ends itself by then.
    Started { until: Option<Instant> },
    /// The call has something to show.
    Shown(Partial),
    /// The call is over.
    Finished(Outcome),
}

/// The calls of one message.
pub(crate) struct Batch {
    pub(crate) number: u64,
    pub(crate) calls: Vec<ToolCall>,
    /// Why calls cannot run, by place.
    pub(crate) rejected: Vec<Option<String>>,
    pub(crate) vision: bool,
    pub(crate) cancel: CancellationToken,
    pub(crate) reports: mpsc::UnboundedSender<ToolReport>,
}

/// A call that may run.
struct Prepared {
    tool: Arc<dyn Tool>,
    call: ToolCall,
}

impl ToolRunner {
    /// Runs all calls of a batch to their end. Every call is reported finished at least once;
    /// the first report counts.
    pub(crate) async fn run(self: Arc<Self>, batch: Arc<Batch>) {
        let work = tokio::spawn(self.run_all(Arc::clone(&batch)));
        if work.await.is_err() {
            // A tool or plugin panicked where it is only asked something. A call without an end
            // would keep the run from ever ending.
            for (index, call) in batch.calls.iter().enumerate() {
                let text = format!("The call of {} failed inside.", call.name);
                batch.report(index, ToolNews::Finished(failure(text)));
            }
        }
    }

    async fn run_all(self: Arc<Self>, batch: Arc<Batch>) {
        let mut prepared = Vec::with_capacity(batch.calls.len());
        let mut classes = Vec::with_capacity(batch.calls.len());
        for (index, call) in batch.calls.iter().enumerate() {
            let rejected = batch.rejected.get(index).cloned().flatten();
            match self.prepare(call, rejected, &batch.cancel).await {
                Ok(ready) => {
                    classes.push(self.class(&ready));
                    prepared.push(Some(ready));
                }
                Err(outcome) => {
                    batch.report(index, ToolNews::Finished(self.guard(outcome)));
                    classes.push(CallClass::default());
                    prepared.push(None);
                }
            }
        }
        let mut schedule = Schedule::new(&classes);
        let mut running = JoinSet::new();
        loop {
            let mut ended_at_once = false;
            for index in schedule.take_ready() {
                match prepared.get_mut(index).and_then(Option::take) {
                    Some(ready) => {
                        let (runner, batch) = (Arc::clone(&self), Arc::clone(&batch));
                        running.spawn(async move {
                            let outcome = runner.call(ready, index, &batch).await;
                            batch.report(index, ToolNews::Finished(outcome));
                            index
                        });
                    }
                    None => {
                        schedule.finish(index);
                        ended_at_once = true;
                    }
                }
            }
            if ended_at_once {
                continue;
            }
            match running.join_next().await {
                // `call` isolates the tool's own task, so this one neither panics nor is aborted.
                Some(ended) => schedule.finish(ended.unwrap_or_default()),
                None => return,
            }
        }
    }

    /// Finds the tool, checks the arguments and asks the plugins.
    async fn prepare(
        &self,
        call: &ToolCall,
        rejected: Option<String>,
        cancel: &CancellationToken,
    ) -> Result<Prepared, Outcome> {
        if let Some(reason) = rejected {
            return Err(refused(reason));
        }
        let Some(tool) = self.tools.get(&call.name) else {
            let known = self.tools.names().join(", ");
            return Err(refused(format!(
                "There is no tool named {:?}. Tools: {known}.",
                call.name
            )));
        };
        let check = |arguments| {
            check_arguments(&tool.spec().parameters, arguments).map_err(|problem| {
                refused(format!("Invalid arguments for {}: {problem}", call.name))
            })
        };
        let mut call = ToolCall { arguments: check(call.arguments.clone())?, ..call.clone() };
        if self.hooks.wants(HookName::BeforeToolCall) {
            let asked = self.hooks.before_tool_call(BeforeToolCall { tool_call: call.clone() });
            let reply = tokio::select! {
                reply = asked => reply,
                () = cancel.cancelled() => return Err(failure(NOT_STARTED)),
            };
            if let Some(reason) = reply.block {
                return Err(failure(format!("Blocked: {reason}")));
            }
            if let Some(arguments) = reply.arguments {
                call.arguments = check(arguments)?;
            }
        }
        Ok(Prepared { tool: Arc::clone(tool), call })
    }

    fn class(&self, ready: &Prepared) -> CallClass {
        let access = ready.tool.access(&ready.call.arguments, &*self.env);
        let sequential = ready.tool.spec().execution_mode == ExecutionMode::Sequential;
        CallClass { sequential, changes: access.changes, path: access.path }
    }

    async fn call(&self, ready: Prepared, index: usize, batch: &Arc<Batch>) -> Outcome {
        if batch.cancel.is_cancelled() {
            return failure(NOT_STARTED);
        }
        let limit = ready.tool.time_limit(&ready.call.arguments);
        let until = limit.and_then(|limit| Instant::now().checked_add(limit));
        batch.report(index, ToolNews::Started { until });
        let (name, began) = (ready.call.name.clone(), Instant::now());
        tracing::debug!(tool = name, id = %ready.call.id, "tool call begins");
        let result = self.execute(&ready, index, batch).await;
        let outcome = self.finalise(ready.call, result, &batch.cancel).await;
        let elapsed = began.elapsed();
        tracing::debug!(tool = name, ?elapsed, is_error = outcome.is_error, "tool call ends");
        outcome
    }

    /// Runs the tool in a task of its own, so that its panic is one failed call.
    async fn execute(
        &self,
        ready: &Prepared,
        index: usize,
        batch: &Arc<Batch>,
    ) -> Result<ToolOutput, ToolError> {
        let (tool, arguments) = (Arc::clone(&ready.tool), ready.call.arguments.clone());
        let progress = {
            let (batch, secrets) = (Arc::clone(batch), Arc::clone(&self.secrets));
            Progress::new(move |mut partial: Partial| {
                mask_content(&secrets, &mut partial.content);
                partial.details.values_mut().for_each(|value| secrets.mask_value(value));
                batch.report(index, ToolNews::Shown(partial));
            })
        };
        let context = ToolContext {
            call_id: ready.call.id.clone(),
            env: Arc::clone(&self.env),
            files: Arc::clone(&self.files),
            cancel: batch.cancel.child_token(),
            progress,
            vision: batch.vision,
            secrets: Arc::clone(&self.secrets),
            ui: self.ui.clone(),
        };
        let mut task = tokio::spawn(async move { tool.run(arguments, context).await });
        tokio::select! {
            ended = &mut task => ended.unwrap_or_else(|_| {
                Err(ToolError::new(format!("The tool {} failed inside.", ready.call.name)))
            }),
            () = overdue(&batch.cancel, CANCEL_GRACE) => {
                task.abort();
                Err(ToolError::new(INTERRUPTED))
            }
        }
    }

    async fn finalise(
        &self,
        call: ToolCall,
        result: Result<ToolOutput, ToolError>,
        cancel: &CancellationToken,
    ) -> Outcome {
        let mut output = result.unwrap_or_else(|error| ToolOutput {
            content: vec![ContentPart::text(error.message)],
            is_error: true,
            ..ToolOutput::default()
        });
        if self.hooks.wants(HookName::AfterToolCall) {
            let context = AfterToolCall { tool_call: call, result: output.clone() };
            let reply = tokio::select! {
                reply = self.hooks.after_tool_call(&context) => reply,
                () = overdue(cancel, HOOK_GRACE) => AfterToolCallReply::default(),
            };
            output.content = reply.content.unwrap_or(output.content);
            output.details = reply.details.unwrap_or(output.details);
            output.is_error = reply.is_error.unwrap_or(output.is_error);
            output.terminate = reply.terminate.unwrap_or(output.terminate);
        }
        self.guard(Outcome {
            content: output.content,
            details: output.details,
            is_error: output.is_error,
            terminate: output.terminate,
            refused: false,
        })
    }

    /// Makes a result safe to keep: bounded, and without keys.
    fn guard(&self, mut outcome: Outcome) -> Outcome {
        mask_content(&self.secrets, &mut outcome.content);
        cap(&mut outcome.content);
        outcome.details.values_mut().for_each(|value| self.secrets.mask_value(value));
        outcome
    }
}

impl Batch {
    fn report(&self, index: usize, news: ToolNews) {
        // A closed channel means that the agent has ended: nobody is left to tell.
        drop(self.reports.send(ToolReport { batch: self.number, index, news }));
    }
}

/// Returns the outcome of a call that was valid but failed or was kept from running.
pub(crate) fn failure(text: impl Into<String>) -> Outcome {
    Outcome { content: vec![ContentPart::text(text)], is_error: true, ..Outcome::default() }
}

/// Returns the outcome of a call that was no valid call.
fn refused(text: String) -> Outcome {
    Outcome { refused: true, ..failure(text) }
}

/// Waits until `grace` has passed since the cancellation.
async fn overdue(cancel: &CancellationToken, grace: Duration) {
    cancel.cancelled().await;
    tokio::time::sleep(grace).await;
}

fn mask_content(secrets: &Secrets, content: &mut [ContentPart]) {
    for part in content {
        if let ContentPart::Text { text } = part
            && let Cow::Owned(masked) = secrets.mask(text.as_str())
        {
            *text = masked;
        }
    }
}

/// Cuts what is over the cap from the texts of a result, all together.
fn cap(content: &mut Vec<ContentPart>) {
    let size = |part: &ContentPart| match part {
        ContentPart::Text { text } => text.len(),
        ContentPart::Image { .. } => 0,
    };
    let whole: usize = content.iter().map(size).sum();
    if whole <= MAX_RESULT_BYTES {
        return;
    }
    let mut left = MAX_RESULT_BYTES;
    for part in content.iter_mut() {
        if let ContentPart::Text { text } = part {
            let fits = |end: &usize| text.is_char_boundary(*end);
            let end = (0..=left.min(text.len())).rev().find(fits).unwrap_or_default();
            text.truncate(end);
            left -= end;
        }
    }
    content.retain(|part| !matches!(part, ContentPart::Text { text } if text.is_empty()));
    let note = format!("\n[cut: {whole} bytes in all, {MAX_RESULT_BYTES} shown]");
    content.push(ContentPart::text(note));
}
