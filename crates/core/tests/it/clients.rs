//! Several clients, slow ones and gone ones.

use crate::lines::line_of;
use crate::stage::{Setup, TestTool, output};
use letscode_core::agent::{Output, Subscription};
use letscode_testkit::scripted_model::ScriptedAnswer;
use letscode_wire::Command;
use serde_json::json;

/// More pieces than may lie with a client that does not read.
const MANY: usize = 20_000;

fn long_answer() -> ScriptedAnswer {
    (0..MANY).fold(ScriptedAnswer::new(), |answer, _| answer.text("x"))
}

async fn all(mut client: Subscription) -> Vec<Output> {
    let mut heard = Vec::new();
    while let Some(batch) = client.recv().await {
        heard.extend(batch);
    }
    heard
}

#[tokio::test]
async fn a_client_that_does_not_read_holds_up_the_model_and_not_commands() {
    let mut stage = Setup::new([long_answer()]).start();
    let deaf = stage.agent.subscribe();
    stage.prompt("go");
    stage.until("text").await;
    for _ in 0..MANY {
        tokio::task::yield_now().await;
    }
    stage.settle().await;
    let pieces = stage.take_only(&["text"]).len();
    assert!(pieces < MANY / 2, "{pieces} pieces were taken from the model");
    stage.send("q", Command::Prompt { text: "me too".to_owned(), images: vec![], expand: false });
    stage.until("refused \"q\"").await;
    stage.send("a", Command::Abort);
    stage.until("agent_end 1 aborted").await;
    drop(deaf);
    stage.model.push(ScriptedAnswer::of_text("after"));
    stage.run("next").await;
    stage.end().await;
}

#[tokio::test]
async fn a_client_that_reads_late_gets_everything_and_the_run_ends() {
    let mut stage = Setup::new([long_answer()]).start();
    let late = stage.agent.subscribe();
    stage.prompt("go");
    stage.until("text").await;
    let late = tokio::spawn(all(late));
    stage.until("done \"p\"").await;
    let heard: Vec<String> = stage.heard.iter().map(line_of).collect();
    stage.end().await;
    let late: Vec<String> = late.await.unwrap().iter().map(line_of).collect();
    assert_eq!(late.len(), heard.len());
    assert_eq!(late, heard);
}

#[tokio::test]
async fn a_client_that_leaves_in_mid_answer_holds_up_nothing() {
    let mut stage = Setup::new([long_answer()]).start();
    let leaves = stage.agent.subscribe();
    stage.prompt("go");
    stage.until("text").await;
    drop(leaves);
    stage.until("done \"p\"").await;
    stage.end().await;
}

#[tokio::test]
async fn a_client_that_comes_later_hears_what_happens_from_then_on() {
    let tool = TestTool::new("work", async |_, _| Ok(output("worked")));
    let calls = ScriptedAnswer::new().tool_call("c", "work", json!({}));
    let mut stage = Setup::new([calls, ScriptedAnswer::of_text("ok")]).tool(tool).start();
    stage.settle().await;
    stage.take_lines();
    let other = stage.agent.subscribe();
    stage.run("go").await;
    let heard = stage.take_lines();
    stage.end().await;
    assert_eq!(all(other).await.iter().map(line_of).collect::<Vec<_>>(), heard);
}
