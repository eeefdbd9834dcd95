//! The faces of the program that need no terminal: print, one-shot and RPC.
//!
//! Owns how each shows events and what it exits with. All are clients of the agent's commands and
//! events. Must not build the agent's parts.

pub(crate) mod print;
pub(crate) mod rpc;
