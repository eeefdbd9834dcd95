//! The newest part of a conversation as a text for the evaluator.
//!
//! Owns what is left out: whatever the messages hold, the text has a bound. Must not judge.

use letscode_plugin::{Message, ToolCall, text_of};
use serde_json::Value;
use std::sync::Arc;

/// How many messages are shown: what was done before them shows in what they say.
pub(crate) const MESSAGES: usize = 12;

/// How many characters of a message are shown, and of one argument of a tool call.
const MOST_OF_MESSAGE: usize = 3_000;
const MOST_OF_ARGUMENT: usize = 200;

/// Returns the newest of these messages in words, oldest first.
pub(crate) fn excerpt(messages: &[Arc<Message>]) -> String {
    let first = messages.len().saturating_sub(MESSAGES);
    let newest = messages.iter().skip(first).filter_map(|message| in_words(message));
    newest.collect::<Vec<String>>().join("\n\n")
}

fn in_words(message: &Message) -> Option<String> {
    let (who, text) = match message {
        Message::User(user) => ("User", text_of(&user.content)),
        Message::Assistant(answer) => {
            let text = text_of(&answer.content);
            let calls = answer.tool_calls.iter().map(call);
            ("Agent", std::iter::once(text).chain(calls).collect::<Vec<String>>().join("\n"))
        }
        Message::Tool(result) if result.is_error => ("Failed tool call", text_of(&result.content)),
        Message::Tool(result) => ("Result of a tool call", text_of(&result.content)),
        Message::Custom(_) => return None,
    };
    Some(format!("{who}:\n{}", shortened(text.trim(), MOST_OF_MESSAGE)))
}

fn call(call: &ToolCall) -> String {
    let arguments = call.arguments.iter().map(|(name, value)| {
        let value = match value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        format!("{name}: {}", shortened(&value, MOST_OF_ARGUMENT))
    });
    format!("[calls {} with {}]", call.name, arguments.collect::<Vec<String>>().join(", "))
}

/// Returns the text, or its beginning and its end, where outputs say how they went.
fn shortened(text: &str, most: usize) -> String {
    let length = text.chars().count();
    if length <= most {
        return text.to_owned();
    }
    let half = most / 2;
    let beginning: String = text.chars().take(half).collect();
    let end: String = text.chars().skip(length - half).collect();
    format!("{beginning}\n[{} characters left out]\n{end}", length - 2 * half)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn messages(json: Value) -> Vec<Arc<Message>> {
        serde_json::from_value(json).unwrap()
    }

    #[test]
    fn messages_are_told_in_words() {
        let told = excerpt(&messages(json!([
            {"role": "user", "id": "1", "content": [{"type": "text", "text": "fix it"}]},
            {"role": "assistant", "id": "2", "content": [{"type": "text", "text": "I look."}],
             "tool_calls": [{"id": "c", "name": "bash", "arguments": {"command": "make", "timeout": 5}}]},
            {"role": "custom", "id": "3", "kind": "memory"},
            {"role": "tool", "id": "4", "tool_call_id": "c", "is_error": true,
             "content": [{"type": "text", "text": "no such target\n"}]},
            {"role": "tool", "id": "5", "tool_call_id": "d", "content": []},
        ])));
        let expected = "User:\nfix it\n\nAgent:\nI look.\n[calls bash with command: make, timeout: 5]\n\n\
                        Failed tool call:\nno such target\n\nResult of a tool call:\n";
        assert_eq!(told, expected);
        assert_eq!(excerpt(&[]), "");
    }

    #[test]
    fn whatever_messages_hold_the_text_has_a_bound() {
        let long = "äöü€".repeat(10_000);
        let calls: Vec<Value> = (0..500)
            .map(|id| json!({"id": id.to_string(), "name": "write", "arguments": {"a": long[..900], "b": [long[..900]]}}))
            .collect();
        let message = json!({"role": "assistant", "id": "1", "tool_calls": calls,
                             "content": [{"type": "text", "text": long}]});
        let told = excerpt(&messages(json!(vec![message; 30])));
        assert!(told.chars().count() < 40_000, "{}", told.chars().count());
        assert_eq!(told.matches("Agent:").count(), 12);
    }

    #[test]
    fn of_a_long_text_the_beginning_and_the_end_stay() {
        for (text, most, expected) in [
            ("abcdef", 6, "abcdef"),
            ("abcdefg", 6, "abc\n[1 characters left out]\nefg"),
            ("äbcdéf", 4, "äb\n[2 characters left out]\néf"),
        ] {
            assert_eq!(shortened(text, most), expected);
        }
    }
}
