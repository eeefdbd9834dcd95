//! This machine: shell commands, each in its own session.
//!
//! Owns the life of a command and of all that it started. Must not know what its output means.

#[cfg(unix)]
mod commands;
#[cfg(not(unix))]
mod no_commands;

#[cfg(unix)]
mod shell;

#[cfg(unix)]
mod pump;

#[cfg(unix)]
mod live;

#[cfg(unix)]
mod tree;

#[cfg(target_os = "linux")]
mod table;

#[cfg(unix)]
pub use shell::MARKER;
#[cfg(unix)]
pub use tree::ProcessTree;

#[cfg(unix)]
pub(super) use commands::Commands;
#[cfg(not(unix))]
pub(super) use no_commands::Commands;

#[cfg(unix)]
#[cfg(test)]
mod tests;
