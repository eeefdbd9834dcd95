//! The way from plugins to the agent: its commands, and custom messages.
//!
//! Owns the handle [`AgentAccess`] and what goes through it. The agent answers as it answers a
//! client, and tells no client of it. Must not know what a command does.

use letscode_wire::{Command, CustomMessage, Meta};
use serde_json::{Map, Value};
use tokio::sync::{mpsc, oneshot};

/// How many requests may wait until the agent looks at them.
const QUEUE: usize = 64;

const GONE: &str = "the agent has ended";

/// Asks the agent for something. Cheap to clone.
#[derive(Clone, Default)]
pub struct AgentAccess {
    requests: Option<mpsc::Sender<Wanted>>,
}

/// The agent's end of all handles.
pub struct AccessInbox(mpsc::Receiver<Wanted>);

/// What is asked of the agent, and where the answer goes.
pub(crate) enum Wanted {
    Command {
        command: Command,
        /// Whether a person may have typed it.
        is_typed: bool,
        answer: AccessAnswer,
    },
    Save {
        note: CustomNote,
        answer: oneshot::Sender<CustomMessage>,
    },
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
        self.ask(command, false).await
    }

    /// As [`run`](Self::run), for a plugin whose front end has the terminal: what it sends, a person
    /// may have typed.
    ///
    /// # Errors
    /// When the agent refuses it or has ended, and for what only the owner of a connection may say.
    pub async fn run_typed(&self, command: Command) -> Result<Value, AccessError> {
        self.ask(command, true).await
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

    async fn ask(&self, command: Command, is_typed: bool) -> Result<Value, AccessError> {
        if let Command::Hello { .. } | Command::Bye | Command::UiResponse { .. } = command {
            return Err(refused("a plugin cannot send that command"));
        }
        let (answer, answered) = oneshot::channel();
        self.send(Wanted::Command { command, is_typed, answer }).await?;
        let result = answered.await.map_err(|_| refused(GONE))?;
        result.map_err(|message| AccessError { message })
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

fn refused(reason: &str) -> AccessError {
    AccessError { message: reason.to_owned() }
}
