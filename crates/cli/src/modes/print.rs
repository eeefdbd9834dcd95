//! Print mode and one-shot mode: one prompt, one answer, an exit code.
//!
//! Owns what goes to stdout (the final answer and nothing else) and the exit codes. One-shot mode
//! on a terminal is [`one_shot`](super::one_shot)'s. Must not know how the agent works.

use super::{LAST_WORDS, lost_stdout};
use crate::messages::{self, Exit};
use crate::signals::Signals;
use letscode_core::agent::{Agent, Output};
use letscode_core::commands::render;
use letscode_core::secrets::Secrets;
use letscode_plugin_host::PluginHost;
use letscode_tui::{harmless, harmless_in_colors};
use letscode_wire::{
    Command, Control, Event, Message, RequestId, StopReason, ToolMessage, Transcript, text_of,
};
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::io::{self, IsTerminal as _, Write as _};
use std::process::ExitCode;
use std::sync::Arc;
use tokio::task::JoinHandle;
use tokio::time::timeout;

/// How many characters of a call's main argument are shown.
const MAX_ARGUMENT: usize = 70;

/// How a run is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    /// The answer and nothing else.
    Answer,
    /// The answer, and each tool call on stderr, where somebody looks.
    Told,
    /// As somebody at a terminal sees it: see [`one_shot`](super::one_shot).
    Terminal,
}

impl Style {
    /// Returns the style of one-shot mode.
    pub(crate) fn one_shot() -> Self {
        if io::stdout().is_terminal() {
            Self::Terminal
        } else if io::stderr().is_terminal() {
            Self::Told
        } else {
            Self::Answer
        }
    }
}

/// Runs one prompt and shows its answer.
pub(crate) async fn run(
    agent: Agent,
    task: JoinHandle<()>,
    mut signals: Signals,
    command: Command,
    style: Style,
    secrets: Arc<Secrets>,
    plugins: &PluginHost,
) -> ExitCode {
    let mut outputs = agent.subscribe();
    let mut view = View::new(&command, style, secrets);
    agent.send(RequestId::default(), command);
    agent.shut_down();
    loop {
        tokio::select! {
            batch = outputs.recv() => match batch {
                Some(batch) => {
                    if let Err(error) = batch.iter().try_for_each(|output| view.show(output)) {
                        agent.abort();
                        drop(timeout(LAST_WORDS, task).await);
                        return lost_stdout(&error);
                    }
                }
                None => return view.exit_code(),
            },
            signal = signals.received() => {
                agent.abort();
                // The run may be waiting for one.
                plugins.end_starting();
                drop(timeout(LAST_WORDS, task).await);
                return signal.exit_code();
            }
        }
    }
}

/// Shows a text that needs no agent.
pub(super) fn show(text: &str) -> ExitCode {
    let mut stdout = io::stdout().lock();
    let text = if stdout.is_terminal() { harmless(text) } else { Cow::Borrowed(text) };
    let end = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    match write!(stdout, "{text}{end}").and_then(|()| stdout.flush()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => lost_stdout(&error),
    }
}

/// What was shown so far, and how the run ended.
struct View {
    tells_tools: bool,
    secrets: Arc<Secrets>,
    /// Whether stdout is a terminal: foreign text must not drive it. Into a pipe it goes as it is.
    on_terminal: bool,
    /// Whether the last thing on stdout is text without a newline.
    in_line: bool,
    /// The command whose result is shown in words; `None` for a prompt, whose answer is.
    typed: Option<Command>,
    exit: Exit,
}

impl View {
    fn new(command: &Command, style: Style, secrets: Arc<Secrets>) -> Self {
        let on_terminal = io::stdout().is_terminal();
        let answers = matches!(command, Command::Prompt { .. } | Command::Retry);
        let typed = (!answers).then(|| command.clone());
        Self {
            tells_tools: style == Style::Told,
            secrets,
            on_terminal,
            in_line: false,
            typed,
            exit: Exit::ProviderError,
        }
    }

    fn show(&mut self, output: &Output) -> io::Result<()> {
        match output {
            Output::Event(event) => self.event(event),
            Output::Notice(text) => {
                messages::note(text);
                Ok(())
            }
            Output::Control(Control::Done { result, .. }) => {
                self.done(result.as_ref().unwrap_or(&Value::Null))
            }
            Output::Control(Control::Error { error, .. }) => {
                messages::failure(error);
                self.exit = Exit::Usage;
                Ok(())
            }
            Output::Control(Control::Ready { .. } | Control::Ack { .. } | Control::Bye) => Ok(()),
        }
    }

    fn event(&mut self, event: &Event) -> io::Result<()> {
        match event {
            Event::MessageEnd { message } => {
                let Some(answer) = message.as_assistant() else { return Ok(()) };
                self.end_line()?;
                match answer.stop_reason {
                    Some(StopReason::MaxTokens) => {
                        self.note("the answer was cut off at the model's output limit");
                    }
                    Some(StopReason::Error) => {
                        self.note("the answer may be cut off: the server ended it oddly");
                    }
                    Some(StopReason::EndTurn | StopReason::ToolCalls) | None => {}
                }
                Ok(())
            }
            Event::ToolExecutionStart { tool_name, arguments, .. } => {
                if self.tells_tools {
                    self.note(&format!("{tool_name} {}", main_argument(arguments)));
                }
                Ok(())
            }
            Event::ToolExecutionEnd { result, .. } => {
                if let Some(trouble) =
                    result.as_tool().and_then(trouble).filter(|_| self.tells_tools)
                {
                    self.note(&trouble);
                }
                Ok(())
            }
            Event::Retry(retry) => {
                self.end_line()?;
                self.note(&format!(
                    "{}; attempt {} of {} in {:.1} s",
                    retry.reason, retry.attempt, retry.total_attempts, retry.delay_seconds
                ));
                Ok(())
            }
            Event::Error { error, .. } => {
                self.end_line()?;
                messages::failure(error);
                Ok(())
            }
            Event::AgentEnd { messages, error, aborted } => {
                let ended_well = error.is_none() && !aborted;
                self.exit = if ended_well { Exit::Success } else { Exit::ProviderError };
                // Whoever presses keys or sends signals is not told: the program is gone by then.
                if *aborted && error.is_none() {
                    self.end_line()?;
                    messages::failure("a plugin stopped the run");
                }
                if ended_well {
                    self.text(&final_answer(messages))?;
                    self.end_line()?;
                }
                Ok(())
            }
            Event::AgentStart { .. }
            | Event::TurnStart { .. }
            | Event::MessageStart { .. }
            | Event::MessageUpdate { .. }
            | Event::ToolExecutionUpdate { .. }
            | Event::TurnEnd { .. }
            | Event::UiRequest { .. }
            | Event::UiWithdrawn { .. } => Ok(()),
        }
    }

    /// Shows what a slash command gave.
    fn done(&mut self, result: &Value) -> io::Result<()> {
        let Some(command) = self.typed.take() else { return Ok(()) };
        let failed = matches!(command, Command::Compact { .. }) && !result["error"].is_null();
        if failed {
            // The event of the failure has told why.
            self.exit = Exit::ProviderError;
            return Ok(());
        }
        if matches!(command, Command::RunCommand { .. }) && result.is_null() {
            // It sent a message, whose answer was shown.
            return Ok(());
        }
        self.exit = Exit::Success;
        match &result["styled"] {
            Value::String(styled) if self.on_terminal => self.styled(styled)?,
            _ => self.text(&render(&command, result))?,
        }
        self.end_line()
    }

    fn note(&self, text: &str) {
        messages::note(&self.secrets.mask(text));
    }

    fn text(&mut self, text: &str) -> io::Result<()> {
        if text.is_empty() {
            return Ok(());
        }
        let mut stdout = io::stdout().lock();
        let text = if self.on_terminal { harmless(text) } else { Cow::Borrowed(text) };
        stdout.write_all(text.as_bytes())?;
        self.in_line = !text.ends_with('\n');
        stdout.flush()
    }

    /// Shows text on a terminal, in its colours.
    fn styled(&mut self, text: &str) -> io::Result<()> {
        let mut stdout = io::stdout().lock();
        stdout.write_all(harmless_in_colors(text).as_bytes())?;
        self.in_line = true;
        stdout.flush()
    }

    fn end_line(&mut self) -> io::Result<()> {
        if !std::mem::take(&mut self.in_line) {
            return Ok(());
        }
        let mut stdout = io::stdout().lock();
        stdout.write_all(b"\n")?;
        stdout.flush()
    }

    fn exit_code(&self) -> ExitCode {
        self.exit.into()
    }
}

/// Returns the text of the last message, which is the model's in every run that ended well.
fn final_answer(messages: &Transcript) -> String {
    let last = messages.iter().rev().find_map(|message| match &**message {
        Message::Assistant(answer) => Some(text_of(&answer.content)),
        Message::User(_) | Message::Tool(_) | Message::Custom(_) => None,
    });
    last.unwrap_or_default()
}

/// Returns what a call is mostly about, in a few words.
fn main_argument(arguments: &Map<String, Value>) -> String {
    let named = ["command", "path"].into_iter().find_map(|name| arguments.get(name));
    let text = named.or_else(|| arguments.values().next()).map(|value| match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    });
    let text = text.unwrap_or_default();
    let line = text.lines().next().unwrap_or_default();
    if line.len() == text.len() && line.chars().count() <= MAX_ARGUMENT {
        return text;
    }
    let shown: String = line.chars().take(MAX_ARGUMENT).collect();
    format!("{shown}…")
}

/// Returns what went wrong with a call, in a line; nothing where all is well.
fn trouble(result: &ToolMessage) -> Option<String> {
    if result.is_error {
        let text = text_of(&result.content);
        return Some(format!("  failed: {}", text.lines().next().unwrap_or_default()));
    }
    let code = result.details.get("exit_code").and_then(Value::as_i64)?;
    (code != 0).then(|| format!("  exit code {code}"))
}
