//! Plugins that hold the end of a run, in processes of their own: they go on with it, or cost no more
//! than their limit.

use crate::driver::{
    HANG, call, configure, end, lines, program, prompt, rpc, send, stderr, stdout, wait_for,
    wait_for_file, write_plugin,
};
use letscode_testkit::sse_server::SseServer;
use letscode_testkit::workdir::WorkDir;
use serde_json::{Value, json};

/// Installs the plugin of these tests. What it does is told by `mode`.
fn install(dir: &WorkDir, mode: &str, config: &str) {
    let script = dir.home().join("goal.py");
    std::fs::write(&script, include_str!("held_end/goal.py")).unwrap();
    write_plugin(dir.home(), "goal", &["python3", script.to_str().unwrap(), mode]);
    configure(dir.home(), config);
}

fn texts(answers: &[&str]) -> Value {
    answers.iter().map(|text| json!({"text": text})).collect()
}

/// Returns what the user said in a request, as far as it goes to the model.
fn said(body: &Value) -> Vec<&str> {
    let messages = body["messages"].as_array().unwrap().iter();
    let said = messages.filter(|message| message["role"] == "user");
    said.map(|message| message["content"].as_str().unwrap()).collect()
}

#[test]
fn a_plugin_goes_on_with_a_run_in_print_mode_and_lets_it_end() {
    let dir = WorkDir::new();
    install(&dir, "twice", "");
    let server = SseServer::start(texts(&["one", "two", "three"]));
    let finished = program(&dir, &server).args(["-p", "go"]).run(HANG);
    assert_eq!(stdout(&finished), "three\n", "{}", stderr(&finished));
    assert_eq!((finished.status, stderr(&finished)), (0, ""));
    let bodies = server.chat_bodies();
    assert_eq!(bodies.len(), 3);
    assert_eq!(said(&bodies[2]), ["go", "2 more", "1 more"]);
    server.assert_valid();
}

#[test]
fn what_a_plugin_asks_of_the_agent_before_the_end_is_answered_in_print_mode() {
    let dir = WorkDir::new();
    install(&dir, "asks", "");
    let server = SseServer::start(texts(&["one", "two"]));
    let finished = program(&dir, &server).args(["-p", "go"]).run(HANG);
    assert_eq!(stdout(&finished), "two\n", "{}", stderr(&finished));
    let answers = wait_for_file(&dir.project().join("answers"));
    let answers: Vec<Value> = serde_json::from_str(&answers).unwrap();
    assert_eq!(answers[0]["result"]["busy"], true);
    assert_eq!(answers[1]["result"]["messages"].as_array().unwrap().len(), 2);
    assert!(answers[2]["error"].as_str().unwrap().contains("a run is active"), "{}", answers[2]);
    assert_eq!(answers[3]["result"]["kind"], "goal");
    assert_eq!(answers[4].get("error"), None);
    assert_eq!(said(&server.chat_bodies()[1]), ["go", "left"]);
}

#[test]
fn a_plugin_that_never_answers_costs_its_limit_and_one_line() {
    let dir = WorkDir::new();
    install(&dir, "hangs", "[plugins.timeouts]\nturn_end = 0.4\n");
    let server = SseServer::start(texts(&["one"]));
    let finished = program(&dir, &server).args(["-p", "go"]).run(HANG);
    assert_eq!((stdout(&finished), finished.status), ("one\n", 0), "{}", stderr(&finished));
    let line = "plugin goal: no answer to turn_end within 0.4 s; the run ends without it";
    let told = stderr(&finished);
    assert!(told.contains(line) && told.lines().count() == 1, "{told}");
}

#[test]
fn a_plugin_that_dies_lets_go_of_the_end() {
    let dir = WorkDir::new();
    install(&dir, "dies", "");
    let server = SseServer::start(texts(&["one"]));
    let finished = program(&dir, &server).args(["-p", "go"]).run(HANG);
    assert_eq!((stdout(&finished), finished.status), ("one\n", 0), "{}", stderr(&finished));
    let told = stderr(&finished);
    assert!(told.contains("starting it again") && !told.contains("turn_end"), "{told}");
}

#[test]
fn an_abort_takes_the_end_from_a_plugin_that_holds_it() {
    let dir = WorkDir::new();
    install(&dir, "hangs", "");
    let server = SseServer::start(texts(&["one", "two"]));
    let mut host = rpc(&dir, &server, &[]);
    prompt(&mut host, "go");
    wait_for_file(&dir.project().join("held"));
    send(&mut host, &json!({"cmd": "state", "id": "s"}));
    wait_for(&mut host, "done");
    send(&mut host, &json!({"cmd": "abort", "id": "a"}));
    wait_for(&mut host, "agent_end");
    assert_eq!(wait_for_file(&dir.project().join("cancelled")), "yes\n");
    host.close_stdin();
    let finished = end(&mut host);
    assert_eq!(finished.status, 0);
    let lines = lines(&finished);
    let state = lines.iter().find(|line| line["type"] == "done" && line["id"] == "s").unwrap();
    assert_eq!(state["result"]["busy"], true);
    let ended = lines.iter().find(|line| line["type"] == "agent_end").unwrap();
    assert_eq!(ended["aborted"], true);
}

#[test]
fn a_plugin_may_say_what_it_wants_when_it_registers() {
    let dir = WorkDir::new();
    install(&dir, "later", "");
    let server =
        SseServer::start(json!([call("c1", "bash", &json!({"command": "true"})), {"text": "end"}]));
    let finished = program(&dir, &server).args(["-p", "go"]).run(HANG);
    assert_eq!(stdout(&finished), "end\n", "{}", stderr(&finished));
    let told = wait_for_file(&dir.project().join("told"));
    let told: Vec<&str> = told.lines().collect();
    // What happened while it started came when it had.
    assert_eq!(told[..2], ["agent_start", "turn_start"], "{told:?}");
    assert!(told.contains(&"before_tool_call"), "{told:?}");
    assert_eq!(told.last(), Some(&"held turn_end"), "{told:?}");
}

#[test]
fn a_command_of_a_plugin_may_ask_that_the_front_end_ends() {
    let dir = WorkDir::new();
    install(&dir, "well", "");
    let server = SseServer::start(json!([]));
    let said = program(&dir, &server).args(["/goal:bye"]).run(HANG);
    assert_eq!((stdout(&said), said.status), ("farewell\n", 0), "{}", stderr(&said));
    let mut host = rpc(&dir, &server, &[]);
    send(&mut host, &json!({"cmd": "run_command", "id": 1, "text": "/goal:bye"}));
    wait_for(&mut host, "done");
    host.close_stdin();
    let lines = lines(&end(&mut host));
    let done = lines.iter().find(|line| line["type"] == "done").unwrap();
    let expected = json!({"command": "goal:bye", "text": "farewell", "exit": true});
    assert_eq!(done["result"], expected);
}
