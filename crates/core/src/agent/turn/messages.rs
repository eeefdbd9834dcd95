//! The messages that the machine makes itself, and what it looks for in a transcript.
//!
//! Owns their shapes. Must not decide when one is due.

use super::{Effect, Machine, Outcome};
use crate::agent::queue::Said;
use crate::agent::stamp::Stamp;
use crate::hooks::CustomNote;
use letscode_wire::{
    AssistantMessage, ContentPart, CustomKind, CustomMessage, Event, Message, MessageId, Meta,
    StopReason, TYPED, ToolCall, ToolMessage, Transcript, UserMessage,
};
use serde_json::{Map, Value};
use std::sync::Arc;

impl Machine {
    pub(super) fn user_message(&mut self, said: Said) -> Arc<Message> {
        let Stamp { id, timestamp } = self.stamps.next();
        let Said { content, typed } = said;
        let meta = typed.map(|typed| (TYPED.to_owned(), typed.into())).into_iter().collect();
        Arc::new(Message::User(UserMessage { id, content, timestamp, meta }))
    }

    pub(super) fn tool_message(&mut self, call: &ToolCall, outcome: Outcome) -> Arc<Message> {
        let Stamp { id, timestamp } = self.stamps.next();
        Arc::new(Message::Tool(ToolMessage {
            id,
            tool_call_id: call.id.clone(),
            content: outcome.content,
            is_error: outcome.is_error,
            timestamp,
            details: outcome.details,
        }))
    }

    pub(super) fn custom_message(
        &mut self,
        kind: CustomKind,
        payload: Map<String, Value>,
    ) -> Arc<Message> {
        let Stamp { id, timestamp } = self.stamps.next();
        let kind = kind.name().to_owned();
        let meta = Meta::new();
        Arc::new(Message::Custom(CustomMessage { id, kind, payload, timestamp, meta }))
    }

    /// Returns the message that says which model a session goes on with.
    pub(crate) fn model_change(&mut self, model: String) -> Arc<Message> {
        let payload = [("model".to_owned(), model.into())].into_iter().collect();
        self.custom_message(CustomKind::ModelChange, payload)
    }

    /// Returns a plugin's custom message.
    pub(crate) fn plugin_message(&mut self, note: CustomNote) -> CustomMessage {
        let Stamp { id, timestamp } = self.stamps.next();
        let CustomNote { kind, payload, meta } = note;
        CustomMessage { id, kind, payload, timestamp, meta }
    }

    pub(super) fn note(&mut self, text: &str) -> Arc<Message> {
        let Stamp { id, timestamp } = self.stamps.next();
        Arc::new(Message::Assistant(AssistantMessage {
            content: vec![ContentPart::text(text)],
            stop_reason: Some(StopReason::EndTurn),
            ..empty_answer(id, timestamp)
        }))
    }
}

/// Shows a message that is complete from the start: start, on disk, end.
pub(super) fn show(message: &Arc<Message>, effects: &mut Vec<Effect>) {
    effects.push(Effect::Emit(Event::MessageStart { message: Arc::clone(message) }));
    effects.push(Effect::Keep(Arc::clone(message)));
    effects.push(Effect::Emit(Event::MessageEnd { message: Arc::clone(message) }));
}

pub(super) fn start_of_answer(stamp: &Stamp) -> Effect {
    let message = empty_answer(stamp.id.clone(), stamp.timestamp);
    Effect::Emit(Event::MessageStart { message: Arc::new(Message::Assistant(message)) })
}

fn empty_answer(id: MessageId, timestamp: f64) -> AssistantMessage {
    AssistantMessage {
        id,
        content: Vec::new(),
        tool_calls: Vec::new(),
        timestamp,
        stop_reason: None,
        usage: None,
        meta: Meta::new(),
    }
}

/// Returns the calls of the last answer that have no result behind it.
pub(super) fn open_calls(transcript: &Transcript) -> Vec<ToolCall> {
    let mut results = Vec::new();
    for message in transcript.iter().rev().filter(is_spoken) {
        match &**message {
            Message::Tool(result) => results.push(&result.tool_call_id),
            Message::Assistant(answer) => {
                let is_open = |call: &&ToolCall| !results.contains(&&call.id);
                return answer.tool_calls.iter().filter(is_open).cloned().collect();
            }
            Message::User(_) | Message::Custom(_) => break,
        }
    }
    Vec::new()
}

pub(super) fn is_spoken(message: &&Arc<Message>) -> bool {
    message.as_custom().is_none()
}
