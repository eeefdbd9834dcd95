//! Tools: the trait that each implements, the registry, and the context of one call.
//!
//! Owns what is common to all tools. Must not know any single tool; the four built-in ones are
//! modules below and are registered by `builtin` like a plugin's.

mod arguments;
mod bash;
mod content;
mod diff;
mod edit;
mod encoding;
mod fingerprint;
mod ledger;
mod matching;
mod parameters;
mod path;
mod read;
mod registry;
mod target;
mod truncate;
#[cfg(test)]
mod workbench;
mod write;

pub use arguments::{ArgumentError, check_arguments};
pub use bash::Bash;
pub use edit::Edit;
pub use ledger::FileLedger;
pub use read::Read;
pub use registry::{ToolRegistry, ToolSelection, UnknownTool};
pub use write::Write;

pub(crate) use bash::{TYPED_TIMEOUT, run_typed};
pub(crate) use encoding::{Encoding, encoding_of};
pub(crate) use path::resolve as resolve_path;
pub(crate) use read::{hidden_note, is_picture};
pub(crate) use target::shown_name;

use crate::env::ExecutionEnv;
use crate::secrets::Secrets;
use crate::ui::Ui;
use futures_util::future::BoxFuture;
use letscode_wire::{Partial, ToolCallId, ToolOutput, ToolSpec};
use serde_json::{Map, Value};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// A tool that the model may call. Called by the agent, possibly many at once.
pub trait Tool: Send + Sync {
    /// Returns the tool's declaration.
    fn spec(&self) -> &ToolSpec;

    /// Returns what a call with these arguments touches, for the order among calls.
    fn access(&self, _arguments: &Map<String, Value>, _env: &dyn ExecutionEnv) -> Access {
        Access::default()
    }

    /// Returns how long a call with these arguments may take before the tool itself ends it.
    fn time_limit(&self, _arguments: &Map<String, Value>) -> Option<Duration> {
        None
    }

    /// Runs a call. The arguments fit the declared schema. A failure is data for the model, not
    /// an error of the run. Must end soon after `context.cancel` is cancelled.
    fn run<'a>(
        &'a self,
        arguments: Map<String, Value>,
        context: ToolContext,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>>;
}

/// What a call touches.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Access {
    /// Whether it may change anything at all (`bash`, `write`, `edit`): such calls wait for each
    /// other in source order.
    pub changes: bool,
    /// The file it works on: calls that name the same keep their order.
    pub path: Option<PathBuf>,
}

/// What one call of a tool gets.
#[derive(Clone)]
pub struct ToolContext {
    /// The call.
    pub call_id: ToolCallId,
    /// Files and processes.
    pub env: Arc<dyn ExecutionEnv>,
    /// Which files the conversation knows.
    pub files: Arc<FileLedger>,
    /// Cancelled when the run is aborted.
    pub cancel: CancellationToken,
    /// Takes what is to be shown while the call runs.
    pub progress: Progress,
    /// Whether the model takes images.
    pub vision: bool,
    /// The keys that the model does not get to see.
    pub secrets: Arc<Secrets>,
    /// The way to the user.
    pub ui: Ui,
}

/// Takes the partial results of one call. Sending is cheap, never waits, and may be dropped
/// when they come too fast: each one holds the newest output, not a piece of it.
#[derive(Clone)]
pub struct Progress(Arc<dyn Fn(Partial) + Send + Sync>);

impl Progress {
    /// Returns a progress that hands each partial result to `sink`.
    pub fn new(sink: impl Fn(Partial) + Send + Sync + 'static) -> Self {
        Self(Arc::new(sink))
    }

    /// Shows the newest partial result.
    pub fn send(&self, partial: Partial) {
        (self.0)(partial);
    }
}

/// Why a call failed, in words that the model can act on.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ToolError {
    /// What happened, to what, and what to do.
    pub message: String,
}

impl ToolError {
    /// Returns an error with this message.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into() }
    }
}
