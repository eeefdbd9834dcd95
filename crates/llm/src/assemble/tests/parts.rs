//! The small parts of assembly on their own.

use super::*;
use crate::assemble::arguments::{JsonProgress, parse_arguments};
use proptest::prelude::*;

#[test]
fn arguments_that_can_be_read() {
    let table = [
        ("", json!({})),
        (" \n", json!({})),
        ("null", json!({})),
        ("{}", json!({})),
        (" {\"a\":1} \n", json!({"a": 1})),
        (r#""{\"a\":[1]}""#, json!({"a": [1]})),
        (r#"{"a":1,"a":2}"#, json!({"a": 2})),
    ];
    for (text, expected) in table {
        let arguments = parse_arguments(text, AnswerEnd::Whole).map(Value::Object);
        assert_eq!(arguments, Ok(expected), "{text:?}");
    }
}

#[test]
fn w06_reasons_by_cause() {
    let whole = |text| parse_arguments(text, AnswerEnd::Whole).unwrap_err();
    let cut = |text| parse_arguments(text, AnswerEnd::CutOff).unwrap_err();
    assert!(
        cut(r#"{"path":"é"#).contains("output limit cut the arguments off after 10 characters")
    );
    assert!(cut("").contains("output limit cut the arguments off after 0 characters"));
    assert!(whole(r#"{"path":"a"#).contains("end too early, after 10 characters"));
    assert!(
        whole(r#"{"a":1}}"#).contains("not valid JSON: trailing characters at line 1 column 8")
    );
    assert!(cut(r#"{"a":x}"#).contains("not valid JSON: expected value at line 1 column 6"));
    assert!(whole(r#"{"a":1}{"b":2}"#).contains("not valid JSON"));
    assert!(whole("\"{\\\"a\\\":\"").contains("end too early"));
    assert!(whole("[1]").contains("a list instead of a JSON object"));
    assert!(whole("7").contains("a number instead"));
    assert!(whole("true").contains("a boolean instead"));
    assert!(whole("\"\\\"x\\\"\"").contains("a string instead"));
    assert!(whole(&"[".repeat(10_000)).contains("not valid JSON: recursion limit"));
}

#[test]
fn progress_sees_the_end_of_the_value() {
    let table = [
        ("", false),
        ("{", false),
        ("{}", true),
        (" {\"a\":\"}\"", false),
        (r#"{"a":"\"}"#, false),
        (r#"{"a":"\\"}"#, true),
        (r#"{"a":[{}]"#, false),
        (r#"{"a":[{}]} "#, true),
        (r#""{\"a\""#, false),
        (r#""{\"a\":1}""#, true),
        ("}", true),
        ("12", false),
    ];
    for (text, expected) in table {
        let mut progress = JsonProgress::default();
        progress.take(text);
        assert_eq!(progress.is_complete(), expected, "{text:?}");
    }
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<i32>().prop_map(|number| json!(number)),
        "[a-z{}\\[\\]\"\\\\é]{0,6}".prop_map(|text| json!(text)),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(|items| json!(items)),
            prop::collection::btree_map("[a-z\"{}]{0,3}", inner, 0..4)
                .prop_map(|members| json!(members)),
        ]
    })
}

proptest! {
    #[test]
    fn progress_is_complete_at_the_last_byte_and_not_before(value in any_json()) {
        let text = json!({ "value": value }).to_string();
        let mut progress = JsonProgress::default();
        for (position, character) in text.char_indices() {
            progress.take(character.encode_utf8(&mut [0; 4]));
            let is_last = position + character.len_utf8() == text.len();
            prop_assert_eq!(progress.is_complete(), is_last);
        }
        prop_assert_eq!(
            parse_arguments(&text, AnswerEnd::Whole).map(Value::Object),
            Ok(json!({ "value": value }))
        );
    }
}
