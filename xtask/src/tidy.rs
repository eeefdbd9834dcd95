//! `cargo xtask tidy`: the house rules that neither the compiler nor clippy can check.
//!
//! Owns the list of rules and the form of a finding; each rule is a module below that reads the
//! tree and changes nothing. Must not repair what it finds.

mod fences;
mod files;
mod hook_page;
mod layers;
mod links;
mod lockfile;
mod map;
mod protocol_pages;
mod reach;
mod rust_text;
mod words;

use crate::Outcome;
use crate::tree::Tree;
use std::fmt;
use std::io;
use std::path::Path;

/// A breach of a rule.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Finding {
    /// The file, from the workspace's root.
    pub(crate) path: String,
    /// The line, from 1.
    pub(crate) line: usize,
    /// What is wrong and what to do.
    pub(crate) text: String,
}

/// A rule: the whole tree in, what breaks it out.
type Rule = fn(&Tree) -> Vec<Finding>;

const RULES: [Rule; 13] = [
    layers::check,
    fences::check_manifests,
    fences::check_ports,
    files::check_size,
    files::check_header,
    words::check,
    lockfile::check_packages,
    lockfile::check_mirrors,
    reach::check,
    map::check,
    protocol_pages::check,
    hook_page::check,
    links::check,
];

/// Checks the workspace at `root` against every rule.
///
/// # Errors
/// When the tree cannot be read.
pub(crate) fn run(root: &Path) -> io::Result<Outcome> {
    let tree = Tree::read(root)?;
    let mut findings: Vec<Finding> = RULES.iter().flat_map(|rule| rule(&tree)).collect();
    findings.sort();
    if findings.is_empty() {
        return Ok(Outcome::Clean(format!("tidy: {} files, nothing found", tree.files.len())));
    }
    Ok(Outcome::Findings(findings.iter().map(Finding::to_string).collect()))
}

impl Finding {
    fn new(path: &str, line: usize, text: impl Into<String>) -> Self {
        Self { path: path.to_owned(), line, text: text.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.path, self.line, self.text)
    }
}

/// Returns the number of the line that holds the byte at `offset`.
fn line_of(text: &str, offset: usize) -> usize {
    1 + text.bytes().take(offset).filter(|byte| *byte == b'\n').count()
}
