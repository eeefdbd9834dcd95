//! The one [`Event`] enum: everything that a run tells its clients, in the order it happens.
//!
//! Owns the shapes and their order. RPC hosts, front ends, `on_event` hooks and tests all get
//! exactly these; only what is asked of the user goes to nobody but those who said that they answer. Must not hold anything that only one kind of client needs.

use crate::control::Control;
use crate::id::{ToolCallId, UiRequestId};
use crate::message::{ContentPart, Message, Meta, StopReason, Transcript, Usage};
use crate::ui::UiRequest;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Map, Value};
use std::sync::Arc;

/// What happened in a run.
///
/// One run is: `agent_start`; for each turn `turn_start`, the opening user messages' start and
/// end, the assistant's `message_start`, `message_update`s and `message_end`, all
/// `tool_execution_start`s in source order, updates and ends as they happen, the tool results'
/// start and end in source order, `turn_end`; at last `agent_end`. `ui_request` and `ui_withdrawn`
/// may come at any time, outside of runs too.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Event {
    /// A run begins; once a run, first.
    AgentStart {
        /// The transcript, the new input included.
        messages: Transcript,
    },
    /// A turn begins: one answer of the model and the tools it asks for.
    TurnStart {
        /// Counts from 1 within the run.
        turn: u32,
    },
    /// A message begins. An assistant's is empty here; any other is complete.
    MessageStart {
        /// The message so far.
        message: Arc<Message>,
    },
    /// A piece of the assistant's answer arrived; any number of times a message.
    MessageUpdate {
        /// The message so far. Inside the process it is absent (a copy per piece would make a
        /// long answer quadratic); the RPC encoder adds it unless the host asked for deltas.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        message: Option<Arc<Message>>,
        /// The piece.
        stream_event: StreamEvent,
    },
    /// A message is final and, if the session is kept, on disk.
    MessageEnd {
        /// The whole message.
        message: Arc<Message>,
    },
    /// A tool call is about to run; once a call, in source order, before any of them ends.
    ToolExecutionStart {
        /// The call.
        tool_call_id: ToolCallId,
        /// The tool's name.
        tool_name: String,
        /// The arguments as the model sent them, parsed.
        arguments: Map<String, Value>,
    },
    /// A running tool has something to show; at most about 20 times a second a call.
    ToolExecutionUpdate {
        /// The call.
        tool_call_id: ToolCallId,
        /// The newest output, bounded.
        partial: Partial,
    },
    /// A tool call is over; once for each start, in the order in which they finish.
    ToolExecutionEnd {
        /// The call.
        tool_call_id: ToolCallId,
        /// The result: a `tool` message.
        result: Arc<Message>,
    },
    /// A turn is over. Missing where the turn was aborted or failed in the model's answer.
    TurnEnd {
        /// The number that its start had.
        turn: u32,
        /// The assistant's message.
        message: Arc<Message>,
        /// The results of its calls, in source order.
        tool_results: Transcript,
    },
    /// A request failed in a way that may pass, and will be sent again.
    Retry(RetryNotice),
    /// The run cannot go on.
    Error {
        /// What happened, with the HTTP status where there is one.
        error: String,
        /// Whether the same prompt may be tried again.
        recoverable: bool,
    },
    /// The run is over; once a run, last.
    AgentEnd {
        /// The transcript.
        messages: Transcript,
        /// Why the run failed; `null` after a good end and after an abort.
        error: Option<String>,
        /// Present, and true, after an abort.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        aborted: bool,
    },
    /// A tool or a plugin shows the user something, or asks. Only for those whose `hello` said
    /// that they answer.
    UiRequest {
        /// What an answer names.
        request_id: UiRequestId,
        /// What is shown or asked.
        request: UiRequest,
    },
    /// A question is not to be answered any more: the run was aborted, or whoever asked has given
    /// up. Never sent for one that was answered.
    UiWithdrawn {
        /// The question.
        request_id: UiRequestId,
    },
}

impl Event {
    /// Returns the `type` name.
    pub fn name(&self) -> &'static str {
        match self {
            Self::AgentStart { .. } => "agent_start",
            Self::TurnStart { .. } => "turn_start",
            Self::MessageStart { .. } => "message_start",
            Self::MessageUpdate { .. } => "message_update",
            Self::MessageEnd { .. } => "message_end",
            Self::ToolExecutionStart { .. } => "tool_execution_start",
            Self::ToolExecutionUpdate { .. } => "tool_execution_update",
            Self::ToolExecutionEnd { .. } => "tool_execution_end",
            Self::TurnEnd { .. } => "turn_end",
            Self::Retry(_) => "retry",
            Self::Error { .. } => "error",
            Self::AgentEnd { .. } => "agent_end",
            Self::UiRequest { .. } => "ui_request",
            Self::UiWithdrawn { .. } => "ui_withdrawn",
        }
    }
}

/// A piece of an assistant's answer. Empty pieces are never sent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum StreamEvent {
    /// More of the visible answer.
    TextDelta {
        /// The new text.
        delta: String,
    },
    /// More of the reasoning.
    ThinkingDelta {
        /// The new text.
        delta: String,
    },
    /// The model begins a tool call.
    ToolCallStart {
        /// The call.
        tool_call_id: ToolCallId,
        /// The tool's name.
        name: String,
    },
    /// More of a call's arguments.
    ToolCallArgsDelta {
        /// The call.
        tool_call_id: ToolCallId,
        /// The new JSON text.
        delta: String,
    },
    /// A call's arguments are complete; after the last piece of the answer.
    ToolCallEnd {
        /// The call.
        tool_call_id: ToolCallId,
    },
    /// What the answer cost; after `stop`, where the provider tells.
    Usage {
        /// The figures.
        usage: Usage,
    },
    /// The model stopped.
    Stop {
        /// Why.
        reason: StopReason,
    },
    /// The stream broke, or never began, and is tried again.
    Retry(RetryNotice),
}

/// Announces that a request is sent again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RetryNotice {
    /// The number of the coming attempt; the first retry is 2.
    pub attempt: u32,
    /// How many attempts there will be at the most.
    pub total_attempts: u32,
    /// The pause before the attempt, in seconds.
    pub delay_seconds: f64,
    /// What went wrong, with the HTTP status where there is one.
    pub reason: String,
}

/// What a running tool shows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Partial {
    /// The newest output.
    #[serde(default)]
    pub content: Vec<ContentPart>,
    /// What front ends may show beside it.
    #[serde(default)]
    pub details: Meta,
}

/// One line that a program sends to its host: an event or a control message. The two sets of
/// `type` names are disjoint, so a client needs one table.
#[derive(Debug, Clone, PartialEq)]
pub enum Outbound {
    /// What happened in a run.
    Event(Event),
    /// An answer to a command.
    Control(Control),
}

impl Serialize for Outbound {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Event(event) => event.serialize(serializer),
            Self::Control(control) => control.serialize(serializer),
        }
    }
}
