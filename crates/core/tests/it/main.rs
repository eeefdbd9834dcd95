//! Tests of the whole agent over its public surface: commands in, subscriptions out.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a panic is how a test fails"
)]
#![expect(clippy::disallowed_methods, reason = "tests look at what is really on disk")]

mod stage;

mod lines;

mod order;

mod queues;

mod typed;

mod abort;

mod calls;

mod secrets;

mod hooks;

mod access;

mod late;

mod settle;

mod user;

mod reload;

mod sessions;

mod clients;

mod conversation;
