//! Text that must not be in the tree: paths of one machine, addresses of registries, unfinished
//! work.
//!
//! Owns the list. It is put together from pieces so that this file does not find itself. Must
//! not look into `Cargo.lock`, which has a rule of its own.

use super::rust_text::{code_only, is_word};
use super::{Finding, line_of};
use crate::tree::{TextFile, Tree};

/// A text that must not be in the tree.
struct Forbidden {
    text: &'static str,
    /// Whether it counts only where it does not continue a longer word or path.
    at_start: bool,
    advice: &'static str,
}

const MACHINE_PATH: &str = "a path of one machine; make it relative or take it from the caller";
const REGISTRY: &str = "the address of a registry; name packages only, the client knows the rest";
const UNFINISHED: &str = "unfinished work; finish it or leave it out";

const FORBIDDEN: [Forbidden; 11] = [
    Forbidden { text: concat!("/wo", "rk/"), at_start: true, advice: MACHINE_PATH },
    Forbidden { text: concat!("/ro", "ot/"), at_start: true, advice: MACHINE_PATH },
    Forbidden { text: concat!("index.", "crates.io"), at_start: false, advice: REGISTRY },
    Forbidden { text: concat!("static.", "crates.io"), at_start: false, advice: REGISTRY },
    Forbidden { text: concat!("pypi", ".org/simple"), at_start: false, advice: REGISTRY },
    Forbidden { text: concat!("files.python", "hosted.org"), at_start: false, advice: REGISTRY },
    Forbidden { text: concat!("registry.", "npmjs.org"), at_start: false, advice: REGISTRY },
    Forbidden { text: concat!("--index", "-url"), at_start: false, advice: REGISTRY },
    Forbidden { text: concat!("--extra-index", "-url"), at_start: false, advice: REGISTRY },
    Forbidden { text: concat!("--find", "-links"), at_start: false, advice: REGISTRY },
    Forbidden { text: concat!("FIX", "ME"), at_start: true, advice: UNFINISHED },
];

/// Macros that stand for missing code.
const UNFINISHED_CODE: [&str; 2] = ["todo!", "unimplemented!"];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let files = tree.files.iter().filter(|file| !file.path.ends_with("Cargo.lock"));
    files.flat_map(|file| check_text(file).into_iter().chain(check_code(file))).collect()
}

fn check_text(file: &TextFile) -> Vec<Finding> {
    let mut findings = Vec::new();
    for Forbidden { text, at_start, advice } in FORBIDDEN {
        for (offset, _) in file.text.match_indices(text) {
            if !at_start || stands_alone(&file.text, offset) {
                let line = line_of(&file.text, offset);
                findings.push(Finding::new(&file.path, line, format!("{text:?}: {advice}")));
            }
        }
    }
    findings
}

fn check_code(file: &TextFile) -> Vec<Finding> {
    if !file.path.ends_with(".rs") {
        return Vec::new();
    }
    let code = code_only(&file.text);
    let found = UNFINISHED_CODE.iter().flat_map(|name| {
        let places = code.match_indices(name).filter(|(offset, _)| stands_alone(&code, *offset));
        places.map(|(offset, name)| (line_of(&code, offset), name)).collect::<Vec<_>>()
    });
    found
        .map(|(line, name)| Finding::new(&file.path, line, format!("{name:?}: {UNFINISHED}")))
        .collect()
}

/// Returns whether what stands at `offset` does not continue a longer word or path.
fn stands_alone(text: &str, offset: usize) -> bool {
    let before = offset.checked_sub(1).and_then(|index| text.as_bytes().get(index));
    before.is_none_or(|byte| !is_word(*byte) && !b"/.-~}>*".contains(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, text: &str) -> Vec<usize> {
        check(&Tree::of(&[(path, text)])).into_iter().map(|finding| finding.line).collect()
    }

    #[test]
    fn fires_on_each_forbidden_text() {
        for Forbidden { text, .. } in FORBIDDEN {
            assert_eq!(found("docs/page.md", &format!("line\nsee {text} there")), [2], "{text}");
        }
        for name in UNFINISHED_CODE {
            assert_eq!(found("crates/core/src/a.rs", &format!("\n\n{name}()")), [3], "{name}");
        }
    }

    #[test]
    fn lets_longer_words_and_paths_pass() {
        let text = concat!("/home/me/wo", "rk/x ./wo", "rk/y {root}/wo", "rk/z a/ro", "ot/b");
        assert_eq!(found("docs/page.md", text), [0_usize; 0]);
        assert_eq!(found("docs/page.md", concat!("xFIX", "ME")), [0_usize; 0]);
        assert_eq!(found("crates/core/src/a.rs", "// todo! is banned\n\"todo!\""), [0_usize; 0]);
        assert_eq!(found("docs/page.md", "todo!()"), [0_usize; 0]);
    }

    #[test]
    fn leaves_the_lock_file_alone() {
        assert_eq!(found("Cargo.lock", concat!("index.", "crates.io")), [0_usize; 0]);
    }
}
