//! What the terminal sends, as keys and pastes.
//!
//! Owns the bytes' meaning, and the one thread that waits for them. Must not know what a key does.

mod decoder;
#[cfg(not(unix))]
mod no_reader;
mod paste;
#[cfg(unix)]
mod reader;
mod sequences;

pub use decoder::Decoder;
#[cfg(not(unix))]
pub use no_reader::Reader;
#[cfg(unix)]
pub use reader::Reader;
