//! Tests of the program over its process boundary, in one binary.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a panic is how a test fails"
)]
#![expect(clippy::disallowed_methods, reason = "tests look at what is really on disk")]

mod conformance;

mod driver;

mod rpc;

mod plugins;

#[cfg(unix)]
mod held_end;

mod print;

mod kill;

#[cfg(unix)]
mod terminal_app;

mod repository;

mod security;

mod places;

#[cfg(unix)]
mod faults;

mod fight;

mod clock;

mod mcp;

mod slash;

mod reload;

mod packages;
#[cfg(unix)]
mod terminal;

mod user;

mod unsaved;
