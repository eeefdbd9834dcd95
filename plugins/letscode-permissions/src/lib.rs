//! Permissions as a plugin of letscode: which tool calls run, which are asked about, which are not run.
//!
//! Owns the rules, what is remembered of answers, and the question. It guards against mistakes; it is
//! no sandbox. Must not change a call.
#![cfg_attr(
    test,
    allow(clippy::needless_pass_by_value, reason = "tests hand over what `json!` makes")
)]

mod pattern;
mod shell;

mod paths;

mod rule;
mod subject;

mod settings;
mod verdict;

mod memory;

mod question;

mod guard;

mod listing;

mod plugin;

pub use plugin::serve;
