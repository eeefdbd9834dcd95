//! Parts for the tests of letscode: nothing here is in the program.
//!
//! Owns the stand-ins for the outside (a byte-level model server, a scripted [`Model`], work
//! folders, processes) and the runner of the conformance cases. Must not hold rules of the agent,
//! and must stay light: every `cargo test` compiles it.
//!
//! A misuse of a part panics, since a panic is how a test fails.
//!
//! The unit tests inside `letscode-core` cannot use the parts that implement core's ports: there
//! the crate under test and the one that this crate is built with are two copies, whose types
//! differ. Tests of core that need them live in `crates/core/tests/`.
//!
//! [`Model`]: letscode_core::model::Model
#![expect(clippy::expect_used, reason = "a panic is how a test fails")]
#![expect(clippy::disallowed_methods, reason = "tests prepare and look at real files")]

pub mod sse_server;

pub mod scripted_model;

pub mod workdir;

pub mod program;

pub mod screen;

#[cfg(unix)]
pub mod pty;

pub mod recorder;

pub mod mem_env;

pub mod conformance;
