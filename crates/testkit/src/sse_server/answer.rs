//! One scripted answer, rendered to the bytes that go out.
//!
//! Owns the scenario format of an answer and the wire format of Chat Completions as real servers
//! write it. Must not do I/O: everything is rendered once, when the scenario is loaded.
//!
//! An answer is a list of literal chunk objects, or an object with one kind of content:
//!
//! | key | content |
//! |---|---|
//! | `chunks` | literal chunk objects |
//! | `text`, `reasoning` | a text or a list of texts, one delta each |
//! | `tool_calls` | `[{"id", "name", "arguments": "JSON text"}]` |
//! | `bulk` | `{"deltas": n, "text": "tok "}`: n text deltas; `{i}` in the text is the delta's number |
//! | `status` with `headers`, `body` | an answer that is no stream |
//! | `raw`, `raw_b64` | literal bytes (as Latin-1 or base64), headers included; then the end, unless `keep_open` |
//!
//! and options for streams:
//!
//! | key | meaning |
//! |---|---|
//! | `finish`, `usage` | the finish reason; the usage object, `null` for none |
//! | `delay_ms`, `first_delay_ms` | pause between events; before anything is sent |
//! | `args_split` | characters of arguments a delta |
//! | `disconnect_after`, `disconnect_mode` | events after which the connection breaks; `fin` or `rst` |
//! | `hang_after` | events after which nothing comes any more, while the connection stays |
//! | `pause_after` | events after which it waits for [`SseServer::resume`](super::SseServer::resume) |
//! | `no_done` | leaves out `data: [DONE]` |
//! | `headers`, `status` | further or other headers, another status |

mod spec;

use super::http;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};
use spec::{AnswerSpec, BulkSpec, DisconnectMode, ToolCallSpec};
use std::time::Duration;

/// One answer, ready to be sent.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) first_delay: Duration,
    pub(crate) content: Content,
}

/// What is sent.
#[derive(Debug)]
pub(crate) enum Content {
    /// Literal bytes, then the end of the connection unless it is kept open.
    Raw { bytes: Vec<u8>, keep_open: bool },
    /// A whole answer.
    Plain(Vec<u8>),
    /// A stream of events.
    Stream(EventStream),
}

/// A stream of events: each one is an HTTP chunk of its own.
#[derive(Debug)]
pub(crate) struct EventStream {
    pub(crate) head: Vec<u8>,
    /// The events, one after the other.
    pub(crate) body: Vec<u8>,
    /// Where each event ends in `body`.
    pub(crate) ends: Vec<usize>,
    pub(crate) delay: Duration,
    pub(crate) pause_after: Option<usize>,
    pub(crate) fault: Option<(usize, Fault)>,
}

/// How a stream fails to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The connection is closed.
    Close,
    /// The connection is reset.
    Reset,
    /// Nothing more comes.
    Hang,
}

/// Why an answer cannot be rendered.
#[derive(Debug, thiserror::Error)]
pub enum AnswerError {
    /// Its JSON is not as described.
    #[error("not an answer: {0}")]
    Shape(#[from] serde_json::Error),
    /// `raw` holds a character that is no byte.
    #[error("`raw` holds {0:?}, which is not Latin-1; use `raw_b64`")]
    NotLatin1(char),
    /// `raw_b64` does not decode.
    #[error("`raw_b64`: {0}")]
    Base64(#[from] base64::DecodeError),
}

impl Answer {
    /// Reads and renders an answer.
    ///
    /// # Errors
    /// When its JSON is not as described above.
    pub(crate) fn from_json(json: Value) -> Result<Self, AnswerError> {
        let json = if json.is_array() { json!({ "chunks": json }) } else { json };
        let spec: AnswerSpec = serde_json::from_value(json)?;
        let first_delay = Duration::from_millis(spec.first_delay_ms);
        Ok(Self { first_delay, content: render(&spec)? })
    }

    /// Returns all bytes of the answer as if nothing paused or broke it.
    #[cfg(test)]
    pub(crate) fn whole(&self) -> Vec<u8> {
        match &self.content {
            Content::Raw { bytes, .. } | Content::Plain(bytes) => bytes.clone(),
            Content::Stream(stream) => {
                [&stream.head, &stream.body, http::LAST_CHUNK].map(<[u8]>::to_vec).concat()
            }
        }
    }
}

fn render(spec: &AnswerSpec) -> Result<Content, AnswerError> {
    if let Some(text) = &spec.raw_b64 {
        let bytes = BASE64_STANDARD.decode(text)?;
        return Ok(Content::Raw { bytes, keep_open: spec.keep_open });
    }
    if let Some(text) = &spec.raw {
        return Ok(Content::Raw { bytes: latin1(text)?, keep_open: spec.keep_open });
    }
    let has_stream = spec.chunks.is_some()
        || spec.text.is_some()
        || spec.tool_calls.is_some()
        || spec.bulk.is_some();
    match spec.status {
        Some(status) if !has_stream => Ok(Content::Plain(plain(status, spec))),
        _ => Ok(Content::Stream(stream(spec))),
    }
}

/// Returns an answer that is no stream. Without a body it is an error object.
fn plain(status: u16, spec: &AnswerSpec) -> Vec<u8> {
    let (content_type, body) = match &spec.body {
        Some(Value::String(text)) => ("text/plain", text.clone()),
        Some(json) => ("application/json", json.to_string()),
        None => {
            let error = json!({"message": "scripted error", "type": "scripted", "code": status});
            ("application/json", json!({ "error": error }).to_string())
        }
    };
    http::response(status, content_type, &spec.headers, body.as_bytes())
}

fn stream(spec: &AnswerSpec) -> EventStream {
    let mut events = Events { body: Vec::new(), ends: Vec::new(), last: None };
    match &spec.chunks {
        Some(chunks) => chunks.iter().for_each(|chunk| events.push(chunk)),
        None => push_answer(&mut events, spec),
    }
    if !spec.no_done {
        events.push_text("data: [DONE]\n\n");
    }
    let broken = spec.disconnect_after.map(|after| match spec.disconnect_mode {
        DisconnectMode::Fin => (after, Fault::Close),
        DisconnectMode::Rst => (after, Fault::Reset),
    });
    EventStream {
        head: http::stream_head(spec.status.unwrap_or(200), &spec.headers),
        body: events.body,
        ends: events.ends,
        delay: Duration::from_millis(spec.delay_ms),
        pause_after: spec.pause_after,
        fault: broken.or_else(|| spec.hang_after.map(|after| (after, Fault::Hang))),
    }
}

/// Adds the chunks of an answer in the order of a real server: role, reasoning, text, calls,
/// finish reason, usage.
fn push_answer(events: &mut Events, spec: &AnswerSpec) {
    let tool_calls = spec.tool_calls.as_deref().unwrap_or_default();
    events.push_delta(&json!({"role": "assistant", "content": ""}), None);
    for text in spec.reasoning.iter().flatten() {
        events.push_delta(&json!({ "reasoning_content": text }), None);
    }
    let mut texts = spec.text.as_ref().map_or(0, Vec::len);
    match &spec.bulk {
        Some(bulk) => {
            texts = bulk.deltas;
            push_bulk(events, bulk);
        }
        None => {
            for text in spec.text.iter().flatten() {
                events.push_delta(&json!({ "content": text }), None);
            }
        }
    }
    for (index, call) in tool_calls.iter().enumerate() {
        push_tool_call(events, index, call, spec.args_split);
    }
    let usual = if tool_calls.is_empty() { "stop" } else { "tool_calls" };
    events.push_delta(&json!({}), Some(spec.finish.as_deref().unwrap_or(usual)));
    let output = (texts + 8 * tool_calls.len()).max(1);
    let usage = spec.usage.clone().unwrap_or_else(
        || json!({"prompt_tokens": 100, "completion_tokens": output, "total_tokens": 100 + output}),
    );
    if !usage.is_null() {
        events.push(&chunk(&json!([]), Some(&usage)));
    }
}

fn push_bulk(events: &mut Events, bulk: &BulkSpec) {
    let numbered = bulk.text.contains("{i}");
    for number in 0..bulk.deltas {
        if number > 0 && !numbered {
            events.repeat_last();
        } else {
            let text = bulk.text.replace("{i}", &number.to_string());
            events.push_delta(&json!({ "content": text }), None);
        }
    }
}

fn push_tool_call(events: &mut Events, index: usize, call: &ToolCallSpec, split: usize) {
    let function = json!({"name": call.name, "arguments": ""});
    let start = json!({"index": index, "id": call.id, "type": "function", "function": function});
    events.push_delta(&json!({ "tool_calls": [start] }), None);
    let characters: Vec<char> = call.arguments.chars().collect();
    let pieces: Vec<String> = match split {
        0 => vec![call.arguments.clone()],
        split => characters.chunks(split).map(|piece| piece.iter().collect()).collect(),
    };
    for piece in pieces {
        let delta = json!({"index": index, "function": {"arguments": piece}});
        events.push_delta(&json!({ "tool_calls": [delta] }), None);
    }
}

/// Collects events as HTTP chunks.
struct Events {
    body: Vec<u8>,
    ends: Vec<usize>,
    /// Where the last event begins.
    last: Option<usize>,
}

impl Events {
    fn push_delta(&mut self, delta: &Value, finish_reason: Option<&str>) {
        let choice = json!([{"index": 0, "delta": delta, "finish_reason": finish_reason}]);
        self.push(&chunk(&choice, None));
    }

    fn push(&mut self, chunk: &Value) {
        self.push_text(&format!("data: {chunk}\n\n"));
    }

    fn push_text(&mut self, event: &str) {
        self.last = Some(self.body.len());
        http::push_chunk(&mut self.body, event.as_bytes());
        self.ends.push(self.body.len());
    }

    fn repeat_last(&mut self) {
        let start = self.last.unwrap_or(self.body.len());
        self.last = Some(self.body.len());
        self.body.extend_from_within(start..);
        self.ends.push(self.body.len());
    }
}

fn chunk(choices: &Value, usage: Option<&Value>) -> Value {
    let mut chunk = json!({
        "id": "chatcmpl-scripted",
        "object": "chat.completion.chunk",
        "created": 1_700_000_000,
        "model": "mock-model",
        "choices": choices,
    });
    if let (Some(usage), Some(object)) = (usage, chunk.as_object_mut()) {
        object.insert("usage".to_owned(), usage.clone());
    }
    chunk
}

fn latin1(text: &str) -> Result<Vec<u8>, AnswerError> {
    let bytes = text
        .chars()
        .map(|character| u8::try_from(character).map_err(|_| AnswerError::NotLatin1(character)));
    bytes.collect()
}

#[cfg(test)]
mod tests;
