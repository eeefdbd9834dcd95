//! Replies of the agent, by the request that they answer.
//!
//! Owns the table of requests under way. Must not send what was not asked for.

use super::App;
use super::submit::Pending;
use letscode_wire::{
    Command, CommandsResult, CompactResult, Control, FilesResult, HistoryResult, MessagesResult,
    ModelResult, ModelsResult, QueueResult, RunCommandResult, SearchResult, SessionResult,
    SessionsResult, StateResult, TreeResult, UnqueueResult, UsageResult,
};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::collections::HashMap;
use std::time::Instant;

/// How many messages are asked for to show where a conversation stands.
const RECAP: usize = 40;

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
    Queued(Pending),
    /// A slash command in words.
    Words {
        /// What was typed.
        line: Pending,
        /// What the command may have changed.
        after: After,
    },
    State,
    Usage,
    Commands,
    History,
    Queue,
    Unqueued,
    Files,
    Models,
    Sessions,
    Search,
    Tree,
    Fork,
    /// The session that goes on.
    Session,
    Model,
    /// The last messages, to show where the conversation stands.
    Recap,
    /// The project is trusted now.
    Trusted,
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

    fn take(&mut self, id: &Value) -> Option<(u64, Wanted)> {
        let id = id.as_u64()?;
        self.wanted.remove(&id).map(|wanted| (id, wanted))
    }
}

impl App {
    pub(super) fn control(&mut self, control: Control, now: Instant) {
        match control {
            Control::Ack { id } => {
                // What was taken in need not return to the composer.
                if let Some(run) = self.run.as_mut().filter(|run| id.as_u64() == Some(run.request)) {
                    run.sent = None;
                }
            }
            Control::Done { id, result } => {
                let Some((id, wanted)) = self.requests.take(&id) else { return };
                self.ended(id, now);
                self.answered(wanted, &result.unwrap_or_default(), now);
                self.go_on(now);
            }
            Control::Error { id, error, .. } => {
                let Some((id, wanted)) = self.requests.take(&id) else {
                    return self.transcript.error(&error);
                };
                self.failed(id, wanted, &error, now);
                self.go_on(now);
            }
            Control::Ready { .. } | Control::Bye => {}
        }
    }

    /// Notes that a request is over; the run too, where it was that one.
    fn ended(&mut self, id: u64, now: Instant) {
        if let Some(run) = self.run.take_if(|run| run.request == id) {
            let took_long = now.saturating_duration_since(run.since) >= super::LONG_RUN;
            if took_long && !self.has_focus {
                self.effects.push(super::Effect::Attract);
            }
        }
    }

    /// Sends what waited for the end of a run.
    fn go_on(&mut self, now: Instant) {
        if self.run.is_none()
            && let Some(line) = self.redirect.take()
        {
            self.prompt(line, now);
        }
    }

    fn failed(&mut self, id: u64, wanted: Wanted, error: &str, now: Instant) {
        let sent = self.run.as_mut().filter(|run| run.request == id).and_then(|run| run.sent.take());
        self.ended(id, now);
        match wanted {
            // A front end can do without them; what needs them says so.
            Wanted::Usage | Wanted::History | Wanted::Recap | Wanted::Files => return,
            Wanted::Queued(line) | Wanted::Words { line, .. } => self.give_back(&line),
            Wanted::Models | Wanted::Sessions | Wanted::Tree | Wanted::Fork => self.overlay = None,
            _ => {}
        }
        if let Some(line) = sent {
            self.give_back(&line);
        }
        self.transcript.error(error);
    }

    /// Puts a line back where it was typed, unless something else stands there now.
    fn give_back(&mut self, line: &Pending) {
        if self.composer.is_empty() {
            self.composer.set_text(&line.text);
            for image in &line.images {
                self.composer.attach(image.clone());
            }
        }
    }

    fn answered(&mut self, wanted: Wanted, result: &Value, now: Instant) {
        match wanted {
            Wanted::Nothing => {}
            Wanted::Run => {
                // A slash command or a silent one that was typed in another form.
                if let Some(RunCommandResult { text }) = read(result) {
                    self.transcript.words(&text);
                }
                self.ask(Command::State, Wanted::State);
            }
            Wanted::Compacted => {
                if let Some(CompactResult { error: Some(error), .. }) = read(result) {
                    self.transcript.error(&error);
                }
                self.ask(Command::State, Wanted::State);
                self.ask(Command::Usage, Wanted::Usage);
            }
            Wanted::Queued(_) => {
                self.ask(Command::Queue, Wanted::Queue);
            }
            Wanted::Words { after, .. } => {
                if let Some(RunCommandResult { text }) = read(result) {
                    self.transcript.words(&text);
                }
                self.after(after);
            }
            Wanted::State => {
                if let Some(state) = read::<StateResult>(result) {
                    self.footer.set_state(&state);
                }
            }
            Wanted::Usage => {
                if let Some(UsageResult { usage, .. }) = read(result) {
                    self.footer.set_spent(usage);
                }
            }
            Wanted::Commands => {
                if let Some(CommandsResult { commands }) = read(result) {
                    self.completion.set_commands(&commands);
                    self.commands = commands;
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
                    self.composer.insert_before(&text);
                }
                self.ask(Command::Queue, Wanted::Queue);
            }
            Wanted::Files => {
                if let Some(files) = read::<FilesResult>(result) {
                    self.completion.set_files(&files);
                }
            }
            Wanted::Models => read(result).into_iter().for_each(|r: ModelsResult| self.show_models(r)),
            Wanted::Sessions => {
                read(result).into_iter().for_each(|r: SessionsResult| self.show_sessions(r, now));
            }
            Wanted::Search => read(result).into_iter().for_each(|r: SearchResult| self.show_hits(r)),
            Wanted::Tree => read(result).into_iter().for_each(|r: TreeResult| self.show_tree(r)),
            Wanted::Fork => read(result).into_iter().for_each(|r: TreeResult| self.show_fork(r)),
            Wanted::Session => {
                if let Some(SessionResult { session, .. }) = read(result) {
                    let label = session.label.unwrap_or_else(|| session.id.to_string());
                    self.transcript.notice(&format!("going on with {label}"));
                }
                self.after(After::Conversation);
            }
            Wanted::Model => {
                if let Some(ModelResult { model, thinking }) = read(result) {
                    self.transcript.notice(&format!("{model} answers from now on, thinking {thinking}"));
                }
                self.after(After::Settings);
            }
            Wanted::Recap => {
                if let Some(MessagesResult { messages }) = read(result) {
                    self.transcript.recap(&messages);
                }
            }
            Wanted::Trusted => {
                self.ask(Command::Reload, Wanted::Nothing);
            }
        }
    }

    fn after(&mut self, after: After) {
        match after {
            After::Nothing => {}
            After::Settings => {
                self.ask(Command::State, Wanted::State);
                self.ask(Command::Commands, Wanted::Commands);
            }
            After::Conversation => {
                self.may_retry = false;
                self.ask(Command::State, Wanted::State);
                self.ask(Command::Usage, Wanted::Usage);
                self.ask(Command::Messages { last: Some(RECAP) }, Wanted::Recap);
            }
            After::Queue => {
                self.ask(Command::Queue, Wanted::Queue);
            }
            After::ShowKeys => {
                let keys = self.keymap.help();
                self.transcript.words(&keys);
            }
        }
    }
}

/// Reads a result; one that cannot be read is none.
fn read<T: DeserializeOwned>(result: &Value) -> Option<T> {
    T::deserialize(result).ok()
}
