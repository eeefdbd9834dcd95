//! The plugins in `examples/plugins`, in three languages: each is installed as its page says, and its
//! tool, its command, its hook and its question are used, in print mode, over RPC and in a terminal.

use crate::driver::{
    HANG, NeededInCi, QUESTION_IS_SEEN, call, end, in_terminal, is_there, offered_tools, program,
    prompt, rpc, send, stderr, stdout, tool_results, wait_for,
};
use letscode_testkit::pty::Pty;
use letscode_testkit::sse_server::SseServer;
use letscode_testkit::workdir::WorkDir;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// A command that asks the user to choose.
struct Asking {
    /// What the model does first, so that there is something to choose from.
    before: Option<Value>,
    command: &'static str,
    question: &'static str,
    options: [&'static str; 2],
    /// What the command says where the user declines.
    declined: &'static str,
    /// What it says for the second option.
    chosen: &'static str,
}

fn guard_asks() -> Asking {
    Asking {
        before: None,
        command: "/guard",
        question: "The next command that the guard would block?",
        options: ["block it, as always", "let it run, once"],
        declined: "the guard stays as it is",
        chosen: "the next one runs",
    }
}

fn echo_asks() -> Asking {
    Asking {
        before: None,
        command: "/echo:pick apple pear",
        question: "Which one?",
        options: ["apple", "pear"],
        declined: "nothing was chosen",
        chosen: "pear",
    }
}

fn todo_asks() -> Asking {
    Asking {
        before: Some(call("c0", "todo", &json!({"add": ["sow", "reap"]}))),
        command: "/todo",
        question: "Done?",
        options: ["sow", "reap"],
        declined: "[ ] sow\n[ ] reap",
        chosen: "[ ] sow\n[x] reap",
    }
}

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/plugins").canonicalize().unwrap()
}

/// Builds the guard, once, and returns its program.
fn guard() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| {
        let built = Command::new(env!("CARGO"))
            .args(["build", "--locked", "--offline", "--message-format", "json"])
            .arg("--manifest-path")
            .arg(examples().join("guard/Cargo.toml"))
            .output()
            .unwrap();
        assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
        let text = String::from_utf8(built.stdout).unwrap();
        let messages = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let mut programs =
            messages.filter_map(|message| Some(message["executable"].as_str()?.into()));
        programs.next_back().expect("cargo names the program that it built")
    })
}

/// Installs a plugin as a user would.
#[track_caller]
fn install(dir: &WorkDir, path: &Path) {
    let server = SseServer::start(json!([]));
    let finished = program(dir, &server)
        .env("TMPDIR", dir.home())
        .args(["install", path.to_str().unwrap()])
        .run(HANG);
    assert_eq!(finished.status, 0, "{}", stderr(&finished));
    assert!(stdout(&finished).contains(" 1.0.0 in ~/.letscode/plugins/native/"));
}

/// Runs one prompt, and returns the tools in its first request and the results in its last.
#[track_caller]
fn run(dir: &WorkDir, responses: &Value) -> (Vec<String>, Vec<String>) {
    let server = SseServer::start(responses.clone());
    let finished = program(dir, &server).args(["-p", "go"]).run(HANG);
    assert_eq!(stdout(&finished), "done\n", "{}", stderr(&finished));
    assert_eq!(stderr(&finished), "");
    server.assert_valid();
    let bodies = server.chat_bodies();
    let owned = |texts: Vec<&str>| texts.into_iter().map(str::to_owned).collect();
    (owned(offered_tools(&bodies[0])), owned(tool_results(bodies.last().unwrap())))
}

/// Runs a slash command in print mode, and returns what it says.
#[track_caller]
fn said(dir: &WorkDir, command: &str) -> String {
    let server = SseServer::start(json!([]));
    let finished = program(dir, &server).args(["-p", command]).run(HANG);
    assert_eq!(finished.status, 0, "{}", stderr(&finished));
    stdout(&finished).trim_end().to_owned()
}

#[test]
fn the_guard_in_rust_has_a_tool_a_command_and_a_hook() {
    let dir = WorkDir::new();
    install(&dir, guard());
    // Harmless, should the guard fail: it is only said.
    let arguments = json!({"command": "echo rm /"});
    let (tools, results) = run(
        &dir,
        &json!([
            call("c1", "guard_check", &arguments),
            call("c2", "bash", &arguments),
            {"text": "done"},
        ]),
    );
    assert_eq!(tools, ["read", "write", "edit", "bash", "guard_check"]);
    let reason = "the guard does not let a whole disk or home be removed";
    assert_eq!(results[0], format!("it is blocked: {reason}"));
    assert!(results[1].contains(reason), "{}", results[1]);
    assert_eq!(said(&dir, "/guard"), guard_asks().declined);
    over_rpc(&dir, &guard_asks());
    in_a_terminal(&dir, &guard_asks());
}

#[test]
fn the_echo_in_python_has_a_tool_commands_and_a_hook() {
    if !is_there("python3", NeededInCi::Yes) {
        return;
    }
    let dir = WorkDir::new();
    install(&dir, &examples().join("echo/echo.py"));
    let arguments = json!({"text": "the secret word"});
    let (tools, results) = run(&dir, &json!([call("c1", "echo", &arguments), {"text": "done"}]));
    assert_eq!(tools, ["read", "write", "edit", "bash", "echo"]);
    assert_eq!(results, ["the … word"]);
    assert_eq!(said(&dir, "/echo:loud hello"), "HELLO");
    assert_eq!(said(&dir, "/echo:pick apple pear"), echo_asks().declined);
    over_rpc(&dir, &echo_asks());
    in_a_terminal(&dir, &echo_asks());
}

#[test]
fn the_to_do_list_in_javascript_has_a_tool_a_command_and_a_hook() {
    if !is_there("node", NeededInCi::Yes) {
        return;
    }
    let dir = WorkDir::new();
    install(&dir, &examples().join("todo/todo.mjs"));
    let (tools, results) = run(
        &dir,
        &json!([
            call("c1", "todo", &json!({"add": ["sow", "reap"]})),
            call("c2", "write", &json!({"path": "field", "content": "seeds\n"})),
            call("c3", "todo", &json!({"done": ["sow", "reap"]})),
            call("c4", "write", &json!({"path": "barn", "content": "grain\n"})),
            call("c5", "todo", &json!({"done": ["sow"]})),
            {"text": "done"},
        ]),
    );
    assert_eq!(tools, ["read", "write", "edit", "bash", "todo"]);
    assert_eq!(results[0], "[ ] sow\n[ ] reap");
    assert!(results[1].ends_with("(still to be done: sow; reap)"), "{}", results[1]);
    assert_eq!(results[2], "[x] sow\n[x] reap");
    assert!(!results[3].contains("to be done"), "{}", results[3]);
    assert!(results[4].contains("there is no open item \"sow\""), "{}", results[4]);
    assert_eq!(said(&dir, "/todo"), "nothing is to be done");
    over_rpc(&dir, &todo_asks());
    in_a_terminal(&dir, &todo_asks());
}

/// Declines the question, then answers it, as a host.
#[track_caller]
fn over_rpc(dir: &WorkDir, asking: &Asking) {
    let server = SseServer::start(responses(asking));
    let mut host = rpc(dir, &server, &[]);
    send(&mut host, &json!({"cmd": "hello", "ui": true}));
    if asking.before.is_some() {
        prompt(&mut host, "go");
        wait_for(&mut host, "agent_end");
    }
    for (id, value, expected) in
        [("declined", Value::Null, asking.declined), ("chosen", json!(1), asking.chosen)]
    {
        send(&mut host, &json!({"cmd": "run_command", "id": id, "text": asking.command}));
        let mut question = Value::Null;
        let asked = host.wait_for_line(HANG, |line| {
            question = serde_json::from_slice(line).unwrap();
            question["type"] == "ui_request"
        });
        assert!(asked, "no question came");
        let request = json!({"kind": "select", "text": asking.question, "options": asking.options});
        assert_eq!(question["request"], request);
        let request_id = &question["request_id"];
        send(&mut host, &json!({"cmd": "ui_response", "request_id": request_id, "value": value}));
        let mut answer = Value::Null;
        let answered = host.wait_for_line(HANG, |line| {
            answer = serde_json::from_slice(line).unwrap();
            answer["type"] == "done" && answer["id"] == id
        });
        assert!(answered, "the command was not answered");
        assert_eq!(answer["result"]["text"], expected);
    }
    host.close_stdin();
    assert_eq!(end(&mut host).status, 0);
}

/// Declines the question with Escape, then answers it with an arrow and Enter.
#[track_caller]
fn in_a_terminal(dir: &WorkDir, asking: &Asking) {
    let server = SseServer::start(responses(asking));
    let mut pty = in_terminal(dir, &server).start();
    pty.wait_for_text("for commands");
    if asking.before.is_some() {
        pty.send("go\r");
        wait_for_rows(&pty, "done");
    }
    for (keys, expected) in [(&["\x1b"][..], asking.declined), (&["\x1b[B", "\r"], asking.chosen)] {
        pty.send(format!("{}\r", asking.command));
        pty.wait_for_text(asking.question);
        for option in asking.options {
            pty.wait_for_text(option);
        }
        std::thread::sleep(QUESTION_IS_SEEN);
        for key in keys {
            pty.send(key);
        }
        wait_for_rows(&pty, expected);
    }
    pty.send("\x03\x03");
    let ended = pty.wait();
    assert!(ended.settings_restored);
}

/// Waits until the lines of `text` stand below each other.
#[track_caller]
fn wait_for_rows(pty: &Pty, text: &str) {
    let wanted: Vec<&str> = text.lines().collect();
    pty.wait_for(text, |screen| {
        let rows = screen.rows();
        let stands = |at: &[String]| at.iter().zip(&wanted).all(|(row, line)| row == line);
        rows.windows(wanted.len()).any(stands).then_some(())
    });
}

fn responses(asking: &Asking) -> Value {
    asking.before.iter().cloned().chain([json!({"text": "done"})]).collect()
}
