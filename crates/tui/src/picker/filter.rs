//! Which rows of a list match, in which order.
//!
//! Owns the texts that are searched. A query that goes on where the last one ended looks only at
//! what matched before. Must not know how rows look.

use crate::fuzzy::Fuzzy;
use crate::text::sanitize;
use unicode_segmentation::UnicodeSegmentation as _;

/// At most so many bytes of a label or detail are searched and shown.
const MAX_BYTES: usize = 1_000;

/// The searched texts and what matches among them.
pub(super) struct Filter {
    texts: Vec<Text>,
    fuzzy: Fuzzy,
    query: String,
    /// Numbers of rows, in the order in which they are shown.
    matching: Vec<usize>,
}

/// A row's clean texts in one: label, blank, detail.
struct Text {
    both: String,
    label: usize,
}

impl Filter {
    pub(super) fn new() -> Self {
        Self { texts: Vec::new(), fuzzy: Fuzzy::new(), query: String::new(), matching: Vec::new() }
    }

    /// Changes the rows, given by label and detail; all match until the next query.
    pub(super) fn set_texts<'a>(&mut self, texts: impl Iterator<Item = (&'a str, &'a str)>) {
        self.texts = texts.map(|(label, detail)| Text::new(label, detail)).collect();
        self.query.clear();
        self.matching = (0..self.texts.len()).collect();
    }

    /// Looks for the rows that match a query.
    pub(super) fn narrow(&mut self, query: &str, best_first: bool) {
        let goes_on = query.starts_with(&self.query);
        if !goes_on {
            self.matching = (0..self.texts.len()).collect();
        } else if best_first {
            self.matching.sort_unstable();
        }
        query.clone_into(&mut self.query);
        self.fuzzy.set_query(query);
        if query.trim().is_empty() {
            return;
        }
        let mut scored = Vec::new();
        for index in &self.matching {
            let Some(text) = self.texts.get(*index) else { continue };
            if let Some(score) = self.fuzzy.score(&text.both) {
                scored.push((*index, score));
            }
        }
        if best_first {
            // Stable: of equal ones, the list's own order.
            scored.sort_by_key(|(_, score)| std::cmp::Reverse(*score));
        }
        self.matching = scored.into_iter().map(|(index, _)| index).collect();
    }

    /// Returns the numbers of the rows that match.
    pub(super) fn matching(&self) -> &[usize] {
        &self.matching
    }

    /// Returns a row's label and detail, clean.
    pub(super) fn texts(&self, index: usize) -> (&str, &str) {
        self.texts.get(index).map_or(("", ""), |text| {
            let label = text.both.get(..text.label).unwrap_or_default();
            (label, text.both.get(text.label + 1..).unwrap_or_default())
        })
    }

    /// Returns which characters of a row match, and the number of the detail's first one.
    pub(super) fn matched(&mut self, index: usize) -> (Vec<usize>, usize) {
        let Some(text) = self.texts.get(index) else { return (Vec::new(), 0) };
        let label = text.both.get(..text.label).unwrap_or_default();
        let first = label.graphemes(true).count() + 1;
        (self.fuzzy.matched(&text.both), first)
    }
}

impl Text {
    fn new(label: &str, detail: &str) -> Self {
        let mut both = sanitize::one_line(beginning(label)).into_owned();
        let label = both.len();
        both.push(' ');
        both.push_str(&sanitize::one_line(beginning(detail)));
        Self { both, label }
    }
}

fn beginning(text: &str) -> &str {
    text.get(..text.floor_char_boundary(MAX_BYTES)).unwrap_or(text)
}
