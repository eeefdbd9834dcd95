//! Keys, and what else comes from the terminal.
//!
//! Owns the names of keys as config files and the help write them. Must not know what a key does.

use std::fmt;
use std::str::FromStr;

/// Something that the terminal sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InputEvent {
    /// A key was pressed or repeats.
    Key(Key),
    /// Text was pasted, or dropped onto the window: its lines end with `\n`, and it holds no other
    /// control character than that and the tab.
    Paste(String),
    /// The window has the keyboard again.
    FocusGained,
    /// Another window has the keyboard.
    FocusLost,
    /// The terminal is gone: nothing follows.
    Closed,
}

/// A key with the modifiers that were held.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Key {
    /// The key.
    pub code: Code,
    /// What was held.
    pub modifiers: Modifiers,
}

/// A key without modifiers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Code {
    /// A character as it was meant: `A`, not `a` with shift.
    Char(char),
    /// Enter or Return.
    Enter,
    /// Tab; with shift it goes back.
    Tab,
    /// The key that takes away what stands before the caret.
    Backspace,
    /// The key that takes away what stands behind the caret.
    Delete,
    /// Insert.
    Insert,
    /// Escape.
    Escape,
    /// Arrow up.
    Up,
    /// Arrow down.
    Down,
    /// Arrow left.
    Left,
    /// Arrow right.
    Right,
    /// Home.
    Home,
    /// End.
    End,
    /// Page up.
    PageUp,
    /// Page down.
    PageDown,
    /// A function key, from 1.
    F(u8),
}

/// What was held with a key.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Modifiers {
    /// Control.
    pub ctrl: bool,
    /// Alt, Option or Meta.
    pub alt: bool,
    /// Shift; never with a character, which is another one with it.
    pub shift: bool,
}

impl Key {
    /// Returns a key without modifiers.
    pub const fn new(code: Code) -> Self {
        Self { code, modifiers: Modifiers { ctrl: false, alt: false, shift: false } }
    }

    /// Returns a character's key without modifiers.
    pub const fn char(character: char) -> Self {
        Self::new(Code::Char(character))
    }

    /// Returns the key with control held.
    #[must_use]
    pub const fn ctrl(mut self) -> Self {
        self.modifiers.ctrl = true;
        self
    }

    /// Returns the key with alt held.
    #[must_use]
    pub const fn alt(mut self) -> Self {
        self.modifiers.alt = true;
        self
    }

    /// Returns the key with shift held.
    #[must_use]
    pub const fn shift(mut self) -> Self {
        self.modifiers.shift = true;
        self
    }

    /// Returns the character that the key types: none where control or alt is held.
    pub const fn typed(self) -> Option<char> {
        match self.code {
            Code::Char(character) if !self.modifiers.ctrl && !self.modifiers.alt => Some(character),
            _ => None,
        }
    }
}

/// The keys that have a name, with the names that are read and, first, written.
const NAMES: [(Code, &[&str]); 15] = [
    (Code::Enter, &["enter", "return"]),
    (Code::Tab, &["tab"]),
    (Code::Backspace, &["backspace"]),
    (Code::Delete, &["delete", "del"]),
    (Code::Insert, &["insert"]),
    (Code::Escape, &["esc", "escape"]),
    (Code::Up, &["up"]),
    (Code::Down, &["down"]),
    (Code::Left, &["left"]),
    (Code::Right, &["right"]),
    (Code::Home, &["home"]),
    (Code::End, &["end"]),
    (Code::PageUp, &["pageup", "pgup"]),
    (Code::PageDown, &["pagedown", "pgdn"]),
    (Code::Char(' '), &["space"]),
];

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Modifiers { ctrl, alt, shift } = self.modifiers;
        for (held, name) in [(ctrl, "ctrl+"), (alt, "alt+"), (shift, "shift+")] {
            if held {
                f.write_str(name)?;
            }
        }
        let named = NAMES.iter().find(|(code, _)| *code == self.code);
        match (named.and_then(|(_, names)| names.first()), self.code) {
            (Some(name), _) => f.write_str(name),
            (None, Code::Char(character)) => write!(f, "{character}"),
            (None, Code::F(number)) => write!(f, "f{number}"),
            (None, other) => write!(f, "{other:?}"),
        }
    }
}

/// Text that names no key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is no key: write it like ctrl+j, alt+enter, f2 or esc")]
pub struct UnknownKey {
    /// The text.
    pub text: String,
}

impl FromStr for Key {
    type Err = UnknownKey;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let unknown = || UnknownKey { text: text.to_owned() };
        let mut modifiers = Modifiers::default();
        let mut rest = text.trim();
        // A plus sign alone is the key of that name.
        while let Some((held, behind)) = rest.split_once('+').filter(|(_, key)| !key.is_empty()) {
            match held.to_ascii_lowercase().as_str() {
                "ctrl" | "control" | "c" => modifiers.ctrl = true,
                "alt" | "meta" | "option" => modifiers.alt = true,
                "shift" => modifiers.shift = true,
                _ => return Err(unknown()),
            }
            rest = behind;
        }
        let code = code(rest).ok_or_else(unknown)?;
        let code = match code {
            // Control makes no difference between small and capital letters.
            Code::Char(character) if modifiers.ctrl => Code::Char(character.to_ascii_lowercase()),
            Code::Char(character) if std::mem::take(&mut modifiers.shift) => {
                Code::Char(character.to_ascii_uppercase())
            }
            other => other,
        };
        Ok(Self { code, modifiers })
    }
}

fn code(text: &str) -> Option<Code> {
    let mut characters = text.chars();
    if let (Some(character), None) = (characters.next(), characters.next()) {
        return Some(Code::Char(character));
    }
    let name = text.to_ascii_lowercase();
    let named = NAMES.iter().find(|(_, names)| names.contains(&name.as_str()));
    named.map(|(code, _)| *code).or_else(|| {
        let number = name.strip_prefix('f')?.parse().ok()?;
        (1..=24).contains(&number).then_some(Code::F(number))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_read_as_they_are_written() {
        for (text, key) in [
            ("ctrl+j", Key::char('j').ctrl()),
            ("alt+enter", Key::new(Code::Enter).alt()),
            ("shift+tab", Key::new(Code::Tab).shift()),
            ("ctrl+alt+x", Key::char('x').ctrl().alt()),
            ("f12", Key::new(Code::F(12))),
            ("esc", Key::new(Code::Escape)),
            ("space", Key::char(' ')),
            ("+", Key::char('+')),
            ("ctrl++", Key::char('+').ctrl()),
            ("pageup", Key::new(Code::PageUp)),
            ("?", Key::char('?')),
        ] {
            assert_eq!(text.parse(), Ok(key), "{text}");
            assert_eq!(key.to_string(), text);
        }
        assert_eq!("Ctrl+J".parse(), Ok(Key::char('j').ctrl()));
        assert_eq!("shift+a".parse(), Ok(Key::char('A')));
    }

    #[test]
    fn what_is_no_key_is_an_error_that_shows_the_form() {
        for text in ["", "hyper+x", "ctrl+", "f0", "f99", "enterr"] {
            let error = text.parse::<Key>().expect_err(text);
            assert!(error.to_string().contains("ctrl+j"), "{error}");
        }
    }
}
