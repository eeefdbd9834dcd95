//! Each rule: a request that it refuses, and one that it lets pass.

use super::*;

fn request(changes: &[(&str, Value)]) -> Value {
    let call = json!({"id": "abcdefgh1", "type": "function",
        "function": {"name": "ls", "arguments": "{}"}});
    let mut body = json!({
        "model": "m",
        "stream": true,
        "messages": [
            {"role": "user", "content": "x"},
            {"role": "assistant", "content": "", "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "abcdefgh1", "content": "y"},
        ],
        "tools": [{"type": "function", "function": {"name": "ls", "description": "d",
            "parameters": {"type": "object", "properties": {}}}}],
    });
    for (pointer, value) in changes {
        let (parent, key) = pointer.rsplit_once('/').unwrap();
        let object = body.pointer_mut(parent).unwrap().as_object_mut().unwrap();
        object.insert(key.to_owned(), value.clone());
    }
    body
}

#[track_caller]
fn check(rule: StrictRule, good: &[(&str, Value)], bad: &[(&str, Value)], status: u16, word: &str) {
    assert_eq!(rule.refusal(&request(good)), None);
    let (got, error) = rule.refusal(&request(bad)).expect("the rule refuses the bad request");
    assert_eq!(got, status);
    assert!(error.to_string().contains(word), "{error} does not name {word}");
}

#[test]
fn every_rule_refuses_its_fault_alone() {
    use StrictRule as Rule;
    let signature = json!({"google": {"thought_signature": "S"}});
    let list_type = json!({"type": "object", "properties": {"a": {"type": ["string", "null"]}}});
    let reasoning = ("/messages/1/reasoning_content", json!(""));
    check(Rule::Valid, &[], &[("/model", json!(""))], 400, "`model`");
    check(Rule::ReasoningRequired, std::slice::from_ref(&reasoning), &[], 400, "message 1");
    check(
        Rule::NoReasoning,
        &[],
        &[reasoning],
        422,
        r#""messages",1,"assistant","reasoning_content""#,
    );
    check(
        Rule::SignatureRequired,
        &[("/messages/1/tool_calls/0/extra_content", signature)],
        &[],
        400,
        "INVALID_ARGUMENT",
    );
    let options = [("/stream_options", json!({}))];
    check(Rule::NoStreamOptions, &[], &options, 422, "stream_options");
    check(Rule::OldKeysOnly, &[], &options, 400, r#""param":"stream_options""#);
    check(Rule::NoNullContent, &[], &[("/messages/1/content", json!(null))], 400, "messages[1]");
    check(Rule::NoMaxTokens, &[], &[("/max_tokens", json!(1))], 400, r#""param":"max_tokens""#);
    let tokens = [("/max_completion_tokens", json!(1))];
    check(Rule::NoMaxCompletionTokens, &[], &tokens, 422, "max_completion_tokens");
    let schema = "/tools/0/function/parameters";
    check(Rule::NoTypeLists, &[], &[(schema, list_type)], 400, "type");
    let bare = json!({"type": "object"});
    check(Rule::PropertiesRequired, &[], &[(schema, bare)], 400, "missing properties");
}

#[test]
fn nine_character_ids() {
    for id in ["abcdefgh", "abcdefgh12", "abcd_fgh1", ""] {
        let mut body = request(&[]);
        body["messages"][1]["tool_calls"][0]["id"] = json!(id);
        let (status, error) = StrictRule::NineCharacterIds.refusal(&body).unwrap();
        assert_eq!((status, &error["code"]), (400, &json!("3280")));
    }
    assert_eq!(StrictRule::NineCharacterIds.refusal(&request(&[])), None);
}
