//! Walks a value and its schema side by side.
//!
//! Owns the keywords: `type` (and `nullable`), `enum`, `const`, `properties`, `required`,
//! `additionalProperties`, `items`, `anyOf`, `oneOf`, `allOf`, references within the schema, and
//! the limits of numbers, strings and lists. A schema comes from a plugin, so it may be anything:
//! what makes no sense is ignored, and the work is bounded.

use super::limits::{choice_text, choices, fit_choice, fit_limits};
use super::mend::Type;
use super::problem::{Path, Problems};
use serde_json::{Map, Value};

/// The most values that are looked at: a schema that refers to itself in several alternatives
/// could be walked for ever. Beyond it everything fits.
const MAX_STEPS: u32 = 20_000;
/// The deepest nesting that is looked at, so that the stack suffices.
const MAX_DEPTH: u32 = 100;

/// One walk.
pub(super) struct Walk<'a> {
    /// The whole schema, in which references are looked up.
    root: &'a Value,
    steps: u32,
    depth: u32,
}

pub(super) type Fit = Result<Value, Problems>;
pub(super) type Keywords = Map<String, Value>;

impl<'a> Walk<'a> {
    pub(super) fn new(root: &'a Value) -> Self {
        Self { root, steps: 0, depth: 0 }
    }

    /// Returns `value` as `schema` wants it.
    pub(super) fn fit(&mut self, schema: &'a Value, value: Value, path: &Path<'_>) -> Fit {
        let Value::Object(keywords) = schema else { return Ok(value) };
        if self.steps >= MAX_STEPS || self.depth >= MAX_DEPTH {
            return Ok(value);
        }
        self.steps += 1;
        self.depth += 1;
        let fit = self.fit_keywords(keywords, value, path);
        self.depth -= 1;
        fit
    }

    fn fit_keywords(&mut self, keywords: &'a Keywords, value: Value, path: &Path<'_>) -> Fit {
        if value.is_null() && keywords.get("nullable") == Some(&Value::Bool(true)) {
            return Ok(value);
        }
        let mut value = value;
        if let Some(schema) = self.referred(keywords) {
            value = self.fit(schema, value, path)?;
        }
        for schema in list(keywords, "allOf") {
            value = self.fit(schema, value, path)?;
        }
        for alternatives in ["anyOf", "oneOf"].map(|name| list(keywords, name)) {
            if !alternatives.is_empty() {
                value = self.fit_one_of(alternatives, value, path)?;
            }
        }
        value = self.fit_type(keywords, value, path)?;
        value = fit_choice(keywords, value, path)?;
        fit_limits(keywords, &value, path)?;
        match value {
            Value::Object(fields) => self.fit_fields(keywords, fields, path),
            Value::Array(elements) => self.fit_elements(keywords, elements, path),
            other => Ok(other),
        }
    }

    fn referred(&self, keywords: &Keywords) -> Option<&'a Value> {
        let pointer = keywords.get("$ref")?.as_str()?.strip_prefix('#')?;
        self.root.pointer(pointer)
    }

    /// Takes the first alternative that the value fits as it is, else the first that it can be
    /// mended for.
    fn fit_one_of(&mut self, schemas: &'a [Value], value: Value, path: &Path<'_>) -> Fit {
        let mut mended = None;
        let mut nearest: Option<Problems> = None;
        for schema in schemas {
            match self.fit(schema, value.clone(), path) {
                Ok(fit) if fit == value => return Ok(value),
                Ok(fit) => {
                    mended.get_or_insert(fit);
                }
                // A misfit inside tells more than that the kind of value is another one.
                Err(problems) if is_container(&value) && self.may_hold(schema, &value) => {
                    if nearest.as_ref().is_none_or(|other| problems.count() < other.count()) {
                        nearest = Some(problems);
                    }
                }
                Err(_) => {}
            }
        }
        mended.ok_or_else(|| {
            nearest.unwrap_or_else(|| {
                let wanted = join(schemas.iter().filter_map(|schema| self.wanted(schema, 0)));
                let wanted = wanted.unwrap_or_else(|| "one of the forms in the schema".to_owned());
                Problems::of_misfit(path, &wanted, &value)
            })
        })
    }

    /// Returns whether the kind of `value` is one that `schema` names.
    fn may_hold(&self, schema: &'a Value, value: &Value) -> bool {
        let Value::Object(keywords) = schema else { return false };
        let schema = self.referred(keywords).and_then(Value::as_object).unwrap_or(keywords);
        types(schema).iter().any(|wanted| wanted.holds(value))
    }

    fn fit_type(&mut self, keywords: &'a Keywords, value: Value, path: &Path<'_>) -> Fit {
        let types = types(keywords);
        if types.is_empty() {
            return Ok(value);
        }
        if let Some(held) = types.iter().find(|wanted| wanted.holds(&value)) {
            return Ok(held.normal(value));
        }
        if let Some(mended) = types.iter().find_map(|wanted| wanted.mend(&value)) {
            return Ok(mended);
        }
        if types.contains(&Type::Array) && !value.is_null() {
            let items = keywords.get("items").unwrap_or(&Value::Bool(true));
            if let Ok(element) = self.fit(items, value.clone(), &Path::Element(path, 0)) {
                return Ok(Value::Array(vec![element]));
            }
        }
        let wanted = join(types.iter().map(|wanted| wanted.wanted().to_owned()));
        Err(Problems::of_misfit(path, &wanted.unwrap_or_default(), &value))
    }

    fn fit_fields(&mut self, keywords: &'a Keywords, fields: Keywords, path: &Path<'_>) -> Fit {
        let properties = keywords.get("properties").and_then(Value::as_object);
        let known = |name: &str| properties.and_then(|properties| properties.get(name));
        let required: Vec<&str> =
            list(keywords, "required").iter().filter_map(Value::as_str).collect();
        let unknown: Vec<&str> =
            fields.keys().map(String::as_str).filter(|name| known(name).is_none()).collect();
        let mut problems = Problems::default();
        for name in required.iter().filter(|name| !fields.contains_key(**name)) {
            let wanted = known(name).and_then(|schema| self.wanted(schema, 0));
            problems.missing(&Path::Field(path, name), wanted.as_deref(), &unknown);
        }
        let mut fitting = Keywords::new();
        for (name, value) in fields {
            let path = Path::Field(path, &name);
            let Some(schema) = known(&name).or_else(|| keywords.get("additionalProperties")) else {
                fitting.insert(name, value);
                continue;
            };
            if *schema == Value::Bool(false) && !keywords.contains_key("patternProperties") {
                let names = properties.into_iter().flat_map(Keywords::keys);
                problems.unknown(&path, &names.map(String::as_str).collect::<Vec<_>>());
                continue;
            }
            let may_be_absent = value.is_null() && !required.contains(&name.as_str());
            match self.fit(schema, value, &path) {
                Ok(value) => {
                    fitting.insert(name, value);
                }
                Err(_) if may_be_absent => {}
                Err(found) => problems.extend(found),
            }
        }
        if problems.is_empty() { Ok(Value::Object(fitting)) } else { Err(problems) }
    }

    fn fit_elements(
        &mut self,
        keywords: &'a Keywords,
        elements: Vec<Value>,
        path: &Path<'_>,
    ) -> Fit {
        let Some(schema) = keywords.get("items") else { return Ok(Value::Array(elements)) };
        let mut problems = Problems::default();
        let mut fitting = Vec::with_capacity(elements.len());
        for (index, element) in elements.into_iter().enumerate() {
            match self.fit(schema, element, &Path::Element(path, index)) {
                Ok(element) => fitting.push(element),
                Err(found) => problems.extend(found),
            }
        }
        if problems.is_empty() { Ok(Value::Array(fitting)) } else { Err(problems) }
    }

    /// Returns in words what `schema` wants, as far as it can be said in a few.
    fn wanted(&self, schema: &'a Value, depth: u32) -> Option<String> {
        let keywords = schema.as_object()?;
        if depth > 4 {
            return None;
        }
        if let Some(choices) = choices(keywords) {
            return Some(choice_text(choices));
        }
        let types = types(keywords);
        if !types.is_empty() {
            return join(types.iter().map(|wanted| wanted.wanted().to_owned()));
        }
        if let Some(schema) = self.referred(keywords) {
            return self.wanted(schema, depth + 1);
        }
        let parts = ["anyOf", "oneOf", "allOf"].into_iter().flat_map(|name| list(keywords, name));
        join(parts.filter_map(|schema| self.wanted(schema, depth + 1)))
    }
}

/// Returns the types that are named, in order; empty where any will do.
fn types(keywords: &Keywords) -> Vec<Type> {
    match keywords.get("type") {
        Some(Value::String(name)) => Type::named(name).into_iter().collect(),
        Some(Value::Array(names)) => {
            names.iter().filter_map(Value::as_str).filter_map(Type::named).collect()
        }
        _ => Vec::new(),
    }
}

fn list<'a>(keywords: &'a Keywords, name: &str) -> &'a [Value] {
    keywords.get(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn is_container(value: &Value) -> bool {
    value.is_object() || value.is_array()
}

/// Returns `a, b or c`, each once; `None` for nothing.
fn join(parts: impl Iterator<Item = String>) -> Option<String> {
    let mut unique: Vec<String> = Vec::new();
    for part in parts {
        if !unique.contains(&part) {
            unique.push(part);
        }
    }
    let last = unique.pop()?;
    Some(if unique.is_empty() { last } else { format!("{} or {last}", unique.join(", ")) })
}
