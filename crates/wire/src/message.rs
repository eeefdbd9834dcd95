//! Messages: what the transcript holds, what sessions store, what events carry.
//!
//! Owns roles, content parts, tool calls and usage, field for field. Must not know how a
//! provider writes them.

use crate::id::{MessageId, ToolCallId};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::sync::Arc;

/// Free-form additions to a message. What a provider needs back in a later request (reasoning
/// text, thought signatures) lives here.
pub type Meta = Map<String, Value>;

/// The conversation, oldest first. Messages are shared, never copied, once they are final.
pub type Transcript = Vec<Arc<Message>>;

/// One message of the conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "role", rename_all = "snake_case")]
pub enum Message {
    /// What the user (or a steering or follow-up line) said.
    User(UserMessage),
    /// What the model answered.
    Assistant(AssistantMessage),
    /// What one tool call gave.
    Tool(ToolMessage),
    /// An entry that is not sent to the model by default, such as a compaction.
    Custom(CustomMessage),
}

/// What the user said.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct UserMessage {
    /// Unique within the session.
    pub id: MessageId,
    /// Text and images, in order.
    #[serde(default)]
    pub content: Vec<ContentPart>,
    /// Seconds since the Unix epoch.
    #[serde(default)]
    pub timestamp: f64,
    /// Free-form additions. `typed` is what a person typed, where `content` is what became of it.
    #[serde(default)]
    pub meta: Meta,
}

/// Where the `meta` of a user's message keeps what was typed.
pub const TYPED: &str = "typed";

impl UserMessage {
    /// Returns what a person typed, where the content is what became of it.
    pub fn typed(&self) -> Option<&str> {
        self.meta.get(TYPED).and_then(Value::as_str)
    }
}

/// What the model answered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AssistantMessage {
    /// Unique within the session.
    pub id: MessageId,
    /// The visible answer. Empty while only reasoning or tool calls have arrived.
    #[serde(default)]
    pub content: Vec<ContentPart>,
    /// The tool calls, in the order the model made them. Empty until the message is final.
    #[serde(default)]
    pub tool_calls: Vec<ToolCall>,
    /// Seconds since the Unix epoch, when the answer began.
    #[serde(default)]
    pub timestamp: f64,
    /// Why the model stopped; `null` while it has not.
    #[serde(default)]
    pub stop_reason: Option<StopReason>,
    /// What the answer cost; `null` where the provider did not tell.
    #[serde(default)]
    pub usage: Option<Usage>,
    /// Free-form additions.
    #[serde(default)]
    pub meta: Meta,
}

/// What one tool call gave.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ToolMessage {
    /// Unique within the session.
    pub id: MessageId,
    /// The call that this answers.
    pub tool_call_id: ToolCallId,
    /// What the model sees.
    #[serde(default)]
    pub content: Vec<ContentPart>,
    /// Whether the call failed.
    #[serde(default)]
    pub is_error: bool,
    /// Seconds since the Unix epoch.
    #[serde(default)]
    pub timestamp: f64,
    /// What front ends may show beside the text; each tool documents its own.
    #[serde(default)]
    pub details: Meta,
}

/// An entry of a kind that the core or a plugin defines.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CustomMessage {
    /// Unique within the session.
    pub id: MessageId,
    /// Names the kind, for example `compaction`.
    pub kind: String,
    /// What the kind's owner stored.
    #[serde(default)]
    pub payload: Map<String, Value>,
    /// Seconds since the Unix epoch.
    #[serde(default)]
    pub timestamp: f64,
    /// Free-form additions.
    #[serde(default)]
    pub meta: Meta,
}

/// One piece of a message's content.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ContentPart {
    /// Plain text.
    Text {
        /// The text.
        text: String,
    },
    /// A picture.
    Image {
        /// The picture's bytes in base64.
        data: String,
        /// For example `image/png`.
        mime_type: String,
    },
}

/// A request by the model to run a tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ToolCall {
    /// Unique within the session.
    pub id: ToolCallId,
    /// The tool's name.
    pub name: String,
    /// The parsed arguments; empty where the model's text was no JSON object.
    #[serde(default)]
    pub arguments: Map<String, Value>,
}

/// Why the model stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// The answer is complete.
    EndTurn,
    /// The model waits for tool results.
    ToolCalls,
    /// The output limit cut the answer.
    MaxTokens,
    /// Any reason that is none of the others.
    Error,
}

/// Tokens and money that one answer cost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Usage {
    /// Tokens of the request, cached ones included.
    pub input_tokens: u64,
    /// Tokens of the answer, reasoning included.
    pub output_tokens: u64,
    /// Tokens written to the provider's prompt cache.
    pub cache_creation_tokens: u64,
    /// Tokens of the request that came from the provider's prompt cache.
    pub cache_read_tokens: u64,
    /// Tokens of the answer that were reasoning.
    pub reasoning_tokens: u64,
    /// US dollars; `null` where no price is known.
    pub cost_usd: Option<f64>,
}

impl Message {
    /// Returns the message's id.
    pub fn id(&self) -> &MessageId {
        match self {
            Self::User(message) => &message.id,
            Self::Assistant(message) => &message.id,
            Self::Tool(message) => &message.id,
            Self::Custom(message) => &message.id,
        }
    }

    /// Returns the message's content; a custom message has none.
    pub fn content(&self) -> &[ContentPart] {
        match self {
            Self::User(message) => &message.content,
            Self::Assistant(message) => &message.content,
            Self::Tool(message) => &message.content,
            Self::Custom(_) => &[],
        }
    }

    /// Returns the assistant message, if this is one.
    pub fn as_assistant(&self) -> Option<&AssistantMessage> {
        match self {
            Self::Assistant(message) => Some(message),
            Self::User(_) | Self::Tool(_) | Self::Custom(_) => None,
        }
    }

    /// Returns the tool message, if this is one.
    pub fn as_tool(&self) -> Option<&ToolMessage> {
        match self {
            Self::Tool(message) => Some(message),
            Self::User(_) | Self::Assistant(_) | Self::Custom(_) => None,
        }
    }

    /// Returns the custom message, if this is one.
    pub fn as_custom(&self) -> Option<&CustomMessage> {
        match self {
            Self::Custom(message) => Some(message),
            Self::User(_) | Self::Assistant(_) | Self::Tool(_) => None,
        }
    }
}

impl ContentPart {
    /// Returns a text part.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text { text: text.into() }
    }
}

/// Returns the text parts of `content` joined as they stand, without the images.
pub fn text_of(content: &[ContentPart]) -> String {
    let texts = content.iter().filter_map(|part| match part {
        ContentPart::Text { text } => Some(text.as_str()),
        ContentPart::Image { .. } => None,
    });
    texts.collect()
}
