//! `kill -9` at any moment of a run.

use crate::driver::{
    HANG, call, files_below, lines, program, prompt, rpc, sessions, stdout, wait_for,
};
use letscode_testkit::program::Signal;
use letscode_testkit::sse_server::SseServer;
use letscode_testkit::workdir::WorkDir;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// How many rounds: few by default, `LETSCODE_TEST_ROUNDS` for more.
fn rounds() -> u32 {
    std::env::var("LETSCODE_TEST_ROUNDS").ok().and_then(|text| text.parse().ok()).unwrap_or(12)
}

/// A run that writes, edits and runs commands over several turns.
fn scenario() -> Value {
    let big = "line of the new content\n".repeat(4000);
    let turn = |number: u32| {
        let call = |id: &str, name: &str, arguments: Value| json!({"id": format!("{id}{number}"), "name": name, "arguments": arguments.to_string()});
        json!({"text": format!("turn {number}"), "tool_calls": [
            call("w", "write", json!({"path": "new.txt", "content": big, "overwrite": true})),
            call("e", "edit", json!({"path": "old.txt", "old_string": "alpha", "new_string": "beta"})),
            call("f", "edit", json!({"path": "old.txt", "old_string": "beta", "new_string": "alpha"})),
            call("b", "bash", json!({"command": format!("echo turn {number}")})),
        ]})
    };
    json!([turn(1), turn(2), turn(3), {"text": "all done"}])
}

/// Numbers that look random and are the same in every run of a round.
fn scattered(round: u32) -> u64 {
    let mut state = u64::from(round) ^ 0x9e37_79b9_7f4a_7c15;
    for _ in 0..3 {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
    }
    state
}

/// Returns the ids of the messages that a host has heard the end of.
fn heard(stdout: &[u8]) -> Vec<String> {
    let lines = stdout.split_inclusive(|&byte| byte == b'\n');
    let lines = lines.filter_map(|line| serde_json::from_slice::<Value>(line).ok());
    lines
        .filter(|line| line["type"] == "message_end")
        .map(|line| line["message"]["id"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn a23_a24_nothing_final_is_lost_and_the_next_request_is_valid() {
    let old = "alpha\n".to_owned() + &"rest\n".repeat(20_000);
    let new = "line of the new content\n".repeat(4000);
    // How long a whole run takes here, so that the kills fall on all of it.
    let whole = {
        let (dir, server) = (WorkDir::new(), SseServer::start(scenario()));
        dir.write("old.txt", old.clone());
        let mut host = rpc(&dir, &server, &[]);
        let began = Instant::now();
        prompt(&mut host, "go");
        wait_for(&mut host, "done");
        let whole = began.elapsed();
        host.close_stdin();
        let finished = host.wait(HANG).unwrap();
        assert!(lines(&finished).len() > 40, "the run is too short");
        whole
    };
    let mut interrupted = 0;
    for round in 0..rounds() {
        let (dir, server) = (WorkDir::new(), SseServer::start(scenario()));
        dir.write("old.txt", old.clone());
        let mut host = rpc(&dir, &server, &[]);
        prompt(&mut host, "go");
        let part = u32::try_from(scattered(round) % 1000).unwrap();
        std::thread::sleep(whole * part / 1000);
        host.signal(Signal::Kill).unwrap();
        let killed = host.wait(HANG).unwrap();
        let heard = heard(&killed.stdout);
        interrupted += u32::from(!stdout_ends(&killed.stdout));
        let kept = sessions(&dir).first().map(|path| std::fs::read_to_string(path).unwrap());
        let kept = kept.unwrap_or_default();
        for id in &heard {
            let place = format!("\"id\":\"{id}\"");
            assert!(kept.contains(&place), "round {round}: the message {id} is lost");
        }
        let text = dir.read("old.txt");
        let edited = text.strip_prefix("alpha\n").or_else(|| text.strip_prefix("beta\n"));
        assert_eq!(edited, old.strip_prefix("alpha\n"), "round {round}: old.txt is torn");
        if dir.resolve("new.txt").exists() {
            assert!(dir.read("new.txt") == new, "round {round}: new.txt is torn");
        }
        if kept.is_empty() {
            continue;
        }
        server.load(json!([{"text": "on we go"}]));
        let next = program(&dir, &server).args(["-c", "-p", "go on"]).run(HANG);
        assert_eq!((next.status, stdout(&next)), (0, "on we go\n"), "round {round}");
        server.assert_valid();
        let last = server.chat_bodies().pop().unwrap();
        assert!(last["messages"].as_array().unwrap().len() > heard.len().min(1));
        let again = program(&dir, &server).args(["-c", "-p", "once more"]).run(HANG);
        assert_eq!(again.status, 0);
        let all = std::fs::read_to_string(&sessions(&dir)[0]).unwrap();
        assert!(all.lines().all(|line| serde_json::from_str::<Value>(line).is_ok()));
    }
    assert!(interrupted > 0, "no kill came before the end of its run");
}

fn stdout_ends(stdout: &[u8]) -> bool {
    String::from_utf8_lossy(stdout).contains("\"type\":\"agent_end\"")
}

#[test]
fn a_killed_write_leaves_no_litter_that_hinders_the_next() {
    let write = call("w", "write", &json!({"path": "a.txt", "content": "x\n"}));
    let (dir, server) = (WorkDir::new(), SseServer::start(json!([write, {"text": "ok"}])));
    let finished = program(&dir, &server).args(["-p", "go"]).run(HANG);
    assert_eq!(finished.status, 0);
    let files = files_below(dir.project(), |_| true);
    assert_eq!(files, [dir.resolve("a.txt")]);
    assert!(finished.took < Duration::from_secs(30));
}
