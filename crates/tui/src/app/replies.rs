//! Replies of the agent, by the request that they answer.
//!
//! Owns the table of requests under way. Must not send what was not asked for.

use super::App;
use super::keys::{STOPPED, STOPPING};
use crate::composer::Submission;
use letscode_wire::{
    Command, CommandsResult, Control, FilesResult, HistoryResult, MessagesResult, ModelResult,
    QueueResult, ReloadResult, RequestId, RunCommandResult, SessionResult, StateResult,
    TrustResult, UnqueueResult, UsageResult,
};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::collections::HashMap;
use std::time::Instant;

/// How many of the last messages are looked at for a recap.
const RECAP_MESSAGES: usize = 40;

/// Requests under way.
#[derive(Debug, Default)]
pub(super) struct Requests {
    wanted: HashMap<u64, Wanted>,
    last: u64,
}

/// What a reply is for.
#[derive(Debug)]
pub(super) enum Wanted {
    /// Its effects are enough.
    Nothing,
    /// A prompt or a retry.
    Run,
    /// A compaction.
    Compacted,
    /// A line to put into a queue.
    Queued(Submission),
    /// A slash command in words.
    Words {
        /// What was typed.
        line: Submission,
        /// What the command may have changed.
        after: After,
    },
    State,
    Usage,
    /// The state of another conversation, whose recap follows.
    NewState,
    Commands,
    History,
    Queue,
    Unqueued,
    /// Files by a text.
    Files(String),
    Models,
    /// Models to choose from by number, where no list can be drawn.
    NumberedModels,
    Sessions,
    Search,
    /// A session has another name, or is gone.
    SessionChanged,
    Tree,
    Fork,
    /// The session that goes on.
    Session,
    Model,
    /// The last messages, to show where the conversation of so many stands.
    Recap(usize),
    /// Whether the project is trusted.
    Trust,
    /// The project is trusted now.
    Trusted,
    /// What it sets was read.
    Reloaded,
}

/// What a slash command may have changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum After {
    Nothing,
    /// Which model answers, how, or with what.
    Settings,
    /// Which conversation is open.
    Conversation,
    /// The queue.
    Queue,
    /// The keys are shown too.
    ShowKeys,
    /// Nothing, but this is said.
    Say(&'static str),
}

impl After {
    pub(super) fn of(name: &str) -> Self {
        match name {
            "model" | "thinking" | "reload" | "name" => Self::Settings,
            "new" | "clone" | "fork" | "goto" | "resume" | "reset" => Self::Conversation,
            "steer" | "follow-up" | "unqueue" => Self::Queue,
            _ => Self::Nothing,
        }
    }
}

impl Requests {
    pub(super) fn add(&mut self, wanted: Wanted) -> u64 {
        self.last += 1;
        self.wanted.insert(self.last, wanted);
        self.last
    }

    fn take(&mut self, id: &RequestId) -> Option<(u64, Wanted)> {
        let id = number(id)?;
        self.wanted.remove(&id).map(|wanted| (id, wanted))
    }
}

impl App {
    pub(super) fn control(&mut self, control: Control, now: Instant) {
        match control {
            Control::Ack { id } => {
                // What was taken in need not return to the composer.
                let id = number(&id);
                if let Some(run) = self.run.as_mut().filter(|run| id.is_some() && run.request == id)
                {
                    run.sent = None;
                    // What was sent in a hurry behind it stops it as well.
                    if !self.redirects.is_empty() {
                        self.stop();
                    }
                }
            }
            Control::Done { id, result } => {
                let Some((id, wanted)) = self.requests.take(&id) else { return };
                self.ended(Some(id), now);
                self.answered(id, wanted, &result.unwrap_or_default());
                self.go_on(now);
            }
            Control::Error { id, error, .. } => {
                let Some((id, wanted)) = self.requests.take(&id) else {
                    return self.transcript.failure(&error);
                };
                self.failed(id, wanted, &error, now);
                self.go_on(now);
            }
            Control::Ready { .. } | Control::Bye => {}
        }
    }

    /// Notes that a request is over, or with `None` a plugin's run; the run too, where it was that one.
    pub(super) fn ended(&mut self, request: Option<u64>, now: Instant) {
        if let Some(run) = self.run.take_if(|run| run.request == request) {
            if self.hint.as_deref() == Some(STOPPING) {
                self.hint = Some(STOPPED.to_owned());
            }
            let elapsed = now.saturating_duration_since(run.since);
            if elapsed >= super::LONG_RUN && !self.has_focus {
                self.effects.push(super::Effect::Attract("the run has ended"));
            }
        }
    }

    /// Sends what waited for the end of a run.
    pub(super) fn go_on(&mut self, now: Instant) {
        if self.run.is_none()
            && let Some(line) = self.redirects.pop_front()
        {
            // Further ones stop it once the agent has taken it in.
            self.prompt(line, now);
        }
    }

    fn failed(&mut self, id: u64, wanted: Wanted, error: &str, now: Instant) {
        let sent =
            self.run.as_mut().filter(|run| run.request == Some(id)).and_then(|run| run.sent.take());
        self.ended(Some(id), now);
        match wanted {
            // A front end can do without them; what needs them says so.
            Wanted::Usage | Wanted::History | Wanted::Recap(_) => return,
            Wanted::Files(_) => return self.files_answered(),
            Wanted::Search => self.search_failed(id),
            Wanted::Queued(line) => self.give_back(&line),
            Wanted::Words { line, .. } => self.give_back_refused(&line),
            Wanted::Models | Wanted::Tree | Wanted::Fork => self.list_failed(id),
            Wanted::Sessions => self.sessions_failed(id),
            _ => {}
        }
        if let Some(line) = sent {
            self.give_back_refused(&line);
        }
        self.transcript.failure(error);
    }

    /// Puts back what the agent refused. A mere name is left to the history unless a run was in its
    /// way: what is typed next is not meant as its arguments.
    fn give_back_refused(&mut self, line: &Submission) {
        let is_name = line.text.starts_with('/') && !line.text.trim().contains(char::is_whitespace);
        if self.run.is_some() || !is_name || !line.images.is_empty() {
            self.give_back(line);
        }
    }

    /// Puts a line back where it was typed.
    pub(super) fn give_back(&mut self, line: &Submission) {
        self.composer.put_back(line.clone());
    }

    /// Shows what a slash command gave, and leaves where it asks for that.
    fn command_answered(&mut self, result: &Value) {
        if let Some(RunCommandResult { text, styled, exit, .. }) = read(result) {
            self.transcript.text(styled.as_deref().unwrap_or(&text));
            if exit {
                self.effects.push(super::Effect::Exit);
            }
        }
    }

    fn answered(&mut self, id: u64, wanted: Wanted, result: &Value) {
        match wanted {
            Wanted::Nothing => {}
            Wanted::Run => {
                // A slash command or a silent one that was typed in another form.
                self.command_answered(result);
                self.ask(Command::State, Wanted::State);
            }
            Wanted::Compacted => {
                // What came of it, the events have told.
                self.ask(Command::State, Wanted::State);
                self.ask(Command::Usage, Wanted::Usage);
            }
            Wanted::Queued(_) => {
                self.ask(Command::Queue, Wanted::Queue);
            }
            Wanted::Words { after, .. } => {
                self.command_answered(result);
                self.after(after);
            }
            Wanted::State => {
                if let Some(state) = read::<StateResult>(result) {
                    self.footer.set_state(&state);
                }
            }
            Wanted::NewState => {
                if let Some(state) = read::<StateResult>(result) {
                    self.footer.set_state(&state);
                    let last = Some(RECAP_MESSAGES);
                    self.ask(Command::Messages { last }, Wanted::Recap(state.message_count));
                }
            }
            Wanted::Usage => {
                if let Some(UsageResult { usage, .. }) = read(result) {
                    self.footer.set_spent(usage);
                }
            }
            Wanted::Commands => {
                if let Some(CommandsResult { commands }) = read(result) {
                    self.completion.set_commands(commands.clone());
                    self.names = commands;
                }
            }
            Wanted::History => {
                if let Some(HistoryResult { entries }) = read(result) {
                    self.composer.set_history(entries);
                }
            }
            Wanted::Queue => {
                if let Some(queue) = read::<QueueResult>(result) {
                    self.queue = queue;
                }
            }
            Wanted::Unqueued => {
                if let Some(UnqueueResult { message: Some(text) }) = read(result) {
                    self.composer.put_back(Submission { text, images: Vec::new() });
                }
                self.ask(Command::Queue, Wanted::Queue);
            }
            Wanted::Files(query) => {
                if let Some(FilesResult { paths, .. }) = read(result)
                    && let Some(edit) = self.completion.found(&query, paths)
                {
                    self.complete(edit);
                }
                self.files_answered();
            }
            Wanted::Models => {
                if let Some(found) = read(result) {
                    self.show_models(id, found);
                }
            }
            Wanted::NumberedModels => {
                if let Some(found) = read(result) {
                    self.number_models(found);
                }
            }
            Wanted::Sessions => {
                if let Some(found) = read(result) {
                    self.show_sessions(id, found);
                }
            }
            Wanted::Search => {
                if let Some(found) = read(result) {
                    self.show_hits(id, found);
                }
            }
            Wanted::SessionChanged => self.list_sessions(),
            Wanted::Tree => {
                if let Some(found) = read(result) {
                    self.show_tree(id, &found);
                }
            }
            Wanted::Fork => {
                if let Some(found) = read(result) {
                    self.show_fork(id, &found);
                }
            }
            Wanted::Session => {
                if let Some(SessionResult { session, .. }) = read(result) {
                    let label = session.label.unwrap_or_else(|| session.id.to_string());
                    self.transcript.notice(&format!("going on with {label}"));
                }
                self.after(After::Conversation);
            }
            Wanted::Model => {
                if let Some(ModelResult { model, thinking }) = read(result) {
                    self.transcript
                        .notice(&format!("{model} answers from now on, thinking {thinking}"));
                }
                self.after(After::Settings);
            }
            Wanted::Recap(count) => {
                if let Some(MessagesResult { messages }) = read(result) {
                    self.transcript.recap(&messages, count);
                }
            }
            Wanted::Trust => {
                if let Some(found) = read::<TrustResult>(result) {
                    self.show_trust(&found);
                }
            }
            Wanted::Reloaded => {
                if let Some(ReloadResult { warnings, .. }) = read(result) {
                    warnings.iter().for_each(|warning| self.transcript.notice(warning));
                }
                self.transcript.notice("the project is trusted: its settings hold from now on");
                self.after(After::Settings);
            }
            Wanted::Trusted => {
                self.ask(Command::Reload, Wanted::Reloaded);
            }
        }
    }

    fn after(&mut self, after: After) {
        match after {
            After::Nothing => {}
            After::Say(words) => self.transcript.notice(words),
            After::Settings => {
                self.ask(Command::State, Wanted::State);
                self.ask_for_names();
            }
            After::Conversation => {
                self.may_retry = false;
                self.ask(Command::Usage, Wanted::Usage);
                self.ask(Command::State, Wanted::NewState);
            }
            After::Queue => {
                self.ask(Command::Queue, Wanted::Queue);
            }
            After::ShowKeys => {
                let keys = format!("\n{}", self.keymap.help_text());
                self.transcript.text(&keys);
            }
        }
    }
}

/// Returns the number that a request was sent with.
fn number(id: &RequestId) -> Option<u64> {
    id.as_json().parse().ok()
}

/// Reads a result; one that cannot be read is none.
fn read<T: DeserializeOwned>(result: &Value) -> Option<T> {
    T::deserialize(result).ok()
}
