//! Messages of before: a few lines when a session goes on, or all that they hold.
//!
//! Owns how much of them is shown. Must not load anything.

use super::{Kind, Transcript, notes, tool};
use crate::fold::{HEAD, beginning};
use crate::markdown::Markdown;
use crate::theme;
use letscode_wire::{AssistantMessage, Message, ToolCallId, text_of};
use std::collections::HashMap;
use std::sync::Arc;

/// No more of an answer of before is looked at.
const MAX_ANSWER: usize = 4_000;

impl Transcript {
    /// Adds the recap of a session that goes on: how many messages it has, what the user said last,
    /// and the beginning of the last answer to that, where there is one. The last of the messages are enough; `count` tells how
    /// many there are.
    pub fn recap(&mut self, messages: &[Arc<Message>], count: usize) {
        // What was thought in another conversation is not recalled in this one.
        self.folded_thought = None;
        if messages.is_empty() || count == 0 {
            return;
        }
        let word = if count == 1 { "message" } else { "messages" };
        self.notice(&format!("the session goes on: {count} {word} so far"));
        let asked = messages.iter().rposition(|message| matches!(**message, Message::User(_)));
        let user = asked.and_then(|at| messages.get(at)).map(|message| &**message);
        if let Some(Message::User(user)) = user {
            self.user(user);
        }
        // An answer that stands before the question is that to another one.
        let since = messages.get(asked.unwrap_or(0)..).unwrap_or_default();
        let texts = since.iter().rev().filter_map(|message| message.as_assistant());
        let text =
            texts.map(|answer| text_of(&answer.content)).find(|text| !text.trim().is_empty());
        if let Some(text) = text {
            let shown = shortened(&text);
            self.answer_text(shown);
            if shown.len() < text.trim_end().len() {
                let left_out = text.lines().count() - shown.lines().count();
                let note = match left_out {
                    0 => "…".to_owned(),
                    _ => format!("… {left_out} lines more"),
                };
                self.done.push(notes::line(&note, theme::QUIET));
            }
        }
    }

    /// Adds messages as they were shown when they came.
    pub fn replay(&mut self, messages: &[Arc<Message>]) {
        let mut calls: HashMap<&ToolCallId, tool::Call> = HashMap::new();
        for message in messages {
            match &**message {
                Message::User(message) => self.user(message),
                Message::Assistant(message) => {
                    self.answer_text(&text_of(&message.content));
                    calls.extend(calls_of(message));
                }
                Message::Tool(message) => {
                    let call = calls.remove(&message.tool_call_id).unwrap_or_default();
                    self.tool(&call, message, None);
                }
                Message::Custom(message) => self.add(Kind::Note, notes::custom(message)),
            }
        }
    }

    fn answer_text(&mut self, text: &str) {
        let mut markdown = Markdown::new();
        markdown.push(text.trim());
        markdown.finish();
        self.add(Kind::Answer, markdown.take_blocks());
    }
}

fn calls_of(message: &AssistantMessage) -> impl Iterator<Item = (&ToolCallId, tool::Call)> {
    let calls = message.tool_calls.iter();
    calls.map(|call| (&call.id, tool::Call::new(&call.name, &call.arguments)))
}

/// Returns the first lines of a text.
fn shortened(text: &str) -> &str {
    let text = beginning(text.trim_end(), MAX_ANSWER);
    let end = text.match_indices('\n').nth(HEAD - 1).map_or(text.len(), |(at, _)| at);
    text.get(..end).unwrap_or(text)
}
