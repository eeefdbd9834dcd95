//! The safe conversions between the types of JSON.
//!
//! Owns which wrong value has one clear meaning. Must not look at schemas.

use serde_json::{Number, Value};

/// A type of JSON Schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Type {
    Null,
    Boolean,
    Integer,
    Number,
    String,
    Array,
    Object,
}

impl Type {
    /// Returns the type with this name; `None` for a name that means nothing.
    pub(super) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "null" => Self::Null,
            "boolean" => Self::Boolean,
            "integer" => Self::Integer,
            "number" => Self::Number,
            "string" => Self::String,
            "array" => Self::Array,
            "object" => Self::Object,
            _ => return None,
        })
    }

    /// Returns the type of `value`.
    pub(super) fn of(value: &Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(_) => Self::Boolean,
            Value::Number(_) => Self::Number,
            Value::String(_) => Self::String,
            Value::Array(_) => Self::Array,
            Value::Object(_) => Self::Object,
        }
    }

    /// Returns the type in words.
    pub(super) fn wanted(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Boolean => "true or false",
            Self::Integer => "an integer",
            Self::Number => "a number",
            Self::String => "a string",
            Self::Array => "a list",
            Self::Object => "an object",
        }
    }

    /// Returns whether `value` is of this type.
    pub(super) fn holds(self, value: &Value) -> bool {
        match (self, value) {
            (Self::Integer, Value::Number(number)) => is_integer(number),
            (Self::Null, Value::Null)
            | (Self::Boolean, Value::Bool(_))
            | (Self::Number, Value::Number(_))
            | (Self::String, Value::String(_))
            | (Self::Array, Value::Array(_))
            | (Self::Object, Value::Object(_)) => true,
            _ => false,
        }
    }

    /// Returns what `value` means as this type, if that is clear. A single value for a list is
    /// not tried here.
    pub(super) fn mend(self, value: &Value) -> Option<Value> {
        match (self, value) {
            (Self::Boolean, Value::String(text)) => match text.trim() {
                "true" | "True" => Some(Value::Bool(true)),
                "false" | "False" => Some(Value::Bool(false)),
                _ => None,
            },
            (Self::Integer | Self::Number, Value::String(text)) => {
                let number = serde_json::from_str::<Number>(text.trim()).ok()?;
                let number = Value::Number(number);
                self.holds(&number).then(|| self.normal(number))
            }
            (Self::String, Value::Number(_) | Value::Bool(_)) => {
                Some(Value::String(value.to_string()))
            }
            (Self::Array | Self::Object, Value::String(text)) => {
                serde_json::from_str(text).ok().filter(|value| self.holds(value))
            }
            _ => None,
        }
    }

    /// Returns a value of this type in its usual form: an integer without a fraction.
    pub(super) fn normal(self, value: Value) -> Value {
        match (self, value.as_f64()) {
            (Self::Integer, Some(float)) if value.is_f64() => {
                whole(float).map_or(value, |number| Value::Number(number.into()))
            }
            _ => value,
        }
    }
}

fn is_integer(number: &Number) -> bool {
    !number.is_f64() || number.as_f64().is_some_and(|float| float.fract() == 0.0)
}

/// Returns `float` as an integer where no digit is lost by it.
fn whole(float: f64) -> Option<i64> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    #[expect(clippy::cast_possible_truncation, reason = "the range is checked")]
    (float.fract() == 0.0 && float.abs() <= EXACT).then_some(float as i64)
}
