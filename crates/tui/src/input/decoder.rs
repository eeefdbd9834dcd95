//! Bytes of the terminal into events, however the bytes are split into reads.
//!
//! Owns the state between two reads. Whatever comes, it finds back to reading keys: after a control
//! character at the latest, or a short silence. Must not read or wait itself.

use super::paste::{Held, Paste, is_burst, plain_length};
use super::sequences::{self, Meaning};
use crate::keys::{Code, InputEvent, Key};

const ESCAPE: u8 = 0x1b;
const BELL: u8 = 0x07;
/// Bytes of a sequence that are kept; a longer one has no meaning for us.
const LONGEST_SEQUENCE: usize = 256;
/// How often silence is waited out before a sequence that has begun is given up: on a slow line
/// its rest may take longer than the time that tells a lone Escape.
const PATIENCE: u8 = 5;

/// Reads keys.
#[derive(Debug)]
pub struct Decoder {
    state: State,
    /// What there is of a sequence or a character.
    sequence: Vec<u8>,
    /// Another escape stands before the sequence.
    has_alt: bool,
    /// What is being pasted: bytes add to it until its end.
    paste: Option<Paste>,
    /// Text of which only what follows tells whether it is a paste.
    held: Option<Held>,
    /// Lines that come all at once count as a paste.
    guesses_pastes: bool,
    silences: u8,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// A key or a sequence may begin.
    Ground,
    /// Within a character of UTF-8, of which some bytes are missing.
    Character { missing: u8 },
    /// Behind an escape.
    Escape,
    /// Behind two.
    EscapeEscape,
    /// Behind `ESC [`.
    Control,
    /// Behind `ESC [ [`, with which the Linux console begins its first function keys.
    Console,
    /// Behind `ESC O`.
    SingleShift,
    /// Within a text that the terminal answers with, to a bell or `ESC \`.
    Answer,
    /// Behind an escape in there.
    AnswerEscape,
    /// Within a report of the mouse, which nobody asked for.
    Mouse { missing: u8 },
}

impl Decoder {
    /// Returns a decoder that takes lines which come all at once for a paste, as terminals without
    /// marks around pastes send them.
    pub fn new() -> Self {
        Self {
            state: State::Ground,
            sequence: Vec::new(),
            has_alt: false,
            paste: None,
            held: None,
            guesses_pastes: true,
            silences: 0,
        }
    }

    /// Returns the decoder so that only what the terminal marks is a paste.
    #[must_use]
    pub fn without_guessing(mut self) -> Self {
        self.guesses_pastes = false;
        self
    }

    /// Takes the bytes of one read, and adds what they mean.
    pub fn decode(&mut self, bytes: &[u8], events: &mut Vec<InputEvent>) {
        self.silences = 0;
        self.begin_read(bytes, events);
        let mut rest = bytes;
        while let Some((&byte, behind)) = rest.split_first() {
            let plain = if self.state == State::Ground { self.gather(rest) } else { 0 };
            if plain == 0 {
                self.take(byte, events);
                rest = behind;
            } else {
                rest = rest.get(plain..).unwrap_or_default();
            }
        }
    }

    /// Takes in that nothing came for a while (30 ms suit), which tells a lone Escape from a
    /// sequence. To be called as long as something is [`pending`](Self::pending).
    pub fn timed_out(&mut self, events: &mut Vec<InputEvent>) {
        self.silences = self.silences.saturating_add(1);
        match self.state {
            State::Ground => {
                self.let_go(events);
                if let Some(paste) = &mut self.paste {
                    paste.is_idle = true;
                }
            }
            State::Escape | State::EscapeEscape => self.give_up(events),
            _ if self.silences >= PATIENCE => self.give_up(events),
            _ => {}
        }
    }

    /// Returns whether the bytes so far may be the beginning of something.
    pub fn pending(&self) -> bool {
        self.state != State::Ground || self.paste.is_some() || self.held.is_some()
    }

    /// Looks at a read as a whole.
    fn begin_read(&mut self, bytes: &[u8], events: &mut Vec<InputEvent>) {
        let was_idle = self.paste.as_mut().is_some_and(|paste| std::mem::take(&mut paste.is_idle));
        if self.state != State::Ground {
            return;
        }
        if was_idle && is_interrupt(bytes) {
            // The paste's end got lost. Nobody pastes an interrupt alone: it is the way out.
            self.end_paste(events);
        } else if self.held.as_ref().is_some_and(Held::is_new) && is_lone_character(bytes) {
            // Typed, not pasted: there is nothing to wait for.
            self.held = None;
        } else if self.paste.is_none()
            && self.held.is_none()
            && self.guesses_pastes
            && is_burst(bytes)
        {
            self.held = Some(Held::default());
        }
    }

    /// Takes the text that bytes begin with, where text is being gathered. Returns its length.
    fn gather(&mut self, bytes: &[u8]) -> usize {
        if self.paste.is_none() && self.held.is_none() {
            return 0;
        }
        let length = plain_length(bytes);
        let plain = bytes.get(..length).unwrap_or_default();
        if let Some(paste) = &mut self.paste {
            paste.push(plain);
        } else if let Some(held) = &mut self.held {
            held.bytes.extend_from_slice(plain);
        }
        length
    }

    fn take(&mut self, byte: u8, events: &mut Vec<InputEvent>) {
        match self.state {
            State::Ground => self.ground(byte, events),
            State::Character { missing } => self.character(byte, missing, events),
            State::Escape => self.behind_escape(byte, events),
            State::EscapeEscape => match byte {
                b'[' | b'O' => {
                    self.has_alt = true;
                    self.behind_escape(byte, events);
                }
                _ => {
                    self.key(Key::new(Code::Escape), events);
                    self.state = State::Escape;
                    self.behind_escape(byte, events);
                }
            },
            State::Control => self.control(byte, events),
            State::Console => {
                self.state = State::Ground;
                match sequences::console(byte) {
                    Some(key) => self.key(key, events),
                    None => self.ground(byte, events),
                }
            }
            State::SingleShift => match byte {
                b'0'..=b'9' | b';' => self.remember(byte),
                b'@'..=b'~' => {
                    let key = sequences::single_shift(&self.sequence, byte);
                    self.end_sequence(key.map_or(Meaning::Nothing, Meaning::Key), events);
                }
                _ => self.abandon(byte, events),
            },
            State::Answer => match byte {
                BELL => self.state = State::Ground,
                ESCAPE => self.state = State::AnswerEscape,
                0..=0x1f => self.abandon(byte, events),
                _ => self.remember(byte),
            },
            State::AnswerEscape => {
                self.state = State::Ground;
                if byte != b'\\' {
                    self.ground(ESCAPE, events);
                    self.take(byte, events);
                }
            }
            State::Mouse { missing } => {
                self.state =
                    if missing > 1 { State::Mouse { missing: missing - 1 } } else { State::Ground };
            }
        }
    }

    fn ground(&mut self, byte: u8, events: &mut Vec<InputEvent>) {
        if byte == ESCAPE {
            self.state = State::Escape;
        } else if self.gather(&[byte]) == 0 && self.paste.is_none() {
            self.has_alt = false;
            self.begin_key(byte, events);
        }
    }

    fn behind_escape(&mut self, byte: u8, events: &mut Vec<InputEvent>) {
        if byte != b'[' {
            self.let_go(events);
            if self.paste.is_some() {
                self.state = State::Ground;
                return self.ground(byte, events);
            }
        }
        self.sequence.clear();
        self.state = match byte {
            b'[' => State::Control,
            b'O' => State::SingleShift,
            b']' | b'P' | b'_' | b'^' | b'X' => {
                self.sequence.push(byte);
                State::Answer
            }
            ESCAPE => State::EscapeEscape,
            _ => {
                self.has_alt = true;
                self.state = State::Ground;
                return self.begin_key(byte, events);
            }
        };
    }

    /// Reads a key that is a character or a control character.
    fn begin_key(&mut self, byte: u8, events: &mut Vec<InputEvent>) {
        let missing = match byte {
            0..=0x7f => return self.key(sequences::byte(byte), events),
            0xc2..=0xdf => 1,
            0xe0..=0xef => 2,
            0xf0..=0xf4 => 3,
            _ => return self.has_alt = false,
        };
        self.sequence.clear();
        self.sequence.push(byte);
        self.state = State::Character { missing };
    }

    fn character(&mut self, byte: u8, missing: u8, events: &mut Vec<InputEvent>) {
        if !matches!(byte, 0x80..=0xbf) {
            return self.abandon(byte, events);
        }
        self.sequence.push(byte);
        if missing > 1 {
            self.state = State::Character { missing: missing - 1 };
            return;
        }
        self.state = State::Ground;
        let text = str::from_utf8(&self.sequence).unwrap_or_default();
        match text.chars().next().filter(|character| !character.is_control()) {
            Some(character) => self.key(Key::char(character), events),
            None => self.has_alt = false,
        }
    }

    fn control(&mut self, byte: u8, events: &mut Vec<InputEvent>) {
        match byte {
            b'[' if self.sequence.is_empty() => self.state = State::Console,
            b'M' if self.sequence.is_empty() => self.state = State::Mouse { missing: 3 },
            b'$' if sequences::is_number(&self.sequence) => {
                self.end_sequence(sequences::control(&self.sequence, byte), events);
            }
            b' '..=b'?' => self.remember(byte),
            b'@'..=b'~' => self.end_sequence(sequences::control(&self.sequence, byte), events),
            _ => self.abandon(byte, events),
        }
    }

    fn remember(&mut self, byte: u8) {
        if self.sequence.len() <= LONGEST_SEQUENCE {
            self.sequence.push(byte);
        }
    }

    fn end_sequence(&mut self, meaning: Meaning, events: &mut Vec<InputEvent>) {
        self.state = State::Ground;
        let is_whole = self.sequence.len() <= LONGEST_SEQUENCE;
        let meaning = if is_whole { meaning } else { Meaning::Nothing };
        if let Some(paste) = &mut self.paste {
            match meaning {
                Meaning::PasteEnd => {
                    self.end_paste(events);
                    // A text may hold the mark. What follows at once is not sent off.
                    self.held = self.guesses_pastes.then(Held::behind_paste);
                }
                Meaning::Key(key) => paste.push_key(key),
                _ => {}
            }
        }
        if let (Some(held), Meaning::PasteEnd) = (&mut self.held, meaning) {
            held.is_paste |= !held.bytes.is_empty();
        }
        match meaning {
            Meaning::Key(key) => self.key(key, events),
            Meaning::FocusGained => self.tell(InputEvent::FocusGained, events),
            Meaning::FocusLost => self.tell(InputEvent::FocusLost, events),
            Meaning::PasteBegin => {
                self.let_go(events);
                self.paste.get_or_insert_default();
            }
            Meaning::PasteEnd | Meaning::Nothing => {}
        }
        self.has_alt = false;
    }

    /// Drops what there is of a sequence, for a byte that cannot belong to it.
    fn abandon(&mut self, byte: u8, events: &mut Vec<InputEvent>) {
        self.state = State::Ground;
        self.has_alt = false;
        self.ground(byte, events);
    }

    /// Takes a beginning that did not go on for what it is alone: some are keys.
    fn give_up(&mut self, events: &mut Vec<InputEvent>) {
        let is_empty = self.sequence.is_empty();
        let keys: &[Key] = match self.state {
            State::Escape => &[Key::new(Code::Escape)],
            State::EscapeEscape => &[Key::new(Code::Escape), Key::new(Code::Escape)],
            State::Control if is_empty => &[Key::char('[').alt()],
            State::SingleShift if is_empty => &[Key::char('O').alt()],
            State::Answer => match self.sequence.as_slice() {
                [opening] => &[Key::char(char::from(*opening)).alt()],
                _ => &[],
            },
            _ => &[],
        };
        self.state = State::Ground;
        self.has_alt = false;
        for key in keys {
            self.key(*key, events);
        }
    }

    fn key(&mut self, mut key: Key, events: &mut Vec<InputEvent>) {
        key.modifiers.alt |= std::mem::take(&mut self.has_alt);
        self.tell(InputEvent::Key(key), events);
    }

    fn tell(&mut self, event: InputEvent, events: &mut Vec<InputEvent>) {
        self.let_go(events);
        if self.paste.is_none() {
            events.push(event);
        }
    }

    fn end_paste(&mut self, events: &mut Vec<InputEvent>) {
        if let Some(paste) = self.paste.take() {
            events.push(InputEvent::Paste(paste.into_text()));
        }
    }

    /// Takes text that was held for what it looks like by now.
    fn let_go(&mut self, events: &mut Vec<InputEvent>) {
        let Some(held) = self.held.take() else { return };
        if held.looks_pasted() {
            let mut paste = Paste::default();
            paste.push(&held.bytes);
            events.push(InputEvent::Paste(paste.into_text()));
        } else {
            Self::new().without_guessing().decode(&held.bytes, events);
        }
    }
}

impl Default for Decoder {
    fn default() -> Self {
        Self::new()
    }
}

/// Returns whether a read is Ctrl+C and nothing else, in one of its forms.
fn is_interrupt(bytes: &[u8]) -> bool {
    matches!(bytes, b"\x03" | b"\x1b[99;5u" | b"\x1b[27;5;99~")
}

fn is_lone_character(bytes: &[u8]) -> bool {
    str::from_utf8(bytes).is_ok_and(|text| text.chars().take(2).count() == 1)
}

#[cfg(test)]
mod tests;
