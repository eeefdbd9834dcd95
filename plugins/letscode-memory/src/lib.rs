//! What should be remembered from one conversation to the next, as a plugin of letscode.
//!
//! Owns `~/.letscode/memory`, the commands `/remember`, `/memories` and `/forget`, and what of it the
//! model is told. A process of its own that speaks the plugin protocol. Must not know the agent.
#![cfg_attr(
    test,
    allow(clippy::disallowed_methods, reason = "tests prepare and look at real files")
)]

mod store;

mod relevance;

mod settings;

mod plugin;

pub use plugin::serve;
