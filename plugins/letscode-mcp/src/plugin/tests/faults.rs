//! Servers that fail: the others go on, and every call has an answer.

use super::*;

#[test]
fn rubbish_between_the_lines_does_no_harm() {
    let stage = Stage::start(json!({"s": scripted(&["--bad-json"])}));
    assert_eq!(stage.text("mcp_s_echo", json!({"text": "hi"})), "hi");
}

#[test]
fn a_late_answer_to_the_first_question_is_not_taken_for_another() {
    let stage = Stage::start(json!({"s": scripted(&["--late-probe"])}));
    assert_eq!(stage.text("mcp_s_echo", json!({"text": "hi"})), "hi");
}

#[test]
fn a_server_that_cannot_start_is_left_out_with_its_last_words() {
    let stage = Stage::start(json!({
        "dead": scripted(&["--die-at-start", "no key for you"]),
        "gone": {"command": "/nowhere/at-all", "cwd": "/"},
        "slow": with(scripted(&["--hang-at-start"]), "timeout", json!(0.3)),
        "good": scripted(&[]),
        "off": with(scripted(&[]), "disabled", json!(true)),
    }));
    assert_eq!(stage.text("mcp_good_echo", json!({"text": "hi"})), "hi");
    let listing = stage.command("mcp", "");
    let lines: Vec<&str> = listing.lines().collect();
    assert!(lines[0].starts_with("dead: left out: it ended before it was ready"), "{listing}");
    assert!(lines[0].ends_with("no key for you"), "{listing}");
    assert!(
        lines[1].starts_with("gone: left out: there is no program /nowhere/at-all"),
        "{listing}"
    );
    assert!(lines[2].starts_with("good: 15 tools"), "{listing}");
    assert_eq!(lines[3], "off: switched off");
    assert!(lines[4].contains("not ready within 0.3 s"), "{listing}");
}

#[test]
fn what_keeps_a_server_from_starting_is_told() {
    let chatty = json!({"command": "sh", "args": ["-c", "echo hello world; cat >&2"], "cwd": "/", "timeout": 1});
    let stage = Stage::start(json!({
        "chatty": chatty,
        "early": {"command": "sh", "args": ["-c", "exit 3"], "cwd": "/"},
        "folder": with(scripted(&[]), "cwd", json!("/nowhere/at-all")),
        "twice": scripted(&["--die-at-start", "no key for you"]),
    }));
    let listing = stage.command("mcp", "");
    let lines: Vec<&str> = listing.lines().collect();
    assert!(lines[0].contains("(stdout, but no message) hello world"), "{listing}");
    assert_eq!(lines[1], "early: left out: it ended before it was ready (exit status: 3)");
    assert_eq!(lines[2], "folder: left out: cwd: there is no folder /nowhere/at-all");
    assert_eq!(lines[3].matches("no key for you").count(), 1, "{listing}");
    let alone = stage.command("mcp", "twice");
    assert_eq!(alone.matches("no key for you").count(), 1, "{alone}");
}

#[test]
fn a_silent_call_ends_with_an_error_and_the_server_hears_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    let table = scripted(&["--log", log.to_str().unwrap()]);
    let stage = Stage::start(json!({"s": with(table, "call_timeout", json!(0.2))}));
    let output = stage.call("mcp_s_hang", json!({}));
    assert!(output.is_error);
    let text = text_of(&output.content);
    assert!(text.contains("no answer within 0.2 s"), "{text}");
    wait_for(&log, "notifications/cancelled");
    assert_eq!(stage.text("mcp_s_echo", json!({"text": "still here"})), "still here");
}

#[test]
fn a_call_that_is_taken_back_is_cancelled_at_the_server() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    let stage = Stage::start(json!({"s": scripted(&["--log", log.to_str().unwrap()])}));
    // What the plugin does with a call that is taken back: the future that waits is dropped.
    let hub = Arc::clone(&stage.hub);
    let (handle, bridge) = hub.running().unwrap();
    let call = handle.spawn(async move {
        bridge.call_tool("mcp_s_hang", Map::new(), &|_| {}).await;
    });
    wait_for(&log, "tools/call");
    call.abort();
    wait_for(&log, "notifications/cancelled nobody waits");
    assert_eq!(stage.text("mcp_s_echo", json!({"text": "still here"})), "still here");
}

#[test]
fn a_server_that_dies_is_started_again_once() {
    let stage = Stage::start(json!({"s": scripted(&[])}));
    let died = stage.call("mcp_s_die", json!({}));
    assert!(died.is_error);
    assert_eq!(text_of(&died.content), "MCP server s: the server ended");
    assert_eq!(stage.text("mcp_s_echo", json!({"text": "back"})), "back");
    assert!(stage.call("mcp_s_die", json!({})).is_error);
    let gone = stage.call("mcp_s_echo", json!({"text": "gone"}));
    assert!(gone.is_error);
    let text = text_of(&gone.content);
    assert!(text.contains("it ended again (exit status: 7)"), "{text}");
    assert!(text.contains("I am dying"), "{text}");
    assert!(names(&stage.peer.registrations()).contains(&"mcp_s_echo"), "its tools stay");
}

#[test]
fn a_bad_table_costs_only_itself() {
    let stage = Stage::start(json!({"bad": {"command": 3}, "s": scripted(&[])}));
    assert_eq!(stage.text("mcp_s_echo", json!({"text": "hi"})), "hi");
}

#[test]
fn a_tool_that_is_not_there_is_an_error() {
    let stage = Stage::start(json!({"s": scripted(&[])}));
    assert!(stage.call("mcp_s_nothing", json!({})).is_error);
    assert!(stage.peer.run_command("s:nothing", "").is_err());
    assert!(stage.peer.run_command("mcp", "nobody").is_err());
}

/// Waits until the server has noted a message that begins with `method`.
fn wait_for(log: &Path, method: &str) {
    let started = Instant::now();
    loop {
        let text = read(log);
        if text.lines().any(|line| line.starts_with(method)) {
            return;
        }
        assert!(started.elapsed() < HANG, "{text}");
        sleep(Duration::from_millis(5));
    }
}

#[expect(clippy::disallowed_methods, reason = "the server writes a real file")]
fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_default()
}
