//! The folders of sessions: one for each project, beside each other, and the trash among them.
//!
//! Owns which folders a scope means and the way to a session of another project. Reads names
//! only. Must not open a session.
#![expect(clippy::disallowed_methods, reason = "this file lists the folders of sessions")]

use super::SessionError;
use super::manager::Scope;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

/// The folder beside the projects' own that deleted sessions go to.
pub(super) const TRASH: &str = "trash";

/// Returns the files in the folders that `scope` means for the project in `folder`, whatever they
/// are. A folder that is not there has none; another project's that cannot be read is left out.
///
/// # Errors
/// When the project's own folder, or the one around it, cannot be read.
pub(super) fn files(folder: &Path, scope: Scope) -> Result<Vec<PathBuf>, SessionError> {
    let mut files = entries(folder)?;
    if scope == Scope::AllProjects {
        for other in others(folder)? {
            files.extend(entries_or_none(&other));
        }
    }
    Ok(files)
}

/// Returns the session of another project than that in `folder` whose whole id is `id`.
///
/// # Errors
/// When several projects have one, and when the folder around them cannot be read.
pub(super) fn find_elsewhere(folder: &Path, id: &str) -> Result<Option<PathBuf>, SessionError> {
    let has_id = |path: &PathBuf| {
        let is_session = path.extension() == Some(OsStr::new("jsonl"));
        is_session && path.file_stem().is_some_and(|stem| stem.eq_ignore_ascii_case(id))
    };
    let mut found: Vec<PathBuf> = Vec::new();
    for other in others(folder)? {
        found.extend(entries_or_none(&other).into_iter().filter(has_id));
    }
    match found.len() {
        0 | 1 => Ok(found.pop()),
        count => Err(SessionError::InSeveralProjects { id: id.to_owned(), count }),
    }
}

/// Returns the folders of the other projects.
fn others(folder: &Path) -> Result<Vec<PathBuf>, SessionError> {
    let Some(root) = folder.parent() else { return Ok(Vec::new()) };
    let mut others = entries(root)?;
    others.retain(|path| path != folder && path.file_name() != Some(OsStr::new(TRASH)));
    Ok(others)
}

/// Returns what is in another project's folder; nothing where it is none, or cannot be read.
fn entries_or_none(folder: &Path) -> Vec<PathBuf> {
    entries(folder).unwrap_or_else(|error| {
        tracing::debug!(%error, "cannot list another project's sessions");
        Vec::new()
    })
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>, SessionError> {
    match std::fs::read_dir(folder) {
        Ok(entries) => Ok(entries.filter_map(|entry| Some(entry.ok()?.path())).collect()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(SessionError::io("list", folder)(error)),
    }
}
