//! What a handler can do besides answering: ask the user, the agent and the program.
//!
//! Owns the handle, the numbers of our calls, and the replies to them. Must not run handlers.

use crate::error::Error;
use letscode_wire::{
    Command, ContentPart, CustomMessage, FromPlugin, MessagesResult, Meta, Partial, Registrations,
    StateResult, Transcript, UiLevel, UiRequest, encode_line,
};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

const GONE: &str = "the program is gone";

/// A handler's way to the program. Cheap to clone, and good for as long as the plugin runs.
#[derive(Clone)]
pub struct Context {
    pub(crate) link: Arc<Link>,
    /// The program's number of the call that is being answered.
    pub(crate) call: Option<u64>,
    cancelled: Arc<AtomicBool>,
}

/// What all handlers share.
pub(crate) struct Link {
    output: Mutex<Box<dyn Write + Send>>,
    last_call: AtomicU64,
    waiting: Mutex<HashMap<u64, Waiting>>,
    is_closed: AtomicBool,
    working_dir: PathBuf,
    config: Map<String, Value>,
}

/// A call of ours that waits for its reply.
struct Waiting {
    answer: Sender<Result<Value, String>>,
    /// The call of the program's during which a question was asked: nobody needs an answer when that is
    /// taken back.
    during: Option<u64>,
}

impl Context {
    pub(crate) fn new(link: Arc<Link>, call: Option<u64>, cancelled: Arc<AtomicBool>) -> Self {
        Self { link, call, cancelled }
    }

    /// Returns the working directory.
    pub fn working_dir(&self) -> &Path {
        &self.link.working_dir
    }

    /// Returns the plugin's own table of the configuration, as it was at the start.
    ///
    /// # Errors
    /// When it does not fit the type.
    pub fn config<T: DeserializeOwned>(&self) -> Result<T, Error> {
        Ok(serde_json::from_value(Value::Object(self.link.config.clone()))?)
    }

    /// Returns whether the call that is being answered was taken back: nobody waits for the answer.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Acquire)
    }

    /// Shows what a tool call has so far: the whole of it, not a piece.
    pub fn progress(&self, text: impl Into<String>) {
        if let Some(call) = self.call {
            let content = vec![ContentPart::text(text.into())];
            let partial = Partial { content, details: Meta::new() };
            self.link.send(&FromPlugin::Progress { call, partial });
        }
    }

    /// Shows the user a line.
    pub fn notify(&self, text: impl Into<String>, level: UiLevel) {
        self.show(UiRequest::Notify { text: text.into(), level });
    }

    /// Sets a line of status, or clears it; `key` tells several apart.
    pub fn status(&self, key: impl Into<String>, text: Option<String>) {
        self.show(UiRequest::Status { key: key.into(), text });
    }

    /// Asks the user yes or no; `None` where the user declines or nobody can answer.
    pub fn confirm(&self, title: impl Into<String>, text: impl Into<String>) -> Option<bool> {
        self.ask_user(UiRequest::Confirm { title: title.into(), text: text.into() })?.as_bool()
    }

    /// Asks the user for one of `options`, and returns its place among them.
    pub fn select(&self, text: impl Into<String>, options: Vec<String>) -> Option<usize> {
        let place = self.ask_user(UiRequest::Select { text: text.into(), options })?.as_u64()?;
        usize::try_from(place).ok()
    }

    /// Asks the user for a line of text.
    pub fn input(
        &self,
        text: impl Into<String>,
        placeholder: Option<String>,
        default: Option<String>,
    ) -> Option<String> {
        let request = UiRequest::Input { text: text.into(), placeholder, default };
        self.ask_user(request)?.as_str().map(str::to_owned)
    }

    /// Asks the agent for something, and returns what it answers, when the work is complete.
    ///
    /// # Errors
    /// When it is refused, or the program is gone.
    pub fn command(&self, command: Command) -> Result<Value, Error> {
        self.link.call(|call| FromPlugin::Command { call, command })
    }

    /// Returns what the agent is doing and with what.
    ///
    /// # Errors
    /// When the program is gone.
    pub fn state(&self) -> Result<StateResult, Error> {
        Ok(serde_json::from_value(self.command(Command::State)?)?)
    }

    /// Returns the transcript.
    ///
    /// # Errors
    /// When the program is gone.
    pub fn messages(&self) -> Result<Transcript, Error> {
        let result: MessagesResult =
            serde_json::from_value(self.command(Command::Messages { last: None })?)?;
        Ok(result.messages)
    }

    /// Runs the agent on a message, and returns when the run is over. Refused while one is active.
    ///
    /// # Errors
    /// When it is refused, or the program is gone.
    pub fn prompt(&self, text: impl Into<String>) -> Result<(), Error> {
        let text = text.into();
        self.command(Command::Prompt { text, images: Vec::new(), expand: false }).map(drop)
    }

    /// Queues a message for the next answer without tool calls.
    ///
    /// # Errors
    /// When the program is gone.
    pub fn steer(&self, text: impl Into<String>) -> Result<(), Error> {
        self.command(Command::Steer { text: text.into(), expand: false }).map(drop)
    }

    /// Queues a message for the time when the run would end.
    ///
    /// # Errors
    /// When the program is gone.
    pub fn follow_up(&self, text: impl Into<String>) -> Result<(), Error> {
        self.command(Command::FollowUp { text: text.into(), expand: false }).map(drop)
    }

    /// Stops the run.
    ///
    /// # Errors
    /// When the program is gone.
    pub fn abort(&self) -> Result<(), Error> {
        self.command(Command::Abort).map(drop)
    }

    /// Appends a custom message to the transcript and the session, and returns it.
    ///
    /// # Errors
    /// When the program is gone.
    pub fn save_message(
        &self,
        kind: impl Into<String>,
        payload: Map<String, Value>,
    ) -> Result<CustomMessage, Error> {
        let kind = kind.into();
        let message = self.link.call(|call| FromPlugin::SaveMessage {
            call,
            kind,
            payload,
            meta: Meta::new(),
        })?;
        Ok(serde_json::from_value(message)?)
    }

    /// Returns a table of the configuration as it is now, the whole for `None`; `null` where there is
    /// none of that name.
    ///
    /// # Errors
    /// When the program is gone.
    pub fn config_table(&self, name: Option<&str>) -> Result<Value, Error> {
        let table = name.map(str::to_owned);
        self.link.call(|call| FromPlugin::Config { call, table })
    }

    /// Returns the variables with which another letscode process reaches the model in use.
    ///
    /// # Errors
    /// When nobody answers for the model, or the program is gone.
    pub fn subagent_env(&self) -> Result<HashMap<String, String>, Error> {
        Ok(serde_json::from_value(self.link.call(|call| FromPlugin::SubagentEnv { call })?)?)
    }

    /// Replaces what the plugin adds, from the next request to the model on.
    pub fn register(&self, registrations: Registrations) {
        self.link.send(&FromPlugin::Register { registrations, capabilities: None });
    }

    fn show(&self, request: UiRequest) {
        self.link.send(&FromPlugin::Ui { call: 0, request });
    }

    /// Asks, unless the call that is being answered was taken back, and until it is.
    fn ask_user(&self, request: UiRequest) -> Option<Value> {
        let line = |call| FromPlugin::Ui { call, request };
        let answer = self.link.wait(self.call, || self.is_cancelled(), line).ok()?;
        (answer != json!(null)).then_some(answer)
    }
}

impl Link {
    pub(crate) fn new(
        output: impl Write + Send + 'static,
        working_dir: PathBuf,
        config: Map<String, Value>,
    ) -> Self {
        Self {
            output: Mutex::new(Box::new(output)),
            last_call: AtomicU64::new(0),
            waiting: Mutex::default(),
            is_closed: AtomicBool::new(false),
            working_dir,
            config,
        }
    }

    /// Writes a line. Where nobody reads any more, the end of stdin says so too.
    pub(crate) fn send(&self, line: &FromPlugin) {
        let mut bytes = Vec::new();
        if encode_line(line, &mut bytes).is_ok() {
            let mut output = self.output.lock().unwrap_or_else(PoisonError::into_inner);
            drop(output.write_all(&bytes).and_then(|()| output.flush()));
        }
    }

    fn call(&self, line: impl FnOnce(u64) -> FromPlugin) -> Result<Value, Error> {
        self.wait(None, || false, line)
    }

    /// Sends a call and waits for the reply, at most as long as the call `during` which it is made
    /// lasts.
    fn wait(
        &self,
        during: Option<u64>,
        is_over: impl Fn() -> bool,
        line: impl FnOnce(u64) -> FromPlugin,
    ) -> Result<Value, Error> {
        let call = self.last_call.fetch_add(1, Ordering::Relaxed) + 1;
        let (answer, answered) = channel();
        self.waiting().insert(call, Waiting { answer, during });
        if is_over() || self.is_closed.load(Ordering::Acquire) {
            self.waiting().remove(&call);
            return Err(Error::new(GONE));
        }
        self.send(&line(call));
        match answered.recv() {
            Ok(Ok(value)) => Ok(value),
            Ok(Err(text)) => Err(Error::new(text)),
            Err(_) => Err(Error::new(GONE)),
        }
    }

    pub(crate) fn replied(&self, call: u64, result: Result<Value, String>) {
        let waiting = self.waiting().remove(&call);
        if let Some(Waiting { answer, .. }) = waiting {
            // Whoever asked may have ended meanwhile.
            drop(answer.send(result));
        }
    }

    /// Takes back what the user is asked during a call of the program's.
    pub(crate) fn withdraw_questions(&self, during: u64) {
        let withdrawn: Vec<u64> = {
            let mut waiting = self.waiting();
            let asked = waiting.extract_if(|_, waiting| waiting.during == Some(during));
            asked.map(|(call, _)| call).collect()
        };
        for call in withdrawn {
            self.send(&FromPlugin::Cancel { call });
        }
    }

    /// Answers all that wait, and all later calls, with an error.
    pub(crate) fn close(&self) {
        self.is_closed.store(true, Ordering::Release);
        self.waiting().clear();
    }

    fn waiting(&self) -> MutexGuard<'_, HashMap<u64, Waiting>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
