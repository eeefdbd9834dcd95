//! The order of events in whole runs.

use crate::stage::{Setup, TestTool, output};
use letscode_core::agent::Output;
use letscode_testkit::mem_env::{FakeCommand, MemEnv};
use letscode_testkit::recorder::Recorder;
use letscode_testkit::scripted_model::ScriptedAnswer;
use letscode_wire::{RetryNotice, Usage};
use serde_json::json;

fn usage() -> Usage {
    Usage { input_tokens: 10, output_tokens: 2, ..Usage::default() }
}

#[tokio::test]
async fn an_answer_in_pieces() {
    let answer = ScriptedAnswer::new().thinking("hm").text("a").text("b").usage(usage());
    let mut stage = Setup::new([answer]).start();
    stage.run("hi").await;
    assert_eq!(
        stage.take_lines(),
        [
            r#"ack "p""#,
            "agent_start 1",
            "turn_start 1",
            "message_start user",
            r#"message_end user "hi""#,
            "message_start assistant",
            r#"thinking "hm""#,
            r#"text "a""#,
            r#"text "b""#,
            "stop EndTurn",
            "usage",
            r#"message_end assistant "ab" calls="#,
            "turn_end 1 results=0",
            "agent_end 2",
            r#"done "p""#,
        ]
    );
    stage.end().await;
}

#[tokio::test]
async fn a_run_with_tools_field_for_field() {
    let env = MemEnv::new("/project");
    env.put("a.txt", "one\n");
    env.script("ls", FakeCommand::new("a.txt\n", 0));
    let answer = ScriptedAnswer::new()
        .text("Looking.")
        .tool_call("c1", "read", json!({"path": "a.txt"}))
        .tool_call("c2", "bash", json!({"command": "ls"}))
        .usage(usage());
    let mut stage = Setup::new([answer, ScriptedAnswer::of_text("one")]).env(env).start();
    stage.run("what is in a.txt?").await;
    let mut recorder = Recorder::new();
    for output in &stage.heard {
        match output {
            Output::Event(event) => recorder.record(event),
            Output::Control(control) => recorder.record(control),
            Output::Notice(text) => recorder.record(text),
        }
    }
    insta::assert_snapshot!(recorder.text_of_lines());
    stage.end().await;
}

#[tokio::test]
async fn a_retry_drops_the_partial_answer_and_begins_a_fresh_one() {
    let notice = RetryNotice {
        attempt: 2,
        total_attempts: 3,
        delay_seconds: 1.0,
        reason: "broke".to_owned(),
    };
    let answer = ScriptedAnswer::new()
        .text("lost")
        .tool_call("x", "bash", json!({"command": "rm"}))
        .retry(notice)
        .text("kept");
    let mut stage = Setup::new([answer]).start();
    stage.run("hi").await;
    let starts: Vec<_> = stage
        .heard
        .iter()
        .filter_map(|output| match output {
            Output::Event(event) => serde_json::to_value(event).ok(),
            _ => None,
        })
        .filter(|event| event["type"] == "message_start")
        .map(|event| event["message"]["id"].clone())
        .collect();
    assert_eq!(starts, ["m1", "m2", "m3"]);
    assert_eq!(
        stage.take_lines()[5..],
        [
            "message_start assistant",
            r#"text "lost""#,
            "call_start x bash",
            r#"call_args x {"command":"rm"}"#,
            "retry 2/3 broke",
            "message_start assistant",
            r#"text "kept""#,
            "stop EndTurn",
            r#"message_end assistant "kept" calls="#,
            "turn_end 1 results=0",
            "agent_end 2",
            r#"done "p""#,
        ]
    );
    stage.end().await;
}

#[tokio::test]
async fn updates_of_a_tool_stand_between_its_start_and_its_end() {
    let tool = TestTool::new("show", async |_, context| {
        for text in ["1", "2"] {
            let content = output(text).content;
            context.progress.send(letscode_wire::Partial { content, details: json_map() });
        }
        Ok(output("done"))
    });
    let call = ScriptedAnswer::new().tool_call("c", "show", json!({}));
    let mut stage = Setup::new([call, ScriptedAnswer::of_text("ok")]).tool(tool).start();
    stage.run("go").await;
    assert_eq!(
        stage.take_only(&["tool_", "message_end result"]),
        [
            "tool_start c show",
            r#"tool_update c "1""#,
            r#"tool_update c "2""#,
            "tool_end c",
            r#"message_end result c "done""#,
        ]
    );
    stage.end().await;
}

fn json_map() -> letscode_wire::Meta {
    letscode_wire::Meta::new()
}
