//! A session file cut into lines.
//!
//! Owns positions and the bounds on a line's length and on what is held of it; one buffer serves
//! all lines. Must not know what a line says.

use super::codec::Head;
use super::codec::peek::begin;
use letscode_wire::DEFAULT_LINE_CAP;
use std::io::{self, BufRead as _, BufReader, Read, Seek, SeekFrom};

/// The longest line that is read, in bytes: an RPC prompt of the greatest size, and as much
/// again for what is stored around it. Longer ones are damage, such as a tail of zeros.
const LINE_CAP: u64 = 2 * DEFAULT_LINE_CAP as u64;

/// The longest line that is held whatever it says. Of a longer one only the beginning is, if that
/// tells its place and the rest is a body like any other.
const HELD_LENGTH: u64 = 1024 * 1024;

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
    /// What it holds, without the newline; only the beginning of a line over the cap, and of one
    /// that is walked over.
    pub(super) bytes: &'a [u8],
    /// What the line says about its place, if it is a record that was walked over.
    pub(super) walked: Option<Walked>,
    /// Whether a newline ends it; without one it is the file's last.
    pub(super) terminated: bool,
}

/// A record that is too long to be held.
#[derive(Debug)]
pub(super) struct Walked {
    pub(super) head: Head,
    /// The length of the record, in bytes.
    pub(super) length: u64,
}

impl<R: Read + Seek> Lines<R> {
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
        let (offset, number) = (self.offset, self.number + 1);
        let held = self.cap.min(HELD_LENGTH);
        let mut taken = self.hold(held)?;
        if taken == 0 {
            return Ok(None);
        }
        self.number = number;
        if taken == held && held < self.cap && self.buffer.last() != Some(&b'\n') {
            if let Some((walked, terminated)) = self.walk_over()? {
                let bytes = &self.buffer;
                return Ok(Some(Line { number, offset, bytes, walked, terminated }));
            }
            taken += self.hold(self.cap - held)?;
        }
        self.offset += taken;
        let mut terminated = self.buffer.last() == Some(&b'\n');
        if terminated {
            self.buffer.pop();
        } else if taken == self.cap {
            self.offset += self.reader.skip_until(b'\n')? as u64;
            terminated = true;
        }
        Ok(Some(Line { number, offset, bytes: &self.buffer, walked: None, terminated }))
    }

    /// Reads to the end of the line or as far as `most` bytes, and returns how many there were.
    fn hold(&mut self, most: u64) -> io::Result<u64> {
        let taken = (&mut self.reader).take(most).read_until(b'\n', &mut self.buffer)?;
        Ok(taken as u64)
    }

    /// Reads to the end of the line, whose beginning is held, without holding more. Returns what
    /// it is, unless it is over the cap, and whether a newline ends it. If only holding it can
    /// tell, there is no result and nothing is read.
    fn walk_over(&mut self) -> io::Result<Option<(Option<Walked>, bool)>> {
        let Some((head, mut walk)) = begin(&self.buffer) else { return Ok(None) };
        let mut length = self.buffer.len() as u64;
        let terminated = loop {
            let chunk = self.reader.fill_buf()?;
            let end = memchr::memchr(b'\n', chunk);
            let part = chunk.get(..end.unwrap_or(chunk.len())).unwrap_or_default();
            walk.over(part);
            let taken = part.len();
            length += taken as u64;
            self.reader.consume(taken + usize::from(end.is_some()));
            if end.is_some() || taken == 0 || walk.is_lost() {
                break end.is_some();
            }
        };
        if !walk.is_at_end() {
            self.reader.seek(SeekFrom::Start(self.offset + self.buffer.len() as u64))?;
            return Ok(None);
        }
        self.offset += length + u64::from(terminated);
        let walked = (length <= self.cap).then_some(Walked { head, length });
        let is_over_cap = walked.is_none();
        Ok(Some((walked, terminated || is_over_cap)))
    }

    /// Returns how many bytes were read so far.
    pub(super) fn offset(&self) -> u64 {
        self.offset
    }
}

#[cfg(test)]
mod tests;
