//! The request for a summary.
//!
//! Owns its words, and how it is made to fit: the same messages as ever, so that a provider's
//! prompt cache holds; where these do not fit, shorter tool results and texts; at last without the
//! oldest messages. Must not know where the answer goes.

use super::shorten::clip_texts;
use super::{estimate_message, estimate_tokens};
use letscode_wire::{
    AssistantMessage, ContentPart, Message, MessageId, Meta, StopReason, ToolMessage, Transcript,
    UserMessage, text_of,
};
use std::sync::Arc;

/// How much of a tool result is left where the request would not fit, in bytes.
const CLIPPED_BYTES: usize = 1500;

/// Stands between tool results and the request, because a user's message must not follow those.
const BRIDGE: &str = "(paused to sum up)";

const INSTRUCTIONS: &str = "\
Pause the work here. Everything above will be removed from this conversation and replaced by what \
you write now, so write down all that is needed to go on without it. Do not call tools and do not \
go on with the task itself. Use these headings, and leave out those with nothing to say:

Goal: what the user wants, in full.
Facts and constraints: everything the user told, required or ruled out, close to the original \
words; names, numbers and values exactly.
Decisions: what was decided and why, and what was tried and dropped.
Files: which were read or changed, with their paths and what matters in them.
Commands: which were run and what came out that still matters, errors word for word.
Open work: what is done, what is not, and the next step.

If the conversation begins with an earlier summary, carry over what still holds.";

/// What a summary is asked with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SummaryRequest {
    /// How many of the oldest messages it is about.
    pub border: usize,
    /// What it should dwell on.
    pub bias: Option<String>,
    /// How many tokens the messages may take; `None` where nobody knows.
    pub budget: Option<u64>,
}

/// Returns the messages that ask for a summary of `messages`, which are as the model gets them.
pub fn summary_messages(
    messages: Transcript,
    bias: Option<&str>,
    budget: Option<u64>,
) -> Transcript {
    let question = user(instructions(bias));
    let mut messages = match budget {
        Some(budget) => fit(messages, budget.saturating_sub(estimate_message(&question))),
        None => messages,
    };
    if messages.last().is_some_and(|last| last.as_tool().is_some()) {
        messages.push(Arc::new(assistant(BRIDGE)));
    }
    messages.push(Arc::new(question));
    messages
}

fn instructions(bias: Option<&str>) -> String {
    match bias.map(str::trim).filter(|bias| !bias.is_empty()) {
        Some(bias) => format!("{INSTRUCTIONS}\n\nDwell on this above all: {bias}"),
        None => INSTRUCTIONS.to_owned(),
    }
}

/// Makes messages fit into `budget` tokens. The first one stays where it is an earlier summary
/// or the user's first words: both are what must not get lost.
fn fit(messages: Transcript, budget: u64) -> Transcript {
    if estimate_tokens(&messages) <= budget {
        return messages;
    }
    let messages = messages.into_iter().map(clip_result).collect();
    // As bytes, half of the budget: no single text may push all others out.
    let cap = usize::try_from(budget.saturating_mul(2)).unwrap_or(usize::MAX);
    let mut messages = clip_texts(messages, cap);
    let mut total = estimate_tokens(&messages);
    let start = usize::from(messages.first().is_some_and(|m| matches!(**m, Message::User(_))));
    let mut end = start;
    while let Some(message) = messages.get(end) {
        // Results go with the answer that they belong to.
        if total <= budget && message.as_tool().is_none() {
            break;
        }
        total = total.saturating_sub(estimate_message(message));
        end += 1;
    }
    messages.drain(start..end);
    messages
}

/// Returns a long tool result with its middle left out.
fn clip_result(message: Arc<Message>) -> Arc<Message> {
    let Some(result) = message.as_tool() else { return message };
    let text = text_of(&result.content);
    let has_images = result.content.iter().any(|part| matches!(part, ContentPart::Image { .. }));
    if text.len() <= CLIPPED_BYTES && !has_images {
        return message;
    }
    let text = if text.len() <= CLIPPED_BYTES {
        text
    } else {
        let head = text.floor_char_boundary(CLIPPED_BYTES / 2);
        let tail = text.ceil_char_boundary(text.len() - CLIPPED_BYTES / 2);
        let (head, tail) = (text.get(..head), text.get(tail..));
        format!("{}\n[…]\n{}", head.unwrap_or_default(), tail.unwrap_or_default())
    };
    let content = vec![ContentPart::text(text)];
    Arc::new(Message::Tool(ToolMessage { content, ..result.clone() }))
}

fn user(text: String) -> Message {
    Message::User(UserMessage {
        id: MessageId::from("summary-request"),
        content: vec![ContentPart::text(text)],
        timestamp: 0.0,
        meta: Meta::new(),
    })
}

fn assistant(text: &str) -> Message {
    Message::Assistant(AssistantMessage {
        id: MessageId::from("summary-pause"),
        content: vec![ContentPart::text(text)],
        tool_calls: Vec::new(),
        timestamp: 0.0,
        stop_reason: Some(StopReason::EndTurn),
        usage: None,
        meta: Meta::new(),
    })
}
