//! Slash commands: on the command line, without a key where no model is asked, and over RPC.

use crate::driver::{HANG, KEY, call, end, files_below, lines, program, rpc, send, stderr, stdout};
use letscode_testkit::sse_server::SseServer;
use letscode_testkit::workdir::WorkDir;
use serde_json::{Value, json};

#[test]
fn commands_that_ask_no_model_need_no_key_and_send_nothing() {
    let (dir, server) = (WorkDir::new(), SseServer::start(json!([])));
    for (command, expected) in [
        ("/help", "/compact [BIAS]"),
        ("/tools", "bash"),
        ("/skills", "no skills were found"),
        ("/plugins", "builtin"),
        ("/resume", "this project has no sessions yet"),
        ("/state", "gpt-4o-mini"),
        ("/queue", "nothing is queued"),
    ] {
        let finished =
            program(&dir, &server).without_env("OPENAI_API_KEY").args([command]).run(HANG);
        assert_eq!(finished.status, 0, "{command}: {}", stderr(&finished));
        assert!(stdout(&finished).contains(expected), "{command}: {}", stdout(&finished));
    }
    assert!(server.requests().iter().all(|request| !request.is_chat()));
}

#[test]
fn a_command_that_cannot_be_carried_out_is_one_line_and_wrong_usage() {
    let (dir, server) = (WorkDir::new(), SseServer::start(json!([])));
    for (command, expected) in [
        ("/tols", "/tools"),
        ("/fork x", "usage: /fork [N]"),
        ("/quit", "interactive terminal"),
        ("/resume zz", "use --resume"),
        ("/delete 7", "no session"),
        ("/copy", "there is no answer to copy yet"),
        ("/export", "there is no conversation yet"),
        ("/new", "has no effect"),
        ("/steer left", "has no effect"),
        ("/name foo", "use -c"),
    ] {
        let finished = program(&dir, &server).args(["-p", command]).run(HANG);
        assert_eq!((finished.status, stdout(&finished)), (2, ""), "{command}");
        let error = stderr(&finished);
        assert!(error.contains(expected) && error.lines().count() == 1, "{command}: {error}");
    }
    let left = files_below(&dir.home().join(".letscode"), |_| true);
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn a_label_of_a_session_without_a_message_leaves_nothing_behind() {
    let (dir, server) = (WorkDir::new(), SseServer::start(json!([])));
    let finished = program(&dir, &server).args(["-c", "-p", "/name foo"]).run(HANG);
    assert_eq!(finished.status, 0, "{}", stderr(&finished));
    let left = files_below(&dir.home().join(".letscode"), |_| true);
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn a_compaction_that_fails_is_told_once() {
    let broken = json!({"status": 400, "body": "no summary today"});
    let answer = || json!({"text": "ok"});
    let scenario = json!([answer(), answer(), answer(), answer(), broken]);
    let (dir, server) = (WorkDir::new(), SseServer::start(scenario));
    for number in 0..4 {
        let finished = program(&dir, &server).args(["-c", "-p", &format!("{number}")]).run(HANG);
        assert_eq!(finished.status, 0, "{}", stderr(&finished));
    }
    let finished = program(&dir, &server).args(["-c", "-p", "/compact"]).run(HANG);
    assert_eq!((finished.status, stdout(&finished)), (1, ""), "{}", stderr(&finished));
    assert_eq!(stderr(&finished).matches("could not compact").count(), 1, "{}", stderr(&finished));
}

#[test]
fn a_session_is_exported_forked_named_and_found_by_commands() {
    let (dir, server) = (WorkDir::new(), SseServer::start(json!([{"text": "an <answer>"}])));
    let run = |args: &[&str]| {
        let finished = program(&dir, &server).args(args).run(HANG);
        assert_eq!(finished.status, 0, "{args:?}: {}", stderr(&finished));
        stdout(&finished).to_owned()
    };
    run(&["-p", "a question"]);
    assert!(run(&["-c", "/export out.html"]).contains("out.html"));
    let page = std::fs::read_to_string(dir.resolve("out.html")).unwrap();
    assert!(page.contains("an &lt;answer&gt;") && !page.contains("<script"));
    assert_eq!(run(&["-c", "/name New label"]), "New label\n");
    assert!(run(&["-c", "/fork 1"]).contains("1 message,"));
    assert_eq!(run(&["/resume"]).lines().count(), 2);
    assert!(run(&["/search", "an <answer>"]).contains("New label"));
}

#[test]
fn run_command_gives_a_host_the_words_and_its_own_id() {
    let (dir, server) = (WorkDir::new(), SseServer::start(json!([])));
    let mut running = rpc(&dir, &server, &["--no-session"]);
    for (id, text) in [(1, "/tools"), (2, "unqueue"), (3, "/nope"), (4, "/tree")] {
        send(&mut running, &json!({"cmd": "run_command", "id": id, "text": text}));
    }
    send(&mut running, &json!({"cmd": "commands", "id": 5}));
    running.close_stdin();
    let lines = lines(&end(&mut running));
    let of = |id: u32, kind: &str| -> &Value {
        let is_it = |line: &&Value| line["id"] == id && line["type"] == kind;
        lines.iter().find(is_it).unwrap_or_else(|| panic!("no {kind} for {id} in {lines:?}"))
    };
    assert!(of(1, "done")["result"]["text"].as_str().unwrap().contains("read "));
    assert_eq!(of(2, "done")["result"]["text"], "nothing is queued");
    assert!(of(3, "error")["error"].as_str().unwrap().contains("/nope"));
    assert!(of(4, "error")["error"].as_str().unwrap().contains("no session is kept"));
    assert!(of(5, "done")["result"]["commands"].as_array().unwrap().len() > 20);
}

#[test]
fn a_number_means_the_list_as_it_was_when_the_command_came() {
    for round in 0..5 {
        let (dir, server) = (WorkDir::new(), SseServer::start(json!([{"text": "ok"}])));
        for message in ["zed", "why", "open"] {
            let finished = program(&dir, &server).args(["-p", message]).run(HANG);
            assert_eq!(finished.status, 0, "{}", stderr(&finished));
        }
        let mut running = rpc(&dir, &server, &["-c"]);
        let both = "{\"cmd\":\"delete\",\"id\":1,\"session\":3}\n{\"cmd\":\"clone\",\"id\":2}\n";
        running.write(both.as_bytes()).unwrap();
        running.close_stdin();
        let lines = lines(&end(&mut running));
        assert!(lines.iter().any(|line| line["id"] == 1 && line["type"] == "done"), "{lines:?}");
        let left = program(&dir, &server).args(["/resume"]).run(HANG);
        let left = stdout(&left);
        assert!(left.contains("why") && !left.contains("zed"), "round {round}: {left}");
    }
}

#[test]
fn a50_what_a_command_or_a_file_says_goes_to_the_model_without_keys() {
    let (dir, server) = (WorkDir::new(), SseServer::start(json!([{"text": "ok"}])));
    dir.write(".env", format!("KEY={KEY}\n"));
    for typed in ["!cat .env", "see @.env"] {
        let finished = program(&dir, &server).args(["-p", typed]).run(HANG);
        assert_eq!(finished.status, 0, "{}", stderr(&finished));
    }
    let bodies = server.chat_bodies();
    assert_eq!(bodies.len(), 2);
    for body in bodies {
        let body = body.to_string();
        assert!(body.contains("[key hidden]") && !body.contains(KEY), "{body}");
    }
}

#[test]
fn a_file_that_the_message_attaches_whole_may_be_replaced() {
    let dir = WorkDir::new();
    for (path, is_allowed) in [("a.txt", true), ("b.txt", false)] {
        dir.write("a.txt", "old");
        dir.write("b.txt", "old");
        let write = call("c", "write", &json!({"path": path, "content": "new"}));
        let server = SseServer::start(json!([write, {"text": "ok"}]));
        let finished = program(&dir, &server).args(["-p", "translate @a.txt"]).run(HANG);
        assert_eq!(finished.status, 0, "{}", stderr(&finished));
        assert_eq!(dir.read(path) == "new", is_allowed, "{path}");
    }
}
