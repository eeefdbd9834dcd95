//! Print mode and one-shot mode: one prompt, one answer, an exit code.
//!
//! Owns what goes to stdout (the final answer and nothing else in print mode; the text as it
//! comes in one-shot mode on a terminal) and the exit codes. Must not know how the agent works.

use crate::messages::{self, Exit};
use crate::signals::Signals;
use letscode_core::agent::{Agent, Output};
use letscode_wire::{Command, Event, Message, StreamEvent, Transcript, text_of};
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::io::{self, IsTerminal as _, Write as _};
use std::process::ExitCode;
use std::time::Duration;
use tokio::task::JoinHandle;
use tokio::time::timeout;

/// How long an interrupted run may take to end its commands and note it.
const LAST_WORDS: Duration = Duration::from_secs(3);

/// How many characters of a call's main argument are shown.
const MAX_ARGUMENT: usize = 70;

/// How the answer is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    /// The final answer, when it is complete.
    Final,
    /// All text as it comes, with a line for each tool call on stderr.
    Live,
}

impl Style {
    /// Returns the style of one-shot mode: live where somebody watches.
    pub(crate) fn one_shot() -> Self {
        if io::stdout().is_terminal() { Self::Live } else { Self::Final }
    }
}

/// Runs one prompt and shows its answer.
pub(crate) async fn run(
    agent: Agent,
    task: JoinHandle<()>,
    mut signals: Signals,
    prompt: Command,
    style: Style,
) -> ExitCode {
    let mut outputs = agent.subscribe();
    agent.send(Value::Null, prompt);
    agent.shut_down();
    let mut view = View::new(style);
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
                drop(timeout(LAST_WORDS, task).await);
                return signal.exit_code();
            }
        }
    }
}

/// What was shown so far, and how the run ended.
struct View {
    style: Style,
    /// Whether stdout is a terminal: foreign text must not drive it. Into a pipe it goes as it is.
    on_terminal: bool,
    /// Whether the last thing on stdout is text without a newline.
    in_line: bool,
    ended_well: bool,
}

impl View {
    fn new(style: Style) -> Self {
        let on_terminal = io::stdout().is_terminal();
        Self { style, on_terminal, in_line: false, ended_well: false }
    }

    fn show(&mut self, output: &Output) -> io::Result<()> {
        match output {
            Output::Event(event) => self.event(event),
            Output::Notice(text) => {
                messages::note(text);
                Ok(())
            }
            Output::Control(_) => Ok(()),
        }
    }

    fn event(&mut self, event: &Event) -> io::Result<()> {
        match event {
            Event::MessageUpdate { stream_event: StreamEvent::TextDelta { delta }, .. } => {
                if self.style == Style::Live { self.text(delta) } else { Ok(()) }
            }
            Event::MessageEnd { message } if message.as_assistant().is_some() => self.end_line(),
            Event::ToolExecutionStart { tool_name, arguments, .. } => {
                if self.style == Style::Live {
                    messages::note(&format!("{tool_name} {}", main_argument(arguments)));
                }
                Ok(())
            }
            Event::Retry(retry) => {
                self.end_line()?;
                messages::note(&format!(
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
                self.ended_well = error.is_none() && !aborted;
                if self.ended_well && self.style == Style::Final {
                    self.text(&final_answer(messages))?;
                    self.end_line()?;
                }
                Ok(())
            }
            Event::AgentStart { .. }
            | Event::TurnStart { .. }
            | Event::MessageStart { .. }
            | Event::MessageUpdate { .. }
            | Event::MessageEnd { .. }
            | Event::ToolExecutionUpdate { .. }
            | Event::ToolExecutionEnd { .. }
            | Event::TurnEnd { .. } => Ok(()),
        }
    }

    fn text(&mut self, text: &str) -> io::Result<()> {
        if text.is_empty() {
            return Ok(());
        }
        let mut stdout = io::stdout().lock();
        let text = if self.on_terminal { messages::harmless(text) } else { Cow::Borrowed(text) };
        stdout.write_all(text.as_bytes())?;
        self.in_line = !text.ends_with('\n');
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
        let exit = if self.ended_well { Exit::Success } else { Exit::ProviderError };
        exit.into()
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

/// A reader that closed its end, as `head` does, wants no more: that is no failure.
fn lost_stdout(error: &io::Error) -> ExitCode {
    if error.kind() == io::ErrorKind::BrokenPipe {
        return ExitCode::SUCCESS;
    }
    messages::failure(&format!("cannot write the answer to stdout: {error}"));
    Exit::ProviderError.into()
}
