//! The port to the sessions of a project: which there are, and which one goes on.
//!
//! Owns what the agent may ask for beside appending. Must not know files.

use super::{SessionError, SessionStore};
use futures_util::future::BoxFuture;
use letscode_wire::{
    EntryId, SearchResult, SessionEntry, SessionId, SessionInfo, Transcript, TreeResult,
    UsageResult,
};
use std::path::{Path, PathBuf};

/// Opens, lists and changes the sessions of one project, and finds those of others. Called by the agent; a session is meant
/// by its file, or where a person names it by what [`find`](super::find) takes.
///
/// A future may be left to itself: it needs no borrow of the caller's.
pub trait SessionManager: Send + Sync {
    /// Returns a new session. Nothing of it is on disk before its first message.
    fn create(&self) -> OpenSession;

    /// Opens an earlier session, or a copy of it where another process has it open or it belongs
    /// to another project: the messages of two projects never stand in one file.
    fn resume(&self, session: &Path) -> BoxFuture<'static, Result<OpenSession, SessionError>>;

    /// Opens a new session that is the branch of `session` up to an entry, or the active branch.
    fn fork(
        &self,
        session: &Path,
        entry: Option<usize>,
    ) -> BoxFuture<'static, Result<OpenSession, SessionError>>;

    /// Returns what `session` is at an earlier entry, whose branch may go on from there.
    fn branch(
        &self,
        session: &Path,
        entry: usize,
    ) -> BoxFuture<'static, Result<Branch, SessionError>>;

    /// Returns all entries of `session`.
    fn tree(&self, session: &Path) -> BoxFuture<'static, Result<TreeResult, SessionError>>;

    /// Returns what `session` cost.
    fn usage(&self, session: &Path) -> BoxFuture<'static, Result<UsageResult, SessionError>>;

    /// Returns the sessions, newest first; the one at `open` is marked.
    fn list(
        &self,
        scope: Scope,
        open: Option<&Path>,
    ) -> BoxFuture<'static, Result<Vec<SessionEntry>, SessionError>>;

    /// Returns where `query` was said.
    fn search(
        &self,
        scope: Scope,
        query: &str,
    ) -> BoxFuture<'static, Result<SearchResult, SessionError>>;

    /// Returns what there is to know of `session` at a glance.
    fn describe(&self, session: &Path) -> BoxFuture<'static, SessionInfo>;

    /// Gives `session` another label and returns what is kept of it.
    fn label(&self, session: &Path, text: &str)
    -> BoxFuture<'static, Result<String, SessionError>>;

    /// Returns the file that `query` means: the whole id of another project's session too.
    fn find(&self, query: &str) -> BoxFuture<'static, Result<PathBuf, SessionError>>;

    /// Puts `session` into the trash folder and returns where it is now. Refused while it is
    /// open anywhere.
    fn delete(&self, session: &Path) -> BoxFuture<'static, Result<PathBuf, SessionError>>;
}

/// Whose sessions are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Those of the project.
    Project,
    /// Those of all projects whose folders lie beside the project's.
    AllProjects,
}

impl Scope {
    /// Returns the scope that a command's `all` means.
    pub fn of(all: bool) -> Self {
        if all { Self::AllProjects } else { Self::Project }
    }
}

/// A session that goes on.
pub struct OpenSession {
    /// Its id.
    pub id: SessionId,
    /// Its file.
    pub path: PathBuf,
    /// What the model last saw.
    pub transcript: Transcript,
    /// The model that was switched to last.
    pub model: Option<String>,
    /// What could not be read, a line each.
    pub warnings: Vec<String>,
    /// Where its next messages go.
    pub store: Box<dyn SessionStore>,
}

/// A session at an earlier entry.
pub struct Branch {
    /// What the model saw then.
    pub transcript: Transcript,
    /// The model that was in use.
    pub model: Option<String>,
    /// The entry that the next one follows.
    pub last_id: EntryId,
}
