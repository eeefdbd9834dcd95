//! The life of the plugin: what is registered when, and what is left behind.

use super::*;

#[test]
fn a_changed_list_is_registered_anew() {
    for version in ["2026-07-28", "2025-11-25", "2025-06-18"] {
        let stage = Stage::start(json!({"s": scripted(&["--protocol", version])}));
        assert!(!names(&stage.peer.registrations()).contains(&"mcp_s_newcomer"));
        assert_eq!(stage.text("mcp_s_change", json!({})), "changed");
        stage.until(|registrations| names(registrations).contains(&"mcp_s_newcomer"));
        assert_eq!(stage.text("mcp_s_newcomer", json!({})), "hello");
    }
}

#[test]
fn two_servers_with_the_same_prefix_keep_their_tools_apart() {
    let same = || with(scripted(&[]), "prefix", json!("t_"));
    let stage = Stage::start(json!({"a": same(), "b": same()}));
    let registrations = stage.peer.registrations();
    let echoes: Vec<&str> =
        names(&registrations).into_iter().filter(|name| name.starts_with("t_echo_")).collect();
    assert_eq!(echoes.len(), 2, "{echoes:?}");
    assert_ne!(echoes[0], echoes[1]);
    assert_eq!(stage.text(echoes[1], json!({"text": "hi"})), "hi");
}

#[test]
fn without_servers_there_is_only_the_list() {
    let stage = Stage::start(json!({}));
    assert_eq!(stage.command("mcp", ""), "No MCP servers; `letscode mcp add` adds one.");
    assert!(stage.peer.registrations().tools.is_empty());
}

#[test]
fn goodbye_ends_the_servers_in_time() {
    let stage = Stage::start(json!({"a": scripted(&[]), "b": scripted(&["--hang-at-start"])
        .as_object().map(|table| with(Value::Object(table.clone()), "timeout", json!(0.2))).unwrap()}));
    let started = Instant::now();
    drop(stage);
    assert!(started.elapsed() < Duration::from_secs(30));
}
