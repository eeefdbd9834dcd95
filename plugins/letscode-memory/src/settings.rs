//! `[memory]` of the configuration.
//!
//! Owns the keys and their defaults. Must not read a file: the program hands over the table.

use serde::Deserialize;

/// How many memories go to the model, and which.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(crate) struct Settings {
    /// How many of the newest memories are looked at.
    pub(crate) inject_limit: usize,
    /// Whether only those go to the model that have to do with the newest message.
    pub(crate) relevance: bool,
    /// How many those may be.
    pub(crate) relevance_top_n: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self { inject_limit: 20, relevance: false, relevance_top_n: 5 }
    }
}
