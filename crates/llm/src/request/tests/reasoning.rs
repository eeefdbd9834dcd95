//! Reasoning sent back in a request.

use super::*;

fn thought(provider: &str, model: &str) -> Value {
    json!({
        "provider": provider,
        "model": model,
        "reasoning": {
            "field": "reasoning_content",
            "text": "plan",
            "details": [{"type": "reasoning.text", "text": "plan"}, {"data": "QQ=="}],
        },
        "call_extras": {"c": {
            "extra_content": {"google": {"thought_signature": "SIG="}}, "index": 3, "id": "other",
        }},
    })
}

/// One tool loop and its answer, all by `provider` and `model`.
fn history(provider: &str, model: &str) -> Vec<Message> {
    vec![
        user("1"),
        assistant_with("", &[("c", "ls", json!({}))], &thought(provider, model)),
        tool("c", "R"),
        assistant_with("answer", &[], &thought(provider, model)),
        user("2"),
        assistant_with("plain", &[], &thought(provider, model)),
    ]
}

fn with(reasoning_back: ReasoningBack) -> Profile {
    Profile { reasoning_back, ..plain() }
}

fn keys(message: &Value) -> Vec<&str> {
    message.as_object().unwrap().keys().map(String::as_str).collect()
}

#[test]
fn w23_w24_required_reasoning_is_on_each_assistant_of_a_tool_loop() {
    let sent = sent_messages(history(HOST, "m"), &with(ReasoningBack::Required));
    assert_eq!(sent[1]["reasoning_content"], "plan");
    assert_eq!(sent[3]["reasoning_content"], "plan");
    assert_eq!(keys(&sent[5]), ["role", "content"]);
}

#[test]
fn w23_required_reasoning_of_another_model_is_an_empty_text() {
    let sent = sent_messages(history("elsewhere", "m"), &with(ReasoningBack::Required));
    assert_eq!(sent[1]["reasoning_content"], "");
    assert_eq!(sent[3]["reasoning_content"], "");
    let sent = sent_messages(history(HOST, "other"), &with(ReasoningBack::Required));
    assert_eq!(sent[1]["reasoning_content"], "");
}

#[test]
fn w25_nothing_goes_back_to_an_unknown_endpoint() {
    let (body, sent) = body(history(HOST, "m"), Vec::new(), &plain(), |_| {});
    assert_eq!(keys(&body["messages"][2]), ["role", "content", "tool_calls"]);
    assert_eq!(keys(&body["messages"][4]), ["role", "content"]);
    assert!(!sent.reasoning && sent.calls);
}

#[test]
fn w25_text_goes_back_only_to_its_maker_and_under_the_name_it_takes() {
    let profile = with(ReasoningBack::Text("reasoning"));
    let (body, sent) = body(history(HOST, "m"), Vec::new(), &profile, |_| {});
    assert_eq!(body["messages"][2]["reasoning"], "plan");
    assert_eq!(body["messages"][6]["reasoning"], "plan");
    assert!(sent.reasoning);
    let sent = sent_messages(history("elsewhere", "m"), &profile);
    assert_eq!(keys(&sent[1]), ["role", "content", "tool_calls"]);
}

#[test]
fn w28_details_go_back_as_they_came() {
    let sent = sent_messages(history(HOST, "m"), &with(ReasoningBack::Details));
    assert_eq!(
        sent[1]["reasoning_details"],
        json!([{"type": "reasoning.text", "text": "plan"}, {"data": "QQ=="}])
    );
    let sent = sent_messages(history(HOST, "other"), &with(ReasoningBack::Details));
    assert_eq!(keys(&sent[1]), ["role", "content", "tool_calls"]);
}

#[test]
fn w28_minimax_is_asked_for_details() {
    let (body, sent) = body(vec![user("hi")], Vec::new(), &lookup("api.minimax.io", "m"), |_| {});
    assert_eq!(body["reasoning_split"], true);
    assert!(sent.reasoning_split);
}

#[test]
fn w26_what_a_provider_put_on_a_call_goes_back_to_it_unchanged() {
    let sent = sent_messages(history(HOST, "m"), &plain());
    let call = &sent[1]["tool_calls"][0];
    assert_eq!(call["extra_content"]["google"]["thought_signature"], "SIG=");
    assert_eq!(keys(call), ["id", "type", "function", "extra_content"]);
    assert_eq!(call["id"], "c");
    let sent = sent_messages(history("elsewhere", "m"), &plain());
    assert_eq!(keys(&sent[1]["tool_calls"][0]), ["id", "type", "function"]);
}

#[test]
fn w26_calls_of_another_model_can_be_given_the_filler() {
    let profile = Profile { signature_filler: true, ..plain() };
    let sent = sent_messages(history("elsewhere", "m"), &profile);
    let signature = &sent[1]["tool_calls"][0]["extra_content"]["google"]["thought_signature"];
    assert_eq!(*signature, "skip_thought_signature_validator");
    let sent = sent_messages(history(HOST, "m"), &profile);
    let signature = &sent[1]["tool_calls"][0]["extra_content"]["google"]["thought_signature"];
    assert_eq!(*signature, "SIG=");
}
