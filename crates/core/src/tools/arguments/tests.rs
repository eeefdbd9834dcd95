//! Tests of reading a call's arguments.

use super::*;
use proptest::prelude::*;
use serde_json::json;

fn check(schema: &Value, arguments: Value) -> Result<Value, String> {
    let Value::Object(arguments) = arguments else { panic!("no object") };
    check_arguments(schema, arguments).map(Value::Object).map_err(|error| error.to_string())
}

/// Checks one field `x` with this schema.
fn check_field(schema: &Value, value: &Value) -> Result<Value, String> {
    let schema = json!({ "type": "object", "properties": { "x": schema } });
    check(&schema, json!({ "x": value })).map(|arguments| arguments["x"].clone())
}

fn read_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "path": { "type": "string" },
            "offset": { "type": "integer", "minimum": 0, "default": 0 },
            "limit": { "type": ["integer", "null"], "default": null },
        },
        "required": ["path"],
    })
}

#[test]
fn fitting_arguments_stay_as_they_are() {
    for arguments in [
        json!({ "path": "a" }),
        json!({ "path": "a", "offset": 3, "limit": null }),
        json!({ "path": "", "limit": 2, "other": [1, { "b": null }] }),
    ] {
        assert_eq!(check(&read_schema(), arguments.clone()), Ok(arguments));
    }
}

#[test]
fn a_value_with_one_clear_meaning_is_mended() {
    let list = json!({ "type": "array", "items": { "type": "string" } });
    let either = json!({ "anyOf": [{ "type": "integer" }, { "type": "null" }] });
    let object = json!({ "type": "object", "properties": { "n": { "type": "integer" } } });
    for (schema, given, expected) in [
        (json!({ "type": "integer" }), json!("3"), json!(3)),
        (json!({ "type": "integer" }), json!(" -3 "), json!(-3)),
        (json!({ "type": "integer" }), json!(2.0), json!(2)),
        (json!({ "type": "integer" }), json!("2.0"), json!(2)),
        (json!({ "type": "integer" }), json!(1e300), json!(1e300)),
        (json!({ "type": "number" }), json!("2.5"), json!(2.5)),
        (json!({ "type": "number" }), json!(2.0), json!(2.0)),
        (json!({ "type": "boolean" }), json!("true"), json!(true)),
        (json!({ "type": "boolean" }), json!("False"), json!(false)),
        (json!({ "type": "string" }), json!(3), json!("3")),
        (json!({ "type": "string" }), json!(true), json!("true")),
        (json!({ "type": ["string", "integer"] }), json!("3"), json!("3")),
        (json!({ "enum": [1, 2] }), json!("2"), json!(2)),
        (json!({ "const": "5" }), json!(5), json!("5")),
        (json!({ "enum": [1] }), json!(1.0), json!(1)),
        (list.clone(), json!("a"), json!(["a"])),
        (list.clone(), json!("[\"a\", 1]"), json!(["a", "1"])),
        (list.clone(), json!("[draft] a"), json!(["[draft] a"])),
        (list, json!(["a"]), json!(["a"])),
        (json!({ "type": "array" }), json!({ "a": 1 }), json!([{ "a": 1 }])),
        (object, json!("{\"n\": \"7\"}"), json!({ "n": 7 })),
        (either.clone(), json!("4"), json!(4)),
        (either, json!(null), json!(null)),
        (json!({ "type": "integer", "nullable": true }), json!(null), json!(null)),
        (json!({ "allOf": [{ "type": "integer" }] }), json!("4"), json!(4)),
        (json!(true), json!("4"), json!("4")),
        (json!({}), json!(null), json!(null)),
    ] {
        assert_eq!(check_field(&schema, &given), Ok(expected), "{schema} {given}");
    }
}

#[test]
fn null_for_an_optional_field_is_an_absent_field() {
    let schema = read_schema();
    let arguments = check(&schema, json!({ "path": "a", "offset": null, "limit": null }));
    assert_eq!(arguments, Ok(json!({ "path": "a", "limit": null })));
    let error = check(&schema, json!({ "path": null })).unwrap_err();
    insta::assert_snapshot!(error, @"`path` must be a string, but null was given");
}

#[test]
fn missing_and_wrong_fields_are_told_together() {
    let schema = read_schema();
    let error = check(&schema, json!({ "offset": "two", "file_path": "a" })).unwrap_err();
    insta::assert_snapshot!(error, @"the required field `path` is missing (a string; unknown fields given: `file_path`); `offset` must be an integer, but the string \"two\" was given");
    let error = check(&schema, json!({ "offset": 3 })).unwrap_err();
    insta::assert_snapshot!(error, @"the required field `path` is missing (a string)");
}

#[test]
fn a_misfit_names_place_wish_and_gift() {
    let schema = json!({
        "type": "object",
        "properties": {
            "edits": {
                "type": "array",
                "minItems": 1,
                "items": {
                    "type": "object",
                    "properties": { "old": { "type": "string" }, "mode": { "enum": ["all", "one"] } },
                    "required": ["old"],
                    "additionalProperties": false,
                },
            },
            "count": { "type": "integer", "minimum": 1, "maximum": 9 },
            "name": { "type": "string", "minLength": 2, "maxLength": 3 },
            "target": { "anyOf": [{ "type": "string" }, { "type": "integer" }] },
            "flag": { "type": "boolean" },
        },
    });
    let messages: Vec<String> = [
        json!({ "edits": [{ "old": "a" }, { "mode": "some", "new": 1 }] }),
        json!({ "edits": [] }),
        json!({ "count": 0 }),
        json!({ "count": "12" }),
        json!({ "count": 1.5 }),
        json!({ "name": "a" }),
        json!({ "name": "abcd" }),
        json!({ "target": ["a"] }),
        json!({ "flag": "maybe" }),
        json!({ "flag": "x".repeat(200) }),
    ]
    .into_iter()
    .map(|arguments| check(&schema, arguments).unwrap_err())
    .collect();
    insta::assert_snapshot!(messages.join("\n"), @r#"
    the required field `edits[1].old` is missing (a string; unknown fields given: `new`); `edits[1].mode` must be one of "all", "one", but the string "some" was given; there is no field `edits[1].new` (the fields are: `old`, `mode`)
    `edits` must be a list of at least 1, but the list [] was given
    `count` must be at least 1, but the number 0 was given
    `count` must be at most 9, but the number 12 was given
    `count` must be an integer, but the number 1.5 was given
    `name` must be at least 2 characters long, but the string "a" was given
    `name` must be at most 3 characters long, but the string "abcd" was given
    `target` must be a string or an integer, but the list ["a"] was given
    `flag` must be true or false, but the string "maybe" was given
    `flag` must be true or false, but the string "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx… was given
    "#);
}

#[test]
fn alternatives_of_objects_tell_what_is_wrong_inside() {
    let schema = json!({
        "anyOf": [
            { "$ref": "#/$defs/Point" },
            { "type": "string" },
        ],
    });
    let root = json!({
        "type": "object",
        "properties": { "at": schema },
        "$defs": {
            "Point": {
                "type": "object",
                "properties": { "x": { "type": "integer" }, "next": { "$ref": "#/$defs/Point" } },
                "required": ["x"],
            },
        },
    });
    let good = check(&root, json!({ "at": { "x": "1", "next": { "x": 2.0 } } }));
    assert_eq!(good, Ok(json!({ "at": { "x": 1, "next": { "x": 2 } } })));
    let error = check(&root, json!({ "at": { "x": 1, "next": {} } })).unwrap_err();
    insta::assert_snapshot!(error, @"the required field `at.next.x` is missing (an integer)");
    let error = check(&root, json!({ "at": 1.5, "more": 1 }));
    assert_eq!(error, Ok(json!({ "at": "1.5", "more": 1 })));
    let error = check(&root, json!({ "at": [1] })).unwrap_err();
    insta::assert_snapshot!(error, @"`at` must be an object or a string, but the list [1] was given");
}

#[test]
fn schemas_without_sense_or_end_do_not_hurt() {
    for schema in [
        json!(null),
        json!(false),
        json!([]),
        json!({ "type": 7, "properties": [], "required": "x", "enum": 1, "anyOf": {} }),
        json!({ "type": "thing", "items": 3, "$ref": "#/nowhere" }),
        json!({ "$ref": "#" }),
        json!({ "anyOf": [{ "$ref": "#" }, { "$ref": "#" }] }),
        json!({ "allOf": [{ "$ref": "#" }, { "$ref": "#" }, { "$ref": "#" }] }),
        json!({ "$ref": "https://example.org/schema" }),
    ] {
        let arguments = json!({ "x": [1, { "y": null }] });
        assert_eq!(check(&schema, arguments.clone()), Ok(arguments), "{schema}");
    }
}

#[test]
fn a_root_that_is_no_object_is_refused() {
    let error = check(&json!({ "type": "array" }), json!({})).unwrap_err();
    insta::assert_snapshot!(error, @"the arguments must be an object, but the list [{}] was given");
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-5_i64..5).prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (-5.0_f64..5.0).prop_map(Value::from),
        Just(json!(2.0)),
        "[a-c1-3]{0,3}".prop_map(Value::from),
        Just(json!("true")),
        Just(json!("[1, \"2\"]")),
        Just(json!("{\"a\": \"1\"}")),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("[a-d]", inner, 0..4).prop_map(|fields| json!(fields)),
        ]
    })
}

fn any_schema() -> impl Strategy<Value = Value> {
    let kind = || {
        prop::sample::select(vec![
            "null", "boolean", "integer", "number", "string", "array", "object", "odd",
        ])
    };
    let leaf = prop_oneof![
        kind().prop_map(|kind| json!({ "type": kind })),
        (kind(), kind()).prop_map(|(one, other)| json!({ "type": [one, other] })),
        prop::collection::vec(any_value(), 0..4).prop_map(|values| json!({ "enum": values })),
        any_value().prop_map(|value| json!({ "const": value })),
        (-3..3).prop_map(|at| json!({ "type": "integer", "minimum": at })),
        Just(json!({ "$ref": "#/properties/a" })),
        Just(json!(true)),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        let fields = prop::collection::btree_map("[a-d]", inner.clone(), 0..4);
        let required = prop::collection::vec("[a-d]", 0..2);
        prop_oneof![
            inner.clone().prop_map(|items| json!({ "type": "array", "items": items })),
            prop::collection::vec(inner, 1..4).prop_map(|any| json!({ "anyOf": any })),
            (fields, required, any::<bool>()).prop_map(|(fields, required, more)| json!({
                "type": "object",
                "properties": fields,
                "required": required,
                "additionalProperties": more,
            })),
        ]
    })
}

proptest! {
    /// A schema may be any value at all, and so may the arguments.
    #[test]
    fn never_panics(schema in any_value(), arguments in any_value()) {
        if let Value::Object(arguments) = arguments {
            let _ = check_arguments(&schema, arguments);
        }
    }

    #[test]
    fn checking_twice_changes_nothing(
        properties in prop::collection::btree_map("[a-d]", any_schema(), 0..4),
        arguments in prop::collection::btree_map("[a-d]", any_value(), 0..4),
    ) {
        let schema = json!({ "type": "object", "properties": properties });
        if let Ok(once) = check(&schema, json!(arguments)) {
            prop_assert_eq!(check(&schema, once.clone()), Ok(once));
        }
    }
}
