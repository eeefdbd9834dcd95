//! What is kept of a command's output: its end in memory, all of it in a file once it is long.
//!
//! Owns the bounds: of the text in memory, of a line, of the file. Must not word any result.

use super::clean::Cleaner;
use crate::env::{ExecutionEnv, FileError, FileWriter};
use crate::tools::truncate::{MAX_BYTES, MAX_LINES, Tail, tail};
use memchr::memchr_iter;
use std::path::{Path, PathBuf};

/// More text than this is not held in memory; a multiple of what is kept, so that it is moved
/// out in large pieces.
const WINDOW_LIMIT: usize = 512 * 1024;
/// How much stays in memory then: more than the model is shown.
const WINDOW_KEPT: usize = 64 * 1024;
/// A file that has reached this size gets no more.
const FILE_LIMIT: u64 = 256 * 1024 * 1024;
/// The most that one update shows.
const PREVIEW_LINES: usize = 100;
const PREVIEW_BYTES: usize = 4 * 1024;

/// The output of one command.
#[derive(Debug, Default)]
pub(super) struct Output {
    cleaner: Cleaner,
    /// What has left the window.
    moved_bytes: u64,
    moved_lines: u64,
}

impl Output {
    /// Adds a piece. Returns the oldest text when there is too much of it.
    pub(super) fn push(&mut self, piece: &[u8]) -> Option<String> {
        self.cleaner.push(piece);
        if self.cleaner.text().len() <= WINDOW_LIMIT {
            return None;
        }
        let moved = self.cleaner.take_front(WINDOW_KEPT);
        self.moved_bytes += moved.len() as u64;
        self.moved_lines += memchr_iter(b'\n', moved.as_bytes()).count() as u64;
        Some(moved)
    }

    /// Ends the output.
    pub(super) fn finish(&mut self) {
        self.cleaner.finish();
    }

    /// Returns what the model is shown: the end.
    pub(super) fn shown(&self) -> Tail<'_> {
        tail(self.window(), MAX_LINES, MAX_BYTES)
    }

    /// Returns what an update shows.
    pub(super) fn preview(&self) -> &str {
        tail(self.window(), PREVIEW_LINES, PREVIEW_BYTES).text
    }

    /// Returns the text that has not been moved out.
    pub(super) fn window(&self) -> &str {
        self.cleaner.text()
    }

    /// Returns how long all of it is.
    pub(super) fn total_bytes(&self) -> u64 {
        self.moved_bytes + self.window().len() as u64
    }

    /// Returns how many lines all of it has.
    pub(super) fn total_lines(&self) -> u64 {
        let window = self.window();
        let closed = memchr_iter(b'\n', window.as_bytes()).count() as u64;
        let open = !window.is_empty() && !window.ends_with('\n');
        self.moved_lines + closed + u64::from(open)
    }
}

/// The file that takes the whole of a long output.
pub(super) struct Spill<'a> {
    env: &'a dyn ExecutionEnv,
    file: Option<Box<dyn FileWriter>>,
    written: u64,
    state: SpillState,
}

/// How much of the output the file holds.
#[derive(Debug, Clone, PartialEq, Eq)]
enum SpillState {
    /// All that came so far.
    Whole,
    /// What came before it reached its limit.
    Full,
    /// What came before this.
    Failed(String),
}

/// What became of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SpillReport {
    /// The file, if there is one.
    pub(super) path: Option<PathBuf>,
    /// Why it does not hold everything, where it does not.
    pub(super) shortfall: Option<String>,
}

impl<'a> Spill<'a> {
    pub(super) fn new(env: &'a dyn ExecutionEnv) -> Self {
        Self { env, file: None, written: 0, state: SpillState::Whole }
    }

    /// Adds to the file; creates it first. What fails once is not tried again.
    pub(super) async fn append(&mut self, text: String) {
        if self.state != SpillState::Whole {
            return;
        }
        if self.written >= FILE_LIMIT {
            self.state = SpillState::Full;
        } else if let Err(error) = self.write(text).await {
            self.state = SpillState::Failed(error.to_string());
        }
    }

    pub(super) fn report(&self) -> SpillReport {
        SpillReport {
            path: self.file.as_deref().map(FileWriter::path).map(Path::to_owned),
            shortfall: match &self.state {
                SpillState::Whole => None,
                SpillState::Full => Some(format!("it ends after {}", size(self.written))),
                SpillState::Failed(error) => Some(error.clone()),
            },
        }
    }

    async fn write(&mut self, text: String) -> Result<(), FileError> {
        let file = match &mut self.file {
            Some(file) => file,
            None => self.file.insert(self.env.create_temp_file(".log").await?),
        };
        self.written += text.len() as u64;
        file.append(text.into_bytes()).await
    }
}

/// Returns a number of bytes for people.
pub(super) fn size(bytes: u64) -> String {
    match bytes {
        0..1024 => format!("{bytes} bytes"),
        1024..1_048_576 => format!("{} KB", bytes / 1024),
        _ => format!("{} MB", bytes / 1_048_576),
    }
}
