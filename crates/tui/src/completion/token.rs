//! The word that is being completed.
//!
//! Owns where words begin, and how names are written so that they are one word. Must not know what
//! is offered.

use super::Edit;
use std::ops::Range;

/// What a word stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A slash command.
    Command,
    /// A file that goes into the message.
    File,
    /// A path in a command of the shell.
    ShellPath,
    /// A path anywhere else.
    Path,
}

impl Kind {
    /// Returns whether offers come by themselves.
    pub(super) fn is_typed(self) -> bool {
        matches!(self, Self::Command | Self::File)
    }
}

/// A word up to the caret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) kind: Kind,
    /// Its bytes, with its mark and quotes.
    range: Range<usize>,
    /// What it says, without them.
    pub(super) query: String,
    /// Whether a blank already stands behind it.
    blank_behind: bool,
}

/// Returns the word at the caret that can be completed; a path only where it is `wanted`.
pub(super) fn at(text: &str, caret: usize, wanted: bool) -> Option<Token> {
    let before = text.get(..caret)?;
    let behind = text.get(caret..).unwrap_or_default();
    let blank_behind = behind.starts_with(char::is_whitespace);
    // Within a word something may be written without completing its beginning.
    let within = behind.starts_with(|next: char| next.is_alphanumeric() || "/._-:".contains(next));
    if within && !wanted {
        return None;
    }
    let token =
        |kind, start, query: String| Some(Token { kind, range: start..caret, query, blank_behind });
    if let Some(name) = before.strip_prefix('/')
        && !name.contains(char::is_whitespace)
        // A path is no command.
        && !name.contains('/')
    {
        return token(Kind::Command, 0, name.to_owned());
    }
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let line = before.get(line_start..)?;
    // To a shell the mark is a letter like others.
    if !text.starts_with('!')
        && let Some((start, name)) = file(line)
    {
        return token(Kind::File, line_start + start, name.to_owned());
    }
    if !wanted {
        return None;
    }
    if text.starts_with('!') {
        let start = shell_word(line).max(first_word_of_shell(line, line_start));
        let word = line.get(start..)?;
        return token(Kind::ShellPath, line_start + start, unescaped(word));
    }
    let start = line.rfind(char::is_whitespace).map_or(0, |blank| {
        blank + line.get(blank..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8)
    });
    let (start, word) = match line.rfind(" \"") {
        // A quote that is still open.
        Some(quote) if line.get(quote + 2..).is_some_and(|rest| !rest.contains('"')) => {
            (quote + 1, line.get(quote + 2..)?)
        }
        _ => (start, line.get(start..)?),
    };
    if word.is_empty() { None } else { token(Kind::Path, line_start + start, word.to_owned()) }
}

impl Token {
    /// Returns where the word begins.
    pub(super) fn start(&self) -> usize {
        self.range.start
    }

    /// Returns the change that makes the word say `value`; `open` where something may follow.
    pub(super) fn edit(&self, value: &str, open: bool) -> Edit {
        let is_folder = value.ends_with('/') && self.kind != Kind::Command;
        let has_blank = value.contains(char::is_whitespace);
        // A folder's quote stays open, to be gone on with.
        let quote = if is_folder { "" } else { "\"" };
        let mut text = match self.kind {
            Kind::Command => format!("/{value}"),
            Kind::File if has_blank => format!("@\"{value}{quote}"),
            Kind::File => format!("@{value}"),
            Kind::ShellPath => escaped(value),
            Kind::Path if has_blank => format!("\"{value}{quote}"),
            Kind::Path => value.to_owned(),
        };
        if open && !is_folder && !self.blank_behind {
            text.push(' ');
        }
        Edit { range: self.range.clone(), text }
    }
}

/// Returns the file that a line ends with, and where its mark stands.
fn file(line: &str) -> Option<(usize, &str)> {
    for (at, _) in line.rmatch_indices('@') {
        let before = line.get(..at)?;
        let begins_word = before.chars().next_back().is_none_or(|character| {
            character.is_whitespace() || matches!(character, '(' | '[' | '{' | '"' | '\'' | '`')
        });
        if !begins_word {
            continue;
        }
        let name = line.get(at + 1..)?;
        match name.strip_prefix('"') {
            Some(quoted) if !quoted.contains('"') => return Some((at, quoted)),
            Some(_) => {}
            None if !name.contains(char::is_whitespace) => return Some((at, name)),
            None => {}
        }
    }
    None
}

/// Returns the place behind the marks with which a command of the shell begins.
fn first_word_of_shell(line: &str, line_start: usize) -> usize {
    if line_start > 0 { 0 } else { line.len() - line.trim_start_matches('!').len() }
}

/// Returns where the last word of a shell's line begins.
fn shell_word(line: &str) -> usize {
    let mut start = 0;
    let mut escaped = false;
    for (at, character) in line.char_indices() {
        if !escaped
            && (character.is_whitespace() || matches!(character, '|' | '&' | ';' | '>' | '<' | '='))
        {
            start = at + character.len_utf8();
        }
        escaped = character == '\\' && !escaped;
    }
    start
}

fn unescaped(word: &str) -> String {
    let mut plain = String::with_capacity(word.len());
    let mut escaped = false;
    for character in word.chars() {
        if character == '\\' && !escaped {
            escaped = true;
        } else {
            plain.push(character);
            escaped = false;
        }
    }
    plain
}

/// Returns a path so that a shell takes it for one word.
fn escaped(path: &str) -> String {
    let mut word = String::with_capacity(path.len());
    for character in path.chars() {
        let plain = character.is_alphanumeric() || "/._-+,:@%~".contains(character);
        if !plain {
            word.push('\\');
        }
        word.push(character);
    }
    word
}
