//! What every server demands of a chat request.
//!
//! Owns the rules that hold for all providers, each broken one worded for whoever reads the
//! failing test. What only some servers demand is in [`strict`](super::strict).

use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// Keys that a request may have. Anything else makes some server refuse it.
const REQUEST_KEYS: &[&str] = &[
    "model",
    "messages",
    "stream",
    "stream_options",
    "tools",
    "tool_choice",
    "max_tokens",
    "max_completion_tokens",
    "temperature",
    "reasoning_effort",
    "reasoning_split",
];
const ASSISTANT_KEYS: &[&str] =
    &["role", "content", "tool_calls", "reasoning_content", "reasoning", "reasoning_details"];

/// Returns what is wrong with the body of a chat request; nothing where all is well.
pub fn violations(body: &Value) -> Vec<String> {
    let mut found = Vec::new();
    let Some(request) = body.as_object() else {
        return vec!["the body is no object".to_owned()];
    };
    check_keys(&mut found, "the request", request, REQUEST_KEYS);
    if request.get("model").and_then(Value::as_str).is_none_or(str::is_empty) {
        found.push("`model` is no text, or empty".to_owned());
    }
    if request.get("stream") != Some(&Value::Bool(true)) {
        found.push("`stream` is not true".to_owned());
    }
    if request.contains_key("max_tokens") && request.contains_key("max_completion_tokens") {
        found.push("both `max_tokens` and `max_completion_tokens` are there".to_owned());
    }
    check_tools(&mut found, request);
    if messages(body).is_empty() {
        found.push("`messages` is no list, or empty".to_owned());
    }
    for (index, message) in messages(body).iter().enumerate() {
        let mut problems = Vec::new();
        check_message(&mut problems, index, message);
        found.extend(problems.into_iter().map(|text| format!("messages[{index}]: {text}")));
    }
    check_order(&mut found, messages(body));
    found
}

/// Returns the messages of a request.
pub(super) fn messages(body: &Value) -> &[Value] {
    body["messages"].as_array().map_or(&[], Vec::as_slice)
}

/// Returns the calls of a message.
pub(super) fn calls(message: &Value) -> &[Value] {
    message["tool_calls"].as_array().map_or(&[], Vec::as_slice)
}

fn check_keys(found: &mut Vec<String>, what: &str, object: &Map<String, Value>, known: &[&str]) {
    let unknown = object.keys().filter(|key| !known.contains(&key.as_str()));
    found.extend(unknown.map(|key| format!("{what} has the unknown key `{key}`")));
}

fn check_tools(found: &mut Vec<String>, request: &Map<String, Value>) {
    let Some(tools) = request.get("tools") else {
        if request.contains_key("tool_choice") {
            found.push("`tool_choice` is there without `tools`".to_owned());
        }
        return;
    };
    let tools = tools.as_array().map_or(&[][..], Vec::as_slice);
    if tools.is_empty() {
        found.push("`tools` is no list, or empty".to_owned());
    }
    let mut names = BTreeSet::new();
    for (index, tool) in tools.iter().enumerate() {
        let function = &tool["function"];
        let name = function["name"].as_str().unwrap_or_default();
        if tool["type"] != "function" || !is_tool_name(name) {
            found.push(format!("tools[{index}] is no function with a legal name"));
        }
        if !names.insert(name) {
            found.push(format!("tools[{index}]: the name `{name}` is there twice"));
        }
        if tool.pointer("/function/parameters/type") != Some(&"object".into()) {
            found.push(format!("tools[{index}]: the parameters are no object schema"));
        }
        let known = ["name", "description", "parameters", "strict"];
        if let Some(object) = tool.as_object() {
            check_keys(found, &format!("tools[{index}]"), object, &["type", "function"]);
        }
        if let Some(object) = function.as_object() {
            check_keys(found, &format!("tools[{index}].function"), object, &known);
        }
    }
}

fn check_message(found: &mut Vec<String>, index: usize, message: &Value) {
    let Some(object) = message.as_object() else {
        return found.push("is no object".to_owned());
    };
    let content = object.get("content");
    let text = content.and_then(Value::as_str);
    let has_text = text.is_some_and(|text| !text.is_empty());
    match object.get("role").and_then(Value::as_str).unwrap_or_default() {
        "system" => {
            check_keys(found, "a system message", object, &["role", "content"]);
            if index > 0 {
                found.push("a system message that is not the first one".to_owned());
            }
            if !has_text {
                found.push("a system message without text".to_owned());
            }
        }
        "user" => {
            check_keys(found, "a user message", object, &["role", "content"]);
            if !has_text {
                check_parts(found, content);
            }
        }
        "assistant" => {
            check_keys(found, "an assistant message", object, ASSISTANT_KEYS);
            check_assistant(found, object);
        }
        "tool" => {
            check_keys(found, "a tool message", object, &["role", "content", "tool_call_id"]);
            if !has_text {
                found.push("a tool message whose content is no text, or empty".to_owned());
            }
            if object.get("tool_call_id").and_then(Value::as_str).is_none_or(str::is_empty) {
                found.push("a tool message without `tool_call_id`".to_owned());
            }
        }
        role => found.push(format!("the role `{role}` is unknown")),
    }
}

/// Checks a user's content that is no text: parts with at least one image.
fn check_parts(found: &mut Vec<String>, content: Option<&Value>) {
    let parts = content.and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    if !parts.iter().any(|part| part["type"] == "image_url") {
        found.push("a user's content is neither text nor parts with an image".to_owned());
    }
    for part in parts {
        let good = match part["type"].as_str() {
            Some("text") => part["text"].as_str().is_some_and(|text| !text.is_empty()),
            Some("image_url") => {
                part.pointer("/image_url/url").and_then(Value::as_str).is_some_and(is_image_url)
            }
            _ => false,
        };
        if !good {
            found.push(format!("a part is empty or of an unknown type: {:.80}", part.to_string()));
        }
    }
}

fn check_assistant(found: &mut Vec<String>, message: &Map<String, Value>) {
    let has_calls = match message.get("tool_calls") {
        None => false,
        Some(calls) => {
            let calls = calls.as_array().map_or(&[][..], Vec::as_slice);
            if calls.is_empty() {
                found.push("`tool_calls` is no list, or empty".to_owned());
            }
            calls.iter().for_each(|call| check_call(found, call));
            !calls.is_empty()
        }
    };
    match message.get("content") {
        None => found.push("an assistant message without the key `content`".to_owned()),
        Some(Value::Null) if has_calls => {}
        Some(Value::String(text)) if has_calls || !text.is_empty() => {}
        Some(Value::String(_) | Value::Null) => {
            found.push("an assistant message with neither text nor calls".to_owned());
        }
        Some(_) => found.push("an assistant's content is no text".to_owned()),
    }
}

fn check_call(found: &mut Vec<String>, call: &Value) {
    let id = call["id"].as_str().unwrap_or_default();
    if id.is_empty() {
        found.push("a tool call without an id".to_owned());
    }
    if call["type"] != "function" {
        found.push(format!("the type of the call `{id}` is not `function`"));
    }
    let function = &call["function"];
    if !is_tool_name(function["name"].as_str().unwrap_or_default()) {
        found.push(format!("the call `{id}` has no legal name"));
    }
    let arguments = function["arguments"].as_str().unwrap_or_default();
    if serde_json::from_str::<Map<String, Value>>(arguments).is_err() {
        found.push(format!("the arguments of the call `{id}` are no text of a JSON object"));
    }
    if let Some(object) = call.as_object() {
        check_keys(found, "a call", object, &["id", "type", "function", "extra_content"]);
    }
    if let Some(object) = function.as_object() {
        check_keys(found, "a call's function", object, &["name", "arguments"]);
    }
}

/// Checks that every call is followed directly by its result, and a result by no user.
fn check_order(found: &mut Vec<String>, messages: &[Value]) {
    let mut all_ids = BTreeSet::new();
    let mut open = BTreeSet::new();
    let mut previous = "";
    for (index, message) in messages.iter().enumerate() {
        let role = message["role"].as_str().unwrap_or_default();
        if role == "tool" {
            let id = message["tool_call_id"].as_str().unwrap_or_default();
            if !open.remove(id) {
                found.push(format!("messages[{index}]: a result for `{id}`, which is not open"));
            }
        } else {
            let missing = std::mem::take(&mut open);
            found.extend(missing.iter().map(|id| {
                format!("messages[{index}]: comes before the result of the call `{id}`")
            }));
        }
        if role == "user" && previous == "tool" {
            found.push(format!("messages[{index}]: a user message directly after a tool message"));
        }
        for id in calls(message).iter().filter_map(|call| call["id"].as_str()) {
            if !all_ids.insert(id) {
                found.push(format!("messages[{index}]: the call id `{id}` is there twice"));
            }
            open.insert(id);
        }
        previous = role;
    }
    found.extend(open.iter().map(|id| format!("the call `{id}` has no result")));
}

fn is_tool_name(name: &str) -> bool {
    let legal = |byte: u8| byte.is_ascii_alphanumeric() || b"_.:-".contains(&byte);
    !name.is_empty() && name.bytes().all(legal)
}

fn is_image_url(url: &str) -> bool {
    let data = url.strip_prefix("data:image/").and_then(|rest| rest.split_once(";base64,"));
    data.is_some_and(|(_, data)| !data.is_empty()) || url.starts_with("https://")
}

#[cfg(test)]
mod tests;
