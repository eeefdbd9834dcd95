//! Server tables, good and bad, by table.

use super::expand::{Expanded, expand};
use super::*;
use crate::environment::Environment;
use serde_json::{Map, Value, json};
use std::path::Path;

fn servers(table: Value) -> Servers {
    let environment =
        Environment::of(&[("HOME", "/home/ada"), ("TOKEN", "tok-1234567890"), ("EMPTY", "")]);
    let table: Map<String, Value> = table.as_object().unwrap().clone();
    read(&table, Path::new("/project"), &environment)
}

fn one(table: Value) -> ServerSettings {
    let mut servers = servers(json!({"servers": {"s": table}}));
    assert_eq!(servers.warnings, Vec::<String>::new());
    servers.enabled.remove(0)
}

fn warning(table: Value) -> String {
    let servers = servers(json!({"servers": {"s": table}}));
    assert_eq!(servers.warnings.len(), 1, "{:?}", servers.warnings);
    servers.warnings.concat()
}

#[test]
fn a_program_with_all_its_keys() {
    let server = one(json!({
        "command": "~/bin/server", "args": ["-p", 8], "cwd": "sub", "prefix": "fs_",
        "env": {"A": "x-$TOKEN-${TOKEN}", "N": 3, "B": true},
        "timeout": 1.5, "call_timeout": 7, "tools": ["read_*"],
    }));
    let Reach::Program { command, args, env, cwd } = &server.reach else { panic!() };
    assert_eq!(command, "/home/ada/bin/server");
    assert_eq!(args, &["-p", "8"]);
    assert_eq!(cwd, Path::new("/project/sub"));
    let pairs: Vec<(&str, &str)> = env.iter().map(|(n, v)| (n.as_str(), v.as_str())).collect();
    let value = "x-tok-1234567890-tok-1234567890";
    assert_eq!(pairs, [("A", value), ("B", "true"), ("N", "3")]);
    assert_eq!(server.prefix, "fs_");
    assert_eq!(server.start_limit, Duration::from_millis(1500));
    assert_eq!(server.call_limit, Duration::from_secs(7));
    assert_eq!(server.masks.apply("a tok-1234567890 b"), "a [masked] b");
}

#[test]
fn defaults_and_http() {
    let server = one(json!({"url": "http://h/mcp", "headers": {"Authorization": "Bearer $TOKEN"}}));
    assert_eq!(server.prefix, "mcp_s_");
    assert_eq!((server.start_limit, server.call_limit), (START_LIMIT, CALL_LIMIT));
    let Reach::Http { url, headers } = &server.reach else { panic!() };
    assert_eq!(url, "http://h/mcp");
    assert_eq!(headers.get("Authorization").unwrap(), "Bearer tok-1234567890");
    assert_eq!(server.masks.apply("Bearer tok-1234567890"), "Bearer [masked]");
}

#[test]
fn every_bad_table_is_one_warning_that_names_server_and_key() {
    let cases = [
        (json!(3), "it is not a table"),
        (json!({}), "neither command nor url"),
        (json!({"command": "x", "url": "http://h"}), "both command and url"),
        (json!({"command": 3}), "command is not a text"),
        (json!({"command": "x", "args": "y"}), "args is not a list of texts"),
        (json!({"command": "x", "args": [[]]}), "args is not a list of texts"),
        (json!({"command": "x", "env": ["A"]}), "env is not a table"),
        (json!({"command": "x", "env": {"A": []}}), "env.A is neither a text nor a number"),
        (json!({"command": "x", "timeout": "3"}), "timeout is not a number of seconds above 0"),
        (json!({"command": "x", "call_timeout": 0}), "call_timeout is not a number of seconds"),
        (json!({"command": "x", "disabled": "no"}), "disabled is neither true nor false"),
        (json!({"command": "x", "tools": 3}), "tools is not a list of texts"),
        (json!({"command": "x", "cwd": 3}), "cwd is not a text"),
        (json!({"url": "ftp://h"}), "url: it must begin with"),
        (json!({"url": "not a url"}), "url: "),
        (json!({"command": "x", "enviroment": {}}), "enviroment is no key of a server"),
        (json!({"command": "x", "env": {"A": "$NOPE"}}), "env.A names $NOPE, which is not set"),
    ];
    for (table, expected) in cases {
        let warning = warning(table.clone());
        assert!(warning.starts_with("mcp server \"s\""), "{warning}");
        assert!(warning.contains(expected), "{table}: {warning}");
    }
}

#[test]
fn a_bad_table_leaves_the_others() {
    let servers = servers(json!({"servers": {
        "b": {"command": "x"}, "a": {"args": []}, "c": {"command": "y", "disabled": true},
        "bad name": {"command": "x"},
    }}));
    assert_eq!(servers.enabled.iter().map(|s| s.name.as_str()).collect::<Vec<_>>(), ["b"]);
    assert_eq!(servers.disabled, ["c"]);
    assert_eq!(servers.warnings.len(), 2);
}

#[test]
fn a_warning_shows_no_value_of_env() {
    let warning = warning(json!({"command": "x", "env": {"A": "secretsecret$NOPE"}}));
    assert!(!warning.contains("secretsecret"), "{warning}");
}

#[test]
fn variables_in_values() {
    let variable = |name: &str| (name == "A").then(|| "$B".to_owned());
    let cases = [
        ("plain", "plain", 0, 0),
        ("$A", "$B", 1, 0),
        ("x${A}y", "x$By", 1, 0),
        ("$AB", "", 0, 1),
        ("$", "$", 0, 0),
        ("$$A", "$$B", 1, 0),
        ("${A", "${A", 0, 0),
        ("${}", "${}", 0, 0),
        ("$1", "$1", 0, 0),
        ("é$A", "é$B", 1, 0),
    ];
    for (value, text, inserted, unset) in cases {
        let expanded = expand(value, &variable);
        let Expanded { text: got, inserted: i, unset: u } = expanded;
        assert_eq!((got.as_str(), i.len(), u.len()), (text, inserted, unset), "{value}");
    }
}

#[test]
fn the_filter_takes_in_and_out() {
    let cases: [(&[&str], &str, bool); 8] = [
        (&[], "any", true),
        (&["read"], "read", true),
        (&["read"], "read_all", false),
        (&["read*"], "read_all", true),
        (&["*_all", "x"], "read_all", true),
        (&["!write*"], "read", true),
        (&["!write*"], "write_all", false),
        (&["r*d", "!re*"], "read", false),
    ];
    for (patterns, name, expected) in cases {
        let filter = ToolFilter::new(patterns.iter().map(|p| (*p).to_owned()).collect());
        assert_eq!(filter.admits(name), expected, "{patterns:?} {name}");
    }
}
