//! Why a handler cannot do what it was asked.
//!
//! Owns the one line that the model or the user reads. Must not keep more.

use std::fmt;

/// Why a handler cannot do what it was asked, in words for whoever asked: the model for a tool, the
/// user for a slash command. Made of any error, so that `?` works.
pub struct Error(String);

impl Error {
    /// Returns an error with this text.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }
}

impl<E: std::error::Error> From<E> for Error {
    fn from(error: E) -> Self {
        Self(error.to_string())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
