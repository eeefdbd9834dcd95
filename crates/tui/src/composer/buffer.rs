//! A text with a caret, and its changes.
//!
//! Owns that the caret stands between characters as a user sees them, and that every change can be
//! taken back. Must not know keys, rows or folds.

use super::undo::{Edit, Kind, Undo};
use std::ops::Range;
use unicode_segmentation::{GraphemeCursor, UnicodeSegmentation as _};

/// A text with a caret.
#[derive(Debug, Clone, Default)]
pub(crate) struct Buffer {
    text: String,
    caret: usize,
    undo: Undo,
}

impl Buffer {
    /// Returns a text with the caret behind it, and nothing to take back.
    pub(crate) fn new(text: String) -> Self {
        Self { caret: text.len(), text, undo: Undo::default() }
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Returns the caret's place in bytes.
    pub(crate) fn caret(&self) -> usize {
        self.caret
    }

    /// Returns a part of the text; nothing where the place is none.
    pub(crate) fn slice(&self, range: Range<usize>) -> &str {
        self.text.get(range).unwrap_or_default()
    }

    /// Moves the caret to a place, or to the next one between two characters.
    pub(crate) fn move_to(&mut self, at: usize) {
        let at = self.border(at);
        if at != self.caret {
            self.undo.close();
        }
        self.caret = at;
    }

    /// Ends the step that undo would take back.
    pub(crate) fn close_step(&mut self) {
        self.undo.close();
    }

    /// Puts text at the caret.
    pub(crate) fn insert(&mut self, text: &str, kind: Kind) {
        self.replace(self.caret..self.caret, text, kind);
    }

    /// Replaces a part of the text; the caret goes behind what is put in.
    pub(crate) fn replace(&mut self, range: Range<usize>, text: &str, kind: Kind) {
        let range = self.border(range.start)..self.border(range.end);
        if range.start > range.end || (range.is_empty() && text.is_empty()) {
            return;
        }
        let removed = self.slice(range.clone()).to_owned();
        let (at, caret_before) = (range.start, self.caret);
        self.text.replace_range(range, text);
        self.caret = self.border(at + text.len());
        let edit =
            Edit { at, removed, inserted: text.to_owned(), caret_before, caret_after: self.caret };
        self.undo.note(edit, kind);
    }

    /// Takes the last step back; returns whether there was one.
    pub(crate) fn undo(&mut self) -> bool {
        let Some(edit) = self.undo.undo() else { return false };
        self.text.replace_range(edit.at..edit.at + edit.inserted.len(), &edit.removed);
        self.caret = self.border(edit.caret_before);
        true
    }

    /// Makes the last step that was taken back again; returns whether there was one.
    pub(crate) fn redo(&mut self) -> bool {
        let Some(edit) = self.undo.redo() else { return false };
        self.text.replace_range(edit.at..edit.at + edit.removed.len(), &edit.inserted);
        self.caret = self.border(edit.caret_after);
        true
    }

    /// Returns the place a character before `at`.
    pub(crate) fn before(&self, at: usize) -> usize {
        let before = self.slice(0..at);
        at - before.graphemes(true).next_back().map_or(0, str::len)
    }

    /// Returns the place a character behind `at`.
    pub(crate) fn behind(&self, at: usize) -> usize {
        let behind = self.slice(at..self.text.len());
        at + behind.graphemes(true).next().map_or(0, str::len)
    }

    /// Returns where the word before `at` begins.
    pub(crate) fn word_before(&self, at: usize) -> usize {
        let before = self.slice(0..at);
        let mut inside = false;
        for (start, grapheme) in before.grapheme_indices(true).rev() {
            if is_fold(grapheme) {
                return if inside { start + grapheme.len() } else { start };
            } else if is_word(grapheme) {
                inside = true;
            } else if inside {
                return start + grapheme.len();
            }
        }
        0
    }

    /// Returns where the word behind `at` ends.
    pub(crate) fn word_behind(&self, at: usize) -> usize {
        let mut inside = false;
        for (start, grapheme) in self.slice(at..self.text.len()).grapheme_indices(true) {
            if is_fold(grapheme) {
                return at + if inside { start } else { start + grapheme.len() };
            } else if is_word(grapheme) {
                inside = true;
            } else if inside {
                return at + start;
            }
        }
        self.text.len()
    }

    /// Returns where the line around `at` begins.
    pub(crate) fn line_start(&self, at: usize) -> usize {
        self.slice(0..at).rfind('\n').map_or(0, |newline| newline + 1)
    }

    /// Returns where the line around `at` ends, before its newline.
    pub(crate) fn line_end(&self, at: usize) -> usize {
        self.slice(at..self.text.len()).find('\n').map_or(self.text.len(), |newline| at + newline)
    }

    /// Returns the place itself where it is between two characters, else the next one that is.
    pub(crate) fn border(&self, at: usize) -> usize {
        let mut at = at.min(self.text.len());
        while !self.text.is_char_boundary(at) {
            at += 1;
        }
        let mut cursor = GraphemeCursor::new(at, self.text.len(), /*extended*/ true);
        match cursor.is_boundary(&self.text, 0) {
            Ok(false) => cursor.next_boundary(&self.text, 0).ok().flatten().unwrap_or(at),
            _ => at,
        }
    }
}

/// Returns whether a character belongs to a word.
pub(crate) fn is_word(grapheme: &str) -> bool {
    grapheme.chars().any(|character| character.is_alphanumeric() || character == '_')
}

/// Returns whether a character is a fold, which is a word of its own.
fn is_fold(grapheme: &str) -> bool {
    grapheme.chars().next().is_some_and(super::units::is_unit)
}
