//! The values of options, and what is said about bad ones.
//!
//! Owns their reading. A text here ends the line "invalid value … for …:".

use crate::config::split_names;
use std::str::FromStr;
use std::time::Duration;

/// Whom the program talks to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Mode {
    /// A person.
    #[default]
    Chat,
    /// A program.
    Rpc,
}

/// The value of `--tools`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ToolNames(pub(crate) Vec<String>);

/// What is wrong with a value.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ValueError {
    #[error("use chat or rpc")]
    Mode,
    #[error("it must not be empty")]
    Empty,
    #[error("use a number of seconds above 0")]
    NotPositive,
    #[error("use a number of seconds")]
    NotSeconds,
}

impl FromStr for Mode {
    type Err = ValueError;

    fn from_str(text: &str) -> Result<Self, ValueError> {
        match text {
            "chat" => Ok(Self::Chat),
            "rpc" => Ok(Self::Rpc),
            _ => Err(ValueError::Mode),
        }
    }
}

impl FromStr for ToolNames {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(Self(split_names(text)))
    }
}

/// Reads text that says something.
pub(super) fn text(text: &str) -> Result<String, ValueError> {
    let text = text.trim();
    if text.is_empty() { Err(ValueError::Empty) } else { Ok(text.to_owned()) }
}

/// Reads a number of seconds, fractions too.
pub(super) fn seconds(text: &str) -> Result<Duration, ValueError> {
    let seconds: f64 = text.trim().parse().map_err(|_| ValueError::NotSeconds)?;
    Duration::try_from_secs_f64(seconds).map_err(|_| ValueError::NotSeconds)
}

/// Reads a number of seconds above zero.
pub(super) fn positive_seconds(text: &str) -> Result<Duration, ValueError> {
    match seconds(text) {
        Ok(duration) if !duration.is_zero() => Ok(duration),
        _ => Err(ValueError::NotPositive),
    }
}
