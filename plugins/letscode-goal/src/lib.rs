//! Goals that the agent works toward until a second look finds them reached, as a plugin of letscode.
//!
//! Owns `/goal` and what happens whenever the agent would stop: an evaluator reads the newest part of
//! the conversation, and what it misses goes back to the agent. A process of its own that speaks the
//! plugin protocol. Must not know the agent, nor speak with a model itself.
#![cfg_attr(
    test,
    allow(clippy::disallowed_methods, reason = "tests prepare and look at real files")
)]

mod settings;

mod excerpt;
mod verdict;

mod evaluator;

mod goal;

mod plugin;

pub use plugin::serve;
