//! Tests of the whole agent over its public surface: commands in, subscriptions out.
#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod stage;

mod lines;

mod order;

mod queues;

mod abort;

mod calls;

mod secrets;

mod hooks;

mod sessions;

mod clients;
