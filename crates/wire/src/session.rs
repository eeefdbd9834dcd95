//! Session records: one line of a session file.
//!
//! Owns the envelope, its version and the custom kinds that the core writes. Must not open files.

use crate::id::EntryId;
use crate::message::Message;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The envelope version that we write. A line of version 1 has no parent: it follows the line
/// before it.
pub const SESSION_VERSION: u32 = 2;

/// One line of a session file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Record {
    /// The envelope's version.
    #[serde(rename = "_v")]
    pub version: u32,
    /// The entry that this one follows; `null` for the first.
    #[serde(default)]
    pub parent_id: Option<EntryId>,
    /// The message.
    pub msg: Arc<Message>,
}

/// The custom message kinds that the core writes, and replays when it loads a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CustomKind {
    /// `model_change{model}`: later turns use another model.
    ModelChange,
    /// `compaction{summary, collapsed_count, first_kept_id}`: a summary stands for older
    /// messages.
    Compaction,
    /// `reset{}`: everything before is out.
    Reset,
    /// `go_to{}`: the conversation goes on behind its parent; later entries are on another branch.
    GoTo,
}

impl CustomKind {
    /// Returns the kind's name in files and events.
    pub fn name(self) -> &'static str {
        match self {
            Self::ModelChange => "model_change",
            Self::Compaction => "compaction",
            Self::Reset => "reset",
            Self::GoTo => "go_to",
        }
    }

    /// Returns the kind of that name; plugins have others.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::ModelChange, Self::Compaction, Self::Reset, Self::GoTo]
            .into_iter()
            .find(|kind| kind.name() == name)
    }
}
