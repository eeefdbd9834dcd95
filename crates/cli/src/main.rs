//! The program.
mod catalog;
mod config;
mod endpoint;
mod environment;
mod files;
mod local_servers;
mod paths;
mod thinking;
mod trust;
fn main() {}
