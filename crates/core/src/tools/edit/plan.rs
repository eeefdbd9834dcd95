//! From a file's bytes and an edit to the new bytes, or to the reason why not.
//!
//! Owns which files and texts can be edited at all. Pure: must not touch files.

use crate::tools::encoding::{BYTE_ORDER_MARK, Encoding, encoding_of};
use crate::tools::matching::{self, Count, Forgiven, Miss};
use std::ops::Range;

/// What the model asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Request {
    /// The text to replace.
    pub(super) old: String,
    /// The text to put in its place.
    pub(super) new: String,
    /// How many places are meant.
    pub(super) count: Count,
    /// Whether the file has changed since the conversation saw it.
    pub(super) is_stale: bool,
}

/// An edit that can be made.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Plan {
    /// The whole new content.
    pub(super) bytes: Vec<u8>,
    /// Where the new texts are in it.
    pub(super) places: Vec<Range<usize>>,
    /// The differences that were forgiven.
    pub(super) forgiven: Vec<Forgiven>,
}

/// Why an edit cannot be made.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// There is no text to replace.
    EmptyOld,
    /// The texts are the same.
    SameTexts,
    /// The place has the new text already.
    NoChange,
    /// The file is UTF-16; the name says which.
    Utf16(&'static str),
    /// The file is no text.
    Binary,
    /// There is a place, but not the one exact place that a changed file asks for.
    Stale,
    /// There is no place, or no single one.
    Miss(Miss),
}

/// Returns what `request` makes of the content `file`.
pub(super) fn plan(file: &[u8], request: &Request) -> Result<Plan, Refusal> {
    match encoding_of(file) {
        Encoding::Text => {}
        Encoding::Utf16(name) => return Err(Refusal::Utf16(name)),
        Encoding::Binary => return Err(Refusal::Binary),
    }
    let (mark, text) = split_mark(file);
    let (old, new) = match request.old.strip_prefix('\u{feff}') {
        Some(old) if !mark.is_empty() => {
            (old, request.new.strip_prefix('\u{feff}').unwrap_or(&request.new))
        }
        _ => (request.old.as_str(), request.new.as_str()),
    };
    if old.is_empty() {
        return Err(Refusal::EmptyOld);
    }
    if old == new {
        return Err(Refusal::SameTexts);
    }
    let found = matching::find(text, old, new, request.count).map_err(Refusal::Miss)?;
    let is_exact = found.forgiven.iter().all(|forgiven| *forgiven == Forgiven::LineEndings);
    if request.is_stale && !(is_exact && found.spans.len() == 1) {
        return Err(Refusal::Stale);
    }
    let (new_text, places) = matching::apply(text, &found);
    if new_text == text {
        return Err(Refusal::NoChange);
    }
    Ok(Plan {
        bytes: [mark, &new_text].concat(),
        places: places.into_iter().map(|place| moved(&place, mark.len())).collect(),
        forgiven: found.forgiven,
    })
}

/// Splits off the mark that the model does not see.
pub(super) fn split_mark(file: &[u8]) -> (&[u8], &[u8]) {
    let mark = if file.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { 0 };
    file.split_at(mark)
}

fn moved(place: &Range<usize>, distance: usize) -> Range<usize> {
    place.start + distance..place.end + distance
}
