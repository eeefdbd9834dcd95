//! A tool's input schema in the part of JSON Schema that every provider takes.
//!
//! Owns which keywords stay. The server checks its arguments itself, so a schema may become wider
//! here, never narrower. Must not refuse a tool for its schema.

#[cfg(test)]
mod tests;

use serde_json::{Map, Value, json};
use std::cell::Cell;

/// Deeper parts say nothing; where a definition contains itself, this is where it ends.
const DEEPEST: usize = 12;

/// A schema that is longer than this, in bytes, is given up: the model would read it with every
/// request.
const LONGEST: usize = 64 * 1024;

/// More parts than this are not looked at: a few definitions that contain each other would be
/// millions.
const MOST_PARTS: usize = 2_000;

/// Keywords that are taken over as they stand, where their value has the right form.
const PLAIN: [&str; 11] = [
    "title",
    "default",
    "minimum",
    "maximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "pattern",
    "minItems",
    "maxItems",
    "uniqueItems",
];

/// Returns the schema of an object for the tool's arguments.
pub(crate) fn portable(schema: &Map<String, Value>) -> Value {
    let whole = Value::Object(schema.clone());
    let mut top = match convert(&whole, &Walk { root: &whole, left: Cell::new(MOST_PARTS) }, 0) {
        Value::Object(top) => top,
        _ => Map::new(),
    };
    // At the top providers want a plain object: what alternatives have is offered, and what all of
    // them need stays needed.
    if let Some(Value::Array(branches)) = top.remove("anyOf") {
        merge_alternatives(&mut top, &branches);
    }
    top.remove("enum");
    top.insert("type".into(), "object".into());
    top.entry("properties").or_insert_with(|| json!({}));
    let portable = Value::Object(top);
    if portable.to_string().len() > LONGEST {
        return json!({"type": "object", "properties": {}});
    }
    portable
}

/// One way through a schema.
struct Walk<'a> {
    /// What references point into.
    root: &'a Value,
    /// How many parts may yet be looked at.
    left: Cell<usize>,
}

fn convert(schema: &Value, walk: &Walk<'_>, depth: usize) -> Value {
    let Some(schema) = schema.as_object() else { return json!({}) };
    if depth > DEEPEST || walk.left.get() == 0 {
        return json!({});
    }
    walk.left.set(walk.left.get() - 1);
    if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
        let target = reference.strip_prefix('#').and_then(|pointer| walk.root.pointer(pointer));
        let mut found = target.map_or_else(|| json!({}), |found| convert(found, walk, depth + 1));
        if let (Some(found), Some(text)) = (found.as_object_mut(), schema.get("description")) {
            found.insert("description".into(), text.clone());
        }
        return found;
    }
    let mut out = Map::new();
    let mut alternatives: Vec<Value> = Vec::new();
    convert_type(schema, &mut out, &mut alternatives);
    if let Some(text) = schema.get("description").and_then(Value::as_str) {
        out.insert("description".into(), text.into());
    }
    for keyword in PLAIN {
        if let Some(value) = schema.get(keyword).filter(|value| !value.is_null()) {
            out.insert(keyword.into(), value.clone());
        }
    }
    match (schema.get("enum"), schema.get("const")) {
        (Some(Value::Array(values)), _) if !values.is_empty() => {
            out.insert("enum".into(), Value::Array(values.clone()));
        }
        (_, Some(value)) => drop(out.insert("enum".into(), json!([value]))),
        _ => {}
    }
    if schema.get("format").and_then(Value::as_str) == Some("date-time") {
        out.insert("format".into(), "date-time".into());
    }
    convert_object(schema, walk, depth, &mut out);
    convert_array(schema, walk, depth, &mut out);
    if let Some(parts) = schema.get("allOf").and_then(Value::as_array) {
        for part in parts {
            merge_part(&mut out, convert(part, walk, depth + 1));
        }
    }
    for keyword in ["anyOf", "oneOf"] {
        if let Some(branches) = schema.get(keyword).and_then(Value::as_array) {
            alternatives.extend(branches.iter().map(|branch| convert(branch, walk, depth + 1)));
        }
    }
    add_alternatives(&mut out, alternatives);
    Value::Object(out)
}

/// Takes over `type`; of several, `null` falls away and the rest become alternatives.
fn convert_type(
    schema: &Map<String, Value>,
    out: &mut Map<String, Value>,
    alternatives: &mut Vec<Value>,
) {
    match schema.get("type") {
        Some(Value::String(name)) => drop(out.insert("type".into(), name.as_str().into())),
        Some(Value::Array(names)) => {
            let names: Vec<&Value> = names.iter().filter(|name| *name != "null").collect();
            match names.as_slice() {
                [name] => drop(out.insert("type".into(), (*name).clone())),
                several => alternatives.extend(several.iter().map(|name| json!({"type": name}))),
            }
        }
        _ if schema.contains_key("properties") => drop(out.insert("type".into(), "object".into())),
        _ if schema.contains_key("items") => drop(out.insert("type".into(), "array".into())),
        _ => {}
    }
}

fn convert_object(
    schema: &Map<String, Value>,
    walk: &Walk<'_>,
    depth: usize,
    out: &mut Map<String, Value>,
) {
    if let Some(properties) = schema.get("properties").and_then(Value::as_object) {
        let converted: Map<String, Value> = properties
            .iter()
            .map(|(name, property)| (name.clone(), convert(property, walk, depth + 1)))
            .collect();
        let required: Vec<Value> = schema
            .get("required")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter(|name| name.as_str().is_some_and(|name| converted.contains_key(name)))
            .cloned()
            .collect();
        out.insert("properties".into(), Value::Object(converted));
        if !required.is_empty() {
            out.insert("required".into(), Value::Array(required));
        }
    }
    if let Some(more @ Value::Object(_)) = schema.get("additionalProperties") {
        out.insert("additionalProperties".into(), convert(more, walk, depth + 1));
    }
}

fn convert_array(
    schema: &Map<String, Value>,
    walk: &Walk<'_>,
    depth: usize,
    out: &mut Map<String, Value>,
) {
    if out.get("type").and_then(Value::as_str) != Some("array") {
        return;
    }
    // Some providers refuse an array that does not say what it holds.
    let items = match schema.get("items") {
        Some(items @ Value::Object(_)) => convert(items, walk, depth + 1),
        _ => json!({}),
    };
    out.insert("items".into(), items);
}

/// Adds alternatives; one that is left alone is no alternative.
fn add_alternatives(out: &mut Map<String, Value>, alternatives: Vec<Value>) {
    let mut kept: Vec<Value> = Vec::new();
    for alternative in alternatives {
        let is_null = alternative.get("type").is_some_and(|name| name == "null");
        if !is_null && !kept.contains(&alternative) {
            kept.push(alternative);
        }
    }
    match kept.len() {
        0 => {}
        1 => kept.into_iter().for_each(|only| merge_part(out, only)),
        _ => drop(out.insert("anyOf".into(), Value::Array(kept))),
    }
}

/// Adds what `part` says to `out`; what `out` says already stays.
fn merge_part(out: &mut Map<String, Value>, part: Value) {
    let Value::Object(part) = part else { return };
    for (keyword, value) in part {
        match (keyword.as_str(), out.get_mut(&keyword), value) {
            ("properties", Some(Value::Object(known)), Value::Object(more)) => {
                for (name, property) in more {
                    known.entry(name).or_insert(property);
                }
            }
            ("required", Some(Value::Array(known)), Value::Array(more)) => {
                for name in more {
                    if !known.contains(&name) {
                        known.push(name);
                    }
                }
            }
            (_, Some(_), _) => {}
            (_, None, value) => drop(out.insert(keyword, value)),
        }
    }
}

/// Adds to `top` the properties of all branches, and to what is required what all require.
fn merge_alternatives(top: &mut Map<String, Value>, branches: &[Value]) {
    let required_by = |branch: &Value| -> Vec<Value> {
        branch.get("required").and_then(Value::as_array).cloned().unwrap_or_default()
    };
    let mut common = branches.first().map(required_by).unwrap_or_default();
    for branch in branches {
        let required = required_by(branch);
        common.retain(|name| required.contains(name));
        if let Some(properties) = branch.get("properties") {
            merge_part(top, json!({"properties": properties}));
        }
    }
    if !common.is_empty() {
        merge_part(top, json!({"required": common}));
    }
}
