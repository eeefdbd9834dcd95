//! One line of a session file: to a record and back.
//!
//! Owns what is read of a line before its message is wanted, and how much damage a line may
//! have and still be understood. Must not know other lines.

pub(super) mod peek;

use self::peek::peek_head;
use letscode_wire::{CustomKind, EntryId, Message, Record, SESSION_VERSION, encode_line};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::sync::Arc;

/// What a line says about its place, without the message's body.
#[derive(Debug)]
pub(super) struct Head {
    /// The entry's id.
    pub(super) id: EntryId,
    /// What it follows.
    pub(super) parent: Parent,
    /// Whose message it is.
    pub(super) role: Role,
    /// What it means to the replay.
    pub(super) kind: HeadKind,
}

/// What an entry follows.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Parent {
    /// The line before it: the envelope knows no parents.
    LineBefore,
    /// Nothing, or so it says.
    Nothing,
    /// The entry of this id.
    Entry(EntryId),
}

/// Whose message an entry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    User,
    Assistant,
    Tool,
    Custom,
    /// One that a newer program may know.
    Unknown,
}

/// What an entry means to the replay.
#[derive(Debug)]
pub(super) enum HeadKind {
    /// A message like any other.
    Message,
    /// A switch to this model.
    ModelChange(Option<String>),
    /// A summary that stands for older messages.
    Compaction(CompactionPayload),
    /// The end of all that came before.
    Reset,
    /// A mark that the conversation went on behind its parent.
    GoTo,
}

/// What a compaction says about the messages that it stands for.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct CompactionPayload {
    /// The oldest message that stays.
    pub(super) first_kept_id: Option<EntryId>,
    /// How many messages it stands for.
    pub(super) collapsed_count: Option<usize>,
}

#[derive(Deserialize)]
struct Envelope<'a> {
    /// Without a version the line is linked where it names a parent.
    #[serde(rename = "_v", default = "linked_version")]
    version: u32,
    #[serde(default)]
    parent_id: Option<EntryId>,
    #[serde(borrow)]
    msg: MessageHead<'a>,
}

#[derive(Deserialize)]
struct MessageHead<'a> {
    role: String,
    id: EntryId,
    #[serde(default)]
    kind: Option<String>,
    #[serde(borrow, default)]
    payload: Option<&'a RawValue>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct ModelChangePayload {
    model: Option<String>,
}

/// A line of which only the message is wanted.
#[derive(Deserialize)]
struct Body<M> {
    msg: M,
}

#[derive(Deserialize)]
struct MessageId {
    id: EntryId,
}

#[derive(Serialize)]
struct LinkedRecord<'a> {
    #[serde(rename = "_v")]
    version: u32,
    parent_id: Option<&'a EntryId>,
    msg: &'a RawValue,
}

/// Appends the line of a message that follows `parent`.
pub(super) fn encode(
    parent: Option<&EntryId>,
    message: &Arc<Message>,
    line: &mut Vec<u8>,
) -> Result<(), serde_json::Error> {
    let record =
        Record { version: SESSION_VERSION, parent_id: parent.cloned(), msg: Arc::clone(message) };
    encode_line(&record, line)
}

/// Returns a line's bytes without what may stand around a record: blanks, a carriage return, a
/// byte order mark, zeros that a crash left.
pub(super) fn trim(line: &[u8]) -> &[u8] {
    let mut rest = line;
    loop {
        rest = match rest {
            [0xEF, 0xBB, 0xBF, inner @ ..] => inner,
            [first, inner @ ..] if is_filler(*first) => inner,
            [inner @ .., last] if is_filler(*last) => inner,
            _ => return rest,
        };
    }
}

/// Returns what a line says about its place, or `None` if it is no record.
pub(super) fn decode_head(line: &[u8]) -> Option<Head> {
    peek_head(line).or_else(|| read_head(line))
}

/// As [`decode_head`], by reading all of the line.
fn read_head(line: &[u8]) -> Option<Head> {
    let envelope: Envelope<'_> = serde_json::from_slice(line).ok()?;
    let parent = match envelope.parent_id {
        _ if envelope.version < 2 => Parent::LineBefore,
        Some(id) => Parent::Entry(id),
        None => Parent::Nothing,
    };
    let message = envelope.msg;
    let payload = message.payload.map_or("{}", RawValue::get);
    let role = match message.role.as_str() {
        "user" => Role::User,
        "assistant" => Role::Assistant,
        "tool" => Role::Tool,
        "custom" => Role::Custom,
        _ => Role::Unknown,
    };
    let custom_kind = message.kind.as_deref().filter(|_| role == Role::Custom);
    let kind = match custom_kind.and_then(CustomKind::from_name) {
        Some(CustomKind::ModelChange) => {
            let payload: ModelChangePayload = serde_json::from_str(payload).unwrap_or_default();
            HeadKind::ModelChange(payload.model)
        }
        Some(CustomKind::Compaction) => {
            HeadKind::Compaction(serde_json::from_str(payload).unwrap_or_default())
        }
        Some(CustomKind::Reset) => HeadKind::Reset,
        Some(CustomKind::GoTo) => HeadKind::GoTo,
        None => HeadKind::Message,
    };
    Some(Head { id: message.id, parent, role, kind })
}

/// Returns a line's message, or `None` if it has none that we know. Text that is no Unicode is
/// read with replacement characters rather than lost.
///
/// To know the role beforehand saves serde the copy that it makes of a message to find its tag
/// first: with it the two passes over a file cost what one would.
pub(super) fn decode_message(role: Role, line: &[u8]) -> Option<Message> {
    decode_body(role, line).or_else(|| decode_body(role, repair_text(line).as_bytes()))
}

/// Appends a copy of `line` that follows `parent`; the message stays as it is written, fields
/// that we do not know included. Returns the entry's id, or `None` if the line is no record.
pub(super) fn relink(line: &[u8], parent: Option<&EntryId>, copy: &mut Vec<u8>) -> Option<EntryId> {
    let repaired;
    let text = match std::str::from_utf8(line) {
        Ok(text) => text,
        Err(_) => {
            repaired = repair_text(line);
            &repaired
        }
    };
    let Body::<&RawValue> { msg } = serde_json::from_str(text).ok()?;
    let MessageId { id } = serde_json::from_str(msg.get()).ok()?;
    encode_line(&LinkedRecord { version: SESSION_VERSION, parent_id: parent, msg }, copy).ok()?;
    Some(id)
}

/// Returns where the records of a damaged line may begin. A writer that knew nothing of a torn
/// line before its own has glued a good record to it; the mark cannot occur inside of a record,
/// because quotes are escaped there.
pub(super) fn record_starts(line: &[u8]) -> Vec<usize> {
    let inner = memchr::memmem::find_iter(line, br#"{"_v""#).filter(|start| *start > 0);
    std::iter::once(0).chain(inner).collect()
}

fn decode_body(role: Role, line: &[u8]) -> Option<Message> {
    fn body<M: DeserializeOwned>(line: &[u8]) -> Option<M> {
        serde_json::from_slice::<Body<M>>(line).ok().map(|body| body.msg)
    }
    match role {
        Role::User => body(line).map(Message::User),
        Role::Assistant => body(line).map(Message::Assistant),
        Role::Tool => body(line).map(Message::Tool),
        Role::Custom => body(line).map(Message::Custom),
        Role::Unknown => None,
    }
}

fn linked_version() -> u32 {
    SESSION_VERSION
}

fn is_filler(byte: u8) -> bool {
    byte == 0 || byte.is_ascii_whitespace()
}

/// Replaces what is no Unicode: bytes that are no UTF-8, and `\u` escapes of half a surrogate
/// pair, which writers in other languages let through.
fn repair_text(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(line);
    let mut repaired = String::with_capacity(text.len());
    let mut rest = text.as_ref();
    while let Some((before, escape)) = rest.find('\\').map(|at| rest.split_at(at)) {
        repaired.push_str(before);
        let length = match (code_unit(escape), escape.get(6..).and_then(code_unit)) {
            (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => 12,
            (Some(0xD800..=0xDFFF), _) => {
                repaired.push_str("\\ufffd");
                rest = escape.get(6..).unwrap_or_default();
                continue;
            }
            _ => 1 + escape.chars().nth(1).map_or(0, char::len_utf8),
        };
        let (whole, after) = escape.split_at(length);
        repaired.push_str(whole);
        rest = after;
    }
    repaired.push_str(rest);
    repaired
}

/// Returns the code unit of the `\u` escape that `text` begins with.
fn code_unit(text: &str) -> Option<u16> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    u16::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests;
