//! Servers of the Model Context Protocol as a plugin of letscode.
//!
//! Owns the way from `[mcp.servers.NAME]` to tools, commands and resources. A process of its own
//! that speaks the plugin protocol. Must not know the agent.
#![cfg_attr(
    test,
    allow(clippy::needless_pass_by_value, reason = "tests hand over what `json!` makes")
)]

mod environment;
mod masks;
mod settings;

mod names;
mod schema;

mod content;

mod front;
mod journal;

mod http;
mod program;
mod stdio;
mod stray;
mod transport;

mod client;
mod elicit;

mod link;

mod server;

mod mentions;
mod prompts;

mod bridge;

mod plugin;

pub mod cli;

pub use plugin::serve;
