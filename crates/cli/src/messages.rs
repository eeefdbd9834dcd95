//! What the program says to the person at the terminal, beside answers.
//!
//! Owns the lines on stderr, the cleaning of foreign text on the way to the screen, and the exit
//! codes. Every line passes through the masking of keys.

use letscode_core::secrets::Secrets;
use std::borrow::Cow;
use std::fmt::Display;
use std::io::{self, Write as _};
use std::process::ExitCode;

/// How the program ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// All was done.
    Success,
    /// The provider failed.
    ProviderError,
    /// The program was used wrongly.
    Usage,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        match exit {
            Exit::Success => Self::SUCCESS,
            Exit::ProviderError => Self::from(1),
            Exit::Usage => Self::from(2),
        }
    }
}

/// Says on stderr what went wrong. The text may have further lines of advice.
pub(crate) fn error(text: impl Display, secrets: &Secrets) {
    line(&format!("letscode: {text}"), secrets);
}

/// Says in one line on stderr what was left out or is odd.
pub(crate) fn warning(text: impl Display, secrets: &Secrets) {
    let text = format!("letscode: warning: {text}");
    line(&text.replace(['\n', '\r'], " "), secrets);
}

/// Says on stderr why a run failed. The agent has masked the keys in it.
pub(crate) fn failure(text: &str) {
    error(text.replace(['\n', '\r'], " "), &Secrets::default());
}

/// Says in one line on stderr what the user should know of a run. The agent has masked the keys
/// in it.
pub(crate) fn note(text: &str) {
    line(&format!("letscode: {}", text.replace(['\n', '\r'], " ")), &Secrets::default());
}

/// Writes a text to stdout. A reader that is gone is no error.
pub(crate) fn print(text: &str) {
    let mut stdout = io::stdout().lock();
    let _ = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
}

/// Returns foreign text so that it cannot drive a terminal: without escape and control
/// characters but tab and newline, and with characters that turn or hide text spelled out.
pub(crate) fn harmless(text: &str) -> Cow<'_, str> {
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

/// Returns whether a character can drive the terminal, reorder what is shown, or hide text.
fn is_harmful(character: char) -> bool {
    match character {
        '\t' | '\n' => false,
        '\u{61c}' | '\u{200e}' | '\u{200f}' => true,
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => true,
        '\u{e0000}'..='\u{e007f}' => true,
        _ => character.is_control(),
    }
}

/// Writes a cleaned line to stderr. Where that is closed there is nobody to tell.
fn line(text: &str, secrets: &Secrets) {
    let masked = secrets.mask(text);
    let _ = writeln!(io::stderr().lock(), "{}", harmless(&masked));
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
        ] {
            assert_eq!(harmless(text), expected, "{text:?}");
        }
        assert!(matches!(harmless("größer"), Cow::Borrowed(_)));
    }
}
