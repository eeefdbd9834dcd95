//! The best words, and the codes, out of any error body.
//!
//! Owns the shapes in which servers report errors. Must not judge them.

use reqwest::StatusCode;
use serde_json::{Map, Value};

/// A body is read this deep; deeper ones are somebody's data.
const DEPTH_LIMIT: usize = 8;

/// What an error body says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ErrorBody {
    /// The most telling message; empty where there is none.
    pub(crate) message: String,
    /// Its codes, types and statuses, in lower case.
    pub(crate) codes: Vec<String>,
    /// Message, codes, parameter and place, in lower case: what a refusal may be about.
    pub(crate) named: String,
    /// All texts that may hold hints, such as a pause, as they stand.
    pub(crate) hints: String,
    /// The size of the server's context in tokens, where it has a member of its own.
    pub(crate) context_size: Option<u64>,
}

impl ErrorBody {
    /// Reads a body of any shape.
    pub(crate) fn read(body: &[u8]) -> Self {
        let text = String::from_utf8_lossy(body);
        let text = text.trim();
        let mut found = Found::default();
        match serde_json::from_str::<Value>(text) {
            Ok(value) => found.visit(&value, 0),
            Err(_) if text.starts_with('<') => found.messages.push(text_of_page(text)),
            Err(_) => found.messages.push(text.to_owned()),
        }
        found.into_body(text)
    }

    /// Returns the HTTP status that the codes name, for errors that come without one.
    pub(crate) fn status(&self) -> Option<StatusCode> {
        let statuses = self.codes.iter().filter_map(|code| code.parse::<u16>().ok());
        statuses
            .filter(|code| (400..600).contains(code))
            .find_map(|it| StatusCode::from_u16(it).ok())
    }

    /// Returns which tool the error names by its place in the request, if it does.
    pub(crate) fn tool_index(&self) -> Option<usize> {
        let (_, rest) = ["tools", "function_declarations"].iter().find_map(|list| {
            self.named.split_once(list).filter(|(_, it)| it.starts_with(['[', '.']))
        })?;
        let rest = rest.get(1..)?;
        let end = rest.find(|character: char| !character.is_ascii_digit()).unwrap_or(rest.len());
        rest.get(..end)?.parse().ok()
    }
}

#[derive(Default)]
struct Found {
    /// From the most general to the most telling.
    messages: Vec<String>,
    codes: Vec<String>,
    places: Vec<String>,
    hints: Vec<String>,
    context_size: Option<u64>,
}

impl Found {
    fn visit(&mut self, value: &Value, depth: usize) {
        if depth > DEPTH_LIMIT {
            return;
        }
        match value {
            Value::String(text) => self.visit_text(text, depth),
            Value::Array(items) => self.visit_list(items, depth),
            Value::Object(object) => self.visit_object(object, depth),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    /// A text may itself be the JSON of an error from further behind.
    fn visit_text(&mut self, text: &str, depth: usize) {
        let text = text.trim();
        let nested = text.starts_with(['{', '[']).then(|| serde_json::from_str::<Value>(text).ok());
        match nested.flatten() {
            Some(value) => {
                let before = self.messages.len();
                self.visit(&value, depth + 1);
                if self.messages.len() == before {
                    self.messages.push(text.to_owned());
                }
            }
            None if text.starts_with('<') => self.messages.push(text_of_page(text)),
            None if !text.is_empty() => self.messages.push(text.to_owned()),
            None => {}
        }
    }

    /// Lists hold one error, or one problem each: those are said together.
    fn visit_list(&mut self, items: &[Value], depth: usize) {
        let before = self.messages.len();
        for item in items.iter().take(10) {
            self.visit(item, depth + 1);
        }
        let together = self.messages.split_off(before.min(self.messages.len()));
        if !together.is_empty() {
            self.messages.push(together.join("; "));
        }
    }

    fn visit_object(&mut self, object: &Map<String, Value>, depth: usize) {
        for name in ["code", "type", "status", "error_code", "error_type", "status_code"] {
            match object.get(name) {
                Some(Value::String(text)) if !text.is_empty() => {
                    self.codes.push(text.to_ascii_lowercase());
                }
                Some(Value::Number(number)) => self.codes.push(number.to_string()),
                _ => {}
            }
        }
        if let Some(param) = object.get("param").and_then(Value::as_str) {
            self.places.push(param.to_owned());
        }
        self.context_size =
            self.context_size.or_else(|| object.get("n_ctx").and_then(Value::as_u64));
        let place = object.get("loc").and_then(Value::as_array).map(|steps| joined_steps(steps));
        for name in ["error", "errors", "detail", "message", "msg", "error_message", "error_msg"] {
            let Some(value) = object.get(name) else { continue };
            match (&place, value) {
                (Some(place), Value::String(text)) => {
                    self.messages.push(format!("{place}: {text}"));
                }
                _ => self.visit(value, depth + 1),
            }
        }
        for name in ["title", "reason", "error_description", "description", "exception"] {
            if self.messages.is_empty()
                && let Some(Value::String(text)) = object.get(name)
            {
                self.visit_text(text, depth);
            }
        }
        self.places.extend(place);
        if let Some(Value::Object(metadata)) = object.get("metadata") {
            self.visit_metadata(metadata, depth);
        }
        for detail in object.get("details").and_then(Value::as_array).into_iter().flatten() {
            if let Some(delay) = detail.get("retryDelay").and_then(Value::as_str) {
                self.hints.push(format!("retryDelay: {delay}"));
            }
            if let Some(reason) = detail.get("reason").and_then(Value::as_str) {
                self.codes.push(reason.to_ascii_lowercase());
            }
        }
    }

    /// A router says only that its provider failed; the provider's own words are in here.
    fn visit_metadata(&mut self, metadata: &Map<String, Value>, depth: usize) {
        let Some(raw) = metadata.get("raw") else { return };
        self.visit(raw, depth + 1);
        if let (Some(last), Some(provider)) =
            (self.messages.last_mut(), metadata.get("provider_name").and_then(Value::as_str))
        {
            last.push_str(&format!(" (from {provider})"));
        }
    }

    fn into_body(mut self, whole: &str) -> ErrorBody {
        self.messages.retain(|message| !message.trim().is_empty());
        self.hints.extend(self.messages.iter().cloned());
        // The codes of a body without words are better than nothing, and so is the body itself.
        let message = match (self.messages.last(), self.codes.first()) {
            (Some(message), _) => message.clone(),
            (None, Some(code)) => code.clone(),
            (None, None) => whole.to_owned(),
        };
        let mut named = self.messages.join(" ");
        for more in self.places.iter().chain(&self.codes) {
            named.push(' ');
            named.push_str(more);
        }
        ErrorBody {
            message,
            named: named.trim().to_ascii_lowercase(),
            codes: self.codes,
            hints: self.hints.join(" "),
            context_size: self.context_size,
        }
    }
}

/// Returns a place such as `body.messages.1.reasoning_content`.
fn joined_steps(steps: &[Value]) -> String {
    let steps: Vec<String> = steps
        .iter()
        .map(|step| step.as_str().map_or_else(|| step.to_string(), str::to_owned))
        .collect();
    steps.join(".")
}

/// Returns the title of a page, or else its text without tags, scripts and styles.
fn text_of_page(page: &str) -> String {
    let lower = page.to_ascii_lowercase();
    let between = |open: &str, close: &str| {
        let start = lower.find(open)?;
        let start = start + lower.get(start..)?.find('>')? + 1;
        let end = start + lower.get(start..)?.find(close)?;
        page.get(start..end)
    };
    if let Some(title) = between("<title", "</title").filter(|title| !title.trim().is_empty()) {
        return title.trim().to_owned();
    }
    let mut text = String::new();
    let mut rest = page;
    let mut hidden = false;
    while let Some((before, tag)) = rest.split_once('<') {
        if !hidden {
            text.push_str(before);
            text.push(' ');
        }
        let name = tag.to_ascii_lowercase();
        if name.starts_with("script") || name.starts_with("style") {
            hidden = true;
        } else if name.starts_with("/script") || name.starts_with("/style") {
            hidden = false;
        }
        rest = tag.split_once('>').map_or("", |(_, behind)| behind);
    }
    if !hidden {
        text.push_str(rest);
    }
    text.trim().to_owned()
}
