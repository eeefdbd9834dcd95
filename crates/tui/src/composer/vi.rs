//! The keys of vi.
//!
//! Owns the mode, and what was typed of a command that is not yet whole. Keys of its insert mode
//! are everybody's; what normal mode has no meaning for is left to the table of keys. Must not
//! know rows.

mod motion;
mod operator;

use super::buffer::Buffer;
use super::kill_ring::KillRing;
use super::undo::Kind;
use crate::keymap::Action;
use crate::keys::{Code, Key};
use motion::{Find, Motion, Takes};
use operator::{Operator, as_operand, put};

/// The highest count; more is a slip.
const MAX_COUNT: usize = 9_999;

/// What a key came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Did {
    /// Nothing yet.
    Nothing,
    /// The text, the caret or the mode changed.
    Changed,
    /// So many rows up or down are to be gone.
    Vertical(Action, usize),
    /// It is no key of vi's.
    NotMine,
}

/// The state of the keys of vi.
#[derive(Debug, Clone, Default)]
pub(super) struct Vi {
    normal: bool,
    command: Command,
    last_find: Option<Find>,
}

/// A command that is being typed.
#[derive(Debug, Clone, Copy, Default)]
struct Command {
    count: Option<usize>,
    operator: Option<Operator>,
    /// The count before the operator.
    outer: Option<usize>,
    waiting: Option<Waiting>,
}

/// What the next letter is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Waiting {
    Find { forward: bool, till: bool },
    Replace,
    G,
}

impl Command {
    fn times(self) -> Option<usize> {
        match (self.outer, self.count) {
            (None, None) => None,
            (outer, inner) => {
                Some((outer.unwrap_or(1).saturating_mul(inner.unwrap_or(1))).min(MAX_COUNT))
            }
        }
    }
}

impl Vi {
    /// Returns whether keys are commands.
    pub(super) fn is_normal(&self) -> bool {
        self.normal
    }

    /// Returns the prompt mark.
    pub(super) fn mark(&self) -> &'static str {
        if self.normal { ": " } else { "> " }
    }

    /// Goes to insert mode.
    pub(super) fn insert(&mut self) {
        self.normal = false;
        self.command = Command::default();
    }

    /// Takes a key.
    pub(super) fn key(&mut self, key: Key, buffer: &mut Buffer, kill_ring: &mut KillRing) -> Did {
        if !self.normal {
            if key != Key::new(Code::Escape) {
                return Did::NotMine;
            }
            self.normal = true;
            let caret = buffer.caret();
            if caret > buffer.line_start(caret) {
                buffer.move_to(buffer.before(caret));
            }
            buffer.close_step();
            return Did::Changed;
        }
        let command = std::mem::take(&mut self.command);
        let letter = match (key.typed(), key.code) {
            (Some(letter), _) => letter,
            (None, Code::Backspace) => 'h',
            (None, Code::Char('r')) if key.modifiers.ctrl && !key.modifiers.alt => {
                (0..command.times().unwrap_or(1)).take_while(|_| buffer.redo()).for_each(drop);
                return Did::Changed;
            }
            (None, Code::Escape) if command.count.is_some() || command.operator.is_some() => {
                return Did::Nothing;
            }
            (None, Code::Escape) if command.waiting.is_some() => return Did::Nothing,
            _ => return Did::NotMine,
        };
        kill_ring.note_other();
        if let Some(waiting) = command.waiting {
            return self.waited(waiting, letter, command, buffer, kill_ring);
        }
        if let Some(digit) = letter.to_digit(10)
            && (digit > 0 || command.count.is_some())
        {
            let digit = usize::try_from(digit).unwrap_or_default();
            let count = command.count.unwrap_or(0) * 10 + digit;
            self.command = Command { count: Some(count.min(MAX_COUNT)), ..command };
            return Did::Nothing;
        }
        self.letter(letter, command, buffer, kill_ring)
    }

    fn letter(
        &mut self,
        letter: char,
        command: Command,
        buffer: &mut Buffer,
        kill_ring: &mut KillRing,
    ) -> Did {
        let times = command.times().unwrap_or(1);
        if let Some(waiting) = waiting(letter) {
            // A letter is put over another only without an operator.
            if waiting != Waiting::Replace || command.operator.is_none() {
                self.command = Command { waiting: Some(waiting), ..command };
            }
            return Did::Nothing;
        }
        if let Some(operator) = operator(letter) {
            return match command.operator {
                None => {
                    let outer = command.count;
                    self.command =
                        Command { operator: Some(operator), outer, ..Command::default() };
                    Did::Nothing
                }
                Some(before) if before == operator => {
                    let last = (1..times).fold(buffer.caret(), |at, _| {
                        let end = buffer.line_end(at);
                        if end == buffer.text().len() { at } else { end + 1 }
                    });
                    self.operate(
                        operator,
                        Motion { to: last, takes: Takes::Lines },
                        buffer,
                        kill_ring,
                    )
                }
                Some(_) => Did::Nothing,
            };
        }
        let found = match letter {
            ';' | ',' => self.last_find.and_then(|find| {
                let forward = find.forward == (letter == ';');
                motion::find(Find { forward, ..find }, times, buffer)
            }),
            ' ' => motion::motion('l', command.times(), buffer),
            _ => motion::motion(letter, command.times(), buffer),
        };
        match (found, command.operator) {
            (Some(motion), Some(operator)) => {
                let motion = as_operand(letter, operator, motion, buffer);
                self.operate(operator, motion, buffer, kill_ring)
            }
            (Some(_), None) if letter == 'j' => Did::Vertical(Action::Down, times),
            (Some(_), None) if letter == 'k' => Did::Vertical(Action::Up, times),
            (Some(motion), None) => go(motion, buffer),
            (None, Some(_)) => Did::Nothing,
            (None, None) => self.edit(letter, times, buffer, kill_ring),
        }
    }

    fn waited(
        &mut self,
        waiting: Waiting,
        letter: char,
        command: Command,
        buffer: &mut Buffer,
        kill_ring: &mut KillRing,
    ) -> Did {
        let times = command.times().unwrap_or(1);
        let motion = match waiting {
            Waiting::Replace => {
                let caret = buffer.caret();
                let line_end = buffer.line_end(caret);
                let places = std::iter::successors(Some(caret), |at| Some(buffer.behind(*at)));
                let replaced = places.take_while(|at| *at < line_end).take(times).count();
                let end = (0..replaced).fold(caret, |at, _| buffer.behind(at));
                let character = super::units::clean(letter.encode_utf8(&mut [0; 4])).into_owned();
                if replaced > 0 {
                    buffer.replace(caret..end, &character.repeat(replaced), Kind::Alone);
                    buffer.move_to(buffer.before(buffer.caret()));
                }
                return Did::Changed;
            }
            Waiting::G if letter == 'g' => {
                let to = motion::line(buffer, Some(times));
                Some(Motion { to, takes: Takes::Lines })
            }
            Waiting::G => None,
            Waiting::Find { forward, till } => {
                let find = Find { character: letter, forward, till };
                self.last_find = Some(find);
                motion::find(find, times, buffer)
            }
        };
        match (motion, command.operator) {
            (Some(motion), Some(operator)) => self.operate(operator, motion, buffer, kill_ring),
            (Some(motion), None) => go(motion, buffer),
            (None, _) => Did::Nothing,
        }
    }

    fn operate(
        &mut self,
        operator: Operator,
        motion: Motion,
        buffer: &mut Buffer,
        kill_ring: &mut KillRing,
    ) -> Did {
        operator::operate(operator, motion, buffer, kill_ring);
        self.normal = operator != Operator::Change;
        Did::Changed
    }

    fn edit(
        &mut self,
        letter: char,
        times: usize,
        buffer: &mut Buffer,
        kill_ring: &mut KillRing,
    ) -> Did {
        let caret = buffer.caret();
        let (line_start, line_end) = (buffer.line_start(caret), buffer.line_end(caret));
        let right = (0..times).fold(caret, |at, _| buffer.behind(at).min(line_end));
        let between = |to| Motion { to, takes: Takes::Between };
        let lines = Motion { to: caret, takes: Takes::Lines };
        match letter {
            'x' => return self.operate(Operator::Delete, between(right), buffer, kill_ring),
            'X' => {
                let left = (0..times).fold(caret, |at, _| buffer.before(at).max(line_start));
                return self.operate(Operator::Delete, between(left), buffer, kill_ring);
            }
            'D' => return self.operate(Operator::Delete, between(line_end), buffer, kill_ring),
            'C' => return self.operate(Operator::Change, between(line_end), buffer, kill_ring),
            's' => return self.operate(Operator::Change, between(right), buffer, kill_ring),
            'S' => return self.operate(Operator::Change, lines, buffer, kill_ring),
            'Y' => return self.operate(Operator::Yank, lines, buffer, kill_ring),
            'p' | 'P' => put(letter == 'p', times, buffer, kill_ring),
            'u' => (0..times).take_while(|_| buffer.undo()).for_each(drop),
            'i' => self.insert(),
            'I' => {
                buffer.move_to(motion::first_letter(buffer, caret));
                self.insert();
            }
            'a' => {
                buffer.move_to(buffer.behind(caret).min(line_end));
                self.insert();
            }
            'A' => {
                buffer.move_to(line_end);
                self.insert();
            }
            'o' => {
                buffer.replace(line_end..line_end, "\n", Kind::Alone);
                self.insert();
            }
            'O' => {
                buffer.replace(line_start..line_start, "\n", Kind::Alone);
                buffer.move_to(line_start);
                self.insert();
            }
            _ => return Did::Nothing,
        }
        Did::Changed
    }
}

/// Moves the caret from behind the last character of a line onto it.
pub(super) fn step_onto_line(buffer: &mut Buffer) {
    let caret = buffer.caret();
    if caret == buffer.line_end(caret) && caret > buffer.line_start(caret) {
        buffer.move_to(buffer.before(caret));
    }
}

fn waiting(letter: char) -> Option<Waiting> {
    Some(match letter {
        'f' => Waiting::Find { forward: true, till: false },
        'F' => Waiting::Find { forward: false, till: false },
        't' => Waiting::Find { forward: true, till: true },
        'T' => Waiting::Find { forward: false, till: true },
        'r' => Waiting::Replace,
        'g' => Waiting::G,
        _ => return None,
    })
}

fn operator(letter: char) -> Option<Operator> {
    Some(match letter {
        'd' => Operator::Delete,
        'c' => Operator::Change,
        'y' => Operator::Yank,
        _ => return None,
    })
}

fn go(motion: Motion, buffer: &mut Buffer) -> Did {
    let before = buffer.caret();
    buffer.move_to(motion.to);
    step_onto_line(buffer);
    if buffer.caret() == before { Did::Nothing } else { Did::Changed }
}
