//! What was sent before, to be sent again.
//!
//! Owns the messages, which of them is in the composer, and the texts that were left on the way:
//! the draft, and changed messages, which stay changed until something is sent. Must not know rows.

use super::buffer::Buffer;
use std::collections::HashMap;

/// The messages of before, with a place among them.
#[derive(Debug, Clone, Default)]
pub(crate) struct History {
    /// The newest first.
    entries: Vec<String>,
    /// What came while somebody was among the messages: it would move them.
    waiting: Option<Vec<String>>,
    /// 0 is the draft; n is the entry n - 1.
    place: usize,
    /// What was left, by place.
    left: HashMap<usize, Buffer>,
}

impl History {
    /// Changes the messages, the newest first.
    pub(crate) fn set(&mut self, mut entries: Vec<String>) {
        entries.dedup();
        if self.place == 0 {
            self.entries = entries;
            self.left.clear();
        } else {
            self.waiting = Some(entries);
        }
    }

    /// Adds what is sent, and goes back to the draft: an empty one, or where a message of before
    /// was sent, the one that was left for it.
    pub(crate) fn add(&mut self, text: &str) -> Buffer {
        let draft = self.left.remove(&0).unwrap_or_default();
        self.reset();
        if !text.trim().is_empty() && self.entries.first().is_none_or(|newest| newest != text) {
            self.entries.insert(0, text.to_owned());
        }
        draft
    }

    /// Returns the messages, the newest first.
    pub(crate) fn entries(&self) -> &[String] {
        &self.entries
    }

    /// Goes to the message before; `open` makes its text one to edit. Returns whether there is one.
    pub(crate) fn older(&mut self, buffer: &mut Buffer, open: impl FnOnce(&str) -> String) -> bool {
        self.go(self.place + 1, buffer, open)
    }

    /// Goes to the message after it, at last to the draft. Returns whether there is one.
    pub(crate) fn newer(&mut self, buffer: &mut Buffer, open: impl FnOnce(&str) -> String) -> bool {
        match self.place.checked_sub(1) {
            Some(place) => self.go(place, buffer, open),
            None => false,
        }
    }

    /// Goes to the message with a number, from 0 for the newest.
    pub(crate) fn go_to(
        &mut self,
        number: usize,
        buffer: &mut Buffer,
        open: impl FnOnce(&str) -> String,
    ) -> bool {
        self.go(number + 1, buffer, open)
    }

    fn go(&mut self, place: usize, buffer: &mut Buffer, open: impl FnOnce(&str) -> String) -> bool {
        if place == self.place {
            return false;
        }
        let next = match (self.left.remove(&place), place.checked_sub(1)) {
            (Some(left), _) => left,
            (None, Some(number)) => match self.entries.get(number) {
                Some(entry) => Buffer::new(open(entry)),
                None => return false,
            },
            (None, None) => Buffer::default(),
        };
        buffer.close_step();
        self.left.insert(self.place, std::mem::replace(buffer, next));
        self.place = place;
        true
    }

    fn reset(&mut self) {
        self.place = 0;
        self.left.clear();
        if let Some(entries) = self.waiting.take() {
            self.entries = entries;
        }
    }
}
