//! A server's question to the user, as questions that every front end can ask.
//!
//! Owns how a form becomes one question a field, and which answers fit. Must not ask by itself.

#[cfg(test)]
mod tests;

use crate::content::one_line;
use crate::front::Front;
use letscode_wire::UiRequest;
use rmcp::model::{ElicitRequestParams, ElicitResult, ElicitationAction};
use serde_json::{Map, Value, json};

/// The longest question, in characters.
const LONGEST: usize = 600;

/// How often a field is asked for until its answer fits.
const TRIES: usize = 3;

/// Asks the user what `server` wants to know. A declined question declines the whole.
pub(crate) async fn ask(
    server: &str,
    request: ElicitRequestParams,
    front: &dyn Front,
) -> ElicitResult {
    let content = match request {
        ElicitRequestParams::FormElicitationParams { message, requested_schema, .. } => {
            let order = requested_schema.property_order.clone();
            let schema = serde_json::to_value(requested_schema).unwrap_or_default();
            form(server, &message, &schema, order, front).await
        }
        ElicitRequestParams::UrlElicitationParams { message, url, .. } => {
            let text = format!("{message}\n{url}\nOpen this address, then answer yes.");
            confirm(server, &text, front).await.then_some(Value::Null)
        }
        _ => None,
    };
    match content {
        Some(Value::Null) => ElicitResult::new(ElicitationAction::Accept),
        Some(content) => ElicitResult::new(ElicitationAction::Accept).with_content(content),
        None => ElicitResult::new(ElicitationAction::Decline),
    }
}

/// Asks for one field after the other; nothing where the user does not want to answer.
async fn form(
    server: &str,
    message: &str,
    schema: &Value,
    order: Option<Vec<String>>,
    front: &dyn Front,
) -> Option<Value> {
    let empty = Map::new();
    let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&empty);
    if properties.is_empty() {
        return confirm(server, message, front).await.then(|| json!({}));
    }
    let names = order.unwrap_or_else(|| properties.keys().cloned().collect());
    let mut content = Map::new();
    for (index, name) in names.iter().enumerate() {
        let Some(property) = properties.get(name) else { continue };
        let required = schema
            .get("required")
            .and_then(Value::as_array)
            .is_some_and(|required| required.iter().any(|field| field == name));
        let lead = if index == 0 { message } else { "" };
        let field = Field { server, lead, name, property, required };
        match field.ask(front).await {
            Answer::Given(value) => drop(content.insert(name.clone(), value)),
            Answer::LeftOut => {}
            Answer::Declined => return None,
        }
    }
    Some(Value::Object(content))
}

async fn confirm(server: &str, text: &str, front: &dyn Front) -> bool {
    let title = format!("MCP server {server}");
    let text = bounded(text);
    front.ask(UiRequest::Confirm { title, text }).await == Some(Value::Bool(true))
}

/// One field of a form.
struct Field<'a> {
    server: &'a str,
    /// What stands before the question.
    lead: &'a str,
    name: &'a str,
    property: &'a Value,
    required: bool,
}

/// What came of asking for a field.
#[derive(Debug, PartialEq)]
enum Answer {
    Given(Value),
    LeftOut,
    Declined,
}

impl Field<'_> {
    async fn ask(&self, front: &dyn Front) -> Answer {
        let (values, labels) = choices(self.property);
        let kind = self.property.get("type").and_then(Value::as_str).unwrap_or("string");
        if kind == "boolean" {
            let options = vec!["yes".into(), "no".into()];
            let request = UiRequest::Select { text: self.question(None), options };
            return match front.ask(request).await.and_then(|answer| answer.as_u64()) {
                Some(place) => Answer::Given(Value::Bool(place == 0)),
                None => Answer::Declined,
            };
        }
        if !values.is_empty() && kind != "array" {
            let request = UiRequest::Select { text: self.question(None), options: labels };
            let place = front.ask(request).await.and_then(|answer| answer.as_u64());
            let value = place
                .and_then(|place| usize::try_from(place).ok())
                .and_then(|place| values.get(place));
            return value.map_or(Answer::Declined, |value| Answer::Given(value.clone()));
        }
        self.ask_for_text(kind, &values, front).await
    }

    async fn ask_for_text(&self, kind: &str, values: &[Value], front: &dyn Front) -> Answer {
        let default = self.property.get("default").map(plain);
        let mut problem = None;
        for _ in 0..TRIES {
            let request = UiRequest::Input {
                text: self.question(problem.as_deref()),
                placeholder: (!values.is_empty()).then(|| plain(&Value::Array(values.to_vec()))),
                default: default.clone(),
            };
            let Some(text) = front.ask(request).await.and_then(|a| a.as_str().map(str::to_owned))
            else {
                return Answer::Declined;
            };
            if text.is_empty() && !self.required {
                return Answer::LeftOut;
            }
            match read(kind, &text, values) {
                Ok(value) => return Answer::Given(value),
                Err(wrong) => problem = Some(wrong),
            }
        }
        Answer::Declined
    }

    fn question(&self, problem: Option<&str>) -> String {
        let text = |key: &str| self.property.get(key).and_then(Value::as_str);
        let mut question = format!("MCP server {}: ", self.server);
        if !self.lead.is_empty() {
            question.push_str(self.lead);
            question.push('\n');
        }
        question.push_str(text("title").unwrap_or(self.name));
        if let Some(description) = text("description") {
            question.push_str(&format!(" ({description})"));
        }
        if !self.required {
            question.push_str(" [optional]");
        }
        if let Some(problem) = problem {
            question.push_str(&format!("\n{problem}"));
        }
        bounded(&question)
    }
}

/// Returns what may be chosen, and how each choice is called.
fn choices(property: &Value) -> (Vec<Value>, Vec<String>) {
    let items = property.get("items").unwrap_or(property);
    let named = items.get("oneOf").or_else(|| items.get("anyOf")).and_then(Value::as_array);
    if let Some(named) = named {
        let value = |choice: &Value| choice.get("const").cloned();
        let label = |choice: &Value| choice.get("title").or(choice.get("const")).map(plain);
        return (
            named.iter().filter_map(value).collect(),
            named.iter().filter_map(label).collect(),
        );
    }
    let values: Vec<Value> =
        items.get("enum").and_then(Value::as_array).cloned().unwrap_or_default();
    let labels = match property.get("enumNames").and_then(Value::as_array) {
        Some(names) if names.len() == values.len() => names.iter().map(plain).collect(),
        _ => values.iter().map(plain).collect(),
    };
    (values, labels)
}

/// Reads a typed answer.
fn read(kind: &str, text: &str, values: &[Value]) -> Result<Value, String> {
    let text = text.trim();
    match kind {
        "integer" => {
            text.parse::<i64>().map(Value::from).map_err(|_| "a whole number, please".into())
        }
        "number" => text
            .parse::<f64>()
            .ok()
            .filter(|number| number.is_finite())
            .map(Value::from)
            .ok_or_else(|| "a number, please".into()),
        "array" => {
            let words = text.split(',').map(str::trim).filter(|word| !word.is_empty());
            let chosen: Vec<Value> = words.map(Value::from).collect();
            match chosen.iter().find(|word| !values.is_empty() && !values.contains(word)) {
                Some(odd) => {
                    let all: Vec<String> = values.iter().map(plain).collect();
                    Err(format!("{} is none of {}", plain(odd), all.join(", ")))
                }
                None => Ok(Value::Array(chosen)),
            }
        }
        _ => Ok(Value::from(text)),
    }
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(plain).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}

fn bounded(text: &str) -> String {
    let lines: Vec<String> = text.lines().take(12).map(|line| one_line(line, LONGEST)).collect();
    lines.join("\n").chars().take(LONGEST).collect()
}
