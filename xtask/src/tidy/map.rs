//! ARCHITECTURE.md against the tree: its code map and the holders of its invariants.
//!
//! Owns what the page must name. Must not judge its prose.

use super::Finding;
use crate::tree::Tree;
use std::collections::BTreeSet;

const PAGE: &str = "ARCHITECTURE.md";

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let Some(page) = tree.text(PAGE) else {
        return vec![Finding::new(PAGE, 1, "it is missing; write the code map")];
    };
    let mut findings = differences_of_map(tree, page);
    findings.extend(unknown_holders(tree, page));
    findings
}

/// Finds crates and top-level modules that the code map does not name in back quotes, first cells
/// of its tables that name a module which is not there, and modules with two rows in a table.
fn differences_of_map(tree: &Tree, page: &str) -> Vec<Finding> {
    let names = crates_and_modules(tree);
    let missing = names.iter().filter(|name| !page.contains(&format!("`{name}`")));
    let mut findings: Vec<Finding> = missing
        .map(|name| Finding::new(PAGE, 1, format!("the code map does not name `{name}`; add it")))
        .collect();
    let mut in_table = BTreeSet::new();
    for (index, line) in section(page, "Code map") {
        if !line.starts_with('|') {
            in_table.clear();
            continue;
        }
        let cell = line.split('|').nth(1).unwrap_or_default();
        for name in quoted(cell).filter(|name| is_module_name(name)) {
            let text = if !names.contains(name) {
                format!("there is no module `{name}`; take it out of the code map")
            } else if !in_table.insert(name) {
                format!("`{name}` has a row in this table already; make them one")
            } else {
                continue;
            };
            findings.push(Finding::new(PAGE, index + 1, text));
        }
    }
    findings
}

/// Returns the folders of the crates and the names of their top-level modules.
fn crates_and_modules(tree: &Tree) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for file in tree.rust_files() {
        let Some((folder, inside)) = file.path.split_once("/src/") else {
            continue;
        };
        names.insert(folder.to_owned());
        let module = inside.split('/').next().unwrap_or_default().trim_end_matches(".rs");
        if folder.starts_with("crates/") && !matches!(module, "lib" | "main" | "tests" | "bin") {
            names.insert(module.to_owned());
        }
    }
    names
}

/// Returns the lines of the section of that title, with their indices in the page.
fn section<'a>(page: &'a str, title: &str) -> impl Iterator<Item = (usize, &'a str)> {
    let heading = format!("## {title}");
    let lines = page.lines().enumerate().skip_while(move |(_, line)| *line != heading).skip(1);
    lines.take_while(|(_, line)| !line.starts_with("## "))
}

/// Returns the words in back quotes.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

fn is_module_name(name: &str) -> bool {
    name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')
}

/// Finds names in the section "Invariants" that are neither a test nor a lint of this tree: words
/// in back quotes that hold an underscore.
fn unknown_holders(tree: &Tree, page: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (index, line) in section(page, "Invariants") {
        for name in quoted(line).filter(|name| is_holder(name) && !is_in_tree(tree, name)) {
            let text = format!("no test and no lint is named `{name}`; name the one that is");
            findings.push(Finding::new(PAGE, index + 1, text));
        }
    }
    findings
}

fn is_holder(name: &str) -> bool {
    name.contains('_')
        && name
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte == b'_' || byte.is_ascii_digit())
}

fn is_in_tree(tree: &Tree, name: &str) -> bool {
    let function = format!("fn {name}(");
    tree.files.iter().any(|file| {
        (file.path.ends_with(".rs") && file.text.contains(&function))
            || (file.path.ends_with("Cargo.toml")
                && file.text.lines().any(|line| line.trim_start().starts_with(name)))
            || (file.path == "clippy.toml" && file.text.contains(&name.replace('_', "-")))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(files: &[(&str, &str)]) -> Vec<String> {
        check(&Tree::of(files)).into_iter().map(|finding| finding.text).collect()
    }

    #[test]
    fn fires_where_the_map_and_the_tree_differ() {
        let files = [
            (
                PAGE,
                "## Code map\n`crates/core` has\n| `tools`, `gone` | `not_looked_at` |\n\
                 | `tools` | again |\n\n| `tools` | of another crate |",
            ),
            ("crates/core/src/lib.rs", ""),
            ("crates/core/src/tools/read.rs", ""),
            ("crates/core/src/agent.rs", ""),
            ("xtask/src/main.rs", ""),
        ];
        assert_eq!(
            texts(&files),
            [
                "the code map does not name `agent`; add it",
                "the code map does not name `xtask`; add it",
                "there is no module `gone`; take it out of the code map",
                "`tools` has a row in this table already; make them one",
            ]
        );
        assert_eq!(texts(&[]), ["it is missing; write the code map"]);
    }

    #[test]
    fn fires_on_an_invariant_that_names_no_test_and_no_lint() {
        let page = "`xtask` `not_checked_here`\n## Invariants\n- held by `every_call_is_answered`, \
                    `unsafe_code`, `a`, `gone_test`\n## Glossary\n`other_word`";
        let files = [
            (PAGE, page),
            ("xtask/src/main.rs", "#[test]\nfn every_call_is_answered() {}"),
            ("Cargo.toml", "[workspace.lints.rust]\nunsafe_code = \"forbid\""),
        ];
        assert_eq!(
            texts(&files),
            ["no test and no lint is named `gone_test`; name the one that is",]
        );
    }
}
