//! Newline-delimited JSON framing: bytes in, lines out, without I/O.
//!
//! Owns the cutting of a byte stream at `\n` with a cap on a line's length, for RPC, plugins and
//! session files alike. Must not parse the lines.

use serde::Serialize;

/// The longest line that is taken, in bytes, where a caller names no other.
pub const DEFAULT_LINE_CAP: usize = 64 * 1024 * 1024;

/// Cuts a stream of bytes into lines.
///
/// Feed it with [`push`](Self::push), then call [`next_line`](Self::next_line) until it returns
/// `None`. Blank lines are skipped, a `\r` before the newline is not part of the line.
#[derive(Debug)]
pub struct Decoder {
    buffer: Vec<u8>,
    /// Where the next line begins in `buffer`.
    start: usize,
    /// How far `buffer` was searched for a newline.
    searched: usize,
    cap: usize,
    /// Whether the rest of an over-long line is being dropped.
    skipping: bool,
}

/// Why a line is not given out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum LineError {
    /// The line is longer than the cap; it is skipped up to its newline.
    #[error("the line is longer than {cap} bytes and was skipped")]
    TooLong {
        /// The cap in bytes.
        cap: usize,
    },
}

impl Default for Decoder {
    fn default() -> Self {
        Self::new(DEFAULT_LINE_CAP)
    }
}

impl Decoder {
    /// Returns a decoder that refuses lines of more than `cap` bytes.
    pub fn new(cap: usize) -> Self {
        Self { buffer: Vec::new(), start: 0, searched: 0, cap, skipping: false }
    }

    /// Takes in the next bytes of the stream.
    pub fn push(&mut self, bytes: &[u8]) {
        if self.start > 0 {
            self.buffer.drain(..self.start);
            self.searched -= self.start;
            self.start = 0;
        }
        self.buffer.extend_from_slice(bytes);
    }

    /// Returns the next complete line, without its ending, or `None` when more bytes are needed.
    ///
    /// # Errors
    /// [`LineError::TooLong`], once for each over-long line.
    pub fn next_line(&mut self) -> Option<Result<&[u8], LineError>> {
        loop {
            let unsearched = self.buffer.get(self.searched..).unwrap_or_default();
            let Some(offset) = memchr::memchr(b'\n', unsearched) else {
                self.searched = self.buffer.len();
                if self.skipping {
                    self.forget();
                    return None;
                }
                let unfinished = self.buffer.get(self.start..).unwrap_or_default();
                if without_return(unfinished).len() > self.cap {
                    self.forget();
                    self.skipping = true;
                    return Some(Err(LineError::TooLong { cap: self.cap }));
                }
                return None;
            };
            let end = self.searched + offset;
            let begin = std::mem::replace(&mut self.start, end + 1);
            self.searched = end + 1;
            if std::mem::take(&mut self.skipping) {
                continue;
            }
            // Looked up again to be given out: the borrow checker takes a borrow that is returned
            // from a loop for one of the whole loop.
            let line = without_return(self.buffer.get(begin..end).unwrap_or_default());
            if line.len() > self.cap {
                return Some(Err(LineError::TooLong { cap: self.cap }));
            }
            if line.trim_ascii().is_empty() {
                continue;
            }
            return Some(Ok(without_return(self.buffer.get(begin..end).unwrap_or_default())));
        }
    }

    /// Returns what stands behind the last newline, for a stream that ended without one.
    ///
    /// # Errors
    /// [`LineError::TooLong`] as for a line.
    pub fn finish(&mut self) -> Option<Result<Vec<u8>, LineError>> {
        let rest = self.buffer.get(self.start..).unwrap_or_default().trim_ascii_end().to_vec();
        let skipped = std::mem::take(&mut self.skipping);
        self.forget();
        if skipped || rest.trim_ascii().is_empty() {
            return None;
        }
        Some(if rest.len() > self.cap {
            Err(LineError::TooLong { cap: self.cap })
        } else {
            Ok(rest)
        })
    }

    fn forget(&mut self) {
        self.buffer.clear();
        self.start = 0;
        self.searched = 0;
    }
}

/// Appends `value` as one line to `buffer`.
///
/// # Errors
/// When the value has no JSON form; none of this crate's types has that problem.
pub fn encode_line(value: &impl Serialize, buffer: &mut Vec<u8>) -> Result<(), serde_json::Error> {
    serde_json::to_writer(&mut *buffer, value)?;
    buffer.push(b'\n');
    Ok(())
}

fn without_return(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\r").unwrap_or(line)
}
