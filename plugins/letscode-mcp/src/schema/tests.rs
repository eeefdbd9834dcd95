//! Schemas by table, and any JSON at all.

use super::*;
use proptest::prelude::*;

fn check(schema: Value, expected: Value) {
    assert_eq!(portable(schema.as_object().unwrap()), expected, "{schema}");
}

#[test]
fn a_plain_schema_stays_but_for_what_is_about_the_schema() {
    check(
        json!({
            "$schema": "http://json-schema.org/draft-07/schema#", "type": "object",
            "properties": {"path": {"type": "string", "description": "Where", "format": "uri"},
                           "n": {"type": "integer", "minimum": 1, "exclusiveMaximum": 9}},
            "required": ["path", "gone"], "additionalProperties": false,
        }),
        json!({
            "type": "object",
            "properties": {"path": {"type": "string", "description": "Where"},
                           "n": {"type": "integer", "minimum": 1}},
            "required": ["path"],
        }),
    );
}

#[test]
fn nothing_is_an_object_without_properties() {
    let empty = json!({"type": "object", "properties": {}});
    check(json!({}), empty.clone());
    check(json!({"type": "object"}), empty.clone());
    check(json!({"type": "string"}), empty.clone());
    check(json!({"properties": 3, "required": "x", "type": []}), empty);
}

#[test]
fn references_are_put_in_and_a_circle_ends() {
    check(
        json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/A", "description": "mine"}},
               "$defs": {"A": {"type": "string", "description": "theirs"}}}),
        json!({"type": "object", "properties": {"a": {"type": "string", "description": "mine"}}}),
    );
    check(
        json!({"type": "object", "properties": {"a": {"$ref": "http://elsewhere/x"}}}),
        json!({"type": "object", "properties": {"a": {}}}),
    );
    let circle = json!({"type": "object", "properties": {"next": {"$ref": "#"}}});
    let text = portable(circle.as_object().unwrap()).to_string();
    assert!(text.len() < 2_000 && !text.contains("$ref"), "{text}");
}

#[test]
fn a_definition_that_contains_itself_twice_does_not_explode() {
    let bush = json!({"type": "object", "properties": {
        "a": {"$ref": "#"}, "b": {"$ref": "#"}, "c": {"$ref": "#"}}});
    let started = portable(bush.as_object().unwrap()).to_string();
    assert!(started.len() <= LONGEST);
}

#[test]
fn null_falls_away_and_alternatives_stay_below_the_top() {
    check(
        json!({"type": "object", "properties": {
            "a": {"type": ["string", "null"]},
            "b": {"anyOf": [{"type": "integer"}, {"type": "null"}], "default": 3},
            "c": {"oneOf": [{"type": "integer"}, {"type": "string"}]},
            "d": {"type": ["string", "number"]},
            "e": {"const": "x"},
            "f": {"allOf": [{"type": "object", "properties": {"x": {}}},
                            {"properties": {"y": {}}, "required": ["y"]}]},
            "g": true,
        }}),
        json!({"type": "object", "properties": {
            "a": {"type": "string"},
            "b": {"default": 3, "type": "integer"},
            "c": {"anyOf": [{"type": "integer"}, {"type": "string"}]},
            "d": {"anyOf": [{"type": "string"}, {"type": "number"}]},
            "e": {"enum": ["x"]},
            "f": {"type": "object", "properties": {"x": {}, "y": {}}, "required": ["y"]},
            "g": {},
        }}),
    );
}

#[test]
fn an_array_says_what_it_holds() {
    check(
        json!({"properties": {"a": {"type": "array"}, "b": {"items": {"type": "string"}}}}),
        json!({"type": "object", "properties": {
            "a": {"type": "array", "items": {}},
            "b": {"type": "array", "items": {"type": "string"}}}}),
    );
}

#[test]
fn alternatives_at_the_top_become_one_object() {
    check(
        json!({"anyOf": [
            {"type": "object", "properties": {"id": {"type": "string"}, "x": {}}, "required": ["id", "x"]},
            {"type": "object", "properties": {"id": {}, "y": {}}, "required": ["id"]},
        ]}),
        json!({"properties": {"id": {"type": "string"}, "x": {}, "y": {}}, "required": ["id"],
               "type": "object"}),
    );
}

#[test]
fn a_huge_schema_is_given_up() {
    let huge = json!({"properties": {"a": {"description": "x".repeat(LONGEST)}}});
    check(huge, json!({"type": "object", "properties": {}}));
}

fn any_json() -> impl Strategy<Value = Value> {
    let keyword = proptest::sample::select(vec![
        "type",
        "properties",
        "items",
        "anyOf",
        "oneOf",
        "allOf",
        "enum",
        "const",
        "$ref",
        "$defs",
        "required",
        "additionalProperties",
        "description",
        "a",
        "b",
    ]);
    let leaf = prop_oneof![
        Just(json!(null)),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        proptest::sample::select(vec!["object", "array", "string", "null", "#", "#/$defs/a", "a"])
            .prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 40, 5, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
            proptest::collection::vec((keyword.clone(), inner), 0..5).prop_map(|pairs| {
                Value::Object(pairs.into_iter().map(|(k, v)| (k.to_owned(), v)).collect())
            }),
        ]
    })
}

proptest! {
    #[test]
    fn whatever_a_server_sends_becomes_a_plain_object(schema in any_json()) {
        let map = schema.as_object().cloned().unwrap_or_default();
        let portable = portable(&map);
        let top = portable.as_object().unwrap();
        prop_assert_eq!(top.get("type"), Some(&json!("object")));
        prop_assert!(top.get("properties").unwrap().is_object());
        for keyword in ["$schema", "$ref", "$defs", "anyOf", "oneOf", "allOf", "not", "enum"] {
            prop_assert!(!top.contains_key(keyword));
        }
    }
}
