//! Loading a session: from a file to what the model last saw.
//!
//! Owns the two passes. The first finds the places and links of all entries, the second reads
//! only the messages that still count. Must not change anything.
#![expect(clippy::disallowed_methods, reason = "this file reads sessions from disk")]

use super::SessionError;
use super::codec::{self, Role};
use super::index::{Entry, Index};
use super::label::{label_of, read_label};
use super::lines::Lines;
use super::records::{Span, Tail};
use super::replay::replay;
use letscode_wire::{EntryId, SessionId, Transcript};
use std::fs::File;
use std::io::{self, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// How many numbers of broken lines a warning names.
const NAMED_LINES: usize = 10;

/// A session as it was on disk.
#[derive(Debug)]
pub struct Loaded {
    /// The session's id.
    pub id: SessionId,
    /// Its file.
    pub path: PathBuf,
    /// What the model last saw: compacted messages are replaced by their `compaction` message,
    /// and `model_change` and `reset` entries are left out.
    pub transcript: Transcript,
    /// The model that was switched to last.
    pub model: Option<String>,
    /// The last entry of the active branch, which the next one follows.
    pub last_id: Option<EntryId>,
    /// The session's label, or what its first user message would make of it.
    pub label: Option<String>,
    /// What could not be read, a line each.
    pub warnings: Vec<String>,
    /// Where the entries of the active branch are, those that no longer count included.
    pub(super) branch: Vec<Span>,
    /// What a crash left behind the last entry.
    pub(super) tail: Option<Tail>,
    /// The file's length.
    pub(super) length: u64,
}

/// Reads a session. Blocks on the disk; a file of any size needs memory for what still counts.
///
/// # Errors
/// When the file cannot be read. Damage within it is skipped with a warning.
pub fn load(path: &Path) -> Result<Loaded, SessionError> {
    load_branch(path, None)
}

/// Reads a session as it would be if its branch ended with the entry of that number, counted
/// from 1. Blocks on the disk.
///
/// # Errors
/// [`SessionError::NoSuchEntry`], and those of [`load`].
pub(super) fn load_until(path: &Path, entry: usize) -> Result<Loaded, SessionError> {
    load_branch(path, Some(entry))
}

fn load_branch(path: &Path, until: Option<usize>) -> Result<Loaded, SessionError> {
    let read_error = || SessionError::io("read", path);
    let file = open_regular(path)?;
    let mut index = Index::read(&mut Lines::new(&file)).map_err(read_error())?;
    let branch = match until {
        None => index.branch(),
        Some(number) => {
            let count = index.entries.len();
            let last = number.checked_sub(1).filter(|last| *last < count);
            let last = last.ok_or(SessionError::NoSuchEntry { number, count })?;
            index.branch_to(Some(last))
        }
    };
    let replay = replay(&index.entries, &branch);

    let entry_at = |position: &usize| index.entries.get(*position);
    let mut reader = SpanReader::new(&file).map_err(read_error())?;
    let mut transcript = Transcript::with_capacity(replay.kept.len());
    for entry in replay.kept.iter().filter_map(entry_at) {
        let record = reader.read(entry.span).map_err(read_error())?;
        match codec::decode_message(entry.role, record) {
            Some(message) => transcript.push(Arc::new(message)),
            None => index.broken.push(entry.span.line as usize),
        }
    }
    let last_id = match (until, branch.last().and_then(entry_at)) {
        (Some(_), Some(last)) => {
            let record = reader.read(last.span).map_err(read_error())?;
            codec::decode_head(record).map(|head| head.id)
        }
        _ => index.last_id.take(),
    };
    let label = match read_label(path) {
        Some(label) => Some(label),
        None => first_label(&mut reader, &index.entries, &branch).map_err(read_error())?,
    };
    Ok(Loaded {
        id: SessionId::from(path.file_stem().unwrap_or_default().to_string_lossy().as_ref()),
        path: path.to_path_buf(),
        transcript,
        model: replay.model,
        label,
        warnings: warnings(
            path,
            &mut index.broken,
            index.tail,
            index.orphans,
            replay.has_unclear_compaction,
        ),
        branch: branch.iter().filter_map(entry_at).map(|entry| entry.span).collect(),
        last_id,
        tail: index.tail,
        length: index.length,
    })
}

/// Opens a session's file for reading. Anything but a regular file is refused unopened, because
/// opening a FIFO would wait for ever.
pub(super) fn open_regular(path: &Path) -> Result<File, SessionError> {
    let metadata = std::fs::metadata(path).map_err(SessionError::io("read", path))?;
    if !metadata.is_file() {
        return Err(SessionError::NotRegular { path: path.to_path_buf() });
    }
    File::open(path).map_err(SessionError::io("read", path))
}

/// Reads records at known places; cheapest when they follow each other.
pub(super) struct SpanReader<'a> {
    reader: BufReader<&'a File>,
    offset: u64,
    buffer: Vec<u8>,
}

impl<'a> SpanReader<'a> {
    pub(super) fn new(file: &'a File) -> io::Result<Self> {
        let mut file = file;
        io::Seek::rewind(&mut file)?;
        let reader = BufReader::with_capacity(64 * 1024, file);
        Ok(Self { reader, offset: 0, buffer: Vec::new() })
    }

    /// Returns the record at `span`; less of it, if the file has shrunk since.
    pub(super) fn read(&mut self, span: Span) -> io::Result<&[u8]> {
        let distance = span.offset.wrapping_sub(self.offset).cast_signed();
        self.reader.seek_relative(distance)?;
        self.buffer.clear();
        let length = u64::from(span.length);
        let taken = (&mut self.reader).take(length).read_to_end(&mut self.buffer)?;
        self.offset = span.offset + taken as u64;
        Ok(&self.buffer)
    }
}

fn first_label(
    reader: &mut SpanReader<'_>,
    entries: &[Entry],
    branch: &[usize],
) -> io::Result<Option<String>> {
    let users = branch
        .iter()
        .filter_map(|position| entries.get(*position))
        .filter(|entry| entry.role == Role::User);
    for entry in users {
        let message = codec::decode_message(entry.role, reader.read(entry.span)?);
        if let Some(label) = message.as_ref().and_then(label_of) {
            return Ok(Some(label));
        }
    }
    Ok(None)
}

fn warnings(
    path: &Path,
    broken: &mut [usize],
    tail: Option<Tail>,
    orphans: usize,
    has_unclear_compaction: bool,
) -> Vec<String> {
    let path = path.display();
    let mut warnings = Vec::new();
    if !broken.is_empty() {
        broken.sort_unstable();
        let named: Vec<String> = broken.iter().take(NAMED_LINES).map(ToString::to_string).collect();
        let named = named.join(", ");
        let more = match broken.len().saturating_sub(NAMED_LINES) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        warnings.push(format!("skipped what cannot be read in {path}: line {named}{more}"));
    }
    if tail.is_some() {
        warnings.push(format!("the last line of {path} is unfinished and was left out"));
    }
    // What was on a broken line is missed by those behind it: that was told.
    if orphans > 0 && broken.is_empty() {
        let (subject, verb) = match orphans {
            1 => ("a message".to_owned(), "follows"),
            count => (format!("{count} messages"), "follow"),
        };
        warnings
            .push(format!("{path}: {subject} {verb} one that is not there: something was cut out"));
    }
    if has_unclear_compaction {
        let text = "a compaction does not say what it replaces, so older messages were kept too";
        warnings.push(format!("{path}: {text}"));
    }
    warnings
}

#[cfg(test)]
mod tests;
