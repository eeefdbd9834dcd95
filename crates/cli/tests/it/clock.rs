//! A clock that jumps between messages and between runs.
//!
//! The clock of the system cannot be set for one process alone; what depends on it are the times
//! in messages, and the times of files that put sessions in order. Both are set here.

use crate::driver::{HANG, program, sessions, stderr, stdout};
use letscode_testkit::sse_server::SseServer;
use letscode_testkit::workdir::WorkDir;
use serde_json::{Value, json};
use std::path::Path;
use std::time::{Duration, SystemTime};

fn set_time(path: &Path, time: SystemTime) {
    std::fs::File::options().append(true).open(path).unwrap().set_modified(time).unwrap();
}

#[test]
fn a_session_whose_times_go_back_and_forth_keeps_its_order() {
    let (dir, server) = (WorkDir::new(), SseServer::start(json!([{"text": "ok"}])));
    for args in [["-p", "one"], ["-cp", "two"], ["-cp", "three"]] {
        assert_eq!(program(&dir, &server).args(args).run(HANG).status, 0);
    }
    let path = sessions(&dir).remove(0);
    let text = std::fs::read_to_string(&path).unwrap();
    // Far ahead, before 1970, none at all, and larger than any clock.
    let times = [json!(9e9), json!(-5.0), json!(0), json!(1e300), json!(3), json!(2)];
    let lines = text.lines().zip(times).map(|(line, time)| {
        let mut line: Value = serde_json::from_str(line).unwrap();
        line["msg"]["timestamp"] = time;
        format!("{line}\n")
    });
    std::fs::write(&path, lines.collect::<String>()).unwrap();
    let finished = program(&dir, &server).args(["-c", "-p", "four"]).run(HANG);
    assert_eq!((finished.status, stdout(&finished)), (0, "ok\n"), "{}", stderr(&finished));
    assert_eq!(stderr(&finished), "");
    let body = server.chat_bodies().pop().unwrap();
    let asked = body["messages"].as_array().unwrap().iter().filter(|m| m["role"] == "user");
    let asked: Vec<&str> = asked.map(|message| message["content"].as_str().unwrap()).collect();
    assert_eq!(asked, ["one", "two", "three", "four"]);
    for args in [vec!["-c", "/tree"], vec!["-c", "/export"], vec!["-c", "/usage"]] {
        let finished = program(&dir, &server).args(args.clone()).run(HANG);
        assert_eq!((finished.status, stderr(&finished)), (0, ""), "{args:?}");
    }
}

#[test]
fn sessions_with_times_ahead_or_before_1970_are_listed_and_gone_on_with() {
    let (dir, server) = (WorkDir::new(), SseServer::start(json!([{"text": "ok"}])));
    for prompt in ["past", "now", "ahead"] {
        assert_eq!(program(&dir, &server).args(["-p", prompt]).run(HANG).status, 0);
    }
    // Ids grow with the time of their making.
    let paths = sessions(&dir);
    set_time(&paths[0], SystemTime::UNIX_EPOCH - Duration::from_secs(86_400 * 365));
    set_time(&paths[2], SystemTime::now() + Duration::from_secs(86_400 * 365 * 20));
    let listed = program(&dir, &server).args(["/resume"]).run(HANG);
    assert_eq!((listed.status, stderr(&listed)), (0, ""));
    let places = ["ahead", "now", "past"].map(|name| stdout(&listed).find(name).unwrap());
    assert!(places.is_sorted(), "{}", stdout(&listed));
    // What was added to last is the newest, whatever the clock says now.
    let text = |path: &Path| std::fs::read_to_string(path).unwrap();
    for (number, path) in [(1, &paths[2]), (3, &paths[0])] {
        let resume = ["--resume", &number.to_string(), "-p", "more"].map(str::to_owned);
        let before = text(path);
        let finished = program(&dir, &server).args(resume).run(HANG);
        assert_eq!((finished.status, stderr(&finished)), (0, ""));
        assert!(text(path).starts_with(&before) && text(path).len() > before.len());
    }
}
