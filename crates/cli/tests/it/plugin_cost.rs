//! What plugins cost a start where none is installed: no process, two looks.

use crate::driver::{HANG, KEY, NeededInCi, is_there, stderr, stdout};
use letscode_testkit::program::Program;
use letscode_testkit::sse_server::SseServer;
use letscode_testkit::workdir::WorkDir;
use serde_json::json;

#[test]
fn without_a_plugin_no_process_is_started_and_two_places_are_looked_at() {
    if !is_there("strace", NeededInCi::No) {
        return;
    }
    let dir = WorkDir::new();
    let server =
        SseServer::start(json!([{"text": "first"}, {"text": "with"}, {"text": "without"}]));
    let trace = |args: &[&str]| traced(&dir, &server, args);
    // The first run makes the folders that the others find.
    trace(&[]);
    let (with, without) = (trace(&[]), trace(&["--isolated"]));
    // The user's folder of plugins, and the environment of those in Python.
    let looks: Vec<&String> = with.iter().filter(|call| is_about_plugins(call)).collect();
    assert_eq!(looks.len(), 2, "{looks:#?}");
    let beside: Vec<&String> = without.iter().filter(|call| is_about_plugins(call)).collect();
    assert_eq!(beside, [""; 0], "--isolated looks for the user's plugins");
    assert!(with.iter().chain(&without).all(|call| !starts_a_process(call)), "{with:#?}");
    let files = |calls: &[String]| calls.iter().filter(|call| call.contains('"')).count();
    assert_eq!(files(&with), files(&without) + looks.len());
}

/// Runs the program once, and returns its system calls about files and processes from the start
/// of its own.
#[track_caller]
fn traced(dir: &WorkDir, server: &SseServer, args: &[&str]) -> Vec<String> {
    let trace = dir.home().join("trace");
    let finished = Program::new("strace", dir)
        .env("OPENAI_BASE_URL", server.base_url())
        .env("OPENAI_API_KEY", KEY)
        .args(["-f", "-qq", "-e", "trace=%file,%process", "-o", trace.to_str().unwrap()])
        .args([env!("CARGO_BIN_EXE_letscode"), "-p", "hi"])
        .args(args.iter().copied())
        .run(HANG);
    assert_eq!(finished.status, 0, "{}{}", stdout(&finished), stderr(&finished));
    let text = std::fs::read_to_string(trace).unwrap();
    // What a call that waited gave stands in a second line.
    let calls = text.lines().filter(|line| !line.contains(" resumed>"));
    let calls = calls.map(|line| line.split_once(' ').unwrap().1.trim_start().to_owned());
    calls.skip_while(|call| !call.starts_with("execve")).skip(1).collect()
}

/// Whether it looks for a plugin: in a folder of plugins, or for a virtual environment.
fn is_about_plugins(call: &str) -> bool {
    call.contains("/plugins") || call.contains("pyvenv.cfg")
}

/// Whether it starts a process; a thread is none.
fn starts_a_process(call: &str) -> bool {
    let makes = ["execve", "fork", "vfork", "clone", "clone3"];
    makes.iter().any(|name| call.starts_with(&format!("{name}("))) && !call.contains("CLONE_THREAD")
}
