//! Tests of the program over its process boundary, in one binary.
#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod conformance;

mod driver;

mod rpc;

mod print;

mod kill;

mod repository;

mod security;

mod places;
