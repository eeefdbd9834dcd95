//! What particular servers refuse beyond the common rules.
//!
//! Owns the rules and the error answers that such servers give. A test selects them with
//! [`SseServer::be_strict`](super::SseServer::be_strict) to see how a client adapts.

use super::validity::{calls, messages, violations};
use serde_json::{Value, json};

/// A rule of a strict server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StrictRule {
    /// Anything that [`violations`] finds is refused with 400.
    Valid,
    /// An assistant message with calls must have `reasoning_content` (DeepSeek, Kimi).
    ReasoningRequired,
    /// Reasoning must not come back (Mistral, Groq).
    NoReasoning,
    /// Each call must bring its `extra_content.google.thought_signature` back (Gemini).
    SignatureRequired,
    /// `stream_options` is unknown (Mistral, Databricks).
    NoStreamOptions,
    /// Call ids are 9 letters and digits (Mistral).
    NineCharacterIds,
    /// A schema's `type` must not be a list (Gemini).
    NoTypeLists,
    /// An object schema needs `properties`.
    PropertiesRequired,
    /// `max_tokens` is not supported, `max_completion_tokens` is (OpenAI's reasoning models).
    NoMaxTokens,
    /// `max_completion_tokens` is unknown.
    NoMaxCompletionTokens,
    /// Only the oldest keys are known: no reasoning effort, no stream options.
    OldKeysOnly,
    /// An assistant's content must not be `null`, with calls neither.
    NoNullContent,
}

impl StrictRule {
    /// Returns the status and body that refuse this request, if the rule does.
    pub(super) fn refusal(self, body: &Value) -> Option<(u16, Value)> {
        match self {
            Self::Valid => {
                violations(body).first().map(|text| (400, error(text, "invalid_request_error")))
            }
            Self::ReasoningRequired => {
                let lacks = |message: &Value| {
                    !calls(message).is_empty() && !message["reasoning_content"].is_string()
                };
                let index = messages(body).iter().position(lacks)?;
                let text = format!(
                    "thinking is on but reasoning_content is missing in assistant message {index}"
                );
                Some((400, error(&text, "invalid_request_error")))
            }
            Self::NoReasoning => {
                let keys = ["reasoning_content", "reasoning", "reasoning_details", "thinking"];
                let found =
                    |message: &Value| keys.into_iter().find(|key| message.get(key).is_some());
                let all = messages(body).iter().enumerate();
                let (index, key) = all
                    .into_iter()
                    .find_map(|(index, message)| found(message).map(|key| (index, key)))?;
                Some((422, extra_forbidden(&json!(["body", "messages", index, "assistant", key]))))
            }
            Self::SignatureRequired => {
                let mut all = messages(body).iter().flat_map(calls);
                let signature = "/extra_content/google/thought_signature";
                all.find(|call| !call.pointer(signature).is_some_and(Value::is_string))?;
                let text = "a function call is missing its thought_signature";
                Some((400, invalid_argument(text)))
            }
            Self::NoStreamOptions => {
                body.get("stream_options")?;
                let place = json!(["body", "stream_options", "include_usage"]);
                Some((422, extra_forbidden(&place)))
            }
            Self::NineCharacterIds => {
                let ids = messages(body).iter().flat_map(calls).map(|call| &call["id"]);
                let bad = ids.filter_map(Value::as_str).find(|id| !is_nine_characters(id))?;
                let text = format!("tool call id was {bad} but must be a-z, A-Z, 0-9, of length 9");
                let body = json!({
                    "object": "error",
                    "message": text,
                    "type": "invalid_function_call",
                    "code": "3280",
                });
                Some((400, body))
            }
            Self::NoTypeLists => {
                schemas(body).find(|schema| has_type_list(schema))?;
                let text = "unknown name \"type\": the field is not repeating, cannot start a list";
                Some((400, invalid_argument(text)))
            }
            Self::PropertiesRequired => {
                let lacks = |schema: &&Value| {
                    schema["type"] == "object" && schema.get("properties").is_none()
                };
                schemas(body).find(lacks)?;
                let text = "invalid schema for a function: object schema missing properties";
                Some((400, parameter_error(text, "tools[0].function.parameters")))
            }
            Self::NoMaxTokens => {
                body.get("max_tokens")?;
                let text = "unsupported parameter: 'max_tokens' is not supported with this \
                            model, use 'max_completion_tokens' instead";
                Some((400, parameter_error(text, "max_tokens")))
            }
            Self::NoMaxCompletionTokens => {
                body.get("max_completion_tokens")?;
                Some((422, extra_forbidden(&json!(["body", "max_completion_tokens"]))))
            }
            Self::OldKeysOnly => {
                let known = [
                    "model",
                    "messages",
                    "stream",
                    "tools",
                    "tool_choice",
                    "max_tokens",
                    "temperature",
                ];
                let mut keys = body.as_object()?.keys();
                let key = keys.find(|key| !known.contains(&key.as_str()))?;
                let text = format!("unrecognized request argument supplied: {key}");
                Some((400, parameter_error(&text, key)))
            }
            Self::NoNullContent => {
                let is_null = |message: &Value| {
                    message["role"] == "assistant" && message["content"].is_null()
                };
                let index = messages(body).iter().position(is_null)?;
                let text = format!("messages[{index}].content must be a string");
                Some((400, error(&text, "invalid_request_error")))
            }
        }
    }
}

fn is_nine_characters(id: &str) -> bool {
    id.len() == 9 && id.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

fn schemas(body: &Value) -> impl Iterator<Item = &Value> {
    let tools = body["tools"].as_array().into_iter().flatten();
    tools.filter_map(|tool| tool.pointer("/function/parameters"))
}

fn has_type_list(schema: &Value) -> bool {
    match schema {
        Value::Object(object) => {
            object.get("type").is_some_and(Value::is_array) || object.values().any(has_type_list)
        }
        Value::Array(items) => items.iter().any(has_type_list),
        _ => false,
    }
}

fn error(message: &str, kind: &str) -> Value {
    json!({"error": {"message": message, "type": kind, "param": null, "code": null}})
}

fn parameter_error(message: &str, parameter: &str) -> Value {
    json!({"error": {"message": message, "type": "invalid_request_error", "param": parameter}})
}

fn extra_forbidden(place: &Value) -> Value {
    let detail =
        json!([{"type": "extra_forbidden", "loc": place, "msg": "extra inputs are not permitted"}]);
    json!({
        "object": "error",
        "message": {"detail": detail},
        "type": "invalid_request_error",
        "param": null,
        "code": null,
    })
}

fn invalid_argument(message: &str) -> Value {
    json!([{"error": {"code": 400, "message": message, "status": "INVALID_ARGUMENT"}}])
}

#[cfg(test)]
mod tests;
