//! Sessions: the port that keeps messages, and the files behind it.
//!
//! Owns appending, loading and the replay of what a session's branch means. Must not know turns.

mod codec;
mod replay;
mod store;

use futures_util::future::BoxFuture;
use letscode_wire::Message;
use std::sync::Arc;

/// Keeps the finalised messages of one conversation. Called by the agent, one append at a time.
pub trait SessionStore: Send + Sync {
    /// Adds a message behind the last one. When this returns it is on disk.
    ///
    /// # Errors
    /// When it could not be written; the message is kept and tried again with the next append.
    fn append(&self, message: Arc<Message>) -> BoxFuture<'_, Result<(), SessionError>>;
}

/// Why a session could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// The system refuses.
    #[error("cannot {action} the session {}: {source}", path.display())]
    Io {
        /// What was tried, for example `write`.
        action: &'static str,
        /// The session's file.
        path: std::path::PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
}
