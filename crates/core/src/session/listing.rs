//! The sessions of a project: which there are, and which one is meant.
//!
//! Owns order and choice. Reads names and times, and a label's first bytes, never a whole
//! session: a folder of ten thousand, or a session of gigabytes, is listed at once. Must not
//! load or open for writing.
#![expect(clippy::disallowed_methods, reason = "this file lists the sessions on disk")]

use super::SessionError;
use super::codec::{self, Role};
use super::folders::files;
use super::label::{label_of, read_label};
use super::lines::Lines;
use super::manager::Scope;
use super::parallel::map_in_order;
use super::records::each_record;
use letscode_wire::SessionId;
use std::ffi::OsStr;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// How much of a session without a label is searched for its first user message, in bytes.
const HEAD_LENGTH: u64 = 64 * 1024;

/// How much of it is read at a time, in bytes: the first message is the first line as a rule.
const FIRST_READ: usize = 4 * 1024;

/// A session in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    /// Its id.
    pub id: SessionId,
    /// Its file.
    pub path: PathBuf,
    /// When it was last added to.
    pub modified: SystemTime,
    /// Its label, or what its first user message makes of it.
    pub label: Option<String>,
}

/// Returns the sessions of the project in `folder`, or of all beside it too, newest first. A
/// folder that is not there has none.
///
/// # Errors
/// When the folder cannot be read.
pub fn list(folder: &Path, scope: Scope) -> Result<Vec<Summary>, SessionError> {
    Ok(map_in_order(scan(folder, scope)?, Found::into_summary))
}

/// Returns the session in `folder` that was added to last.
///
/// # Errors
/// [`SessionError::NoSessions`], and when the folder cannot be read.
pub fn most_recent(folder: &Path) -> Result<PathBuf, SessionError> {
    let newest = scan(folder, Scope::Project)?.into_iter().next();
    newest.map(|found| found.path).ok_or_else(|| no_sessions(folder))
}

/// Returns the session in `folder` that `query` means: a number of the list, from 1 for the
/// newest, or an id or its beginning.
///
/// # Errors
/// When there is no such session, or more than one; and when the folder cannot be read.
pub fn find(folder: &Path, query: &str) -> Result<PathBuf, SessionError> {
    let found = scan(folder, Scope::Project)?;
    if found.is_empty() {
        return Err(no_sessions(folder));
    }
    let query = query.trim();
    let number = number(query);
    let count = found.len();
    if let Some(chosen) = number.and_then(|number| found.get(number.checked_sub(1)?)) {
        return Ok(chosen.path.clone());
    }
    if number == Some(0) {
        return Err(SessionError::NoSuchNumber { number: 0, count });
    }
    let begins = |found: &&Found| {
        let beginning = found.id.as_str().get(..query.len());
        beginning.is_some_and(|beginning| beginning.eq_ignore_ascii_case(query))
    };
    let meant: Vec<&Found> = found.iter().filter(begins).collect();
    let exact = meant.iter().find(|found| found.id.as_str().len() == query.len());
    match (exact, meant.as_slice(), number) {
        (Some(found), ..) | (None, [found], _) => Ok(found.path.clone()),
        (None, [], Some(number)) => Err(SessionError::NoSuchNumber { number, count }),
        (None, [], None) => Err(SessionError::NoSuchId { query: query.to_owned() }),
        (None, meant, _) => {
            Err(SessionError::AmbiguousId { query: query.to_owned(), count: meant.len() })
        }
    }
}

/// A session's file, before its label is looked up.
pub(super) struct Found {
    pub(super) id: SessionId,
    pub(super) path: PathBuf,
    modified: SystemTime,
}

impl Found {
    fn into_summary(self) -> Summary {
        let label = shown_label(&self.path);
        Summary { id: self.id, path: self.path, modified: self.modified, label }
    }
}

/// Returns a session's label, or what its first user message makes of it.
pub(super) fn shown_label(path: &Path) -> Option<String> {
    read_label(path).or_else(|| head_label(path))
}

/// Returns the number that `query` is. An id that begins with a zero, as those of this century
/// do, is none.
pub(super) fn number(query: &str) -> Option<usize> {
    let is_id = query.len() > 1 && query.starts_with('0');
    let is_digits = query.bytes().all(|byte| byte.is_ascii_digit());
    if is_id || !is_digits { None } else { query.parse().ok() }
}

/// Returns the sessions that `scope` means for the project in `folder`, newest first; of the same
/// time, the one that was made last.
pub(super) fn scan(folder: &Path, scope: Scope) -> Result<Vec<Found>, SessionError> {
    let found = map_in_order(files(folder, scope)?, session_file);
    let mut found: Vec<Found> = found.into_iter().flatten().collect();
    found.sort_unstable_by(|a, b| (b.modified, &b.id).cmp(&(a.modified, &a.id)));
    Ok(found)
}

/// Returns the session that `path` is, if it is one with anything in it.
fn session_file(path: PathBuf) -> Option<Found> {
    if path.extension() != Some(OsStr::new("jsonl")) {
        return None;
    }
    let id = SessionId::from(path.file_stem()?.to_str()?);
    let metadata = std::fs::metadata(&path).ok()?;
    if !metadata.is_file() || metadata.len() == 0 {
        return None;
    }
    let modified = metadata.modified().ok()?;
    Some(Found { id, path, modified })
}

/// Returns the label that the first user message makes, if that is near the beginning.
fn head_label(path: &Path) -> Option<String> {
    let head = File::open(path).ok()?.take(HEAD_LENGTH);
    let mut lines = Lines::with_capacity(FIRST_READ, head);
    while let Some(line) = lines.next_line().ok()? {
        let mut label = None;
        each_record(line, |record, head| {
            if label.is_none() && head.role == Role::User {
                let message =
                    record.bytes.and_then(|bytes| codec::decode_message(head.role, bytes));
                label = message.as_ref().and_then(label_of);
            }
        });
        if label.is_some() {
            return label;
        }
    }
    None
}

fn no_sessions(folder: &Path) -> SessionError {
    SessionError::NoSessions { folder: folder.to_path_buf() }
}

#[cfg(test)]
mod tests;
