//! No forgotten file: every Rust source is reached by `mod` lines from a file that cargo builds.
//!
//! Owns the rule of where a module's file lies. A test file that no `mod` names would pass for
//! ever without running. Must not know what the files hold.

use super::Finding;
use super::rust_text::{code_only, is_word, leading_word};
use crate::tree::Tree;
use std::collections::BTreeSet;

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let paths: BTreeSet<&str> = tree.rust_files().map(|file| file.path.as_str()).collect();
    let mut reached = BTreeSet::new();
    let mut open: Vec<(&str, Place)> =
        paths.iter().filter_map(|path| is_root(path).then_some((*path, Place::Root))).collect();
    while let Some((path, place)) = open.pop() {
        if !reached.insert(path) {
            continue;
        }
        let folder = module_folder(path, place);
        for name in declared_modules(&code_only(tree.text(path).unwrap_or_default())) {
            for child in [format!("{folder}/{name}.rs"), format!("{folder}/{name}/mod.rs")] {
                if let Some(child) = paths.get(child.as_str()) {
                    open.push((child, Place::Module));
                }
            }
        }
    }
    let forgotten = paths.difference(&reached);
    let text = "no `mod` line reaches this file, so it is never built; declare it or remove it";
    forgotten.map(|path| Finding::new(path, 1, text)).collect()
}

/// Whether a file is where cargo begins.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Root,
    Module,
}

/// Returns whether cargo builds the file by itself.
fn is_root(path: &str) -> bool {
    let parts: Vec<&str> = path.split('/').collect();
    match parts.as_slice() {
        [.., "build.rs"] => true,
        [.., "src", "lib.rs" | "main.rs"] => true,
        [.., "src", "bin", _] | [.., "src", "bin", _, "main.rs"] => true,
        [.., "tests" | "benches" | "examples" | "fuzz_targets", _]
        | [.., "tests" | "benches" | "examples", _, "main.rs"] => !parts.contains(&"src"),
        _ => false,
    }
}

/// Returns the folder in which the modules that a file declares have their files.
fn module_folder(path: &str, place: Place) -> String {
    let (folder, name) = path.rsplit_once('/').unwrap_or_default();
    if place == Place::Root || name == "mod.rs" {
        folder.to_owned()
    } else {
        format!("{folder}/{}", name.trim_end_matches(".rs"))
    }
}

/// Returns the names in `mod name;` lines.
fn declared_modules(code: &str) -> Vec<&str> {
    let declared = code.match_indices("mod ").filter_map(|(offset, word)| {
        let before = offset.checked_sub(1).and_then(|index| code.as_bytes().get(index));
        if before.is_some_and(|byte| is_word(*byte)) {
            return None;
        }
        let rest = code.get(offset + word.len()..)?.trim_start();
        let name = leading_word(rest);
        rest.get(name.len()..)?.trim_start().starts_with(';').then_some(name)
    });
    declared.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn forgotten(files: &[(&str, &str)]) -> Vec<String> {
        check(&Tree::of(files)).into_iter().map(|finding| finding.path).collect()
    }

    #[test]
    fn follows_modules_from_every_root() {
        let files = [
            ("crates/core/src/lib.rs", "pub mod tools;\n#[cfg(test)]\nmod tests;"),
            ("crates/core/src/tests.rs", ""),
            ("crates/core/src/tools.rs", "mod read ;\npub(crate) mod edit;"),
            ("crates/core/src/tools/read.rs", "#[cfg(test)] mod tests;"),
            ("crates/core/src/tools/read/tests.rs", ""),
            ("crates/core/src/tools/edit.rs", ""),
            ("crates/core/tests/it/main.rs", "mod runs;"),
            ("crates/core/tests/it/runs.rs", "mod aborts;"),
            ("crates/core/tests/it/runs/aborts.rs", ""),
            ("crates/core/benches/replay.rs", ""),
            ("crates/core/build.rs", ""),
            ("xtask/src/main.rs", ""),
        ];
        assert_eq!(forgotten(&files), [""; 0]);
    }

    #[test]
    fn fires_on_files_that_nothing_declares() {
        let files = [
            ("crates/core/src/lib.rs", "mod tools;\n// mod old;\nmod inline { }"),
            ("crates/core/src/old.rs", ""),
            ("crates/core/src/inline.rs", ""),
            ("crates/core/src/tools.rs", ""),
            ("crates/core/src/tools/tests.rs", ""),
            ("crates/core/src/tests/more.rs", ""),
            ("crates/core/tests/it/main.rs", "fn f() { let s = \"mod runs;\"; }"),
            ("crates/core/tests/it/runs.rs", ""),
        ];
        assert_eq!(
            forgotten(&files),
            [
                "crates/core/src/inline.rs",
                "crates/core/src/old.rs",
                "crates/core/src/tests/more.rs",
                "crates/core/src/tools/tests.rs",
                "crates/core/tests/it/runs.rs",
            ]
        );
    }
}
