//! From the transcript to the messages of a request.
//!
//! Owns the hook chain (transform, convert, render) and what becomes of custom messages. Must
//! not repair pairs or roles: that is the business of whoever writes the wire format.

use crate::hooks::Hooks;
use letscode_wire::{
    ContentPart, CustomKind, CustomMessage, HookName, Message, Meta, Transcript, UserMessage,
};
use std::sync::Arc;

/// What stands before a compaction's summary, so that the model knows what it reads.
const SUMMARY_INTRODUCTION: &str =
    "Summary of the earlier part of this conversation, which is no longer shown in full:";

/// Returns the messages that the model sees of `transcript`.
pub async fn messages_for_model(transcript: &Transcript, hooks: &Hooks) -> Transcript {
    let transformed = if hooks.wants(HookName::TransformContext) {
        hooks.transform_context(transcript.clone()).await
    } else {
        transcript.clone()
    };
    if hooks.wants(HookName::ConvertToLlm)
        && let Some(converted) = hooks.convert_to_llm(&transformed).await
    {
        return converted;
    }
    let mut messages = Transcript::with_capacity(transformed.len());
    for message in transformed {
        match message.as_custom() {
            None => messages.push(message),
            Some(custom) => messages.extend(render(custom, hooks).await.map(Arc::new)),
        }
    }
    messages
}

async fn render(custom: &CustomMessage, hooks: &Hooks) -> Option<Message> {
    if let Some(rendered) = hooks.render_custom_message(custom).await {
        return Some(rendered);
    }
    if CustomKind::from_name(&custom.kind) != Some(CustomKind::Compaction) {
        return None;
    }
    let summary = custom.payload.get("summary")?.as_str()?;
    Some(Message::User(UserMessage {
        id: custom.id.clone(),
        content: vec![ContentPart::text(format!("{SUMMARY_INTRODUCTION}\n\n{summary}"))],
        timestamp: custom.timestamp,
        meta: Meta::new(),
    }))
}
