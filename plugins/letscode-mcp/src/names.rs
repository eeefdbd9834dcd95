//! Names that every provider takes.
//!
//! Owns the form of names and what tells two of the same form apart. Must not know who asks.

#[cfg(test)]
mod tests;

use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;

/// The longest name of a tool that strict providers take.
const LONGEST: usize = 64;

/// How many hexadecimal digits tell two names apart.
const DIGITS: usize = 8;

/// One tool of one server.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Wanted {
    /// The server.
    pub(crate) server: String,
    /// What stands before its tools' names.
    pub(crate) prefix: String,
    /// The tool, as the server calls it.
    pub(crate) tool: String,
}

/// Returns a legal and unique name for each tool, in the same order. A name depends on the tools
/// themselves, never on their order, so that it stays the same when others come and go.
pub(crate) fn legal_names(wanted: &[Wanted]) -> Vec<String> {
    let plain: Vec<String> =
        wanted.iter().map(|w| legal(&format!("{}{}", w.prefix, w.tool))).collect();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for name in &plain {
        *counts.entry(name).or_default() += 1;
    }
    let names = plain.iter().zip(wanted).map(|(name, wanted)| {
        let unique = counts.get(name.as_str()).is_none_or(|count| *count == 1);
        if unique && name.len() <= LONGEST {
            name.clone()
        } else {
            let kept: String = name.chars().take(LONGEST - DIGITS - 1).collect();
            format!("{kept}_{}", digest(&format!("{}\0{}", wanted.server, wanted.tool)))
        }
    });
    names.collect()
}

/// Returns `name` as the name of a slash command: without white space.
pub(crate) fn command_name(server: &str, prompt: &str) -> String {
    let prompt: String =
        prompt.chars().map(|c| if c.is_whitespace() || c.is_control() { '_' } else { c }).collect();
    format!("{server}:{prompt}")
}

/// Returns `name` with `_` for every character that a provider may refuse. All are ASCII then.
fn legal(name: &str) -> String {
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let mut legal: String = name.chars().map(|c| if allowed(c) { c } else { '_' }).collect();
    // Some providers want a letter or `_` at the start.
    if !legal.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        legal.insert(0, '_');
    }
    legal
}

fn digest(text: &str) -> String {
    let hash = Sha256::digest(text.as_bytes());
    let hex: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
    hex.chars().take(DIGITS).collect()
}
