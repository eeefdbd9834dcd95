//! Matchers: JSON that says which values fit.
//!
//! Owns the matching of one value. Matching many lines is in [`lines`](super::lines).
//!
//! A plain value fits an equal one; an object fits an object that has its keys and more; a list
//! fits a list item by item. Beyond that:
//!
//! | matcher | fits |
//! |---|---|
//! | `"$any"`, `"$str"`, `"$num"`, `"$uuid"` | anything, a text, a number, a UUID |
//! | `{"$exact": {…}}` | as the object, but no further keys |
//! | `{"$keys": […]}` | an object with exactly these keys |
//! | `{"$re": "…"}` | a text in which the pattern is found |
//! | `{"$has": "…" or […]}`, `{"$lacks": …}` | a text with all, or none, of these in it |
//! | `{"$all": […]}`, `{"$or": […]}` | what fits all, or one, of these |
//! | `{"$contains": […]}` | a list with items that fit these, in this order |
//! | `{"$len": n}`, `{"$last": M}` | a length; a list whose last item fits |
//! | `{"$json": M}` | a text whose JSON fits |
//!
//! Where a text is wanted and the value is none, its JSON is taken.

use super::pattern::{self, Shown, spaced_json};
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::collections::BTreeSet;

/// Where a value does not fit, and why.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{at}: {problem}")]
pub struct Mismatch {
    /// The place, as `$.key[index]`.
    pub at: String,
    /// What is wrong there.
    pub problem: String,
}

/// Checks that `value` fits `matcher`.
///
/// # Errors
/// When it does not, or the matcher makes no sense.
pub fn matches(matcher: &Value, value: &Value) -> Result<(), Mismatch> {
    matches_at(matcher, value, "$")
}

fn matches_at(matcher: &Value, value: &Value, at: &str) -> Result<(), Mismatch> {
    match matcher {
        Value::String(name) if is_kind(name) => {
            require(fits_kind(name, value), at, || format!("{} is not {name}", Shown(value)))
        }
        Value::Object(object) => match special(object) {
            Some((name, argument)) => matches_special(name, argument, value, at),
            None => matches_object(object, value, at),
        },
        Value::Array(matchers) => matches_list(matchers, value, at),
        plain => {
            require(equal(plain, value), at, || format!("{}, want {}", Shown(value), Shown(plain)))
        }
    }
}

fn is_kind(name: &str) -> bool {
    ["$any", "$str", "$num", "$uuid"].contains(&name)
}

fn fits_kind(name: &str, value: &Value) -> bool {
    match name {
        "$str" => value.is_string(),
        "$num" => value.is_number(),
        "$uuid" => value.as_str().is_some_and(is_uuid),
        _ => true,
    }
}

/// Returns the name and the argument of a matcher that is no plain object.
fn special(object: &Map<String, Value>) -> Option<(&str, &Value)> {
    let mut entries = object.iter();
    match (entries.next(), entries.next()) {
        (Some((name, argument)), None) if name.starts_with('$') => Some((name, argument)),
        _ => None,
    }
}

fn matches_special(name: &str, argument: &Value, value: &Value, at: &str) -> Result<(), Mismatch> {
    match (name, argument) {
        ("$exact", Value::Object(object)) => {
            has_exactly(&object.keys().map(String::as_str).collect(), value, at)?;
            matches_object(object, value, at)
        }
        ("$keys", Value::Array(keys)) => {
            has_exactly(&keys.iter().filter_map(Value::as_str).collect(), value, at)
        }
        ("$re", Value::String(expression)) => {
            let compiled = pattern::compile(expression)
                .map_err(|error| mismatch(at, format!("bad pattern /{expression}/: {error}")))?;
            require(compiled.is_match(&text_of(value)), at, || {
                format!("{} does not match /{expression}/", Shown(value))
            })
        }
        ("$has", _) => each_text(name, argument, at, |wanted| {
            require(text_of(value).contains(wanted), at, || {
                format!("{wanted:?} not in {}", Shown(value))
            })
        }),
        ("$lacks", _) => each_text(name, argument, at, |unwanted| {
            require(!text_of(value).contains(unwanted), at, || {
                format!("{unwanted:?} is in {}", Shown(value))
            })
        }),
        ("$all", Value::Array(all)) => all.iter().try_for_each(|one| matches_at(one, value, at)),
        ("$or", Value::Array(any)) => matches_any(any, value, at),
        ("$contains", Value::Array(wanted)) => contains(wanted, value, at),
        ("$len", wanted) => {
            let length = length(value);
            require(length.is_some_and(|length| equal(wanted, &length.into())), at, || {
                format!("the length of {} is not {wanted}", Shown(value))
            })
        }
        ("$last", last) => match value.as_array().and_then(|items| items.last()) {
            Some(item) => matches_at(last, item, &format!("{at}[-1]")),
            None => Err(mismatch(at, format!("{} has no last item", Shown(value)))),
        },
        ("$json", inner) => match value.as_str().map(serde_json::from_str::<Value>) {
            Some(Ok(parsed)) => matches_at(inner, &parsed, &format!("{at}:json")),
            _ => Err(mismatch(at, format!("{} is not text of JSON", Shown(value)))),
        },
        _ => Err(mismatch(at, format!("the matcher {name} is unknown or has a wrong argument"))),
    }
}

fn matches_object(matcher: &Map<String, Value>, value: &Value, at: &str) -> Result<(), Mismatch> {
    let Value::Object(object) = value else {
        return Err(mismatch(at, format!("{}, want an object", Shown(value))));
    };
    matcher.iter().try_for_each(|(key, wanted)| {
        let at = format!("{at}.{key}");
        match object.get(key) {
            Some(value) => matches_at(wanted, value, &at),
            None => {
                let keys: Vec<&String> = object.keys().collect();
                Err(mismatch(&at, format!("missing (keys {keys:?})")))
            }
        }
    })
}

fn matches_list(matchers: &[Value], value: &Value, at: &str) -> Result<(), Mismatch> {
    let items = value.as_array().filter(|items| items.len() == matchers.len());
    let Some(items) = items else {
        let problem = format!("{}, want a list of {}", Shown(value), matchers.len());
        return Err(mismatch(at, problem));
    };
    let mut pairs = matchers.iter().zip(items).enumerate();
    pairs.try_for_each(|(index, (matcher, item))| {
        matches_at(matcher, item, &format!("{at}[{index}]"))
    })
}

fn matches_any(any: &[Value], value: &Value, at: &str) -> Result<(), Mismatch> {
    let mut problems = Vec::new();
    for one in any {
        match matches_at(one, value, at) {
            Ok(()) => return Ok(()),
            Err(mismatch) => problems.push(mismatch.to_string()),
        }
    }
    Err(mismatch(at, format!("none fits: {}", problems.join(" | "))))
}

fn contains(wanted: &[Value], value: &Value, at: &str) -> Result<(), Mismatch> {
    let Value::Array(items) = value else {
        return Err(mismatch(at, format!("{} is no list", Shown(value))));
    };
    let mut items = items.iter();
    wanted.iter().try_for_each(|matcher| {
        let found = items.any(|item| matches_at(matcher, item, at).is_ok());
        require(found, at, || format!("nothing (left) fits {} in {}", Shown(matcher), Shown(value)))
    })
}

fn has_exactly(wanted: &BTreeSet<&str>, value: &Value, at: &str) -> Result<(), Mismatch> {
    let object = value.as_object();
    let keys = object.map(|object| object.keys().map(String::as_str).collect::<BTreeSet<_>>());
    require(keys.as_ref() == Some(wanted), at, || match &keys {
        Some(keys) => format!("keys {keys:?}, want {wanted:?}"),
        None => format!("{} is no object", Shown(value)),
    })
}

/// Checks each text of an argument that is one or a list of them.
fn each_text(
    name: &str,
    argument: &Value,
    at: &str,
    mut check: impl FnMut(&str) -> Result<(), Mismatch>,
) -> Result<(), Mismatch> {
    let texts = match argument {
        Value::Array(texts) => texts.as_slice(),
        one => std::slice::from_ref(one),
    };
    texts.iter().try_for_each(|text| match text.as_str() {
        Some(text) => check(text),
        None => Err(mismatch(at, format!("{name} takes texts"))),
    })
}

/// Returns the value where it is a text, else its JSON.
fn text_of(value: &Value) -> Cow<'_, str> {
    match value {
        Value::String(text) => text.into(),
        other => spaced_json(other).into(),
    }
}

fn length(value: &Value) -> Option<usize> {
    match value {
        Value::String(text) => Some(text.chars().count()),
        Value::Array(items) => Some(items.len()),
        Value::Object(object) => Some(object.len()),
        Value::Null | Value::Bool(_) | Value::Number(_) => None,
    }
}

/// Returns whether plain values are equal. A number with a fraction is compared by value, and
/// fits a whole one; whole numbers are compared as they stand.
fn equal(wanted: &Value, value: &Value) -> bool {
    match (wanted, value) {
        (Value::Number(wanted), Value::Number(value)) if wanted.is_f64() || value.is_f64() => {
            match (wanted.as_f64(), value.as_f64()) {
                (Some(wanted), Some(value)) => (wanted - value).abs() < 1e-9,
                _ => false,
            }
        }
        _ => wanted == value,
    }
}

fn is_uuid(text: &str) -> bool {
    let groups: Vec<&str> = text.split('-').collect();
    let is_hex = |group: &&str| {
        group.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
    };
    groups.iter().map(|group| group.len()).eq([8, 4, 4, 4, 12]) && groups.iter().all(is_hex)
}

fn require(holds: bool, at: &str, problem: impl FnOnce() -> String) -> Result<(), Mismatch> {
    if holds { Ok(()) } else { Err(mismatch(at, problem())) }
}

fn mismatch(at: &str, problem: String) -> Mismatch {
    Mismatch { at: at.to_owned(), problem }
}

#[cfg(test)]
mod tests;
