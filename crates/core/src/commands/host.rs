//! The port to what only the program around the agent can do: export, clipboard, model lists.
//!
//! Owns what the host is told. Must not know how anything is done.

use futures_util::future::BoxFuture;
use letscode_wire::{Command, SessionInfo, Transcript, Usage};
use serde_json::Value;

/// Carries out the commands that need the world outside of the conversation. Called by the
/// agent, which goes on meanwhile.
pub trait Host: Send + Sync {
    /// Carries `command` out and returns its result in the form that the wire documents.
    ///
    /// # Errors
    /// When it cannot be done; the text is for the user.
    fn run(
        &self,
        command: Command,
        conversation: Conversation,
    ) -> BoxFuture<'static, Result<Value, HostError>>;
}

/// What the host is told of the conversation.
#[derive(Debug, Clone)]
pub struct Conversation {
    /// The messages.
    pub transcript: Transcript,
    /// The open session; `None` where none is kept.
    pub session: Option<SessionInfo>,
    /// The model in use.
    pub model: String,
    /// What the session cost so far.
    pub usage: Usage,
}

/// Why the host cannot carry a command out, in one line for the user.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct HostError {
    /// What happened, and what to do.
    pub message: String,
}

/// A host that can do nothing, for an agent without a program around it.
#[derive(Debug, Default)]
pub struct NoHost;

impl Host for NoHost {
    fn run(
        &self,
        _command: Command,
        _conversation: Conversation,
    ) -> BoxFuture<'static, Result<Value, HostError>> {
        let message = "this program cannot do that".to_owned();
        Box::pin(async { Err(HostError { message }) })
    }
}
