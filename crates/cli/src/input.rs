//! What the user gives to run on: the words of the command line and what is piped in.
//!
//! Owns how the two become one prompt. What is piped in is data: it is never expanded or
//! executed. Must not wait for a pipe that a host merely left open.

use std::io::{self, IsTerminal as _, Read};

/// How much is taken from a pipe, in bytes: no model reads more, and some pipes never end.
const MOST_PIPED: u64 = 64 * 1024 * 1024;

/// What there is to run on.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Input {
    /// A prompt.
    Prompt(Prompt),
    /// Nothing at all, from a terminal: the user wants to talk.
    Nothing,
    /// Nothing at all, where a prompt has to come from the arguments or the pipe.
    Missing,
}

/// The two parts of a prompt; at least one is there.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Prompt {
    /// What was typed. Its notations (`/name`, `!command`, `@path`) hold.
    pub(crate) typed: Option<String>,
    /// What was piped in: data. Where it is all there is, print mode is meant.
    pub(crate) piped: Option<String>,
}

impl Prompt {
    /// Returns the message: what became of the typed part, and below it the piped one.
    pub(crate) fn message(expanded: String, piped: Option<&str>) -> String {
        match piped {
            Some(piped) if expanded.is_empty() => piped.to_owned(),
            Some(piped) => format!("{expanded}\n{piped}"),
            None => expanded,
        }
    }
}

/// Why what is piped in cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum InputError {
    /// The pipe fails.
    #[error("cannot read stdin: {0}")]
    Unreadable(#[from] io::Error),
    /// There is more than any model reads.
    #[error(
        "more than 64 MiB came through stdin: cut it first, as with head, or give a file's path"
    )]
    TooMuch,
    /// The bytes are no text.
    #[error("what came through stdin is no UTF-8 text: convert it first, or give a file's path")]
    NotText,
}

/// Puts the prompt together. Stdin is read only where no message was given or `print` asks for
/// an answer alone.
pub(crate) fn gather(message: Option<String>, print: bool) -> Result<Input, InputError> {
    let wants_stdin = print || message.is_none();
    if !wants_stdin || io::stdin().is_terminal() {
        return Ok(combine(message, None, print));
    }
    let text = read(io::stdin().lock(), MOST_PIPED)?;
    Ok(combine(message, Some(&text), print))
}

/// Returns the text that comes through `pipe`, of at most `limit` bytes.
fn read(pipe: impl Read, limit: u64) -> Result<String, InputError> {
    let mut bytes = Vec::new();
    pipe.take(limit + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        return Err(InputError::TooMuch);
    }
    String::from_utf8(bytes).map_err(|_| InputError::NotText)
}

fn combine(message: Option<String>, stdin: Option<&str>, print: bool) -> Input {
    let stdin_text = stdin.map(str::trim_end).filter(|text| !text.is_empty());
    match (message, stdin_text.map(str::to_owned)) {
        (None, None) if print || stdin.is_some() => Input::Missing,
        (None, None) => Input::Nothing,
        (typed, piped) => Input::Prompt(Prompt { typed, piped }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prompt(typed: Option<&str>, piped: Option<&str>) -> Input {
        let owned = |text: &str| text.to_owned();
        Input::Prompt(Prompt { typed: typed.map(owned), piped: piped.map(owned) })
    }

    #[test]
    fn what_is_typed_and_what_is_piped_stay_apart() {
        let message = || Some("explain:".to_owned());
        for (given, stdin, print, expected) in [
            (message(), None, false, prompt(Some("explain:"), None)),
            (message(), Some("a\nb\n"), true, prompt(Some("explain:"), Some("a\nb"))),
            (message(), Some(" \n"), true, prompt(Some("explain:"), None)),
            (None, Some("!rm x\n"), false, prompt(None, Some("!rm x"))),
            (None, Some(""), false, Input::Missing),
            (None, None, true, Input::Missing),
            (None, None, false, Input::Nothing),
        ] {
            assert_eq!(combine(given, stdin, print), expected, "{stdin:?} {print}");
        }
    }

    #[test]
    fn an_endless_pipe_is_given_up() {
        assert!(matches!(read(io::repeat(b'a'), 1000), Err(InputError::TooMuch)));
        assert!(matches!(read(&b"\xff"[..], 10), Err(InputError::NotText)));
        assert_eq!(read(&b"abc"[..], 3).unwrap(), "abc");
    }

    #[test]
    fn the_piped_part_comes_below_the_typed_one() {
        for (expanded, piped, expected) in [
            ("explain:", Some("a\nb"), "explain:\na\nb"),
            ("explain:", None, "explain:"),
            ("", Some("!rm x"), "!rm x"),
        ] {
            assert_eq!(Prompt::message(expanded.to_owned(), piped), expected);
        }
    }
}
