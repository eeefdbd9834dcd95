//! JSON Schemas of tools in the form that an endpoint takes.
//!
//! Owns the two forms: any schema with `type` and `properties` at its root, and the subset that
//! Gemini's interface takes. Must not judge a schema: what cannot be said is left out.

use crate::profile::{Profile, SchemaRule};
use serde_json::{Map, Value, json};
use std::borrow::Cow;

/// A schema that its references blow up beyond so many parts is cut there.
const PART_LIMIT: usize = 4096;

/// Returns `schema` as the endpoint wants a tool's parameters.
pub(super) fn parameters<'a>(schema: &'a Value, profile: &Profile) -> Cow<'a, Value> {
    let schema = match profile.schema {
        SchemaRule::Full => Cow::Borrowed(schema),
        SchemaRule::Gemini => {
            let mut reducer = Reducer { root: schema, active: Vec::new(), parts_left: PART_LIMIT };
            Cow::Owned(reducer.reduce(schema))
        }
    };
    let is_object = schema.get("type").and_then(Value::as_str) == Some("object");
    let has_properties = schema.get("properties").is_some_and(Value::is_object);
    if is_object && has_properties && profile.empty_properties {
        return schema;
    }
    let mut root = match schema.into_owned() {
        Value::Object(root) => root,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            Map::new()
        }
    };
    root.insert("type".to_owned(), json!("object"));
    if !has_properties {
        root.insert("properties".to_owned(), json!({}));
    }
    let mut root = Value::Object(root);
    if !profile.empty_properties {
        drop_empty_properties(&mut root);
    }
    Cow::Owned(root)
}

fn drop_empty_properties(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            let empty =
                members.get("properties").and_then(Value::as_object).is_some_and(Map::is_empty);
            if empty {
                members.shift_remove("properties");
            }
            members.values_mut().for_each(drop_empty_properties);
        }
        Value::Array(items) => items.iter_mut().for_each(drop_empty_properties),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Writes schemas in Gemini's subset: references put in place, `[T, null]` as `T`, `const` as an
/// `enum`, every array with `items`, unknown members dropped.
struct Reducer<'a> {
    root: &'a Value,
    /// The references that are being put in place: one of these again is a schema within itself.
    active: Vec<&'a str>,
    parts_left: usize,
}

impl<'a> Reducer<'a> {
    fn reduce(&mut self, schema: &'a Value) -> Value {
        let (Some(members), Some(left)) = (schema.as_object(), self.parts_left.checked_sub(1))
        else {
            return json!({"type": "string"});
        };
        self.parts_left = left;
        if let Some(reference) = members.get("$ref").and_then(Value::as_str) {
            return self.put_in_place(reference, members);
        }
        let mut out = Map::new();
        copy_plain_members(members, &mut out);
        reduce_type(members, &mut out);
        let choices = members.get("anyOf").or_else(|| members.get("oneOf"));
        if let Some(choices) = choices.and_then(Value::as_array) {
            self.reduce_choices(choices, &mut out);
        }
        for part in members.get("allOf").and_then(Value::as_array).into_iter().flatten() {
            merge(&mut out, self.reduce(part));
        }
        reduce_enum(members, &mut out);
        self.reduce_members(members, &mut out);
        if !out.contains_key("type") && !out.contains_key("anyOf") {
            out.insert("type".to_owned(), json!("string"));
        }
        Value::Object(out)
    }

    fn put_in_place(&mut self, reference: &'a str, members: &Map<String, Value>) -> Value {
        let target = reference.strip_prefix('#').and_then(|path| self.root.pointer(path));
        let Some(target) = target.filter(|_| !self.active.contains(&reference)) else {
            return json!({"type": "object"});
        };
        self.active.push(reference);
        let mut reduced = self.reduce(target);
        self.active.pop();
        if let (Some(reduced), Some(description)) =
            (reduced.as_object_mut(), members.get("description"))
        {
            reduced.insert("description".to_owned(), description.clone());
        }
        reduced
    }

    fn reduce_members(&mut self, members: &'a Map<String, Value>, out: &mut Map<String, Value>) {
        let properties = members.get("properties").and_then(Value::as_object);
        if let Some(properties) = properties {
            let reduced: Map<String, Value> = properties
                .iter()
                .map(|(name, property)| (name.clone(), self.reduce(property)))
                .collect();
            out.entry("type").or_insert_with(|| json!("object"));
            merge(out, json!({ "properties": reduced }));
        }
        if let Some(items) = members.get("items") {
            out.entry("type").or_insert_with(|| json!("array"));
            out.insert("items".to_owned(), self.reduce(items));
        } else if out.get("type") == Some(&json!("array")) && !out.contains_key("items") {
            out.insert("items".to_owned(), json!({"type": "string"}));
        }
        let required = members.get("required").and_then(Value::as_array);
        let known = |name: &&Value| {
            name.as_str().is_some_and(|name| properties.is_some_and(|all| all.contains_key(name)))
        };
        let required: Vec<Value> = required.into_iter().flatten().filter(known).cloned().collect();
        if !required.is_empty() {
            merge(out, json!({ "required": required }));
        }
    }

    fn reduce_choices(&mut self, choices: &'a [Value], out: &mut Map<String, Value>) {
        let is_null = |choice: &&Value| choice.get("type").is_some_and(|name| name == "null");
        let mut kept: Vec<Value> = choices
            .iter()
            .filter(|choice| !is_null(choice))
            .map(|choice| self.reduce(choice))
            .collect();
        if kept.len() == 1 {
            kept.drain(..).for_each(|only| merge(out, only));
        } else if !kept.is_empty() {
            out.insert("anyOf".to_owned(), Value::Array(kept));
        }
    }
}

fn copy_plain_members(members: &Map<String, Value>, out: &mut Map<String, Value>) {
    const PLAIN: [&str; 6] =
        ["description", "nullable", "minItems", "maxItems", "minimum", "maximum"];
    for name in PLAIN {
        if let Some(value) = members.get(name) {
            out.insert(name.to_owned(), value.clone());
        }
    }
}

fn reduce_type(members: &Map<String, Value>, out: &mut Map<String, Value>) {
    match members.get("type") {
        Some(Value::String(name)) => {
            out.insert("type".to_owned(), json!(name));
        }
        Some(Value::Array(names)) => {
            let mut names = names.iter().filter(|name| *name != "null");
            match (names.next(), names.next()) {
                (Some(only), None) => {
                    out.insert("type".to_owned(), only.clone());
                }
                (Some(first), Some(second)) => {
                    let all = [first, second].into_iter().chain(names);
                    let choices: Vec<Value> = all
                        .map(|name| {
                            let mut choice = Map::new();
                            choice.insert("type".to_owned(), name.clone());
                            if name == "array" {
                                choice.insert("items".to_owned(), json!({"type": "string"}));
                            }
                            Value::Object(choice)
                        })
                        .collect();
                    out.insert("anyOf".to_owned(), Value::Array(choices));
                }
                (None, _) => {}
            }
        }
        _ => {}
    }
}

/// Enumerations hold texts only there; one of numbers says nothing that the type does not.
fn reduce_enum(members: &Map<String, Value>, out: &mut Map<String, Value>) {
    let values: Vec<&Value> = match (members.get("enum"), members.get("const")) {
        (Some(Value::Array(values)), _) => values.iter().filter(|value| !value.is_null()).collect(),
        (_, Some(value)) => vec![value],
        _ => return,
    };
    if !values.is_empty() && values.iter().all(|value| value.is_string()) {
        out.insert("type".to_owned(), json!("string"));
        out.insert("enum".to_owned(), values.into_iter().cloned().collect());
    }
}

/// Adds the members of `from` that `out` lacks; properties and required names are united.
fn merge(out: &mut Map<String, Value>, from: Value) {
    let Value::Object(from) = from else { return };
    for (name, value) in from {
        match (out.get_mut(&name), value) {
            (Some(Value::Object(there)), Value::Object(more)) => there.extend(more),
            (Some(Value::Array(there)), Value::Array(more)) => there.extend(more),
            (Some(_), _) => {}
            (None, value) => {
                out.insert(name, value);
            }
        }
    }
}
