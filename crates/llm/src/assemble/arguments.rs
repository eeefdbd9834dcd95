//! The arguments of one tool call: when they are complete, and what they say.
//!
//! Owns the leniency towards their text and the words for what is wrong with it. Must not know
//! any tool.

use serde_json::error::Category;
use serde_json::{Map, Value};

/// How the answer that holds the arguments ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AnswerEnd {
    /// The model was done.
    Whole,
    /// The output limit cut the answer off.
    CutOff,
}

/// Returns the arguments that `text` holds.
///
/// Blank text (and `null`) is no arguments, unless the answer was cut off. JSON text in a JSON
/// string is taken out of it.
///
/// # Errors
/// Gives the reason in words that the model can act on.
pub(super) fn parse_arguments(text: &str, end: AnswerEnd) -> Result<Map<String, Value>, String> {
    if text.trim().is_empty() {
        return match end {
            AnswerEnd::Whole => Ok(Map::new()),
            AnswerEnd::CutOff => Err(cut_off(text)),
        };
    }
    let value = match serde_json::from_str(text) {
        Ok(Value::String(inner)) => {
            serde_json::from_str(&inner).map_err(|error| describe(&error, &inner, end))?
        }
        Ok(value) => value,
        Err(error) => return Err(describe(&error, text, end)),
    };
    match value {
        Value::Object(arguments) => Ok(arguments),
        Value::Null => Ok(Map::new()),
        Value::Bool(_) => Err(not_an_object("a boolean")),
        Value::Number(_) => Err(not_an_object("a number")),
        Value::String(_) => Err(not_an_object("a string")),
        Value::Array(_) => Err(not_an_object("a list")),
    }
}

fn describe(error: &serde_json::Error, text: &str, end: AnswerEnd) -> String {
    match (error.classify(), end) {
        (Category::Eof, AnswerEnd::CutOff) => cut_off(text),
        (Category::Eof, AnswerEnd::Whole) => format!(
            "the arguments end too early, after {} characters, so they were probably cut off by \
             the output limit; the call was not run, send it again, in smaller pieces if it is long",
            text.chars().count()
        ),
        (Category::Io | Category::Syntax | Category::Data, _) => format!(
            "the arguments are not valid JSON: {error}; the call was not run, send it again with \
             one JSON object as arguments"
        ),
    }
}

fn cut_off(text: &str) -> String {
    format!(
        "the output limit cut the arguments off after {} characters; the call was not run, send it \
         again in smaller pieces",
        text.chars().count()
    )
}

fn not_an_object(kind: &str) -> String {
    format!(
        "the arguments are {kind} instead of a JSON object; the call was not run, send it again \
         with one JSON object as arguments"
    )
}

/// Follows JSON text piece by piece and tells when its one value is closed. Looks at each byte
/// once; does not check the text further.
#[derive(Debug, Default)]
pub(super) struct JsonProgress {
    depth: usize,
    place: Place,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Before the value, or between the tokens of an open one.
    #[default]
    Outside,
    InString,
    /// After a backslash in a string.
    InEscape,
    /// After the value's last byte.
    Closed,
}

impl JsonProgress {
    /// Takes the next piece.
    pub(super) fn take(&mut self, text: &str) {
        for byte in text.bytes() {
            self.place = match (self.place, byte) {
                (Place::InString, b'\\') => Place::InEscape,
                (Place::InString, b'"') if self.depth == 0 => Place::Closed,
                (Place::InString, b'"') => Place::Outside,
                (Place::InString, _) | (Place::InEscape, _) => Place::InString,
                (Place::Outside, b'"') => Place::InString,
                (Place::Outside, b'{' | b'[') => {
                    self.depth += 1;
                    Place::Outside
                }
                (Place::Outside, b'}' | b']') => {
                    self.depth = self.depth.saturating_sub(1);
                    if self.depth == 0 { Place::Closed } else { Place::Outside }
                }
                (place @ (Place::Outside | Place::Closed), _) => place,
            };
        }
    }

    /// Returns whether an object, a list or a string has been closed.
    pub(super) fn is_complete(&self) -> bool {
        self.place == Place::Closed
    }
}
