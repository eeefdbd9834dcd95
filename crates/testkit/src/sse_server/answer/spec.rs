//! Answers as a scenario writes them.
//!
//! Owns the JSON, strictly: an unknown key is a mistake in the test. What each key means is in
//! [`answer`](super).

use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

/// An answer, as written.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct AnswerSpec {
    pub(super) chunks: Option<Vec<Value>>,
    #[serde(deserialize_with = "one_or_many")]
    pub(super) text: Option<Vec<String>>,
    #[serde(deserialize_with = "one_or_many")]
    pub(super) reasoning: Option<Vec<String>>,
    pub(super) tool_calls: Option<Vec<ToolCallSpec>>,
    pub(super) bulk: Option<BulkSpec>,
    pub(super) status: Option<u16>,
    pub(super) headers: Map<String, Value>,
    pub(super) body: Option<Value>,
    pub(super) raw: Option<String>,
    pub(super) raw_b64: Option<String>,
    pub(super) keep_open: bool,
    pub(super) finish: Option<String>,
    #[serde(deserialize_with = "present")]
    pub(super) usage: Option<Value>,
    pub(super) delay_ms: u64,
    pub(super) first_delay_ms: u64,
    pub(super) args_split: usize,
    pub(super) disconnect_after: Option<usize>,
    pub(super) disconnect_mode: DisconnectMode,
    pub(super) hang_after: Option<usize>,
    pub(super) pause_after: Option<usize>,
    pub(super) no_done: bool,
}

/// A tool call, as written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ToolCallSpec {
    pub(super) id: String,
    pub(super) name: String,
    #[serde(default = "empty_object")]
    pub(super) arguments: String,
}

/// Generated text, as written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct BulkSpec {
    pub(super) deltas: usize,
    #[serde(default = "bulk_text")]
    pub(super) text: String,
}

/// How a connection breaks.
#[derive(Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum DisconnectMode {
    #[default]
    Fin,
    Rst,
}

/// Reads a text or a list of texts.
fn one_or_many<'de, D: Deserializer<'de>>(input: D) -> Result<Option<Vec<String>>, D::Error> {
    let value = match Value::deserialize(input)? {
        Value::String(text) => return Ok(Some(vec![text])),
        list => list,
    };
    serde_json::from_value(value).map(Some).map_err(serde::de::Error::custom)
}

/// Reads a value that is there, `null` too.
fn present<'de, D: Deserializer<'de>>(input: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(input).map(Some)
}

fn empty_object() -> String {
    "{}".to_owned()
}

fn bulk_text() -> String {
    "tok ".to_owned()
}
