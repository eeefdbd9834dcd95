//! Finds the place that an edit means.
//!
//! Owns the order from strict to lax, and the rule that only one place may ever match laxly.
//! Works on bytes and touches none of them outside a match. Must not open files or word errors.

mod endings;
mod fold;
mod indent;
mod nearest;
mod numbers;
mod search;

pub(super) use nearest::{Difference, nearest};

use numbers::{Likewise, Numbered};
use search::Search;
use std::ops::Range;

/// More places than this are not counted where one is wanted.
pub(super) const COUNT_LIMIT: usize = 1_000;

/// How many places an edit means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Count {
    /// Exactly one.
    One,
    /// Every one.
    All,
}

/// The places that an edit replaces.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Found {
    /// Where they are, in order, none overlapping.
    pub(super) spans: Vec<Range<usize>>,
    /// The differences that were forgiven; none for an exact match.
    pub(super) forgiven: Vec<Forgiven>,
    replacement: Replacement,
}

/// A difference that was forgiven.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Forgiven {
    /// CRLF against LF.
    LineEndings,
    /// Blanks at the end of lines, or a missing final newline.
    TrailingWhitespace,
    /// Typographic quotes, dashes and spaces.
    Typography,
    /// The block is indented by another amount.
    Indentation,
    /// Line numbers in front of the lines.
    LineNumbers,
}

/// Why an edit has no place.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Miss {
    /// Nothing matches.
    Nowhere,
    /// More than one place matches.
    Several {
        /// The lines, from 1, where the matches begin; more than [`COUNT_LIMIT`] are not listed.
        lines: Vec<usize>,
        /// What had to be forgiven for them to match.
        forgiven: Vec<Forgiven>,
    },
    /// The text is not UTF-8, so that only ASCII can be found and put in.
    NotUtf8 {
        /// Where the first bad byte is.
        offset: usize,
    },
    /// The text is not UTF-8, and every match may begin inside a character of several bytes.
    InsideCharacter {
        /// The lines, from 1, of the matches.
        lines: Vec<usize>,
    },
    /// The new text has line numbers before some of its lines.
    NumberedReplacement,
}

/// What goes in.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Replacement {
    text: String,
    /// The lines that it shares with the old text.
    shared: endings::Shared,
}

/// Returns where `old` is in `text`.
pub(super) fn find(text: &[u8], old: &str, new: &str, count: Count) -> Result<Found, Miss> {
    let bad_byte = std::str::from_utf8(text).err().map(|error| error.valid_up_to());
    if let Some(offset) = bad_byte
        && !(old.is_ascii() && new.is_ascii())
    {
        return Err(Miss::NotUtf8 { offset });
    }
    let search = Search { text, is_utf8: bad_byte.is_none() };
    if let Some(found) = search.find(old, new, count)? {
        return Ok(found);
    }
    match Numbered::of(old) {
        Some(numbered) => find_without_numbers(&search, &numbered, new),
        None => Err(Miss::Nowhere),
    }
}

/// Returns `text` with the places of `found` replaced, and where the new texts are in it.
pub(super) fn apply(text: &[u8], found: &Found) -> (Vec<u8>, Vec<Range<usize>>) {
    let Replacement { text: new, shared } = &found.replacement;
    let mut output = Vec::with_capacity(text.len() + new.len());
    let mut places = Vec::with_capacity(found.spans.len());
    let mut copied = 0;
    for span in &found.spans {
        output.extend_from_slice(text.get(copied..span.start).unwrap_or_default());
        let start = output.len();
        endings::push_fitted(&mut output, new, text, span, *shared);
        places.push(start..output.len());
        copied = span.end;
    }
    output.extend_from_slice(text.get(copied..).unwrap_or_default());
    (output, places)
}

/// Returns `old` without line numbers, if it has them.
pub(super) fn without_line_numbers(old: &str) -> Option<String> {
    Numbered::of(old).map(|numbered| numbered.text)
}

/// Looks once more for an old text whose line numbers were taken off. What then matches is
/// forgiven, so it must be one place; and whole lines, as `read` shows them, because the numbers
/// may also have been text.
fn find_without_numbers(search: &Search<'_>, old: &Numbered, new: &str) -> Result<Found, Miss> {
    let stripped = match old.strip_likewise(new) {
        Likewise::Stripped(stripped) => Some(stripped),
        Likewise::Mixed => return Err(Miss::NumberedReplacement),
        Likewise::Unnumbered => None,
    };
    match search.find(&old.text, stripped.as_deref().unwrap_or(new), Count::One) {
        Ok(Some(mut found)) => {
            let is_the_place = |span| search.is_whole_lines(span, old.sure_line());
            if !found.spans.iter().all(is_the_place) {
                return Err(Miss::Nowhere);
            }
            found.forgiven.push(Forgiven::LineNumbers);
            Ok(found)
        }
        Ok(None) => Err(Miss::Nowhere),
        Err(Miss::Several { lines, mut forgiven }) => {
            forgiven.push(Forgiven::LineNumbers);
            Err(Miss::Several { lines, forgiven })
        }
        Err(miss) => Err(miss),
    }
}

#[cfg(test)]
mod tests;
