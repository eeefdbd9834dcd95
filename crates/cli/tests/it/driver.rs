//! Starting the program in a work folder against a scripted server, and looking at what it did.

use letscode_testkit::program::{Finished, Program, Running};
#[cfg(unix)]
use letscode_testkit::pty::PtyProgram;
use letscode_testkit::sse_server::SseServer;
use letscode_testkit::workdir::WorkDir;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::Duration;
#[cfg(unix)]
use std::time::Instant;

/// Longer than anything here takes: what is over it hangs.
pub(crate) const HANG: Duration = Duration::from_secs(60);

/// Longer than a question that came up by itself takes no key: what is typed sooner was meant for
/// something else.
#[cfg(unix)]
pub(crate) const QUESTION_IS_SEEN: Duration = Duration::from_millis(1300);

/// A key that is long enough to be hidden.
pub(crate) const KEY: &str = "sk-0123456789-very-secret";

/// Prepares the program in the project of `dir`, to ask `server`.
pub(crate) fn program(dir: &WorkDir, server: &SseServer) -> Program {
    Program::new(env!("CARGO_BIN_EXE_letscode"), dir)
        .env("OPENAI_BASE_URL", server.base_url())
        .env("OPENAI_API_KEY", KEY)
}

/// Prepares the program in a terminal, to ask `server`.
#[cfg(unix)]
pub(crate) fn in_terminal(dir: &WorkDir, server: &SseServer) -> PtyProgram {
    PtyProgram::new(env!("CARGO_BIN_EXE_letscode"), dir)
        .env("OPENAI_BASE_URL", server.base_url())
        .args(["--model", "mock-model"])
}

/// Starts RPC mode and waits until it is ready.
pub(crate) fn rpc(dir: &WorkDir, server: &SseServer, args: &[&str]) -> Running {
    let program = program(dir, server).args(["--mode", "rpc"]).args(args);
    let mut running = program.start().unwrap();
    wait_for(&mut running, "ready");
    running
}

/// Sends one command.
pub(crate) fn send(running: &mut Running, command: &Value) {
    running.write(format!("{command}\n").as_bytes()).unwrap();
}

/// Sends a prompt with the id `p`.
pub(crate) fn prompt(running: &mut Running, text: &str) {
    send(running, &json!({"cmd": "prompt", "id": "p", "text": text}));
}

/// Waits for a line of this type.
#[track_caller]
pub(crate) fn wait_for(running: &mut Running, kind: &str) {
    let found = running.wait_for_line(HANG, |line| is_of(line, kind));
    assert!(found, "no line of the type {kind} came");
}

fn is_of(line: &[u8], kind: &str) -> bool {
    serde_json::from_slice::<Value>(line).is_ok_and(|line| line["type"] == kind)
}

/// Waits for the end.
#[track_caller]
pub(crate) fn end(running: &mut Running) -> Finished {
    running.wait(HANG).expect("the program ends")
}

/// Returns the JSON lines of stdout.
#[track_caller]
pub(crate) fn lines(finished: &Finished) -> Vec<Value> {
    let text = std::str::from_utf8(&finished.stdout).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Returns the types of the lines.
pub(crate) fn kinds(lines: &[Value]) -> Vec<&str> {
    lines.iter().map(|line| line["type"].as_str().unwrap()).collect()
}

pub(crate) fn stdout(finished: &Finished) -> &str {
    std::str::from_utf8(&finished.stdout).unwrap()
}

pub(crate) fn stderr(finished: &Finished) -> &str {
    std::str::from_utf8(&finished.stderr).unwrap()
}

/// Returns whether a program is on the path. Where it is not, the test that asks is skipped with a
/// note; where `CI` is set, and `needed` says that it belongs there, the test fails.
#[track_caller]
#[expect(clippy::print_stderr, reason = "whoever runs the tests should know what was not tested")]
pub(crate) fn is_there(program: &str, needed: NeededInCi) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).any(|folder| folder.join(program).is_file());
    if !found {
        let must = needed == NeededInCi::Yes && std::env::var_os("CI").is_some();
        assert!(!must, "{program} is not on the path");
        eprintln!("skipped: {program} is not on the path");
    }
    found
}

/// Whether a program belongs to what `.ci/run` needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NeededInCi {
    Yes,
    No,
}

/// Returns an answer that calls one tool.
pub(crate) fn call(id: &str, name: &str, arguments: &Value) -> Value {
    json!({"tool_calls": [{"id": id, "name": name, "arguments": arguments.to_string()}]})
}

/// Returns the texts of the tool results in a request.
pub(crate) fn tool_results(body: &Value) -> Vec<&str> {
    let messages = body["messages"].as_array().unwrap().iter();
    let results = messages.filter(|message| message["role"] == "tool");
    results.map(|message| message["content"].as_str().unwrap()).collect()
}

/// Returns the names of the tools that a request offers.
pub(crate) fn offered_tools(body: &Value) -> Vec<&str> {
    let tools = body["tools"].as_array().unwrap().iter();
    tools.map(|tool| tool["function"]["name"].as_str().unwrap()).collect()
}

/// Returns the files in a folder and below that `wanted` accepts, sorted.
pub(crate) fn files_below(folder: &Path, wanted: impl Fn(&Path) -> bool) -> Vec<PathBuf> {
    let mut folders = vec![folder.to_owned()];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        let Ok(entries) = folder.read_dir() else { continue };
        for entry in entries {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if wanted(&path) {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

/// Returns the session files of a home.
pub(crate) fn sessions(dir: &WorkDir) -> Vec<PathBuf> {
    let is_session = |path: &Path| path.extension().is_some_and(|ending| ending == "jsonl");
    files_below(&dir.home().join(".letscode/sessions"), is_session)
}

/// Waits until a file is there and not empty, and returns its text.
#[cfg(unix)]
#[track_caller]
pub(crate) fn wait_for_file(path: &Path) -> String {
    let end = Instant::now() + HANG;
    loop {
        match std::fs::read_to_string(path) {
            Ok(text) if text.ends_with('\n') => return text,
            _ => assert!(Instant::now() < end, "{} never came", path.display()),
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Checks that a process is gone, now or very soon.
#[cfg(target_os = "linux")]
#[track_caller]
pub(crate) fn assert_gone(pid: &str) {
    let path = PathBuf::from("/proc").join(pid.trim()).join("stat");
    let end = Instant::now() + Duration::from_secs(5);
    loop {
        let stat = std::fs::read_to_string(&path).unwrap_or_default();
        // A zombie is dead: only its parent has not looked yet.
        let state = stat.rsplit(") ").next().and_then(|rest| rest.chars().next());
        if state.is_none_or(|state| state == 'Z') {
            return;
        }
        assert!(Instant::now() < end, "process {pid} is still alive: {stat}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Writes the config file of `folder`, the home or the project.
pub(crate) fn configure(folder: &Path, text: &str) {
    let folder = folder.join(".letscode");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("config.toml"), text).unwrap();
}

/// Installs a plugin below `folder`, the home or the project.
pub(crate) fn write_plugin(folder: &Path, name: &str, command: &[&str]) {
    let folder = folder.join(".letscode/plugins/native").join(name);
    std::fs::create_dir_all(&folder).unwrap();
    let manifest = format!("name = {name:?}\nversion = \"1.0\"\ncommand = {command:?}\n");
    std::fs::write(folder.join("plugin.toml"), manifest).unwrap();
}
