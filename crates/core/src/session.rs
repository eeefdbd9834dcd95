//! Sessions: the port that keeps messages, and the files behind it.
//!
//! Owns appending, loading, listing and the replay of what a session's branch means. A session
//! is one file of JSON lines, only ever added to; `lines` cuts it, `codec` reads a record, `records`
//! finds them in a line, `index` finds the active branch, `replay` says what of it still counts,
//! `load` puts these together, `store` appends, `fork` copies, `folders` finds those of all projects, `tree` and `search` look through
//! whole files (`needle` tells `search` which lines to skip, `parallel` runs it on many at once),
//! `project` offers all of it behind the port of `manager`. Must not know turns.
#![expect(
    clippy::disallowed_methods,
    reason = "this file finds the folder of a project's sessions"
)]

mod codec;
mod folders;
mod fork;
mod index;
mod label;
mod lines;
mod listing;
mod load;
mod manager;
mod needle;
mod parallel;
mod project;
mod records;
mod replay;
mod search;
mod store;
mod tree;

pub use fork::{Resumed, fork, resume, resume_in};
pub use listing::{Summary, find, list, most_recent};
pub use load::{Loaded, load};
pub use manager::{Branch, OpenSession, Scope, SessionManager};
pub use project::{ProjectSessions, find_anywhere};
pub use store::FileStore;
pub use tree::{USAGE, add_usage};

use futures_util::future::BoxFuture;
use letscode_wire::{EntryId, Message, Transcript};
use sha2::{Digest as _, Sha256};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Keeps the finalised messages of one conversation. Called by the agent, one append at a time.
pub trait SessionStore: Send + Sync {
    /// Adds a message behind the last one. When this returns it is on disk.
    ///
    /// # Errors
    /// When it could not be written; the message is kept and tried again with the next append.
    /// [`SessionError::Lost`] when what was written before is gone: that calls for
    /// [`restore`](Self::restore).
    fn append(&self, message: Arc<Message>) -> BoxFuture<'_, Result<(), SessionError>>;

    /// Returns how many messages are not on disk.
    fn unsaved(&self) -> usize {
        0
    }

    /// Tries again to write what is not on disk, and finds out whether the rest still is.
    ///
    /// # Errors
    /// When it could not be written; and [`SessionError::Lost`].
    fn save(&self) -> BoxFuture<'_, Result<(), SessionError>> {
        Box::pin(std::future::ready(Ok(())))
    }

    /// Begins a session that was lost anew, with this conversation and what waits behind it.
    ///
    /// # Errors
    /// When it could not be written; all of it is tried again with the next append.
    fn restore(&self, conversation: Transcript) -> BoxFuture<'_, Result<(), SessionError>> {
        let _ = conversation;
        Box::pin(std::future::ready(Ok(())))
    }

    /// Makes the next message follow `entry`, an earlier one of the same session. Called with
    /// no append under way. A store that keeps no tree has nothing to do.
    fn continue_behind(&self, entry: EntryId) {
        let _ = entry;
    }
}

/// Why a session could not be read, written or found.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// The system refuses.
    #[error("cannot {action} the session {}: {source}", path.display())]
    Io {
        /// What was tried, for example `write`.
        action: &'static str,
        /// The session's file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// A directory, FIFO or device where the session's file should be.
    #[error("the session {} is not a regular file", path.display())]
    NotRegular {
        /// The path.
        path: PathBuf,
    },
    /// Another process (or another store of this one) has it open.
    #[error("the session {} is open in another process: end that one, or go on in a fork", path.display())]
    Held {
        /// The session's file.
        path: PathBuf,
    },
    /// Somebody wrote to it between loading and opening.
    #[error("the session {} has changed since it was read: load it again", path.display())]
    Changed {
        /// The session's file.
        path: PathBuf,
    },
    /// Its file is not what we wrote any more: gone, shorter, or another one in its place.
    #[error("the session {} was deleted, cut or replaced by somebody else", path.display())]
    Lost {
        /// Where it was.
        path: PathBuf,
    },
    /// The project has no session at all.
    #[error("there is no session for this directory yet (looked in {})", folder.display())]
    NoSessions {
        /// The project's folder of sessions.
        folder: PathBuf,
    },
    /// A number beyond the list.
    #[error("there is no session number {number}: this directory has {count}, 1 is the newest")]
    NoSuchNumber {
        /// What was asked for, from 1.
        number: usize,
        /// How many there are.
        count: usize,
    },
    /// An id that no session has.
    #[error("no session of this directory has an id that begins with `{query}`")]
    NoSuchId {
        /// What was asked for.
        query: String,
    },
    /// The beginning of several ids.
    #[error("`{query}` is the beginning of {count} session ids: give more of it")]
    AmbiguousId {
        /// What was asked for.
        query: String,
        /// How many sessions it fits.
        count: usize,
    },
    /// An id that sessions of several other projects have.
    #[error(
        "{count} other projects have a session `{id}`: go to the directory of the one that is meant"
    )]
    InSeveralProjects {
        /// What was asked for.
        id: String,
        /// How many sessions have it.
        count: usize,
    },
    /// A number beyond the session's entries.
    #[error("the session has no entry {number}: it has {count}")]
    NoSuchEntry {
        /// What was asked for, from 1.
        number: usize,
        /// How many there are.
        count: usize,
    },
    /// A new session, of which nothing is on disk.
    #[error("the session has no message yet")]
    Empty,
    /// A label without a word.
    #[error("a label needs at least one word")]
    EmptyLabel,
    /// The session that is to be deleted is the open one.
    #[error("the session is the open one: go on in another first, then delete it")]
    IsOpen,
}

/// Returns the folder below `root` that holds the sessions of a working directory.
///
/// It is named after the directory's real path, so that every way into the directory finds the
/// same sessions. A directory that is gone is taken as it is written.
pub fn project_folder(root: &Path, working_dir: &Path) -> PathBuf {
    let resolved = fs::canonicalize(working_dir).unwrap_or_else(|_| working_dir.to_path_buf());
    let digest = Sha256::digest(resolved.as_os_str().as_encoded_bytes());
    let name: String = digest.iter().take(6).map(|byte| format!("{byte:02x}")).collect();
    root.join(name)
}

impl SessionError {
    /// Returns a function that wraps what the system says about `path`.
    fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_path_buf();
        move |source| Self::Io { action, path, source }
    }
}

#[cfg(test)]
mod tests;
