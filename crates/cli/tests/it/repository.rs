//! A real repository whose failing test a scripted model repairs.

use crate::driver::{HANG, call, end, program, prompt, rpc, stdout, wait_for};
use letscode_testkit::program::Program;
use letscode_testkit::sse_server::SseServer;
use letscode_testkit::workdir::WorkDir;
use serde_json::{Value, json};

const SCRIPT: &str = "#!/bin/sh\n# Adds two numbers.\nadd() {\n\techo $(($1 - $2))\n}\n";
const TEST: &str = "#!/bin/sh\n. ./add.sh\ntest \"$(add 2 3)\" = 5 || { echo 'add 2 3 is not 5'; exit 1; }\necho passed\n";

/// Runs a command in the project and returns its exit code and output.
fn sh(dir: &WorkDir, command: &str) -> (i32, String) {
    let program = Program::new("sh", dir).args(["-c", command]);
    let finished = program.env("GIT_CONFIG_NOSYSTEM", "1").run(HANG);
    (finished.status, stdout(&finished).to_owned())
}

fn repository() -> WorkDir {
    let dir = WorkDir::new();
    dir.write("add.sh", SCRIPT);
    dir.write("test.sh", TEST);
    let identity = "-c user.name=t -c user.email=t@example.invalid -c commit.gpgsign=false";
    let made = sh(&dir, &format!("git init -q . && git add . && git {identity} commit -qm first"));
    assert_eq!(made.0, 0, "{made:?}");
    assert_eq!(sh(&dir, "sh test.sh"), (1, "add 2 3 is not 5\n".to_owned()));
    dir
}

fn repair() -> Value {
    let edit = json!({"path": "add.sh", "old_string": "$1 - $2", "new_string": "$1 + $2"});
    json!([
        call("r", "read", &json!({"path": "add.sh"})),
        call("e", "edit", &edit),
        call("b", "bash", &json!({"command": "sh test.sh"})),
        {"text": "It adds now."},
    ])
}

#[track_caller]
fn check(dir: &WorkDir, server: &SseServer) {
    assert_eq!(sh(dir, "sh test.sh"), (0, "passed\n".to_owned()));
    let (_, diff) = sh(dir, "git diff --no-color -U0 | grep '^[-+]'");
    let expected = "--- a/add.sh\n+++ b/add.sh\n-\techo $(($1 - $2))\n+\techo $(($1 + $2))\n";
    assert_eq!(diff, expected);
    assert_eq!(sh(dir, "git status --porcelain").1, " M add.sh\n");
    let bodies = server.chat_bodies();
    assert_eq!(bodies.len(), 4);
    let result =
        |body: &Value| body["messages"].as_array().unwrap().last().unwrap()["content"].to_string();
    assert!(result(&bodies[1]).contains("$1 - $2"), "{}", result(&bodies[1]));
    assert!(result(&bodies[3]).contains("passed"), "{}", result(&bodies[3]));
}

#[test]
fn in_print_mode() {
    let (dir, server) = (repository(), SseServer::start(repair()));
    let finished = program(&dir, &server).args(["-p", "repair the test"]).run(HANG);
    assert_eq!((finished.status, stdout(&finished)), (0, "It adds now.\n"));
    check(&dir, &server);
}

#[test]
fn in_rpc_mode() {
    let (dir, server) = (repository(), SseServer::start(repair()));
    let mut host = rpc(&dir, &server, &[]);
    prompt(&mut host, "repair the test");
    wait_for(&mut host, "agent_end");
    host.close_stdin();
    assert_eq!(end(&mut host).status, 0);
    check(&dir, &server);
}
