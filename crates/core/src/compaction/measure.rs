//! The size of a conversation in tokens.
//!
//! Owns the estimate and where the provider's own count takes its place. Must not know windows.

use super::is_compaction;
use letscode_wire::{ContentPart, Message, ToolSpec, Usage};
use std::sync::Arc;

/// How many bytes of text make a token, roughly, in any language that models are used with.
pub(super) const BYTES_PER_TOKEN: usize = 4;

/// What a message costs beside its text.
const MESSAGE_BYTES: usize = 16;

/// What a picture costs, whatever its size in bytes.
const IMAGE_BYTES: usize = 1500 * BYTES_PER_TOKEN;

/// Returns how many tokens the next request takes: what the provider counted for the last answer
/// and its request, and an estimate for what came since; all of it an estimate where nothing
/// was counted. `overhead` is that of the system prompt and the tools.
///
/// A count from before the last compaction says nothing about what is left.
pub fn context_tokens(transcript: &[Arc<Message>], overhead: u64) -> u64 {
    let compacted_at = transcript.iter().rev().find(|message| is_compaction(message));
    let compacted_at = compacted_at.and_then(|message| message.as_custom()).map(|c| c.timestamp);
    let counted = transcript.iter().enumerate().rev().find_map(|(index, message)| {
        let answer = message.as_assistant()?;
        let is_current = compacted_at.is_none_or(|at| answer.timestamp > at);
        let tokens = answer.usage.as_ref().map(tokens_of).filter(|tokens| *tokens > 0)?;
        is_current.then_some((index, tokens))
    });
    match counted {
        Some((index, tokens)) => {
            tokens + estimate_tokens(transcript.get(index + 1..).unwrap_or_default())
        }
        None => overhead + estimate_tokens(transcript),
    }
}

/// Returns an estimate of the tokens that messages take.
pub fn estimate_tokens(messages: &[Arc<Message>]) -> u64 {
    messages.iter().map(|message| estimate_message(message)).sum()
}

/// Returns an estimate of the tokens that a message takes.
pub fn estimate_message(message: &Message) -> u64 {
    let content: usize = message.content().iter().map(part_bytes).sum();
    let rest = match message {
        Message::Assistant(answer) => {
            let call_bytes = |call: &letscode_wire::ToolCall| {
                call.name.len() + MESSAGE_BYTES + json_length(&call.arguments)
            };
            answer.tool_calls.iter().map(call_bytes).sum()
        }
        Message::Custom(custom) => {
            let summary = custom.payload.get("summary").and_then(|summary| summary.as_str());
            summary.map_or(0, str::len)
        }
        Message::User(_) | Message::Tool(_) => 0,
    };
    tokens(content + rest + MESSAGE_BYTES)
}

/// Returns an estimate of the tokens that a message of the user's takes.
pub fn estimate_prompt(text: &str, images: usize) -> u64 {
    tokens(text.len() + images * IMAGE_BYTES + MESSAGE_BYTES)
}

/// Returns an estimate of the tokens that the system prompt and the tools take.
pub fn estimate_overhead(system: &str, tools: &[ToolSpec]) -> u64 {
    let tool_bytes =
        |tool: &ToolSpec| tool.name.len() + tool.description.len() + json_length(&tool.parameters);
    tokens(system.len() + tools.iter().map(tool_bytes).sum::<usize>())
}

fn tokens_of(usage: &Usage) -> u64 {
    usage.input_tokens.saturating_add(usage.output_tokens)
}

fn part_bytes(part: &ContentPart) -> usize {
    match part {
        ContentPart::Text { text } => text.len(),
        ContentPart::Image { .. } => IMAGE_BYTES,
    }
}

fn json_length(value: &impl serde::Serialize) -> usize {
    serde_json::to_vec(value).map_or(0, |bytes| bytes.len())
}

fn tokens(bytes: usize) -> u64 {
    bytes.div_ceil(BYTES_PER_TOKEN) as u64
}
