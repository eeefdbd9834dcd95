//! Compaction: when older messages give way to a summary, which ones, and how it is asked for.
//!
//! Owns the measure of a conversation in tokens, the border between what is summarised and what
//! stays, the request for the summary, and the `compaction` message. Pure: must not ask a model
//! or write anything; the agent does.

mod files;
mod measure;
mod request;
mod shorten;

pub use measure::{
    context_tokens, estimate_message, estimate_overhead, estimate_prompt, estimate_tokens,
};
pub use request::{SummaryRequest, summary_messages};
pub use shorten::shorten;

use crate::session::USAGE;
use files::FileList;
use letscode_wire::{CustomKind, CustomMessage, Message, MessageId, Meta, Usage};
use serde_json::{Map, json};
use std::sync::Arc;

/// How many of the newest messages always stay.
const ALWAYS_KEPT: usize = 4;

/// The share of the window that may be in use before older messages are summarised.
const FULL_PER_CENT: u64 = 80;

/// The share of the window that the messages which stay may take.
const KEPT_PER_CENT: u64 = 25;

/// The share of the window that a compaction must be about: less is not worth a request.
const WORTH_PER_CENT: u64 = 5;

/// The share of the window that is left for the answer.
pub(crate) const ANSWER_PER_CENT: u64 = 15;

/// How many of the newest messages stay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    /// The last four, whatever their size.
    Last,
    /// Those that fit their share of a window of so many tokens, but at least four.
    Share {
        /// The window.
        window: u64,
    },
}

/// Returns whether a conversation of `tokens` fills a window so far that it is to be compacted.
pub fn is_full(tokens: u64, window: u64) -> bool {
    tokens >= window.saturating_mul(FULL_PER_CENT) / 100
}

/// Returns how many of the oldest messages a compaction would replace, or `None` where there is
/// nothing that a summary would make shorter. A call is never parted from its results.
pub fn border(transcript: &[Arc<Message>], keep: Keep) -> Option<usize> {
    let mut border = transcript.len().checked_sub(ALWAYS_KEPT)?;
    if let Keep::Share { window } = keep {
        let budget = window.saturating_mul(KEPT_PER_CENT) / 100;
        let mut kept: u64 = transcript.iter().skip(border).map(|m| estimate_message(m)).sum();
        while let Some(message) = border.checked_sub(1).and_then(|index| transcript.get(index)) {
            kept += estimate_message(message);
            if kept > budget {
                break;
            }
            border -= 1;
        }
    }
    while border > 0 && begins_with_results(transcript.get(border..).unwrap_or_default()) {
        border -= 1;
    }
    let collapsed = transcript.get(..border)?;
    let already = usize::from(collapsed.first().is_some_and(|first| is_compaction(first)));
    let is_worth_it = match keep {
        Keep::Last => true,
        Keep::Share { window } => {
            let new = collapsed.iter().skip(already);
            let tokens: u64 = new.map(|message| estimate_message(message)).sum();
            tokens >= window.saturating_mul(WORTH_PER_CENT) / 100
        }
    };
    (border > already && is_worth_it).then_some(border)
}

/// Returns the message that stands for `collapsed`. `first_kept` is the oldest that stays.
pub fn compaction_message(
    (id, timestamp): (MessageId, f64),
    collapsed: &[Arc<Message>],
    first_kept: &MessageId,
    summary: &str,
    usage: Option<Usage>,
) -> Message {
    let files = FileList::of(collapsed);
    let mut payload = Map::new();
    payload.insert("summary".to_owned(), files.append_to(summary).into());
    payload.insert("collapsed_count".to_owned(), collapsed.len().into());
    payload.insert("first_kept_id".to_owned(), first_kept.as_str().into());
    files.store_in(&mut payload);
    let usage = usage.map(|usage| (USAGE.to_owned(), json!(usage)));
    Message::Custom(CustomMessage {
        id,
        kind: CustomKind::Compaction.name().to_owned(),
        payload,
        timestamp,
        meta: usage.into_iter().collect::<Meta>(),
    })
}

/// Returns whether a message is a compaction.
pub(crate) fn is_compaction(message: &Message) -> bool {
    let kind = message.as_custom().and_then(|custom| CustomKind::from_name(&custom.kind));
    kind == Some(CustomKind::Compaction)
}

/// Returns whether results come before the answer that they belong to.
fn begins_with_results(messages: &[Arc<Message>]) -> bool {
    let first = messages.iter().find(|message| message.as_custom().is_none());
    first.is_some_and(|first| first.as_tool().is_some())
}

#[cfg(test)]
mod tests;
