//! Checks and generators for this workspace: `cargo xtask tidy`, `cargo xtask schema [--check]`.
//!
//! Owns the command line and the exit status. Must not be needed to build or run the program.
#![expect(
    clippy::disallowed_methods,
    reason = "a tool of the workspace works on the workspace's own files"
)]
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "its output is for the terminal")]

mod schema;
mod tidy;
mod tree;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

const USAGE: &str = "usage: cargo xtask tidy | cargo xtask schema [--check]";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = match arguments.as_slice() {
        ["tidy"] => tidy::run(&workspace_root()),
        ["schema"] => schema::write(&workspace_root()),
        ["schema", "--check"] => schema::check(&workspace_root()),
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match outcome {
        Ok(Outcome::Clean(summary)) => {
            println!("{summary}");
            ExitCode::SUCCESS
        }
        Ok(Outcome::Findings(findings)) => {
            for finding in &findings {
                println!("{finding}");
            }
            println!("{} finding(s)", findings.len());
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("xtask: {error}");
            ExitCode::FAILURE
        }
    }
}

/// What a command came to.
#[derive(Debug)]
enum Outcome {
    /// Nothing is wrong; one line that says what was looked at or done.
    Clean(String),
    /// What is wrong, a line each.
    Findings(Vec<String>),
}

/// Returns the folder that holds the workspace's manifest.
fn workspace_root() -> PathBuf {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    own.parent().unwrap_or(own).to_owned()
}
