//! How many columns text takes.
//!
//! Owns the widths of characters as a user sees them: letters with their marks, flags, families of
//! emoji. Must not know lines.

use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::UnicodeWidthStr as _;

/// Returns the number of columns that clean text takes.
pub fn of(text: &str) -> usize {
    if is_simple(text) {
        return text.len();
    }
    text.graphemes(true).map(of_grapheme).sum()
}

/// Returns the longest beginning of clean text that takes at most `columns`.
pub fn prefix(text: &str, columns: usize) -> &str {
    if is_simple(text) {
        return text.get(..columns.min(text.len())).unwrap_or(text);
    }
    let mut taken = 0;
    for (at, grapheme) in text.grapheme_indices(true) {
        taken += of_grapheme(grapheme);
        if taken > columns {
            return text.get(..at).unwrap_or(text);
        }
    }
    text
}

/// Returns the number of columns that one character, as a user sees it, takes: 0, 1 or 2.
pub fn of_grapheme(grapheme: &str) -> usize {
    grapheme.width().min(2)
}

/// Returns whether each byte takes a column.
fn is_simple(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b' '..=b'~'))
}
