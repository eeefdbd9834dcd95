//! Tool calls that came as plain text.
//!
//! Owns the recognition, for a hint to the user. Must not make a call of it: prose may quote one.

use serde_json::Value;

/// How models open a tool call in their own markup.
const MARKERS: &[&str] = &[
    "<tool_call>",
    "<tool_calls>",
    "<function_call>",
    "<function=",
    "<invoke name=",
    "<|tool_call",
    "<|python_tag|>",
    "[TOOL_CALLS]",
    "<｜tool▁call",
];

/// Returns whether `text` looks like a call of one of the tools.
pub(super) fn looks_like_tool_call(text: &str, tool_names: &[String]) -> bool {
    let markup = MARKERS.iter().filter_map(|marker| text.find(marker)).min();
    let call = markup.and_then(|start| text.get(start..));
    let names_tool = |call: &str| tool_names.iter().any(|name| call.contains(name.as_str()));
    call.is_some_and(names_tool) || is_call_object(text, tool_names)
}

/// Returns whether the whole text, a code fence aside, is `{"name": TOOL, "arguments": …}`.
fn is_call_object(text: &str, tool_names: &[String]) -> bool {
    let text = text.trim();
    let text = text.strip_prefix("```json").or_else(|| text.strip_prefix("```")).unwrap_or(text);
    let text = text.strip_suffix("```").unwrap_or(text).trim();
    if !text.starts_with('{') {
        return false;
    }
    let Ok(Value::Object(call)) = serde_json::from_str(text) else { return false };
    let names_tool = call
        .get("name")
        .and_then(Value::as_str)
        .is_some_and(|name| tool_names.iter().any(|tool| tool == name));
    names_tool && (call.contains_key("arguments") || call.contains_key("parameters"))
}
