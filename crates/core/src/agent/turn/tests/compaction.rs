//! Compactions of every origin: order, failure, abort, and how often they are tried.

use super::*;
use crate::model::ModelErrorKind;
use letscode_wire::{AssistantMessage, UserMessage};

/// Returns a conversation of `rounds` questions and answers of about 100 tokens each.
fn conversation(rounds: usize) -> Transcript {
    let words = "w".repeat(380);
    let round = |index: usize| {
        let question = UserMessage {
            id: MessageId::from(format!("q{index}")),
            content: text(&words),
            timestamp: 0.0,
            meta: Meta::new(),
        };
        let answer = AssistantMessage {
            id: MessageId::from(format!("a{index}")),
            content: text(&words),
            tool_calls: Vec::new(),
            timestamp: 0.0,
            stop_reason: Some(StopReason::EndTurn),
            usage: None,
            meta: Meta::new(),
        };
        [Arc::new(Message::User(question)), Arc::new(Message::Assistant(answer))]
    };
    (0..rounds).flat_map(round).collect()
}

/// Returns a machine whose window is full: 1000 tokens of 1200.
fn full() -> Machine {
    let mut machine = machine(conversation(5));
    machine.set_limits(Limits { window: Some(1200), overhead: 0 });
    machine
}

fn prompt() -> Input {
    Input::Prompt(text("go on").into())
}

fn overflow() -> Input {
    let kind = ModelErrorKind::ContextOverflow;
    Input::Failed(ModelError { kind, message: "HTTP 400: too long".to_owned() })
}

/// Returns a line for each effect, without what messages say.
fn trace(machine: &mut Machine, inputs: impl IntoIterator<Item = Input>) -> Vec<String> {
    let lines = super::trace(machine, inputs);
    lines.iter().map(|line| line.split(" \"").next().unwrap_or_default().to_owned()).collect()
}

fn requests(lines: &[String]) -> usize {
    lines.iter().filter(|line| line.starts_with("summarise")).count()
}

#[test]
fn a_full_window_is_compacted_before_the_turn() {
    let mut machine = full();
    let lines =
        trace(&mut machine, [prompt(), piece("Sum"), answer("Summary", &[]), answer("ok", &[])]);
    assert_eq!(
        lines,
        [
            "agent_start 11",
            "summarise 6",
            "message_start custom compaction",
            "keep custom compaction",
            "message_end custom compaction",
            "turn_start 1",
            "message_start user",
            "keep user",
            "message_end user",
            "request",
            "message_start assistant",
            "keep assistant",
            "message_end assistant",
            "turn_end 1 with 0 results",
            "agent_end 7 error=false aborted=false",
        ]
    );
}

#[test]
fn it_is_compacted_between_turns_too() {
    let mut machine = machine(conversation(4));
    machine.set_limits(Limits { window: Some(1200), overhead: 0 });
    let long = Outcome { content: text(&"r".repeat(800)), ..Outcome::default() };
    let inputs = [prompt(), answer("", &["c"]), Input::Finished { index: 0, outcome: long }];
    let lines = trace(&mut machine, inputs);
    assert_eq!(lines.last().map(String::as_str), Some("summarise 7"), "{lines:?}");
    let lines = trace(&mut machine, [answer("Summary", &[])]);
    assert_eq!(lines[3..], ["turn_start 2", "request"], "{lines:?}");
}

#[test]
fn calls_in_a_summary_are_not_run_and_an_empty_one_is_a_failure() {
    let mut machine = full();
    let before = machine.transcript().clone();
    let lines = trace(&mut machine, [Input::Compact(None), answer("", &["c"])]);
    assert_eq!(lines[0], "summarise 6");
    assert!(lines[1].starts_with("error could not compact"), "{lines:?}");
    assert_eq!(lines.len(), 3, "{lines:?}");
    assert_eq!(machine.transcript(), &before);
    let lines = trace(&mut machine, [Input::Compact(None), answer("Summary", &["c"])]);
    assert_eq!(lines.last().map(String::as_str), Some("compacted 6"));
    assert!(machine.is_idle());
}

#[test]
fn a30_a_compaction_that_fails_is_tried_twice_and_not_at_each_step() {
    let mut machine = full();
    for expected in [1, 1, 0, 0] {
        let lines = trace(&mut machine, [prompt(), failure()]);
        assert_eq!(requests(&lines), expected, "{lines:?}");
        assert!(lines.last().unwrap().starts_with("agent_end"), "{lines:?}");
        assert!(machine.can_retry(), "what the user said is not lost");
    }
    // Not for a request that is too long either.
    let lines = trace(&mut machine, [prompt(), overflow()]);
    assert_eq!(requests(&lines), 0, "{lines:?}");
    // The user's own is always tried, and makes good.
    let lines = trace(&mut machine, [Input::Compact(None), answer("Summary", &[])]);
    assert_eq!(requests(&lines), 1);
    assert_eq!(machine.failed_compactions, 0);
}

#[test]
fn a_request_that_is_too_long_is_made_again_once_after_a_compaction() {
    let mut machine = machine(conversation(5));
    let lines = trace(&mut machine, [prompt(), overflow(), answer("Summary", &[]), overflow()]);
    let tail: Vec<&str> = lines[5..].iter().map(String::as_str).collect();
    assert_eq!(
        tail,
        [
            "request",
            "summarise 7",
            "message_start custom compaction",
            "keep custom compaction",
            "message_end custom compaction",
            "request",
            "error HTTP 400: too long",
            "agent_end 5 error=true aborted=false",
        ]
    );
}

#[test]
fn an_abort_ends_a_compaction_and_leaves_the_history() {
    let mut machine = full();
    let before = machine.transcript().clone();
    let lines = trace(&mut machine, [Input::Compact(None), Input::Abort]);
    assert_eq!(lines, ["summarise 6", "stop request", "compacted 0 aborted"]);
    assert_eq!(machine.transcript(), &before);
    let lines = trace(&mut machine, [prompt(), Input::Abort]);
    assert_eq!(lines[1..3], ["summarise 6", "stop request"], "{lines:?}");
    assert!(
        lines.last().unwrap().starts_with("agent_end 11 error=false aborted=true"),
        "{lines:?}"
    );
    assert!(machine.is_idle());
}

#[test]
fn a_retry_asks_again_without_a_new_message() {
    let mut machine = machine(Transcript::new());
    assert!(!machine.can_retry());
    trace(&mut machine, [prompt(), failure()]);
    assert!(machine.can_retry());
    let lines = trace(&mut machine, [Input::Retry, answer("ok", &[])]);
    assert_eq!(lines[..3], ["agent_start 1", "turn_start 1", "request"], "{lines:?}");
    assert_eq!(machine.transcript().len(), 2);
    assert!(!machine.can_retry(), "it is answered");
}

#[test]
fn a23_a_retry_after_a_crash_answers_open_calls_and_adds_no_note() {
    let mut machine = machine(Transcript::new());
    trace(&mut machine, [prompt(), answer("", &["c"])]);
    let mut machine = super::machine(machine.transcript().clone());
    let lines = trace(&mut machine, [Input::Retry]);
    assert_eq!(lines, ["keep tool c", "agent_start 3", "turn_start 1", "request"]);
}

#[test]
fn a_switch_of_the_model_is_shown_and_is_no_part_of_the_transcript() {
    let mut machine = machine(Transcript::new());
    let lines = trace(&mut machine, [Input::SwitchModel("other".to_owned())]);
    let custom =
        ["message_start", "keep", "message_end"].map(|l| format!("{l} custom model_change"));
    assert_eq!(lines, custom);
    assert!(machine.transcript().is_empty());
}

#[test]
fn the_message_that_was_queued_last_is_taken_back() {
    let mut machine = machine(Transcript::new());
    trace(
        &mut machine,
        [
            Input::Steer(text("1").into()),
            Input::FollowUp(text("2").into()),
            Input::Steer(text("3").into()),
        ],
    );
    for expected in [Some(text("3")), Some(text("2")), Some(text("1")), None] {
        assert_eq!(machine.unqueue(), expected);
    }
}
