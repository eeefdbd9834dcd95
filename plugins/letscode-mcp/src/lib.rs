//! Servers of the Model Context Protocol as a plugin of letscode.
//!
//! Owns the way from `[mcp.servers.NAME]` to tools, commands and resources. A process of its own
//! that speaks the plugin protocol. Must not know the agent.

mod content;
mod environment;
mod masks;
mod names;
mod schema;
mod settings;
