//! What does not fit, in words that a model can act on.
//!
//! Owns the wording. Must not decide anything.

use serde_json::Value;
use std::fmt;

/// The longest excerpt of a value that a message shows, in characters.
const EXCERPT: usize = 60;

/// Why arguments do not fit their schema.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", problems.join("; "))]
pub struct ArgumentError {
    /// One misfit each, with the field's name, what is wanted and what was given.
    pub problems: Vec<String>,
}

/// Where in the arguments a value stands.
#[derive(Debug, Clone, Copy)]
pub(super) enum Path<'a> {
    /// The arguments as a whole.
    Root,
    /// A field of an object.
    Field(&'a Self, &'a str),
    /// An element of a list.
    Element(&'a Self, usize),
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Root => Ok(()),
            Self::Field(Self::Root, name) => formatter.write_str(name),
            Self::Field(parent, name) => write!(formatter, "{parent}.{name}"),
            Self::Element(parent, index) => write!(formatter, "{parent}[{index}]"),
        }
    }
}

/// The misfits found so far.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Problems {
    found: Vec<String>,
}

impl Problems {
    /// Returns the one misfit of a value that is not what is wanted.
    pub(super) fn of_misfit(path: &Path<'_>, wanted: &str, given: &Value) -> Self {
        let subject = subject(path);
        let found = format!("{subject} must be {wanted}, but {} was given", describe(given));
        Self { found: vec![found] }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    pub(super) fn count(&self) -> usize {
        self.found.len()
    }

    pub(super) fn extend(&mut self, other: Self) {
        self.found.extend(other.found);
    }

    /// Notes a required field that is not there. `given` are the unknown fields that are: one of
    /// them may be meant.
    pub(super) fn missing(&mut self, path: &Path<'_>, wanted: Option<&str>, given: &[&str]) {
        let mut remarks: Vec<String> = wanted.map(str::to_owned).into_iter().collect();
        if !given.is_empty() {
            remarks.push(format!("unknown fields given: {}", quoted(given)));
        }
        let mut text = format!("the required field `{path}` is missing");
        if !remarks.is_empty() {
            text.push_str(&format!(" ({})", remarks.join("; ")));
        }
        self.found.push(text);
    }

    /// Notes a field that the schema forbids.
    pub(super) fn unknown(&mut self, path: &Path<'_>, known: &[&str]) {
        let known = if known.is_empty() { "none".to_owned() } else { quoted(known) };
        self.found.push(format!("there is no field `{path}` (the fields are: {known})"));
    }

    pub(super) fn into_error(self) -> ArgumentError {
        ArgumentError { problems: self.found }
    }
}

fn subject(path: &Path<'_>) -> String {
    match path {
        Path::Root => "the arguments".to_owned(),
        Path::Field(..) | Path::Element(..) => format!("`{path}`"),
    }
}

fn quoted(names: &[&str]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    names.join(", ")
}

/// Returns what a value is, and what it holds where that is short.
fn describe(value: &Value) -> String {
    let kind = match value {
        Value::Null => return "null".to_owned(),
        Value::Bool(value) => return value.to_string(),
        Value::Number(_) => "the number",
        Value::String(_) => "the string",
        Value::Array(_) => "the list",
        Value::Object(_) => "the object",
    };
    format!("{kind} {}", excerpt(value))
}

/// Returns the beginning of a value as JSON.
pub(super) fn excerpt(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(EXCERPT) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text,
    }
}
