//! The window of a file that one call shows.
//!
//! Owns the limits on lines, bytes and line length, and the numbering. Takes the file in pieces
//! and keeps only what is shown, however large the file or a line of it. Must not read files.

use std::fmt::Write as _;
use std::str;

/// The most lines that one call shows.
pub(super) const LINE_LIMIT: u64 = 2_000;
/// The most bytes that one call shows, line numbers included.
pub(super) const BYTE_LIMIT: usize = 50 * 1024;
/// The most characters of a line that are shown.
pub(super) const CHARACTER_LIMIT: usize = 2_000;

/// No character of UTF-8 is longer.
const LONGEST_CHARACTER: usize = 4;

/// Collects the lines of a window.
pub(super) struct Window {
    first_line: u64,
    end_line: u64,
    text: String,
    lines: u64,
    cut_lines: u64,
    fault: Option<BadByte>,
    is_full: bool,
    line: Line,
}

/// The line that is being read.
#[derive(Default)]
struct Line {
    number: u64,
    start: u64,
    length: u64,
    kept: Vec<u8>,
}

/// What a window holds in the end.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct View {
    /// The numbered lines, without a newline after the last.
    pub(super) text: String,
    /// How many lines that is.
    pub(super) lines: u64,
    /// How many of them are cut.
    pub(super) cut_lines: u64,
    /// How many lines were read; the file's number where it was read to its end.
    pub(super) lines_read: u64,
    /// A byte, in a line of the window, that is not UTF-8.
    pub(super) fault: Option<BadByte>,
}

/// A byte that is not UTF-8.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct BadByte {
    /// Its value.
    pub(super) byte: u8,
    /// Its place in the text.
    pub(super) offset: u64,
    /// Its line, from 1.
    pub(super) line: u64,
}

impl Window {
    /// Returns a window from line `offset`, counted from 0, of at most `limit` lines.
    pub(super) fn new(offset: u64, limit: u64) -> Self {
        Self {
            first_line: offset,
            end_line: offset.saturating_add(limit.min(LINE_LIMIT)),
            text: String::new(),
            lines: 0,
            cut_lines: 0,
            fault: None,
            is_full: false,
            line: Line::default(),
        }
    }

    /// Takes the next piece of the file.
    pub(super) fn push(&mut self, piece: &[u8]) {
        let mut rest = piece;
        while !rest.is_empty() {
            if self.is_past_end() {
                self.count(rest);
                return;
            }
            let newline = memchr::memchr(b'\n', rest);
            let (content, tail) = rest.split_at(newline.unwrap_or(rest.len()));
            self.extend_line(content);
            if let Some((_, tail)) = tail.split_first() {
                self.end_line(LineEnd::Newline);
                rest = tail;
            } else {
                return;
            }
        }
    }

    /// Returns whether the rest of the file cannot change the window. In a huge file a line that
    /// is cut anyway need not be followed to its end.
    pub(super) fn has_all(&self) -> bool {
        self.is_past_end() || (self.line.number >= self.first_line && self.line.is_overlong())
    }

    /// Returns the window at the end of the file, or where reading stopped.
    pub(super) fn finish(mut self) -> View {
        if self.line.length > 0 {
            self.end_line(LineEnd::None);
        }
        View {
            text: self.text,
            lines: self.lines,
            cut_lines: self.cut_lines,
            lines_read: self.line.number,
            fault: self.fault,
        }
    }

    fn is_past_end(&self) -> bool {
        self.is_full || self.line.number >= self.end_line
    }

    /// Counts the lines of a piece of which nothing is shown.
    fn count(&mut self, piece: &[u8]) {
        let newlines = memchr::memchr_iter(b'\n', piece).count() as u64;
        self.line.number += newlines;
        let open = memchr::memrchr(b'\n', piece).map_or(piece.len(), |last| piece.len() - last - 1);
        if newlines > 0 {
            self.line.length = 0;
        }
        self.line.length += open as u64;
    }

    fn extend_line(&mut self, content: &[u8]) {
        if self.line.number >= self.first_line {
            let room = CHARACTER_LIMIT * LONGEST_CHARACTER + 1;
            let kept = content.len().min(room.saturating_sub(self.line.kept.len()));
            self.line.kept.extend(content.iter().take(kept));
        }
        self.line.length += content.len() as u64;
    }

    fn end_line(&mut self, end: LineEnd) {
        if self.line.number >= self.first_line && !self.is_past_end() {
            self.show_line(end);
        }
        self.line.start += self.line.length + u64::from(end == LineEnd::Newline);
        self.line.number += 1;
        self.line.length = 0;
        self.line.kept.clear();
    }

    fn show_line(&mut self, end: LineEnd) {
        let is_overlong = self.line.is_overlong();
        let mut kept = self.line.kept.as_slice();
        if end == LineEnd::Newline && !is_overlong {
            kept = kept.strip_suffix(b"\r").unwrap_or(kept);
        }
        let (content, fault) = decoded(kept);
        let cut = content.char_indices().nth(CHARACTER_LIMIT).map(|(cut, _)| cut);
        let shown = cut.and_then(|cut| content.get(..cut)).unwrap_or(content);
        let is_cut = is_overlong || shown.len() < kept.len();

        let before = self.text.len();
        if self.lines > 0 {
            self.text.push('\n');
        }
        // Writing to a string cannot fail.
        let _ = write!(self.text, "{:6}\t", self.line.number + 1);
        // Some endpoints refuse a NUL in a message.
        self.text.extend(shown.chars().map(|shown| if shown == '\0' { '␀' } else { shown }));
        if is_cut {
            let _ = write!(
                self.text,
                "… [cut: {CHARACTER_LIMIT} characters shown of {} bytes read]",
                self.line.length
            );
        }
        if self.text.len() > BYTE_LIMIT && self.lines > 0 {
            self.text.truncate(before);
            self.is_full = true;
            return;
        }
        self.lines += 1;
        self.cut_lines += u64::from(is_cut);
        if let Some(byte) = fault.filter(|_| cut.is_none() && !is_past_cut(content)) {
            self.fault = self.fault.or(Some(BadByte {
                byte,
                offset: self.line.start + content.len() as u64,
                line: self.line.number + 1,
            }));
        }
    }
}

impl Line {
    /// Returns whether more was read of the line than is kept of it.
    fn is_overlong(&self) -> bool {
        self.length > self.kept.len() as u64
    }
}

/// Returns the part of `bytes` that is UTF-8, and the byte that ends it.
fn decoded(bytes: &[u8]) -> (&str, Option<u8>) {
    let valid = match str::from_utf8(bytes) {
        Ok(content) => return (content, None),
        Err(error) => error.valid_up_to(),
    };
    let content = bytes.get(..valid).and_then(|bytes| str::from_utf8(bytes).ok());
    (content.unwrap_or_default(), bytes.get(valid).copied())
}

/// Returns whether what follows `content` is not shown. A character that the limit on what is
/// kept has cut in two always is.
fn is_past_cut(content: &str) -> bool {
    content.chars().nth(CHARACTER_LIMIT - 1).is_some()
}

/// What ends a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LineEnd {
    Newline,
    None,
}

#[cfg(test)]
mod tests;
