//! Tables for the order of effects, and the invariants over random orders of inputs.

mod compaction;
mod room;
mod settling;

use super::working::MAX_REFUSED_TURNS;
use super::*;
use letscode_wire::{MessageId, RetryNotice, StopReason, ToolCallId};
use proptest::prelude::*;

/// Stamps that count.
#[derive(Default)]
struct Counter(u64);

impl Stamps for Counter {
    fn next(&mut self) -> Stamp {
        self.0 += 1;
        Stamp { id: MessageId::from(format!("m{}", self.0)), timestamp: 0.0 }
    }
}

fn machine(transcript: Transcript) -> Machine {
    Machine::new(transcript, Box::new(Counter::default()))
}

fn text(text: &str) -> Vec<ContentPart> {
    vec![ContentPart::text(text)]
}

fn piece(delta: &str) -> Input {
    Input::Piece(StreamEvent::TextDelta { delta: delta.to_owned() })
}

fn call(id: &str) -> ToolCall {
    ToolCall { id: ToolCallId::from(id), name: "read".to_owned(), arguments: Map::new() }
}

fn answer(words: &str, calls: &[&str]) -> Input {
    Input::Answered(Box::new(Answer {
        content: if words.is_empty() { Vec::new() } else { text(words) },
        tool_calls: calls.iter().map(|id| call(id)).collect(),
        stop_reason: Some(StopReason::EndTurn),
        ..Answer::default()
    }))
}

fn result(index: usize) -> Input {
    let outcome = Outcome { content: text("result"), ..Outcome::default() };
    Input::Finished { index, outcome }
}

fn retry() -> Input {
    Input::Piece(StreamEvent::Retry(RetryNotice {
        attempt: 2,
        total_attempts: 3,
        delay_seconds: 1.0,
        reason: "503".to_owned(),
    }))
}

fn failure() -> Input {
    let kind = crate::model::ModelErrorKind::Server;
    Input::Failed(ModelError { kind, message: "HTTP 500".to_owned() })
}

/// Runs inputs and returns a line for each effect.
fn trace(machine: &mut Machine, inputs: impl IntoIterator<Item = Input>) -> Vec<String> {
    let mut effects = Vec::new();
    inputs.into_iter().for_each(|input| machine.step(input, &mut effects));
    effects.iter().map(describe).collect()
}

fn describe(effect: &Effect) -> String {
    match effect {
        Effect::Keep(message) => format!("keep {}", name(message)),
        Effect::Request => "request".to_owned(),
        Effect::Summarise(request) => format!("summarise {}", request.border),
        Effect::Compacted(result) => {
            let aborted = if result.aborted { " aborted" } else { "" };
            format!("compacted {}{aborted}", result.collapsed_count)
        }
        Effect::StopRequest => "stop request".to_owned(),
        Effect::RunTools { calls, .. } => format!("run {} tools", calls.len()),
        Effect::CancelTools => "cancel tools".to_owned(),
        Effect::Settle(event) => format!("settle {}", event_line(event)),
        Effect::StopSettling => "stop settling".to_owned(),
        Effect::Emit(event) => event_line(event),
    }
}

fn event_line(event: &Event) -> String {
    match event {
        Event::AgentStart { messages } => format!("agent_start {}", messages.len()),
        Event::TurnStart { turn } => format!("turn_start {turn}"),
        Event::MessageStart { message } => format!("message_start {}", name(message)),
        Event::MessageUpdate { .. } => "message_update".to_owned(),
        Event::MessageEnd { message } => format!("message_end {}", name(message)),
        Event::ToolExecutionStart { tool_call_id, .. } => format!("tool_start {tool_call_id}"),
        Event::ToolExecutionUpdate { tool_call_id, .. } => {
            format!("tool_update {tool_call_id}")
        }
        Event::ToolExecutionEnd { tool_call_id, .. } => format!("tool_end {tool_call_id}"),
        Event::TurnEnd { turn, tool_results, .. } => {
            format!("turn_end {turn} with {} results", tool_results.len())
        }
        Event::Retry(_) => "retry".to_owned(),
        Event::Error { error, .. } => format!("error {error}"),
        Event::AgentEnd { messages, error, aborted } => {
            format!("agent_end {} error={} aborted={aborted}", messages.len(), error.is_some())
        }
        // Not a part of any run: the actor's own.
        Event::UiRequest { .. } | Event::UiWithdrawn { .. } => "ui".to_owned(),
    }
}

fn name(message: &Message) -> String {
    match message {
        Message::User(user) => format!("user {:?}", letscode_wire::text_of(&user.content)),
        Message::Assistant(answer) => {
            format!("assistant {:?}", letscode_wire::text_of(&answer.content))
        }
        Message::Tool(tool) => format!("tool {}", tool.tool_call_id),
        Message::Custom(custom) => format!("custom {}", custom.kind),
    }
}

#[test]
fn a_plain_answer_has_every_event_in_order() {
    let inputs =
        [Input::Prompt(text("hi").into()), piece("Hel"), piece("lo"), answer("Hello", &[])];
    insta::assert_snapshot!(trace(&mut machine(Vec::new()), inputs).join("\n"), @r#"
    agent_start 1
    turn_start 1
    message_start user "hi"
    keep user "hi"
    message_end user "hi"
    request
    message_start assistant ""
    message_update
    message_update
    keep assistant "Hello"
    message_end assistant "Hello"
    turn_end 1 with 0 results
    agent_end 2 error=false aborted=false
    "#);
}

#[test]
fn tool_ends_come_as_they_happen_and_results_in_source_order() {
    let inputs = [
        Input::Prompt(text("go").into()),
        answer("", &["a", "b"]),
        result(1),
        result(0),
        answer("done", &[]),
    ];
    insta::assert_snapshot!(trace(&mut machine(Vec::new()), inputs).join("\n"), @r#"
    agent_start 1
    turn_start 1
    message_start user "go"
    keep user "go"
    message_end user "go"
    request
    message_start assistant ""
    keep assistant ""
    message_end assistant ""
    tool_start a
    tool_start b
    run 2 tools
    tool_end b
    tool_end a
    message_start tool a
    keep tool a
    message_end tool a
    message_start tool b
    keep tool b
    message_end tool b
    turn_end 1 with 2 results
    turn_start 2
    request
    message_start assistant ""
    keep assistant "done"
    message_end assistant "done"
    turn_end 2 with 0 results
    agent_end 5 error=false aborted=false
    "#);
}

#[test]
fn steering_waits_for_an_answer_without_calls_and_goes_before_a_follow_up() {
    let inputs = [
        Input::Prompt(text("go").into()),
        Input::FollowUp(text("then").into()),
        Input::Steer(text("left").into()),
        answer("", &["a"]),
        result(0),
        answer("one", &[]),
        answer("two", &[]),
        answer("three", &[]),
    ];
    let mut machine = machine(Vec::new());
    trace(&mut machine, inputs);
    let names: Vec<String> = machine.transcript().iter().map(|message| name(message)).collect();
    assert_eq!(
        names,
        [
            "user \"go\"",
            "assistant \"\"",
            "tool a",
            "assistant \"one\"",
            "user \"left\"",
            "assistant \"two\"",
            "user \"then\"",
            "assistant \"three\"",
        ]
    );
}

#[test]
fn a_retry_voids_what_came_and_begins_a_new_message() {
    let inputs = [
        Input::Prompt(text("hi").into()),
        piece("Hel"),
        retry(),
        piece("Hello"),
        answer("Hello", &[]),
    ];
    let mut effects = Vec::new();
    let mut machine = machine(Vec::new());
    inputs.into_iter().for_each(|input| machine.step(input, &mut effects));
    let started: Vec<&MessageId> = effects
        .iter()
        .filter_map(|effect| match effect {
            Effect::Emit(Event::MessageStart { message }) if message.as_assistant().is_some() => {
                Some(message.id())
            }
            _ => None,
        })
        .collect();
    assert_eq!(started.len(), 2);
    assert_ne!(started[0], started[1]);
    assert_eq!(machine.transcript().last().map(|last| last.id()), Some(started[1]));
}

#[test]
fn an_abort_while_answering_drops_the_answer_and_sends_nothing_more() {
    let inputs = [
        Input::Prompt(text("hi").into()),
        piece("Hel"),
        Input::Abort,
        piece("lo"),
        answer("Hello", &[]),
    ];
    insta::assert_snapshot!(trace(&mut machine(Vec::new()), inputs)[6..].join("\n"), @r#"
    message_start assistant ""
    message_update
    stop request
    agent_end 1 error=false aborted=true
    "#);
}

#[test]
fn an_abort_while_tools_run_waits_for_their_ends_and_closes_with_a_note() {
    let inputs = [Input::Prompt(text("hi").into()), answer("", &["a"]), Input::Abort, result(0)];
    insta::assert_snapshot!(trace(&mut machine(Vec::new()), inputs)[10..].join("\n"), @r#"
    run 1 tools
    cancel tools
    tool_end a
    message_start tool a
    keep tool a
    message_end tool a
    turn_end 1 with 1 results
    message_start assistant "(interrupted by user)"
    keep assistant "(interrupted by user)"
    message_end assistant "(interrupted by user)"
    agent_end 4 error=false aborted=true
    "#);
}

#[test]
fn an_abort_between_tools_and_answer_closes_with_a_note() {
    let inputs =
        [Input::Prompt(text("hi").into()), answer("", &["a"]), result(0), piece("x"), Input::Abort];
    let lines = trace(&mut machine(Vec::new()), inputs);
    assert_eq!(
        lines[lines.len() - 5..],
        [
            "stop request",
            "message_start assistant \"(interrupted by user)\"",
            "keep assistant \"(interrupted by user)\"",
            "message_end assistant \"(interrupted by user)\"",
            "agent_end 4 error=false aborted=true",
        ]
    );
}

#[test]
fn a_failure_drops_the_answer_and_ends_the_run_with_the_error() {
    let inputs = [Input::Prompt(text("hi").into()), piece("Hel"), failure()];
    let lines = trace(&mut machine(Vec::new()), inputs);
    assert_eq!(
        lines[lines.len() - 2..],
        ["error HTTP 500", "agent_end 1 error=true aborted=false"]
    );
}

#[test]
fn a23_a_prompt_after_a_crash_answers_open_calls_first() {
    let mut before = machine(Vec::new());
    trace(&mut before, [Input::Prompt(text("hi").into()), answer("", &["a", "b"])]);
    let mut after = machine(before.transcript().clone());
    let lines = trace(&mut after, [Input::Prompt(text("again").into())]);
    assert_eq!(
        lines[..4],
        [
            "keep tool a",
            "keep tool b",
            "keep assistant \"(the run ended before an answer)\"",
            "agent_start 6"
        ]
    );
}

#[test]
fn a_prompt_after_a_failed_turn_does_not_follow_tool_results() {
    let mut machine = machine(Vec::new());
    trace(
        &mut machine,
        [Input::Prompt(text("hi").into()), answer("", &["a"]), result(0), failure()],
    );
    trace(&mut machine, [Input::Prompt(text("again").into())]);
    assert!(is_valid(machine.transcript()));
}

#[test]
fn a31_turns_of_nothing_but_invalid_calls_end_with_an_error() {
    let mut machine = machine(Vec::new());
    let mut lines = trace(&mut machine, [Input::Prompt(text("hi").into())]);
    let mut turns = 0;
    while !machine.is_idle() {
        let outcome = Outcome { refused: true, is_error: true, ..Outcome::default() };
        let id = format!("c{turns}");
        lines = trace(&mut machine, [answer("", &[&id]), Input::Finished { index: 0, outcome }]);
        turns += 1;
    }
    assert_eq!(turns, MAX_REFUSED_TURNS);
    assert!(lines[lines.len() - 2].starts_with("error the model made"));
}

#[test]
fn a_terminating_result_ends_the_run_after_its_turn() {
    let outcome = Outcome { terminate: true, ..Outcome::default() };
    let inputs = [
        Input::Prompt(text("hi").into()),
        answer("", &["a"]),
        Input::Finished { index: 0, outcome },
    ];
    let lines = trace(&mut machine(Vec::new()), inputs);
    assert_eq!(
        lines[lines.len() - 2..],
        ["turn_end 1 with 1 results", "agent_end 3 error=false aborted=false"]
    );
}

#[test]
fn reset_forgets_the_conversation_and_the_queues() {
    let mut machine = machine(Vec::new());
    trace(
        &mut machine,
        [Input::Prompt(text("hi").into()), answer("yes", &[]), Input::Steer(text("x").into())],
    );
    assert_eq!(trace(&mut machine, [Input::Reset]), ["keep custom reset"]);
    assert!(machine.transcript().is_empty());
    trace(&mut machine, [Input::Prompt(text("new").into()), answer("yes", &[])]);
    assert_eq!(machine.transcript().len(), 2);
}

#[test]
fn reset_of_an_empty_conversation_leaves_no_trace() {
    assert_eq!(trace(&mut machine(Vec::new()), [Input::Reset]), Vec::<String>::new());
}

/// The invariants of a transcript at rest: no user message behind a tool message, every call
/// answered exactly once, directly behind its message and in order.
fn is_valid(transcript: &Transcript) -> bool {
    let mut open: Vec<ToolCallId> = Vec::new();
    for (index, message) in transcript.iter().enumerate() {
        match &**message {
            Message::Tool(result) => {
                if open.is_empty() || open.remove(0) != result.tool_call_id {
                    return false;
                }
            }
            Message::User(_) => {
                let behind_tool =
                    index > 0 && transcript.get(index - 1).is_some_and(|m| m.as_tool().is_some());
                if behind_tool || !open.is_empty() {
                    return false;
                }
            }
            Message::Assistant(answer) => {
                if !open.is_empty() {
                    return false;
                }
                open = answer.tool_calls.iter().map(|call| call.id.clone()).collect();
            }
            Message::Custom(_) => {}
        }
    }
    true
}

/// Builds an input from a random number; call ids are unique as the model port promises.
fn any_input(kind: u8, index: usize, serial: usize) -> Input {
    let ids = [format!("c{serial}a"), format!("c{serial}b"), format!("c{serial}c")];
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    match kind {
        0 => Input::Prompt(text("prompt").into()),
        1 => Input::Steer(text("steer").into()),
        2 => Input::FollowUp(text("follow").into()),
        3 => Input::Abort,
        4 => Input::Reset,
        5 => piece("x"),
        6 => answer("answer", &[]),
        7 => answer("", ids.get(..index + 1).unwrap_or(&ids)),
        8 => failure(),
        9 => retry(),
        10 | 11 => Input::Settled,
        _ => result(index),
    }
}

proptest! {
    #[test]
    fn any_order_of_inputs_keeps_one_result_per_call(
        inputs in prop::collection::vec((0u8..18, 0usize..3), 0..60),
        holds_end: bool,
    ) {
        let mut machine = machine(Vec::new());
        machine.set_holds_end(holds_end);
        let mut started = Vec::new();
        let mut ended = Vec::new();
        for (serial, (kind, index)) in inputs.into_iter().enumerate() {
            let mut effects = Vec::new();
            machine.step(any_input(kind, index, serial), &mut effects);
            for effect in effects {
                match effect {
                    Effect::Emit(Event::ToolExecutionStart { tool_call_id, .. }) => started.push(tool_call_id),
                    Effect::Emit(Event::ToolExecutionEnd { tool_call_id, .. }) => ended.push(tool_call_id),
                    Effect::Request => prop_assert!(is_valid(machine.transcript())),
                    _ => {}
                }
            }
            if machine.is_idle() {
                prop_assert!(is_valid(machine.transcript()));
                started.sort();
                ended.sort();
                prop_assert_eq!(&started, &ended);
            }
        }
    }
}
