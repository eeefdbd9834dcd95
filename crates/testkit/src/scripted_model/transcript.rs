//! What must hold for every transcript that a model is given.
//!
//! Owns the rules on messages and their order, free of any wire format. The byte-level server has
//! its own, on the JSON of a request.

use letscode_wire::{Message, ToolCallId, Transcript};
use std::collections::{BTreeSet, VecDeque};

/// Returns what is wrong with the messages of a request; nothing where all is well.
///
/// Each assistant's calls are followed directly by exactly their results, in source order; call
/// ids are unique and not empty; a user message never follows a result directly; nothing is empty
/// and no custom message is there.
pub fn violations(messages: &Transcript) -> Vec<String> {
    let mut found = Vec::new();
    let mut ids = BTreeSet::new();
    let mut open: VecDeque<&ToolCallId> = VecDeque::new();
    let mut after_tool = false;
    if messages.is_empty() {
        found.push("there are no messages".to_owned());
    }
    for (index, message) in messages.iter().enumerate() {
        let mut problem = |text: String| found.push(format!("messages[{index}]: {text}"));
        if let Message::Tool(result) = message.as_ref() {
            match open.iter().position(|id| **id == result.tool_call_id) {
                Some(0) => drop(open.pop_front()),
                Some(place) => {
                    open.remove(place);
                    problem(format!("the result of `{}` is out of order", result.tool_call_id));
                }
                None => problem(format!("a result for `{}`, not open", result.tool_call_id)),
            }
        } else {
            for id in open.drain(..) {
                problem(format!("comes before the result of the call `{id}`"));
            }
        }
        match message.as_ref() {
            Message::User(user) => {
                if user.content.is_empty() {
                    problem("a user message without content".to_owned());
                }
                if after_tool {
                    problem("a user message directly after a tool message".to_owned());
                }
            }
            Message::Assistant(assistant) => {
                if assistant.content.is_empty() && assistant.tool_calls.is_empty() {
                    problem("an assistant message with neither content nor calls".to_owned());
                }
                for call in &assistant.tool_calls {
                    if call.id.as_str().is_empty() || !ids.insert(&call.id) {
                        problem(format!("the call id `{}` is empty or there twice", call.id));
                    }
                    open.push_back(&call.id);
                }
            }
            Message::Tool(_) => {}
            Message::Custom(custom) => problem(format!("a custom message: {}", custom.kind)),
        }
        after_tool = matches!(message.as_ref(), Message::Tool(_));
    }
    found.extend(open.iter().map(|id| format!("the call `{id}` has no result")));
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};
    use std::sync::Arc;

    fn transcript(messages: &[Value]) -> Transcript {
        let read = |(index, message): (usize, &Value)| {
            let mut message = message.clone();
            message["id"] = json!(index.to_string());
            Arc::new(serde_json::from_value(message).unwrap())
        };
        messages.iter().enumerate().map(read).collect()
    }

    fn user(text: &str) -> Value {
        json!({"role": "user", "content": [{"type": "text", "text": text}]})
    }

    fn calls(ids: &[&str]) -> Value {
        let call = |id: &&str| json!({"id": id, "name": "ls"});
        json!({"role": "assistant", "tool_calls": ids.iter().map(call).collect::<Vec<_>>()})
    }

    fn answer() -> Value {
        json!({"role": "assistant", "content": [{"type": "text", "text": "a"}]})
    }

    fn result(id: &str) -> Value {
        json!({"role": "tool", "tool_call_id": id})
    }

    #[track_caller]
    fn check(messages: &[Value], expected: &[&str]) {
        assert_eq!(violations(&transcript(messages)), expected);
    }

    #[test]
    fn good_transcripts() {
        check(&[user("x")], &[]);
        check(&[user("x"), user("y"), answer(), user("z")], &[]);
        check(&[user("x"), calls(&["a", "b"]), result("a"), result("b")], &[]);
        let twice = [user("x"), calls(&["a"]), result("a"), calls(&["b"]), result("b"), answer()];
        check(&twice, &[]);
    }

    #[test]
    fn w55_orphan_tool_call() {
        check(&[user("x"), calls(&["a"])], &["the call `a` has no result"]);
        check(
            &[user("x"), calls(&["a", "b"]), result("b"), answer()],
            &[
                "messages[2]: the result of `b` is out of order",
                "messages[3]: comes before the result of the call `a`",
            ],
        );
        check(&[user("x"), result("a")], &["messages[1]: a result for `a`, not open"]);
        check(
            &[user("x"), calls(&["a"]), result("a"), result("a")],
            &["messages[3]: a result for `a`, not open"],
        );
    }

    #[test]
    fn w57_user_directly_after_tool() {
        check(
            &[user("x"), calls(&["a"]), result("a"), user("y")],
            &["messages[3]: a user message directly after a tool message"],
        );
    }

    #[test]
    fn w11_call_ids_are_unique_and_not_empty() {
        check(
            &[user("x"), calls(&["a"]), result("a"), calls(&["a", ""]), result("a"), result("")],
            &[
                "messages[3]: the call id `a` is empty or there twice",
                "messages[3]: the call id `` is empty or there twice",
            ],
        );
    }

    #[test]
    fn nothing_is_empty_or_custom() {
        check(&[], &["there are no messages"]);
        check(
            &[json!({"role": "user"}), json!({"role": "assistant"})],
            &[
                "messages[0]: a user message without content",
                "messages[1]: an assistant message with neither content nor calls",
            ],
        );
        check(
            &[user("x"), json!({"role": "custom", "kind": "reset"})],
            &["messages[1]: a custom message: reset"],
        );
    }
}
