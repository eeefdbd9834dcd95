//! Tool calls and their results in a request.

use super::*;

const INTERRUPTED: &str = "no result: the call was interrupted before it finished";

fn result(id: &str, content: &str) -> Value {
    json!({"role": "tool", "tool_call_id": id, "content": content})
}

/// Returns what stands between a result and a user.
fn bridge() -> Value {
    json!({"role": "assistant", "content": "(continuing)"})
}

fn caller(ids: &[&str]) -> Value {
    let calls: Vec<Value> = ids.iter().map(|id| sent_call(id, "read", "{}")).collect();
    json!({"role": "assistant", "content": null, "tool_calls": calls})
}

fn calls(ids: &[&str]) -> Message {
    let calls: Vec<_> = ids.iter().map(|id| (*id, "read", json!({}))).collect();
    assistant("", &calls)
}

#[test]
fn one_tool_call_and_its_result() {
    let history = vec![
        user("read it"),
        assistant("Reading", &[("c1", "read", json!({"path": "a\"b", "n": 1}))]),
        tool("c1", "text"),
    ];
    let call = sent_call("c1", "read", r#"{"path":"a\"b","n":1}"#);
    assert_eq!(
        sent_messages(history, &plain()),
        json!([
            {"role": "user", "content": "read it"},
            {"role": "assistant", "content": "Reading", "tool_calls": [call]},
            result("c1", "text"),
        ])
    );
}

#[test]
fn w55_a23_calls_without_result_are_answered_anywhere_in_the_history() {
    let history = vec![
        user("1"),
        calls(&["a", "b"]),
        tool("b", "B"),
        user("2"),
        calls(&["c"]),
        user("3"),
        assistant("done", &[]),
        calls(&["d"]),
    ];
    assert_eq!(
        sent_messages(history, &plain()),
        json!([
            {"role": "user", "content": "1"},
            caller(&["a", "b"]),
            result("a", INTERRUPTED),
            result("b", "B"),
            bridge(),
            {"role": "user", "content": "2"},
            caller(&["c"]),
            result("c", INTERRUPTED),
            bridge(),
            {"role": "user", "content": "3"},
            {"role": "assistant", "content": "done"},
            caller(&["d"]),
            result("d", INTERRUPTED),
        ])
    );
}

#[test]
fn w55_results_move_behind_their_calls_in_call_order() {
    let history = vec![calls(&["a", "b"]), user("steer"), tool("b", "B"), custom(), tool("a", "A")];
    assert_eq!(
        sent_messages(history, &plain()),
        json!([
            caller(&["a", "b"]),
            result("a", "A"),
            result("b", "B"),
            bridge(),
            {"role": "user", "content": "steer"},
        ])
    );
}

#[test]
fn w55_results_that_no_call_asked_for_are_dropped() {
    let history = vec![
        tool("z", "before any call"),
        user("1"),
        calls(&["a"]),
        tool("a", "A"),
        tool("a", "A again"),
        tool("b", "nobody asked"),
        user("2"),
    ];
    assert_eq!(
        sent_messages(history, &plain()),
        json!([
            {"role": "user", "content": "1"},
            caller(&["a"]),
            result("a", "A"),
            bridge(),
            {"role": "user", "content": "2"},
        ])
    );
}

#[test]
fn w11_ids_that_come_again_are_renamed_with_their_results() {
    let history = vec![
        calls(&["list:0"]),
        tool("list:0", "first"),
        calls(&["list:0"]),
        tool("list:0", "second"),
        calls(&["list:0"]),
    ];
    assert_eq!(
        sent_messages(history, &plain()),
        json!([
            caller(&["list:0"]),
            result("list:0", "first"),
            caller(&["list:0_2"]),
            result("list:0_2", "second"),
            caller(&["list:0_3"]),
            result("list:0_3", INTERRUPTED),
        ])
    );
}

#[test]
fn w11_the_same_id_twice_in_one_message() {
    let history = vec![calls(&["x", "x"]), tool("x", "first"), tool("x", "second")];
    assert_eq!(
        sent_messages(history, &plain()),
        json!([caller(&["x", "x_2"]), result("x", "first"), result("x_2", "second")])
    );
}

#[test]
fn w09_empty_and_illegal_ids_get_one() {
    for id in ["", "with space", "tab\t", "ümlaut", &"x".repeat(65)] {
        let sent = sent_messages(vec![calls(&[id]), tool(id, "R")], &plain());
        let new = sent[0]["tool_calls"][0]["id"].as_str().unwrap();
        assert!(new.starts_with("call_") && new.len() == 16, "{new}");
        assert_eq!(sent[1], result(new, "R"));
    }
}

#[test]
fn w56_mistral_gets_nine_letters_and_digits() {
    let profile = lookup("api.mistral.ai", "m");
    let history = || {
        vec![calls(&["call_1", "aB3dE6gH9", "call_1"]), tool("call_1", "1"), tool("aB3dE6gH9", "2")]
    };
    let sent = sent_messages(history(), &profile);
    let ids: Vec<&str> =
        (0..3).map(|it| sent[0]["tool_calls"][it]["id"].as_str().unwrap()).collect();
    assert_eq!(ids[1], "aB3dE6gH9");
    for (index, id) in ids.iter().enumerate() {
        assert!(id.len() == 9 && id.bytes().all(|it| it.is_ascii_alphanumeric()), "{id}");
        assert_eq!(sent[index + 1]["tool_call_id"], *id);
    }
    assert_ne!(ids[0], ids[2]);
    assert_eq!(sent_messages(history(), &profile), sent, "the same every time");
}

#[test]
fn w56_openai_takes_forty_bytes_and_others_keep_their_ids() {
    let long = "fc_".to_owned() + &"0".repeat(50);
    let history = || vec![calls(&[&long]), tool(&long, "R")];
    assert_eq!(sent_messages(history(), &plain())[0]["tool_calls"][0]["id"], long.as_str());
    let sent = sent_messages(history(), &lookup("api.openai.com", "m"));
    assert!(sent[1]["tool_call_id"].as_str().unwrap().len() <= 40);
}

#[test]
fn w57_mistral_never_sees_a_user_behind_a_tool_nor_two_users() {
    let history = vec![
        user("1"),
        user("2"),
        calls(&["abcdefghi"]),
        tool("abcdefghi", "R"),
        assistant("", &[]),
        user("3"),
        user("4"),
        assistant("half", &[]),
        assistant("whole", &[]),
    ];
    assert_eq!(
        sent_messages(history, &lookup("127.0.0.1", "mistral-small")),
        json!([
            {"role": "user", "content": "1\n\n2"},
            caller(&["abcdefghi"]),
            result("abcdefghi", "R"),
            bridge(),
            {"role": "user", "content": "3\n\n4"},
            {"role": "assistant", "content": "half\n\nwhole"},
        ])
    );
}

#[test]
fn w57_others_get_neighbouring_users_as_they_are() {
    assert_eq!(
        sent_messages(vec![user("1"), user("2")], &plain()),
        json!([{"role": "user", "content": "1"}, {"role": "user", "content": "2"}])
    );
}

#[test]
fn w06_arguments_that_were_no_object_go_back_as_an_empty_one() {
    let meta = json!({"invalid_arguments": {"w": "{\"path\":\"a\",\"content\":\"hel"}});
    let sent = sent_messages(
        vec![assistant_with("", &[("w", "write", json!({}))], &meta), tool("w", "cut off")],
        &plain(),
    );
    assert_eq!(
        sent[0],
        json!({
            "role": "assistant", "content": null, "tool_calls": [sent_call("w", "write", "{}")],
        })
    );
}

#[test]
fn a_call_of_any_name_is_sent_under_a_legal_one() {
    let names = ["", "re ad", "read\n", "é", "mcp:server.tool-1"];
    let calls: Vec<_> = names.iter().map(|name| ("a", *name, json!({}))).collect();
    let (body, _) = body(vec![assistant("", &calls)], Vec::new(), &plain(), |_| {});
    assert_eq!(letscode_testkit::sse_server::violations(&body), [""; 0]);
    let sent = body["messages"][1]["tool_calls"].as_array().unwrap();
    let sent: Vec<&Value> = sent.iter().map(|call| &call["function"]["name"]).collect();
    assert_eq!(sent, ["unnamed", "re_ad", "read_", "_", "mcp:server.tool-1"]);
}
