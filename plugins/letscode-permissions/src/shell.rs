//! A shell command as the simple commands that it runs, as far as that can be known.
//!
//! Owns a small reader that would rather doubt than guess: what it does not know for sure is told as a
//! doubt, and no pattern allows such a command. Must not decide anything.

mod hidden;
mod reader;

pub(crate) use hidden::WITH_COMMANDS;

use crate::pattern::{OPTIONAL, UNKNOWN, with_words};
use std::ops::Range;

/// Programs that run what stands behind them, so that it counts too.
const WRAPPERS: [&str; 38] = [
    "busybox",
    "builtin",
    "choom",
    "chroot",
    "chrt",
    "command",
    "doas",
    "env",
    "exec",
    "find",
    "flock",
    "ionice",
    "nice",
    "nohup",
    "nsenter",
    "parallel",
    "pkexec",
    "prlimit",
    "runuser",
    "script",
    "setarch",
    "setpriv",
    "setsid",
    "ssh",
    "start-stop-daemon",
    "stdbuf",
    "strace",
    "su",
    "sudo",
    "taskset",
    "time",
    "timeout",
    "toybox",
    "unbuffer",
    "unshare",
    "watch",
    "xargs",
    "xvfb-run",
];

/// Words that are a part of the shell's language.
const RESERVED: [&str; 22] = [
    "!", "[[", "]]", "case", "coproc", "do", "done", "elif", "else", "esac", "fi", "for",
    "function", "if", "in", "select", "then", "time", "until", "while", "{", "}",
];

/// Commands after which other text runs than what is written, now or later.
const HIDES_OTHERS: [&str; 15] = [
    ".",
    "alias",
    "bind",
    "compgen",
    "complete",
    "enable",
    "eval",
    "fc",
    "hash",
    "jobs",
    "mapfile",
    "readarray",
    "source",
    "trap",
    "unalias",
];

/// Commands of the shell that work out what stands in brackets, and run what is put in there.
const WORKS_OUT: [&str; 14] = [
    "[", "declare", "export", "getopts", "let", "local", "printf", "read", "readonly", "shift",
    "test", "typeset", "unset", "wait",
];

/// Programs that take a whole command as one argument.
const SHELLS: [&str; 7] = ["ash", "bash", "dash", "fish", "ksh", "sh", "zsh"];

/// A command as it was read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Reading {
    /// The simple commands in it, in order.
    pub(crate) parts: Vec<Part>,
    /// Why it cannot be known what runs; the first reason counts.
    pub(crate) doubt: Option<&'static str>,
    /// Why a rule against something may not see all that runs, where there is no doubt otherwise.
    pub(crate) hidden: Option<&'static str>,
    /// What a rule against something has to be held against.
    pub(crate) suspects: Suspects,
    /// What the command may amount to, if its programs do with their arguments what others do.
    pub(crate) likely: Suspects,
}

/// A simple command: a program and its arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Part {
    /// Its words without their quotes, with a space between them. What the shell puts in is
    /// [`UNKNOWN`] or [`OPTIONAL`].
    pub(crate) text: String,
    /// The words themselves.
    pub(crate) words: Vec<String>,
}

/// Texts that may be commands: each simple command, also without its path, what programs such as
/// `sudo` run, and, where there is a doubt, every piece that might be one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Suspects {
    /// All of them. They overlap, and a long command has many.
    text: String,
    places: Vec<Range<usize>>,
    /// Those among `places` that begin where their text does.
    wholes: Vec<Range<usize>>,
}

/// Reads a command.
pub(crate) fn read(command: &str) -> Reading {
    let mut reading = reader::read(command);
    for part in &reading.parts {
        reading.suspects.add(&part.text, /*may_begin_anywhere*/ false);
        hidden::add_likely(part, &mut reading.likely);
        reading.hidden = reading.hidden.or_else(|| hidden::hidden_in(part));
        if runs_others(&part.text) {
            reading.suspects.add(&with_words(&part.text), /*may_begin_anywhere*/ true);
        }
    }
    if reading.doubt.is_some() {
        for piece in pieces(command) {
            reading.suspects.add(&piece, /*may_begin_anywhere*/ true);
        }
    }
    reading
}

impl Reading {
    /// Returns whether the command surely changes no file.
    pub(crate) fn changes_nothing(&self) -> bool {
        self.doubt.is_none() && self.parts.iter().all(hidden::changes_nothing)
    }
}

impl Suspects {
    /// Returns those that a pattern has to be held against.
    pub(crate) fn for_pattern(&self, pattern: &str) -> impl Iterator<Item = &str> {
        // What begins with any text needs no other beginning.
        let places = if pattern.starts_with('*') { &self.wholes } else { &self.places };
        places.iter().filter_map(|place| self.text.get(place.clone()))
    }

    fn add(&mut self, text: &str, may_begin_anywhere: bool) {
        let begin = self.text.len();
        self.text.push_str(text);
        let end = self.text.len();
        self.wholes.push(begin..end);
        let spaces = text.match_indices([' ', '\n', '\t']).map(|(at, _)| at + 1);
        for start in std::iter::once(0).chain(spaces.filter(|_| may_begin_anywhere)) {
            self.places.push(begin + start..end);
            let program = program_of(text.get(start..).unwrap_or_default());
            if let Some(slash) = program.rfind('/') {
                self.places.push(begin + start + slash + 1..end);
            }
        }
    }
}

/// Returns whether what stands behind a program's name may be a command too.
fn runs_others(text: &str) -> bool {
    let program = program_of(text);
    let name = base_name(program);
    let lists = [&SHELLS[..], &WRAPPERS, &RESERVED];
    is_assignment(program) || lists.iter().any(|list| list.contains(&name))
}

/// Returns the pieces of a text between all that could part commands, without quotes.
fn pieces(command: &str) -> Vec<String> {
    let plain: String = command.chars().filter(|c| !matches!(c, '\'' | '"' | '\\')).collect();
    let parts = plain.split([';', '|', '&', '\n', '(', ')', '`', '{', '}', '<', '>', ',']);
    let words = parts.map(|part| part.split_whitespace().collect::<Vec<_>>().join(" "));
    words.filter(|piece| !piece.is_empty()).collect()
}

fn program_of(text: &str) -> &str {
    text.split([' ', OPTIONAL]).next().unwrap_or_default()
}

fn base_name(program: &str) -> &str {
    program.rsplit('/').next().unwrap_or_default()
}

/// Returns whether a word sets a variable for what stands behind it.
fn is_assignment(word: &str) -> bool {
    let Some((name, _)) = word.split_once('=') else { return false };
    let name = name.strip_suffix('+').unwrap_or(name);
    let is_first = |c: char| c.is_ascii_alphabetic() || c == '_';
    name.starts_with(is_first) && name.chars().all(|c| is_first(c) || c.is_ascii_digit())
}

/// Returns why a simple command is not what it seems, where it is not.
fn doubt_of(words: &[String]) -> Option<&'static str> {
    let program = words.first()?;
    let name = base_name(program);
    if is_assignment(program) {
        return Some("it sets a variable for what it runs");
    }
    if program.contains(UNKNOWN) {
        return Some("which program it runs is known only then");
    }
    if RESERVED.contains(&program.as_str()) {
        return Some("it has branches or loops");
    }
    if HIDES_OTHERS.contains(&name) {
        return Some("it runs text that is not written there");
    }
    let has_text =
        |word: &String| word.starts_with('-') && !word.starts_with("--") && word.contains('c');
    if SHELLS.contains(&name) && words.iter().skip(1).any(has_text) {
        return Some("it hands a text to a shell");
    }
    let is_worked_out =
        |word: &String| word.split_once('[').is_some_and(|(_, inner)| inner.contains(['`', '$']));
    if WORKS_OUT.contains(&name) && words.iter().skip(1).any(is_worked_out) {
        return Some("the shell runs what stands in its brackets");
    }
    let is_odd = |c: char| c.is_whitespace() || c.is_control();
    if program.is_empty() || program.chars().any(is_odd) {
        return Some("its program has an odd name");
    }
    None
}

#[cfg(test)]
mod tests;
