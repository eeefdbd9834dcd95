//! Print mode at its edges: signals, pipes, exit codes, failures of the server.

use crate::driver::{HANG, KEY, end, program, sessions, stderr, stdout};
#[cfg(target_os = "linux")]
use crate::driver::{assert_gone, call, wait_for_file};
#[cfg(target_os = "linux")]
use letscode_testkit::program::Signal;
use letscode_testkit::sse_server::SseServer;
use letscode_testkit::workdir::WorkDir;
use serde_json::{Value, json};
use std::time::Duration;

fn run(
    scenario: Value,
    args: &[&str],
) -> (letscode_testkit::program::Finished, SseServer, WorkDir) {
    let (dir, server) = (WorkDir::new(), SseServer::start(scenario));
    let finished = program(&dir, &server).args(args).run(HANG);
    (finished, server, dir)
}

#[cfg(target_os = "linux")]
#[test]
fn a02_no_signal_leaves_a_child_alive() {
    for (signal, status) in
        [(Signal::Interrupt, 130), (Signal::Terminate, 143), (Signal::HangUp, 129)]
    {
        let command = "sleep 300 & echo $! > child; echo $$ > shell; sleep 301";
        let bash = call("c", "bash", &json!({"command": command}));
        let (dir, server) = (WorkDir::new(), SseServer::start(json!([bash])));
        let mut running = program(&dir, &server).args(["-p", "go"]).start().unwrap();
        running.close_stdin();
        let shell = wait_for_file(&dir.resolve("shell"));
        let child = wait_for_file(&dir.resolve("child"));
        running.signal(signal).unwrap();
        // Not through the kit, which would kill what is left in the group.
        assert_gone(&shell);
        assert_gone(&child);
        let finished = end(&mut running);
        assert_eq!((finished.status, stdout(&finished)), (status, ""), "{signal:?}");
        let session = std::fs::read_to_string(&sessions(&dir)[0]).unwrap();
        assert!(session.contains("(interrupted by user)"), "{session}");
        server.load(json!([{"text": "ok"}]));
        let next = program(&dir, &server).args(["-c", "-p", "on"]).run(HANG);
        assert_eq!(stdout(&next), "ok\n");
    }
}

#[test]
fn a40_a_reader_that_wants_no_more_ends_it_quietly() {
    let text = "x".repeat(300_000);
    let (dir, server) = (WorkDir::new(), SseServer::start(json!([{"text": text}])));
    let script = format!("{} -p hi | head -c1", env!("CARGO_BIN_EXE_letscode"));
    let piped = letscode_testkit::program::Program::new("sh", &dir)
        .env("OPENAI_BASE_URL", server.base_url())
        .args(["-c", &script])
        .run(HANG);
    assert_eq!((piped.status, stdout(&piped), stderr(&piped)), (0, "x", ""));
}

/// Every stream that may be missing, and a terminal that can do nothing.
#[test]
fn a40_closed_streams_and_a_dumb_terminal_change_no_answer() {
    let (dir, server) = (WorkDir::new(), SseServer::start(json!([{"text": "**ok**"}])));
    for (redirections, status, answer) in [
        ("<&-", 0, "**ok**\n"),
        ("</dev/null", 0, "**ok**\n"),
        ("2>&-", 0, "**ok**\n"),
        ("<&- 2>&-", 0, "**ok**\n"),
        // Nobody is there to read it, which is how a closed pipe ends too.
        (">&-", 0, ""),
        ("<&- >&- 2>&-", 0, ""),
    ] {
        for words in ["-p hi", "hi"] {
            let binary = env!("CARGO_BIN_EXE_letscode");
            let script = format!("unset LANG; exec {binary} {words} {redirections}");
            let finished = letscode_testkit::program::Program::new("sh", &dir)
                .env("OPENAI_BASE_URL", server.base_url())
                .env("TERM", "dumb")
                .args(["-c", &script])
                .run(HANG);
            let shown = (finished.status, stdout(&finished), stderr(&finished));
            assert_eq!(shown, (status, answer, ""), "{words} {redirections}");
        }
    }
}

#[test]
fn debug_tells_requests_tools_and_the_session() {
    let call = json!({"tool_calls": [{"id": "c1", "name": "bash", "arguments": "{\"command\": \"true\"}"}]});
    let busy = json!({"status": 503, "body": "busy"});
    let (finished, server, dir) =
        run(json!([call, busy, {"text": "ok"}]), &["-p", "go", "--debug"]);
    assert_eq!((finished.status, stdout(&finished)), (0, "ok\n"), "{}", stderr(&finished));
    let session = sessions(&dir)[0].display().to_string();
    let url = format!("url=\"{}/chat/completions\"", server.base_url());
    for told in [
        session.as_str(),
        url.as_str(),
        "bytes=",
        "status=200",
        "status=503",
        "request failed",
        "retry attempt=2",
        "tool call begins tool=\"bash\"",
        "tool call ends tool=\"bash\"",
        "first byte of the answer",
        "end of the answer",
    ] {
        assert!(stderr(&finished).contains(told), "{told} is missing in {}", stderr(&finished));
    }
}

#[test]
fn an_answer_that_ends_oddly_is_noted() {
    let (finished, _, _) = run(json!([{"text": "hm", "finish": "whatever"}]), &["-p", "go"]);
    assert_eq!((finished.status, stdout(&finished)), (0, "hm\n"), "{}", stderr(&finished));
    assert!(stderr(&finished).contains("may be cut off"), "{}", stderr(&finished));
}

#[test]
fn an_open_pipe_is_not_waited_for_with_a_message_and_no_print() {
    let (dir, server) = (WorkDir::new(), SseServer::start(json!([{"text": "ok"}])));
    let mut running = program(&dir, &server).args(["hello", "there"]).start().unwrap();
    let finished = end(&mut running);
    assert_eq!((finished.status, stdout(&finished)), (0, "ok\n"));
}

#[test]
fn w20_a_stream_that_breaks_twice_is_retried_and_says_so_on_stderr() {
    let broken = json!({"text": ["half ", "an answer"], "disconnect_after": 2});
    let reset = json!({"text": "half", "disconnect_after": 2, "disconnect_mode": "rst"});
    let (finished, server, _) = run(json!([broken, reset, {"text": "whole"}]), &["-p", "hi"]);
    assert_eq!((finished.status, stdout(&finished)), (0, "whole\n"));
    assert!(stderr(&finished).contains("attempt 2 of 3"), "{}", stderr(&finished));
    assert!(stderr(&finished).contains("attempt 3 of 3"), "{}", stderr(&finished));
    assert_eq!(server.chat_bodies().len(), 3);
}

#[test]
fn w20_a_stream_that_always_breaks_is_a_failure_and_runs_no_tool() {
    let bash = json!({"tool_calls": [{"id": "c", "name": "bash",
        "arguments": "{\"command\":\"touch marker\"}"}], "disconnect_after": 3});
    let (finished, server, dir) = run(json!([bash]), &["-p", "hi"]);
    assert_eq!((finished.status, stdout(&finished)), (1, ""));
    assert_eq!(server.chat_bodies().len(), 3);
    assert!(!dir.resolve("marker").exists());
    let session = std::fs::read_to_string(&sessions(&dir)[0]).unwrap();
    assert_eq!(session.lines().count(), 1, "{session}");
}

#[test]
fn w16_empty_answers_come_to_a_visible_end() {
    for finish in ["tool_calls", "stop", "eos_token"] {
        let (finished, server, _) = run(json!([{"text": "", "finish": finish}]), &["-p", "hi"]);
        assert_eq!((finished.status, stdout(&finished)), (1, ""), "{finish}");
        assert!(stderr(&finished).lines().count() > 0);
        assert!(server.chat_bodies().len() <= 3);
    }
}

#[test]
fn w40_a_stalled_server_is_given_up_after_the_time_out() {
    let stalled = json!({"text": ["x", "y"], "hang_after": 2});
    let silent = json!({"text": "x", "hang_after": 0});
    let scenario = json!([stalled, silent, {"text": "at last"}]);
    let (finished, server, _) = run(scenario, &["-p", "hi", "--timeout", "1"]);
    assert_eq!((finished.status, stdout(&finished)), (0, "at last\n"));
    assert_eq!(server.chat_bodies().len(), 3);
    assert!(finished.took < Duration::from_secs(30), "{:?}", finished.took);
}

#[test]
fn w47_a_404_without_v1_is_tried_with_it_once() {
    let missing = json!({"status": 404, "body": "no such page"});
    let (dir, server) = (WorkDir::new(), SseServer::start(json!([missing, {"text": "ok"}])));
    let base = format!("http://127.0.0.1:{}/", server.port());
    let run = || program(&dir, &server).args(["-p", "hi", "--base-url", &base]).run(HANG);
    let finished = run();
    assert_eq!((finished.status, stdout(&finished)), (0, "ok\n"), "{}", stderr(&finished));
    let targets: Vec<String> =
        server.requests().into_iter().map(|request| request.target).collect();
    assert_eq!(targets, ["/chat/completions", "/v1/chat/completions"]);
    assert!(stderr(&finished).contains("/v1"), "the user is told: {}", stderr(&finished));
    server.load(json!([{"status": 404, "body": "no such page"}]));
    let finished = run();
    assert_eq!((finished.status, stdout(&finished)), (1, ""));
    assert_eq!(server.requests().len(), 4);
}

#[test]
fn exit_codes_tell_usage_from_failure() {
    let refused =
        json!([{"status": 401, "body": {"error": {"message": format!("bad key {KEY}")}}}]);
    let (finished, _, _) = run(refused, &["-p", "hi"]);
    assert_eq!((finished.status, stdout(&finished)), (1, ""));
    assert!(stderr(&finished).contains("401"), "{}", stderr(&finished));
    for args in [
        &["--no-such-flag"][..],
        &["-p"],
        &["--tools", "dance", "-p", "hi"],
        &["--resume", "zzz", "-p", "hi"],
    ] {
        let (finished, server, _) = run(json!([{"text": "ok"}]), args);
        assert_eq!((finished.status, stdout(&finished)), (2, ""), "{args:?}");
        assert!(!stderr(&finished).is_empty());
        assert_eq!(server.chat_bodies().len(), 0, "{args:?}");
    }
}

#[test]
fn a_retry_is_told_on_stderr_and_the_answer_alone_on_stdout() {
    let busy = json!({"status": 503, "body": "busy"});
    let bash = json!({"text": "Let me see.", "tool_calls": [{"id": "c", "name": "bash",
        "arguments": "{\"command\":\"echo from the tool\"}"}]});
    let (finished, _, _) = run(json!([busy, bash, {"text": "done"}]), &["-p", "hi"]);
    assert_eq!((finished.status, stdout(&finished)), (0, "done\n"));
    assert!(stderr(&finished).contains("503"), "{}", stderr(&finished));
}

#[test]
fn a32_a_call_that_comes_twice_in_one_stream_runs_once() {
    let append = json!({"id": "c", "name": "bash",
        "arguments": "{\"command\":\"echo once >> log\"}"});
    let scenario = json!([{"tool_calls": [append, append]}, {"text": "ok"}]);
    let (finished, server, dir) = run(scenario, &["-p", "hi"]);
    assert_eq!((finished.status, stdout(&finished)), (0, "ok\n"));
    assert_eq!(dir.read("log"), "once\n");
    server.assert_valid();
}

#[test]
fn w11_an_id_that_comes_again_in_a_later_turn_is_told_apart() {
    let call = |word: &str| {
        let arguments = json!({"command": format!("echo {word} >> log")}).to_string();
        json!({"tool_calls": [{"id": "bash:0", "name": "bash", "arguments": arguments}]})
    };
    let scenario = json!([call("one"), call("two"), call("two"), {"text": "ok"}]);
    let (finished, server, dir) = run(scenario, &["-p", "hi"]);
    assert_eq!((finished.status, stdout(&finished)), (0, "ok\n"));
    assert_eq!(dir.read("log"), "one\ntwo\ntwo\n");
    server.assert_valid();
    let next = program(&dir, &server).args(["-c", "-p", "again"]).run(HANG);
    assert_eq!(next.status, 0);
    server.assert_valid();
}
