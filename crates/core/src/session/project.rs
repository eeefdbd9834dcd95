//! The sessions of one project as files: the port of `manager` over a folder.
//!
//! Owns the way of each request to a thread that may block on the disk, and the trash folder.
//! Must not read or write a session itself.

use super::folders::{TRASH, find_elsewhere};
use super::fork::{fork, resume_in};
use super::label::{label_path, read_label, write_label};
use super::listing::{find, list, number, shown_label};
use super::load::{load, load_until};
use super::manager::{Branch, OpenSession, Scope, SessionManager};
use super::store::{FileStore, folder_builder};
use super::{SessionError, search, tree};
use futures_util::future::BoxFuture;
use letscode_wire::{SearchResult, SessionEntry, SessionId, SessionInfo, TreeResult, UsageResult};
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

/// The sessions of a project in a folder.
#[derive(Debug, Clone)]
pub struct ProjectSessions {
    folder: PathBuf,
}

impl ProjectSessions {
    /// Returns the sessions in `folder`, which need not be there yet.
    pub fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Path) -> Result<T, SessionError> + Send + 'static,
    ) -> BoxFuture<'static, Result<T, SessionError>> {
        let folder = self.folder.clone();
        Box::pin(async move {
            let path = folder.clone();
            let done = tokio::task::spawn_blocking(move || work(&folder)).await;
            done.unwrap_or_else(|join_error| {
                Err(SessionError::io("read", &path)(io::Error::other(join_error)))
            })
        })
    }
}

impl SessionManager for ProjectSessions {
    fn create(&self) -> OpenSession {
        OpenSession::new(FileStore::create(&self.folder))
    }

    fn resume(&self, session: &Path) -> BoxFuture<'static, Result<OpenSession, SessionError>> {
        let session = session.to_owned();
        self.blocking(move |folder| {
            let resumed = resume_in(folder, &session)?;
            let loaded = resumed.loaded;
            Ok(OpenSession {
                transcript: loaded.transcript,
                model: loaded.model,
                warnings: loaded.warnings,
                ..OpenSession::new(resumed.store)
            })
        })
    }

    fn fork(
        &self,
        session: &Path,
        entry: Option<usize>,
    ) -> BoxFuture<'static, Result<OpenSession, SessionError>> {
        let session = session.to_owned();
        self.blocking(move |folder| {
            require_messages(&session)?;
            let loaded = match entry {
                Some(entry) => load_until(&session, entry)?,
                None => load(&session)?,
            };
            let store = fork(&loaded, folder)?;
            Ok(OpenSession {
                transcript: loaded.transcript,
                model: loaded.model,
                warnings: loaded.warnings,
                ..OpenSession::new(store)
            })
        })
    }

    fn branch(
        &self,
        session: &Path,
        entry: usize,
    ) -> BoxFuture<'static, Result<Branch, SessionError>> {
        let session = session.to_owned();
        self.blocking(move |_| {
            require_messages(&session)?;
            let loaded = load_until(&session, entry)?;
            let last_id = loaded.last_id.ok_or(SessionError::Empty)?;
            Ok(Branch { transcript: loaded.transcript, model: loaded.model, last_id })
        })
    }

    fn tree(&self, session: &Path) -> BoxFuture<'static, Result<TreeResult, SessionError>> {
        let session = session.to_owned();
        self.blocking(move |_| {
            if !session.exists() {
                return Ok(TreeResult { label: read_label(&session), entries: Vec::new() });
            }
            tree::tree(&session)
        })
    }

    fn usage(&self, session: &Path) -> BoxFuture<'static, Result<UsageResult, SessionError>> {
        let session = session.to_owned();
        self.blocking(move |_| tree::usage(&session))
    }

    fn list(
        &self,
        scope: Scope,
        open: Option<&Path>,
    ) -> BoxFuture<'static, Result<Vec<SessionEntry>, SessionError>> {
        let open = open.map(Path::to_owned);
        self.blocking(move |folder| {
            let mut count = 0;
            let mut number = |path: &Path| {
                let is_own = path.parent() == Some(folder);
                count += usize::from(is_own);
                if is_own { count } else { 0 }
            };
            let entry = |summary: super::Summary| SessionEntry {
                number: number(&summary.path),
                open: open.as_ref() == Some(&summary.path),
                modified: summary
                    .modified
                    .duration_since(UNIX_EPOCH)
                    .unwrap_or_default()
                    .as_secs_f64(),
                session: SessionInfo {
                    id: summary.id,
                    label: summary.label,
                    path: summary.path.display().to_string(),
                },
            };
            Ok(list(folder, scope)?.into_iter().map(entry).collect())
        })
    }

    fn search(
        &self,
        scope: Scope,
        query: &str,
    ) -> BoxFuture<'static, Result<SearchResult, SessionError>> {
        let query = query.to_owned();
        self.blocking(move |folder| search::search(folder, scope, &query))
    }

    fn describe(&self, session: &Path) -> BoxFuture<'static, SessionInfo> {
        let path = session.to_owned();
        let info =
            SessionInfo { id: id_of(session), label: None, path: session.display().to_string() };
        let label = self.blocking(move |_| Ok(shown_label(&path)));
        Box::pin(async move { SessionInfo { label: label.await.ok().flatten(), ..info } })
    }

    fn label(
        &self,
        session: &Path,
        text: &str,
    ) -> BoxFuture<'static, Result<String, SessionError>> {
        let (session, text) = (session.to_owned(), text.to_owned());
        self.blocking(move |_| {
            let written = write_label(&session, &text);
            written.map_err(SessionError::io("label", &session))?.ok_or(SessionError::EmptyLabel)
        })
    }

    fn find(&self, query: &str) -> BoxFuture<'static, Result<PathBuf, SessionError>> {
        let query = query.to_owned();
        self.blocking(move |folder| find_anywhere(folder, &query))
    }

    fn delete(&self, session: &Path) -> BoxFuture<'static, Result<PathBuf, SessionError>> {
        let session = session.to_owned();
        self.blocking(move |_| {
            // Opening takes the lock: a session that is in use anywhere stays where it is.
            let _held = FileStore::open(&load(&session)?)?;
            move_to_trash(&session).map_err(SessionError::io("delete", &session))
        })
    }
}

impl OpenSession {
    /// Returns the session of a store, with nothing in it.
    fn new(store: FileStore) -> Self {
        Self {
            id: store.id().clone(),
            path: store.path().to_owned(),
            transcript: Vec::new(),
            model: None,
            warnings: Vec::new(),
            store: Box::new(store),
        }
    }
}

fn id_of(session: &Path) -> SessionId {
    SessionId::from(session.file_stem().unwrap_or_default().to_string_lossy().as_ref())
}

/// Returns the session of the project in `folder` that `query` means, or the one of another project
/// whose whole id it is.
///
/// # Errors
/// Those of [`find`], and [`SessionError::InSeveralProjects`].
pub fn find_anywhere(folder: &Path, query: &str) -> Result<PathBuf, SessionError> {
    let query = query.trim();
    find(folder, query).or_else(|error| match error {
        // A number counts the project's own sessions, whatever others are called.
        error if number(query).is_some() => Err(error),
        SessionError::NoSessions { .. }
        | SessionError::NoSuchId { .. }
        | SessionError::AmbiguousId { .. } => find_elsewhere(folder, query)?.ok_or(error),
        error => Err(error),
    })
}

/// Refuses a new session, whose file is made by its first message.
fn require_messages(session: &Path) -> Result<(), SessionError> {
    if session.exists() { Ok(()) } else { Err(SessionError::Empty) }
}

/// Moves a session and what stands beside it; the session itself last, so that what was begun
/// can be begun again.
fn move_to_trash(session: &Path) -> io::Result<PathBuf> {
    let folder = session.parent().unwrap_or(Path::new("."));
    let root = folder.parent().unwrap_or(folder);
    let trash = root.join(TRASH).join(folder.file_name().unwrap_or(OsStr::new("sessions")));
    folder_builder().create(&trash)?;
    let beside = ["jsonl.torn", "jsonl.replaced"].map(|ending| session.with_extension(ending));
    for path in [label_path(session)].into_iter().chain(beside).chain([session.to_owned()]) {
        let target = trash.join(path.file_name().unwrap_or_default());
        match fs::rename(&path, target) {
            Err(error) if error.kind() == io::ErrorKind::NotFound && path != session => {}
            moved => moved?,
        }
    }
    Ok(trash.join(session.file_name().unwrap_or_default()))
}

#[cfg(test)]
mod tests;
