//! Two processes on one session at the same time.

use crate::driver::{HANG, call, program, prompt, rpc, sessions, stderr, stdout, wait_for};
use letscode_testkit::program::{Finished, Signal};
use letscode_testkit::sse_server::SseServer;
use letscode_testkit::workdir::WorkDir;
use serde_json::{Value, json};
use std::time::Duration;

/// How many rounds: few by default, `LETSCODE_TEST_ROUNDS` for more.
fn rounds() -> u32 {
    std::env::var("LETSCODE_TEST_ROUNDS").ok().and_then(|text| text.parse().ok()).unwrap_or(9)
}

/// Answers for two runs of two turns; each run ends with a text of its own, whoever gets it.
fn answers(round: u32) -> Value {
    let work = |name: &str| {
        let mut answer =
            call(&format!("{name}{round}"), "bash", &json!({"command": "echo worked"}));
        answer["first_delay_ms"] = json!(15);
        answer
    };
    let text = |name: &str| json!({"text": format!("answer {name} of round {round}"), "first_delay_ms": 15});
    json!([work("a"), work("b"), text("one"), text("two"), text("three"), text("four")])
}

/// The session files, and what each must be: whole lines, each behind the one before it.
fn files(dir: &WorkDir, round: u32) -> Vec<Vec<Value>> {
    let mut files = Vec::new();
    for path in sessions(dir) {
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.ends_with('\n'), "round {round}: {} is torn", path.display());
        let lines: Vec<Value> =
            text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let mut last = Value::Null;
        for line in &lines {
            assert_eq!(line["parent_id"], last, "round {round}: lines of two are mixed");
            last = line["msg"]["id"].clone();
        }
        files.push(lines.into_iter().map(|line| line["msg"].clone()).collect());
    }
    files
}

fn text_of(message: &Value) -> &str {
    message["content"][0]["text"].as_str().unwrap_or_default()
}

/// Returns whether one file holds the prompt and, with no other prompt between, the answer.
fn is_kept(files: &[Vec<Value>], prompt: &str, answer: &str) -> bool {
    files.iter().any(|messages| {
        let asked = messages.iter().position(|message| text_of(message) == prompt);
        let behind = asked.and_then(|asked| messages.get(asked + 1..)).unwrap_or_default();
        let until = behind.iter().position(|message| message["role"] == "user");
        let own = behind.get(..until.unwrap_or(behind.len())).unwrap_or_default();
        own.iter().any(|message| message["role"] == "assistant" && text_of(message) == answer)
    })
}

fn has_forked(finished: &Finished) -> bool {
    stderr(finished).contains("going on in a copy")
}

#[test]
fn a26_two_processes_on_one_session_lose_and_mix_nothing() {
    let server = SseServer::start(json!([{"text": "begun"}]));
    let mut dir = WorkDir::new();
    let (mut forks, mut kept, mut heard) = (0, Vec::new(), Vec::new());
    for round in 0..rounds() {
        // All files are looked at after each round: a fresh start keeps them few.
        if round % 10 == 0 {
            dir = WorkDir::new();
            server.load(json!([{"text": "begun"}]));
            assert_eq!(program(&dir, &server).args(["-p", "begin"]).run(HANG).status, 0);
            kept = vec![("begin".to_owned(), "begun".to_owned())];
            heard.clear();
        }
        server.load(answers(round));
        let (left, right) = (format!("left of round {round}"), format!("right of round {round}"));
        let print = |text: &str| program(&dir, &server).args(["-c", "-p", text]).start().unwrap();
        match round % 3 {
            0 => {
                let mut running = [print(&left), print(&right)];
                running.iter_mut().for_each(|process| process.close_stdin());
                for (process, text) in running.iter_mut().zip([left, right]) {
                    let finished = process.wait(HANG).unwrap();
                    assert_eq!(finished.status, 0, "round {round}: {}", stderr(&finished));
                    forks += u32::from(has_forked(&finished));
                    kept.push((text, stdout(&finished).trim_end().to_owned()));
                }
            }
            1 => {
                // The host holds the session from its start: the other one has to step aside.
                let mut host = rpc(&dir, &server, &["-c"]);
                prompt(&mut host, &left);
                let mut other = print(&right);
                other.close_stdin();
                let other = other.wait(HANG).unwrap();
                assert_eq!(other.status, 0, "round {round}: {}", stderr(&other));
                assert!(has_forked(&other), "round {round}: {}", stderr(&other));
                forks += 1;
                kept.push((right, stdout(&other).trim_end().to_owned()));
                wait_for(&mut host, "done");
                host.close_stdin();
                let finished = host.wait(HANG).unwrap();
                assert_eq!(finished.status, 0, "round {round}: {}", stderr(&finished));
                heard.extend(ended_messages(&finished));
            }
            _ => {
                let mut host = rpc(&dir, &server, &["-c"]);
                prompt(&mut host, &left);
                let mut other = print(&right);
                other.close_stdin();
                std::thread::sleep(Duration::from_millis(u64::from(round * 7 % 60)));
                host.signal(Signal::Kill).unwrap();
                heard.extend(ended_messages(&host.wait(HANG).unwrap()));
                let other = other.wait(HANG).unwrap();
                assert_eq!(other.status, 0, "round {round}: {}", stderr(&other));
                forks += u32::from(has_forked(&other));
                kept.push((right, stdout(&other).trim_end().to_owned()));
            }
        }
        let next = format!("after round {round}");
        let finished = program(&dir, &server).args(["-c", "-p", &next]).run(HANG);
        assert_eq!(finished.status, 0, "round {round}: {}", stderr(&finished));
        assert!(!has_forked(&finished), "round {round}: nobody holds it any more");
        kept.push((next, stdout(&finished).trim_end().to_owned()));
        server.assert_valid();
        let files = files(&dir, round);
        for (prompt, answer) in &kept {
            assert!(is_kept(&files, prompt, answer), "round {round}: {prompt}: {answer} is lost");
        }
        for id in &heard {
            let has_it =
                |messages: &Vec<Value>| messages.iter().any(|message| &message["id"] == id);
            assert!(files.iter().any(has_it), "round {round}: the message {id} is lost");
        }
    }
    assert!(forks > 0, "no two processes ever met");
}

/// Returns the ids of the messages that a host has heard the end of.
fn ended_messages(finished: &Finished) -> Vec<Value> {
    let lines = finished.stdout.split_inclusive(|&byte| byte == b'\n');
    let lines = lines.filter_map(|line| serde_json::from_slice::<Value>(line).ok());
    lines
        .filter(|line| line["type"] == "message_end")
        .map(|line| line["message"]["id"].clone())
        .collect()
}
