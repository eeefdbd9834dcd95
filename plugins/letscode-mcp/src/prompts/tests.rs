//! Arguments and messages of prompts by table.

use super::*;
use serde_json::json;

fn prompt(arguments: Value) -> Prompt {
    serde_json::from_value(json!({"name": "p", "arguments": arguments})).unwrap()
}

#[test]
fn usage_shows_what_is_needed() {
    let prompt = prompt(json!([{"name": "city", "required": true}, {"name": "state"}]));
    assert_eq!(usage(&prompt), "<city> [state]");
    assert_eq!(usage(&Prompt::new("p", None::<String>, None)), "");
}

#[test]
fn arguments_by_place_by_name_and_in_quotes() {
    let two = prompt(json!([{"name": "a", "required": true}, {"name": "b"}]));
    let cases = [
        ("", json!({})),
        ("x", json!({"a": "x"})),
        ("x y z", json!({"a": "x", "b": "y z"})),
        ("b=1 x", json!({"b": "1", "a": "x"})),
        ("\"x y\" z", json!({"a": "x y", "b": "z"})),
        ("a='x y' it's", json!({"a": "x y", "b": "it's"})),
        ("c=1", json!({"a": "c=1"})),
        ("x \"open", json!({"a": "x", "b": "open"})),
    ];
    for (typed, expected) in cases {
        assert_eq!(Value::Object(arguments(&two, typed)), expected, "{typed}");
    }
    assert_eq!(missing(&two, &Map::new()).len(), 1);
    let none = Prompt::new("p", None::<String>, None);
    assert_eq!(arguments(&none, "x y"), Map::new());
}

#[test]
fn messages_become_one_text() {
    let one = json!({"messages": [{"role": "user", "content": {"type": "text", "text": "Do it"}}]});
    assert_eq!(text(serde_json::from_value(one).unwrap()), "Do it");
    let several = json!({"messages": [
        {"role": "user", "content": {"type": "text", "text": "Hi"}},
        {"role": "assistant", "content": {"type": "text", "text": "Ho"}},
        {"role": "user", "content": {"type": "image", "data": "AAAA", "mimeType": "image/png"}},
        {"role": "user", "content": {"type": "resource", "resource": {"uri": "a://b", "text": "in"}}},
    ]});
    assert_eq!(
        text(serde_json::from_value(several).unwrap()),
        "User: Hi\n\nAssistant: Ho\n\nUser: [picture: image/png, left out]\n\nUser: [resource a://b]\nin"
    );
}
