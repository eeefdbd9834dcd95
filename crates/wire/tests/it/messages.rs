//! Messages and their parts: every field present, whatever its value; lenient reading.

use crate::{check_both_ways, check_read};
use letscode_wire::{
    AssistantMessage, ContentPart, CustomMessage, Message, Meta, StopReason, ToolCall, ToolMessage,
    Usage, UserMessage, text_of,
};
use serde_json::{Map, Value, json};

/// Returns the fields of an object literal.
pub(crate) fn fields(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(fields) => fields,
        other => unreachable!("no object literal: {other}"),
    }
}

/// Returns a user message with one text.
pub(crate) fn user(text: &str) -> Message {
    Message::User(UserMessage {
        id: "u1".into(),
        content: vec![ContentPart::text(text)],
        timestamp: 1.5,
        meta: Meta::new(),
    })
}

/// Returns how [`user`] is written.
pub(crate) fn user_json(text: &str) -> Value {
    json!({"role": "user", "id": "u1", "content": [{"type": "text", "text": text}],
           "timestamp": 1.5, "meta": {}})
}

/// Returns an assistant message as it is while nothing of it has come.
pub(crate) fn empty_assistant() -> AssistantMessage {
    AssistantMessage {
        id: "a1".into(),
        content: vec![],
        tool_calls: vec![],
        timestamp: 2.0,
        stop_reason: None,
        usage: None,
        meta: Meta::new(),
    }
}

/// Returns how [`empty_assistant`] is written.
pub(crate) fn empty_assistant_json() -> Value {
    json!({"role": "assistant", "id": "a1", "content": [], "tool_calls": [], "timestamp": 2.0,
           "stop_reason": null, "usage": null, "meta": {}})
}

/// Returns a tool message.
pub(crate) fn tool() -> Message {
    Message::Tool(ToolMessage {
        id: "t1".into(),
        tool_call_id: "c1".into(),
        content: vec![ContentPart::text("a.txt")],
        is_error: false,
        timestamp: 3.0,
        details: Meta::new(),
    })
}

/// Returns how [`tool`] is written.
pub(crate) fn tool_json() -> Value {
    json!({"role": "tool", "id": "t1", "tool_call_id": "c1",
           "content": [{"type": "text", "text": "a.txt"}], "is_error": false, "timestamp": 3.0,
           "details": {}})
}

#[test]
fn every_role_is_written_with_every_field() {
    check_both_ways(&user("hi"), &user_json("hi"));
    check_both_ways(&Message::Assistant(empty_assistant()), &empty_assistant_json());
    check_both_ways(&tool(), &tool_json());
    let custom = Message::Custom(CustomMessage {
        id: "x1".into(),
        kind: "compaction".to_owned(),
        payload: Map::new(),
        timestamp: 4.25,
        meta: Meta::new(),
    });
    check_both_ways(
        &custom,
        &json!({"role": "custom", "id": "x1", "kind": "compaction", "payload": {},
                "timestamp": 4.25, "meta": {}}),
    );
}

#[test]
fn a_full_assistant_message_is_written_in_order() {
    let message = AssistantMessage {
        content: vec![ContentPart::text("Reading")],
        tool_calls: vec![ToolCall {
            id: "c1".into(),
            name: "read".to_owned(),
            arguments: fields(json!({"path": "a", "limit": null, "offset": 0})),
        }],
        stop_reason: Some(StopReason::ToolCalls),
        usage: Some(Usage { input_tokens: 7, output_tokens: 5, ..Usage::default() }),
        meta: fields(json!({"reasoning": "hm"})),
        ..empty_assistant()
    };
    check_both_ways(
        &Message::Assistant(message),
        &json!({"role": "assistant", "id": "a1", "content": [{"type": "text", "text": "Reading"}],
                "tool_calls": [{"id": "c1", "name": "read",
                                "arguments": {"path": "a", "limit": null, "offset": 0}}],
                "timestamp": 2.0, "stop_reason": "tool_calls",
                "usage": {"input_tokens": 7, "output_tokens": 5, "cache_creation_tokens": 0,
                          "cache_read_tokens": 0, "reasoning_tokens": 0, "cost_usd": null},
                "meta": {"reasoning": "hm"}}),
    );
}

#[test]
fn content_parts_are_tagged() {
    check_both_ways(&ContentPart::text(""), &json!({"type": "text", "text": ""}));
    check_both_ways(
        &ContentPart::Image { data: "aGk=".to_owned(), mime_type: "image/png".to_owned() },
        &json!({"type": "image", "data": "aGk=", "mime_type": "image/png"}),
    );
}

#[test]
fn stop_reasons_have_four_names() {
    let names = [
        (StopReason::EndTurn, "end_turn"),
        (StopReason::ToolCalls, "tool_calls"),
        (StopReason::MaxTokens, "max_tokens"),
        (StopReason::Error, "error"),
    ];
    for (reason, name) in names {
        check_both_ways(&reason, &json!(name));
    }
}

#[test]
fn usage_is_written_whole() {
    let usage = Usage {
        input_tokens: 1,
        output_tokens: 2,
        cache_creation_tokens: 3,
        cache_read_tokens: 4,
        reasoning_tokens: 5,
        cost_usd: Some(0.25),
    };
    check_both_ways(
        &usage,
        &json!({"input_tokens": 1, "output_tokens": 2, "cache_creation_tokens": 3,
                "cache_read_tokens": 4, "reasoning_tokens": 5, "cost_usd": 0.25}),
    );
    check_read("{}", &Usage::default());
}

#[test]
fn reading_ignores_unknown_fields_and_fills_in_absent_ones() {
    check_read(
        r#"{"role":"user","id":"u1","content":[{"type":"text","text":"hi","extra":1}],"timestamp":1.5,"mood":"good"}"#,
        &user("hi"),
    );
    check_read(
        r#"{"id":"a1","timestamp":2,"role":"assistant"}"#,
        &Message::Assistant(empty_assistant()),
    );
}

#[test]
fn reading_refuses_what_is_no_message() {
    let lines = [
        r#"{"role":"robot","id":"u1"}"#,
        r#"{"id":"u1","content":[]}"#,
        r#"{"role":"user","content":[]}"#,
        r#"{"role":"tool","id":"t1"}"#,
        r#"{"role":"user","id":"u1","content":[{"type":"smell"}]}"#,
        r#"{"role":"user","id":7}"#,
        "[]",
    ];
    for line in lines {
        assert!(serde_json::from_str::<Message>(line).is_err(), "{line}");
    }
}

#[test]
fn text_survives_the_way_out_and_back() {
    for text in ["\"\\\n\t\r\u{0}\u{7f}", "\u{2028}\u{2029}\u{feff}", "ß 👩‍👩‍👧 \u{10ffff}"]
    {
        let mut line = Vec::new();
        letscode_wire::encode_line(&user(text), &mut line).unwrap();
        assert_eq!(line.iter().filter(|byte| **byte == b'\n').count(), 1, "one line for {text:?}");
        let read: Message = serde_json::from_slice(&line).unwrap();
        assert_eq!(read, user(text));
    }
}

#[test]
fn accessors_see_their_own_role_only() {
    assert_eq!(tool().id().as_str(), "t1");
    assert_eq!(tool().content(), [ContentPart::text("a.txt")]);
    assert!(tool().as_tool().is_some());
    assert!(tool().as_assistant().is_none());
    assert!(tool().as_custom().is_none());
    assert!(Message::Assistant(empty_assistant()).as_assistant().is_some());
    assert!(user("hi").as_tool().is_none());
}

#[test]
fn text_of_joins_texts_and_skips_images() {
    let image = ContentPart::Image { data: String::new(), mime_type: "image/png".to_owned() };
    let parts = [ContentPart::text("a"), image, ContentPart::text("b")];
    assert_eq!(text_of(&parts), "ab");
    assert_eq!(text_of(&[]), "");
}
