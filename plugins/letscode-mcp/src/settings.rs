//! The `[mcp]` table of the configuration as servers to start.
//!
//! Owns which keys a server has and the warnings about them. Must not start anything, and must not
//! put a value of `env` or `headers` into a warning.

mod expand;
mod read;
#[cfg(test)]
mod tests;

use crate::masks::Masks;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

pub(crate) use read::read;

/// How long a server may take to start, where its table does not say it. Less than the program
/// waits for the plugin, so that one slow server does not cost the others.
pub(crate) const START_LIMIT: Duration = Duration::from_secs(20);

/// How long a call may be silent, where the server's table does not say it.
pub(crate) const CALL_LIMIT: Duration = Duration::from_secs(300);

/// One `[mcp.servers.NAME]`. Its values may be secret, so only tests can print it.
#[derive(Clone, PartialEq)]
#[cfg_attr(test, derive(Debug))]
pub(crate) struct ServerSettings {
    /// The name of the table.
    pub(crate) name: String,
    /// How the server is reached.
    pub(crate) reach: Reach,
    /// What stands before the names of its tools.
    pub(crate) prefix: String,
    /// How long it may take to start.
    pub(crate) start_limit: Duration,
    /// How long a call may be silent.
    pub(crate) call_limit: Duration,
    /// Which of its tools are offered.
    pub(crate) tools: ToolFilter,
    /// What must not be shown.
    pub(crate) masks: Masks,
}

/// How a server is reached.
#[derive(Clone, PartialEq)]
#[cfg_attr(test, derive(Debug))]
pub(crate) enum Reach {
    /// A program that speaks over its stdin and stdout.
    Program {
        /// The program.
        command: String,
        /// Its arguments.
        args: Vec<String>,
        /// Variables beside the few that every server gets.
        env: BTreeMap<String, String>,
        /// Where it runs.
        cwd: PathBuf,
    },
    /// A server that is there already, over streamable HTTP.
    Http {
        /// The address.
        url: String,
        /// Headers of each request.
        headers: BTreeMap<String, String>,
    },
}

/// Which tools are offered: patterns in which `*` stands for any text; one that begins with `!`
/// takes out what it matches. Without a pattern that takes in, all are in.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ToolFilter {
    patterns: Vec<String>,
}

/// What the configuration says about servers.
#[derive(Default)]
#[cfg_attr(test, derive(Debug))]
pub(crate) struct Servers {
    /// The servers to start, by name.
    pub(crate) enabled: Vec<ServerSettings>,
    /// The names of those that are switched off.
    pub(crate) disabled: Vec<String>,
    /// One line for each table, at the most, that cannot be used as it is.
    pub(crate) warnings: Vec<String>,
}

impl ToolFilter {
    pub(crate) fn new(patterns: Vec<String>) -> Self {
        Self { patterns }
    }

    /// Returns whether the tool `name` is offered.
    pub(crate) fn admits(&self, name: &str) -> bool {
        let taken_out = |pattern: &str| pattern.strip_prefix('!').map(|out| matches(out, name));
        let mut admitted = self.patterns.iter().all(|pattern| pattern.starts_with('!'));
        for pattern in &self.patterns {
            match taken_out(pattern) {
                Some(true) => return false,
                Some(false) => {}
                None => admitted |= matches(pattern, name),
            }
        }
        admitted
    }
}

/// Returns whether `pattern` matches the whole of `text`; `*` stands for any text.
fn matches(pattern: &str, text: &str) -> bool {
    let Some((head, rest)) = pattern.split_once('*') else {
        return pattern == text;
    };
    let Some(text) = text.strip_prefix(head) else { return false };
    let ends = std::iter::once(text.len()).chain(text.char_indices().map(|(at, _)| at));
    let mut tails = ends.filter_map(|at| text.get(at..));
    tails.any(|tail| matches(rest, tail))
}
