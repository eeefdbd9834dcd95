//! Messages that the disk refuses, session files that others change, and the names of sessions.

use crate::driver::{
    HANG, end, files_below, lines, program, prompt, rpc, send, sessions, stderr, stdout, wait_for,
};
use letscode_testkit::program::Running;
use letscode_testkit::sse_server::SseServer;
use letscode_testkit::workdir::WorkDir;
use serde_json::{Value, json};
use std::path::Path;

fn start() -> (WorkDir, SseServer) {
    (WorkDir::new(), SseServer::start(json!([{"text": "ok"}])))
}

/// Puts a file where the folder of all sessions would be, so that nothing can be saved.
fn block(dir: &WorkDir) -> std::path::PathBuf {
    let path = dir.home().join(".letscode/sessions");
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, "in the way").unwrap();
    path
}

fn ask(running: &mut Running, text: &str) {
    prompt(running, text);
    wait_for(running, "done");
}

/// Sends a command and waits for its reply.
fn command(running: &mut Running, command: &Value) {
    let id = command["id"].clone();
    send(running, command);
    let is_reply = |line: &[u8]| {
        serde_json::from_slice::<Value>(line).is_ok_and(|line| {
            line["id"] == id && (line["type"] == "done" || line["type"] == "error")
        })
    };
    assert!(running.wait_for_line(HANG, is_reply), "{command}");
}

fn reply(lines: &[Value], id: &str) -> Value {
    let is_reply = |line: &&Value| line["id"] == id && line["type"] != "ack";
    lines.iter().find(is_reply).cloned().expect("a reply")
}

#[test]
fn a19_no_command_leaves_a_session_with_unsaved_messages() {
    let (dir, server) = start();
    let blocked = block(&dir);
    let mut running = rpc(&dir, &server, &[]);
    ask(&mut running, "hi");
    command(&mut running, &json!({"cmd": "state", "id": "before"}));
    for name in ["new", "clone"] {
        command(&mut running, &json!({"cmd": name, "id": name}));
    }
    command(&mut running, &json!({"cmd": "resume", "id": "resume", "session": "1"}));
    command(&mut running, &json!({"cmd": "fork", "id": "fork", "entry": 1}));
    command(&mut running, &json!({"cmd": "go_to", "id": "go_to", "entry": 1}));
    std::fs::remove_file(blocked).unwrap();
    command(&mut running, &json!({"cmd": "new", "id": "later"}));
    command(&mut running, &json!({"cmd": "state", "id": "after"}));
    send(&mut running, &json!({"cmd": "bye"}));
    let finished = end(&mut running);
    let lines = lines(&finished);
    assert_eq!(reply(&lines, "before")["result"]["unsaved"], 2);
    for id in ["new", "clone", "resume", "fork", "go_to"] {
        let reply = reply(&lines, id);
        let error = reply["error"].as_str().expect("an error");
        assert!(error.contains("2 messages") && error.contains("free space"), "{id}: {error}");
    }
    assert_eq!(reply(&lines, "later")["type"], "done");
    assert_eq!(reply(&lines, "after")["result"]["unsaved"], 0);
    let text = std::fs::read_to_string(&sessions(&dir)[0]).unwrap();
    assert_eq!(text.lines().count(), 2, "{text}");
    assert!(!stderr(&finished).contains("not saved"), "{}", stderr(&finished));
}

#[test]
fn a19_what_is_lost_with_the_program_is_told_at_the_end() {
    for args in [vec!["--mode", "rpc"], vec!["-p", "hi"]] {
        let (dir, server) = start();
        block(&dir);
        let finished = if args[0] == "-p" {
            program(&dir, &server).args(args.clone()).run(HANG)
        } else {
            let mut running = rpc(&dir, &server, &[]);
            ask(&mut running, "hi");
            send(&mut running, &json!({"cmd": "bye"}));
            end(&mut running)
        };
        assert_eq!(finished.status, 0, "{args:?}");
        let text = stderr(&finished);
        let last = text.lines().last().unwrap_or_default();
        assert!(last.contains("2 messages of session ") && last.contains("not saved: "), "{text}");
        assert!(!text.contains("next message"), "{text}");
    }
}

#[test]
fn a_session_that_is_deleted_meanwhile_can_be_copied_and_goes_on() {
    let (dir, server) = start();
    let mut running = rpc(&dir, &server, &[]);
    ask(&mut running, "first");
    command(&mut running, &json!({"cmd": "name", "id": "name", "text": "my words"}));
    let path = sessions(&dir).remove(0);
    std::fs::remove_file(&path).unwrap();
    command(&mut running, &json!({"cmd": "clone", "id": "clone"}));
    command(
        &mut running,
        &json!({"cmd": "resume", "id": "resume", "session": path.file_stem().unwrap().to_str()}),
    );
    std::fs::remove_file(&path).unwrap();
    ask(&mut running, "second");
    send(&mut running, &json!({"cmd": "bye"}));
    let finished = end(&mut running);
    let lines = lines(&finished);
    let clone = reply(&lines, "clone");
    assert_eq!(clone["result"]["message_count"], 2, "{clone}");
    assert_eq!(clone["result"]["session"]["label"], "my words", "{clone}");
    assert_eq!(stderr(&finished).matches("anew").count(), 2, "{}", stderr(&finished));
    let next = program(&dir, &server).args(["-c", "-p", "third"]).run(HANG);
    assert_eq!((next.status, stderr(&next)), (0, ""));
    let sent = server.chat_bodies().pop().unwrap()["messages"].to_string();
    assert!(["first", "second", "third"].iter().all(|text| sent.contains(text)), "{sent}");
}

#[test]
fn a_label_is_what_was_typed() {
    for text in ["!echo hi", "see @a.txt", "/review a.txt"] {
        let (dir, server) = start();
        dir.write("a.txt", "content");
        dir.write("~/.letscode/prompts/review.md", "Look at $ARGUMENTS closely.");
        let finished = program(&dir, &server).args(["-p", text]).run(HANG);
        assert_eq!(finished.status, 0, "{text}: {}", stderr(&finished));
        let mut running = rpc(&dir, &server, &[]);
        send(&mut running, &json!({"cmd": "prompt", "id": "p", "text": text, "expand": true}));
        wait_for(&mut running, "done");
        send(&mut running, &json!({"cmd": "bye"}));
        end(&mut running);
        let is_label = |path: &Path| path.extension().is_some_and(|ending| ending == "name");
        let labels = files_below(&dir.home().join(".letscode/sessions"), is_label);
        assert_eq!(labels.len(), 2, "{text}");
        for label in labels {
            assert_eq!(std::fs::read_to_string(label).unwrap(), text);
        }
    }
}

#[test]
fn what_has_no_effect_on_the_command_line_is_told() {
    let (dir, server) = start();
    let run = |args: &[&str]| program(&dir, &server).args(args.iter().copied()).run(HANG);
    let reset = run(&["-p", "/reset"]);
    assert_eq!(reset.status, 2);
    assert!(stderr(&reset).contains("/reset has no effect") && stdout(&reset).is_empty());
    assert_eq!(run(&["-p", "hi"]).status, 0);
    assert_eq!(run(&["-c", "-p", "/reset"]).status, 0);
    let zero = run(&["--resume", "0", "-p", "hi"]);
    assert_eq!(zero.status, 2);
    assert!(stderr(&zero).contains("there is no session number 0"), "{}", stderr(&zero));
    let switched = run(&["-m", "demo", "-c", "-p", "/model another"]);
    assert_eq!(switched.status, 0, "{}", stderr(&switched));
    assert!(stderr(&switched).contains("LETSCODE_MODEL"), "{}", stderr(&switched));
}

#[test]
fn a_session_of_another_project_is_resumed_as_a_copy() {
    let (dir, server) = start();
    assert_eq!(program(&dir, &server).args(["-p", "over there"]).run(HANG).status, 0);
    let there = sessions(&dir).remove(0);
    let id = there.file_stem().unwrap().to_str().unwrap().to_owned();
    let before = std::fs::read(&there).unwrap();
    let other = dir.home().join("other");
    std::fs::create_dir(&other).unwrap();
    let resumed = program(&dir, &server)
        .current_dir(&other)
        .args(["--resume", &id, "-p", "over here"])
        .run(HANG);
    assert_eq!(resumed.status, 0, "{}", stderr(&resumed));
    assert!(stderr(&resumed).contains("belongs to another project"), "{}", stderr(&resumed));
    assert_eq!(std::fs::read(&there).unwrap(), before);
    let sent = server.chat_bodies().pop().unwrap()["messages"].to_string();
    assert!(sent.contains("over there") && sent.contains("over here"), "{sent}");
}
