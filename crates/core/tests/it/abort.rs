//! An abort in every state of a run.

use crate::stage::{MemStore, Setup, Stage, TestTool, output};
use letscode_testkit::mem_env::{FakeCommand, MemEnv};
use letscode_testkit::scripted_model::{Gate, ScriptedAnswer};
use letscode_wire::{Command, RetryNotice};
use serde_json::json;
use std::time::Duration;
use tokio::time::Instant;

/// Aborts, checks the end, and that a prompt after it makes a valid request.
async fn abort_and_go_on(mut stage: Stage, expected: &[&str]) {
    let requests = stage.model.requests().len();
    stage.take_lines();
    stage.send("a", Command::Abort);
    stage.until("agent_end").await;
    stage.settle().await;
    assert_eq!(stage.take_lines(), expected);
    assert_eq!(stage.model.requests().len(), requests, "a request was sent after the abort");
    let left = stage.model.answers_left();
    for _ in 0..left {
        stage.run("next").await;
    }
    stage.model.push(ScriptedAnswer::of_text("after"));
    stage.run("last").await;
    assert_eq!(stage.conversation().last().unwrap(), r#"assistant "after" calls="#);
    stage.end().await;
}

#[tokio::test]
async fn before_the_first_byte() {
    let gate = Gate::new();
    let mut stage = Setup::new([ScriptedAnswer::new().wait(&gate).text("late")]).start();
    stage.prompt("go");
    gate.reached().await;
    stage.settle().await;
    let expected = [r#"ack "a""#, "agent_end 1 aborted", r#"done "p""#, r#"done "a""#];
    abort_and_go_on(stage, &expected).await;
}

#[tokio::test]
async fn in_the_middle_of_an_answer() {
    let store = MemStore::default();
    let answer = ScriptedAnswer::new().text("half").tool_call("c", "bash", json!({"command": "x"}));
    let mut stage = Setup::new([answer.hang()]).store(store.clone()).start();
    stage.prompt("go");
    stage.until("call_args").await;
    let expected = [r#"ack "a""#, "agent_end 1 aborted", r#"done "p""#, r#"done "a""#];
    abort_and_go_on(stage, &expected).await;
    assert_eq!(store.lines()[..2], [r#"user "go""#, r#"user "last""#]);
}

#[tokio::test]
async fn in_the_wait_before_a_retry() {
    let notice = RetryNotice {
        attempt: 2,
        total_attempts: 3,
        delay_seconds: 9.0,
        reason: "HTTP 503".to_owned(),
    };
    let answer = ScriptedAnswer::new().text("half").retry(notice).hang();
    let mut stage = Setup::new([answer]).start();
    stage.prompt("go");
    stage.until("retry").await;
    let expected = [r#"ack "a""#, "agent_end 1 aborted", r#"done "p""#, r#"done "a""#];
    abort_and_go_on(stage, &expected).await;
}

#[tokio::test]
async fn while_tools_run_and_wait() {
    let env = MemEnv::new("/project");
    env.script("slow", FakeCommand::endless("begun\n"));
    let answer = ScriptedAnswer::new()
        .text("working")
        .tool_call("c1", "bash", json!({"command": "slow"}))
        .tool_call("c2", "bash", json!({"command": "never"}));
    let mut stage = Setup::new([answer]).env(env.clone()).start();
    stage.prompt("go");
    stage.until("tool_update c1").await;
    stage.take_lines();
    stage.send("a", Command::Abort);
    stage.until("agent_end").await;
    stage.settle().await;
    let lines = stage.take_lines();
    assert_eq!(lines[..2], [r#"ack "a""#, r#"done "a""#]);
    let ends: Vec<_> = lines.iter().filter(|line| line.starts_with("tool_end")).collect();
    assert_eq!(ends.len(), 2, "{lines:#?}");
    let first = lines.iter().find(|line| line.starts_with("message_end error c1")).unwrap();
    assert!(first.contains("begun"), "what it printed is kept: {first}");
    assert!(lines.iter().any(|line| line.starts_with("message_end error c2")));
    assert_eq!(
        lines[lines.len() - 5..],
        [
            "turn_end 1 results=2",
            "message_start assistant",
            r#"message_end assistant "(interrupted by user)" calls="#,
            "agent_end 5 aborted",
            r#"done "p""#,
        ]
    );
    assert_eq!(env.commands().len(), 1, "the second command was run");
    stage.model.push(ScriptedAnswer::of_text("after"));
    stage.run("last").await;
    stage.end().await;
}

#[tokio::test]
async fn between_tools_and_answer() {
    let gate = Gate::new();
    let tool = TestTool::new("work", async |_, _| Ok(output("worked")));
    let answers = [
        ScriptedAnswer::new().tool_call("c", "work", json!({})),
        ScriptedAnswer::new().wait(&gate).text("late"),
    ];
    let mut stage = Setup::new(answers).tool(tool).start();
    stage.prompt("go");
    gate.reached().await;
    stage.settle().await;
    let expected = [
        r#"ack "a""#,
        "message_start assistant",
        r#"message_end assistant "(interrupted by user)" calls="#,
        "agent_end 4 aborted",
        r#"done "p""#,
        r#"done "a""#,
    ];
    abort_and_go_on(stage, &expected).await;
}

#[tokio::test]
async fn while_idle_it_does_nothing() {
    let mut stage = Setup::new([ScriptedAnswer::of_text("a")]).start();
    stage.send("a", Command::Abort);
    stage.agent.abort();
    stage.settle().await;
    assert_eq!(stage.take_lines(), [r#"ack "a""#, r#"done "a""#]);
    stage.run("go").await;
    assert_eq!(stage.conversation(), [r#"user "go""#, r#"assistant "a" calls="#]);
    stage.end().await;
}

#[tokio::test]
async fn twice_is_the_same_as_once() {
    let env = MemEnv::new("/project");
    env.script("slow", FakeCommand::endless(""));
    let answer = ScriptedAnswer::new().tool_call("c", "bash", json!({"command": "slow"}));
    let mut stage = Setup::new([answer]).env(env).start();
    stage.prompt("go");
    stage.until("tool_start").await;
    stage.agent.abort();
    stage.agent.abort();
    stage.until("done \"p\"").await;
    stage.agent.abort();
    stage.settle().await;
    assert_eq!(stage.take_only(&["agent_end"]), ["agent_end 4 aborted"]);
    stage.end().await;
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_ignores_it_is_left_behind_after_a_few_seconds() {
    let tool = TestTool::new("deaf", async |_, _| std::future::pending().await);
    let answer = ScriptedAnswer::new().tool_call("c", "deaf", json!({}));
    let mut stage = Setup::new([answer]).tool(tool).start();
    stage.prompt("go");
    stage.until("tool_start").await;
    let began = Instant::now();
    stage.agent.abort();
    stage.until("agent_end").await;
    assert!(began.elapsed() <= Duration::from_secs(5), "{:?}", began.elapsed());
    let lines = stage.take_only(&["tool_end", "message_end error", "agent_end"]);
    assert_eq!(lines.len(), 3, "{lines:?}");
    stage.model.push(ScriptedAnswer::of_text("after"));
    stage.run("last").await;
    stage.end().await;
}

#[tokio::test]
async fn the_last_handle_gone_ends_a_run_too() {
    let gate = Gate::new();
    let store = MemStore::default();
    let answers = [ScriptedAnswer::new().wait(&gate).text("late")];
    let stage = Setup::new(answers).store(store.clone()).start();
    stage.prompt("go");
    gate.reached().await;
    let ended = stage.drop_handle().await;
    assert_eq!(ended.last().unwrap(), r#"done "p""#);
    assert_eq!(store.lines(), [r#"user "go""#]);
}
