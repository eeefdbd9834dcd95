//! Hosts that answer what tools and plugins ask the user.

use crate::driver::{call, end, kinds, lines, prompt, rpc, send, wait_for};
use letscode_testkit::sse_server::SseServer;
use letscode_testkit::workdir::WorkDir;
use serde_json::json;

#[test]
fn a_host_says_that_it_answers_and_an_answer_to_nothing_is_refused() {
    let bash = call("c", "bash", &json!({"command": "echo hi"}));
    let (dir, server) = (WorkDir::new(), SseServer::start(json!([bash, {"text": "ok"}])));
    let mut host = rpc(&dir, &server, &["--no-session"]);
    send(&mut host, &json!({"cmd": "hello", "id": 1, "protocol": "letscode-rpc/1", "ui": true}));
    send(&mut host, &json!({"cmd": "ui_response", "id": 2, "request_id": "ui1", "value": true}));
    send(&mut host, &json!({"cmd": "ui_response", "id": 3, "value": true}));
    send(&mut host, &json!({"cmd": "hello", "id": 4, "ui": null}));
    send(&mut host, &json!({"cmd": "hello", "id": 5, "ui": "yes"}));
    prompt(&mut host, "go");
    wait_for(&mut host, "agent_end");
    host.close_stdin();
    let finished = end(&mut host);
    let lines = lines(&finished);
    assert_eq!(finished.status, 0);
    let features = lines[0]["features"].as_array().unwrap();
    assert!(["reload", "trust", "ui"].iter().all(|name| features.contains(&json!(name))));
    let replies: Vec<_> = lines
        .iter()
        .filter(|line| line["id"].is_u64())
        .map(|line| (line["id"].as_u64().unwrap(), line["type"].as_str().unwrap()))
        .collect();
    assert_eq!(
        replies,
        [
            (1, "ack"),
            (1, "done"),
            (2, "error"),
            (3, "error"),
            (4, "ack"),
            (4, "done"),
            (5, "error")
        ]
    );
    let refusal = lines.iter().find(|line| line["id"] == 2).unwrap();
    assert_eq!(refusal["recoverable"], true);
    assert!(refusal["error"].as_str().unwrap().contains("\"ui1\""), "{refusal}");
    // What asks nothing is the same for a host that answers.
    assert!(!kinds(&lines).iter().any(|kind| kind.starts_with("ui_")));
}

#[test]
fn a_hello_with_a_wrong_protocol_is_fatal_whatever_else_it_says() {
    let (dir, server) = (WorkDir::new(), SseServer::start(json!([])));
    let mut host = rpc(&dir, &server, &["--no-session"]);
    send(&mut host, &json!({"cmd": "hello", "id": 1, "protocol": "letscode-rpc/2", "ui": true}));
    let finished = end(&mut host);
    assert_eq!(finished.status, 2);
    assert_eq!(kinds(&lines(&finished)), ["ready", "error"]);
}
