//! What a schema says of a single value: its choices and its limits.
//!
//! Owns `enum`, `const` and the least and most of numbers, strings and lists. Must not walk.

use super::mend::Type;
use super::problem::{Path, Problems, excerpt};
use super::walk::{Fit, Keywords};
use serde_json::Value;

/// Returns the values to choose from, where they are named.
pub(super) fn choices(keywords: &Keywords) -> Option<&[Value]> {
    let choices = keywords.get("enum").and_then(Value::as_array).map(Vec::as_slice);
    choices.or_else(|| keywords.get("const").map(std::slice::from_ref))
}

/// Returns the choices in words.
pub(super) fn choice_text(choices: &[Value]) -> String {
    let texts: Vec<String> = choices.iter().map(excerpt).collect();
    match texts.as_slice() {
        [only] => only.clone(),
        several => format!("one of {}", several.join(", ")),
    }
}

/// Returns the choice that `value` is, or is meant to be.
pub(super) fn fit_choice(keywords: &Keywords, value: Value, path: &Path<'_>) -> Fit {
    let Some(choices) = choices(keywords) else { return Ok(value) };
    if let Some(choice) = choices.iter().find(|choice| is_same(choice, &value)) {
        return Ok(choice.clone());
    }
    let is_meant = |choice: &&Value| {
        Type::of(choice).mend(&value).is_some_and(|mended| is_same(choice, &mended))
    };
    match choices.iter().find(is_meant) {
        Some(choice) => Ok(choice.clone()),
        None => Err(Problems::of_misfit(path, &choice_text(choices), &value)),
    }
}

/// Returns an error when `value` is too small or too large.
pub(super) fn fit_limits(
    keywords: &Keywords,
    value: &Value,
    path: &Path<'_>,
) -> Result<(), Problems> {
    for limit in LIMITS {
        let Some(at) = keywords.get(limit.keyword).and_then(Value::as_f64) else { continue };
        if (limit.measure)(value).is_some_and(|size| !(limit.holds)(&size, &at)) {
            let wanted = format!("{} {at}{}", limit.before, limit.behind);
            return Err(Problems::of_misfit(path, &wanted, value));
        }
    }
    Ok(())
}

/// A keyword that limits a value.
struct Limit {
    keyword: &'static str,
    /// Returns what is limited, of a value of the kind that the keyword is for.
    measure: fn(&Value) -> Option<f64>,
    holds: fn(&f64, &f64) -> bool,
    /// What the words before and behind the limit are.
    before: &'static str,
    behind: &'static str,
}

#[rustfmt::skip]
const LIMITS: &[Limit] = &[
    Limit { keyword: "minimum", measure: number, holds: f64::ge, before: "at least", behind: "" },
    Limit { keyword: "maximum", measure: number, holds: f64::le, before: "at most", behind: "" },
    Limit { keyword: "exclusiveMinimum", measure: number, holds: f64::gt, before: "more than", behind: "" },
    Limit { keyword: "exclusiveMaximum", measure: number, holds: f64::lt, before: "less than", behind: "" },
    Limit { keyword: "minLength", measure: length, holds: f64::ge, before: "at least", behind: " characters long" },
    Limit { keyword: "maxLength", measure: length, holds: f64::le, before: "at most", behind: " characters long" },
    Limit { keyword: "minItems", measure: count, holds: f64::ge, before: "a list of at least", behind: "" },
    Limit { keyword: "maxItems", measure: count, holds: f64::le, before: "a list of at most", behind: "" },
];

fn number(value: &Value) -> Option<f64> {
    value.as_f64()
}

fn length(value: &Value) -> Option<f64> {
    value.as_str().and_then(|text| float(text.chars().count()))
}

fn count(value: &Value) -> Option<f64> {
    value.as_array().and_then(|elements| float(elements.len()))
}

fn float(count: usize) -> Option<f64> {
    u32::try_from(count).ok().map(f64::from)
}

/// Returns whether two values are equal, where `1` and `1.0` are.
fn is_same(one: &Value, other: &Value) -> bool {
    one == other || (one.is_number() && other.is_number() && one.as_f64() == other.as_f64())
}
