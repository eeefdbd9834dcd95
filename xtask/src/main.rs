//! Checks and generators.
fn main() {}
