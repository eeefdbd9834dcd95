//! Tests of the request: shared values here, the cases by subject below.

use super::*;
use crate::profile::{CallIdRule, ReasoningBack, SchemaRule, lookup};
use letscode_wire::{
    AssistantMessage, ContentPart, CustomMessage, ExecutionMode, Message, Meta, ToolCall,
    ToolMessage, UserMessage,
};
use serde_json::{Map, Value, json};
use std::sync::Arc;

mod calls;
mod content;
mod properties;
mod reasoning;
mod schemas;

const HOST: &str = "host:1";

fn plain() -> Profile {
    lookup("127.0.0.1", "m")
}

/// Returns the whole body as a value, with what it counts as sent.
fn body(
    messages: Vec<Message>,
    tools: Vec<ToolSpec>,
    profile: &Profile,
    change: impl FnOnce(&mut BodyContext<'_>),
) -> (Value, Sent) {
    let request = ModelRequest {
        system: "sys".into(),
        messages: messages.into_iter().map(Arc::new).collect(),
        tools: tools.into(),
    };
    let mut context = BodyContext { model: "m", host: HOST, thinking: None, vision: true, profile };
    change(&mut context);
    let body = build(&request, context);
    (serde_json::from_slice(&body.json).unwrap(), body.sent)
}

/// Returns the messages of the body, without the system's.
fn sent_messages(messages: Vec<Message>, profile: &Profile) -> Value {
    let (body, _) = body(messages, Vec::new(), profile, |_| {});
    let messages = body["messages"].as_array().unwrap();
    assert_eq!(messages[0], json!({"role": "system", "content": "sys"}));
    messages[1..].iter().cloned().collect()
}

fn text(text: &str) -> Vec<ContentPart> {
    if text.is_empty() { Vec::new() } else { vec![ContentPart::text(text)] }
}

fn image(data: &str) -> ContentPart {
    ContentPart::Image { data: data.to_owned(), mime_type: "image/png".to_owned() }
}

fn user(content: &str) -> Message {
    user_parts(text(content))
}

fn user_parts(content: Vec<ContentPart>) -> Message {
    Message::User(UserMessage { id: "u".into(), content, timestamp: 0.0, meta: Meta::new() })
}

fn assistant(content: &str, calls: &[(&str, &str, Value)]) -> Message {
    assistant_with(content, calls, &json!({}))
}

fn assistant_with(content: &str, calls: &[(&str, &str, Value)], meta: &Value) -> Message {
    let call = |(id, name, arguments): &(&str, &str, Value)| ToolCall {
        id: (*id).into(),
        name: (*name).to_owned(),
        arguments: arguments.as_object().unwrap().clone(),
    };
    Message::Assistant(AssistantMessage {
        id: "a".into(),
        content: text(content),
        tool_calls: calls.iter().map(call).collect(),
        timestamp: 0.0,
        stop_reason: None,
        usage: None,
        meta: meta.as_object().unwrap().clone(),
    })
}

fn tool(call: &str, content: &str) -> Message {
    tool_parts(call, text(content))
}

fn tool_parts(call: &str, content: Vec<ContentPart>) -> Message {
    Message::Tool(ToolMessage {
        id: "t".into(),
        tool_call_id: call.into(),
        content,
        is_error: false,
        timestamp: 0.0,
        details: Meta::new(),
    })
}

fn custom() -> Message {
    Message::Custom(CustomMessage {
        id: "c".into(),
        kind: "note".into(),
        payload: Map::new(),
        timestamp: 0.0,
        meta: Meta::new(),
    })
}

fn spec(name: &str, parameters: Value) -> ToolSpec {
    ToolSpec {
        name: name.to_owned(),
        description: "does".to_owned(),
        parameters,
        execution_mode: ExecutionMode::Parallel,
    }
}

fn sent_call(id: &str, name: &str, arguments: &str) -> Value {
    json!({"id": id, "type": "function", "function": {"name": name, "arguments": arguments}})
}

/// A second, independent statement of what every server demands of the messages.
fn assert_valid(messages: &[Value]) {
    let mut ids = std::collections::HashSet::new();
    let mut index = 0;
    while index < messages.len() {
        let message = &messages[index];
        index += 1;
        match message["role"].as_str().unwrap() {
            "system" => assert_eq!(index, 1),
            "user" => match &message["content"] {
                Value::String(text) => assert!(!text.is_empty()),
                Value::Array(parts) => {
                    assert!(parts.iter().any(|part| part["type"] == "image_url"));
                    assert!(parts.iter().all(|part| part["text"] != ""));
                }
                other => panic!("{other}"),
            },
            "assistant" => {
                let empty = Vec::new();
                let calls = message["tool_calls"].as_array().unwrap_or(&empty);
                let has_text = message["content"].as_str().is_some_and(|text| !text.is_empty());
                assert!(has_text || (message["content"].is_null() && !calls.is_empty()));
                assert!(message.get("content").is_some());
                assert!(message.get("tool_calls").is_none_or(|_| !calls.is_empty()));
                for call in calls {
                    let id = call["id"].as_str().unwrap();
                    assert!(!id.is_empty() && id.len() <= 64, "{id}");
                    assert!(ids.insert(id.to_owned()), "{id} twice");
                    let arguments = call["function"]["arguments"].as_str().unwrap();
                    assert!(serde_json::from_str::<Map<String, Value>>(arguments).is_ok());
                    let result = &messages[index];
                    index += 1;
                    assert_eq!(result["role"], "tool");
                    assert_eq!(result["tool_call_id"], id);
                    assert!(result["content"].as_str().is_some_and(|text| !text.is_empty()));
                    assert_eq!(result.as_object().unwrap().len(), 3);
                }
            }
            other => panic!("a stray {other}"),
        }
    }
}
