//! What every Rust file owes its reader: a bounded size and a header that says what it is for.
//!
//! Owns the numbers. Must not judge the text of a header: that is a reviewer's work.

use super::Finding;
use crate::tree::Tree;

const MOST_LINES: usize = 800;
const MOST_TEST_LINES: usize = 1500;

/// Checks the number of lines of every Rust file.
pub(super) fn check_size(tree: &Tree) -> Vec<Finding> {
    let findings = tree.rust_files().filter_map(|file| {
        let most = if file.is_test() { MOST_TEST_LINES } else { MOST_LINES };
        let lines = file.text.lines().count();
        (lines > most).then(|| {
            let text = format!("{lines} lines, at most {most} are allowed; split it by subject");
            Finding::new(&file.path, most + 1, text)
        })
    });
    findings.collect()
}

/// Checks that every Rust file begins with `//!` lines: one at least for tests, else two.
pub(super) fn check_header(tree: &Tree) -> Vec<Finding> {
    let findings = tree.rust_files().filter_map(|file| {
        let needed = if file.is_test() { 1 } else { 2 };
        let header = file.text.lines().take_while(|line| line.starts_with("//!"));
        let written = header.filter(|line| !line.trim_start_matches("//!").trim().is_empty());
        (written.count() < needed).then(|| {
            let text = format!(
                "a `//!` header of at least {needed} line(s) is missing; say what the file is \
                 for, what it owns, what it must not do"
            );
            Finding::new(&file.path, 1, text)
        })
    });
    findings.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn size_fires_above_the_limit_only() {
        let of = |path: &str, lines: usize| {
            check_size(&Tree::of(&[(path, &"x\n".repeat(lines))])).into_iter().next()
        };
        assert_eq!(of("crates/core/src/agent.rs", 800), None);
        let finding = of("crates/core/src/agent.rs", 801).unwrap();
        assert_eq!(finding.line, 801);
        assert!(finding.text.starts_with("801 lines, at most 800"));
        assert_eq!(of("crates/core/src/agent/tests.rs", 1500), None);
        assert_eq!(of("crates/core/tests/it/main.rs", 1500), None);
        assert!(of("crates/core/tests/it/main.rs", 1501).is_some());
        assert_eq!(of("README.md", 5000), None);
    }

    #[test]
    fn header_fires_where_it_is_missing_or_too_short() {
        let cases = [
            ("crates/core/src/agent.rs", "//! One.\n//!\n//! Two.\n", true),
            ("crates/core/src/agent.rs", "//! One.\n//!\n", false),
            ("crates/core/src/agent.rs", "use std::io;\n//! One.\n//! Two.\n", false),
            ("crates/core/src/agent.rs", "", false),
            ("crates/core/src/agent/tests.rs", "//! One.\n", true),
            ("crates/core/src/agent/tests.rs", "use super::*;\n", false),
            ("README.md", "", true),
        ];
        for (path, text, passes) in cases {
            assert_eq!(check_header(&Tree::of(&[(path, text)])).is_empty(), passes, "{text:?}");
        }
    }
}
