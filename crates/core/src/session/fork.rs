//! Copies of sessions, and the choice between going on with one and with a copy.
//!
//! Owns the second process's way out: what is held by another one is never written to; nor is another
//! project's. Must not
//! change the session that it copies.
#![expect(clippy::disallowed_methods, reason = "this file copies sessions on disk")]

use super::label::{read_label, write_label_once};
use super::load::{Loaded, SpanReader, load, open_regular};
use super::store::{FileStore, folder_builder, sync_folder};
use super::{SessionError, codec};
use letscode_wire::SessionId;
use std::io::{self, BufWriter, Write as _};
use std::path::Path;
use tempfile::NamedTempFile;

/// How often a session that grows between loading and opening is loaded again, before a copy is
/// taken instead.
const LOAD_ATTEMPTS: usize = 3;

/// A session to go on with.
pub struct Resumed {
    /// What it holds.
    pub loaded: Loaded,
    /// Where its next messages go: the session itself, or a copy of it.
    pub store: FileStore,
}

/// Loads a session and opens it; where another process has it open, goes on in a copy beside it
/// and says so in [`Loaded::warnings`]. Blocks on the disk.
///
/// # Errors
/// When the session cannot be read, or neither it nor a copy can be opened for writing.
pub fn resume(path: &Path) -> Result<Resumed, SessionError> {
    let mut loaded = load(path)?;
    for _ in 1..LOAD_ATTEMPTS {
        match FileStore::open(&loaded) {
            Ok(store) => return Ok(Resumed { loaded, store }),
            Err(SessionError::Changed { .. }) => loaded = load(path)?,
            Err(SessionError::Held { .. }) => break,
            Err(error) => return Err(error),
        }
    }
    let store = fork(&loaded, path.parent().unwrap_or(Path::new(".")))?;
    let warning = format!(
        "session {} is open in another process: going on in a copy, {}",
        loaded.id,
        store.id()
    );
    loaded.warnings.push(warning);
    Ok(Resumed { loaded, store })
}

/// As [`resume`], for whoever works in `folder`: of another project's session it opens a copy
/// there, since the messages of two projects never stand in one file. Blocks on the disk.
///
/// # Errors
/// Those of [`resume`].
pub fn resume_in(folder: &Path, path: &Path) -> Result<Resumed, SessionError> {
    if path.parent() == Some(folder) { resume(path) } else { adopt(path, folder) }
}

/// Loads a session of another project and goes on in a copy in `folder`; says so in
/// [`Loaded::warnings`]. Blocks on the disk.
///
/// # Errors
/// When the session cannot be read, or the copy not be written.
fn adopt(path: &Path, folder: &Path) -> Result<Resumed, SessionError> {
    let mut loaded = load(path)?;
    let store = fork(&loaded, folder)?;
    let warning = format!(
        "session {} belongs to another project: going on in a copy, {}",
        loaded.id,
        store.id()
    );
    loaded.warnings.push(warning);
    Ok(Resumed { loaded, store })
}

/// Writes the active branch of a session as a new one in `folder` and opens that. The copy is
/// complete under its name, or not there. Blocks on the disk.
///
/// # Errors
/// When the session cannot be read any more, or the copy not be written.
pub fn fork(loaded: &Loaded, folder: &Path) -> Result<FileStore, SessionError> {
    let path = folder.join(format!("{}.jsonl", SessionId::new_v7()));
    copy_branch(loaded, folder, &path)?;
    if let Some(label) = read_label(&loaded.path)
        && let Err(error) = write_label_once(&path, &label)
    {
        tracing::debug!(%error, "cannot write the copy's label");
    }
    let mut copy = load(&path)?;
    copy.label.clone_from(&loaded.label);
    FileStore::open(&copy)
}

fn copy_branch(loaded: &Loaded, folder: &Path, path: &Path) -> Result<(), SessionError> {
    let copy_error = || SessionError::io("copy", &loaded.path);
    let write_error = || SessionError::io("write", path);
    let source = open_regular(&loaded.path)?;
    let mut reader = SpanReader::new(&source).map_err(copy_error())?;
    folder_builder().create(folder).map_err(write_error())?;
    let target = NamedTempFile::new_in(folder).map_err(write_error())?;
    let mut writer = BufWriter::new(target);
    let mut last_id = None;
    let mut line = Vec::new();
    for span in &loaded.branch {
        line.clear();
        let record = reader.read(*span).map_err(copy_error())?;
        if let Some(id) = codec::relink(record, last_id.as_ref(), &mut line) {
            writer.write_all(&line).map_err(write_error())?;
            last_id = Some(id);
        }
    }
    let target =
        writer.into_inner().map_err(io::IntoInnerError::into_error).map_err(write_error())?;
    target.as_file().sync_all().map_err(write_error())?;
    target.persist_noclobber(path).map_err(|error| write_error()(error.error))?;
    sync_folder(folder).map_err(write_error())
}

#[cfg(test)]
mod tests;
