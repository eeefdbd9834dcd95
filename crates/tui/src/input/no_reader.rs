//! Reading the terminal on systems where the interactive mode is not supported.
//!
//! Owns the refusal. Must not pretend.

use crate::keys::InputEvent;
use std::io;

/// Reads nothing: it cannot be made here.
#[derive(Debug)]
pub struct Reader(std::convert::Infallible);

impl Reader {
    /// Refuses.
    ///
    /// # Errors
    /// Always.
    pub fn start(_on_event: impl FnMut(Vec<InputEvent>) + Send + 'static) -> io::Result<Self> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Leaves the terminal to others.
    pub fn pause(&self) {
        match self.0 {}
    }

    /// Reads on.
    pub fn resume(&self) {
        match self.0 {}
    }
}
