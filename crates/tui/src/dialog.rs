//! Questions: yes or no, and a line of text.
//!
//! Owns what is typed and chosen for one question, on a terminal by keys and elsewhere by a line.
//! Must not know who asks or what the answer does.

mod plain;

pub use plain::{confirm_line, confirm_prompt, numbered, numbered_answer};

use crate::composer::field::Field;
use crate::keymap::{Action, Context, Found, Keymap};
use crate::keys::{Code, Key};
use crate::text::wrap::{Break, wrap};
use crate::text::{Cursor, Line, Span, Style, sanitize};
use crate::theme;
use std::sync::Arc;

/// What a key came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DialogOutcome<T> {
    /// Nothing.
    Nothing,
    /// The question looks different.
    Changed,
    /// This is the answer.
    Answer(T),
    /// There is none.
    Cancelled,
}

/// A question that is answered by yes or no.
pub struct Confirm {
    title: String,
    body: String,
    keymap: Arc<Keymap>,
    yes: bool,
    takes_letters: bool,
}

impl Confirm {
    /// Returns a question with a heading, foreign lines below it (or none) and the answer that
    /// Enter gives.
    pub fn new(
        keymap: Arc<Keymap>,
        title: impl Into<String>,
        body: impl Into<String>,
        default: bool,
    ) -> Self {
        Self { title: title.into(), body: body.into(), keymap, yes: default, takes_letters: true }
    }

    /// Returns the question without its letters: one that comes up by itself must not be answered
    /// by what somebody was writing.
    #[must_use]
    pub fn without_letters(mut self) -> Self {
        self.takes_letters = false;
        self
    }

    /// Returns whether a letter answers it.
    pub fn takes_letters(&self) -> bool {
        self.takes_letters
    }

    /// Takes a key.
    pub fn key(&mut self, key: Key) -> DialogOutcome<bool> {
        match key.typed().filter(|_| self.takes_letters) {
            Some('y' | 'Y') => return DialogOutcome::Answer(true),
            Some('n' | 'N') => return DialogOutcome::Answer(false),
            _ => {}
        }
        match self.keymap.find(&[Context::Picker], &[key]) {
            Found::Action(Action::Choose) => return DialogOutcome::Answer(self.yes),
            Found::Action(Action::Cancel) => return DialogOutcome::Cancelled,
            Found::Action(Action::Previous | Action::Next) => {}
            _ if matches!(key.code, Code::Left | Code::Right | Code::Tab) => {}
            _ => return DialogOutcome::Nothing,
        }
        self.yes = !self.yes;
        DialogOutcome::Changed
    }

    /// Returns the question as at most `max_rows` rows; the answers are always among them.
    pub fn view(&self, columns: usize, max_rows: usize) -> Vec<Line> {
        let mut rows = question(&self.title, &self.body, columns, max_rows.saturating_sub(1));
        let keys =
            if self.takes_letters { "  y, n or Enter" } else { "  arrows choose, Enter answers" };
        let look = |chosen| if chosen { theme::CHOSEN } else { Style::PLAIN };
        let answers = Line::plain("  ")
            .with(Span::new(" Yes ", look(self.yes)))
            .with(Span::plain(" "))
            .with(Span::new(" No ", look(!self.yes)))
            .with(Span::new(keys, theme::QUIET));
        if max_rows > 0 {
            rows.push(answers.clipped(columns));
        }
        rows
    }
}

/// A question that is answered by a line of text.
pub struct Input {
    title: String,
    body: String,
    keymap: Arc<Keymap>,
    field: Field,
}

impl Input {
    /// Returns a question with a heading, foreign lines below it (or none), and a text to begin
    /// with.
    pub fn new(
        keymap: Arc<Keymap>,
        title: impl Into<String>,
        body: impl Into<String>,
        initial: &str,
    ) -> Self {
        Self { title: title.into(), body: body.into(), keymap, field: Field::new(initial) }
    }

    /// Returns what is typed so far.
    pub fn text(&self) -> &str {
        self.field.text()
    }

    /// Takes a key.
    pub fn key(&mut self, key: Key) -> DialogOutcome<String> {
        match self.keymap.find(&[Context::Picker], &[key]) {
            Found::Action(Action::Choose) => {
                return DialogOutcome::Answer(self.field.text().to_owned());
            }
            Found::Action(Action::Cancel) => return DialogOutcome::Cancelled,
            _ => {}
        }
        let keymap = Arc::clone(&self.keymap);
        if self.field.key(key, &keymap) { DialogOutcome::Changed } else { DialogOutcome::Nothing }
    }

    /// Takes pasted text as typed.
    pub fn paste(&mut self, text: &str) -> DialogOutcome<String> {
        self.field.paste(text);
        DialogOutcome::Changed
    }

    /// Returns the question as at most `max_rows` rows, and where the caret stands.
    pub fn view(&self, columns: usize, max_rows: usize) -> (Vec<Line>, Option<Cursor>) {
        if columns == 0 || max_rows == 0 {
            return (Vec::new(), None);
        }
        let mut rows = question(&self.title, &self.body, columns, max_rows - 1);
        let mark = if columns < 8 { "" } else { "> " };
        let mut line = Line::new(mark, theme::USER);
        let (text, column) = self.field.view(columns - mark.len(), Style::PLAIN);
        text.spans.into_iter().for_each(|span| line.push(span));
        let cursor = Cursor { row: rows.len(), column: mark.len() + column };
        rows.push(line);
        (rows, Some(cursor))
    }
}

/// Returns the rows of a question without its answer; where there is little room, its end.
pub(crate) fn question(title: &str, body: &str, columns: usize, max_rows: usize) -> Vec<Line> {
    let heading = Line::from(Span::foreign(title, theme::HEADING));
    let mut rows = wrap(&heading, columns, &[], Break::Words);
    let room = max_rows.saturating_sub(rows.len());
    let body = sanitize::harmless(body);
    let lines = body.lines().take(room);
    let lines = lines.map(|line| Line::from(Span::foreign(line, Style::PLAIN)));
    let body: Vec<Line> = lines.flat_map(|line| wrap(&line, columns, &[], Break::Words)).collect();
    rows.extend(body);
    rows.truncate(max_rows);
    rows
}

#[cfg(test)]
mod tests;
