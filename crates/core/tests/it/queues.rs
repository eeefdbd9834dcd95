//! What the user says while a run is active.

use crate::stage::{Setup, Stage, TestTool, output};
use letscode_core::model::ModelErrorKind;
use letscode_testkit::scripted_model::{Gate, ScriptedAnswer};
use letscode_wire::Command;
use serde_json::json;

fn tool() -> TestTool {
    TestTool::new("work", async |_, _| Ok(output("worked")))
}

fn call(id: &str) -> ScriptedAnswer {
    ScriptedAnswer::new().tool_call(id, "work", json!({}))
}

#[tokio::test]
async fn steering_waits_for_an_answer_without_calls_one_message_a_time() {
    let gate = Gate::new();
    let answers = [
        call("c1").wait(&gate),
        call("c2"),
        ScriptedAnswer::of_text("first"),
        ScriptedAnswer::of_text("second"),
        ScriptedAnswer::of_text("third"),
        ScriptedAnswer::of_text("fourth"),
    ];
    let mut stage = Setup::new(answers).tool(tool()).start();
    stage.prompt("go");
    gate.reached().await;
    stage.follow_up("and then");
    stage.steer("one");
    stage.steer("two");
    stage.settle().await;
    gate.open();
    stage.until("done \"p\"").await;
    assert_eq!(
        stage.conversation(),
        [
            r#"user "go""#,
            r#"assistant "" calls=c1"#,
            r#"result c1 "worked""#,
            r#"assistant "" calls=c2"#,
            r#"result c2 "worked""#,
            r#"assistant "first" calls="#,
            r#"user "one""#,
            r#"assistant "second" calls="#,
            r#"user "two""#,
            r#"assistant "third" calls="#,
            r#"user "and then""#,
            r#"assistant "fourth" calls="#,
        ]
    );
    stage.end().await;
}

#[tokio::test]
async fn a_follow_up_opens_a_turn_of_the_same_run() {
    let gate = Gate::new();
    let answers = [ScriptedAnswer::of_text("a").wait(&gate), ScriptedAnswer::of_text("b")];
    let mut stage = Setup::new(answers).start();
    stage.prompt("go");
    gate.reached().await;
    stage.follow_up("more");
    gate.open();
    stage.until("done \"p\"").await;
    assert_eq!(
        stage.take_only(&["agent_", "turn_", "message_end", "done"]),
        [
            "agent_start 1",
            "turn_start 1",
            r#"message_end user "go""#,
            r#"done "f""#,
            r#"message_end assistant "a" calls="#,
            "turn_end 1 results=0",
            "turn_start 2",
            r#"message_end user "more""#,
            r#"message_end assistant "b" calls="#,
            "turn_end 2 results=0",
            "agent_end 4",
            r#"done "p""#,
        ]
    );
    stage.end().await;
}

#[tokio::test]
async fn what_is_said_while_idle_waits_for_the_next_run() {
    let answers = [ScriptedAnswer::of_text("a"), ScriptedAnswer::of_text("b")];
    let mut stage = Setup::new(answers).start();
    stage.steer("later");
    stage.settle().await;
    assert_eq!(stage.take_lines(), [r#"ack "s""#, r#"done "s""#]);
    stage.run("go").await;
    assert_eq!(
        stage.conversation(),
        [r#"user "go""#, r#"assistant "a" calls="#, r#"user "later""#, r#"assistant "b" calls="#]
    );
    stage.end().await;
}

#[tokio::test]
async fn a_second_prompt_and_a_reset_are_refused_while_a_run_is_active() {
    let gate = Gate::new();
    let mut stage = Setup::new([ScriptedAnswer::new().wait(&gate).text("a")]).start();
    stage.prompt("go");
    gate.reached().await;
    stage.send("q", Command::Prompt { text: "me too".to_owned(), images: vec![], expand: false });
    stage.send("r", Command::Reset);
    stage.settle().await;
    let refused = stage.take_only(&["refused", "ack \"q\"", "ack \"r\"", "done"]);
    assert_eq!(refused.len(), 2, "{refused:?}");
    assert!(refused[0].starts_with("refused \"q\"") && refused[1].starts_with("refused \"r\""));
    gate.open();
    stage.until("done \"p\"").await;
    assert_eq!(stage.conversation(), [r#"user "go""#, r#"assistant "a" calls="#]);
    stage.end().await;
}

#[tokio::test]
async fn an_empty_message_is_refused_and_nothing_is_sent() {
    let mut stage = Setup::new([ScriptedAnswer::of_text("a")]).start();
    let text = || " \n".to_owned();
    stage.send("q", Command::Prompt { text: text(), images: vec![], expand: false });
    stage.send("s", Command::Steer { text: text(), expand: false });
    stage.send("f", Command::FollowUp { text: text(), expand: false });
    stage.settle().await;
    let lines = stage.take_lines();
    assert_eq!(lines.len(), 3, "{lines:?}");
    assert!(lines.iter().all(|line| line.starts_with("refused")), "{lines:?}");
    stage.run("go").await;
    assert_eq!(stage.request(0), [r#"user "go""#]);
    stage.end().await;
}

#[tokio::test]
async fn a_prompt_after_a_failure_makes_a_valid_request() {
    let fail = || ScriptedAnswer::new().text("part").fail(ModelErrorKind::Server, "HTTP 500");
    let answers = [call("c1"), fail(), fail(), ScriptedAnswer::of_text("ok")];
    let mut stage = Setup::new(answers).tool(tool()).start();
    stage.run("go").await;
    let lines = stage.take_only(&["error", "agent_end", "done"]);
    assert_eq!(lines, ["error true HTTP 500", "agent_end 3 error: HTTP 500", r#"done "p""#]);
    stage.run("again").await;
    stage.run("once more").await;
    let request = stage.request(3);
    assert_eq!(request[0], r#"user "go""#);
    assert_eq!(request[3], r#"assistant "(the run ended before an answer)" calls="#);
    assert_eq!(request[4..], [r#"user "again""#, r#"user "once more""#]);
    stage.end().await;
}

#[tokio::test]
async fn steering_after_a_failed_turn_does_not_follow_results() {
    let gate = Gate::new();
    let answers = [
        call("c1"),
        ScriptedAnswer::new().wait(&gate).fail(ModelErrorKind::Server, "HTTP 500"),
        ScriptedAnswer::of_text("ok"),
        ScriptedAnswer::of_text("steered"),
    ];
    let mut stage = Setup::new(answers).tool(tool()).start();
    stage.prompt("go");
    gate.reached().await;
    stage.steer("left");
    gate.open();
    stage.until("done \"p\"").await;
    stage.run("again").await;
    assert_eq!(
        stage.conversation()[4..],
        [
            r#"user "again""#,
            r#"assistant "ok" calls="#,
            r#"user "left""#,
            r#"assistant "steered" calls="#
        ]
    );
    stage.end().await;
}

#[tokio::test]
async fn a_reset_forgets_conversation_and_queues() {
    let answers = [ScriptedAnswer::of_text("a"), ScriptedAnswer::of_text("b")];
    let mut stage: Stage = Setup::new(answers).start();
    stage.run("first").await;
    stage.steer("lost");
    stage.follow_up("lost too");
    stage.send("r", Command::Reset);
    stage.settle().await;
    assert_eq!(stage.take_lines().split_off(16), [r#"ack "r""#, r#"done "r""#]);
    stage.run("second").await;
    assert_eq!(stage.conversation(), [r#"user "second""#, r#"assistant "b" calls="#]);
    stage.end().await;
}
