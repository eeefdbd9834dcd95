//! The layer order inside `crates/core`: a module uses only itself and those before it.
//!
//! Owns the order. The compiler forbids circles between crates, this rule forbids them between
//! the core's modules; tests inside the crate obey too (what needs several layers is a test under
//! `crates/core/tests`). Must not look at other crates.

use super::rust_text::{code_only, is_word, leading_word};
use super::{Finding, line_of};
use crate::tree::Tree;

const SOURCES: &str = "crates/core/src/";

/// The core's modules, lowest first. Not all of them need exist.
const ORDER: [&str; 18] = [
    "secrets",
    "near",
    "error",
    "model",
    "env",
    "session",
    "ui",
    "tools",
    "skills",
    "prompts",
    "hooks",
    "builtin",
    "context",
    "compaction",
    "input",
    "commands",
    "agent",
    "lib",
];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in tree.rust_files() {
        let Some(inside) = file.path.strip_prefix(SOURCES) else {
            continue;
        };
        let module = leading_word(inside);
        let Some(layer) = layer_of(module) else {
            let text = format!(
                "module {module:?} has no place in the layer order; give it one in {}",
                file!()
            );
            findings.push(Finding::new(&file.path, 1, text));
            continue;
        };
        let code = code_only(&file.text);
        for (offset, used) in used_modules(&code, depth_of(inside)) {
            if layer_of(&used).is_some_and(|used| used > layer) {
                let text = format!(
                    "{module} uses {used}, which stands above it; turn the dependency round \
                     or move the shared part below"
                );
                findings.push(Finding::new(&file.path, line_of(&code, offset), text));
            }
        }
    }
    findings
}

fn layer_of(module: &str) -> Option<usize> {
    ORDER.iter().position(|name| *name == module)
}

/// Returns how many `super`s lead from the module in this file to the crate's root.
fn depth_of(inside: &str) -> usize {
    if inside == "lib.rs" { 0 } else { 1 + inside.matches('/').count() }
}

/// Returns the first names behind `crate::`, and behind as many `super::` as lead to the root,
/// with their offsets. Names that are no modules are among them.
fn used_modules(code: &str, depth: usize) -> Vec<(usize, String)> {
    let mut used = Vec::new();
    for (offset, _) in code.match_indices("crate::") {
        if starts_word(code, offset) {
            used.extend(first_names(code, offset + "crate::".len()));
        }
    }
    for (offset, _) in code.match_indices("super::") {
        // Only the head of a chain counts; `self::super::` is not written by anybody.
        if !starts_word(code, offset) || code.get(..offset).is_some_and(|c| c.ends_with("::")) {
            continue;
        }
        let mut behind = offset;
        let mut steps = 0;
        while code.get(behind..).is_some_and(|rest| rest.starts_with("super::")) {
            behind += "super::".len();
            steps += 1;
        }
        if depth > 0 && steps >= depth {
            used.extend(first_names(code, behind));
        }
    }
    used
}

fn starts_word(code: &str, offset: usize) -> bool {
    let before = offset.checked_sub(1).and_then(|index| code.as_bytes().get(index));
    before.is_none_or(|byte| !is_word(*byte) && *byte != b'$')
}

/// Returns the name at `offset`, or the first name of each branch of the group there.
fn first_names(code: &str, offset: usize) -> Vec<(usize, String)> {
    let rest = code.get(offset..).unwrap_or_default();
    if !rest.starts_with('{') {
        return vec![(offset, leading_word(rest).to_owned())];
    }
    let mut names = Vec::new();
    let mut depth = 0_usize;
    for (index, character) in rest.char_indices() {
        match character {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            break;
        }
        if depth == 1 && matches!(character, '{' | ',') {
            let name = leading_word(rest.get(index + 1..).unwrap_or_default());
            names.push((offset + index, name.to_owned()));
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_one(path: &str, text: &str, expected: &[&str]) {
        let found: Vec<String> =
            check(&Tree::of(&[(path, text)])).iter().map(Finding::to_string).collect();
        assert_eq!(found.len(), expected.len(), "{found:?}");
        for (found, expected) in found.iter().zip(expected) {
            assert!(found.starts_with(expected), "{found} starts with {expected}");
        }
    }

    #[test]
    fn fires_on_every_way_up() {
        let tools = "crates/core/src/tools.rs";
        let read = "crates/core/src/tools/read.rs";
        let at_one = "crates/core/src/tools.rs:1: tools uses agent";
        check_one(tools, "use crate::agent::Handle;", &[at_one]);
        check_one(tools, "use crate::{agent, env};", &[at_one]);
        check_one(tools, "use crate::{env::{FileError, hooks}, agent::Handle};", &[at_one]);
        check_one(tools, "use super::agent::Handle;", &[at_one]);
        check_one(tools, "fn f() -> crate::agent::Handle {}", &[at_one]);
        check_one(
            tools,
            "#[cfg(test)]\nmod tests {\n    use super::super::agent::Handle;\n}",
            &["crates/core/src/tools.rs:3: tools uses agent"],
        );
        check_one(read, "\nuse super::super::hooks;", &["crates/core/src/tools/read.rs:2: tools"]);
        check_one(
            read,
            "use crate::{\n    hooks,\n    agent,\n};",
            &[
                "crates/core/src/tools/read.rs:1: tools uses hooks",
                "crates/core/src/tools/read.rs:2: tools uses agent",
            ],
        );
        check_one(
            "crates/core/src/tools/tests.rs",
            "use crate::agent;",
            &["crates/core/src/tools/tests.rs:1: tools uses agent"],
        );
    }

    #[test]
    fn lets_downward_use_and_other_text_pass() {
        let tools = "crates/core/src/tools.rs";
        check_one(tools, "use crate::tools::read;\nuse crate::{env, model::Model};", &[]);
        check_one(tools, "// crate::agent\nlet s = \"crate::agent\";", &[]);
        check_one(tools, "use crate::BoxFuture;", &[]);
        check_one(tools, "use other_crate::agent; $crate::agent!();", &[]);
        check_one("crates/core/src/tools/read.rs", "use super::agent::Local;", &[]);
        check_one("crates/core/src/lib.rs", "pub mod agent;\npub use crate::agent::Handle;", &[]);
        check_one("crates/core/tests/it/main.rs", "use letscode_core::agent;", &[]);
        check_one("crates/llm/src/retry.rs", "use crate::agent;", &[]);
    }

    #[test]
    fn fires_on_a_module_without_a_place() {
        let expected = "crates/core/src/misc.rs:1: module \"misc\" has no place";
        check_one("crates/core/src/misc.rs", "", &[expected]);
        check_one("crates/core/src/misc/part.rs", "", &["crates/core/src/misc/part.rs:1"]);
    }
}
