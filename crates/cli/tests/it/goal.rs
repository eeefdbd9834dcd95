//! The plugin of goals through the whole program. The scripted server answers the agent and the
//! evaluator alike.

use crate::driver::{
    HANG, KEY, call, configure, end, lines, program, prompt, rpc, send, sessions, stderr, stdout,
    wait_for, write_plugin,
};
use letscode_testkit::sse_server::{Request, SseServer};
use letscode_testkit::workdir::WorkDir;
use serde_json::{Value, json};

/// What stands in each request of the evaluator's and in no other.
const EVALUATOR: &str = "You check the work of a coding agent";

/// Makes a work folder where the plugin is switched on.
fn work_dir() -> WorkDir {
    let dir = WorkDir::new();
    configure(dir.home(), "[plugins]\ngoal = true\n");
    dir
}

fn verdict(is_done: bool, reason: &str) -> Value {
    json!({"text": json!({"done": is_done, "reason": reason}).to_string()})
}

fn is_evaluators(body: &Value) -> bool {
    body["messages"][0]["content"].as_str().is_some_and(|text| text.starts_with(EVALUATOR))
}

fn last_message(body: &Value) -> &str {
    body["messages"].as_array().unwrap().last().unwrap()["content"].as_str().unwrap()
}

/// Returns how often the agent and the evaluator asked the server.
fn asked(server: &SseServer) -> (usize, usize) {
    let bodies = server.chat_bodies();
    let judged = bodies.iter().filter(|body| is_evaluators(body)).count();
    (bodies.len() - judged, judged)
}

#[test]
fn a_goal_drives_a_run_in_print_mode_until_it_is_reached() {
    let dir = work_dir();
    let server = SseServer::start(json!([
        call("c1", "bash", &json!({"command": "echo one of two"})),
        {"text": "It works, I think."},
        verdict(false, "the second test was not run"),
        call("c2", "bash", &json!({"command": "echo two of two"})),
        {"text": "Both tests pass."},
        verdict(true, "the output says two of two"),
    ]));
    let finished = program(&dir, &server).args(["-p", "/goal", "both tests pass"]).run(HANG);
    assert_eq!(stdout(&finished), "Both tests pass.\n", "{}", stderr(&finished));
    assert_eq!(finished.status, 0);
    let told = stderr(&finished);
    for part in [
        "Goal set",
        "goal not reached yet (round 1 of 20): the second test was not run",
        "goal reached (round 2 of 20): the output says two of two",
    ] {
        assert!(told.contains(part), "{part:?} is not in {told}");
    }
    let bodies = server.chat_bodies();
    let by_evaluator: Vec<bool> = bodies.iter().map(is_evaluators).collect();
    assert_eq!(by_evaluator, [false, false, true, false, false, true]);
    assert!(last_message(&bodies[0]).contains("\n\nboth tests pass\n\n"));
    assert!(last_message(&bodies[2]).contains("<goal>\nboth tests pass\n</goal>"));
    assert!(last_message(&bodies[2]).contains("one of two"), "{}", last_message(&bodies[2]));
    assert!(last_message(&bodies[3]).contains("the second test was not run"));
    // It has neither tools nor a session, and knows nothing of the user's files.
    assert_eq!(bodies[2].get("tools"), None);
    assert_eq!(bodies[2]["messages"].as_array().unwrap().len(), 2);
    assert_eq!(bodies[2]["model"], bodies[0]["model"]);
    assert_eq!(sessions(&dir).len(), 1);
}

#[test]
fn what_others_put_among_temporary_files_is_no_project_of_the_evaluators() {
    let (dir, others) = (work_dir(), WorkDir::new());
    let temporary = others.home();
    let ran = temporary.join("ran");
    let script = "touch \"$0\"; exec cat";
    write_plugin(temporary, "strangers", &["sh", "-c", script, ran.to_str().unwrap()]);
    let server = SseServer::start(json!([{"text": "Done."}, verdict(true, "it is")]));
    let finished = program(&dir, &server)
        .env("TMPDIR", temporary)
        .env("LETSCODE_TRUST", "1")
        .args(["-p", "/goal", "both tests pass"])
        .run(HANG);
    assert!(stderr(&finished).contains("goal reached"), "{}", stderr(&finished));
    assert!(!ran.exists(), "a stranger's plugin ran");
}

#[test]
fn a_goal_that_is_never_reached_is_given_up_after_its_rounds() {
    let dir = work_dir();
    let rule = json!({"contains": EVALUATOR, "response": verdict(false, "no tests were run")});
    let server = SseServer::start(json!({"responses": [{"text": "done"}], "rules": [rule]}));
    let finished = program(&dir, &server)
        .env("LETSCODE_GOAL_MAX_ITERATIONS", "3")
        .args(["-p", "/goal tests pass"])
        .run(HANG);
    assert_eq!((stdout(&finished), finished.status), ("done\n", 0));
    let line = "(round 3 of 3): no tests were run; given up, as that was the last round";
    assert!(stderr(&finished).contains(line), "{}", stderr(&finished));
    assert_eq!(asked(&server), (3, 3));
}

#[test]
fn an_evaluator_that_fails_twice_ends_the_goal() {
    let refused = json!({"status": 400, "body": {"error": {"message": "no such model"}}});
    let babble = json!({"text": "Looks good to me!"});
    for (response, reason) in [(refused, "no such model"), (babble, "gave no verdict")] {
        let dir = work_dir();
        let rule = json!({"contains": EVALUATOR, "response": response});
        let server = SseServer::start(json!({"responses": [{"text": "done"}], "rules": [rule]}));
        let finished = program(&dir, &server).args(["-p", "/goal tests pass"]).run(HANG);
        assert_eq!((stdout(&finished), finished.status), ("done\n", 0));
        let told = stderr(&finished);
        assert!(
            told.contains("goal not judged (round 1 of 20): ") && told.contains(reason),
            "{told}"
        );
        assert!(told.contains("given up, as it failed twice in a row"), "{told}");
        assert_eq!(asked(&server), (2, 2), "{told}");
    }
}

#[test]
fn a50_an_evaluator_elsewhere_gets_its_own_key_and_never_the_agents() {
    let keys = |server: &SseServer| -> Vec<String> {
        let header = |request: Request| {
            let mut headers = request.headers.into_iter();
            headers.find(|(name, _)| name == "authorization").map_or(String::new(), |(_, key)| key)
        };
        server.requests().into_iter().map(header).collect()
    };
    for (key, expected) in [("judge-0123456789", "Bearer judge-0123456789"), ("", "")] {
        let dir = work_dir();
        let server = SseServer::start(json!([{"text": "done"}]));
        let judge = SseServer::start(json!([verdict(true, "it is")]));
        let finished = program(&dir, &server)
            .env("LETSCODE_GOAL_BASE_URL", judge.base_url())
            .env("LETSCODE_GOAL_API_KEY", key)
            .env("LETSCODE_GOAL_MODEL", "small")
            .args(["-p", "/goal it works"])
            .run(HANG);
        assert_eq!(stdout(&finished), "done\n", "{}", stderr(&finished));
        assert_eq!(judge.chat_bodies().len(), 1, "{}", stderr(&finished));
        assert_eq!(judge.chat_bodies()[0]["model"], "small");
        assert!(keys(&judge).iter().all(|sent| sent == expected), "{:?}", keys(&judge));
        assert_eq!(keys(&server).last().unwrap(), &format!("Bearer {KEY}"));
    }
}

#[test]
fn an_abort_over_rpc_while_the_goal_is_judged_stops_the_goal() {
    let dir = work_dir();
    let answer = json!({"text": ["half", " of it"], "pause_after": 1});
    let hangs = json!({"contains": EVALUATOR, "response": answer});
    let server = SseServer::start(
        json!({"responses": [{"text": "one"}, {"text": "two"}], "rules": [hangs]}),
    );
    let mut host = rpc(&dir, &server, &[]);
    send(&mut host, &json!({"cmd": "hello", "ui": true}));
    send(&mut host, &json!({"cmd": "run_command", "id": "g", "text": "/goal it works"}));
    assert!(server.wait_until(HANG, |progress| progress.paused >= 1), "nobody judged");
    send(&mut host, &json!({"cmd": "run_command", "id": "s", "text": "/goal"}));
    let is_answered = host.wait_for_line(HANG, |line| {
        let line: Value = serde_json::from_slice(line).unwrap();
        line["id"] == "s" && line["type"] == "done"
    });
    assert!(is_answered, "/goal has no answer while the goal is judged");
    send(&mut host, &json!({"cmd": "abort"}));
    wait_for(&mut host, "agent_end");
    assert!(server.wait_until(HANG, |progress| progress.abandoned >= 1), "the evaluator goes on");
    prompt(&mut host, "and now?");
    wait_for(&mut host, "agent_end");
    send(&mut host, &json!({"cmd": "run_command", "id": "e", "text": "/goal"}));
    host.close_stdin();
    let finished = end(&mut host);
    assert_eq!(asked(&server), (2, 1), "{}", stderr(&finished));
    let lines = lines(&finished);
    let ends: Vec<bool> = lines
        .iter()
        .filter(|line| line["type"] == "agent_end")
        .map(|line| line["aborted"] == true)
        .collect();
    assert_eq!(ends, [true, false]);
    let text = |id: &str| {
        let line = lines.iter().find(|line| line["id"] == id && line["type"] == "done");
        line.map_or(Value::Null, |line| line["result"]["text"].clone())
    };
    assert_eq!(text("s"), "Goal: it works\nIn round 1 of 20.");
    assert_eq!(text("e"), "No goal is set; /goal CONDITION sets one.");
    let told = lines.iter().map(|line| &line["request"]["text"]);
    let dropped = "goal dropped, as the run was stopped; /goal CONDITION sets it again";
    assert_eq!(told.filter(|text| **text == dropped).count(), 1);
}
