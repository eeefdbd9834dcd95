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
    if text.chars().all(is_narrow) {
        return text.chars().count();
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

/// Returns whether a character takes one column whatever stands beside it: letters of most alphabets,
/// and what we draw with.
fn is_narrow(character: char) -> bool {
    matches!(character, ' '..='~' | '\u{a1}'..='\u{a8}' | '\u{aa}'..='\u{ac}' | '\u{af}'..='\u{2ff}'
        | '\u{391}'..='\u{3a1}' | '\u{3a3}'..='\u{3ff}' | '\u{400}'..='\u{482}' | '\u{48a}'..='\u{52f}'
        | '–' | '—' | '‘'..='”' | '•' | '…' | '›' | '\u{2500}'..='\u{25a9}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_narrow_character_takes_one_column_beside_any_other() {
        for character in ('\0'..=char::MAX).filter(|character| is_narrow(*character)) {
            for other in ["", "a", "é", "•", "│", "Ж"] {
                let text = format!("{other}{character}{other}");
                let columns: usize = text.graphemes(true).map(of_grapheme).sum();
                assert_eq!(columns, text.chars().count(), "{text:?}");
                assert_eq!(of(&text), columns);
            }
        }
    }
}
