//! Where a message is written.
//!
//! Owns the text with its caret, folds, history and changes, and how it looks in rows. It says what
//! a key came to; what it has no part in it gives back. Must not send anything, read files or know
//! whether the agent works.

pub(crate) mod buffer;
pub(crate) mod edit;
pub(crate) mod field;
mod history;
mod kill_ring;
mod layout;
pub(crate) mod undo;
mod units;
mod vi;
mod view;

pub use units::Submission;

use crate::keymap::{Action, Context, Found, Keymap};
use crate::keys::Key;
use crate::picker::{Item, Picker, PickerOutcome};
use crate::text::{Cursor, Line};
use buffer::Buffer;
use history::History;
use kill_ring::KillRing;
use layout::Layout;
use letscode_wire::ImageData;
use std::ops::Range;
use std::sync::Arc;
use undo::Kind;
use units::{Units, clean};
use vi::{Did, Vi};

/// What a key or a paste came to.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// Nothing.
    Nothing,
    /// The composer looks different.
    Changed,
    /// This is to be sent; the composer is empty again, or has its draft back.
    Send(Submission),
    /// An action that others do. [`Action::Send`] is Enter on an empty text.
    Action(Action),
    /// A key that nothing is bound to.
    Unhandled(Key),
}

/// Where a message is written.
pub struct Composer {
    buffer: Buffer,
    units: Units,
    kill_ring: KillRing,
    history: History,
    keymap: Arc<Keymap>,
    vi: Option<Vi>,
    /// The first key of a sequence.
    pending: Option<Key>,
    /// The list of messages of before, while it is open.
    search: Option<Picker<usize>>,
    placeholder: String,
    layout: Layout,
    /// How wide the text was drawn last: what "a row up" means.
    columns: usize,
    /// The column that going up and down keeps to.
    column: Option<usize>,
    /// The first row that is seen.
    top: usize,
    /// Whether the last thing done wrote at the caret.
    writes: bool,
}

impl Default for Composer {
    fn default() -> Self {
        Self::new(Arc::new(Keymap::default()))
    }
}

impl Composer {
    /// Returns an empty composer.
    pub fn new(keymap: Arc<Keymap>) -> Self {
        Self {
            buffer: Buffer::default(),
            units: Units::default(),
            kill_ring: KillRing::default(),
            history: History::default(),
            keymap,
            vi: None,
            pending: None,
            search: None,
            placeholder: String::new(),
            layout: Layout::default(),
            columns: 80,
            column: None,
            top: 0,
            writes: false,
        }
    }

    /// Returns the composer with the keys of vi, or without them.
    #[must_use]
    pub fn with_vi(mut self, vi: bool) -> Self {
        self.vi = vi.then(Vi::default);
        self
    }

    /// Changes what an empty composer says.
    pub fn set_placeholder(&mut self, placeholder: impl Into<String>) {
        self.placeholder = placeholder.into();
    }

    /// Changes the messages of before, the newest first.
    pub fn set_history(&mut self, entries: Vec<String>) {
        self.history.set(entries);
    }

    /// Returns the text, with pastes in full.
    pub fn text(&self) -> String {
        self.units.submission(self.buffer.text()).text
    }

    /// Returns the text as it is edited, where a fold is one character: what a completion looks at,
    /// and what the places of [`Self::replace`] mean.
    pub fn edited(&self) -> &str {
        self.buffer.text()
    }

    /// Returns the caret's place in [`Self::edited`], in bytes.
    pub fn caret(&self) -> usize {
        self.buffer.caret()
    }

    /// Returns whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.buffer.text().is_empty()
    }

    /// Returns whether the list of messages of before is open: it takes all keys.
    pub fn is_searching(&self) -> bool {
        self.search.is_some()
    }

    /// Returns whether the last thing done wrote something at the caret or deleted something there:
    /// completions follow that, and neither moves nor messages of the history.
    pub fn is_writing(&self) -> bool {
        self.writes
    }

    /// Changes the text as an editor does: its images stay where the text still names them, and
    /// the newline at the end, which editors add, goes. The change can be taken back.
    pub fn set_text(&mut self, text: &str) {
        let text = text.strip_suffix('\n').unwrap_or(text);
        let mut named = Vec::new();
        for (index, image) in self.units.images(self.buffer.text()).into_iter().enumerate() {
            let label = units::image_label(index + 1);
            if text.contains(&label) {
                named.push((label, image));
            }
        }
        let text = self.units.fold_huge(clean(text).into_owned());
        let text = self.units.with_images(&text, named);
        let all = 0..self.buffer.text().len();
        self.replace(all, &text);
        self.writes = false;
    }

    /// Puts back what was sent or queued, before what has been written since.
    pub fn put_back(&mut self, submission: Submission) {
        let text = self.units.fold_huge(clean(&submission.text).into_owned());
        let images = submission.images.into_iter().enumerate();
        let images = images.map(|(index, image)| (units::image_label(index + 1), image));
        let mut text = self.units.with_images(&text, images);
        if !self.is_empty() {
            text.push('\n');
        }
        let caret = self.buffer.caret() + text.len();
        self.replace(0..0, &text);
        self.writes = false;
        if self.buffer.text().len() > text.len() {
            self.buffer.move_to(caret);
        }
    }

    /// Replaces a part of [`Self::edited`]; the caret goes behind it.
    pub fn replace(&mut self, range: Range<usize>, text: &str) {
        self.buffer.replace(range, text, Kind::Alone);
        self.kill_ring.note_other();
        self.column = None;
        self.writes = true;
        self.stay_on_characters();
    }

    /// Puts an image at the caret.
    pub fn insert_image(&mut self, image: ImageData) {
        if let Some(character) = self.units.image(image) {
            self.buffer.insert(character.encode_utf8(&mut [0; 4]), Kind::Alone);
            self.kill_ring.note_other();
        }
    }

    /// Takes out what is to be sent, queued or dropped, and adds it to the history. A draft that
    /// was left for a message of the history comes back.
    pub fn take(&mut self) -> Submission {
        let submission = self.units.submission(self.buffer.text());
        self.buffer = self.history.add(&submission.text);
        // A draft that comes back may have changes to take back, with folds of their own.
        if self.is_empty() {
            self.buffer = Buffer::default();
            self.units.keep_those_in(self.kill_ring.cuts().iter().map(String::as_str));
            self.layout = Layout::default();
        }
        self.kill_ring.note_other();
        self.pending = None;
        (self.column, self.top) = (None, 0);
        if let Some(vi) = &mut self.vi {
            vi.insert();
        }
        submission
    }

    /// Takes a key.
    pub fn key(&mut self, key: Key) -> Outcome {
        self.writes = false;
        if self.search.is_some() {
            return self.search_key(key);
        }
        if self.pending.is_none()
            && let Some(vi) = &mut self.vi
        {
            match vi.key(key, &mut self.buffer, &mut self.kill_ring) {
                Did::Nothing => return Outcome::Nothing,
                Did::Changed => {
                    self.column = None;
                    self.stay_on_characters();
                    return Outcome::Changed;
                }
                Did::Vertical(action, rows) => {
                    let mut moved = false;
                    for _ in 0..rows {
                        moved |= self.vertical(action);
                    }
                    self.stay_on_characters();
                    return if moved { Outcome::Changed } else { Outcome::Nothing };
                }
                Did::NotMine => {}
            }
        }
        let outcome = self.bound_key(key);
        self.stay_on_characters();
        outcome
    }

    /// Takes text that was pasted: a long one becomes a fold.
    pub fn paste(&mut self, text: &str) -> Outcome {
        if let Some(search) = &mut self.search {
            search.paste(text);
            return Outcome::Changed;
        }
        let text = self.units.fold_paste(clean(text).into_owned());
        if text.is_empty() {
            return Outcome::Nothing;
        }
        self.pending = None;
        self.column = None;
        self.kill_ring.note_other();
        self.buffer.insert(&text, Kind::Alone);
        self.writes = true;
        self.stay_on_characters();
        Outcome::Changed
    }

    /// Returns the composer as at most `max_rows` rows, and where the caret stands.
    pub fn view(&mut self, columns: usize, max_rows: usize) -> (Vec<Line>, Cursor) {
        view::view(self, columns, max_rows)
    }

    fn bound_key(&mut self, key: Key) -> Outcome {
        let keys: Vec<Key> = self.pending.take().into_iter().chain([key]).collect();
        let contexts: &[Context] = if self.is_empty() {
            &[Context::Empty, Context::Composer, Context::Working, Context::Everywhere]
        } else {
            &[Context::Composer, Context::Working, Context::Everywhere]
        };
        match self.keymap.find(contexts, &keys) {
            Found::Action(action) => self.action(action),
            Found::Prefix => {
                self.pending = Some(key);
                Outcome::Nothing
            }
            // No sequence: what stops the agent still does, everything else was a slip.
            Found::Nothing if keys.len() > 1 => match self.keymap.find(contexts, &[key]) {
                Found::Action(action @ (Action::Stop | Action::Interrupt)) => {
                    Outcome::Action(action)
                }
                _ => Outcome::Nothing,
            },
            Found::Nothing => match key.typed() {
                Some(character) => {
                    let mut bytes = [0; 4];
                    let text = clean(character.encode_utf8(&mut bytes));
                    self.column = None;
                    edit::type_text(&mut self.buffer, &mut self.kill_ring, &text);
                    self.writes = true;
                    Outcome::Changed
                }
                None => Outcome::Unhandled(key),
            },
        }
    }

    fn action(&mut self, action: Action) -> Outcome {
        match action {
            Action::Send if self.buffer.text().trim().is_empty() => Outcome::Action(action),
            Action::Send => Outcome::Send(self.take()),
            Action::Up | Action::Down => {
                self.kill_ring.note_other();
                if self.vertical(action) { Outcome::Changed } else { Outcome::Nothing }
            }
            Action::HistorySearch => {
                self.open_search();
                Outcome::Changed
            }
            _ => {
                let length = self.buffer.text().len();
                if edit::apply(&mut self.buffer, &mut self.kill_ring, action) {
                    self.column = None;
                    self.writes = self.buffer.text().len() != length;
                    Outcome::Changed
                } else {
                    Outcome::Action(action)
                }
            }
        }
    }

    /// Goes a row up or down, past the first and last one into the history.
    fn vertical(&mut self, action: Action) -> bool {
        let text = self.buffer.text();
        let rows = self.layout.rows(text, &self.units, self.columns);
        let here = layout::row_of(rows, self.buffer.caret());
        let to = match action {
            Action::Up => here.checked_sub(1),
            _ => Some(here + 1),
        };
        let next = to.and_then(|to| Some((rows.get(to)?, rows.get(to + 1))));
        if let (Some((row, after)), Some(from)) = (next, rows.get(here)) {
            let column = self
                .column
                .unwrap_or_else(|| layout::column_of(text, from, &self.units, self.buffer.caret()));
            // Behind the last character of a row that goes on, the caret is on the next one.
            let last = after.is_none_or(|after| after.range.start > row.range.end);
            let place = layout::place_at(text, row, &self.units, column, last);
            self.buffer.move_to(place);
            self.column = Some(column);
            return true;
        }
        let units = &mut self.units;
        let open = |entry: &str| units.fold_huge(clean(entry).into_owned());
        let moved = match action {
            Action::Up => self.history.older(&mut self.buffer, open),
            _ => self.history.newer(&mut self.buffer, open),
        };
        if moved {
            self.column = None;
        }
        moved
    }

    fn open_search(&mut self) {
        let entries = self.history.entries().iter().enumerate();
        let items = entries.map(|(number, entry)| Item::new(number, label_of(entry))).collect();
        let picker = Picker::new("History", items).with_keymap(Arc::clone(&self.keymap));
        // The same key again goes on to the next older one.
        let again = self.keymap.keys_of(Action::HistorySearch);
        let again = again.iter().filter_map(|key| key.parse().ok());
        self.search = Some(picker.with_extra_keys(again));
    }

    fn search_key(&mut self, key: Key) -> Outcome {
        let Some(search) = &mut self.search else { return Outcome::Nothing };
        match search.key(key) {
            PickerOutcome::Chosen(number) => {
                self.search = None;
                let units = &mut self.units;
                let open = |entry: &str| units.fold_huge(clean(entry).into_owned());
                self.history.go_to(number, &mut self.buffer, open);
                (self.column, self.top) = (None, 0);
            }
            PickerOutcome::Cancelled => self.search = None,
            PickerOutcome::Key(key, _) => {
                match self.keymap.find(&[Context::Composer, Context::Everywhere], &[key]) {
                    Found::Action(Action::HistorySearch) => drop(search.action(Action::Next)),
                    Found::Action(action) => return Outcome::Action(action),
                    Found::Prefix | Found::Nothing => return Outcome::Unhandled(key),
                }
            }
            PickerOutcome::Nothing | PickerOutcome::Changed | PickerOutcome::Query(_) => {}
        }
        Outcome::Changed
    }

    /// In vi's normal mode the caret stands on a character, not behind the last one.
    fn stay_on_characters(&mut self) {
        if self.vi.as_ref().is_some_and(Vi::is_normal) {
            vi::step_onto_line(&mut self.buffer);
        }
    }
}

/// Returns the part of a message that a list shows.
fn label_of(entry: &str) -> String {
    entry.chars().take(500).collect()
}

#[cfg(test)]
mod tests;
