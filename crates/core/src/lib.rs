//! The agent: turns, tools, sessions, prompts and hooks.
//!
//! Owns the rules of the agent and the ports ([`Model`](model::Model),
//! [`ExecutionEnv`](env::ExecutionEnv), [`Plugin`](hooks::Plugin),
//! [`SessionStore`](session::SessionStore)) behind which the outside lives. Must not speak HTTP,
//! parse arguments, read the environment's variables, or print.
//!
//! The modules stand in layer order: each may use only those before it (`xtask tidy` checks).
#![cfg_attr(
    test,
    allow(clippy::disallowed_methods, reason = "tests prepare and look at real files")
)]

pub mod secrets;

mod near;

pub mod model;

pub mod env;

pub mod session;

pub mod ui;

pub mod tools;

pub mod skills;

pub mod prompts;

pub mod hooks;

pub mod builtin;

pub mod context;

pub mod compaction;

pub mod input;

pub mod commands;

pub mod agent;

pub use futures_util::future::BoxFuture;
