//! What the terminal sends, as keys and pastes.
//!
//! Owns the bytes' meaning, and the one thread that waits for them. Must not know what a key does.

mod decoder;
mod paste;
#[cfg(unix)]
mod reader;
mod sequences;

pub use decoder::Decoder;
#[cfg(unix)]
pub use reader::Reader;
