//! The fences between crates: what each may depend on, ours and others'.
//!
//! Owns the table of crates. A heavy dependency has one crate that may name it; a new crate needs
//! a row here. Must not judge modules inside a crate.

use super::rust_text::{code_only, leading_word};
use super::{Finding, line_of};
use crate::tree::{TextFile, Tree};
use toml::{Table, Value};

/// What one crate may depend on. Its tests may use more.
struct Fence {
    /// The crate's folder; `plugins` stands for every folder in there.
    folder: &'static str,
    /// Those of our crates that it may use.
    ours: &'static [&'static str],
    /// Crates of others that it must do without.
    banned: &'static [&'static [&'static str]],
    /// What it may use of the core, where that is not everything.
    ports: Option<&'static [&'static str]>,
}

const RUNTIME: &[&str] = &["tokio", "tokio-util", "futures-util", "tracing-subscriber"];
const MACHINE: &[&str] = &["process-wrap", "rustix", "tempfile", "jiff"];
const NETWORK: &[&str] =
    &["reqwest", "hyper", "hyper-util", "ureq", "rustls", "webpki-roots", "native-tls"];
const TERMINAL: &[&str] = &["ratatui", "crossterm", "syntect", "clap"];

const FENCES: &[Fence] = &[
    Fence {
        folder: "crates/wire",
        ours: &[],
        banned: &[RUNTIME, MACHINE, NETWORK, TERMINAL],
        ports: None,
    },
    Fence {
        folder: "crates/core",
        ours: &["letscode-wire"],
        banned: &[NETWORK, TERMINAL, &["tracing-subscriber", "toml"]],
        ports: None,
    },
    Fence {
        folder: "crates/http",
        ours: &[],
        banned: &[MACHINE, TERMINAL, &["tracing-subscriber"]],
        ports: None,
    },
    Fence {
        folder: "crates/llm",
        ours: &["letscode-wire", "letscode-core", "letscode-http"],
        banned: &[MACHINE, TERMINAL, &["tracing-subscriber"]],
        ports: Some(&["secrets", "error", "model", "BoxFuture"]),
    },
    Fence {
        folder: "crates/plugin-host",
        ours: &["letscode-wire", "letscode-core"],
        banned: &[NETWORK, TERMINAL],
        ports: Some(&["secrets", "error", "env", "ui", "hooks", "tools", "BoxFuture"]),
    },
    Fence {
        folder: "crates/plugin",
        ours: &["letscode-wire"],
        banned: &[MACHINE, NETWORK, TERMINAL],
        ports: None,
    },
    Fence {
        folder: "crates/tui",
        ours: &["letscode-wire"],
        banned: &[NETWORK, &["process-wrap", "clap"]],
        ports: None,
    },
    Fence {
        folder: "crates/cli",
        ours: &[
            "letscode-wire",
            "letscode-core",
            "letscode-llm",
            "letscode-plugin-host",
            "letscode-tui",
            "letscode-plugin",
            "letscode-mcp",
            "letscode-memory",
            "letscode-goal",
            "letscode-permissions",
        ],
        banned: &[NETWORK, &["ratatui", "syntect"]],
        ports: None,
    },
    Fence {
        folder: "crates/testkit",
        ours: &["letscode-wire", "letscode-core", "letscode-plugin"],
        banned: &[NETWORK, TERMINAL],
        ports: None,
    },
    Fence {
        folder: "plugins",
        ours: &["letscode-wire", "letscode-http", "letscode-plugin"],
        banned: &[TERMINAL],
        ports: None,
    },
    Fence {
        folder: "examples/plugins/guard",
        ours: &["letscode-plugin"],
        banned: &[RUNTIME, MACHINE, NETWORK, TERMINAL],
        ports: None,
    },
    Fence {
        folder: "fuzz",
        ours: &["letscode-wire", "letscode-core", "letscode-llm", "letscode-testkit"],
        banned: &[NETWORK, TERMINAL],
        ports: None,
    },
    Fence {
        folder: "xtask",
        ours: &["letscode-wire"],
        banned: &[RUNTIME, NETWORK, TERMINAL],
        ports: None,
    },
];

/// Checks the dependency tables of every crate.
pub(super) fn check_manifests(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in &tree.files {
        let Some(folder) = file.path.strip_suffix("/Cargo.toml") else {
            continue;
        };
        let Some(fence) = fence_of(folder) else {
            let text = format!(
                "the crate in {folder} has no fence; if it must be a crate, give it a row in {}",
                file!()
            );
            findings.push(Finding::new(&file.path, 1, text));
            continue;
        };
        match file.text.parse::<Table>() {
            Ok(manifest) => {
                for package in dependencies(&manifest) {
                    findings.extend(judge(fence, file, &package));
                }
            }
            Err(error) => {
                let text = format!("not TOML; repair it: {}", error.message());
                findings.push(Finding::new(&file.path, 1, text));
            }
        }
    }
    findings
}

/// Checks that a crate which may use only some ports of the core names no other part of it.
pub(super) fn check_ports(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in tree.rust_files().filter(|file| !file.is_test()) {
        let Some((folder, _)) = file.path.split_once("/src/") else {
            continue;
        };
        let Some(ports) = fence_of(folder).and_then(|fence| fence.ports) else {
            continue;
        };
        let code = code_only(&file.text);
        for (offset, path) in code.match_indices("letscode_core::") {
            let behind = code.get(offset + path.len()..).unwrap_or_default();
            let name = leading_word(behind);
            if !ports.contains(&name) {
                let text = format!(
                    "{folder} uses letscode_core::{name}; of the core it may use only {}, one \
                     path a line",
                    ports.join(", ")
                );
                findings.push(Finding::new(&file.path, line_of(&code, offset), text));
            }
        }
    }
    findings
}

fn fence_of(folder: &str) -> Option<&'static Fence> {
    FENCES.iter().find(|fence| {
        fence.folder == folder
            || (fence.folder == "plugins" && folder.split('/').next() == Some("plugins"))
    })
}

fn judge(fence: &Fence, manifest: &TextFile, package: &str) -> Option<Finding> {
    let ours = package.starts_with("letscode");
    let text = if ours && !fence.ours.contains(&package) {
        let allowed = if fence.ours.is_empty() { "none" } else { &fence.ours.join(", ") };
        format!("{} depends on {package}; of our crates it may use: {allowed}", fence.folder)
    } else if fence.banned.iter().any(|group| group.contains(&package)) {
        format!("{} depends on {package}; use it behind a port, in its own crate", fence.folder)
    } else {
        return None;
    };
    let line = manifest.text.lines().position(|line| leading_name(line) == package);
    Some(Finding::new(&manifest.path, line.map_or(1, |index| index + 1), text))
}

fn leading_name(line: &str) -> &str {
    let line = line.trim_start();
    line.split(|c: char| !c.is_alphanumeric() && c != '-' && c != '_').next().unwrap_or_default()
}

/// Returns the packages in the tables for the program and its build script, on any system.
fn dependencies(manifest: &Table) -> Vec<String> {
    let targets = manifest.get("target").and_then(Value::as_table);
    let tables = std::iter::once(manifest).chain(
        targets.into_iter().flat_map(|targets| targets.values().filter_map(Value::as_table)),
    );
    let mut packages = Vec::new();
    for table in tables {
        for kind in ["dependencies", "build-dependencies"] {
            let Some(entries) = table.get(kind).and_then(Value::as_table) else {
                continue;
            };
            packages.extend(entries.iter().map(|(name, entry)| {
                entry.get("package").and_then(Value::as_str).unwrap_or(name).to_owned()
            }));
        }
    }
    packages
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_one(path: &str, text: &str, expected: &[&str]) {
        let tree = Tree::of(&[(path, text)]);
        let found: Vec<String> = check_manifests(&tree)
            .iter()
            .chain(&check_ports(&tree))
            .map(Finding::to_string)
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn fires_on_a_dependency_over_the_fence() {
        check_one(
            "crates/wire/Cargo.toml",
            "[dependencies]\ntokio = \"1\"",
            &[
                "crates/wire/Cargo.toml:2: crates/wire depends on tokio; use it behind a port, in its \
             own crate",
            ],
        );
        check_one(
            "crates/core/Cargo.toml",
            "[dependencies]\n\nreqwest.workspace = true",
            &[
                "crates/core/Cargo.toml:3: crates/core depends on reqwest; use it behind a port, in \
             its own crate",
            ],
        );
        check_one(
            "crates/tui/Cargo.toml",
            "[dependencies]\nletscode-core = { path = \"x\" }",
            &[
                "crates/tui/Cargo.toml:2: crates/tui depends on letscode-core; of our crates it may \
             use: letscode-wire",
            ],
        );
        check_one(
            "crates/cli/Cargo.toml",
            "[dependencies]\nletscode-testkit = \"1\"",
            &["crates/cli/Cargo.toml:2: crates/cli depends on letscode-testkit; of our crates it \
             may use: letscode-wire, letscode-core, letscode-llm, letscode-plugin-host, \
             letscode-tui, letscode-plugin, letscode-mcp, letscode-memory, letscode-goal, \
             letscode-permissions"],
        );
        check_one(
            "plugins/letscode-mcp/Cargo.toml",
            "[dependencies]\nletscode-core = \"1\"",
            &[
                "plugins/letscode-mcp/Cargo.toml:2: plugins depends on letscode-core; of our crates \
             it may use: letscode-wire, letscode-http, letscode-plugin",
            ],
        );
    }

    #[test]
    fn sees_every_kind_of_table_and_renamed_packages() {
        let expected = &["crates/core/Cargo.toml:2: crates/core depends on clap; use it behind a \
                          port, in its own crate"];
        let path = "crates/core/Cargo.toml";
        check_one(path, "[build-dependencies]\nclap = \"4\"", expected);
        check_one(path, "[target.'cfg(unix)'.dependencies]\nclap = \"4\"", expected);
        check_one(
            path,
            "[dependencies]\nwords = { package = \"clap\", version = \"4\" }",
            &[
                "crates/core/Cargo.toml:1: crates/core depends on clap; use it behind a port, in its \
             own crate",
            ],
        );
    }

    #[test]
    fn lets_fenced_and_test_dependencies_pass() {
        check_one("crates/llm/Cargo.toml", "[dependencies]\nreqwest = \"1\"", &[]);
        check_one("crates/wire/Cargo.toml", "[dependencies]\nserde = \"1\"", &[]);
        check_one("crates/wire/Cargo.toml", "[dev-dependencies]\ntokio = \"1\"", &[]);
        check_one("crates/llm/Cargo.toml", "[dev-dependencies]\nletscode-testkit = \"1\"", &[]);
        check_one("Cargo.toml", "[workspace.dependencies]\nreqwest = \"1\"", &[]);
    }

    #[test]
    fn fires_on_an_unknown_crate_and_on_a_broken_manifest() {
        let found = check_manifests(&Tree::of(&[("crates/misc/Cargo.toml", "")]));
        assert!(found.first().unwrap().text.starts_with("the crate in crates/misc has no fence"));
        let found = check_manifests(&Tree::of(&[("crates/wire/Cargo.toml", "[dependencies")]));
        assert!(found.first().unwrap().text.starts_with("not TOML"));
    }

    #[test]
    fn fires_on_a_part_of_the_core_that_is_no_port() {
        check_one(
            "crates/llm/src/client.rs",
            "\nuse letscode_core::tools::Tool;",
            &[
                "crates/llm/src/client.rs:2: crates/llm uses letscode_core::tools; of the core it may \
             use only secrets, error, model, BoxFuture, one path a line",
            ],
        );
        check_one("crates/llm/src/client.rs", "use letscode_core::model::Model;", &[]);
        check_one("crates/llm/src/client.rs", "// letscode_core::tools", &[]);
        check_one("crates/llm/src/client/tests.rs", "use letscode_core::tools::Tool;", &[]);
        check_one("crates/cli/src/compose.rs", "use letscode_core::tools::Tool;", &[]);
    }
}
