//! Questions of a server to a user who is played by a script.

use super::*;
use crate::front::BoxFuture;
use letscode_wire::Registrations;
use std::collections::VecDeque;
use std::sync::Mutex;

/// Answers one question after the other, and remembers them.
struct Scripted {
    answers: Mutex<VecDeque<Option<Value>>>,
    asked: Mutex<Vec<UiRequest>>,
}

impl Front for Scripted {
    fn ask(&self, request: UiRequest) -> BoxFuture<Option<Value>> {
        self.asked.lock().unwrap().push(request);
        let answer = self.answers.lock().unwrap().pop_front().unwrap();
        Box::pin(async move { answer })
    }
    fn register(&self, _: Registrations) {}
    fn warn(&self, _: &str) {}
}

fn run(schema: Value, answers: Vec<Option<Value>>) -> (Value, Vec<UiRequest>) {
    let request = json!({"message": "Tell me", "requestedSchema": schema});
    ask_with(request, answers)
}

fn ask_with(request: Value, answers: Vec<Option<Value>>) -> (Value, Vec<UiRequest>) {
    let front = Scripted { answers: Mutex::new(answers.into()), asked: Mutex::default() };
    let request: ElicitRequestParams = serde_json::from_value(request).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let result = runtime.block_on(ask("srv", request, &front));
    assert_eq!(front.answers.lock().unwrap().len(), 0, "a question was not asked");
    (serde_json::to_value(result).unwrap(), front.asked.into_inner().unwrap())
}

#[test]
fn each_field_is_one_question() {
    let schema = json!({"type": "object", "required": ["name"], "properties": {
        "name": {"type": "string", "title": "Your name"},
        "age": {"type": "integer"},
        "ok": {"type": "boolean"},
        "size": {"type": "string", "enum": ["s", "l"], "enumNames": ["small", "large"]},
    }});
    let answers = vec![
        Some(json!("Ada")),
        Some(json!("x")),
        Some(json!("36")),
        Some(json!(0)),
        Some(json!(1)),
    ];
    let (result, asked) = run(schema, answers);
    let content = json!({"name": "Ada", "age": 36, "ok": true, "size": "l"});
    assert_eq!(result, json!({"action": "accept", "content": content}));
    let UiRequest::Input { text, .. } = &asked[0] else { panic!() };
    assert_eq!(text, "MCP server srv: Tell me\nYour name");
    let UiRequest::Input { text, .. } = &asked[2] else { panic!() };
    assert_eq!(text, "MCP server srv: age [optional]\na whole number, please");
    let UiRequest::Select { options, .. } = &asked[4] else { panic!() };
    assert_eq!(options, &["small", "large"]);
}

#[test]
fn an_optional_field_may_stay_empty_and_a_declined_one_declines() {
    let schema = json!({"type": "object", "properties": {"a": {"type": "string"}}});
    let (result, _) = run(schema.clone(), vec![Some(json!(""))]);
    assert_eq!(result, json!({"action": "accept", "content": {}}));
    let (result, _) = run(schema, vec![None]);
    assert_eq!(result, json!({"action": "decline"}));
}

#[test]
fn answers_that_never_fit_decline() {
    let schema =
        json!({"type": "object", "required": ["n"], "properties": {"n": {"type": "number"}}});
    let (result, _) = run(schema, vec![Some(json!("a")), Some(json!("")), Some(json!("inf"))]);
    assert_eq!(result, json!({"action": "decline"}));
}

#[test]
fn a_form_without_fields_is_yes_or_no() {
    let schema = json!({"type": "object", "properties": {}});
    let (result, _) = run(schema.clone(), vec![Some(json!(true))]);
    assert_eq!(result, json!({"action": "accept", "content": {}}));
    let (result, _) = run(schema, vec![Some(json!(false))]);
    assert_eq!(result, json!({"action": "decline"}));
}

#[test]
fn an_address_is_shown_and_confirmed() {
    let request = json!({"mode": "url", "message": "Log in", "url": "https://x/y",
                         "elicitationId": "1"});
    let (result, asked) = ask_with(request, vec![Some(json!(true))]);
    assert_eq!(result, json!({"action": "accept"}));
    assert!(
        matches!(&asked[..], [UiRequest::Confirm { text, .. }] if text.contains("https://x/y"))
    );
}

#[test]
fn several_of_a_list_are_words_with_commas() {
    let values = [json!("a"), json!("b")];
    assert_eq!(read("array", "a, b", &values), Ok(json!(["a", "b"])));
    assert_eq!(read("array", "a, c", &values), Err("c is none of a, b".into()));
}
