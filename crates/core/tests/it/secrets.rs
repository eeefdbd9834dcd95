//! Keys in what leaves the agent.

use crate::stage::{MemStore, Setup, TestTool, output};
use letscode_core::agent::Output;
use letscode_core::model::ModelErrorKind;
use letscode_core::tools::ToolError;
use letscode_testkit::scripted_model::ScriptedAnswer;
use letscode_wire::{ContentPart, Meta, Partial, RetryNotice, ToolOutput};
use serde_json::{Value, json};

const KEY: &str = "sk-quite-a-secret-key";

fn details() -> Meta {
    let Value::Object(details) = json!({"deep": [{"text": format!("x{KEY}y")}]}) else {
        unreachable!()
    };
    details
}

/// Everything that clients hear and the session keeps, as text.
fn all_text(heard: &[Output], store: &MemStore) -> String {
    let heard = heard.iter().map(|output| match output {
        Output::Event(event) => serde_json::to_string(event).unwrap(),
        Output::Control(control) => serde_json::to_string(control).unwrap(),
        Output::Notice(text) => text.clone(),
    });
    let kept = store.kept.lock().unwrap();
    let kept = kept.iter().map(|message| serde_json::to_string(message).unwrap());
    heard.chain(kept).collect::<Vec<_>>().join("\n")
}

#[tokio::test]
async fn a50_a_key_in_results_details_progress_and_errors_is_masked() {
    let store = MemStore::default();
    let shows = TestTool::new("shows", async |_, context| {
        let content = vec![ContentPart::text(format!("key {KEY}"))];
        context.progress.send(Partial { content: content.clone(), details: details() });
        Ok(ToolOutput { content, details: details(), ..ToolOutput::default() })
    });
    let fails = TestTool::new("fails", async |_, _| Err(ToolError::new(format!("bad key {KEY}"))));
    let calls = ScriptedAnswer::new()
        .tool_call("c1", "shows", json!({}))
        .tool_call("c2", "fails", json!({}))
        .rejected_call("c3", "shows", &format!("cut at {KEY}"));
    let notice = RetryNotice {
        attempt: 2,
        total_attempts: 3,
        delay_seconds: 1.0,
        reason: format!("HTTP 500: {KEY} is overloaded"),
    };
    let end = ScriptedAnswer::new()
        .notice(&format!("the server said {KEY}"))
        .retry(notice)
        .fail(ModelErrorKind::Authentication, &format!("HTTP 401: no such key {KEY}"));
    let mut stage =
        Setup::new([calls, end]).tool(shows).tool(fails).store(store.clone()).key(KEY).start();
    stage.run("go").await;
    stage.settle().await;
    let text = all_text(&stage.heard, &store);
    let places: Vec<&str> = text.lines().filter(|line| line.contains(KEY)).collect();
    assert!(places.is_empty(), "{places:#?}");
    assert!(text.matches("[key hidden]").count() > 8, "{text}");
    assert!(!format!("{:?}", stage.model.requests()).contains(KEY), "the model saw the key");
    stage.end().await;
}

#[tokio::test]
async fn a50_a_key_that_was_typed_or_answered_does_not_reach_the_session() {
    let store = MemStore::default();
    let answer = ScriptedAnswer::new().text(&format!("your key is {KEY}")).tool_call(
        "c",
        "echo",
        json!({"nested": {"key": KEY}}),
    );
    let tool = TestTool::new("echo", async |_, _| Ok(output("ok")));
    let mut stage = Setup::new([answer, ScriptedAnswer::of_text("ok")])
        .tool(tool)
        .store(store.clone())
        .key(KEY)
        .start();
    stage.run(&format!("is {KEY} right?")).await;
    let text = all_text(&[], &store);
    assert!(!text.contains(KEY), "{text}");
    assert_eq!(store.lines().len(), 4);
    stage.end().await;
}
