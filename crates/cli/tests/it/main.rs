//! Tests of the program over its process boundary, in one binary.
#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]
#![expect(clippy::disallowed_methods, reason = "tests look at real files")]

mod conformance;
