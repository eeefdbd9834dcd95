//! From any history to one that every server takes.
//!
//! Owns the rules that hold for the order of messages: each call is answered by exactly one
//! result, directly behind it and in its order; no user follows a result directly; ids are legal
//! and unique; nothing is empty; images stand in user messages only. Borrows all texts. Must not write JSON.

use super::call_ids::CallIds;
use super::{BodyContext, Sent};
use crate::profile::ReasoningBack;
use crate::tool_name::legal_form;
use letscode_wire::{AssistantMessage, ContentPart, Message, Meta, ToolMessage, UserMessage};
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::sync::Arc;

/// What the model reads where a call has no result.
const INTERRUPTED: &str = "no result: the call was interrupted before it finished";
/// What the model reads where a result is empty.
const NO_OUTPUT: &str = "(no output)";
/// What the model reads where a result is but an image.
const SEE_IMAGE: &str = "(the image follows below)";
/// What introduces the images of results.
const RESULT_IMAGES: &str = "Images from the tool results above:";
/// What stands for an image that the model cannot see.
const IMAGE_LEFT_OUT: &str = "[an image was left out: this model takes no images]";
/// What stands for an image that a server would refuse, and with it every later request.
const IMAGE_DAMAGED: &str = "[an image was left out: its data is damaged]";
/// What stands between a result and a user, who may not follow it directly.
const BRIDGE: &str = "(continuing)";
/// What stands between two messages that were merged.
const BETWEEN_MERGED: &str = "\n\n";

/// The messages to write, in order, and what is known about them.
#[derive(Debug, Default)]
pub(super) struct Plan<'a> {
    pub(super) messages: Vec<WireMessage<'a>>,
    /// About how many bytes the texts take.
    pub(super) text_bytes: usize,
    pub(super) sent: Sent,
}

/// One message as it will be written.
#[derive(Debug)]
pub(super) enum WireMessage<'a> {
    User { pieces: Vec<Piece<'a>> },
    Assistant { texts: Vec<&'a str>, calls: Vec<WireCall<'a>>, reasoning: Reasoning<'a> },
    Tool { call_id: Cow<'a, str>, texts: Vec<&'a str> },
}

/// A piece of a user's message; never an empty text.
#[derive(Debug, Clone, Copy)]
pub(super) enum Piece<'a> {
    Text(&'a str),
    Image { mime_type: &'a str, data: &'a str },
}

/// A call, its name already made legal, its id unique too.
#[derive(Debug)]
pub(super) struct WireCall<'a> {
    pub(super) id: Cow<'a, str>,
    pub(super) name: Cow<'a, str>,
    pub(super) arguments: &'a Map<String, Value>,
    /// Members that the provider wants back on the call.
    pub(super) extras: Option<&'a Meta>,
}

/// What goes back of an answer's reasoning.
#[derive(Debug, Clone, Copy)]
pub(super) enum Reasoning<'a> {
    None,
    Text { field: &'static str, text: &'a str },
    Details(&'a Value),
}

/// Returns what to write for `history`.
pub(super) fn plan<'a>(history: &'a [Arc<Message>], context: BodyContext<'_>) -> Plan<'a> {
    let mut planner = Planner {
        context,
        ids: CallIds::new(context.profile.call_ids),
        images: context.vision && context.profile.images,
        plan: Plan { messages: Vec::with_capacity(history.len() + 1), ..Plan::default() },
    };
    for (index, message) in history.iter().enumerate() {
        match &**message {
            Message::User(user) => planner.user(user),
            Message::Assistant(assistant) => {
                let behind = history.get(index + 1..).unwrap_or_default();
                planner.assistant(assistant, behind);
            }
            // Results are taken with their calls; one that no call asked for is dropped.
            Message::Tool(_) | Message::Custom(_) => {}
        }
    }
    planner.plan
}

struct Planner<'a, 'c> {
    context: BodyContext<'c>,
    ids: CallIds<'a>,
    images: bool,
    plan: Plan<'a>,
}

impl<'a> Planner<'a, '_> {
    fn user(&mut self, message: &'a UserMessage) {
        let mut pieces = Vec::with_capacity(message.content.len());
        for part in &message.content {
            match part {
                ContentPart::Text { text } if text.is_empty() => {}
                ContentPart::Text { text } => pieces.push(Piece::Text(text)),
                ContentPart::Image { data, mime_type } => match self.image(data, mime_type) {
                    Ok(image) => pieces.push(image),
                    Err(note) => {
                        if !pieces.is_empty() {
                            pieces.push(Piece::Text("\n"));
                        }
                        pieces.push(Piece::Text(note));
                    }
                },
            }
        }
        self.push_user(pieces);
    }

    fn push_user(&mut self, pieces: Vec<Piece<'a>>) {
        let blank =
            |piece: &Piece<'_>| matches!(piece, Piece::Text(text) if text.trim().is_empty());
        if pieces.iter().all(blank) {
            return;
        }
        for piece in &pieces {
            match piece {
                Piece::Text(text) => self.plan.text_bytes += text.len() + 32,
                Piece::Image { data, .. } => {
                    self.plan.text_bytes += data.len() + 96;
                    self.plan.sent.images = true;
                }
            }
        }
        match self.plan.messages.last_mut() {
            Some(WireMessage::User { pieces: before }) if self.context.profile.strict_roles => {
                before.push(Piece::Text(BETWEEN_MERGED));
                before.extend(pieces);
                return;
            }
            Some(WireMessage::Tool { .. }) => {
                self.count_assistant(&[BRIDGE], &[], Reasoning::None);
                self.push_assistant(vec![BRIDGE], Vec::new(), Reasoning::None);
            }
            Some(WireMessage::User { .. } | WireMessage::Assistant { .. }) | None => {}
        }
        self.plan.messages.push(WireMessage::User { pieces });
    }

    fn assistant(&mut self, message: &'a AssistantMessage, behind: &'a [Arc<Message>]) {
        let texts = texts_of(&message.content);
        if texts.is_empty() && message.tool_calls.is_empty() {
            return;
        }
        let same_origin = is_text(&message.meta, "provider", self.context.host)
            && is_text(&message.meta, "model", self.context.model);
        let extras = same_origin.then(|| message.meta.get("call_extras")).flatten();
        let calls: Vec<WireCall<'a>> = message
            .tool_calls
            .iter()
            .map(|call| WireCall {
                id: self.ids.assign(call.id.as_str()),
                name: legal_form(&call.name),
                arguments: &call.arguments,
                extras: extras
                    .and_then(|extras| extras.get(call.id.as_str()))
                    .and_then(Value::as_object),
            })
            .collect();
        let reasoning = self.reasoning(message, same_origin);
        self.count_assistant(&texts, &calls, reasoning);
        let ids: Vec<Cow<'a, str>> = calls.iter().map(|call| call.id.clone()).collect();
        self.push_assistant(texts, calls, reasoning);
        self.push_results(message, ids, behind);
    }

    fn reasoning(&self, message: &'a AssistantMessage, same_origin: bool) -> Reasoning<'a> {
        let stored = message.meta.get("reasoning").filter(|_| same_origin);
        let text = stored.and_then(|stored| stored.get("text")).and_then(Value::as_str);
        let text = text.filter(|text| !text.is_empty());
        match self.context.profile.reasoning_back {
            ReasoningBack::Never => Reasoning::None,
            ReasoningBack::Text(field) => {
                text.map_or(Reasoning::None, |text| Reasoning::Text { field, text })
            }
            ReasoningBack::Required => {
                let in_tool_loop = !message.tool_calls.is_empty()
                    || matches!(self.plan.messages.last(), Some(WireMessage::Tool { .. }));
                if in_tool_loop {
                    let text = text.unwrap_or_default();
                    Reasoning::Text { field: "reasoning_content", text }
                } else {
                    Reasoning::None
                }
            }
            ReasoningBack::Details => stored
                .and_then(|stored| stored.get("details"))
                .filter(|details| details.as_array().is_some_and(|items| !items.is_empty()))
                .map_or(Reasoning::None, Reasoning::Details),
        }
    }

    fn count_assistant(
        &mut self,
        texts: &[&str],
        calls: &[WireCall<'_>],
        reasoning: Reasoning<'_>,
    ) {
        let plan = &mut self.plan;
        plan.text_bytes += 64 + texts.iter().map(|text| text.len()).sum::<usize>();
        for call in calls {
            plan.text_bytes += 128 + size_of_object(call.arguments);
        }
        plan.sent.calls |= !calls.is_empty();
        plan.sent.null_content |= texts.is_empty() && self.context.profile.null_content;
        match reasoning {
            Reasoning::None => {}
            Reasoning::Text { text, .. } => {
                plan.sent.reasoning = true;
                plan.text_bytes += text.len() + 32;
            }
            Reasoning::Details(details) => {
                plan.sent.reasoning = true;
                plan.text_bytes += size_of_value(details) + 32;
            }
        }
    }

    fn push_assistant(
        &mut self,
        texts: Vec<&'a str>,
        calls: Vec<WireCall<'a>>,
        reasoning: Reasoning<'a>,
    ) {
        if self.context.profile.strict_roles
            && let Some(WireMessage::Assistant {
                texts: before,
                calls: calls_before,
                reasoning: reasoning_before,
            }) = self.plan.messages.last_mut()
            && calls_before.is_empty()
        {
            if !texts.is_empty() {
                before.push(BETWEEN_MERGED);
                before.extend(texts);
            }
            *calls_before = calls;
            *reasoning_before = reasoning;
            return;
        }
        self.plan.messages.push(WireMessage::Assistant { texts, calls, reasoning });
    }

    /// Returns an image as it is sent, or what stands for it where it cannot be.
    fn image(&self, data: &'a str, mime_type: &'a str) -> Result<Piece<'a>, &'static str> {
        if !self.images {
            return Err(IMAGE_LEFT_OUT);
        }
        if !is_image_type(mime_type) || !is_base64(data) {
            return Err(IMAGE_DAMAGED);
        }
        Ok(Piece::Image { mime_type, data })
    }

    /// Adds one result for each call, in the order of the calls, and their images behind them.
    fn push_results(
        &mut self,
        message: &'a AssistantMessage,
        ids: Vec<Cow<'a, str>>,
        behind: &'a [Arc<Message>],
    ) {
        if ids.is_empty() {
            return;
        }
        // Ids may come again in later turns, so only results before the next calls count.
        let mut results: Vec<Option<&'a ToolMessage>> = behind
            .iter()
            .take_while(|later| later.as_assistant().is_none_or(|it| it.tool_calls.is_empty()))
            .filter_map(|later| later.as_tool())
            .map(Some)
            .collect();
        let mut images = Vec::new();
        for (call, call_id) in message.tool_calls.iter().zip(ids) {
            let result = results
                .iter_mut()
                .find(|slot| slot.is_some_and(|result| result.tool_call_id == call.id))
                .and_then(Option::take);
            let texts = match result {
                Some(result) => self.result_texts(result, &mut images),
                None => vec![INTERRUPTED],
            };
            self.plan.text_bytes += 96 + texts.iter().map(|text| text.len()).sum::<usize>();
            self.plan.messages.push(WireMessage::Tool { call_id, texts });
        }
        if !images.is_empty() {
            images.insert(0, Piece::Text(RESULT_IMAGES));
            self.push_user(images);
        }
    }

    fn result_texts(&self, result: &'a ToolMessage, images: &mut Vec<Piece<'a>>) -> Vec<&'a str> {
        let mut texts = texts_of(&result.content);
        for part in &result.content {
            let ContentPart::Image { data, mime_type } = part else { continue };
            match self.image(data, mime_type) {
                Ok(image) => {
                    images.push(image);
                    if texts.is_empty() {
                        texts.push(SEE_IMAGE);
                    }
                }
                Err(note) if texts.is_empty() => texts.push(note),
                Err(note) => texts.extend(["\n", note]),
            }
        }
        if texts.is_empty() {
            texts.push(NO_OUTPUT);
        }
        texts
    }
}

/// Returns the text parts; none where they are blank altogether.
fn texts_of(content: &[ContentPart]) -> Vec<&str> {
    let texts = content.iter().filter_map(|part| match part {
        ContentPart::Text { text } if !text.is_empty() => Some(text.as_str()),
        ContentPart::Text { .. } | ContentPart::Image { .. } => None,
    });
    let texts: Vec<&str> = texts.collect();
    if texts.iter().all(|text| text.trim().is_empty()) { Vec::new() } else { texts }
}

fn is_image_type(mime_type: &str) -> bool {
    let is_mark = |byte: u8| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte);
    let name = mime_type.strip_prefix("image/").unwrap_or_default();
    !name.is_empty() && name.bytes().all(is_mark)
}

/// Returns whether a text is what an encoder gives: padded, on one line.
fn is_base64(text: &str) -> bool {
    let digits = text.trim_end_matches('=');
    let is_digit = |byte: u8| byte.is_ascii_alphanumeric() || b"+/".contains(&byte);
    !digits.is_empty()
        && text.len().is_multiple_of(4)
        && text.len() - digits.len() <= 2
        && digits.bytes().all(is_digit)
}

fn is_text(meta: &Meta, name: &str, expected: &str) -> bool {
    meta.get(name).and_then(Value::as_str) == Some(expected)
}

fn size_of_object(object: &Map<String, Value>) -> usize {
    object.iter().map(|(name, value)| name.len() + 8 + size_of_value(value)).sum()
}

/// Returns about how many bytes a value takes as JSON text.
fn size_of_value(value: &Value) -> usize {
    match value {
        Value::Null | Value::Bool(_) => 6,
        Value::Number(_) => 12,
        Value::String(text) => text.len() + 8,
        Value::Array(items) => 2 + items.iter().map(|item| 1 + size_of_value(item)).sum::<usize>(),
        Value::Object(object) => 2 + size_of_object(object),
    }
}
