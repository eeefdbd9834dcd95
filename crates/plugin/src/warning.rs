//! Warnings outside of a call.
//!
//! Owns how one is written. Must not decide what is worth one.

use std::io::{self, Write as _};

/// Warns the user: what a plugin writes to stderr is shown, a line each. With a [`Context`] at hand,
/// [`Context::notify`] says more.
///
/// [`Context`]: crate::Context
/// [`Context::notify`]: crate::Context::notify
pub fn warn(line: &str) {
    // Without a program that reads it there is nobody to tell.
    let _ = writeln!(io::stderr(), "{line}");
}
