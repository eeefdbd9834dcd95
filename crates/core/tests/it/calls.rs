//! Tool calls in a run: their order among each other, and what goes wrong with them.

use crate::stage::{Setup, TestTool, output};
use letscode_core::tools::{Access, ToolError};
use letscode_testkit::mem_env::{FakeCommand, MemEnv};
use letscode_testkit::scripted_model::{Gate, ScriptedAnswer};
use letscode_wire::{StopReason, ToolOutput};
use serde_json::json;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

const END: &[&str] = &["tool_end", "message_end result", "message_end error"];

/// A tool that stands at the gate `name` until the test opens it.
fn gated(name: &str, gate: &Gate) -> TestTool {
    let gate = gate.clone();
    let text = format!("{name} done");
    TestTool::new(name, move |_, _| {
        let (gate, text) = (gate.clone(), text.clone());
        async move {
            gate.pass().await;
            Ok(output(&text))
        }
    })
}

fn calls(names: &[&str]) -> [ScriptedAnswer; 2] {
    let mut answer = ScriptedAnswer::new();
    for (index, name) in names.iter().enumerate() {
        answer = answer.tool_call(&format!("c{}", index + 1), name, json!({}));
    }
    [answer, ScriptedAnswer::of_text("ok")]
}

/// Checks that nobody stands at the gate once all that can happen has happened.
async fn nobody_at(gate: &Gate) {
    for _ in 0..50 {
        tokio::task::yield_now().await;
    }
    let waiting = tokio::time::timeout(std::time::Duration::ZERO, gate.reached()).await;
    assert!(waiting.is_err(), "a call has begun too early");
}

#[tokio::test]
async fn ends_come_in_completion_order_and_results_in_source_order() {
    let gates = [Gate::new(), Gate::new(), Gate::new()];
    let mut setup = Setup::new(calls(&["one", "two", "three"]));
    for (name, gate) in ["one", "two", "three"].iter().zip(&gates) {
        setup = setup.tool(gated(name, gate));
    }
    let mut stage = setup.start();
    stage.prompt("go");
    for gate in &gates {
        gate.reached().await;
    }
    for (gate, end) in [(&gates[2], "tool_end c3"), (&gates[0], "tool_end c1")] {
        gate.open();
        stage.until(end).await;
    }
    gates[1].open();
    stage.until("done").await;
    assert_eq!(
        stage.take_only(END),
        [
            "tool_end c3",
            "tool_end c1",
            "tool_end c2",
            r#"message_end result c1 "one done""#,
            r#"message_end result c2 "two done""#,
            r#"message_end result c3 "three done""#,
        ]
    );
    stage.end().await;
}

#[tokio::test]
async fn a_sequential_tool_runs_alone() {
    let (before, alone, after) = (Gate::new(), Gate::new(), Gate::new());
    let mut stage = Setup::new(calls(&["before", "alone", "after"]))
        .tool(gated("before", &before))
        .tool(gated("alone", &alone).sequential())
        .tool(gated("after", &after))
        .start();
    stage.prompt("go");
    before.reached().await;
    nobody_at(&alone).await;
    nobody_at(&after).await;
    before.open();
    alone.reached().await;
    nobody_at(&after).await;
    alone.open();
    after.reached().await;
    after.open();
    stage.until("done").await;
    assert_eq!(stage.take_only(&["tool_end"]), ["tool_end c1", "tool_end c2", "tool_end c3"]);
    stage.end().await;
}

#[tokio::test]
async fn calls_on_one_path_keep_their_order_and_others_do_not_wait() {
    let (change, look, other) = (Gate::new(), Gate::new(), Gate::new());
    let on = |path: &str, changes| {
        let path = PathBuf::from(path);
        move || Access { changes, path: Some(path.clone()) }
    };
    let mut stage = Setup::new(calls(&["change", "look", "other"]))
        .tool(gated("change", &change).access(on("/project/a", true)))
        .tool(gated("look", &look).access(on("/project/a", false)))
        .tool(gated("other", &other).access(on("/project/b", false)))
        .start();
    stage.prompt("go");
    change.reached().await;
    other.reached().await;
    nobody_at(&look).await;
    other.open();
    stage.until("tool_end c3").await;
    change.open();
    look.reached().await;
    look.open();
    stage.until("done").await;
    assert_eq!(stage.take_only(&["tool_end"]), ["tool_end c3", "tool_end c1", "tool_end c2"]);
    stage.end().await;
}

#[tokio::test]
async fn a_write_then_a_read_of_one_file_sees_what_was_written() {
    let env = MemEnv::new("/project");
    let answer = ScriptedAnswer::new()
        .tool_call("w", "write", json!({"path": "a.txt", "content": "new\n"}))
        .tool_call(
            "e",
            "edit",
            json!({"path": "./a.txt", "old_string": "new", "new_string": "newer"}),
        )
        .tool_call("r", "read", json!({"path": "/project/a.txt"}));
    let mut stage = Setup::new([answer, ScriptedAnswer::of_text("ok")]).env(env.clone()).start();
    stage.run("go").await;
    assert_eq!(env.content("a.txt").unwrap(), b"newer\n");
    let lines = stage.take_only(&["message_end result r"]);
    assert!(lines[0].contains("newer"), "{lines:?}");
    stage.end().await;
}

#[tokio::test]
async fn a_read_does_not_wait_for_a_command() {
    let env = MemEnv::new("/project");
    env.put("a.txt", "x\n");
    env.script("slow", FakeCommand::endless(""));
    let answer = ScriptedAnswer::new()
        .tool_call("b", "bash", json!({"command": "slow"}))
        .tool_call("r", "read", json!({"path": "a.txt"}));
    let mut stage = Setup::new([answer]).env(env).start();
    stage.prompt("go");
    stage.until("tool_end r").await;
    stage.agent.abort();
    stage.until("agent_end").await;
    stage.end().await;
}

#[tokio::test]
async fn a_tool_that_panics_is_one_failed_call() {
    let tool = TestTool::new("bad", async |_, _| panic!("inside"));
    let mut stage = Setup::new(calls(&["bad"])).tool(tool).start();
    stage.run("go").await;
    assert_eq!(
        stage.take_only(END),
        ["tool_end c1", r#"message_end error c1 "The tool bad failed inside.""#]
    );
    stage.run("again?").await;
    stage.model.take_violations();
    stage.end().await;
}

#[tokio::test]
async fn a_tool_that_panics_before_it_runs_does_not_hang_the_run() {
    let bad = TestTool::new("bad", async |_, _| Ok(output("never")))
        .access(|| panic!("while asked what it touches"));
    let good = TestTool::new("good", async |_, _| Ok(output("fine")));
    let mut stage = Setup::new(calls(&["bad", "good"])).tool(bad).tool(good).start();
    stage.run("go").await;
    let lines = stage.take_only(&["message_end"]);
    assert!(lines.iter().any(|line| line.starts_with("message_end error c1")), "{lines:#?}");
    assert_eq!(lines.last().unwrap(), r#"message_end assistant "ok" calls="#);
    stage.end().await;
}

#[tokio::test]
async fn a_failure_of_a_tool_is_data_for_the_model() {
    let tool = TestTool::new("fail", async |_, _| Err(ToolError::new("no luck")));
    let mut stage = Setup::new(calls(&["fail"])).tool(tool).start();
    stage.run("go").await;
    assert_eq!(
        stage.request(1),
        [r#"user "go""#, r#"assistant "" calls=c1"#, r#"error c1 "no luck""#,]
    );
    assert_eq!(stage.take_only(&["agent_end"]), ["agent_end 4"]);
    stage.end().await;
}

#[tokio::test]
async fn a_result_is_capped_whole_not_part_by_part() {
    let tool = TestTool::new("much", async |_, _| {
        let part = letscode_wire::ContentPart::text("é".repeat(200 * 1024));
        Ok(ToolOutput { content: vec![part; 8], ..ToolOutput::default() })
    });
    let mut stage = Setup::new(calls(&["much"])).tool(tool).start();
    stage.run("go").await;
    let request = stage.model.requests().remove(1);
    let result = request.messages.last().unwrap().as_tool().unwrap().clone();
    let size: usize = serde_json::to_string(&result.content).unwrap().len();
    assert!(size < 300 * 1024, "{size} bytes");
    let text = letscode_wire::text_of(&result.content);
    assert!(text.contains("cut"), "nothing says that it was cut");
    stage.end().await;
}

#[tokio::test]
async fn calls_that_cannot_run_are_answered_in_place() {
    let ran = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&ran);
    let tool = TestTool::new("good", move |_, _| {
        count.fetch_add(1, Ordering::Relaxed);
        async { Ok(output("fine")) }
    });
    let answer = ScriptedAnswer::new()
        .rejected_call("c1", "good", "its arguments were cut off")
        .tool_call("c2", "unheard_of", json!({}))
        .tool_call("c3", "read", json!({"offset": 7}))
        .tool_call("c4", "good", json!({}));
    let mut stage = Setup::new([answer, ScriptedAnswer::of_text("ok")]).tool(tool).start();
    stage.run("go").await;
    assert_eq!(ran.load(Ordering::Relaxed), 1);
    let lines = stage.take_only(&["tool_start", "message_end error", "message_end result"]);
    assert_eq!(
        lines[..4],
        [
            "tool_start c1 good",
            "tool_start c2 unheard_of",
            "tool_start c3 read",
            "tool_start c4 good"
        ]
    );
    assert_eq!(lines[4], r#"message_end error c1 "its arguments were cut off""#);
    assert!(lines[5].contains("unheard_of") && lines[5].contains("read, write, edit, bash"));
    assert!(lines[6].starts_with("message_end error c3") && lines[6].contains("path"), "{lines:?}");
    assert_eq!(lines[7], r#"message_end result c4 "fine""#);
    stage.end().await;
}

#[tokio::test]
async fn calls_run_whatever_the_finish_reason_says() {
    for reason in [StopReason::EndTurn, StopReason::MaxTokens, StopReason::Error] {
        let answer = ScriptedAnswer::new().tool_call("c1", "good", json!({})).stop_reason(reason);
        let tool = TestTool::new("good", async |_, _| Ok(output("fine")));
        let mut stage = Setup::new([answer, ScriptedAnswer::of_text("ok")]).tool(tool).start();
        stage.run("go").await;
        assert_eq!(stage.take_only(&["message_end result"]), [r#"message_end result c1 "fine""#]);
        stage.end().await;
    }
}

#[tokio::test]
async fn a31_turns_of_nothing_but_invalid_calls_come_to_an_end() {
    let bad = (0..20)
        .map(|turn| ScriptedAnswer::new().tool_call(&format!("c{turn}"), "unheard_of", json!({})));
    let mut stage = Setup::new(bad).start();
    stage.run("go").await;
    let end = stage.take_only(&["agent_end", "error"]);
    assert_eq!(end.len(), 2, "{end:?}");
    assert!(end[0].contains("invalid tool calls"), "{end:?}");
    assert!(stage.model.requests().len() <= 8);
    stage.model.push(ScriptedAnswer::of_text("well"));
    stage.end().await;
}
