//! The walk through a command's text.
//!
//! Owns quotes, separators, redirections and what the shell would put in. Must not know programs.

use super::{Part, Reading, doubt_of};
use crate::pattern::{OPTIONAL, UNKNOWN};
use std::iter::Peekable;
use std::str::Chars;

/// Where what a program prints is dropped.
const NOWHERE: &str = "/dev/null";

pub(super) fn read(command: &str) -> Reading {
    let mut reader = Reader {
        input: command.chars().peekable(),
        reading: Reading::default(),
        words: Vec::new(),
        word: None,
        redirection: None,
    };
    if command.contains([UNKNOWN, OPTIONAL]) {
        reader.doubt("it holds a character that no command has");
    }
    reader.run();
    reader.reading
}

struct Reader<'a> {
    input: Peekable<Chars<'a>>,
    reading: Reading,
    /// The words of the simple command so far.
    words: Vec<Word>,
    /// The word so far; `None` between words.
    word: Option<Word>,
    /// What the next word is for, where it is no argument.
    redirection: Option<Redirection>,
}

#[derive(Default)]
struct Word {
    text: String,
    /// Whether any of it was quoted.
    is_quoted: bool,
    /// Whether the shell makes of the rest what it likes.
    is_open: bool,
}

#[derive(Clone, Copy)]
enum Redirection {
    /// From or into what the word names.
    File,
    /// From or into what has the number.
    Number,
}

impl Reader<'_> {
    fn run(&mut self) {
        while let Some(letter) = self.input.next() {
            match letter {
                ' ' | '\t' => self.end_word(),
                '\n' | ';' => self.end_command(),
                '|' => {
                    self.skip_if(|c| matches!(c, '|' | '&'));
                    self.end_command();
                }
                '&' => self.ampersand(),
                '(' | ')' => {
                    self.doubt("it has parentheses");
                    self.end_command();
                }
                '`' => {
                    self.substitution();
                    self.end_command();
                }
                '<' | '>' => self.redirect(letter),
                '#' if self.word.is_none() => while self.skip_if(|c| c != '\n') {},
                '\\' => self.backslash(),
                '\'' => self.single_quotes(),
                '"' => self.double_quotes(),
                '$' => self.dollar(/*is_quoted*/ false),
                '*' | '?' => self.push(UNKNOWN),
                '[' | '{' => self.open_word(letter),
                '~' if self.is_tilde() => self.push(UNKNOWN),
                other => self.push(other),
            }
        }
        self.end_command();
    }

    fn doubt(&mut self, reason: &'static str) {
        self.reading.doubt.get_or_insert(reason);
    }

    fn substitution(&mut self) {
        self.doubt("it puts in what another command prints");
    }

    fn skip_if(&mut self, is_it: impl FnOnce(char) -> bool) -> bool {
        self.input.next_if(|c| is_it(*c)).is_some()
    }

    fn word(&mut self) -> &mut Word {
        self.word.get_or_insert_default()
    }

    fn push(&mut self, letter: char) {
        let word = self.word();
        if !word.is_open {
            word.text.push(letter);
        }
    }

    fn push_quoted(&mut self, letter: char) {
        self.word().is_quoted = true;
        self.push(letter);
    }

    /// Begins what is a set of letters or of words, of which the shell chooses.
    fn open_word(&mut self, letter: char) {
        let stands_alone =
            self.word.is_none() && self.input.peek().is_none_or(|next| next.is_ascii_whitespace());
        if stands_alone {
            return self.push(letter);
        }
        self.push(UNKNOWN);
        self.word().is_open = true;
    }

    /// Returns whether a `~` here is somebody's home.
    fn is_tilde(&self) -> bool {
        self.word
            .as_ref()
            .is_none_or(|word| word.text.is_empty() || word.text.ends_with(['=', ':']))
    }

    fn ampersand(&mut self) {
        if self.input.peek() == Some(&'>') {
            self.end_word();
            self.input.next();
            self.skip_if(|c| c == '>');
            self.expect(Redirection::File);
        } else if self.skip_if(|c| c == '&') {
            self.end_command();
        } else {
            self.doubt("it goes on in the background");
            self.end_command();
        }
    }

    fn redirect(&mut self, letter: char) {
        let is_what_is_redirected =
            |word: &Word| !word.is_quoted && word.text.chars().all(|c| c.is_ascii_digit());
        if self.word.as_ref().is_some_and(is_what_is_redirected) {
            self.word = None;
        }
        self.end_word();
        match (letter, self.input.peek()) {
            (_, Some('(')) => self.substitution(),
            (_, Some('&')) => {
                self.input.next();
                self.expect(Redirection::Number);
            }
            ('<', Some('<')) => {
                while self.skip_if(|c| matches!(c, '<' | '-')) {}
                self.doubt("it has text for a program within it");
            }
            (_, next) => {
                if matches!((letter, next), ('>', Some('>' | '|')) | ('<', Some('>'))) {
                    self.input.next();
                }
                self.expect(Redirection::File);
            }
        }
    }

    fn expect(&mut self, redirection: Redirection) {
        if self.redirection.replace(redirection).is_some() {
            self.doubt("a redirection leads nowhere");
        }
    }

    fn backslash(&mut self) {
        match self.input.next() {
            Some('\n') => {}
            Some(letter) => self.push_quoted(letter),
            None => self.doubt("it ends in the middle"),
        }
    }

    fn single_quotes(&mut self) {
        self.word().is_quoted = true;
        loop {
            match self.input.next() {
                Some('\'') => return,
                Some(letter) => self.push_quoted(letter),
                None => return self.doubt("a quote is not closed"),
            }
        }
    }

    fn double_quotes(&mut self) {
        self.word().is_quoted = true;
        loop {
            match self.input.next() {
                Some('"') => return,
                Some('\\') => {
                    match self.input.next_if(|c| matches!(c, '$' | '`' | '"' | '\\' | '\n')) {
                        Some('\n') => {}
                        Some(letter) => self.push_quoted(letter),
                        None => self.push_quoted('\\'),
                    }
                }
                Some('`') => self.substitution(),
                Some('$') => self.dollar(/*is_quoted*/ true),
                Some(letter) => self.push_quoted(letter),
                None => return self.doubt("a quote is not closed"),
            }
        }
    }

    /// Takes what stands behind a `$`: the value of a variable is not known.
    fn dollar(&mut self, is_quoted: bool) {
        self.expansion(is_quoted);
        if self.input.peek() == Some(&'\\') {
            // A line that goes on may go on with the name.
            self.doubt("a variable's name may go on in another line");
        }
    }

    fn expansion(&mut self, is_quoted: bool) {
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        match self.input.peek().copied() {
            Some('(') => self.substitution(),
            Some('{') => {
                self.input.next();
                while self.skip_if(is_name) {}
                if !self.skip_if(|c| c == '}') {
                    self.doubt("it has an expansion that is more than a variable");
                }
                self.push(UNKNOWN);
            }
            Some('\'' | '"') if !is_quoted => self.doubt("it has quotes of a rare kind"),
            Some('[') => self.doubt("it has an expansion that is more than a variable"),
            Some(first) if is_name(first) => {
                self.input.next();
                if !first.is_ascii_digit() {
                    while self.skip_if(is_name) {}
                }
                self.push(UNKNOWN);
            }
            Some('@' | '*' | '#' | '?' | '-' | '$' | '!') => {
                self.input.next();
                self.push(UNKNOWN);
            }
            _ => self.push('$'),
        }
    }

    fn end_word(&mut self) {
        let Some(word) = self.word.take() else { return };
        match self.redirection.take() {
            None => self.words.push(word),
            Some(Redirection::File) if word.text == NOWHERE => {}
            Some(Redirection::Number) if is_number(&word.text) => {}
            Some(Redirection::File | Redirection::Number) => {
                self.doubt("it reads from a file or writes into one");
            }
        }
    }

    fn end_command(&mut self) {
        self.end_word();
        if self.redirection.take().is_some() {
            self.doubt("a redirection leads nowhere");
        }
        let words = std::mem::take(&mut self.words);
        if words.is_empty() {
            return;
        }
        let text = joined(&words);
        let words: Vec<String> = words.into_iter().map(|word| word.text).collect();
        if let Some(reason) = doubt_of(&words) {
            self.doubt(reason);
        }
        self.reading.parts.push(Part { text, words });
    }
}

/// Returns the number of a file descriptor, or the `-` that closes one.
fn is_number(text: &str) -> bool {
    text == "-" || !text.is_empty() && text.chars().all(|c| c.is_ascii_digit())
}

/// Returns the words with a space between them.
fn joined(words: &[Word]) -> String {
    let mut text = String::new();
    for (place, word) in words.iter().enumerate() {
        let may_be_none = !word.is_quoted && word.text.chars().all(|c| c == UNKNOWN);
        match place {
            0 => text.push_str(&word.text),
            _ if may_be_none => text.push(OPTIONAL),
            _ => {
                text.push(' ');
                text.push_str(&word.text);
            }
        }
    }
    text
}
