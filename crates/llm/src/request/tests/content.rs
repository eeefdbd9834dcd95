//! Text, images and options in a request.

use super::*;

#[test]
fn a_minimal_request_for_an_unknown_host() {
    let (body, sent) = body(vec![user("hi")], Vec::new(), &plain(), |_| {});
    assert_eq!(
        body,
        json!({
            "model": "m",
            "stream": true,
            "stream_options": {"include_usage": true},
            "messages": [{"role": "system", "content": "sys"}, {"role": "user", "content": "hi"}],
        })
    );
    assert_eq!(sent, Sent { stream_options: true, ..Sent::default() });
}

#[test]
fn w61_w60_only_the_plainest_members_are_sent() {
    let tools = vec![spec("read", json!({"type": "object", "properties": {"a": {}}}))];
    let (body, _) = body(vec![user("hi")], tools, &plain(), |it| it.thinking = Some("high"));
    let names: Vec<&String> = body.as_object().unwrap().keys().collect();
    assert_eq!(
        names,
        ["model", "stream", "stream_options", "reasoning_effort", "tools", "messages"]
    );
    assert_eq!(body["reasoning_effort"], "high");
}

#[test]
fn w61_what_was_refused_is_left_out() {
    let profile = Profile { stream_options: false, reasoning_effort: false, ..plain() };
    let (body, sent) = body(vec![user("hi")], Vec::new(), &profile, |it| it.thinking = Some("low"));
    let names: Vec<&String> = body.as_object().unwrap().keys().collect();
    assert_eq!(names, ["model", "stream", "messages"]);
    assert_eq!(sent, Sent::default());
}

#[test]
fn w52_the_system_prompt_has_the_system_role_everywhere() {
    for host in ["api.openai.com", "api.deepseek.com", "openrouter.ai", "x"] {
        let (body, _) = body(vec![user("hi")], Vec::new(), &lookup(host, "o3"), |_| {});
        assert_eq!(body["messages"][0], json!({"role": "system", "content": "sys"}), "{host}");
    }
}

#[test]
fn w54_no_tools_no_keys() {
    let (body, sent) = body(vec![user("hi")], Vec::new(), &plain(), |_| {});
    assert!(body.get("tools").is_none() && body.get("tool_choice").is_none());
    assert!(!sent.tools);
}

#[test]
fn an_empty_request_is_still_json() {
    let request =
        ModelRequest { system: "".into(), messages: Vec::new(), tools: Vec::new().into() };
    let profile = plain();
    let context =
        BodyContext { model: "m", host: HOST, thinking: None, vision: false, profile: &profile };
    let body: Value = serde_json::from_slice(&build(&request, context).json).unwrap();
    assert_eq!(body["messages"], json!([]));
}

#[test]
fn w62_empty_messages_are_dropped_and_empty_results_filled() {
    let history = vec![
        user(""),
        user(" \n"),
        assistant("", &[]),
        assistant("\n", &[]),
        assistant("", &[("c", "ls", json!({}))]),
        tool("c", ""),
        assistant("", &[("d", "ls", json!({}))]),
        tool("d", " \n"),
    ];
    let call = |id| {
        json!({
            "role": "assistant", "content": null, "tool_calls": [sent_call(id, "ls", "{}")],
        })
    };
    assert_eq!(
        sent_messages(history, &plain()),
        json!([
            call("c"),
            {"role": "tool", "tool_call_id": "c", "content": "(no output)"},
            call("d"),
            {"role": "tool", "tool_call_id": "d", "content": "(no output)"},
        ])
    );
}

#[test]
fn w62_content_beside_calls_may_be_an_empty_text_instead_of_null() {
    let history = || vec![assistant("", &[("c", "ls", json!({}))])];
    let profile = Profile { null_content: false, ..plain() };
    let (with_null, sent) = body(history(), Vec::new(), &plain(), |_| {});
    assert!(with_null["messages"][1]["content"].is_null() && sent.null_content);
    let (with_text, sent) = body(history(), Vec::new(), &profile, |_| {});
    assert!(with_text["messages"][1]["content"] == "" && !sent.null_content);
}

#[test]
fn w64_text_is_a_plain_string_for_every_role() {
    let parts = || vec![ContentPart::text("a"), ContentPart::text(""), ContentPart::text("b\n\"c")];
    let Message::Assistant(mut answer) = assistant("", &[("c", "ls", json!({}))]) else { panic!() };
    answer.content = parts();
    let sent = sent_messages(
        vec![user_parts(parts()), Message::Assistant(answer), tool_parts("c", parts())],
        &plain(),
    );
    for message in sent.as_array().unwrap() {
        assert_eq!(message["content"], "ab\n\"c");
    }
    assert_eq!(sent[0].as_object().unwrap().len(), 2);
}

#[test]
fn w64_a_user_with_an_image_is_a_list() {
    let history = vec![user_parts(vec![ContentPart::text("look"), image("iVBORw0KGgo=")])];
    let (body, sent) = body(history, Vec::new(), &plain(), |_| {});
    assert_eq!(
        body["messages"][1]["content"],
        json!([
            {"type": "text", "text": "look"},
            {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}},
        ])
    );
    assert!(sent.images);
}

#[test]
fn w63_images_of_results_follow_in_one_user_message() {
    let history = || {
        vec![
            assistant("", &[("a", "read", json!({})), ("b", "read", json!({}))]),
            tool_parts("a", vec![image("QQ=="), ContentPart::text("a.png")]),
            tool_parts("b", vec![image("Qg==")]),
        ]
    };
    let sent = sent_messages(history(), &plain());
    let roles: Vec<&Value> = sent.as_array().unwrap().iter().map(|it| &it["role"]).collect();
    assert_eq!(roles, ["assistant", "tool", "tool", "assistant", "user"]);
    assert_eq!(sent[1]["content"], "a.png");
    assert_eq!(sent[2]["content"], "(the image follows below)");
    assert_eq!(sent[3]["content"], "(continuing)");
    let urls: Vec<&Value> = sent[4]["content"].as_array().unwrap()[1..]
        .iter()
        .map(|part| &part["image_url"]["url"])
        .collect();
    assert_eq!(urls, ["data:image/png;base64,QQ==", "data:image/png;base64,Qg=="]);
}

#[test]
fn w63_models_without_eyes_get_a_note() {
    let history = vec![
        user_parts(vec![ContentPart::text("look"), image("QQ==")]),
        assistant("", &[("a", "read", json!({})), ("b", "read", json!({}))]),
        tool_parts("a", vec![image("QQ==")]),
        tool_parts("b", vec![ContentPart::text("b.png"), image("QQ==")]),
    ];
    let (body, sent) = body(history, Vec::new(), &plain(), |it| it.vision = false);
    let note = "[an image was left out: this model takes no images]";
    let messages = &body["messages"];
    assert_eq!(messages[1]["content"], format!("look\n{note}"));
    assert_eq!(messages[3]["content"], note);
    assert_eq!(messages[4]["content"], format!("b.png\n{note}"));
    assert_eq!(messages.as_array().unwrap().len(), 5);
    assert!(!sent.images);
}

#[test]
fn an_image_that_a_server_would_refuse_is_left_out() {
    let note = "[an image was left out: its data is damaged]";
    let good = "iVBORw0KGgo=";
    let cases = [
        (good, "imageap/png"),
        (good, "image/"),
        (good, "image/png;x"),
        (good, ""),
        ("", "image/png"),
        ("====", "image/png"),
        ("QQ", "image/png"),
        ("QUI===", "image/png"),
        ("QU\nI", "image/png"),
        ("QQ=A", "image/png"),
    ];
    for (data, mime_type) in cases {
        let bad = || {
            let (data, mime_type) = (data.to_owned(), mime_type.to_owned());
            ContentPart::Image { data, mime_type }
        };
        let history = vec![
            user_parts(vec![ContentPart::text("look"), bad(), image(good)]),
            assistant("", &[("a", "read", json!({})), ("b", "read", json!({}))]),
            tool_parts("a", vec![bad()]),
            tool_parts("b", vec![bad(), image(good)]),
        ];
        let (body, _) = body(history, Vec::new(), &plain(), |_| {});
        assert_eq!(letscode_testkit::sse_server::violations(&body), [""; 0]);
        let messages = &body["messages"];
        assert_eq!(messages[1]["content"].as_array().unwrap().len(), 4, "{data:?} {mime_type:?}");
        assert_eq!(messages[1]["content"][2]["text"], note);
        assert_eq!(messages[3]["content"], note);
        assert_eq!(messages[4]["content"], note);
        assert_eq!(messages[6]["content"].as_array().unwrap().len(), 2);
    }
}

#[test]
fn custom_messages_are_left_out() {
    assert_eq!(
        sent_messages(vec![custom(), user("hi"), custom()], &plain()),
        json!([{"role": "user", "content": "hi"}])
    );
}

#[test]
fn a_long_history_is_written_without_growing_the_buffer() {
    let line = "fn main() { println!(\"hello\"); }\n".repeat(60);
    let history: Vec<Message> = (0..600)
        .flat_map(|index| {
            let id = format!("call_{index}");
            [
                user("go on"),
                assistant("", &[(&id, "write", json!({"path": "a.rs", "content": line}))]),
                tool(&id, &line),
            ]
        })
        .collect();
    let request = ModelRequest {
        system: "sys".into(),
        messages: history.into_iter().map(Arc::new).collect(),
        tools: Vec::new().into(),
    };
    let profile = plain();
    let context =
        BodyContext { model: "m", host: HOST, thinking: None, vision: true, profile: &profile };
    let json = build(&request, context).json;
    assert!(json.len() > 2_000_000);
    // A buffer that had to grow has doubled.
    assert!(json.capacity() < json.len() * 3 / 2, "{} {}", json.capacity(), json.len());
}
