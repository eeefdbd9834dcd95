//! Odd places to run in, and sessions that come from elsewhere.

use crate::driver::{HANG, files_below, lines, program, sessions, stderr, stdout};
use letscode_testkit::program::{Finished, Program};
use letscode_testkit::sse_server::SseServer;
use letscode_testkit::workdir::WorkDir;
use serde_json::{Value, json};
use std::path::Path;

const SAMPLE: &str = "01a22cfd-77fe-749e-a4b1-85ed4ead396d";

fn start() -> (WorkDir, SseServer) {
    (WorkDir::new(), SseServer::start(json!([{"text": "ok"}])))
}

/// Runs the program from a shell, behind commands that prepare the place.
fn behind(dir: &WorkDir, server: &SseServer, before: &str, args: &str) -> Finished {
    let script = format!("{before}; exec {} {args}", env!("CARGO_BIN_EXE_letscode"));
    Program::new("bash", dir)
        .env("OPENAI_BASE_URL", server.base_url())
        .args(["-c", &script])
        .run(HANG)
}

#[test]
fn a06_a_deleted_directory_is_told_and_no_crash() {
    let (dir, server) = start();
    for args in ["-p hi", "-c -p hi", "--mode rpc"] {
        let finished = behind(&dir, &server, "mkdir gone; cd gone; rmdir ../gone", args);
        assert_eq!(finished.status, 2, "{args}: {}", stderr(&finished));
        let text = stderr(&finished);
        assert!(text.contains("directory") && text.contains("cd "), "{text}");
        assert!(!text.contains("panicked"));
        assert_eq!(stdout(&finished).is_empty(), args != "--mode rpc", "{}", stdout(&finished));
        check_fatal(&finished);
    }
    let finished = behind(&dir, &server, "mkdir gone; cd gone; rmdir ../gone", "--version");
    assert_eq!(finished.status, 0);
}

#[test]
fn a06_a_directory_that_goes_during_the_run_is_told_to_the_model() {
    let bash =
        |id: &str, command: &str| crate::driver::call(id, "bash", &json!({"command": command}));
    let scenario =
        json!([bash("c1", "rmdir ../project"), bash("c2", "echo still"), {"text": "ok"}]);
    let (dir, server) = (WorkDir::new(), SseServer::start(scenario));
    let finished = program(&dir, &server).args(["-p", "go"]).run(HANG);
    assert_eq!((finished.status, stdout(&finished)), (0, "ok\n"));
    let last = server.chat_bodies().pop().unwrap();
    let result = last["messages"].as_array().unwrap().last().unwrap()["content"].to_string();
    assert!(result.contains("directory"), "{result}");
}

#[test]
fn without_a_home_it_runs_and_says_that_nothing_is_kept() {
    let (dir, server) = start();
    let finished = program(&dir, &server).env("HOME", "").args(["-p", "hi"]).run(HANG);
    assert_eq!((finished.status, stdout(&finished)), (0, "ok\n"), "{}", stderr(&finished));
}

#[test]
fn a_home_that_cannot_be_written_costs_one_notice() {
    let (dir, server) = start();
    // A file where the folder should be refuses everybody, root too.
    std::fs::write(dir.home().join(".letscode"), "in the way").unwrap();
    let finished = program(&dir, &server).args(["-p", "hi"]).run(HANG);
    assert_eq!((finished.status, stdout(&finished)), (0, "ok\n"), "{}", stderr(&finished));
    let told = stderr(&finished).lines().filter(|line| line.contains("session")).count();
    assert_eq!(told, 1, "{}", stderr(&finished));
}

#[test]
fn sessions_go_where_the_variable_says() {
    let (dir, server) = start();
    let there = dir.home().join("elsewhere");
    let run = |args: [&str; 2]| {
        let program = program(&dir, &server).env("LETSCODE_SESSIONS_DIR", &there);
        program.args(args).run(HANG)
    };
    assert_eq!(run(["-p", "hi"]).status, 0);
    assert_eq!(run(["-cp", "again"]).status, 0);
    assert!(sessions(&dir).is_empty());
    let is_session = |path: &Path| path.extension().is_some_and(|ending| ending == "jsonl");
    assert_eq!(files_below(&there, is_session).len(), 1);
}

#[test]
fn a_full_disk_costs_one_notice_and_the_run_goes_on() {
    let bash = crate::driver::call("c", "bash", &json!({"command": "printf '%4000s' x"}));
    let (dir, server) = (WorkDir::new(), SseServer::start(json!([bash, {"text": "ok"}])));
    // At most 1 KiB a file: the session's first line fits, the result does not.
    let finished = behind(&dir, &server, "trap '' XFSZ; ulimit -f 1", "-p hi");
    assert_eq!((finished.status, stdout(&finished)), (0, "ok\n"), "{}", stderr(&finished));
    let told = stderr(&finished).lines().filter(|line| line.contains("session")).count();
    assert_eq!(told, 1, "{}", stderr(&finished));
    let text = std::fs::read_to_string(&sessions(&dir)[0]).unwrap();
    assert!(text.lines().all(|line| serde_json::from_str::<Value>(line).is_ok()), "{text}");
    let next = program(&dir, &server).args(["-c", "-p", "on"]).run(HANG);
    assert_eq!(next.status, 0, "{}", stderr(&next));
}

#[test]
fn a_session_of_the_earlier_program_goes_on() {
    let (dir, server) = start();
    // The folder's name is that of a session of our own in this place.
    assert_eq!(program(&dir, &server).args(["-p", "x"]).run(HANG).status, 0);
    let own = sessions(&dir).remove(0);
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../core/tests/samples");
    for ending in ["jsonl", "name"] {
        let name = format!("{SAMPLE}.{ending}");
        std::fs::copy(samples.join(&name), own.with_file_name(&name)).unwrap();
    }
    for ending in ["jsonl", "name"] {
        std::fs::remove_file(own.with_extension(ending)).unwrap();
    }
    let finished = program(&dir, &server).args(["-c", "-p", "hi"]).run(HANG);
    assert_eq!((finished.status, stdout(&finished)), (0, "ok\n"), "{}", stderr(&finished));
    let body = server.chat_bodies().pop().unwrap();
    assert_eq!(body["model"], "mock-model-2", "the session's last model_change counts");
    let messages: Vec<(&str, String)> = body["messages"]
        .as_array()
        .unwrap()
        .iter()
        .skip(1)
        .map(|message| (message["role"].as_str().unwrap(), message["content"].to_string()))
        .collect();
    // Ten messages are collapsed, the model_change not counted: the conversation begins with the
    // summary and goes on with the third question.
    assert!(messages[0].1.contains("The user asked for app.py to print 2; it was edited."));
    let rest: Vec<(&str, &str)> =
        messages.iter().skip(1).map(|(role, text)| (*role, text.as_str())).collect();
    assert_eq!(
        rest,
        [
            ("user", "\"third question\""),
            ("assistant", "\"Third answer.\""),
            ("user", "\"fourth question\""),
            ("assistant", "\"Fourth answer.\""),
            ("user", "\"after that\""),
            ("assistant", "\"After compaction.\""),
            ("user", "\"hi\""),
        ]
    );
    let text = std::fs::read_to_string(&sessions(&dir)[0]).unwrap();
    assert_eq!(text.lines().count(), 20, "two lines are added behind the eighteen");
}

#[test]
fn w25_reasoning_of_one_model_is_not_sent_to_another() {
    let answer = json!([{"reasoning": "secret thoughts", "text": "a"}, {"text": "b"}]);
    let (dir, server) = (WorkDir::new(), SseServer::start(answer));
    let run = |model: &str, args: [&str; 2]| {
        program(&dir, &server).args(["--model", model]).args(args).run(HANG).status
    };
    assert_eq!(run("one", ["-p", "first"]), 0);
    assert_eq!(run("two", ["-cp", "second"]), 0);
    let bodies = server.chat_bodies();
    assert_eq!(bodies[1]["model"], "two");
    assert!(!bodies[1].to_string().contains("secret thoughts"), "{}", bodies[1]);
    let session = std::fs::read_to_string(&sessions(&dir)[0]).unwrap();
    assert!(session.contains("secret thoughts"), "what a provider needs back is kept");
}

#[test]
fn too_few_descriptors_are_told_and_no_crash() {
    let (dir, server) = start();
    for limit in 3..16 {
        let finished = behind(&dir, &server, &format!("ulimit -n {limit}"), "-p hi");
        let text = stderr(&finished);
        assert!(!text.contains("internal error"), "{limit}: {text}");
        assert!([0, 1, 2, 127].contains(&finished.status), "{limit}: {} {text}", finished.status);
    }
    let finished = behind(&dir, &server, "ulimit -n 7", "-p hi");
    assert_eq!(finished.status, 2, "{}", stderr(&finished));
    assert!(stderr(&finished).contains("open files"), "{}", stderr(&finished));
    let finished = behind(&dir, &server, "ulimit -n 7", "--mode rpc");
    assert_eq!((finished.status, stdout(&finished).lines().count()), (2, 1));
    check_fatal(&finished);
}

/// Requires that all that a host was told, if anything, is why the program cannot start.
fn check_fatal(finished: &Finished) {
    for line in lines(finished) {
        assert_eq!((&line["type"], &line["fatal"]), (&json!("error"), &json!(true)), "{line}");
        assert!(stderr(finished).contains(line["error"].as_str().unwrap()), "{line}");
    }
}

#[test]
fn a_file_size_limit_fails_the_write_and_not_the_program() {
    let dir = WorkDir::new();
    let content = "x".repeat(200_000);
    let write = json!({"path": "big.txt", "content": content}).to_string();
    let call = json!({"tool_calls": [{"id": "w", "name": "write", "arguments": write}]});
    let server = SseServer::start(json!([call, {"text": "ok"}]));
    let finished = behind(&dir, &server, "ulimit -f 64", "--no-session -p hi");
    assert_eq!((finished.status, stdout(&finished)), (0, "ok\n"), "{}", stderr(&finished));
    let told = server.chat_bodies().pop().unwrap()["messages"].to_string();
    assert!(told.contains("too large"), "{told:.2000}");
    assert!(!dir.resolve("big.txt").exists());
}
