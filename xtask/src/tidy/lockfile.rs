//! The dependencies as they are locked: from the one index, and without a second TLS stack.
//!
//! Owns the list of packages that must never come in, by whatever way. Must not judge versions.

use super::Finding;
use crate::tree::{TextFile, Tree};

/// Packages that cost minutes of building or need a system library, each brought in by one wrong
/// feature of something else.
const BANNED: [&str; 4] = ["aws-lc-rs", "aws-lc-sys", "openssl-sys", "native-tls"];

/// The form in which a lock file names the public index, whatever mirror served it.
const INDEX: &str = "registry+https://github.com/rust-lang/crates.io-index";

/// Settings that would lead a build to another index.
const MIRROR_SETTINGS: [&str; 5] =
    ["[source.", "replace-with", "[registries", "[registry]", "index-url"];

/// Checks the packages in every `Cargo.lock` and where they come from.
pub(super) fn check_packages(tree: &Tree) -> Vec<Finding> {
    if tree.text("Cargo.lock").is_none() {
        return vec![Finding::new("Cargo.lock", 1, "it is missing; commit it")];
    }
    let locks = tree.files.iter().filter(|file| file.path.rsplit('/').next() == Some("Cargo.lock"));
    locks.flat_map(check_lock).collect()
}

fn check_lock(lock: &TextFile) -> Vec<Finding> {
    let findings = lock.text.lines().enumerate().filter_map(|(index, line)| {
        let (key, value) = line.split_once(" = ")?;
        let value = value.trim_matches('"');
        let text = match key {
            "name" if BANNED.contains(&value) => {
                format!("{value} is in the tree; `cargo tree -i {value}` says what brought it in")
            }
            "source" if value != INDEX => {
                format!("a package comes from {value:?}; use the one from {INDEX:?}")
            }
            _ => return None,
        };
        Some(Finding::new(&lock.path, index + 1, text))
    });
    findings.collect()
}

/// Checks that no configuration file of a package client names a mirror.
pub(super) fn check_mirrors(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in tree.files.iter().filter(|file| configures_a_client(&file.path)) {
        for (index, line) in file.text.lines().enumerate() {
            if let Some(setting) = MIRROR_SETTINGS.iter().find(|setting| line.contains(**setting)) {
                let text = format!("{setting:?} leads to another index; leave that to the machine");
                findings.push(Finding::new(&file.path, index + 1, text));
            }
        }
    }
    findings
}

fn configures_a_client(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    path.contains(".cargo/")
        || matches!(name, "pip.conf" | ".npmrc" | "pyproject.toml" | "uv.toml" | "Cargo.toml")
        || (name.starts_with("requirements") && name.ends_with(".txt"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lock(package: &str, source: &str) -> String {
        format!("version = 4\n\n[[package]]\nname = \"{package}\"\nsource = \"{source}\"\n")
    }

    #[test]
    fn fires_on_banned_packages_and_other_sources() {
        for package in BANNED {
            let found = check_packages(&Tree::of(&[("Cargo.lock", &lock(package, INDEX))]));
            assert_eq!(found.iter().map(|finding| finding.line).collect::<Vec<_>>(), [4]);
        }
        for source in ["sparse+https://mirror.example/", "git+https://example.com/x"] {
            let found = check_packages(&Tree::of(&[("Cargo.lock", &lock("serde", source))]));
            assert_eq!(found.iter().map(|finding| finding.line).collect::<Vec<_>>(), [5]);
        }
        let second = lock(BANNED[0], INDEX);
        let both = [("Cargo.lock", ""), ("fuzz/Cargo.lock", second.as_str())];
        let found = check_packages(&Tree::of(&both));
        assert_eq!(found.iter().map(|finding| &*finding.path).collect::<Vec<_>>(), [both[1].0]);
        assert_eq!(check_packages(&Tree::of(&[])).len(), 1);
    }

    #[test]
    fn lets_the_index_and_names_that_only_contain_a_banned_one_pass() {
        let text = lock("aws-lc-rs-like", INDEX);
        assert_eq!(check_packages(&Tree::of(&[("Cargo.lock", &text)])), []);
        let text = "dependencies = [\n \"native-tls-names\",\n]";
        assert_eq!(check_packages(&Tree::of(&[("Cargo.lock", text)])), []);
    }

    #[test]
    fn fires_on_mirror_settings_in_configuration_only() {
        let text = "[alias]\n[source.crates-io]\nreplace-with = \"mirror\"";
        let found = check_mirrors(&Tree::of(&[(".cargo/config.toml", text)]));
        assert_eq!(found.iter().map(|finding| finding.line).collect::<Vec<_>>(), [2, 3]);
        assert_eq!(check_mirrors(&Tree::of(&[("docs/page.md", text)])), []);
        let alias = "[alias]\nxtask = \"run\"";
        assert_eq!(check_mirrors(&Tree::of(&[(".cargo/config.toml", alias)])), []);
    }
}
