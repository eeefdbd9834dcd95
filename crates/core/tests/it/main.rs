//! Tests of the whole agent over its public surface: commands in, subscriptions out.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a panic is how a test fails"
)]

mod conversation;
