//! Tests of putting an answer together from its chunks.

mod calls;
mod ending;
mod parts;
mod reasoning;
mod shape;
mod splits;
mod transcripts;

use super::promises::{
    Decoded, assembler_after, check_promises, decode_pieces, decode_whole, with_stable_ids,
};
use super::*;
use letscode_core::model::RejectedCall;
use letscode_wire::{ToolCall, Usage, text_of};
use serde_json::json;

/// Decodes the stream whose bytes are `bytes`.
fn decode_bytes(bytes: &[u8]) -> Decoded {
    decode_pieces(&[], [bytes])
}

/// Decodes a stream written as its lines; see [`bytes_of`].
fn decode(lines: &[&str]) -> Decoded {
    decode_bytes(&bytes_of(lines))
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
