//! Runs the conformance cases: JSON files that say what the program does at its process boundary.
//!
//! Owns the meaning of a case file, the same as `conformance/run.py`, with our own server behind
//! the program and every request checked. Must not know the program beyond its boundary.
//!
//! A case is one run, and optionally further runs (`then`) in the same home and directory:
//!
//! | key | meaning |
//! |---|---|
//! | `about` | one line for the reader |
//! | `files`, `home` | files in the working directory and in the home, see [`FileSpec`] |
//! | `llm`, `rules` | what the model's server answers, see [`Scenario`] |
//! | `args`, `env`, `cwd` | the command line, further variables (`null` takes one away), a folder below the working directory |
//! | `endpoint` | `false` leaves out the `--base-url` and `--model` that are added to `args` |
//! | `steps` | what happens to stdin and the process, see [`Step`]; without any, stdin is closed at once |
//! | `timeout` | seconds that the run may take, 30 by default |
//! | `expect` | what must hold, see [`Expectation`] |
//!
//! `{PORT}`, `{HOME}` and `{CWD}` are filled in everywhere but in `llm` and `rules`.
//!
//! [`FileSpec`]: crate::workdir::FileSpec
//! [`Scenario`]: crate::sse_server::Scenario

mod case;
mod expectation;
mod lines;
mod matcher;
mod pattern;
mod run;

pub use case::{Case, CaseError, Run, Step};
pub use expectation::Expectation;
pub use lines::{LinesMismatch, match_lines};
pub use matcher::{Mismatch, matches};
pub use run::run_case;
