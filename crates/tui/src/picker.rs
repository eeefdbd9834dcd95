//! A list to choose from, in the live region: models, sessions, entries, the history.
//!
//! Owns the filter, the marked row and the part of the list that is seen. However long the list is,
//! only what is seen is laid out. Must not know what the rows stand for.

mod filter;
mod view;

use crate::composer::field::Field;
use crate::keymap::{Action, Context, Found, Keymap};
use crate::keys::Key;
use crate::text::{Cursor, Line};
use filter::Filter;
use std::sync::Arc;

/// A row of a list. Its texts may be foreign.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item<T> {
    /// What it stands for.
    pub value: T,
    /// What it is called.
    pub label: String,
    /// What else there is to say, in a column of its own.
    pub detail: String,
    /// What stands before the label and is not searched: the lines of a tree.
    pub guide: String,
    /// The heading under which it stands together with its neighbours; empty for none.
    pub group: String,
    /// Whether it stands back, as something that cannot be used now.
    pub quiet: bool,
}

impl<T> Item<T> {
    /// Returns a row with a name and nothing else.
    pub fn new(value: T, label: impl Into<String>) -> Self {
        Self {
            value,
            label: label.into(),
            detail: String::new(),
            guide: String::new(),
            group: String::new(),
            quiet: false,
        }
    }

    /// Returns the row with a detail.
    #[must_use]
    pub fn detail(mut self, detail: impl Into<String>) -> Self {
        self.detail = detail.into();
        self
    }

    /// Returns the row with what stands before its label.
    #[must_use]
    pub fn guide(mut self, guide: impl Into<String>) -> Self {
        self.guide = guide.into();
        self
    }

    /// Returns the row under a heading.
    #[must_use]
    pub fn group(mut self, group: impl Into<String>) -> Self {
        self.group = group.into();
        self
    }

    /// Returns the row, standing back.
    #[must_use]
    pub fn quiet(mut self) -> Self {
        self.quiet = true;
        self
    }
}

/// How typing narrows a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Search {
    /// Fuzzy, best matches first.
    Best,
    /// Fuzzy, in the list's own order: for trees and groups.
    Ordered,
    /// Not here: each change comes back as [`PickerOutcome::Query`], and new items are awaited.
    Remote,
}

/// What a key came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PickerOutcome<T> {
    /// Nothing.
    Nothing,
    /// The list looks different.
    Changed,
    /// A row was chosen.
    Chosen(T),
    /// The list was closed.
    Cancelled,
    /// Other rows are asked for, by this text.
    Query(String),
    /// A key that is not the list's own, with what the marked row stands for.
    Key(Key, Option<T>),
}

/// A list to choose from.
pub struct Picker<T> {
    title: String,
    hint: String,
    empty: String,
    items: Vec<Item<T>>,
    search: Search,
    filter: Filter,
    field: Field,
    keymap: Arc<Keymap>,
    extra: Vec<Key>,
    /// The marked row, counted among those that match.
    marked: usize,
    /// The first row that is seen, counted likewise.
    top: usize,
    /// How many rows were seen last: what a page is.
    page: usize,
}

impl<T: Clone + PartialEq> Picker<T> {
    /// Returns a list that takes the usual keys and is narrowed by [`Search::Best`].
    pub fn new(title: impl Into<String>, items: Vec<Item<T>>) -> Self {
        let mut picker = Self {
            title: title.into(),
            hint: String::new(),
            empty: "nothing matches".to_owned(),
            items: Vec::new(),
            search: Search::Best,
            filter: Filter::new(),
            field: Field::default(),
            keymap: Arc::new(Keymap::default()),
            extra: Vec::new(),
            marked: 0,
            top: 0,
            page: 1,
        };
        picker.set_items(items);
        picker
    }

    /// Returns the list with other keys.
    #[must_use]
    pub fn with_keymap(mut self, keymap: Arc<Keymap>) -> Self {
        self.keymap = keymap;
        self
    }

    /// Returns the list with another way to be narrowed.
    #[must_use]
    pub fn with_search(mut self, search: Search) -> Self {
        self.search = search;
        self
    }

    /// Returns the list with a row below it that says what else can be done.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = hint.into();
        self
    }

    /// Returns the list with other words for when it has no row.
    #[must_use]
    pub fn with_empty_note(mut self, note: impl Into<String>) -> Self {
        self.empty = note.into();
        self
    }

    /// Returns the list with keys that come back as [`PickerOutcome::Key`] although they would
    /// otherwise type or edit.
    #[must_use]
    pub fn with_extra_keys(mut self, keys: impl IntoIterator<Item = Key>) -> Self {
        self.extra.extend(keys);
        self
    }

    /// Changes the title.
    pub fn set_title(&mut self, title: impl Into<String>) {
        self.title = title.into();
    }

    /// Changes the words for when the list has no row.
    pub fn set_empty_note(&mut self, note: impl Into<String>) {
        self.empty = note.into();
    }

    /// Changes the rows; the marked one stays marked where it is still there.
    pub fn set_items(&mut self, items: Vec<Item<T>>) {
        let value = self.marked().cloned();
        let first = self.marked == 0;
        self.items = items;
        self.filter.set_texts(self.items.iter().map(|item| (&*item.label, &*item.detail)));
        self.narrow();
        // A mark that nobody moved stays on the first row, which is the best one.
        if let Some(value) = value.filter(|_| !first) {
            self.mark(&value);
        }
    }

    /// Marks the row that stands for a value, where there is one.
    pub fn mark(&mut self, value: &T) {
        let matching = self.filter.matching();
        let of = |index: &usize| self.items.get(*index).is_some_and(|item| item.value == *value);
        if let Some(marked) = matching.iter().position(of) {
            self.marked = marked;
        }
    }

    /// Returns what the marked row stands for.
    pub fn marked(&self) -> Option<&T> {
        let index = self.filter.matching().get(self.marked)?;
        self.items.get(*index).map(|item| &item.value)
    }

    /// Returns what was typed to narrow the list.
    pub fn query(&self) -> &str {
        self.field.text()
    }

    /// Returns the number of rows, whether they match or not.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Returns whether the list has no row.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Takes a key.
    pub fn key(&mut self, key: Key) -> PickerOutcome<T> {
        if self.extra.contains(&key) {
            return PickerOutcome::Key(key, self.marked().cloned());
        }
        if let Found::Action(action) = self.keymap.find(&[Context::Picker], &[key]) {
            return self.action(action);
        }
        let before = self.field.text().to_owned();
        let keymap = Arc::clone(&self.keymap);
        if !self.field.key(key, &keymap) {
            return PickerOutcome::Key(key, self.marked().cloned());
        }
        self.typed(&before)
    }

    /// Takes pasted text as typed.
    pub fn paste(&mut self, text: &str) -> PickerOutcome<T> {
        let before = self.field.text().to_owned();
        self.field.paste(text);
        self.typed(&before)
    }

    /// Returns the list as at most `max_rows` rows, and where the caret stands.
    pub fn view(&mut self, columns: usize, max_rows: usize) -> (Vec<Line>, Option<Cursor>) {
        view::view(self, columns, max_rows)
    }

    /// Does an action of a list.
    pub(crate) fn action(&mut self, action: Action) -> PickerOutcome<T> {
        let last = self.filter.matching().len().saturating_sub(1);
        let page = self.page.max(1);
        let marked = match action {
            Action::Choose => {
                return self
                    .marked()
                    .cloned()
                    .map_or(PickerOutcome::Nothing, PickerOutcome::Chosen);
            }
            Action::Cancel => return PickerOutcome::Cancelled,
            Action::Previous if self.marked == 0 => last,
            Action::Previous => self.marked - 1,
            Action::Next if self.marked == last => 0,
            Action::Next => self.marked + 1,
            Action::PageUp => self.marked.saturating_sub(page),
            Action::PageDown => (self.marked + page).min(last),
            Action::First => 0,
            Action::Last => last,
            _ => return PickerOutcome::Nothing,
        };
        if marked == self.marked {
            return PickerOutcome::Nothing;
        }
        self.marked = marked;
        PickerOutcome::Changed
    }

    fn typed(&mut self, before: &str) -> PickerOutcome<T> {
        if self.field.text() == before {
            return PickerOutcome::Changed;
        }
        if self.search == Search::Remote {
            return PickerOutcome::Query(self.field.text().to_owned());
        }
        self.marked = 0;
        self.narrow();
        PickerOutcome::Changed
    }

    fn narrow(&mut self) {
        let query = if self.search == Search::Remote { "" } else { self.field.text() };
        self.filter.narrow(query, self.search == Search::Best);
        self.marked = self.marked.min(self.filter.matching().len().saturating_sub(1));
    }
}

#[cfg(test)]
mod tests;
