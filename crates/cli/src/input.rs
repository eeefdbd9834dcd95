//! What the user gives to run on: the words of the command line and what is piped in.
//!
//! Owns how the two become one prompt. What is piped in is data: it is never expanded or
//! executed. Must not wait for a pipe that a host merely left open.

use std::io::{self, IsTerminal as _, Read as _};

/// What there is to run on.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Input {
    /// A prompt; `piped` where no word of it was typed, which implies print mode.
    Prompt {
        /// The text.
        text: String,
        /// Whether all of it came through the pipe.
        piped: bool,
    },
    /// Nothing at all, from a terminal: the user wants to talk.
    Nothing,
    /// Nothing at all, where a prompt has to come from the arguments or the pipe.
    Missing,
}

/// Why what is piped in cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum InputError {
    /// The pipe fails.
    #[error("cannot read stdin: {0}")]
    Unreadable(#[from] io::Error),
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
    let mut bytes = Vec::new();
    io::stdin().lock().read_to_end(&mut bytes)?;
    let text = String::from_utf8(bytes).map_err(|_| InputError::NotText)?;
    Ok(combine(message, Some(&text), print))
}

fn combine(message: Option<String>, stdin: Option<&str>, print: bool) -> Input {
    let stdin_text = stdin.map(str::trim_end).filter(|text| !text.is_empty());
    match (message, stdin_text) {
        (Some(message), None) => Input::Prompt { text: message, piped: false },
        (Some(message), Some(text)) => {
            Input::Prompt { text: format!("{message}\n{text}"), piped: false }
        }
        (None, Some(text)) => Input::Prompt { text: text.to_owned(), piped: true },
        (None, None) if print || stdin.is_some() => Input::Missing,
        (None, None) => Input::Nothing,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prompt(text: &str, piped: bool) -> Input {
        Input::Prompt { text: text.to_owned(), piped }
    }

    #[test]
    fn message_and_pipe_become_one_prompt() {
        let message = || Some("explain:".to_owned());
        for (given, stdin, print, expected) in [
            (message(), None, false, prompt("explain:", false)),
            (message(), Some("a\nb\n"), true, prompt("explain:\na\nb", false)),
            (message(), Some(" \n"), true, prompt("explain:", false)),
            (None, Some("!rm x\n"), false, prompt("!rm x", true)),
            (None, Some(""), false, Input::Missing),
            (None, None, true, Input::Missing),
            (None, None, false, Input::Nothing),
        ] {
            assert_eq!(combine(given, stdin, print), expected, "{stdin:?} {print}");
        }
    }
}
