//! Tests of putting an answer together from its chunks.

mod calls;
mod ending;
mod parts;
mod reasoning;
mod shape;
mod splits;
mod transcripts;

use super::*;
use crate::sse::{DEFAULT_EVENT_CAP, SseDecoder};
use letscode_core::model::RejectedCall;
use letscode_wire::{ToolCall, Usage, text_of};
use serde_json::json;

/// What one response gave.
#[derive(Debug, PartialEq)]
struct Decoded {
    events: Vec<StreamEvent>,
    result: Result<Finished, StreamFault>,
}

const TOOLS: &[&str] = &["read", "write", "edit", "bash", "grep", "ls", "list_dir", "todo_list"];

fn assembler_after(used_ids: &'static [&'static str]) -> Assembler {
    let used = || used_ids.iter().copied().map(ToolCallId::from).collect();
    Assembler::new(AssemblyContext {
        tool_names: TOOLS.iter().copied().map(String::from).collect(),
        used_call_ids: Box::new(used),
    })
}

/// Decodes a stream given in pieces, as the client does.
fn decode_pieces<'p>(
    used_ids: &'static [&'static str],
    pieces: impl IntoIterator<Item = &'p [u8]>,
) -> Decoded {
    let mut assembler = assembler_after(used_ids);
    let mut events = Vec::new();
    let result = feed_all(&mut assembler, pieces, &mut events);
    let result = result.and_then(|()| assembler.finish(&mut events));
    Decoded { events, result }
}

fn feed_all<'p>(
    assembler: &mut Assembler,
    pieces: impl IntoIterator<Item = &'p [u8]>,
    events: &mut Vec<StreamEvent>,
) -> Result<(), StreamFault> {
    let mut decoder = SseDecoder::new(DEFAULT_EVENT_CAP);
    for piece in pieces {
        decoder.push(piece);
        while let Some(event) = decoder.next_event() {
            if assembler.feed(event?, events)? == Feed::Done {
                return Ok(());
            }
        }
    }
    decoder.finish().map_or(Ok(()), |event| assembler.feed(event, events).map(drop))
}

/// Decodes the stream whose bytes are `bytes`.
fn decode_bytes(bytes: &[u8]) -> Decoded {
    decode_pieces(&[], [bytes])
}

/// Decodes a stream written as its lines; see [`bytes_of`].
fn decode(lines: &[&str]) -> Decoded {
    decode_bytes(&bytes_of(lines))
}

/// Decodes a body of a server that does not stream.
fn decode_whole(body: &str) -> Decoded {
    let mut assembler = assembler_after(&[]);
    let mut events = Vec::new();
    let result = assembler.feed_whole(body.as_bytes(), &mut events);
    let result = result.and_then(|()| assembler.finish(&mut events));
    Decoded { events, result }
}

/// Returns a stream's bytes: `C(x)` is a chunk with the choice `x`, anything else stands for
/// itself behind `data: `, and `data: [DONE]` comes last.
fn bytes_of(lines: &[&str]) -> Vec<u8> {
    let mut bytes = cut_off(lines);
    bytes.extend(b"data: [DONE]\n\n");
    bytes
}

/// As [`bytes_of`], without `[DONE]`.
fn cut_off(lines: &[&str]) -> Vec<u8> {
    let line = |line: &&str| match line.strip_prefix("C(").and_then(|rest| rest.strip_suffix(')')) {
        Some(choice) => {
            format!(
                r#"data: {{"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{choice}]}}"#
            ) + "\n\n"
        }
        None => format!("data: {line}\n\n"),
    };
    lines.iter().map(line).collect::<String>().into_bytes()
}

impl Decoded {
    fn finished(&self) -> &Finished {
        self.result.as_ref().unwrap()
    }

    fn answer(&self) -> &Answer {
        &self.finished().answer
    }

    fn fault(&self) -> &StreamFault {
        self.result.as_ref().unwrap_err()
    }

    fn text(&self) -> String {
        text_of(&self.answer().content)
    }

    /// Returns the calls as `ID NAME ARGUMENTS`, rejected ones with an `!` in front.
    fn calls(&self) -> Vec<String> {
        let answer = self.answer();
        let line = |call: &ToolCall| {
            let mark = if self.rejection(call.id.as_str()).is_some() { "!" } else { "" };
            let arguments = json!(call.arguments);
            format!("{mark}{} {} {arguments}", call.id, call.name)
        };
        answer.tool_calls.iter().map(line).collect()
    }

    fn rejection(&self, id: &str) -> Option<&str> {
        let is_it = |rejected: &&RejectedCall| rejected.id.as_str() == id;
        self.answer().rejected.iter().find(is_it).map(|rejected| rejected.reason.as_str())
    }

    /// Returns all events, one line each.
    fn event_lines(&self) -> Vec<String> {
        self.events.iter().map(line_of).collect()
    }

    fn shown_text(&self) -> String {
        let delta = |event: &StreamEvent| match event {
            StreamEvent::TextDelta { delta } => Some(delta.clone()),
            _ => None,
        };
        self.events.iter().filter_map(delta).collect()
    }

    fn shown_thinking(&self) -> String {
        let delta = |event: &StreamEvent| match event {
            StreamEvent::ThinkingDelta { delta } => Some(delta.clone()),
            _ => None,
        };
        self.events.iter().filter_map(delta).collect()
    }
}

fn line_of(event: &StreamEvent) -> String {
    match event {
        StreamEvent::TextDelta { delta } => format!("text {delta:?}"),
        StreamEvent::ThinkingDelta { delta } => format!("thinking {delta:?}"),
        StreamEvent::ToolCallStart { tool_call_id, name } => format!("start {tool_call_id} {name}"),
        StreamEvent::ToolCallArgsDelta { tool_call_id, delta } => {
            format!("arguments {tool_call_id} {delta}")
        }
        StreamEvent::ToolCallEnd { tool_call_id } => format!("end {tool_call_id}"),
        StreamEvent::Stop { reason } => format!("stop {reason:?}"),
        StreamEvent::Usage { usage } => {
            let Usage { input_tokens, output_tokens, cache_read_tokens, .. } = usage;
            format!("usage {input_tokens} {output_tokens} cached {cache_read_tokens}")
        }
        StreamEvent::Retry(_) => unreachable!("the client announces retries"),
    }
}

/// Replaces ids that were made here by `call_N` in the order of their appearance.
fn with_stable_ids(text: &str) -> String {
    let mut stable = String::new();
    let mut made: Vec<&str> = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find("call_") {
        let end = start + "call_".len();
        stable.push_str(&rest[..end]);
        rest = &rest[end..];
        let is_made = |id: &&str| id.bytes().all(|byte| byte.is_ascii_hexdigit());
        if let Some(id) = rest.get(..12).filter(is_made) {
            let number = made.iter().position(|known| *known == id).unwrap_or_else(|| {
                made.push(id);
                made.len() - 1
            });
            stable.push_str(&(number + 1).to_string());
            rest = &rest[12..];
        }
    }
    stable + rest
}
