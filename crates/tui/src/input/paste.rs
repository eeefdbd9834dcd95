//! The text of a paste.
//!
//! Owns what becomes of line ends, escapes and control characters in it, and which bytes look like
//! a paste without marks. Cost is in proportion to the text, whatever it holds.

use crate::keys::{Code, Key};

/// A paste on its way, whose end the terminal will tell.
#[derive(Debug, Default)]
pub(super) struct Paste {
    text: Vec<u8>,
    /// The last line ended with a carriage return: a newline right behind it is part of its end.
    is_behind_return: bool,
    /// Nothing has come for a while.
    pub(super) is_idle: bool,
}

/// Text that came all at once, of which it is not certain that it was pasted.
#[derive(Debug, Default)]
pub(super) struct Held {
    pub(super) bytes: Vec<u8>,
    /// It follows a paste, whose text may have held the mark of its end.
    is_behind_paste: bool,
    /// It is certain: the mark came once more.
    pub(super) is_paste: bool,
}

impl Held {
    /// Returns what follows a paste.
    pub(super) fn behind_paste() -> Self {
        Self { is_behind_paste: true, ..Self::default() }
    }

    /// Returns whether nothing has come yet.
    pub(super) fn is_new(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Returns whether it is taken for a paste.
    pub(super) fn looks_pasted(&self) -> bool {
        let has_line =
            self.bytes.iter().any(is_line_end) && self.bytes.iter().any(|byte| is_visible(*byte));
        self.is_paste || if self.is_behind_paste { has_line } else { is_burst(&self.bytes) }
    }
}

impl Paste {
    /// Adds plain bytes.
    pub(super) fn push(&mut self, plain: &[u8]) {
        for piece in plain.split_inclusive(|byte| *byte == b'\r') {
            let piece = match piece.strip_prefix(b"\n") {
                Some(behind) if self.is_behind_return => behind,
                _ => piece,
            };
            match piece.split_last() {
                Some((b'\r', line)) => {
                    self.text.extend_from_slice(line);
                    self.text.push(b'\n');
                    self.is_behind_return = true;
                }
                _ => {
                    self.text.extend_from_slice(piece);
                    self.is_behind_return = false;
                }
            }
        }
    }

    /// Adds what a terminal within a terminal wrote as a key.
    pub(super) fn push_key(&mut self, key: Key) {
        match (key.code, key.typed()) {
            (Code::Enter, _) => self.push(b"\r"),
            (Code::Tab, _) => self.push(b"\t"),
            (_, Some(character)) => self.push(character.encode_utf8(&mut [0; 4]).as_bytes()),
            (Code::Char('j'), _) if key.modifiers.ctrl => self.push(b"\n"),
            (Code::Char('m'), _) if key.modifiers.ctrl => self.push(b"\r"),
            (Code::Char('i'), _) if key.modifiers.ctrl => self.push(b"\t"),
            _ => {}
        }
    }

    /// Returns the text, without what is no UTF-8 and without control characters.
    pub(super) fn into_text(self) -> String {
        let text = String::from_utf8(self.text)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
        let is_control = |character: char| character.is_control() && !"\n\t".contains(character);
        if text.contains(is_control) { text.replace(is_control, "") } else { text }
    }
}

/// Returns how many bytes from the first on are text: no control characters but tab and line ends.
pub(super) fn plain_length(bytes: &[u8]) -> usize {
    bytes.iter().position(|byte| !is_plain(*byte)).unwrap_or(bytes.len())
}

/// Returns whether a read looks like a paste: nothing but text, with a line end between visible
/// characters. Nobody types that fast; a key that repeats has nothing but itself.
pub(super) fn is_burst(bytes: &[u8]) -> bool {
    let Some(first) = bytes.iter().position(|byte| is_visible(*byte)) else { return false };
    let last = bytes.iter().rposition(|byte| is_visible(*byte)).unwrap_or(first);
    let between = bytes.get(first..last).unwrap_or_default();
    plain_length(bytes) == bytes.len() && between.iter().any(is_line_end)
}

fn is_visible(byte: u8) -> bool {
    !matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

fn is_line_end(byte: &u8) -> bool {
    matches!(byte, b'\r' | b'\n')
}

fn is_plain(byte: u8) -> bool {
    !matches!(byte, 0..=0x1f | 0x7f) || matches!(byte, b'\t' | b'\n' | b'\r')
}
