//! The JSON body of a request, written straight into one buffer.
//!
//! Owns the order and shape of the body's members. Must not change what a message says; the
//! repair of a history is `plan`'s, the shape of schemas is `schema`'s.

mod call_ids;
mod plan;
mod schema;

#[cfg(test)]
mod tests;

use crate::profile::Profile;
use letscode_core::model::ModelRequest;
use letscode_wire::ToolSpec;
use plan::{Piece, Reasoning, WireCall, WireMessage};
use serde::Serialize;
use std::borrow::Cow;

/// What a body depends on beside the request itself.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BodyContext<'a> {
    /// The model's name.
    pub(crate) model: &'a str,
    /// The host, as answers carry it in their `meta`.
    pub(crate) host: &'a str,
    /// The value of `reasoning_effort`.
    pub(crate) thinking: Option<&'a str>,
    /// Whether the model takes images.
    pub(crate) vision: bool,
    /// What the endpoint wants.
    pub(crate) profile: &'a Profile,
}

/// A written body.
#[derive(Debug)]
pub(crate) struct Body {
    /// The JSON text.
    pub(crate) json: Vec<u8>,
    /// Which of the things that a server may refuse are in it.
    pub(crate) sent: Sent,
}

/// Which of the things that a server may refuse are in a body.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Sent {
    /// `stream_options`.
    pub(crate) stream_options: bool,
    /// `reasoning_effort`.
    pub(crate) reasoning_effort: bool,
    /// `reasoning_split`.
    pub(crate) reasoning_split: bool,
    /// Reasoning of earlier answers, in whatever field.
    pub(crate) reasoning: bool,
    /// A tool call of an earlier answer.
    pub(crate) calls: bool,
    /// `content: null` beside calls.
    pub(crate) null_content: bool,
    /// An image.
    pub(crate) images: bool,
    /// A tool.
    pub(crate) tools: bool,
}

/// Returns the body for `request`.
pub(crate) fn build(request: &ModelRequest, context: BodyContext<'_>) -> Body {
    let plan = plan::plan(&request.messages, context);
    let profile = context.profile;
    let mut sent = plan.sent;
    // Room for the texts and some escapes, so that a long history is written without moving.
    let room = request.system.len() + plan.text_bytes;
    let mut json = Vec::with_capacity(room + room / 8 + request.tools.len() * 2048 + 1024);
    let out = &mut json;

    out.extend(b"{\"model\":");
    write_json(out, context.model);
    out.extend(b",\"stream\":true");
    if profile.stream_options {
        out.extend(b",\"stream_options\":{\"include_usage\":true}");
        sent.stream_options = true;
    }
    if let (Some(effort), true) = (context.thinking, profile.reasoning_effort) {
        out.extend(b",\"reasoning_effort\":");
        write_json(out, effort);
        sent.reasoning_effort = true;
    }
    if profile.reasoning_split {
        out.extend(b",\"reasoning_split\":true");
        sent.reasoning_split = true;
    }
    if !request.tools.is_empty() {
        out.extend(b",\"tools\":");
        write_list(out, request.tools.iter(), |out, tool| write_tool(out, tool, profile));
        sent.tools = true;
    }
    out.extend(b",\"messages\":[");
    if !request.system.is_empty() {
        out.extend(b"{\"role\":\"system\",\"content\":");
        write_json(out, &*request.system);
        out.extend(b"},");
    }
    let mut scratch = Vec::new();
    for message in &plan.messages {
        write_message(out, message, profile, &mut scratch);
        out.push(b',');
    }
    if out.last() == Some(&b',') {
        out.pop();
    }
    out.extend(b"]}");
    Body { json, sent }
}

fn write_message(
    out: &mut Vec<u8>,
    message: &WireMessage<'_>,
    profile: &Profile,
    scratch: &mut Vec<u8>,
) {
    match message {
        WireMessage::User { pieces } => {
            out.extend(b"{\"role\":\"user\",\"content\":");
            write_user_content(out, pieces);
        }
        WireMessage::Assistant { texts, calls, reasoning } => {
            out.extend(b"{\"role\":\"assistant\",\"content\":");
            if !texts.is_empty() {
                write_json(out, &*joined(texts.iter().copied()));
            } else if profile.null_content {
                out.extend(b"null");
            } else {
                out.extend(b"\"\"");
            }
            write_reasoning(out, *reasoning);
            if !calls.is_empty() {
                out.extend(b",\"tool_calls\":");
                write_list(out, calls.iter(), |out, call| write_call(out, call, profile, scratch));
            }
        }
        WireMessage::Tool { call_id, texts } => {
            out.extend(b"{\"role\":\"tool\",\"tool_call_id\":");
            write_json(out, &**call_id);
            out.extend(b",\"content\":");
            write_json(out, &*joined(texts.iter().copied()));
        }
    }
    out.push(b'}');
}

/// Writes a plain text where there is only text: many servers refuse lists.
fn write_user_content(out: &mut Vec<u8>, pieces: &[Piece<'_>]) {
    if pieces.iter().all(|piece| matches!(piece, Piece::Text(_))) {
        let texts = pieces.iter().filter_map(|piece| match piece {
            Piece::Text(text) => Some(*text),
            Piece::Image { .. } => None,
        });
        write_json(out, &*joined(texts));
        return;
    }
    write_list(out, pieces.iter(), |out, piece| match piece {
        Piece::Text(text) => {
            out.extend(b"{\"type\":\"text\",\"text\":");
            write_json(out, *text);
            out.push(b'}');
        }
        Piece::Image { mime_type, data } => {
            out.extend(b"{\"type\":\"image_url\",\"image_url\":{\"url\":");
            write_json(out, &DataUrl { mime_type, data });
            out.extend(b"}}");
        }
    });
}

fn write_reasoning(out: &mut Vec<u8>, reasoning: Reasoning<'_>) {
    match reasoning {
        Reasoning::None => {}
        Reasoning::Text { field, text } => {
            out.push(b',');
            write_json(out, field);
            out.push(b':');
            write_json(out, text);
        }
        Reasoning::Details(details) => {
            out.extend(b",\"reasoning_details\":");
            write_json(out, details);
        }
    }
}

fn write_call(out: &mut Vec<u8>, call: &WireCall<'_>, profile: &Profile, scratch: &mut Vec<u8>) {
    out.extend(b"{\"id\":");
    write_json(out, &*call.id);
    out.extend(b",\"type\":\"function\",\"function\":{\"name\":");
    write_json(out, &*call.name);
    // The arguments travel as JSON text inside JSON text.
    scratch.clear();
    write_json(scratch, call.arguments);
    out.extend(b",\"arguments\":");
    write_json(out, &*String::from_utf8_lossy(scratch));
    out.push(b'}');
    let mut signed = false;
    for (name, value) in call.extras.into_iter().flatten() {
        if matches!(name.as_str(), "id" | "type" | "function" | "index") {
            continue;
        }
        signed |= name == "extra_content";
        out.push(b',');
        write_json(out, name);
        out.push(b':');
        write_json(out, value);
    }
    if profile.signature_filler && !signed {
        out.extend(SIGNATURE_FILLER);
    }
    out.push(b'}');
}

/// What Google documents for calls that another model made.
const SIGNATURE_FILLER: &[u8] =
    b",\"extra_content\":{\"google\":{\"thought_signature\":\"skip_thought_signature_validator\"}}";

fn write_tool(out: &mut Vec<u8>, tool: &ToolSpec, profile: &Profile) {
    out.extend(b"{\"type\":\"function\",\"function\":{\"name\":");
    write_json(out, &tool.name);
    if !tool.description.is_empty() {
        out.extend(b",\"description\":");
        write_json(out, &tool.description);
    }
    out.extend(b",\"parameters\":");
    write_json(out, &*schema::parameters(&tool.parameters, profile));
    out.extend(b"}}");
}

fn write_list<T>(
    out: &mut Vec<u8>,
    items: impl Iterator<Item = T>,
    mut write: impl FnMut(&mut Vec<u8>, T),
) {
    out.push(b'[');
    for (index, item) in items.enumerate() {
        if index > 0 {
            out.push(b',');
        }
        write(out, item);
    }
    out.push(b']');
}

fn write_json<T: Serialize + ?Sized>(out: &mut Vec<u8>, value: &T) {
    let before = out.len();
    // Writing to memory cannot fail, and our values have text keys only; a `null` keeps the body
    // JSON even so.
    if serde_json::to_writer(&mut *out, value).is_err() {
        out.truncate(before);
        out.extend(b"null");
    }
}

/// Returns the texts as one, copied only where there are several.
fn joined<'a>(mut texts: impl Iterator<Item = &'a str>) -> Cow<'a, str> {
    let Some(first) = texts.next() else { return Cow::Borrowed("") };
    let Some(second) = texts.next() else { return Cow::Borrowed(first) };
    let mut all = String::from(first);
    all.push_str(second);
    all.extend(texts);
    Cow::Owned(all)
}

/// An image as a URL, written without a copy of its bytes.
struct DataUrl<'a> {
    mime_type: &'a str,
    data: &'a str,
}

impl std::fmt::Display for DataUrl<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "data:{};base64,{}", self.mime_type, self.data)
    }
}

impl Serialize for DataUrl<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
