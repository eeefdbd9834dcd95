//! The front end as one state machine: what happens goes in, what is to be done comes out.
//!
//! Owns what a key means at any moment, which requests are under way, and the layout of the live
//! region. Holds nothing that the agent does not know: ending it loses pixels, nothing else. Must
//! not wait, read a clock or touch the terminal.

mod choices;
mod keys;
mod questions;
mod replies;
mod sessions;
mod submit;
mod view;

use crate::completion::Completion;
use crate::composer::{Composer, Submission};
use crate::footer::Footer;
use crate::keymap::Keymap;
use crate::keys::InputEvent;
use crate::transcript::Transcript;
use choices::Overlay;
use letscode_wire::{
    Command, CommandInfo, Control, Event, ImageData, Message, QueueResult, Transcript as Messages,
};
use replies::{Requests, Wanted};
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A second Ctrl+C within this time ends the program.
const SECOND_INTERRUPT: Duration = Duration::from_secs(2);

/// Keys within this time after a question came up by itself were meant for what was there before.
const QUESTION_DELAY: Duration = Duration::from_secs(1);

/// So long a letter that tries again waits for a second one, which makes it a text.
const RETRY_DELAY: Duration = Duration::from_millis(400);

/// From this length on the end of a run is worth a sign to somebody who looks elsewhere.
const LONG_RUN: Duration = Duration::from_secs(20);

/// What an empty composer says.
const PLACEHOLDER: &str = "a message, / for commands, @ for files";

/// What the front end starts with.
#[derive(Default)]
pub struct Options {
    /// Whether the line at the bottom is shown.
    pub footer: bool,
    /// Whether tools' results are shown in full.
    pub verbose: bool,
    /// Whether the composer has vi's keys.
    pub vi: bool,
    /// Whether the terminal shows no more of the live region than the row of the cursor: lists are
    /// printed then.
    pub is_plain: bool,
    /// Which key does what.
    pub keymap: Arc<Keymap>,
    /// The slash commands that are known at the start; plugins may bring more.
    pub commands: Vec<CommandInfo>,
    /// The conversation that goes on; empty for a new one.
    pub conversation: Messages,
    /// What to ask about the project's own settings before anything else; `None` where nothing of it
    /// waits for trust.
    pub trust_question: Option<String>,
    /// The time at the start, for the ages of sessions.
    pub seconds_since_epoch: f64,
    /// What is said before anything else; nothing where that is empty.
    pub welcome: String,
    /// Lines to show at the start.
    pub notices: Vec<String>,
}

/// Something that happened.
#[derive(Debug)]
pub enum Msg {
    /// The terminal sent something.
    Input(InputEvent),
    /// The agent said something.
    Agent(AgentOutput),
    /// The user's editor is done: the text as it is now, or why it stays as it was.
    Edited(Result<String, String>),
    /// The picture that was in the clipboard, or why there is none.
    Picture(Result<ImageData, String>),
    /// The time that [`App::wakes_at`] told has come.
    Tick,
}

/// What the agent says.
#[derive(Debug)]
pub enum AgentOutput {
    /// What happened in a run.
    Event(Arc<Event>),
    /// A reply to a command.
    Control(Control),
    /// A line for the user.
    Notice(String),
}

/// Something to do.
#[derive(Debug, PartialEq)]
pub enum Effect {
    /// Send a command to the agent.
    Send {
        /// The number that its replies carry as their id.
        id: u64,
        /// The command.
        command: Command,
    },
    /// Have the user edit a text in an editor, and tell by [`Msg::Edited`].
    Edit(String),
    /// Give the terminal to the shell until it lets the program go on.
    Suspend,
    /// Draw the live region anew, whatever the terminal shows there.
    Redraw,
    /// Tell the user, who looks elsewhere, that there is news: these words say what.
    Attract(&'static str),
    /// Put the picture in the clipboard, if there is one, into the message, by [`Msg::Picture`].
    PastePicture,
    /// Leave.
    Exit,
    /// Leave, because the user has pressed Ctrl+C twice.
    ExitInterrupted,
}

/// The front end.
pub struct App {
    transcript: Transcript,
    composer: Composer,
    completion: Completion,
    keymap: Arc<Keymap>,
    overlay: Option<Overlay>,
    /// When what lies over the composer was first drawn.
    overlay_seen: Option<Instant>,
    /// When the user last answered a question.
    answered_at: Option<Instant>,
    /// Whether it was printed, on a terminal that shows only the cursor's row.
    is_overlay_told: bool,
    /// Questions that wait until the one before is answered.
    questions: VecDeque<Overlay>,
    /// Lines of plugins, by their keys.
    status: Vec<(String, String)>,
    footer: Footer,
    shows_footer: bool,
    requests: Requests,
    /// All that can be called by a slash.
    names: Vec<CommandInfo>,
    file_search: FileSearch,
    queue: QueueResult,
    /// The prompt, retry or compaction that is under way.
    run: Option<Run>,
    /// What is sent, one after the other, as soon as the run that it stops has ended.
    redirects: VecDeque<Submission>,
    /// Whether the last run failed in a way that may pass.
    may_retry: bool,
    /// When the letter that tries again, which stands in the composer, does so.
    retries_at: Option<Instant>,
    /// When Ctrl+C was pressed last.
    interrupted: Option<Instant>,
    /// A line above the composer that goes away with the next key.
    hint: Option<String>,
    has_focus: bool,
    is_plain: bool,
    /// The models that were printed with numbers.
    numbered_models: Vec<String>,
    trust_question: Option<String>,
    /// When the first thing happened.
    started: Option<Instant>,
    started_at: f64,
    /// The time of the last thing that happened.
    seconds_since_epoch: f64,
    effects: Vec<Effect>,
}

/// Which files are being looked for: one search at a time, however quickly somebody types.
#[derive(Debug, Default)]
struct FileSearch {
    is_under_way: bool,
    /// What is to be looked for next.
    next: Option<String>,
}

/// What the agent is busy with.
#[derive(Debug)]
struct Run {
    /// The request that began it; `None` where a plugin did, and its end tells that it is over.
    request: Option<u64>,
    since: Instant,
    /// What was sent, until the agent takes it: it returns to the composer where that fails.
    sent: Option<Submission>,
}

impl App {
    /// Returns the front end before anything happened.
    pub fn new(options: Options) -> Self {
        let keymap = options.keymap;
        let mut transcript = Transcript::new();
        transcript.set_verbose(options.verbose);
        transcript.set_keys(&keymap);
        if !options.welcome.is_empty() {
            transcript.notice(&options.welcome);
        }
        for notice in &options.notices {
            transcript.notice(notice);
        }
        if !options.conversation.is_empty() {
            transcript.recap(&options.conversation, options.conversation.len());
        }
        let mut composer = Composer::new(Arc::clone(&keymap)).with_vi(options.vi);
        composer.set_placeholder(PLACEHOLDER);
        let mut completion = Completion::new(Arc::clone(&keymap));
        completion.set_commands(options.commands.clone());
        Self {
            transcript,
            composer,
            completion,
            keymap,
            overlay: None,
            overlay_seen: None,
            answered_at: None,
            is_overlay_told: false,
            questions: VecDeque::new(),
            status: Vec::new(),
            footer: Footer::default(),
            shows_footer: options.footer,
            requests: Requests::default(),
            names: options.commands,
            file_search: FileSearch::default(),
            queue: QueueResult { steering: Vec::new(), follow_ups: Vec::new() },
            run: None,
            redirects: VecDeque::new(),
            may_retry: false,
            retries_at: None,
            interrupted: None,
            hint: None,
            has_focus: true,
            is_plain: options.is_plain,
            numbered_models: Vec::new(),
            trust_question: options.trust_question,
            started: None,
            started_at: options.seconds_since_epoch,
            seconds_since_epoch: options.seconds_since_epoch,
            effects: Vec::new(),
        }
    }

    /// Returns what to do first.
    pub fn start(&mut self) -> Vec<Effect> {
        self.ask(Command::Hello { protocol: None, updates: None, ui: Some(true) }, Wanted::Nothing);
        self.ask(Command::State, Wanted::State);
        self.ask(Command::Usage, Wanted::Usage);
        self.ask_for_names();
        self.ask(Command::History { add: None, limit: None }, Wanted::History);
        if let Some(question) = self.trust_question.take() {
            self.ask_for_trust(&question);
        }
        std::mem::take(&mut self.effects)
    }

    /// Takes in what happened, and returns what to do about it.
    pub fn update(&mut self, msg: Msg, now: Instant) -> Vec<Effect> {
        let started = *self.started.get_or_insert(now);
        let elapsed = now.saturating_duration_since(started);
        self.seconds_since_epoch = self.started_at + elapsed.as_secs_f64();
        match msg {
            Msg::Input(InputEvent::Key(key)) => self.key(key, now),
            Msg::Input(InputEvent::Paste(text)) => self.paste(&text, now),
            Msg::Input(InputEvent::FocusGained) => self.has_focus = true,
            Msg::Input(InputEvent::FocusLost) => self.has_focus = false,
            Msg::Input(InputEvent::Closed) => self.effects.push(Effect::Exit),
            Msg::Agent(AgentOutput::Event(event)) => self.event(&event, now),
            Msg::Agent(AgentOutput::Control(control)) => self.control(control, now),
            Msg::Agent(AgentOutput::Notice(text)) => self.transcript.notice(&text),
            Msg::Edited(Ok(text)) => self.composer.set_text(&text),
            Msg::Edited(Err(error)) | Msg::Picture(Err(error)) => self.transcript.failure(&error),
            Msg::Picture(Ok(picture)) => self.composer.insert_image(picture),
            Msg::Tick => self.tick(now),
        }
        std::mem::take(&mut self.effects)
    }

    /// Returns when [`Msg::Tick`] should come; `None` while nothing changes by itself.
    pub fn wakes_at(&self, now: Instant) -> Option<Instant> {
        /// How often what moves by itself is drawn.
        const STEP: Duration = Duration::from_millis(100);
        let moves = self.run.is_some() || self.transcript.is_animated();
        let hint_ends = self.interrupted.map(|at| at + SECOND_INTERRUPT);
        [moves.then(|| now + STEP), hint_ends, self.retries_at].into_iter().flatten().min()
    }

    fn tick(&mut self, now: Instant) {
        if self.interrupted.is_some_and(|at| now >= at + SECOND_INTERRUPT) {
            self.interrupted = None;
            self.hint = None;
        }
        if self.retries_at.take_if(|at| now >= *at).is_some() {
            self.retry_by_letter(now);
        }
    }

    fn event(&mut self, event: &Event, now: Instant) {
        match event {
            Event::AgentStart { .. } => {
                self.may_retry = false;
                self.run.get_or_insert(Run { request: None, since: now, sent: None });
            }
            Event::AgentEnd { .. } if self.is_run_of_plugin() => {
                self.ended(None, now);
                self.ask(Command::State, Wanted::State);
                self.go_on(now);
            }
            Event::MessageEnd { message } => {
                if let Some(usage) = message.as_assistant().and_then(|answer| answer.usage) {
                    self.footer.answered(&usage);
                }
                let has_queue =
                    !self.queue.steering.is_empty() || !self.queue.follow_ups.is_empty();
                if has_queue && message.as_assistant().is_none() {
                    self.ask(Command::Queue, Wanted::Queue);
                }
                // A summary costs what no answer tells.
                if matches!(**message, Message::Custom(_)) {
                    self.ask(Command::Usage, Wanted::Usage);
                }
            }
            Event::Error { recoverable, .. } => self.may_retry = *recoverable,
            Event::UiRequest { request_id, request } => self.asked(request_id, request),
            Event::UiWithdrawn { request_id } => self.withdrawn(request_id),
            _ => {}
        }
        self.transcript.event(event, now);
    }

    fn is_run_of_plugin(&self) -> bool {
        self.run.as_ref().is_some_and(|run| run.request.is_none())
    }

    /// Asks for all that can be called by a slash.
    fn ask_for_names(&mut self) {
        self.ask(Command::Commands, Wanted::Commands);
    }

    fn ask(&mut self, command: Command, wanted: Wanted) -> u64 {
        let id = self.requests.add(wanted);
        self.effects.push(Effect::Send { id, command });
        id
    }
}

#[cfg(test)]
mod tests;
