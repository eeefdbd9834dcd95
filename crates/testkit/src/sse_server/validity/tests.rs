//! Each rule, broken once.

use super::*;
use serde_json::json;

fn valid() -> Value {
    json!({
        "model": "m",
        "stream": true,
        "stream_options": {"include_usage": true},
        "messages": [
            {"role": "system", "content": "s"},
            {"role": "user", "content": [
                {"type": "text", "text": "see"},
                {"type": "image_url", "image_url": {"url": "data:image/png;base64,QQ=="}},
            ]},
            {"role": "assistant", "content": null, "reasoning_content": "r", "tool_calls": [
                {"id": "a", "type": "function", "function": {"name": "ls", "arguments": "{}"},
                 "extra_content": {"google": {"thought_signature": "S"}}},
                {"id": "b", "type": "function",
                 "function": {"name": "read", "arguments": "{\"path\":\"x\"}"}},
            ]},
            {"role": "tool", "tool_call_id": "b", "content": "B"},
            {"role": "tool", "tool_call_id": "a", "content": "A"},
            {"role": "assistant", "content": "done"},
            {"role": "user", "content": "more"},
        ],
        "tools": [
            {"type": "function", "function": {"name": "ls", "description": "d",
                "parameters": {"type": "object", "properties": {}}}},
            {"type": "function", "function": {"name": "read", "description": "d",
                "parameters": {"type": "object", "properties": {}}}},
        ],
    })
}

/// Sets what is at `pointer` and checks the one violation that this makes.
#[track_caller]
fn check(pointer: &str, value: Value, expected: &str) {
    let mut body = valid();
    let (parent, key) = pointer.rsplit_once('/').unwrap();
    match body.pointer_mut(parent).unwrap() {
        Value::Object(object) => drop(object.insert(key.to_owned(), value)),
        Value::Array(items) => items.insert(key.parse().unwrap(), value),
        other => panic!("{other} has no places"),
    }
    assert_eq!(violations(&body), [expected]);
}

#[track_caller]
fn check_without(pointer: &str, expected: &[&str]) {
    let mut body = valid();
    let (parent, key) = pointer.rsplit_once('/').unwrap();
    match body.pointer_mut(parent).unwrap() {
        Value::Object(object) => drop(object.remove(key).unwrap()),
        Value::Array(items) => drop(items.remove(key.parse().unwrap())),
        other => panic!("{other} has no places"),
    }
    assert_eq!(violations(&body), expected);
}

#[test]
fn a_full_request_is_valid() {
    assert_eq!(violations(&valid()), [""; 0]);
}

#[test]
fn the_request_itself() {
    assert_eq!(violations(&json!([])), ["the body is no object"]);
    check("/model", json!(""), "`model` is no text, or empty");
    check("/stream", json!(false), "`stream` is not true");
    check("/store", json!(true), "the request has the unknown key `store`");
    check_without("/messages", &["`messages` is no list, or empty"]);
    let mut body = valid();
    body["max_tokens"] = json!(1);
    assert_eq!(violations(&body), [""; 0]);
    body["max_completion_tokens"] = json!(1);
    assert_eq!(violations(&body), ["both `max_tokens` and `max_completion_tokens` are there"]);
}

#[test]
fn w54_tools_empty() {
    check("/tools", json!([]), "`tools` is no list, or empty");
    check_without("/tools", &[]);
    let mut body = valid();
    body["tool_choice"] = json!("auto");
    assert_eq!(violations(&body), [""; 0]);
    body.as_object_mut().unwrap().remove("tools");
    assert_eq!(violations(&body), ["`tool_choice` is there without `tools`"]);
}

#[test]
fn tools_are_functions_with_object_schemas() {
    let function = |name: &str, parameters: Value| json!({"type": "function", "function": {"name": name, "parameters": parameters}});
    let object = json!({"type": "object"});
    check("/tools/0", function("x", json!({})), "tools[0]: the parameters are no object schema");
    check("/tools/2", function("ls", object.clone()), "tools[2]: the name `ls` is there twice");
    check("/tools/0", function("a b", object), "tools[0] is no function with a legal name");
}

#[test]
fn w52_developer_role() {
    let message = json!({"role": "developer", "content": "x"});
    check("/messages/1", message, "messages[1]: the role `developer` is unknown");
}

#[test]
fn the_system_message_comes_first_and_has_text() {
    let message = json!({"role": "system", "content": "x"});
    check("/messages/1", message, "messages[1]: a system message that is not the first one");
    check("/messages/0/content", json!(""), "messages[0]: a system message without text");
}

#[test]
fn w55_orphan_tool_call() {
    check_without("/messages/3", &["messages[4]: comes before the result of the call `b`"]);
    check(
        "/messages/4",
        json!({"role": "tool", "tool_call_id": "zz", "content": "Z"}),
        "messages[4]: a result for `zz`, which is not open",
    );
    check(
        "/messages/4",
        json!({"role": "tool", "tool_call_id": "b", "content": "again"}),
        "messages[4]: a result for `b`, which is not open",
    );
    let mut body = valid();
    body["messages"].as_array_mut().unwrap().truncate(3);
    assert_eq!(violations(&body), ["the call `a` has no result", "the call `b` has no result"]);
}

#[test]
fn w57_user_directly_after_tool() {
    check_without("/messages/5", &["messages[5]: a user message directly after a tool message"]);
}

#[test]
fn w63_image_message_between_tool_messages() {
    let mut body = valid();
    let message = json!({"role": "user", "content": "image"});
    body["messages"].as_array_mut().unwrap().insert(4, message);
    assert_eq!(
        violations(&body),
        [
            "messages[4]: comes before the result of the call `a`",
            "messages[4]: a user message directly after a tool message",
            "messages[5]: a result for `a`, which is not open",
        ]
    );
}

#[test]
fn w11_call_ids_are_unique_and_not_empty() {
    let call = |id: &str| json!({"id": id, "type": "function", "function": {"name": "ls", "arguments": "{}"}});
    check("/messages/2/tool_calls/2", call("a"), "messages[2]: the call id `a` is there twice");
    let mut body = valid();
    body["messages"][2]["tool_calls"][0]["id"] = json!("");
    body["messages"][4]["tool_call_id"] = json!("");
    assert_eq!(
        violations(&body),
        [
            "messages[2]: a tool call without an id",
            "messages[4]: a tool message without `tool_call_id`",
        ]
    );
}

#[test]
fn w06_arguments_are_json_objects() {
    for arguments in [json!("{\"path\": "), json!("[1]"), json!(""), json!({"path": "x"})] {
        check(
            "/messages/2/tool_calls/1/function/arguments",
            arguments,
            "messages[2]: the arguments of the call `b` are no text of a JSON object",
        );
    }
}

#[test]
fn w62_content_absent_or_empty() {
    check_without(
        "/messages/2/content",
        &["messages[2]: an assistant message without the key `content`"],
    );
    for content in [json!(""), json!(null)] {
        check(
            "/messages/5/content",
            content,
            "messages[5]: an assistant message with neither text nor calls",
        );
    }
    check(
        "/messages/3/content",
        json!(""),
        "messages[3]: a tool message whose content is no text, or empty",
    );
    check("/messages/5/tool_calls", json!([]), "messages[5]: `tool_calls` is no list, or empty");
}

#[test]
fn w64_message_content_shape() {
    let parts = json!([{"type": "text", "text": "x"}]);
    check("/messages/0/content", parts.clone(), "messages[0]: a system message without text");
    check("/messages/5/content", parts.clone(), "messages[5]: an assistant's content is no text");
    check(
        "/messages/3/content",
        parts.clone(),
        "messages[3]: a tool message whose content is no text, or empty",
    );
    check(
        "/messages/6/content",
        parts,
        "messages[6]: a user's content is neither text nor parts with an image",
    );
    check(
        "/messages/1/content/0/text",
        json!(""),
        r#"messages[1]: a part is empty or of an unknown type: {"type":"text","text":""}"#,
    );
    check(
        "/messages/1/content/1/image_url/url",
        json!("data:image/png;base64,"),
        "messages[1]: a part is empty or of an unknown type: {\"type\":\"image_url\",\"image_url\":{\"url\":\"data:image/png;base64,\"}}",
    );
}

#[test]
fn unknown_keys_are_found_at_every_level() {
    for (pointer, what) in [
        ("/messages/0/id", "messages[0]: a system message has the unknown key `id`"),
        ("/messages/1/id", "messages[1]: a user message has the unknown key `id`"),
        ("/messages/2/id", "messages[2]: an assistant message has the unknown key `id`"),
        ("/messages/3/id", "messages[3]: a tool message has the unknown key `id`"),
        ("/messages/2/tool_calls/0/index", "messages[2]: a call has the unknown key `index`"),
        (
            "/messages/2/tool_calls/0/function/raw",
            "messages[2]: a call's function has the unknown key `raw`",
        ),
        ("/tools/0/id", "tools[0] has the unknown key `id`"),
        ("/tools/0/function/id", "tools[0].function has the unknown key `id`"),
    ] {
        check(pointer, json!("x"), what);
    }
}
