//! The text of a paste.
//!
//! Owns what becomes of line ends, escapes and control characters in it, and which bytes look like
//! a paste without marks. Cost is in proportion to the text, whatever it holds.

use crate::keys::{Code, Key};

/// A paste on its way.
#[derive(Debug, Default)]
pub(super) struct Paste {
    text: Vec<u8>,
    /// The last line ended with a carriage return: a newline right behind it is part of its end.
    is_behind_return: bool,
    /// The terminal told where it begins, and will tell where it ends.
    pub(super) is_marked: bool,
    /// Nothing has come for a while.
    pub(super) is_idle: bool,
}

impl Paste {
    /// Returns an empty one that the terminal announced.
    pub(super) fn marked() -> Self {
        Self { is_marked: true, ..Self::default() }
    }

    /// Returns an empty one that only looks like it.
    pub(super) fn guessed() -> Self {
        Self::default()
    }

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
    let is_visible = |byte: &u8| !matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
    let is_end = |byte: &u8| matches!(byte, b'\r' | b'\n');
    let Some(first) = bytes.iter().position(is_visible) else { return false };
    let last = bytes.iter().rposition(is_visible).unwrap_or(first);
    let between = bytes.get(first..last).unwrap_or_default();
    plain_length(bytes) == bytes.len() && between.iter().any(is_end)
}

fn is_plain(byte: u8) -> bool {
    !matches!(byte, 0..=0x1f | 0x7f) || matches!(byte, b'\t' | b'\n' | b'\r')
}
