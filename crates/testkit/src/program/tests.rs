//! Small shell programs, run as the real one will be.

use super::*;

/// No test waits longer than this; reaching it is a failure.
const LIMIT: Duration = Duration::from_secs(20);

fn shell(dir: &WorkDir, script: &str) -> Program {
    Program::new("/bin/sh", dir).args(["-c", script])
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

#[test]
fn the_environment_is_clean() {
    let dir = WorkDir::new();
    let program = shell(&dir, "pwd; env").env("EXTRA", "1").without_env("TERM");
    let finished = program.run(LIMIT);
    let mut lines: Vec<&str> = text(&finished.stdout).lines().collect();
    assert_eq!(Path::new(lines.remove(0)), dir.project());
    // The shell's own.
    lines.retain(|line| {
        !["PWD=", "OLDPWD=", "SHLVL=", "_="].iter().any(|key| line.starts_with(key))
    });
    lines.sort_unstable();
    let home = format!("HOME={}", dir.home().display());
    let path = format!("PATH={}", std::env::var("PATH").unwrap());
    let mut expected = [
        "EXTRA=1",
        &home,
        "LANG=C.UTF-8",
        "LETSCODE_NO_UPDATE_CHECK=1",
        "NO_PROXY=127.0.0.1",
        "OPENAI_API_KEY=test-key-123",
        &path,
        "TZ=UTC",
    ];
    expected.sort_unstable();
    assert_eq!(lines, expected);
}

#[test]
fn status_and_both_outputs() {
    let dir = WorkDir::new();
    let finished = shell(&dir, "echo out; echo err >&2; exit 3").run(LIMIT);
    assert_eq!(finished.status, 3);
    assert_eq!((text(&finished.stdout), text(&finished.stderr)), ("out\n", "err\n"));
}

#[test]
fn stdin_is_driven_line_by_line() {
    let dir = WorkDir::new();
    let script = "while read -r line; do echo \"got $line\"; done; echo end";
    let mut running = shell(&dir, script).start().unwrap();
    running.write(b"a\n").unwrap();
    assert!(running.wait_for_line(LIMIT, |line| line == b"got a"));
    running.write(b"b\nc\n").unwrap();
    assert!(running.wait_for_line(LIMIT, |line| line == b"got c"));
    running.close_stdin();
    assert_eq!(running.write(b"x").unwrap_err().kind(), io::ErrorKind::BrokenPipe);
    let finished = running.wait(LIMIT).unwrap();
    assert_eq!(text(&finished.stdout), "got a\ngot b\ngot c\nend\n");
}

#[test]
fn a_line_is_looked_at_once_and_the_end_ends_the_wait() {
    let dir = WorkDir::new();
    let mut running = shell(&dir, "printf 'a\\nb'").start().unwrap();
    assert!(running.wait_for_line(LIMIT, |line| line == b"a"));
    assert!(running.wait_for_line(LIMIT, |line| line == b"b"));
    assert!(!running.wait_for_line(LIMIT, |_| true));
}

#[test]
fn a_signal_is_a_negative_status() {
    let dir = WorkDir::new();
    let mut running = shell(&dir, "echo ready; read -r line").start().unwrap();
    assert!(running.wait_for_line(LIMIT, |line| line == b"ready"));
    running.signal(Signal::Terminate).unwrap();
    assert_eq!(running.wait(LIMIT).unwrap().status, -15);
    running.signal(Signal::Kill).unwrap();
}

#[test]
fn a_program_that_runs_on_is_reported_and_killed() {
    let dir = WorkDir::new();
    let mut running = shell(&dir, "read -r line").start().unwrap();
    assert_eq!(running.wait(Duration::from_millis(20)), None);
    running.kill();
    assert_eq!(running.wait(LIMIT).unwrap().status, -9);
}

/// Waits for the end of the output: the child that holds the pipe is gone then.
#[track_caller]
fn expect_end(output: &Output) {
    let end = Instant::now() + LIMIT;
    assert!(!output.wait_for_line(end, |_| true), "the child printed something");
    assert!(Instant::now() < end, "the child is still there");
}

/// Starts a shell that leaves a child in its group.
fn with_child(dir: &WorkDir, then: &str) -> Running {
    let script = format!("(sleep 600; echo never) & echo ready; {then}");
    let mut running = shell(dir, &script).start().unwrap();
    assert!(running.wait_for_line(LIMIT, |line| line == b"ready"));
    running
}

#[test]
fn dropping_ends_the_whole_group() {
    let dir = WorkDir::new();
    let running = with_child(&dir, "read -r line");
    let output = Arc::clone(&running.output);
    drop(running);
    expect_end(&output);
}

#[test]
fn the_end_of_the_program_ends_what_it_left() {
    let dir = WorkDir::new();
    let mut running = with_child(&dir, "exit 0");
    let finished = running.wait(LIMIT).unwrap();
    assert_eq!((finished.status, text(&finished.stdout)), (0, "ready\n"));
    expect_end(&running.output);
}

#[test]
fn a_watchdog_frees_a_writer_that_nobody_reads() {
    let dir = WorkDir::new();
    let mut running = shell(&dir, "sleep 600").start().unwrap();
    let watchdog = running.watchdog(Duration::from_millis(50));
    let error = running.write(&vec![b'x'; 1 << 20]).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
    drop(watchdog);
    assert_eq!(running.wait(LIMIT).unwrap().status, -9);
}
