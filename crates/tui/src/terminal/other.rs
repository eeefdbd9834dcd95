//! The terminal on systems where the interactive mode is not supported.
//!
//! Owns the words that say so. Must not pretend.

use std::io;
use std::path::PathBuf;

pub(super) fn enter(_unset: String, _abrupt: String) -> io::Result<bool> {
    Err(unsupported())
}

pub(super) fn note(_unset: String, _abrupt: String) -> io::Result<()> {
    Err(unsupported())
}

pub(super) fn is_entered() -> bool {
    false
}

pub(super) fn renew() -> io::Result<Option<String>> {
    Ok(None)
}

pub(super) fn leave(_is_abrupt: bool) {}

pub(super) fn name() -> Option<PathBuf> {
    None
}

pub(super) fn is_interactive() -> bool {
    false
}

pub(super) fn size() -> (usize, usize) {
    (80, 24)
}

pub(super) fn write(_bytes: &[u8]) -> io::Result<()> {
    Err(unsupported())
}

pub(super) fn stop_process() -> io::Result<bool> {
    Err(unsupported())
}

fn unsupported() -> io::Error {
    io::Error::new(
        io::ErrorKind::Unsupported,
        "the interactive mode is not supported on this system yet; use `letscode -p`",
    )
}
