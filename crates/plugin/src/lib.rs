//! Plugins for letscode in Rust.
//!
//! Owns what every plugin needs: the protocol, a thread for each call under way, typed tools, the way
//! to the user and to the agent, and a peer for tests. `docs/plugins/rust.md` goes through it. Must not
//! hold anything of the program.
//!
//! A tool in ten lines:
//!
//! ```no_run
//! use letscode_plugin::{Plugin, schemars};
//!
//! #[derive(serde::Deserialize, schemars::JsonSchema)]
//! struct Greet {
//!     /// Whom to greet.
//!     name: String,
//! }
//!
//! fn main() -> std::process::ExitCode {
//!     Plugin::new("greeter", "1.0.0")
//!         .tool("greet", "Says hello to somebody.", |greet: Greet, _| Ok(format!("Hello, {}!", greet.name)))
//!         .serve()
//! }
//! ```
//!
//! And its test, without a process:
//!
//! ```
//! use letscode_plugin::{Plugin, schemars, testing::Peer};
//! # #[derive(serde::Deserialize, schemars::JsonSchema)]
//! # struct Greet { name: String }
//! # let plugin = Plugin::new("greeter", "1.0.0")
//! #     .tool("greet", "Says hello.", |greet: Greet, _| Ok(format!("Hello, {}!", greet.name)));
//! let peer = Peer::start(plugin);
//! let output = peer.call_tool("greet", serde_json::json!({"name": "Ada"})).unwrap();
//! assert_eq!(letscode_plugin::text_of(&output.content), "Hello, Ada!");
//! ```
#![warn(missing_docs)]

mod context;
mod error;
mod plugin;
mod reply;
mod schema;
mod serve;
pub mod testing;
mod threads;
mod warning;

pub use context::Context;
pub use error::Error;
pub use plugin::Plugin;
pub use reply::{IntoCommandReply, IntoToolOutput};
pub use warning::warn;

pub use letscode_wire::{
    AfterToolCall, AfterToolCallReply, BeforeToolCall, BeforeToolCallReply, Command, CommandSpec,
    ContentPart, CustomMessage, Event, ExecutionMode, Message, Meta, Partial, Registrations,
    RunCommandReply, SkillSpec, SystemPromptContext, ToolCall, ToolOutput, ToolSpec, Transcript,
    UiLevel, UserMessage, text_of,
};
pub use schemars;

/// The page for authors: its code is compiled and run with the tests of this documentation.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/plugins/rust.md")]
struct Page;
