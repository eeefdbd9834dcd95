//! The one cleaner of foreign text on its way to the screen: what a model, a tool, a file, a server
//! or another program wrote.
//!
//! Owns which characters cannot pass. Must not shorten text.

use std::borrow::Cow;

/// How far apart the stops of a tab are.
const TAB_STOP: usize = 4;

/// Returns foreign text so that it cannot drive a terminal: without escape and control characters
/// but tab and newline, and with characters that turn or hide text spelled out.
pub fn harmless(text: &str) -> Cow<'_, str> {
    let is_plain = |byte: u8| matches!(byte, b' '..=b'~' | b'\t' | b'\n');
    if text.bytes().all(is_plain) || !text.chars().any(is_harmful) {
        return Cow::Borrowed(text);
    }
    let mut clean = String::with_capacity(text.len());
    for character in text.chars() {
        if !is_harmful(character) {
            clean.push(character);
        } else if !character.is_control() {
            clean.push_str(&format!("<U+{:04X}>", u32::from(character)));
        }
    }
    Cow::Owned(clean)
}

/// Returns foreign text as the text of one [`Span`](super::Span): harmless, newlines as blanks, tabs
/// widened to the next stop as if the text stood at the beginning of a row.
pub fn one_line(text: &str) -> Cow<'_, str> {
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return Cow::Borrowed(text);
    }
    let clean = harmless(text);
    if !clean.bytes().any(|byte| matches!(byte, b'\t' | b'\n')) {
        return clean;
    }
    let mut line = String::with_capacity(clean.len() + TAB_STOP);
    let mut piece_start = 0;
    let mut column = 0;
    for (at, character) in clean.char_indices().filter(|(_, c)| matches!(c, '\t' | '\n')) {
        let piece = clean.get(piece_start..at).unwrap_or_default();
        line.push_str(piece);
        column += super::width::of(piece);
        let blanks = if character == '\t' { TAB_STOP - column % TAB_STOP } else { 1 };
        line.extend(std::iter::repeat_n(' ', blanks));
        column += blanks;
        piece_start = at + 1;
    }
    line.push_str(clean.get(piece_start..).unwrap_or_default());
    Cow::Owned(line)
}

/// Returns whether a character can drive the terminal, reorder what is shown, or hide text.
fn is_harmful(character: char) -> bool {
    match character {
        '\t' | '\n' => false,
        '\u{61c}' | '\u{200e}' | '\u{200f}' => true,
        '\u{2028}' | '\u{2029}' => true,
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => true,
        '\u{e0000}'..='\u{e007f}' => true,
        _ => character.is_control(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a48_foreign_text_cannot_drive_the_terminal() {
        for (text, expected) in [
            ("plain\ttext\n", "plain\ttext\n"),
            ("größer – 漢字 🦀", "größer – 漢字 🦀"),
            ("\u{1b}]52;c;aGk=\u{7}", "]52;c;aGk="),
            ("a\u{1b}[2Jb", "a[2Jb"),
            ("a\u{9b}2Jb\u{9d}x\u{9c}", "a2Jbx"),
            ("a\u{0}\u{8}\r\u{7f}b", "ab"),
            ("evil\u{202e}txt.exe", "evil<U+202E>txt.exe"),
            ("a\u{2066}b\u{200f}", "a<U+2066>b<U+200F>"),
            ("hi\u{e0041}", "hi<U+E0041>"),
            ("a\u{2028}b", "a<U+2028>b"),
        ] {
            assert_eq!(harmless(text), expected, "{text:?}");
        }
        assert!(matches!(harmless("größer"), Cow::Borrowed(_)));
    }

    #[test]
    fn one_line_has_neither_tabs_nor_newlines() {
        for (text, expected) in [
            ("plain", "plain"),
            ("\ta", "    a"),
            ("ab\tc", "ab  c"),
            ("漢\tc", "漢  c"),
            ("a\nb", "a b"),
            ("a\t\tb", "a       b"),
            ("abcd\te", "abcd    e"),
        ] {
            assert_eq!(one_line(text), expected, "{text:?}");
        }
    }
}
