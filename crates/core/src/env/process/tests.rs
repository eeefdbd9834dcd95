//! Tests of running commands: output, time limits, and what is left of their processes.

#[cfg(target_os = "linux")]
use crate::env::rerun::test_command_with_mounts;
use crate::env::rerun::{require_success, test_command};
use crate::env::{
    CommandEnd, CommandError, CommandStatus, ExecutionEnv, LocalEnv, LocalEnvOptions, RunCommand,
    Stderr,
};
use rustix::process::{Pid, Signal, kill_process};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

/// Long enough to tell a command that was waited for from one that was not.
const LONG: &str = "300";
/// Longer than anything here takes that does not hang.
const HANG: Duration = Duration::from_secs(60);

fn env_in(folder: &Path) -> LocalEnv {
    LocalEnv::new(LocalEnvOptions { working_dir: folder.to_owned(), ..Default::default() })
}

fn request(command: &str, timeout: Duration) -> RunCommand {
    RunCommand { command: command.to_owned(), timeout, stderr: Stderr::Merged }
}

struct Ran {
    end: CommandEnd,
    output: String,
    took: Duration,
}

/// Runs a command; cancels it once its output ends with `cancel_at`.
async fn run_until(env: &LocalEnv, request: RunCommand, cancel_at: Option<&str>) -> Ran {
    let mut bytes = Vec::new();
    let cancel = CancellationToken::new();
    let canceller = cancel.clone();
    let mut sink = |piece: &[u8]| {
        bytes.extend_from_slice(piece);
        if cancel_at.is_some_and(|end| bytes.ends_with(end.as_bytes())) {
            canceller.cancel();
        }
    };
    let begin = Instant::now();
    let end = env.run(request, &mut sink, cancel).await.unwrap();
    Ran { end, output: String::from_utf8(bytes).unwrap(), took: begin.elapsed() }
}

async fn run(command: &str) -> Ran {
    let folder = TempDir::new().unwrap();
    run_until(&env_in(folder.path()), request(command, HANG), None).await
}

fn exited(code: i32, left_running: bool) -> CommandEnd {
    CommandEnd { status: CommandStatus::Exited(code), left_running }
}

/// Returns the process numbers among the words of `output`.
fn ids(output: &str) -> Vec<Pid> {
    let numbers = output.split_whitespace().filter_map(|word| word.parse().ok());
    numbers.filter_map(Pid::from_raw).collect()
}

/// Returns whether the process lives; one that is dead but not taken off does not.
fn is_alive(id: Pid) -> bool {
    #[cfg(target_os = "linux")]
    return super::table::process(id).is_some();
    #[cfg(not(target_os = "linux"))]
    return rustix::process::test_kill_process(id).is_ok();
}

/// Waits until the process is gone; fails when that takes too long.
fn require_end(id: Pid) {
    let begin = Instant::now();
    while is_alive(id) {
        assert!(begin.elapsed() < HANG, "{id:?} is still alive");
        std::thread::yield_now();
    }
}

#[tokio::test]
async fn a01_background_forms_return_with_the_foreground_output() {
    for command in [
        "sleep 300 & echo done",
        "(while :; do echo x; sleep .1; done) & echo done",
        "yes & echo done",
        "nohup sleep 300 >/dev/null & echo done",
        "setsid sleep 300 & echo done",
    ] {
        let folder = TempDir::new().unwrap();
        let env = env_in(folder.path());
        let command = format!("{command}; echo $! >id");
        let ran = run_until(&env, request(&command, HANG), None).await;
        assert_eq!(ran.end, exited(0, true), "{command}");
        assert!(ran.output.contains("done\n"), "{command}");
        assert!(ran.took < Duration::from_secs(20), "{command}: {:?}", ran.took);
        let id = std::fs::read_to_string(folder.path().join("id")).unwrap();
        let _ = kill_process(ids(&id)[0], Signal::KILL);
        env.end_all_commands();
    }
}

#[tokio::test]
async fn a01_a_background_process_that_is_silent_for_good_is_not_waited_for() {
    let ran = run("sleep 300 >/dev/null 2>&1 & echo $!").await;
    assert_eq!(ran.end, exited(0, false));
    let id = ids(&ran.output).pop().unwrap();
    assert!(is_alive(id), "a background process goes on after its command");
    let _ = kill_process(id, Signal::KILL);
}

#[tokio::test]
async fn a01_short_background_output_is_still_heard() {
    let ran = run("(echo late) & echo early; wait").await;
    assert_eq!(ran.end, exited(0, false));
    assert!(ran.output.contains("late") && ran.output.contains("early"), "{}", ran.output);
}

/// Trees whose output ends with `go`, after the numbers of their processes.
const TREES: &[&str] = &[
    // A child and a grandchild.
    "sh -c 'sleep 300 & echo $$ $!; echo go; sleep 300'; true",
    // They do not listen.
    "trap '' TERM; sh -c 'trap \"\" TERM; sleep 300 & echo $$ $!; echo go; sleep 300'; sleep 300",
    // Job control: each job is a group of its own.
    "set -m; sleep 300 & echo $!; sleep 300 & echo $!; echo go; wait",
    // One that is stopped.
    "sleep 300 & echo $!; kill -STOP $!; echo go; sleep 300",
];

/// Trees that leave the session.
#[cfg(target_os = "linux")]
const FAR_TREES: &[&str] = &[
    "setsid sh -c 'sleep 300 & echo $$ $!; echo go; sleep 300' & sleep 300",
    // Its parent is gone, so that only the environment tells where it is from.
    "(setsid sh -c 'trap \"\" TERM; sleep 300 & echo $$ $!; echo go; sleep 300' &); sleep 300",
];
#[cfg(not(target_os = "linux"))]
const FAR_TREES: &[&str] = &[];

#[tokio::test]
async fn a02_cancelling_ends_the_whole_tree() {
    for command in TREES.iter().chain(FAR_TREES) {
        let folder = TempDir::new().unwrap();
        let env = env_in(folder.path());
        let ran = run_until(&env, request(command, HANG), Some("go\n")).await;
        let expected = CommandEnd { status: CommandStatus::Cancelled, left_running: false };
        assert_eq!(ran.end, expected, "{command}");
        assert!(ran.output.ends_with("go\n"), "{command}: {:?}", ran.output);
        assert!(ran.took < Duration::from_secs(30), "{command}: {:?}", ran.took);
        assert!(!ids(&ran.output).is_empty(), "{command}: {:?}", ran.output);
        for id in ids(&ran.output) {
            assert!(!is_alive(id), "{command}: {id:?} is alive");
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a02_the_group_is_ended_where_there_is_no_table_of_processes() {
    let path = concat!(module_path!(), "::inner_a02_no_table");
    if let Some(command) = test_command_with_mounts("mount -t tmpfs tmpfs /proc", path) {
        require_success(command);
    }
}

#[cfg(target_os = "linux")]
#[tokio::test]
#[ignore = "run by a02_the_group_is_ended_where_there_is_no_table_of_processes"]
async fn inner_a02_no_table() {
    let folder = TempDir::new().unwrap();
    let env = env_in(folder.path());
    assert!(super::table::processes().is_empty());
    for command in &TREES[..2] {
        let ran = run_until(&env, request(command, HANG), Some("go\n")).await;
        assert_eq!(ran.end.status, CommandStatus::Cancelled, "{command}");
        let begin = Instant::now();
        for id in ids(&ran.output) {
            while rustix::process::test_kill_process(id).is_ok() {
                assert!(begin.elapsed() < HANG, "{command}: {id:?} is alive");
            }
        }
    }
}

#[tokio::test]
async fn a02_a_time_out_ends_the_whole_tree_and_keeps_the_output() {
    let command = "sh -c 'sleep 300 & echo $! first; sleep 300'; true";
    let folder = TempDir::new().unwrap();
    let request = request(command, Duration::from_millis(500));
    let ran = run_until(&env_in(folder.path()), request, None).await;
    let expected = CommandEnd { status: CommandStatus::TimedOut, left_running: false };
    assert_eq!(ran.end, expected);
    assert!(ran.output.ends_with("first\n"), "{:?}", ran.output);
    for id in ids(&ran.output) {
        assert!(!is_alive(id), "{id:?} is alive");
    }
}

#[tokio::test]
async fn a02_last_words_on_the_way_out_are_kept() {
    let command = "trap 'echo bye; exit 0' TERM; echo go; while :; do sleep 0.05; done";
    let folder = TempDir::new().unwrap();
    let ran = run_until(&env_in(folder.path()), request(command, HANG), Some("go\n")).await;
    assert!(ran.output.ends_with("bye\n"), "{:?}", ran.output);
}

#[tokio::test]
async fn a02_a_run_that_is_dropped_leaves_nothing() {
    let folder = TempDir::new().unwrap();
    let env = env_in(folder.path());
    let (seen, mut told) = tokio::sync::mpsc::unbounded_channel();
    let mut sink = |piece: &[u8]| seen.send(String::from_utf8_lossy(piece).into_owned()).unwrap();
    let command = format!("sleep {LONG} & echo $$ $!; sleep {LONG}");
    let running = env.run(request(&command, HANG), &mut sink, CancellationToken::new());
    let output = tokio::select! {
        _ = running => panic!("it cannot end"),
        output = told.recv() => output.unwrap(),
    };
    assert_eq!(ids(&output).len(), 2);
    for id in ids(&output) {
        require_end(id);
    }
}

#[tokio::test]
async fn a02_the_end_of_the_program_ends_all_commands() {
    let folder = TempDir::new().unwrap();
    let env = Arc::new(env_in(folder.path()));
    let left = "sleep 300 >/dev/null 2>&1 & echo $!; nohup sleep 300 >/dev/null 2>&1 & echo $!";
    let left = run_until(&env, request(left, HANG), None).await;
    let [hung_up, kept] = ids(&left.output)[..] else { panic!("two processes") };

    let (seen, mut told) = tokio::sync::mpsc::unbounded_channel();
    let running = tokio::spawn({
        let env = Arc::clone(&env);
        let command = format!("trap '' HUP; sleep {LONG} & echo $!; sleep {LONG}");
        async move {
            let mut sink = |piece: &[u8]| seen.send(ids(&String::from_utf8_lossy(piece))).unwrap();
            env.run(request(&command, HANG), &mut sink, CancellationToken::new()).await
        }
    });
    let child = told.recv().await.unwrap()[0];
    tokio::task::spawn_blocking(move || env.end_all_commands()).await.unwrap();
    assert!(!is_alive(child));
    let end = running.await.unwrap().unwrap();
    assert_eq!(end.status, CommandStatus::Signaled(Signal::TERM.as_raw()));
    require_end(hung_up);
    assert!(is_alive(kept), "what was started with nohup goes on");
    let _ = kill_process(kept, Signal::KILL);
}

#[tokio::test]
async fn a03_nothing_waits_for_a_person() {
    let setup = "export HOME=$PWD GIT_CONFIG_NOSYSTEM=1 EDITOR_WAS=$EDITOR; git init -q . && \
                 git config user.name a && git config user.email a@b && \
                 git commit -q --allow-empty -m one && git commit -q --allow-empty -m two && ";
    for (command, expected) in [
        ("cat; echo end", "end\n"),
        ("read x </dev/tty || echo end", "end\n"),
        ("git commit --allow-empty || echo end", "end\n"),
        ("git rebase -i HEAD~1 || echo end", "end\n"),
        ("git log --format=%s", "two\none\n"),
        ("echo $TERM $PAGER $EDITOR $VISUAL $GIT_TERMINAL_PROMPT", "dumb cat false false 0\n"),
    ] {
        let ran = run(&format!("{setup}{command}")).await;
        assert_eq!(ran.end, exited(0, false), "{command}: {:?}", ran.output);
        assert!(ran.output.ends_with(expected), "{command}: {:?}", ran.output);
    }
}

#[tokio::test]
async fn a06_a_working_directory_that_is_gone_is_told() {
    let folder = TempDir::new().unwrap();
    let env = env_in(folder.path());
    let path = folder.path().to_owned();
    drop(folder);
    let mut sink = |_: &[u8]| {};
    let error = env.run(request("true", HANG), &mut sink, CancellationToken::new()).await;
    assert!(matches!(error, Err(CommandError::WorkingDirGone { path: told }) if told == path));
}

#[tokio::test]
async fn a08_exit_codes_and_signals_are_told() {
    for (command, status) in [
        ("exit 3", CommandStatus::Exited(3)),
        ("kill -9 $$", CommandStatus::Signaled(9)),
        ("no-such-program 2>/dev/null", CommandStatus::Exited(127)),
        ("if", CommandStatus::Exited(2)),
    ] {
        assert_eq!(run(command).await.end.status, status, "{command}");
    }
}

#[tokio::test]
async fn a08_a_text_that_is_too_long_is_told() {
    let folder = TempDir::new().unwrap();
    let command = format!("true {}", "x".repeat(8 * 1024 * 1024));
    let mut sink = |_: &[u8]| {};
    let env = env_in(folder.path());
    let error = env.run(request(&command, HANG), &mut sink, CancellationToken::new()).await;
    assert!(matches!(error, Err(CommandError::TooLong { .. })), "{error:?}");
}

/// The program's own environment cannot be changed in a test, so it is given to another process.
#[test]
fn a08_a50_the_users_shell_and_the_keys_stay_outside() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("start-up");
    std::fs::write(&file, "echo start-up file").unwrap();
    let path = concat!(module_path!(), "::inner_a08_a50_environment");
    let mut command = test_command(&[], path);
    command.env("BASH_ENV", &file).env("ENV", &file).env("SHELL", "/bin/fish");
    command.env("SHELLOPTS", "xtrace").env("CDPATH", "/").env("FORCE_COLOR", "1");
    command.env("EDITOR", "vi").env("OPENAI_API_KEY", "sk-secret").env("MY_KEY", "sk-other");
    command.env("KEPT", "kept");
    require_success(command);
}

#[tokio::test]
#[ignore = "run by a08_a50_the_users_shell_and_the_keys_stay_outside"]
async fn inner_a08_a50_environment() {
    let folder = TempDir::new().unwrap();
    let env = LocalEnv::new(LocalEnvOptions {
        working_dir: folder.path().to_owned(),
        removed_variables: vec!["OPENAI_API_KEY".to_owned(), "MY_KEY".to_owned()],
        temp_dir: None,
    });
    let ran = run_until(&env, request("env; echo $0", HANG), None).await;
    assert_eq!(ran.end, exited(0, false));
    for absent in ["start-up", "sk-", "CDPATH", "FORCE_COLOR", "xtrace", "EDITOR=vi"] {
        assert!(!ran.output.contains(absent), "{absent}: {}", ran.output);
    }
    for present in ["KEPT=kept", "EDITOR=false", "NO_COLOR=1", "PATH="] {
        assert!(ran.output.contains(present), "{present}: {}", ran.output);
    }
    assert!(ran.output.ends_with("bash\n") || ran.output.ends_with("sh\n"), "{}", ran.output);
}

#[test]
fn a08_no_shell_at_all_is_told() {
    let path = concat!(module_path!(), "::inner_a08_no_shell");
    let mut command = test_command(&[], path);
    command.env("PATH", "/nowhere");
    require_success(command);
}

#[tokio::test]
#[ignore = "run by a08_no_shell_at_all_is_told"]
async fn inner_a08_no_shell() {
    let folder = TempDir::new().unwrap();
    let mut sink = |_: &[u8]| {};
    let env = env_in(folder.path());
    let error = env.run(request("true", HANG), &mut sink, CancellationToken::new()).await;
    assert!(matches!(error, Err(CommandError::NoShell)), "{error:?}");
}

#[tokio::test]
async fn both_streams_come_in_the_order_of_writing() {
    let ran = run("for i in 1 2 3 4 5 6 7 8 9; do echo o$i; echo e$i >&2; done").await;
    let expected: String = (1..10).map(|i| format!("o{i}\ne{i}\n")).collect();
    assert_eq!(ran.output, expected);
}

#[tokio::test]
async fn a_cancelled_token_starts_nothing() {
    let folder = TempDir::new().unwrap();
    let cancel = CancellationToken::new();
    cancel.cancel();
    let mut sink = |_: &[u8]| {};
    let end = env_in(folder.path()).run(request("touch x", HANG), &mut sink, cancel).await.unwrap();
    assert_eq!(end.status, CommandStatus::Cancelled);
    assert!(!folder.path().join("x").exists());
}

#[tokio::test]
async fn other_work_goes_on_beside_a_fast_writer() {
    let folder = TempDir::new().unwrap();
    let env = env_in(folder.path());
    let mut length = 0;
    let mut sink = |piece: &[u8]| length += piece.len();
    let running =
        env.run(request("head -c 30000000 /dev/zero", HANG), &mut sink, CancellationToken::new());
    let mut turns = 0_u32;
    let others = async {
        loop {
            turns += 1;
            tokio::task::yield_now().await;
        }
    };
    tokio::select! {
        biased;
        end = running => assert_eq!(end.unwrap(), exited(0, false)),
        () = others => {}
    }
    assert_eq!(length, 30_000_000);
    assert!(turns > 100, "{turns}");
}

#[tokio::test]
async fn stderr_kept_apart_comes_last_and_only_after_a_failure() {
    for (command, expected) in [
        ("echo err >&2; echo out", "out\n"),
        ("echo err >&2; echo out; exit 3", "out\nerr\n"),
        ("echo err >&2; kill -9 $$", "err\n"),
        ("exit 1", ""),
    ] {
        let folder = TempDir::new().unwrap();
        let request = RunCommand { stderr: Stderr::OnFailure, ..request(command, HANG) };
        let ran = run_until(&env_in(folder.path()), request, None).await;
        assert_eq!(ran.output, expected, "{command}");
    }
}

#[tokio::test]
async fn of_a_long_stderr_kept_apart_the_end_comes() {
    let folder = TempDir::new().unwrap();
    let command = "seq 1 200000 >&2; exit 1";
    let request = RunCommand { stderr: Stderr::OnFailure, ..request(command, HANG) };
    let ran = run_until(&env_in(folder.path()), request, None).await;
    assert!(ran.output.len() <= 64 * 1024 && ran.output.ends_with("\n200000\n"));
}
