//! Events: tag names, every field, and what is left out by rule.

use crate::messages::{
    empty_assistant, empty_assistant_json, fields, tool, tool_json, user, user_json,
};
use crate::{check_both_ways, check_read, check_written};
use letscode_wire::{
    ContentPart, Control, Event, Message, Meta, Outbound, Partial, RetryNotice, StopReason,
    StreamEvent, Usage,
};
use serde_json::json;
use std::sync::Arc;

fn assistant() -> Arc<Message> {
    Arc::new(Message::Assistant(empty_assistant()))
}

fn retry() -> RetryNotice {
    RetryNotice {
        attempt: 2,
        total_attempts: 3,
        delay_seconds: 1.0,
        reason: "HTTP 503 from the server".to_owned(),
    }
}

#[test]
fn every_event_is_written_with_every_field() {
    let cases = [
        (
            Event::AgentStart { messages: vec![Arc::new(user("hi"))] },
            json!({"type": "agent_start", "messages": [user_json("hi")]}),
        ),
        (Event::TurnStart { turn: 1 }, json!({"type": "turn_start", "turn": 1})),
        (
            Event::MessageStart { message: assistant() },
            json!({"type": "message_start", "message": empty_assistant_json()}),
        ),
        (
            Event::MessageUpdate {
                message: Some(assistant()),
                stream_event: StreamEvent::TextDelta { delta: "He".to_owned() },
            },
            json!({"type": "message_update", "message": empty_assistant_json(),
                   "stream_event": {"type": "text_delta", "delta": "He"}}),
        ),
        (
            Event::MessageEnd { message: Arc::new(tool()) },
            json!({"type": "message_end", "message": tool_json()}),
        ),
        (
            Event::ToolExecutionStart {
                tool_call_id: "c1".into(),
                tool_name: "read".to_owned(),
                arguments: fields(json!({"path": "a"})),
            },
            json!({"type": "tool_execution_start", "tool_call_id": "c1", "tool_name": "read",
                   "arguments": {"path": "a"}}),
        ),
        (
            Event::ToolExecutionStart {
                tool_call_id: "c1".into(),
                tool_name: "read".to_owned(),
                arguments: Meta::new(),
            },
            json!({"type": "tool_execution_start", "tool_call_id": "c1", "tool_name": "read",
                   "arguments": {}}),
        ),
        (
            Event::ToolExecutionUpdate {
                tool_call_id: "c1".into(),
                partial: Partial { content: vec![ContentPart::text("x")], details: Meta::new() },
            },
            json!({"type": "tool_execution_update", "tool_call_id": "c1",
                   "partial": {"content": [{"type": "text", "text": "x"}], "details": {}}}),
        ),
        (
            Event::ToolExecutionEnd { tool_call_id: "c1".into(), result: Arc::new(tool()) },
            json!({"type": "tool_execution_end", "tool_call_id": "c1", "result": tool_json()}),
        ),
        (
            Event::TurnEnd { turn: 2, message: assistant(), tool_results: vec![Arc::new(tool())] },
            json!({"type": "turn_end", "turn": 2, "message": empty_assistant_json(),
                   "tool_results": [tool_json()]}),
        ),
        (
            Event::TurnEnd { turn: 2, message: assistant(), tool_results: vec![] },
            json!({"type": "turn_end", "turn": 2, "message": empty_assistant_json(),
                   "tool_results": []}),
        ),
        (
            Event::Retry(retry()),
            json!({"type": "retry", "attempt": 2, "total_attempts": 3, "delay_seconds": 1.0,
                   "reason": "HTTP 503 from the server"}),
        ),
        (
            Event::Error { error: "HTTP 500".to_owned(), recoverable: true },
            json!({"type": "error", "error": "HTTP 500", "recoverable": true}),
        ),
        (
            Event::AgentEnd {
                messages: vec![],
                error: Some("HTTP 500".to_owned()),
                aborted: false,
            },
            json!({"type": "agent_end", "messages": [], "error": "HTTP 500"}),
        ),
    ];
    for (event, json) in cases {
        check_both_ways(&event, &json);
    }
}

#[test]
fn agent_end_says_aborted_only_after_an_abort() {
    check_both_ways(
        &Event::AgentEnd { messages: vec![], error: None, aborted: false },
        &json!({"type": "agent_end", "messages": [], "error": null}),
    );
    check_both_ways(
        &Event::AgentEnd { messages: vec![], error: None, aborted: true },
        &json!({"type": "agent_end", "messages": [], "error": null, "aborted": true}),
    );
}

#[test]
fn message_update_without_a_snapshot_has_no_message_key() {
    check_both_ways(
        &Event::MessageUpdate {
            message: None,
            stream_event: StreamEvent::TextDelta { delta: "He".to_owned() },
        },
        &json!({"type": "message_update", "stream_event": {"type": "text_delta", "delta": "He"}}),
    );
}

#[test]
fn every_stream_event_is_written_with_every_field() {
    let cases = [
        (
            StreamEvent::TextDelta { delta: "a".to_owned() },
            json!({"type": "text_delta", "delta": "a"}),
        ),
        (
            StreamEvent::ThinkingDelta { delta: "a".to_owned() },
            json!({"type": "thinking_delta", "delta": "a"}),
        ),
        (
            StreamEvent::ToolCallStart { tool_call_id: "c1".into(), name: "read".to_owned() },
            json!({"type": "tool_call_start", "tool_call_id": "c1", "name": "read"}),
        ),
        (
            StreamEvent::ToolCallArgsDelta { tool_call_id: "c1".into(), delta: "{".to_owned() },
            json!({"type": "tool_call_args_delta", "tool_call_id": "c1", "delta": "{"}),
        ),
        (
            StreamEvent::ToolCallEnd { tool_call_id: "c1".into() },
            json!({"type": "tool_call_end", "tool_call_id": "c1"}),
        ),
        (
            StreamEvent::Usage { usage: Usage { output_tokens: 1, ..Usage::default() } },
            json!({"type": "usage",
                   "usage": {"input_tokens": 0, "output_tokens": 1, "cache_creation_tokens": 0,
                             "cache_read_tokens": 0, "reasoning_tokens": 0, "cost_usd": null}}),
        ),
        (
            StreamEvent::Stop { reason: StopReason::EndTurn },
            json!({"type": "stop", "reason": "end_turn"}),
        ),
        (
            StreamEvent::Retry(retry()),
            json!({"type": "retry", "attempt": 2, "total_attempts": 3, "delay_seconds": 1.0,
                   "reason": "HTTP 503 from the server"}),
        ),
    ];
    for (event, json) in cases {
        check_both_ways(&event, &json);
    }
}

#[test]
fn reading_ignores_unknown_fields() {
    check_read(r#"{"type":"turn_start","turn":3,"colour":"red"}"#, &Event::TurnStart { turn: 3 });
    check_read(
        r#"{"messages":[],"type":"agent_end"}"#,
        &Event::AgentEnd { messages: vec![], error: None, aborted: false },
    );
}

#[test]
fn outbound_adds_no_envelope() {
    check_written(
        &Outbound::Event(Event::TurnStart { turn: 1 }),
        &json!({"type": "turn_start", "turn": 1}),
    );
    check_written(&Outbound::Control(Control::Bye), &json!({"type": "bye"}));
}
