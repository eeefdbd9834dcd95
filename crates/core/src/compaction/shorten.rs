//! Texts with their middle left out, for requests that would not fit otherwise.
//!
//! Owns which texts, how much of them is left and the mark. The transcript keeps them whole. Must
//! not touch calls, or which messages there are: a request stays as valid as it was.

use super::measure::BYTES_PER_TOKEN;
use super::{estimate_message, estimate_tokens};
use letscode_wire::{ContentPart, Message, Transcript};
use std::sync::Arc;

/// How much of any text is left at least, in bytes.
const SMALLEST: usize = 400;

/// Returns messages that take at most `budget` tokens, if shorter texts can do that: the longest
/// ones keep their beginning and end.
pub fn shorten(messages: Transcript, budget: u64) -> Transcript {
    let mut over = estimate_tokens(&messages).saturating_sub(budget);
    if over == 0 {
        return messages;
    }
    let longest = messages.iter().flat_map(|message| message.content()).map(text_bytes).max();
    let mut cap = longest.unwrap_or_default();
    while over > 0 && cap > SMALLEST {
        cap = (cap - cap / 8).max(SMALLEST);
        let sizes = messages.iter().map(|message| {
            let spared: usize = message.content().iter().map(|part| spared_bytes(part, cap)).sum();
            estimate_message(message).saturating_sub((spared / BYTES_PER_TOKEN) as u64)
        });
        over = sizes.sum::<u64>().saturating_sub(budget);
    }
    clip_texts(messages, cap)
}

/// Returns messages in which no text has more than about `cap` bytes.
pub(super) fn clip_texts(messages: Transcript, cap: usize) -> Transcript {
    let cap = cap.max(SMALLEST);
    let clip = |message: Arc<Message>| {
        if message.content().iter().all(|part| spared_bytes(part, cap) == 0) {
            return message;
        }
        let mut message = (*message).clone();
        let content = match &mut message {
            Message::User(message) => &mut message.content,
            Message::Assistant(message) => &mut message.content,
            Message::Tool(message) => &mut message.content,
            Message::Custom(_) => return Arc::new(message),
        };
        for part in content {
            if let ContentPart::Text { text } = part
                && text.len() > cap
            {
                *text = clipped(text, cap);
            }
        }
        Arc::new(message)
    };
    messages.into_iter().map(clip).collect()
}

/// Returns the beginning and the end of a text, about `cap` bytes with the mark between them.
fn clipped(text: &str, cap: usize) -> String {
    let half = cap.saturating_sub(MARK_BYTES) / 2;
    let head = text.get(..text.floor_char_boundary(half)).unwrap_or_default();
    let tail = text.get(text.ceil_char_boundary(text.len() - half)..).unwrap_or_default();
    let left_out = text.len() - head.len() - tail.len();
    format!("{head}\n[{left_out} bytes left out here: the whole text does not fit]\n{tail}")
}

/// What the mark takes, at least.
const MARK_BYTES: usize = 80;

fn text_bytes(part: &ContentPart) -> usize {
    match part {
        ContentPart::Text { text } => text.len(),
        ContentPart::Image { .. } => 0,
    }
}

fn spared_bytes(part: &ContentPart, cap: usize) -> usize {
    text_bytes(part).saturating_sub(cap)
}
