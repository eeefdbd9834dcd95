//! What a command of a plugin's shows, with and without its colours.
//!
//! Owns which escape sequences are left in it. Must not know how a front end draws.

use std::iter::Peekable;
use std::str::Chars;

const ESCAPE: char = '\u{1b}';
const BELL: char = '\u{7}';

/// A text to be shown.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Shown {
    /// The text without escape sequences.
    pub(crate) plain: String,
    /// The text with those alone that change how it looks; `None` where it has none.
    pub(crate) styled: Option<String>,
}

impl Shown {
    /// Reads a text that may hold escape sequences.
    pub(crate) fn read(text: &str) -> Self {
        if !text.contains([ESCAPE, '\u{9b}', '\u{9d}']) {
            return Self { plain: text.to_owned(), styled: None };
        }
        let (mut plain, mut styled) = (String::new(), String::new());
        let mut characters = text.chars().peekable();
        while let Some(character) = characters.next() {
            let kind = match character {
                ESCAPE => characters.next(),
                '\u{9b}' => Some('['),
                '\u{9d}' => Some(']'),
                _ => {
                    plain.push(character);
                    styled.push(character);
                    continue;
                }
            };
            match kind {
                Some('[') => {
                    if let Some(codes) = codes_of_look(&mut characters) {
                        styled.push_str(&format!("{ESCAPE}[{codes}m"));
                    }
                }
                Some(']' | 'P' | 'X' | '^' | '_') => skip_string(&mut characters),
                // Of more characters than one; the last stands behind these.
                Some(' '..='/') => skip_while(&mut characters, |it| matches!(it, ' '..='/'), true),
                _ => {}
            }
        }
        let has_looks = styled.len() > plain.len();
        Self { plain, styled: has_looks.then_some(styled) }
    }
}

/// Takes a control sequence; returns its codes where it changes how text looks.
fn codes_of_look(characters: &mut Peekable<Chars<'_>>) -> Option<String> {
    let mut codes = String::new();
    while let Some(code) = characters.next_if(|it| matches!(it, ' '..='?')) {
        codes.push(code);
    }
    let end = characters.next_if(|it| matches!(it, '@'..='~'));
    let is_code = |code: char| code.is_ascii_digit() || matches!(code, ';' | ':');
    (end == Some('m') && codes.chars().all(is_code)).then_some(codes)
}

/// Takes a string for the terminal, which ends with its line at the latest.
fn skip_string(characters: &mut Peekable<Chars<'_>>) {
    skip_while(characters, |it| !matches!(it, BELL | ESCAPE | '\u{9c}' | '\n'), false);
    match characters.peek() {
        Some(&ESCAPE) => {
            characters.next();
            characters.next_if_eq(&'\\');
        }
        Some(&(BELL | '\u{9c}')) => drop(characters.next()),
        _ => {}
    }
}

fn skip_while(characters: &mut Peekable<Chars<'_>>, skips: fn(char) -> bool, and_one: bool) {
    while characters.next_if(|it| skips(*it)).is_some() {}
    if and_one {
        characters.next_if(|it| !it.is_control());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_looks_are_left_and_only_in_the_styled_text() {
        for (text, plain, styled) in [
            ("plain [31m", "plain [31m", None),
            ("\u{1b}[1;31mred\u{1b}[0m", "red", Some("\u{1b}[1;31mred\u{1b}[0m")),
            ("a\u{1b}[2Jb\u{1b}[?25lc", "abc", None),
            ("a\u{1b}[4mb\u{1b}[1A", "ab", Some("a\u{1b}[4mb")),
            ("\u{9b}32mgreen", "green", Some("\u{1b}[32mgreen")),
            ("\u{1b}]8;;http://h\u{1b}\\link\u{1b}]8;;\u{7}", "link", None),
            ("\u{1b}]0;never ended\nnext", "\nnext", None),
            ("\u{1b}(Bx\u{1b}cy\u{1b}", "xy", None),
            ("\u{1b}[>4;1mx\u{1b}[31", "x", None),
        ] {
            let shown = Shown::read(text);
            assert_eq!((&*shown.plain, shown.styled.as_deref()), (plain, styled), "{text:?}");
        }
    }
}
