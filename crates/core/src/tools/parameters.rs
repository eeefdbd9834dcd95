//! Reads the parameters of a call whose arguments already fit the tool's schema.
//!
//! Owns the reading of absent, `null` and oddly written values. Must not check types again.

use super::ToolError;
use serde_json::{Map, Value};

/// Returns a text parameter; empty where it is absent.
pub(super) fn text<'a>(arguments: &'a Map<String, Value>, name: &str) -> &'a str {
    arguments.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// Returns a path parameter, which must not be empty.
pub(super) fn path(arguments: &Map<String, Value>) -> Result<&str, ToolError> {
    match text(arguments, "path") {
        "" => Err(ToolError::new("path is empty: name a file")),
        path => Ok(path),
    }
}

/// Returns whether a switch is on.
pub(super) fn is_on(arguments: &Map<String, Value>, name: &str) -> bool {
    arguments.get(name).and_then(Value::as_bool).unwrap_or_default()
}

/// Returns a whole number of at least `least`, or nothing where it is absent.
pub(super) fn whole_number(
    arguments: &Map<String, Value>,
    name: &str,
    least: u64,
) -> Result<Option<u64>, ToolError> {
    let Some(number) = arguments.get(name).and_then(Value::as_number) else {
        return Ok(None);
    };
    // JSON Schema counts 3.0 as an integer.
    let value = number.as_u64().or_else(|| whole(number.as_f64()?));
    match value {
        Some(value) if value >= least => Ok(Some(value)),
        Some(_) | None => {
            Err(ToolError::new(format!("{name} is {number}: it must be at least {least}")))
        }
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a cast from a float saturates, and only whole, positive ones get here"
)]
fn whole(value: f64) -> Option<u64> {
    (value >= 0.0 && value.fract() == 0.0).then_some(value as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn whole_numbers_in_every_spelling() {
        let read = |value: Value| {
            let arguments = json!({ "limit": value });
            whole_number(arguments.as_object().unwrap(), "limit", 1).map_err(|error| error.message)
        };
        assert_eq!(read(json!(7)), Ok(Some(7)));
        assert_eq!(read(json!(7.0)), Ok(Some(7)));
        assert_eq!(read(json!(1e30)), Ok(Some(u64::MAX)));
        assert_eq!(read(Value::Null), Ok(None));
        for (value, shown) in [(json!(0), "0"), (json!(-3), "-3"), (json!(-1.0), "-1.0")] {
            assert_eq!(read(value), Err(format!("limit is {shown}: it must be at least 1")));
        }
    }
}
