//! What holds for the answer to any response, and the ways to look at one: for tests and fuzzing.
//!
//! Owns the decoding of a response given in pieces, as the client does it, and the promises that
//! the assembler makes. A broken promise panics, since a panic is how both fail.
#![allow(clippy::expect_used, clippy::unreachable, reason = "a panic is how a check fails")]

use super::arguments::{self, AnswerEnd};
use super::{Assembler, AssemblyContext, Feed, Finished, StreamFault};
use crate::sse::{DEFAULT_EVENT_CAP, SseDecoder};
use letscode_wire::{StreamEvent, ToolCallId};
use std::collections::HashSet;

/// What one response gave.
#[derive(Debug, PartialEq)]
pub(crate) struct Decoded {
    /// What was told, in order.
    pub(crate) events: Vec<StreamEvent>,
    /// The answer.
    pub(crate) result: Result<Finished, StreamFault>,
}

const TOOLS: &[&str] = &["read", "write", "edit", "bash", "grep", "ls", "list_dir", "todo_list"];

/// Returns an assembler for an answer to a history that holds calls of these ids.
pub(crate) fn assembler_after(used_ids: &'static [&'static str]) -> Assembler {
    let used = || used_ids.iter().copied().map(ToolCallId::from).collect();
    Assembler::new(AssemblyContext {
        tool_names: TOOLS.iter().copied().map(String::from).collect(),
        used_call_ids: Box::new(used),
    })
}

/// Decodes a stream given in pieces, as the client does.
pub(crate) fn decode_pieces<'p>(
    used_ids: &'static [&'static str],
    pieces: impl IntoIterator<Item = &'p [u8]>,
) -> Decoded {
    let mut assembler = assembler_after(used_ids);
    let mut events = Vec::new();
    let result = feed_all(&mut assembler, pieces, &mut events);
    let result = result.and_then(|()| assembler.finish(&mut events));
    Decoded { events, result }
}

/// Decodes a body of a server that does not stream.
pub(crate) fn decode_whole(body: impl AsRef<[u8]>) -> Decoded {
    let mut assembler = assembler_after(&[]);
    let mut events = Vec::new();
    let result = assembler.feed_whole(body.as_ref(), &mut events);
    let result = result.and_then(|()| assembler.finish(&mut events));
    Decoded { events, result }
}

/// Checks what holds for every answer: what was told is what the answer has.
pub(crate) fn check_promises(decoded: &Decoded) {
    let Ok(finished) = &decoded.result else { return };
    let answer = &finished.answer;
    let mut told: Vec<(String, String, String)> = Vec::new();
    let mut ended = Vec::new();
    for event in &decoded.events {
        match event {
            StreamEvent::ToolCallStart { tool_call_id, name } => {
                assert!(ended.is_empty());
                told.push((tool_call_id.to_string(), name.clone(), String::new()));
            }
            StreamEvent::ToolCallArgsDelta { tool_call_id, delta } => {
                assert!(!delta.is_empty());
                let id = tool_call_id.as_str();
                let call = told.iter_mut().find(|(known, ..)| known == id);
                call.expect("a call starts first").2.push_str(delta);
            }
            StreamEvent::ToolCallEnd { tool_call_id } => ended.push(tool_call_id.clone()),
            StreamEvent::TextDelta { delta } | StreamEvent::ThinkingDelta { delta } => {
                assert!(!delta.is_empty());
            }
            StreamEvent::Stop { reason } => assert_eq!(answer.stop_reason, Some(*reason)),
            StreamEvent::Usage { usage } => assert_eq!(answer.usage, Some(*usage)),
            StreamEvent::Retry(_) => unreachable!("the client announces retries"),
        }
    }
    let ids: Vec<_> = answer.tool_calls.iter().map(|call| call.id.clone()).collect();
    assert_eq!(ended, ids, "each call ends once, in order");
    let unique: HashSet<_> = ids.iter().collect();
    assert_eq!(unique.len(), ids.len());
    assert_eq!(told.len(), ids.len());
    let rejected: HashSet<_> = answer.rejected.iter().map(|rejected| &rejected.id).collect();
    assert!(rejected.is_subset(&unique));
    for call in &answer.tool_calls {
        let (_, name, arguments) =
            told.iter().find(|(id, ..)| id == call.id.as_str()).expect("each call was told");
        assert_eq!(name, &call.name);
        if rejected.contains(&call.id) {
            continue;
        }
        let parsed = arguments::parse_arguments(arguments, AnswerEnd::Whole);
        assert_eq!(parsed.as_ref(), Ok(&call.arguments));
    }
}

/// Replaces ids that were made here by `call_N` in the order of their appearance.
pub(crate) fn with_stable_ids(text: &str) -> String {
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
