//! What the user typed in earlier prompts, of whatever session: `~/.letscode/history`.
//!
//! Owns the form of that file, which other line editors know too: a blank line, a line with `#`
//! and the time, then the lines of the entry with `+` before each. Must not keep anything that
//! holds a key: who adds masks first.
#![expect(clippy::disallowed_methods, reason = "this file reads and writes the prompt history")]

#[cfg(test)]
mod tests;

use crate::files::create_private_directory;
use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

/// How much of the file's end is read, in bytes.
const TAIL: u64 = 1024 * 1024;

/// A longer entry is not kept, in bytes: it would push all others out of what is read.
const LONGEST_ENTRY: usize = 64 * 1024;

/// The file of earlier prompts.
#[derive(Debug, Clone)]
pub(crate) struct PromptHistory {
    path: PathBuf,
}

impl PromptHistory {
    /// Returns the history in a file, which need not exist.
    pub(crate) fn new(path: PathBuf) -> Self {
        Self { path }
    }

    /// Returns at most `limit` entries, newest first, without repeats in a row. Of a large file
    /// only the end is looked at.
    ///
    /// # Errors
    /// When something is there that cannot be read.
    pub(crate) fn newest(&self, limit: usize) -> io::Result<Vec<String>> {
        let Some(mut file) = self.open()? else { return Ok(Vec::new()) };
        let start = file.metadata()?.len().saturating_sub(TAIL);
        file.seek(SeekFrom::Start(start))?;
        let mut bytes = Vec::new();
        file.take(TAIL).read_to_end(&mut bytes)?;
        let mut entries = entries(if start == 0 { &bytes } else { behind_cut(&bytes) });
        entries.dedup();
        entries.reverse();
        entries.truncate(limit);
        Ok(entries)
    }

    /// Keeps an entry. One without a word, an overlong one, or the same as the newest one is not
    /// kept.
    ///
    /// # Errors
    /// When the file cannot be read or written.
    pub(crate) fn add(&self, text: &str, time: &str) -> io::Result<()> {
        let is_kept = !text.trim().is_empty() && text.len() <= LONGEST_ENTRY;
        if !is_kept || self.newest(1)?.first().is_some_and(|newest| newest == text) {
            return Ok(());
        }
        create_private_directory(self.path.parent().unwrap_or(Path::new(".")))?;
        let mut options = OpenOptions::new();
        options.append(true).create(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut entry = format!("\n# {time}\n");
        for line in text.split('\n') {
            entry.extend(["+", line, "\n"]);
        }
        // In one call, so that what another process adds at the same time stays apart.
        options.open(&self.path)?.write_all(entry.as_bytes())
    }

    /// Opens the file, where there is one.
    fn open(&self) -> io::Result<Option<File>> {
        // Looked at before it is opened: opening a FIFO would wait for a writer.
        match self.path.metadata() {
            Ok(metadata) if metadata.is_file() => File::open(&self.path).map(Some),
            Ok(_) => Err(io::Error::other("it is not a regular file")),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// Returns what stands behind the entry that a cut at the beginning has left incomplete.
fn behind_cut(bytes: &[u8]) -> &[u8] {
    let mut rest = bytes;
    loop {
        let Some(end) = rest.iter().position(|byte| *byte == b'\n') else { return &[] };
        rest = rest.get(end + 1..).unwrap_or_default();
        if !rest.starts_with(b"+") {
            return rest;
        }
    }
}

/// Returns the entries in the order of the file. Bytes that are no UTF-8 are replaced.
fn entries(bytes: &[u8]) -> Vec<String> {
    let mut entries = Vec::new();
    let mut lines: Vec<&[u8]> = Vec::new();
    for line in bytes.split(|byte| *byte == b'\n').chain([&b""[..]]) {
        if let Some(line) = line.strip_prefix(b"+") {
            lines.push(line);
        } else if !lines.is_empty() {
            let entry = String::from_utf8_lossy(&lines.join(&b'\n')).into_owned();
            entries.extend(Some(entry).filter(|entry| !entry.is_empty()));
            lines.clear();
        }
    }
    entries
}
