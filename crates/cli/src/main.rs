//! The program.
mod config;
mod environment;
mod files;
mod paths;
mod thinking;
mod trust;
fn main() {}
