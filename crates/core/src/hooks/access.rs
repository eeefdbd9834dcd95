//! The way from plugins to the agent: its commands, and custom messages.
//!
//! Owns the handle [`AgentAccess`] and what goes through it. The agent answers as it answers a
//! client, and tells no client of it, but what only a person may say it never hears from a plugin.
//! Must not know what a command does.

use crate::commands;
use letscode_wire::{Command, CustomMessage, Meta};
use serde_json::{Map, Value};
use tokio::sync::{mpsc, oneshot};

/// How many requests may wait until the agent looks at them.
const QUEUE: usize = 64;

const GONE: &str = "the agent has ended";
const TRUST: &str = "only the user trusts a project: a plugin cannot, unless its front end is open";
const EXPAND: &str = "only what a person typed is expanded: leave expand out, unless the plugin's \
                      front end is open";
const CALL: &str = "a plugin can run the program's own slash commands only, unless its front end is \
                    open";

/// Asks the agent for something. Cheap to clone.
#[derive(Clone, Default)]
pub struct AgentAccess {
    requests: Option<mpsc::Sender<Wanted>>,
}

/// The agent's end of all handles.
pub struct AccessInbox(mpsc::Receiver<Wanted>);

/// What is asked of the agent, and where the answer goes.
pub(crate) enum Wanted {
    Command { command: Command, answer: AccessAnswer },
    Save { note: CustomNote, answer: oneshot::Sender<CustomMessage> },
}

/// Takes a command's result, or why it was refused.
pub(crate) type AccessAnswer = oneshot::Sender<Result<Value, String>>;

/// A custom message that is to be kept.
#[derive(Debug, Clone, PartialEq)]
pub struct CustomNote {
    /// Names the kind.
    pub kind: String,
    /// What the kind's owner stores.
    pub payload: Map<String, Value>,
    /// Free-form additions.
    pub meta: Meta,
}

/// Why the agent did not do what was asked, in one line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct AccessError {
    /// What happened.
    pub message: String,
}

/// Returns a handle and the agent's end of it. A request waits until an agent has that end.
pub fn access() -> (AgentAccess, AccessInbox) {
    let (sender, receiver) = mpsc::channel(QUEUE);
    (AgentAccess { requests: Some(sender) }, AccessInbox(receiver))
}

impl AgentAccess {
    /// Carries a command out and returns what its `done` carries, when its work is complete: for a
    /// prompt when the run is over.
    ///
    /// # Errors
    /// When the agent refuses it or has ended, for what only the owner of a connection may say
    /// (`hello`, `bye`, `ui_response`), and for what only a person may: `trust` in any form, and text
    /// that is to be expanded.
    pub async fn run(&self, command: Command) -> Result<Value, AccessError> {
        if let Some(reason) = persons_own(&command) {
            return Err(refused(reason));
        }
        self.run_typed(command).await
    }

    /// As [`run`](Self::run), for a plugin whose front end has the terminal: what it sends, a person
    /// may have typed.
    ///
    /// # Errors
    /// When the agent refuses it or has ended, and for what only the owner of a connection may say.
    pub async fn run_typed(&self, command: Command) -> Result<Value, AccessError> {
        if let Command::Hello { .. } | Command::Bye | Command::UiResponse { .. } = command {
            return Err(refused("a plugin cannot send that command"));
        }
        let (answer, answered) = oneshot::channel();
        self.send(Wanted::Command { command, answer }).await?;
        let result = answered.await.map_err(|_| refused(GONE))?;
        result.map_err(|message| AccessError { message })
    }

    /// Appends a custom message to the transcript and the session, and returns it.
    ///
    /// # Errors
    /// When the agent has ended.
    pub async fn save(&self, note: CustomNote) -> Result<CustomMessage, AccessError> {
        let (answer, answered) = oneshot::channel();
        self.send(Wanted::Save { note, answer }).await?;
        answered.await.map_err(|_| refused(GONE))
    }

    async fn send(&self, wanted: Wanted) -> Result<(), AccessError> {
        let requests = self.requests.as_ref().ok_or_else(|| refused(GONE))?;
        requests.send(wanted).await.map_err(|_| refused(GONE))
    }
}

impl AccessInbox {
    /// Returns an inbox into which nobody can put anything.
    pub fn closed() -> Self {
        access().1
    }

    pub(crate) async fn next(&mut self) -> Option<Wanted> {
        self.0.recv().await
    }
}

/// Returns why a command is refused that nobody but a person may give.
fn persons_own(command: &Command) -> Option<&'static str> {
    match command {
        Command::Trust { .. } => Some(TRUST),
        Command::Prompt { expand: true, .. }
        | Command::Steer { expand: true, .. }
        | Command::FollowUp { expand: true, .. } => Some(EXPAND),
        Command::RunCommand { text } => match commands::read_line(text) {
            Ok(meant) => persons_own(&meant),
            // One that cannot be read is refused with its usage.
            Err(_) if commands::is_command(commands::name_in(text)) => None,
            Err(_) => Some(CALL),
        },
        _ => None,
    }
}

fn refused(reason: &str) -> AccessError {
    AccessError { message: reason.to_owned() }
}
