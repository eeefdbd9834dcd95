//! RPC mode at its edges: how a connection ends, odd lines, two programs on one session.

use crate::driver::{
    HANG, KEY, call, end, kinds, lines, program, prompt, rpc, send, sessions, stderr, stdout,
    wait_for,
};
use letscode_testkit::program::{Program, Signal};
use letscode_testkit::sse_server::SseServer;
use letscode_testkit::workdir::WorkDir;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// An answer that waits before its second piece until the test lets it go on.
fn paused() -> Value {
    json!({"text": ["one ", "two"], "pause_after": 2})
}

fn is_paused(server: &SseServer) -> bool {
    server.wait_until(HANG, |progress| progress.paused > 0)
}

#[test]
fn two_programs_on_one_session_do_not_mix_their_lines() {
    let (dir, server) = (WorkDir::new(), SseServer::start(json!({"responses": [{"text": "ok"}]})));
    let mut first = rpc(&dir, &server, &[]);
    prompt(&mut first, "first");
    wait_for(&mut first, "done");
    let mut second = rpc(&dir, &server, &["-c"]);
    prompt(&mut second, "second");
    prompt(&mut first, "third");
    wait_for(&mut first, "done");
    wait_for(&mut second, "done");
    first.close_stdin();
    second.close_stdin();
    let (first, second) = (end(&mut first), end(&mut second));
    assert_eq!((first.status, second.status), (0, 0));
    assert!(stderr(&second).contains("going on in a copy"), "{}", stderr(&second));
    assert!(!stderr(&first).contains("going on in a copy"));
    let texts: Vec<String> =
        sessions(&dir).iter().map(|path| std::fs::read_to_string(path).unwrap()).collect();
    assert_eq!(texts.len(), 2);
    for text in &texts {
        assert_ne!(text.contains("\"second\""), text.contains("\"third\""), "lines are mixed");
        assert!(text.contains("\"first\""));
        assert!(text.lines().all(|line| serde_json::from_str::<Value>(line).is_ok()));
    }
}

#[test]
fn a26_the_session_of_a_killed_holder_can_be_resumed() {
    let (dir, server) = (WorkDir::new(), SseServer::start(json!([{"text": "ok"}])));
    let mut first = rpc(&dir, &server, &[]);
    prompt(&mut first, "first");
    wait_for(&mut first, "done");
    first.kill();
    let second = program(&dir, &server).args(["-c", "-p", "second"]).run(HANG);
    assert_eq!((second.status, stdout(&second)), (0, "ok\n"));
    assert!(!stderr(&second).contains("going on in a copy"), "{}", stderr(&second));
    assert_eq!(sessions(&dir).len(), 1);
}

#[test]
fn the_end_of_input_and_bye_let_the_run_end() {
    for farewell in [None, Some(json!({"cmd": "bye", "id": "b"}))] {
        let (dir, server) = (WorkDir::new(), SseServer::start(json!([paused()])));
        let mut host = rpc(&dir, &server, &[]);
        prompt(&mut host, "go");
        assert!(is_paused(&server));
        match &farewell {
            None => host.close_stdin(),
            Some(bye) => {
                send(&mut host, bye);
                // It is answered at once, while the run still waits for the server.
                wait_for(&mut host, "done");
                send(&mut host, &json!({"cmd": "prompt", "id": "late", "text": "too late"}));
            }
        }
        server.resume();
        let finished = end(&mut host);
        let lines = lines(&finished);
        assert_eq!(finished.status, 0);
        let kinds = kinds(&lines);
        assert_eq!(kinds[kinds.len() - 3..], ["agent_end", "done", "bye"], "{kinds:?}");
        assert!(!stdout(&finished).contains("late"));
        assert_eq!(server.chat_bodies().len(), 1);
    }
}

#[test]
fn signals_abort_the_run() {
    for (signal, status) in [(Signal::Terminate, 0), (Signal::HangUp, 0)] {
        let (dir, server) = (WorkDir::new(), SseServer::start(json!([paused()])));
        let mut host = rpc(&dir, &server, &[]);
        prompt(&mut host, "go");
        assert!(is_paused(&server));
        host.signal(signal).unwrap();
        let finished = end(&mut host);
        let lines = lines(&finished);
        assert_eq!(finished.status, status);
        let kinds = kinds(&lines);
        assert_eq!(kinds[kinds.len() - 3..], ["agent_end", "done", "bye"], "{kinds:?}");
        assert_eq!(lines[lines.len() - 3]["aborted"], true);
    }
}

#[test]
fn one_interrupt_aborts_and_two_leave() {
    let (dir, server) = (WorkDir::new(), SseServer::start(json!([paused(), {"text": "ok"}])));
    let mut host = rpc(&dir, &server, &[]);
    prompt(&mut host, "go");
    assert!(is_paused(&server));
    host.signal(Signal::Interrupt).unwrap();
    wait_for(&mut host, "done");
    prompt(&mut host, "still there?");
    wait_for(&mut host, "done");
    host.close_stdin();
    assert_eq!(end(&mut host).status, 0);

    let mut host = rpc(&dir, &server, &[]);
    server.load(json!([paused()]));
    prompt(&mut host, "go");
    wait_for(&mut host, "message_update");
    host.signal(Signal::Interrupt).unwrap();
    wait_for(&mut host, "done");
    host.signal(Signal::Interrupt).unwrap();
    assert_eq!(end(&mut host).status, 130);
}

#[test]
fn a39_an_abort_in_the_wait_before_a_retry_is_quick_and_sends_nothing() {
    let busy = json!({"status": 503, "headers": {"Retry-After": "30"}, "body": "busy"});
    let (dir, server) = (WorkDir::new(), SseServer::start(json!([busy, {"text": "ok"}])));
    let mut host = rpc(&dir, &server, &[]);
    prompt(&mut host, "go");
    wait_for(&mut host, "retry");
    send(&mut host, &json!({"cmd": "abort", "id": "a"}));
    wait_for(&mut host, "agent_end");
    assert_eq!(server.chat_bodies().len(), 1);
    prompt(&mut host, "again");
    wait_for(&mut host, "turn_end");
    host.close_stdin();
    let finished = end(&mut host);
    assert_eq!(finished.status, 0);
    assert!(finished.took < Duration::from_secs(25), "{:?}", finished.took);
}

#[test]
fn odd_ids_come_back_and_odd_lines_are_refused() {
    let (dir, server) = (WorkDir::new(), SseServer::start(json!([{"text": "ok"}])));
    let mut host = rpc(&dir, &server, &[]);
    let ids = [
        json!(null),
        json!(0.5),
        json!([1, {"a": null}]),
        json!({"x": []}),
        json!(true),
        json!("é\u{1}"),
        json!(u64::MAX),
    ];
    for id in &ids {
        send(&mut host, &json!({"cmd": "abort", "id": id}));
    }
    host.write(b"\xff\xfe{}\n\r\n[]\n{\"cmd\":\"dance\",\"id\":4}\n{\"cmd\":\"prompt\"}\n")
        .unwrap();
    host.close_stdin();
    let finished = end(&mut host);
    let lines = lines(&finished);
    let of = |kind: &str| -> Vec<Value> {
        lines.iter().filter(|line| line["type"] == kind).map(|line| line["id"].clone()).collect()
    };
    assert_eq!(of("ack"), ids);
    assert_eq!(of("done"), ids);
    assert_eq!(of("error"), [json!(null), json!(null), json!(4), json!(null)]);
    assert_eq!(finished.status, 0);
}

#[test]
fn a_line_over_64_mib_is_skipped_and_the_next_one_counts() {
    let (dir, server) = (WorkDir::new(), SseServer::start(json!([{"text": "ok"}])));
    let mut host = rpc(&dir, &server, &[]);
    let piece = vec![b'x'; 1024 * 1024];
    for _ in 0..66 {
        host.write(&piece).unwrap();
    }
    host.write(b"\n").unwrap();
    prompt(&mut host, "hi");
    host.close_stdin();
    let finished = end(&mut host);
    let lines = lines(&finished);
    let errors: Vec<&Value> = lines.iter().filter(|line| line["type"] == "error").collect();
    assert_eq!(errors.len(), 1, "{errors:?}");
    assert_eq!((&errors[0]["id"], &errors[0]["recoverable"]), (&json!(null), &json!(true)));
    assert_eq!(kinds(&lines).last(), Some(&"bye"));
    assert_eq!(server.chat_bodies().len(), 1);
}

#[test]
fn hello_may_come_while_a_run_is_active() {
    let (dir, server) = (WorkDir::new(), SseServer::start(json!([paused()])));
    let mut host = rpc(&dir, &server, &[]);
    prompt(&mut host, "go");
    wait_for(&mut host, "message_update");
    send(
        &mut host,
        &json!({"cmd": "hello", "id": "h", "protocol": "letscode-rpc/1", "updates": "delta"}),
    );
    wait_for(&mut host, "done");
    server.resume();
    host.close_stdin();
    let lines = lines(&end(&mut host));
    let updates: Vec<&Value> =
        lines.iter().filter(|line| line["type"] == "message_update").collect();
    assert!(updates.first().unwrap().get("message").is_some());
    assert!(updates.last().unwrap().get("message").is_none());
}

#[test]
fn without_a_key_there_is_one_fatal_line() {
    let dir = WorkDir::new();
    let program = Program::new(env!("CARGO_BIN_EXE_letscode"), &dir).without_env("OPENAI_API_KEY");
    let finished = program.args(["--mode", "rpc"]).run(HANG);
    let lines = lines(&finished);
    assert_eq!(finished.status, 2);
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert_eq!(lines[0]["type"], "error");
    assert_eq!((&lines[0]["fatal"], &lines[0]["recoverable"]), (&json!(true), &json!(false)));
    assert!(stderr(&finished).contains("OPENAI_API_KEY") && stderr(&finished).contains("--init"));
}

#[test]
fn a_silent_provider_counts_as_hung_also_after_a_tool() {
    let bash = call("c", "bash", &json!({"command": "echo hi"}));
    let silent = json!({"text": "x", "hang_after": 0});
    let (dir, server) = (WorkDir::new(), SseServer::start(json!([bash, silent])));
    let mut host = rpc(&dir, &server, &["--shutdown-grace", "1"]);
    prompt(&mut host, "go");
    host.close_stdin();
    let finished = end(&mut host);
    let lines = lines(&finished);
    assert_eq!(finished.status, 0);
    assert!(finished.took < Duration::from_secs(15), "{:?}", finished.took);
    let kinds = kinds(&lines);
    assert_eq!(kinds[kinds.len() - 3..], ["agent_end", "done", "bye"]);
    assert_eq!(lines[lines.len() - 3]["aborted"], true);
}

#[test]
fn a_tool_within_its_time_does_not_count_as_hung() {
    let bash = call("c", "bash", &json!({"command": "sleep 2; echo slept", "timeout": 30}));
    let (dir, server) = (WorkDir::new(), SseServer::start(json!([bash, {"text": "ok"}])));
    let mut host = rpc(&dir, &server, &["--shutdown-grace", "1"]);
    prompt(&mut host, "go");
    host.close_stdin();
    let finished = end(&mut host);
    let lines = lines(&finished);
    let kinds = kinds(&lines);
    assert_eq!(kinds[kinds.len() - 3..], ["agent_end", "done", "bye"]);
    assert_eq!(lines[lines.len() - 3].get("aborted"), None);
    assert!(stdout(&finished).contains("slept"));
}

/// Starts the program with a pipe for its output that the test reads, or does not.
fn with_own_pipe(dir: &WorkDir, server: &SseServer, args: &[&str]) -> std::process::Child {
    std::process::Command::new(env!("CARGO_BIN_EXE_letscode"))
        .current_dir(dir.project())
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", dir.home())
        .env("OPENAI_BASE_URL", server.base_url())
        .env("OPENAI_API_KEY", KEY)
        .args(args)
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap()
}

/// Waits for the end and returns the exit code, or `None` and kills it.
fn wait_or_kill(child: &mut std::process::Child, limit: Duration) -> Option<i32> {
    let end = Instant::now() + limit;
    while Instant::now() < end {
        if let Some(status) = child.try_wait().unwrap() {
            return status.code();
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    None
}

#[test]
fn a_host_that_stops_reading_loses_nothing_and_holds_up_no_end() {
    use std::io::Write as _;
    let answer = json!({"bulk": {"deltas": 3000, "text": "many words and more words "}});
    let (dir, server) = (WorkDir::new(), SseServer::start(json!([answer])));
    let mut host = with_own_pipe(&dir, &server, &["--mode", "rpc", "--shutdown-grace", "1"]);
    let mut stdin = host.stdin.take().unwrap();
    stdin.write_all(b"{\"cmd\":\"prompt\",\"text\":\"go\"}\n").unwrap();
    assert!(server.wait_until(HANG, |progress| progress.requests > 0));
    drop(stdin);
    assert_eq!(wait_or_kill(&mut host, HANG), Some(0));
    let text = std::fs::read_to_string(&sessions(&dir)[0]).unwrap();
    assert!(text.contains("\"go\""), "{text}");
    assert!(text.lines().all(|line| serde_json::from_str::<Value>(line).is_ok()));
}

#[test]
fn a_host_that_closes_our_output_ends_the_program_quietly() {
    use std::io::Write as _;
    let (dir, server) =
        (WorkDir::new(), SseServer::start(json!([{"text": ["a", "b", "c"], "delay_ms": 20}])));
    let mut host = with_own_pipe(&dir, &server, &["--mode", "rpc"]);
    let mut stdin = host.stdin.take().unwrap();
    drop(host.stdout.take());
    // The program may be gone already: its first line met a closed pipe.
    let _ = stdin.write_all(b"{\"cmd\":\"prompt\",\"text\":\"go\"}\n");
    assert_eq!(wait_or_kill(&mut host, HANG), Some(0));
}

#[cfg(target_os = "linux")]
#[test]
fn a_host_that_closes_our_output_is_noticed_while_nothing_is_said() {
    use std::io::{BufRead as _, BufReader, Write as _};
    for busy in [false, true] {
        let (dir, server) = (WorkDir::new(), SseServer::start(json!([paused()])));
        let mut host = with_own_pipe(&dir, &server, &["--mode", "rpc"]);
        let mut stdin = host.stdin.take().unwrap();
        let mut stdout = BufReader::new(host.stdout.take().unwrap());
        stdout.read_line(&mut String::new()).unwrap();
        if busy {
            stdin.write_all(b"{\"cmd\":\"prompt\",\"text\":\"go\"}\n").unwrap();
            assert!(is_paused(&server));
        }
        drop(stdout);
        // Its stdin stays open, so nothing else ends it.
        assert_eq!(wait_or_kill(&mut host, HANG), Some(0), "busy: {busy}");
        drop(stdin);
    }
}

#[test]
fn a_model_that_was_switched_to_holds_over_a_new_session_and_its_resumption() {
    let (dir, server) = (WorkDir::new(), SseServer::start(json!([{"text": "ok"}])));
    let mut host = rpc(&dir, &server, &[]);
    prompt(&mut host, "first");
    wait_for(&mut host, "done");
    for prompts in [false, true] {
        send(&mut host, &json!({"cmd": "set_model", "id": "m", "model": "another"}));
        wait_for(&mut host, "done");
        send(&mut host, &json!({"cmd": "new", "id": "n"}));
        wait_for(&mut host, "done");
        if prompts {
            prompt(&mut host, "second");
            wait_for(&mut host, "done");
        }
    }
    host.close_stdin();
    assert_eq!(end(&mut host).status, 0);
    let sessions = sessions(&dir);
    assert_eq!(sessions.len(), 2, "a session without a message leaves nothing");
    let text = std::fs::read_to_string(&sessions[1]).unwrap();
    let kinds: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let kinds: Vec<&Value> = kinds.iter().map(|line| &line["msg"]["role"]).collect();
    assert_eq!(kinds, ["custom", "user", "assistant"]);
    let next = program(&dir, &server).args(["-c", "-p", "third"]).run(HANG);
    assert_eq!(next.status, 0, "{}", stderr(&next));
    let models: Vec<Value> =
        server.chat_bodies().iter().map(|body| body["model"].clone()).collect();
    assert_eq!(models, ["gpt-4o-mini", "another", "another"]);
}
