//! A session file cut into lines.
//!
//! Owns positions and the bound on a line's length; one buffer serves all lines. Must not know
//! what a line says.

use letscode_wire::DEFAULT_LINE_CAP;
use std::io::{self, BufRead as _, BufReader, Read};

/// The longest line that is read, in bytes: an RPC prompt of the greatest size, and as much
/// again for what is stored around it. Longer ones are damage, such as a tail of zeros.
const LINE_CAP: u64 = 2 * DEFAULT_LINE_CAP as u64;

/// Gives out the lines of a file, one after the other.
pub(super) struct Lines<R> {
    reader: BufReader<R>,
    buffer: Vec<u8>,
    offset: u64,
    number: usize,
    cap: u64,
}

/// One line.
#[derive(Debug)]
pub(super) struct Line<'a> {
    /// Counted from 1.
    pub(super) number: usize,
    /// Where it begins in the file.
    pub(super) offset: u64,
    /// What it holds, without the newline; only the beginning of a line over the cap.
    pub(super) bytes: &'a [u8],
    /// Whether a newline ends it; without one it is the file's last.
    pub(super) terminated: bool,
}

impl<R: Read> Lines<R> {
    pub(super) fn new(source: R) -> Self {
        Self::with_capacity(64 * 1024, source)
    }

    /// Returns the lines of a file of which so many bytes are read at a time.
    pub(super) fn with_capacity(capacity: usize, source: R) -> Self {
        let reader = BufReader::with_capacity(capacity, source);
        Self { reader, buffer: Vec::new(), offset: 0, number: 0, cap: LINE_CAP }
    }

    /// Returns the next line, or `None` at the end.
    pub(super) fn next_line(&mut self) -> io::Result<Option<Line<'_>>> {
        self.buffer.clear();
        let offset = self.offset;
        let taken = (&mut self.reader).take(self.cap).read_until(b'\n', &mut self.buffer)?;
        if taken == 0 {
            return Ok(None);
        }
        self.number += 1;
        self.offset += taken as u64;
        let mut terminated = self.buffer.last() == Some(&b'\n');
        if terminated {
            self.buffer.pop();
        } else if taken as u64 == self.cap {
            self.offset += self.reader.skip_until(b'\n')? as u64;
            terminated = true;
        }
        Ok(Some(Line { number: self.number, offset, bytes: &self.buffer, terminated }))
    }

    /// Returns how many bytes were read so far.
    pub(super) fn offset(&self) -> u64 {
        self.offset
    }
}

#[cfg(test)]
mod tests;
