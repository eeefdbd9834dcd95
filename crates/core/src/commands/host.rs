//! The port to what only the program around the agent can do: export, clipboard, model lists, and
//! reading again what the agent was made from.
//!
//! Owns what the host is told. Must not know how anything is done.

use crate::hooks::Hooks;
use crate::model::ModelSource;
use crate::skills::Skill;
use crate::tools::ToolRegistry;
use futures_util::future::BoxFuture;
use letscode_wire::{Command, SessionInfo, Transcript, Usage};
use serde_json::Value;
use std::sync::Arc;

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

    /// Reads config, catalog, skills, templates and context files again and makes of them what an
    /// idle agent goes on with. Called while no run is active; the agent waits for it.
    ///
    /// # Errors
    /// When there is nothing to read again, or the agent cannot go on with it; it then goes on as
    /// it is. A file that cannot be used is a warning.
    fn reload(&self) -> BoxFuture<'static, Result<Reloaded, HostError>>;

    /// Makes tools, system prompt and skills anew of what the plugins have registered by now; reads
    /// no file for it. Called before a request when that has changed; the request waits for it.
    /// `None` leaves all as it is.
    fn equip(&self, _hooks: Hooks) -> BoxFuture<'static, Option<Equipped>> {
        Box::pin(async { None })
    }
}

/// What an agent goes on with after plugins have registered.
pub struct Equipped {
    /// The tools at hand.
    pub tools: ToolRegistry,
    /// The system prompt, whole.
    pub system: Arc<str>,
    /// The skills, those of plugins among them.
    pub skills: Vec<Arc<Skill>>,
    /// What cannot be used, a line each.
    pub warnings: Vec<String>,
}

/// What an agent goes on with after a reload.
pub struct Reloaded {
    /// The tools at hand.
    pub tools: ToolRegistry,
    /// The plugins.
    pub hooks: Hooks,
    /// The system prompt, whole.
    pub system: Arc<str>,
    /// Where models come from; `None` leaves that as it is.
    pub models: Option<Arc<dyn ModelSource>>,
    /// The program around the agent, with the new settings.
    pub host: Arc<dyn Host>,
    /// The skills that were found.
    pub skills: Vec<Arc<Skill>>,
    /// How many prompt templates were found.
    pub templates: usize,
    /// How many context files are in the system prompt.
    pub context_files: usize,
    /// What cannot be used, a line each.
    pub warnings: Vec<String>,
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
        Box::pin(async { Err(unable()) })
    }

    fn reload(&self) -> BoxFuture<'static, Result<Reloaded, HostError>> {
        Box::pin(async { Err(unable()) })
    }
}

fn unable() -> HostError {
    HostError { message: "this program cannot do that".to_owned() }
}
