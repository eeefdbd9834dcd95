//! A text of one line, as filters and questions take it.
//!
//! Owns its text and its one row. Must not know what the text is for.

use super::buffer::Buffer;
use super::edit;
use super::kill_ring::KillRing;
use super::units::clean;
use crate::keymap::{Action, Context, Found, Keymap};
use crate::keys::Key;
use crate::text::{Line, Span, Style, sanitize, width};

/// A line that is being typed.
#[derive(Debug, Clone, Default)]
pub(crate) struct Field {
    buffer: Buffer,
    kill_ring: KillRing,
}

impl Field {
    /// Returns a field with a text, its caret behind it.
    pub(crate) fn new(text: &str) -> Self {
        Self { buffer: Buffer::new(one_line(text)), kill_ring: KillRing::default() }
    }

    pub(crate) fn text(&self) -> &str {
        self.buffer.text()
    }

    /// Takes a key, and returns whether it is one that types, edits or moves.
    pub(crate) fn key(&mut self, key: Key, keymap: &Keymap) -> bool {
        if let Some(character) = key.typed() {
            self.paste(character.encode_utf8(&mut [0; 4]));
            return true;
        }
        match keymap.find(&[Context::Composer], &[key]) {
            // Keys that go between rows are the list's.
            Found::Action(Action::Newline) => false,
            Found::Action(action) => edit::apply(&mut self.buffer, &mut self.kill_ring, action),
            Found::Prefix | Found::Nothing => false,
        }
    }

    /// Puts text at the caret, newlines as blanks.
    pub(crate) fn paste(&mut self, text: &str) {
        edit::type_text(&mut self.buffer, &mut self.kill_ring, &one_line(text));
    }

    /// Returns the part of the text around the caret that fits, and the caret's column in it.
    pub(crate) fn view(&self, columns: usize, style: Style) -> (Line, usize) {
        let caret = self.buffer.caret();
        let before = sanitize::one_line(self.buffer.slice(0..caret));
        let behind = sanitize::one_line(self.buffer.slice(caret..self.buffer.text().len()));
        // One column is the caret's own, behind the last character.
        let room = columns.saturating_sub(1);
        let mut start = 0;
        let mut column = width::of(&before);
        while column > room {
            let rest = before.get(start..).unwrap_or_default();
            let Some(first) =
                unicode_segmentation::UnicodeSegmentation::graphemes(rest, true).next()
            else {
                break;
            };
            start += first.len();
            column -= width::of_grapheme(first);
        }
        let shown = before.get(start..).unwrap_or_default();
        let mut line = Line::from(Span::new(shown.to_owned(), style));
        let behind = width::prefix(&behind, room.saturating_sub(column));
        line.push(Span::new(behind.to_owned(), style));
        (line, column)
    }
}

fn one_line(text: &str) -> String {
    clean(text).replace(['\n', '\t'], " ")
}
