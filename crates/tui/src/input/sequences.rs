//! What control sequences from the terminal mean.
//!
//! Owns the tables of all families of terminals: xterm, rxvt, the Linux console, the kitty protocol,
//! `CSI u`, and xterm's `modifyOtherKeys`. Must not keep state.

use crate::keys::{Code, Key, Modifiers};

/// What a sequence means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    /// A key was pressed or repeats.
    Key(Key),
    /// A paste begins.
    PasteBegin,
    /// It ends.
    PasteEnd,
    /// The window has the keyboard.
    FocusGained,
    /// It has not.
    FocusLost,
    /// Nothing for us: an answer to a question, a released key.
    Nothing,
}

/// Returns the key of a byte below 128.
pub(super) fn byte(byte: u8) -> Key {
    match byte {
        0 => Key::char(' ').ctrl(),
        b'\t' => Key::new(Code::Tab),
        b'\r' => Key::new(Code::Enter),
        0x1b => Key::new(Code::Escape),
        0x7f => Key::new(Code::Backspace),
        // Control takes two bits of the letter away.
        0x01..=0x1a => Key::char(char::from(byte + 0x60)).ctrl(),
        0x1c..=0x1f => Key::char(char::from(byte + 0x40)).ctrl(),
        _ => Key::char(char::from(byte)),
    }
}

/// Returns the key of `ESC [ [` and a byte.
pub(super) fn console(last: u8) -> Option<Key> {
    matches!(last, b'A'..=b'E').then(|| Key::new(Code::F(last - b'A' + 1)))
}

/// Returns the key of `ESC O`, parameters and a last byte.
pub(super) fn single_shift(parameters: &[u8], last: u8) -> Option<Key> {
    let parameters = Parameters::read(parameters)?;
    let code = match last {
        // The keypad, where it was told to send other keys than its digits.
        b'M' => Code::Enter,
        b'X' => Code::Char('='),
        b'j'..=b'y' => Code::Char(char::from(last - b'j' + b'*')),
        b'a'..=b'd' => return letter(last.to_ascii_uppercase()).map(|code| Key::new(code).ctrl()),
        _ => letter(last)?,
    };
    // Some write the modifiers alone, some behind a 1.
    let modifiers = parameters.number(1).or(parameters.number(0));
    let modifiers = modifiers_of(modifiers.unwrap_or(1));
    Some(normal(Key { code, modifiers: modifiers.with_meta_as_alt() }))
}

/// Returns the meaning of `ESC [`, parameters and a last byte.
pub(super) fn control(parameters: &[u8], last: u8) -> Meaning {
    let Some(parameters) = Parameters::read(parameters) else { return Meaning::Nothing };
    let is_bare = parameters.0.is_empty();
    let first = parameters.number(0);
    match (last, first) {
        (b'I', _) if is_bare => return Meaning::FocusGained,
        (b'O', _) if is_bare => return Meaning::FocusLost,
        (b'~', Some(200)) => return Meaning::PasteBegin,
        (b'~', Some(201)) => return Meaning::PasteEnd,
        _ => {}
    }
    if parameters.is_release() {
        return Meaning::Nothing;
    }
    let held = modifiers_of(parameters.number(1).unwrap_or(1));
    let legacy = |code: Option<Code>| code.map(|code| (code, held.with_meta_as_alt()));
    // rxvt has a last byte, or a small letter, for each modifier.
    let rxvt = |code: Option<Code>, ctrl, shift| {
        code.map(|code| (code, Modifiers { ctrl, alt: false, shift }))
    };
    let key = match last {
        b'u' => protocol_key(&parameters, held),
        b'~' if first == Some(27) => parameters.number(2).and_then(|code| {
            let code = character_key(code)?;
            held.only_known().map(|modifiers| (code, modifiers))
        }),
        b'~' => legacy(first.and_then(numbered)),
        b'^' => rxvt(first.and_then(numbered), true, false),
        b'$' => rxvt(first.and_then(numbered), false, true),
        b'@' => rxvt(first.and_then(numbered), true, true),
        b'a'..=b'd' => rxvt(letter(last.to_ascii_uppercase()), false, true),
        b'Z' => Some((Code::Tab, Modifiers { shift: true, ..held.with_meta_as_alt() })),
        // An answer about the cursor's place has the same form as F3 with a modifier.
        b'R' if !is_bare && (first != Some(1) || !held.is_some()) => None,
        _ => legacy(letter(last)),
    };
    key.map_or(Meaning::Nothing, |(code, modifiers)| Meaning::Key(normal(Key { code, modifiers })))
}

/// Returns whether parameters are one plain number.
pub(super) fn is_number(parameters: &[u8]) -> bool {
    !parameters.is_empty() && parameters.iter().all(u8::is_ascii_digit)
}

/// The parameters of a sequence: numbers between semicolons, with parts between colons.
struct Parameters<'a>(&'a str);

impl<'a> Parameters<'a> {
    /// Returns nothing where they are marked as an answer's, or hold more than numbers.
    fn read(bytes: &'a [u8]) -> Option<Self> {
        let is_numeric = |byte: &u8| matches!(byte, b'0'..=b'9' | b';' | b':');
        let text = str::from_utf8(bytes).ok()?;
        bytes.iter().all(is_numeric).then_some(Self(text))
    }

    fn number(&self, index: usize) -> Option<u32> {
        self.part(index, 0)
    }

    fn part(&self, index: usize, part: usize) -> Option<u32> {
        self.0.split(';').nth(index)?.split(':').nth(part)?.parse().ok()
    }

    /// Returns whether they tell of a key that was let go.
    fn is_release(&self) -> bool {
        self.part(1, 1) == Some(3)
    }
}

/// The modifiers of a sequence, a bit for each.
#[derive(Clone, Copy)]
struct Held(u32);

const SHIFT: u32 = 1;
const ALT: u32 = 2;
const CTRL: u32 = 4;
/// Meta to xterm, and to iTerm2 the option key; super to the kitty protocol.
const SUPER: u32 = 8;
const HYPER: u32 = 16;
const META: u32 = 32;

impl Held {
    fn modifiers(self) -> Modifiers {
        let has = |bit| self.0 & bit != 0;
        Modifiers { ctrl: has(CTRL), alt: has(ALT), shift: has(SHIFT) }
    }

    fn with_meta_as_alt(self) -> Modifiers {
        let modifiers = self.modifiers();
        Modifiers { alt: modifiers.alt || self.0 & (SUPER | META) != 0, ..modifiers }
    }

    /// Returns nothing where a modifier is held that we have no name for: such a key types nothing.
    fn only_known(self) -> Option<Modifiers> {
        (self.0 & (SUPER | HYPER | META) == 0).then(|| self.modifiers())
    }

    fn is_some(self) -> bool {
        (1..16).contains(&self.0)
    }
}

fn modifiers_of(number: u32) -> Held {
    Held(number.saturating_sub(1))
}

/// Returns the key of `CSI u`, in its plain form and in that of the kitty protocol.
fn protocol_key(parameters: &Parameters<'_>, held: Held) -> Option<(Code, Modifiers)> {
    let modifiers = held.only_known()?;
    let code = character_key(parameters.number(0)?)?;
    let Code::Char(character) = code else { return Some((code, modifiers)) };
    let part = |index, part| parameters.part(index, part).and_then(char::from_u32);
    let (shifted, on_latin_layout, text) = (part(0, 1), part(0, 2), part(2, 0));
    let is_command = modifiers.ctrl || modifiers.alt;
    let meant = if is_command && !character.is_ascii() {
        on_latin_layout
    } else if is_command || text.is_none() {
        shifted.filter(|_| modifiers.shift)
    } else {
        text
    };
    Some((Code::Char(meant.unwrap_or(character)), modifiers))
}

/// Returns a key that is told by the character it types, or by a number that stands for it.
fn character_key(number: u32) -> Option<Code> {
    Some(match number {
        8 | 127 => Code::Backspace,
        9 => Code::Tab,
        13 | 57414 => Code::Enter,
        27 => Code::Escape,
        57376..=57398 => Code::F(u8::try_from(number - 57376 + 13).ok()?),
        57399..=57408 => Code::Char(char::from_digit(number - 57399, 10)?),
        57409 => Code::Char('.'),
        57410 => Code::Char('/'),
        57411 => Code::Char('*'),
        57412 => Code::Char('-'),
        57413 => Code::Char('+'),
        57415 => Code::Char('='),
        57416 => Code::Char(','),
        57417 => Code::Left,
        57418 => Code::Right,
        57419 => Code::Up,
        57420 => Code::Down,
        57421 => Code::PageUp,
        57422 => Code::PageDown,
        57423 => Code::Home,
        57424 => Code::End,
        57425 => Code::Insert,
        57426 => Code::Delete,
        // Keys that type nothing: modifiers, volume, and what else a keyboard has.
        57344..=63743 => return None,
        _ => Code::Char(char::from_u32(number).filter(|character| !character.is_control())?),
    })
}

/// Returns a key that is told by the number before a tilde.
fn numbered(number: u32) -> Option<Code> {
    Some(match number {
        1 | 7 => Code::Home,
        2 => Code::Insert,
        3 => Code::Delete,
        4 | 8 => Code::End,
        5 => Code::PageUp,
        6 => Code::PageDown,
        11..=15 => function_key(number, 10)?,
        17..=21 => function_key(number, 11)?,
        23..=26 => function_key(number, 12)?,
        28..=29 => function_key(number, 13)?,
        31..=34 => function_key(number, 14)?,
        _ => return None,
    })
}

fn function_key(number: u32, gap: u32) -> Option<Code> {
    u8::try_from(number - gap).ok().map(Code::F)
}

/// Returns a key that is told by a letter.
fn letter(letter: u8) -> Option<Code> {
    Some(match letter {
        b'A' => Code::Up,
        b'B' => Code::Down,
        b'C' => Code::Right,
        b'D' => Code::Left,
        b'F' => Code::End,
        b'H' => Code::Home,
        b'P'..=b'S' => Code::F(letter - b'P' + 1),
        _ => return None,
    })
}

/// Returns the key as all terminals mean it: a character is the one that shift makes of it, and
/// with control a small letter.
fn normal(key: Key) -> Key {
    let Code::Char(character) = key.code else { return key };
    let Modifiers { ctrl, alt, shift } = key.modifiers;
    let (code, shift) = match (ctrl, character) {
        // These two are one key in all that know no better.
        (true, '[') => {
            return Key {
                code: Code::Escape,
                modifiers: Modifiers { alt, ..Modifiers::default() },
            };
        }
        // Where it is on nearly every keyboard; a terminal may tell the key rather than its sign.
        (true, '-') if shift => (Code::Char('_'), false),
        (true, _) if character.is_alphabetic() => (Code::Char(lower(character)), shift),
        (false, _) if shift => (Code::Char(upper(character)), false),
        _ => (Code::Char(character), false),
    };
    Key { code, modifiers: Modifiers { ctrl, alt, shift } }
}

fn lower(character: char) -> char {
    let mut lower = character.to_lowercase();
    lower.next().filter(|_| lower.next().is_none()).unwrap_or(character)
}

fn upper(character: char) -> char {
    let mut upper = character.to_uppercase();
    upper.next().filter(|_| upper.next().is_none()).unwrap_or(character)
}
