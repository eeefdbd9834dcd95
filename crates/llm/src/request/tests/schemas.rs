//! Tool schemas in a request.

use super::*;

fn sent_parameters(parameters: Value, profile: &Profile) -> Value {
    let (body, _) = body(vec![user("hi")], vec![spec("t", parameters)], profile, |_| {});
    let tool = &body["tools"][0];
    assert_eq!(tool["type"], "function");
    assert_eq!(tool["function"]["name"], "t");
    assert_eq!(tool["function"]["description"], "does");
    tool["function"]["parameters"].clone()
}

fn gemini() -> Profile {
    Profile { schema: SchemaRule::Gemini, ..plain() }
}

#[test]
fn schemas_go_out_as_they_are() {
    let schema = json!({
        "type": "object",
        "properties": {"path": {"type": ["string", "null"]}},
        "required": ["path"],
        "additionalProperties": false,
    });
    assert_eq!(sent_parameters(schema.clone(), &plain()), schema);
}

#[test]
fn w59_parameters_are_always_an_object_with_properties() {
    let empty = json!({"type": "object", "properties": {}});
    for schema in [json!({}), json!(null), json!(true), json!({"type": "object"}), json!([])] {
        assert_eq!(sent_parameters(schema, &plain()), empty);
    }
    assert_eq!(
        sent_parameters(json!({"properties": {"a": {"type": "string"}}}), &plain()),
        json!({"properties": {"a": {"type": "string"}}, "type": "object"})
    );
    for schema in [json!({}), json!({"type": "object", "$schema": "x"})] {
        assert_eq!(sent_parameters(schema, &gemini()), empty);
    }
}

#[test]
fn w59_empty_properties_can_be_left_out() {
    let profile = Profile { empty_properties: false, ..gemini() };
    let schema = json!({
        "type": "object",
        "properties": {"o": {"type": "object", "properties": {}}},
    });
    assert_eq!(sent_parameters(json!({}), &profile), json!({"type": "object"}));
    assert_eq!(
        sent_parameters(schema, &profile),
        json!({"type": "object", "properties": {"o": {"type": "object"}}})
    );
}

#[test]
fn w58_gemini_gets_its_subset() {
    let table = [
        (json!({"type": ["string", "null"]}), json!({"type": "string"})),
        (
            json!({"type": ["string", "array"]}),
            json!({"anyOf": [
                {"type": "string"},
                {"type": "array", "items": {"type": "string"}},
            ]}),
        ),
        (json!({"const": "x"}), json!({"type": "string", "enum": ["x"]})),
        (json!({"const": 5, "type": "integer"}), json!({"type": "integer"})),
        (json!({"enum": ["a", null]}), json!({"type": "string", "enum": ["a"]})),
        (json!({"type": "array"}), json!({"type": "array", "items": {"type": "string"}})),
        (
            json!({"items": {"type": "number"}}),
            json!({"type": "array", "items": {"type": "number"}}),
        ),
        (json!({"type": "string", "format": "uri", "pattern": "x"}), json!({"type": "string"})),
        (
            json!({"anyOf": [{"type": "integer"}, {"type": "null"}], "description": "d"}),
            json!({"description": "d", "type": "integer"}),
        ),
        (
            json!({"oneOf": [{"type": "integer"}, {"type": "string"}]}),
            json!({"anyOf": [{"type": "integer"}, {"type": "string"}]}),
        ),
        (
            json!({"allOf": [
                {"properties": {"a": {"type": "string"}}, "required": ["a"]},
                {"properties": {"b": {"type": "string"}}},
            ]}),
            json!({
                "type": "object",
                "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
                "required": ["a"],
            }),
        ),
        (json!({"$ref": "#/$defs/name"}), json!({"type": "string", "description": "n"})),
        (
            json!({"$ref": "#/$defs/name", "description": "mine"}),
            json!({"type": "string", "description": "mine"}),
        ),
        (json!({"$ref": "#/$defs/missing"}), json!({"type": "object"})),
        (json!({"type": "object", "required": ["gone"]}), json!({"type": "object"})),
        (json!({}), json!({"type": "string"})),
        (json!(true), json!({"type": "string"})),
    ];
    for (schema, expected) in table {
        let whole = json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "$defs": {"name": {"type": "string", "description": "n"}},
            "type": "object",
            "additionalProperties": false,
            "properties": {"p": schema},
            "required": ["p"],
        });
        assert_eq!(
            sent_parameters(whole, &gemini()),
            json!({"type": "object", "properties": {"p": expected}, "required": ["p"]}),
            "{schema}"
        );
    }
}

#[test]
fn w58_schemas_within_themselves_end() {
    let tree = json!({
        "type": "object",
        "properties": {"children": {"type": "array", "items": {"$ref": "#"}}},
    });
    let sent = sent_parameters(tree, &gemini());
    assert!(!sent.to_string().contains("$ref"));
    let names: Vec<String> = (0..40).map(|it| format!("d{it}")).collect();
    let all: Map<String, Value> = names
        .iter()
        .map(|name| (name.clone(), json!({"$ref": format!("#/$defs/{name}")})))
        .collect();
    let wide = json!({"type": "object", "properties": all});
    let defs: Map<String, Value> = names.iter().map(|it| (it.clone(), wide.clone())).collect();
    let mut schema = wide;
    schema["$defs"] = Value::Object(defs);
    assert!(sent_parameters(schema, &gemini()).to_string().len() < 1_000_000);
}
