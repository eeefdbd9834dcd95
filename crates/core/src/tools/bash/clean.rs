//! Makes a command's output plain text: what a reader of the screen would be left with.
//!
//! Owns the state over pieces: escape sequences that are under way, characters cut in two, and
//! the line that a carriage return or a backspace may still change. Works in time proportional
//! to the input. Must not cut anything for its length.

use memchr::{memchr_iter, memrchr};

const ESCAPE: u8 = 0x1b;
const BELL: u8 = 0x07;
/// The second byte of the UTF-8 form of a C1 control is the control itself; this is the first.
const C1_LEAD: u8 = 0xc2;

/// Turns bytes into text, piece by piece.
#[derive(Debug, Default)]
pub(super) struct Cleaner {
    text: String,
    /// Where the last line begins in `text`, or what is left of it.
    line_start: usize,
    state: State,
    pending: Pending,
    /// The beginning of a character whose end is in the next piece.
    partial: Vec<u8>,
}

/// Where in an escape sequence the input is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum State {
    /// In none.
    #[default]
    Text,
    /// Behind an escape character.
    Escape,
    /// Behind an escape character and some of `0x20..=0x2f`.
    EscapeIntermediate,
    /// In a control sequence (colours, movement).
    ControlSequence,
    /// In a string for the terminal (title, link, picture), behind this byte.
    TerminalString(u8),
}

/// What the next character does to the line. Done late: at the end of a line, or of all output,
/// the last state stays.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Pending {
    #[default]
    Nothing,
    /// Begins the line anew.
    Restart,
    /// Replaces so many characters.
    Replace(usize),
}

impl Cleaner {
    /// Returns the text so far, less what was taken.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Takes the front of the text out, all but about `keep` bytes.
    pub(super) fn take_front(&mut self, keep: usize) -> String {
        let mut cut = self.text.len().saturating_sub(keep);
        while !self.text.is_char_boundary(cut) {
            cut += 1;
        }
        let kept = self.text.split_off(cut);
        self.line_start = self.line_start.saturating_sub(cut);
        std::mem::replace(&mut self.text, kept)
    }

    /// Adds the next piece of output.
    pub(super) fn push(&mut self, piece: &[u8]) {
        if self.partial.is_empty() {
            self.advance(piece);
        } else {
            let mut joined = std::mem::take(&mut self.partial);
            joined.extend_from_slice(piece);
            self.advance(&joined);
        }
    }

    /// Ends the output: a character that was cut off is shown as such.
    pub(super) fn finish(&mut self) {
        if !std::mem::take(&mut self.partial).is_empty() {
            self.add(char::REPLACEMENT_CHARACTER.encode_utf8(&mut [0; 4]));
        }
    }

    fn advance(&mut self, mut rest: &[u8]) {
        while let Some(&byte) = rest.first() {
            let used = match self.state {
                State::Text => self.advance_text(rest),
                state => self.advance_sequence(state, byte),
            };
            rest = rest.get(used..).unwrap_or_default();
        }
    }

    /// Takes the text at the front of `rest`, or the control character there.
    fn advance_text(&mut self, rest: &[u8]) -> usize {
        let (text, behind) = rest.split_at(text_length(rest));
        if text.is_empty() {
            let (byte, length) = match rest {
                [C1_LEAD, byte, ..] => (*byte, 2),
                [byte, ..] => (*byte, 1),
                [] => return 0,
            };
            self.control(byte);
            return length;
        }
        self.add_bytes(text, behind.is_empty());
        text.len()
    }

    /// Adds bytes without controls; what is no UTF-8 is shown as such.
    fn add_bytes(&mut self, bytes: &[u8], may_go_on: bool) {
        if let Ok(text) = std::str::from_utf8(bytes) {
            return self.add(text);
        }
        let mut chunks = bytes.utf8_chunks().peekable();
        while let Some(chunk) = chunks.next() {
            self.add(chunk.valid());
            let invalid = chunk.invalid();
            if may_go_on && chunks.peek().is_none() && is_cut_off(invalid) {
                self.partial = invalid.to_vec();
            } else if !invalid.is_empty() {
                self.add(char::REPLACEMENT_CHARACTER.encode_utf8(&mut [0; 4]));
            }
        }
    }

    /// Adds text whose only controls are newlines and tabs.
    fn add(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        match std::mem::take(&mut self.pending) {
            Pending::Restart if !text.starts_with('\n') => self.text.truncate(self.line_start),
            Pending::Replace(count) if !text.starts_with('\n') => {
                let line = self.text.get(self.line_start..).unwrap_or_default();
                let kept = line.char_indices().nth_back(count - 1).map_or(0, |(at, _)| at);
                self.text.truncate(self.line_start + kept);
            }
            Pending::Nothing | Pending::Restart | Pending::Replace(_) => {}
        }
        let length = self.text.len();
        self.text.push_str(text);
        if let Some(at) = memrchr(b'\n', text.as_bytes()) {
            self.line_start = length + at + 1;
        }
    }

    fn control(&mut self, byte: u8) {
        match byte {
            b'\r' => self.pending = Pending::Restart,
            0x08 => {
                self.pending = match self.pending {
                    Pending::Nothing => Pending::Replace(1),
                    Pending::Replace(count) => Pending::Replace(count.saturating_add(1)),
                    Pending::Restart => Pending::Restart,
                }
            }
            ESCAPE => self.state = State::Escape,
            // The bell and the shifts between character sets leave nothing to see.
            BELL | 0x0e | 0x0f => {}
            0x00..=0x1f => self.add_picture(0x2400 + u32::from(byte)),
            0x7f => self.add_picture(0x2421),
            // A C1 control is what an escape and a letter are together.
            0x80..=0x9f => self.state = after_escape(byte - 0x40),
            _ => {}
        }
    }

    /// Shows a control character by its picture, so that what it parts stays parted.
    fn add_picture(&mut self, code: u32) {
        let picture = char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
        self.add(picture.encode_utf8(&mut [0; 4]));
    }

    /// Takes one byte of an escape sequence; 0 when the byte ends it but is none of it.
    fn advance_sequence(&mut self, state: State, byte: u8) -> usize {
        let (next, used) = match (state, byte) {
            // An end that is missing must not swallow the rest of the output.
            (State::TerminalString(_), b'\n') => (State::Text, 0),
            (State::TerminalString(_), BELL | 0x18 | 0x1a)
            | (State::TerminalString(ESCAPE), b'\\')
            | (State::TerminalString(C1_LEAD), 0x9c) => (State::Text, 1),
            (State::TerminalString(ESCAPE), _) => (State::Escape, 0),
            (State::TerminalString(_), _) => (State::TerminalString(byte), 1),
            (State::Escape, 0x30..=0x7e) => (after_escape(byte), 1),
            (State::Escape | State::EscapeIntermediate, 0x20..=0x2f) => {
                (State::EscapeIntermediate, 1)
            }
            (State::EscapeIntermediate, 0x30..=0x7e) => (State::Text, 1),
            (State::ControlSequence, 0x20..=0x3f) => (State::ControlSequence, 1),
            (State::ControlSequence, 0x40..=0x7e) => (State::Text, 1),
            (
                State::Escape | State::EscapeIntermediate | State::ControlSequence | State::Text,
                _,
            ) => (State::Text, 0),
        };
        self.state = next;
        used
    }
}

/// Returns what follows an escape character and this byte.
fn after_escape(byte: u8) -> State {
    match byte {
        b'[' => State::ControlSequence,
        b']' | b'P' | b'X' | b'^' | b'_' => State::TerminalString(0),
        _ => State::Text,
    }
}

/// Returns how many bytes at the front are neither control characters, newline and tab apart,
/// nor C1 controls.
fn text_length(bytes: &[u8]) -> usize {
    let mut length = 0;
    // Block by block, because the compiler makes wide instructions of it.
    for block in bytes.chunks(64) {
        if block.iter().fold(false, |found, byte| found | is_control(*byte)) {
            length += block.iter().position(|byte| is_control(*byte)).unwrap_or_default();
            break;
        }
        length += block.len();
    }
    let text = bytes.get(..length).unwrap_or_default();
    let is_c1 = |at: &usize| matches!(text.get(at + 1), Some(0x80..=0x9f));
    memchr_iter(C1_LEAD, text).find(is_c1).unwrap_or(length)
}

fn is_control(byte: u8) -> bool {
    (byte < 0x20 && byte != b'\n' && byte != b'\t') || byte == 0x7f
}

/// Returns whether `bytes` may be the beginning of a character.
fn is_cut_off(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_err_and(|error| error.error_len().is_none())
}

#[cfg(test)]
mod tests;
