//! Whole sessions at a glance: every entry of every branch, and what they cost.
//!
//! Owns the walk over a file's entries and the sum of its figures. Must not decide what the
//! model sees.

use super::SessionError;
use super::codec;
use super::index::{Entry, Index};
use super::label::read_label;
use super::lines::Lines;
use super::load::{SpanReader, open_regular};
use letscode_wire::{Message, TreeEntry, TreeResult, Usage, UsageResult, text_of};
use serde::Deserialize as _;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;

/// Where the `meta` of a compaction keeps what its summary cost.
pub const USAGE: &str = "usage";

/// How much of an entry's text the tree shows, in characters.
const SHOWN_LENGTH: usize = 80;

/// Returns all entries of a session. Blocks on the disk.
pub(super) fn tree(path: &Path) -> Result<TreeResult, SessionError> {
    let mut entries = Vec::new();
    let index = walk(path, |number, entry, message| {
        entries.push(TreeEntry {
            entry: number,
            id: message.id().clone(),
            parent: entry.parent().map(|parent| parent + 1),
            role: role_name(&message).to_owned(),
            kind: message.as_custom().map(|custom| custom.kind.clone()),
            text: first_words(&message),
            active: false,
        });
    })?;
    let active: BTreeSet<usize> = index.branch().into_iter().collect();
    for entry in &mut entries {
        entry.active = active.contains(&(entry.entry - 1));
    }
    Ok(TreeResult { label: read_label(path), entries })
}

/// Returns what a session cost, on whatever branch. Blocks on the disk.
pub(super) fn usage(path: &Path) -> Result<UsageResult, SessionError> {
    let mut total = UsageResult { usage: Usage::default(), answers: 0 };
    if !path.exists() {
        return Ok(total);
    }
    walk(path, |_, _, message| add_usage(&mut total, &message))?;
    Ok(total)
}

/// Adds what a message cost, an answer or a compaction's summary, to `total`.
pub fn add_usage(total: &mut UsageResult, message: &Message) {
    let usage = match message {
        Message::Assistant(answer) => answer.usage,
        Message::Custom(custom) => {
            custom.meta.get(USAGE).and_then(|usage| Usage::deserialize(usage).ok())
        }
        Message::User(_) | Message::Tool(_) => None,
    };
    let Some(usage) = usage else { return };
    let sum = &mut total.usage;
    sum.input_tokens += usage.input_tokens;
    sum.output_tokens += usage.output_tokens;
    sum.cache_creation_tokens += usage.cache_creation_tokens;
    sum.cache_read_tokens += usage.cache_read_tokens;
    sum.reasoning_tokens += usage.reasoning_tokens;
    if let Some(cost) = usage.cost_usd {
        sum.cost_usd = Some(sum.cost_usd.unwrap_or_default() + cost);
    }
    total.answers += 1;
}

/// Calls `take` with the number, counted from 1, and the message of every entry that has one.
pub(super) fn walk(
    path: &Path,
    mut take: impl FnMut(usize, &Entry, Message),
) -> Result<Index, SessionError> {
    let read_error = || SessionError::io("read", path);
    let file = open_regular(path)?;
    let index = Index::read(&mut Lines::new(&file)).map_err(read_error())?;
    let mut reader = SpanReader::new(&file).map_err(read_error())?;
    for (position, entry) in index.entries.iter().enumerate() {
        let record = reader.read(entry.span).map_err(read_error())?;
        if let Some(message) = codec::decode_message(entry.role, record) {
            take(position + 1, entry, message);
        }
    }
    Ok(index)
}

fn role_name(message: &Message) -> &'static str {
    match message {
        Message::User(_) => "user",
        Message::Assistant(_) => "assistant",
        Message::Tool(_) => "tool",
        Message::Custom(_) => "custom",
    }
}

/// Returns the first words of a message on one line; of a user's, those that were typed; of an answer without words, its calls; of
/// a custom one, what its payload says.
fn first_words(message: &Message) -> String {
    let text = match message {
        Message::Custom(custom) => {
            let said = ["summary", "model"].into_iter().find_map(|key| custom.payload.get(key));
            said.and_then(Value::as_str).unwrap_or_default().to_owned()
        }
        Message::User(message) => {
            message.typed().map_or_else(|| text_of(&message.content), str::to_owned)
        }
        Message::Assistant(_) | Message::Tool(_) => text_of(message.content()),
    };
    if !text.trim().is_empty() {
        return one_line(&text);
    }
    let calls = message.as_assistant().map(|answer| answer.tool_calls.as_slice());
    let names: Vec<&str> =
        calls.unwrap_or_default().iter().map(|call| call.name.as_str()).collect();
    one_line(&names.join(", "))
}

/// Returns the beginning of `text` on one line, with a mark where it is cut.
fn one_line(text: &str) -> String {
    let mut line = String::new();
    let mut length = 0;
    for word in text.split_whitespace() {
        let gap = usize::from(length > 0);
        let word_length = word.chars().take(SHOWN_LENGTH + 1).count();
        if length + gap + word_length > SHOWN_LENGTH {
            if length == 0 {
                line.extend(word.chars().take(SHOWN_LENGTH));
            }
            line.push('…');
            break;
        }
        line.extend((gap > 0).then_some(' '));
        line.push_str(word);
        length += gap + word_length;
    }
    line
}
