//! Runs a case: work folder, server, the program's runs, the checks.
//!
//! Owns the order in which things happen. What must hold is in
//! [`Expectation`](super::Expectation).

use super::case::{Case, Run, Step, scenario};
use super::matcher::matches;
use crate::program::{Finished, Program, Running};
use crate::sse_server::SseServer;
use crate::workdir::WorkDir;
use serde_json::{Value, json};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

/// How much of an output is shown beside a failure.
const SHOWN: usize = 6000;
/// How long after its limit a run is killed that blocks our writing.
const MERCY: Duration = Duration::from_secs(5);

/// Runs a case against a binary and returns what does not hold; nothing where all is well. After
/// the first run with a problem no further one is made.
///
/// # Panics
/// When the system refuses what every test needs.
pub fn run_case(case: &Case, binary: &Path) -> Vec<String> {
    let dir = WorkDir::new();
    let server = SseServer::start(json!([]));
    let (port, home) = (server.port().to_string(), dir.home().display().to_string());
    let project = dir.project().display().to_string();
    let values = [("PORT", port.as_str()), ("HOME", &home), ("CWD", &project)];
    for (index, json) in case.runs.iter().enumerate() {
        if index == 0 || json.contains_key("llm") || json.contains_key("rules") {
            server.load(scenario(json));
        }
        let run = Run::read(json, &values, &server.base_url());
        let run = run.expect("a case is checked when it is read");
        let problems = problems_of(&run, binary, &dir, &server);
        if !problems.is_empty() {
            let prefix =
                if case.runs.len() > 1 { format!("run {}: ", index + 1) } else { String::new() };
            return problems.iter().map(|problem| format!("{prefix}{problem}")).collect();
        }
    }
    Vec::new()
}

/// Makes one run and returns what does not hold, with the end of both outputs behind it.
fn problems_of(run: &Run, binary: &Path, dir: &WorkDir, server: &SseServer) -> Vec<String> {
    let cwd = dir.project().join(&run.cwd);
    for (name, file) in &run.files {
        if let Err(error) = file.put(&dir.resolve(name)) {
            return vec![format!("cannot make the file {name}: {error}")];
        }
    }
    let before = chat_bodies(server).len();
    let mut program = Program::new(binary, dir).current_dir(&cwd).args(&run.args);
    for (name, value) in &run.env {
        program = match value {
            Some(value) => program.env(name, value),
            None => program.without_env(name),
        };
    }
    let mut running = match program.start() {
        Ok(running) => running,
        Err(error) => return vec![format!("cannot start {}: {error}", binary.display())],
    };
    let (finished, mut problems) = drive(&mut running, run);
    let requests = chat_bodies(server).split_off(before);
    problems.extend(run.expect.problems(&finished, requests, dir, &cwd));
    problems.extend(server.take_violations());
    if !problems.is_empty() {
        problems.push(format!("--- stdout ---\n{}", tail(&finished.stdout)));
        problems.push(format!("--- stderr ---\n{}", tail(&finished.stderr)));
    }
    problems
}

/// Takes the steps, then waits for the end. A step that fails ends the run.
fn drive(running: &mut Running, run: &Run) -> (Finished, Vec<String>) {
    let started = Instant::now();
    let mut problems = Vec::new();
    let watchdog = running.watchdog(run.limit + MERCY);
    if let Err(problem) = run.steps.iter().try_for_each(|step| take_step(running, step)) {
        problems.push(problem);
    }
    running.close_stdin();
    drop(watchdog);
    let left = if problems.is_empty() {
        run.limit.saturating_sub(started.elapsed())
    } else {
        Duration::ZERO
    };
    let finished = running.wait(left).unwrap_or_else(|| {
        if problems.is_empty() {
            problems.push(format!("still running after {} s", run.limit.as_secs_f64()));
        }
        running.kill();
        running.wait(Duration::ZERO).expect("a killed process has ended")
    });
    (finished, problems)
}

fn take_step(running: &mut Running, step: &Step) -> Result<(), String> {
    match step {
        Step::Write(bytes) => running.write(bytes).map_err(|error| {
            let text: String = String::from_utf8_lossy(bytes).chars().take(120).collect();
            format!("stdin was closed before {text:?} ({error})")
        }),
        Step::Close => {
            running.close_stdin();
            Ok(())
        }
        Step::Sleep(time) => {
            thread::sleep(*time);
            Ok(())
        }
        Step::Signal(signal) => {
            running.signal(*signal).map_err(|error| format!("cannot send {signal:?}: {error}"))
        }
        Step::Wait { matcher, limit } => {
            let found = running.wait_for_line(*limit, |line| fits(matcher, line));
            if found { Ok(()) } else { Err(format!("waited in vain for {matcher}")) }
        }
    }
}

/// Returns whether a line fits; one that is not JSON may fit an object matcher as text.
fn fits(matcher: &Value, line: &[u8]) -> bool {
    match serde_json::from_slice(line) {
        Ok(value) => matches(matcher, &value).is_ok(),
        Err(_) if matcher.is_object() => {
            matches(matcher, &String::from_utf8_lossy(line).into()).is_ok()
        }
        Err(_) => false,
    }
}

fn tail(bytes: &[u8]) -> String {
    let start = bytes.len().saturating_sub(SHOWN);
    String::from_utf8_lossy(bytes.get(start..).unwrap_or_default()).into_owned()
}

/// Returns the bodies of the chat requests. One that is not JSON, `null` here, is a violation.
fn chat_bodies(server: &SseServer) -> Vec<Value> {
    let requests = server.requests();
    let chats = requests.iter().filter(|request| request.is_chat());
    chats.map(|request| serde_json::from_slice(&request.body).unwrap_or_default()).collect()
}

#[cfg(unix)]
#[cfg(test)]
mod tests;
