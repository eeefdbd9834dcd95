//! The port to a language model: one request in, a stream of pieces and one answer out.
//!
//! Owns the request, the answer and the classified error. Must not know any wire format.

use futures_util::Stream;
use letscode_wire::{
    ContentPart, Meta, StopReason, StreamEvent, ToolCall, ToolCallId, ToolSpec, Transcript, Usage,
};
use std::pin::Pin;
use std::sync::Arc;

/// A language model behind some endpoint. Called by the agent, once a turn.
pub trait Model: Send + Sync {
    /// Returns what is known of the model by now: its context window may become known later.
    fn info(&self) -> ModelInfo;

    /// Sends `request` and returns the answer as it comes.
    ///
    /// The stream gives any number of [`ModelEvent::Stream`] and [`ModelEvent::Notice`], then
    /// exactly one [`ModelEvent::Done`], or ends with one error. Retries happen inside: each is
    /// announced by [`StreamEvent::Retry`], after which all that came before it is void.
    /// Dropping the stream closes the connection at once, in every state.
    fn stream(&self, request: ModelRequest) -> ModelStream;
}

/// Where models come from. Called by the agent, when the user switches.
pub trait ModelSource: Send + Sync {
    /// Returns the name of the model that a session goes on with. `session` is the model that it
    /// switched to last.
    fn choose(&self, session: Option<&str>) -> String;

    /// Returns the model of that name. `thinking` is how hard it is asked to think, where that
    /// was changed since the start.
    ///
    /// # Errors
    /// When there is no such level, or nobody can be asked.
    fn bind(&self, name: &str, thinking: Option<&str>) -> Result<BoundModel, BindError>;
}

/// A model that can be asked.
#[derive(Clone)]
pub struct BoundModel {
    /// The model.
    pub model: Arc<dyn Model>,
    /// How hard it is asked to think, as far as it can.
    pub thinking: String,
}

/// Why a model cannot be asked.
#[derive(Debug, thiserror::Error)]
pub enum BindError {
    /// A word that is no thinking level.
    #[error("there is no thinking level {level:?}: {source}")]
    UnknownLevel {
        /// The word.
        level: String,
        /// What would be right.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// It has no address, or no key.
    #[error("cannot use the model {name}: {source}")]
    Unusable {
        /// The model's name.
        name: String,
        /// What is missing.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

/// What [`Model::stream`] returns.
pub type ModelStream = Pin<Box<dyn Stream<Item = Result<ModelEvent, ModelError>> + Send>>;

/// What is known of a model.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelInfo {
    /// The name that endpoints know it by.
    pub name: String,
    /// Its context window in tokens, where known.
    pub context_window: Option<u64>,
    /// Whether it takes images.
    pub vision: bool,
}

/// One request.
#[derive(Debug, Clone)]
pub struct ModelRequest {
    /// The system prompt; empty for none.
    pub system: Arc<str>,
    /// User, assistant and tool messages, oldest first. A custom message is left out.
    pub messages: Transcript,
    /// The tools at hand, in a fixed order.
    pub tools: Arc<[ToolSpec]>,
}

/// One step of an answer.
#[derive(Debug, Clone, PartialEq)]
pub enum ModelEvent {
    /// A piece to show.
    Stream(StreamEvent),
    /// A line that the user should see, such as a parameter that the server refused.
    Notice(String),
    /// The whole answer; last.
    Done(Box<Answer>),
}

/// A finished answer.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Answer {
    /// The visible text.
    pub content: Vec<ContentPart>,
    /// The calls in order; ids are unique among all messages of the request.
    pub tool_calls: Vec<ToolCall>,
    /// Calls among `tool_calls` that must not run, with the reason for the model.
    pub rejected: Vec<RejectedCall>,
    /// Why the model stopped.
    pub stop_reason: Option<StopReason>,
    /// What it cost.
    pub usage: Option<Usage>,
    /// What the provider needs back later.
    pub meta: Meta,
}

/// A call whose arguments were cut off or are no JSON object.
#[derive(Debug, Clone, PartialEq)]
pub struct RejectedCall {
    /// The call.
    pub id: ToolCallId,
    /// What is wrong, in words that the model can act on.
    pub reason: String,
}

/// Why a request failed for good: not retryable, or retries are used up.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct ModelError {
    /// What kind of failure it is.
    pub kind: ModelErrorKind,
    /// One line: what happened, with status, host and model where they help, and what to do.
    pub message: String,
}

/// The kinds of failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModelErrorKind {
    /// The key is missing, wrong or not allowed to do this (401, 403).
    Authentication,
    /// Credit or quota is used up (402, some 429): waiting does not help.
    Quota,
    /// Too many requests for now (429).
    RateLimited,
    /// The conversation does not fit the model's window.
    ContextOverflow,
    /// The server refuses the request as it is (400, 404, 413, 422 and the like).
    Rejected,
    /// The server failed or is overloaded (408, 409, 425, 5xx).
    Server,
    /// No connection, or it broke before the answer.
    Network,
    /// Certificates do not check out.
    Tls,
    /// Nothing came for too long.
    Stalled,
    /// The stream broke, or made no sense, before its end.
    BrokenStream,
    /// What came is no model's answer: HTML, another protocol.
    NotAnEndpoint,
    /// An answer without text and calls.
    EmptyAnswer,
    /// The provider withheld the answer.
    Filtered,
}

impl ModelErrorKind {
    /// Returns whether the same request may succeed later.
    pub fn is_retryable(self) -> bool {
        match self {
            Self::RateLimited
            | Self::Server
            | Self::Network
            | Self::Stalled
            | Self::BrokenStream
            | Self::EmptyAnswer => true,
            Self::Authentication
            | Self::Quota
            | Self::ContextOverflow
            | Self::Rejected
            | Self::Tls
            | Self::NotAnEndpoint
            | Self::Filtered => false,
        }
    }
}
