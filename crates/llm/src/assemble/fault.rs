//! Why a response gives no answer.
//!
//! Owns the kinds of fault, with raw data. Must not decide what is retried or how a fault is
//! worded for the user.

use crate::sse::SseError;

/// Why a response gives no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum StreamFault {
    /// The server reported a failure inside the response.
    #[error("the server reported an error in its answer")]
    ErrorObject {
        /// What it sent: JSON as in an error response's body, or plain text.
        body: Vec<u8>,
        /// The HTTP status that it named, if any.
        status: Option<u16>,
        /// Whether the event was named `error`.
        is_named: bool,
    },
    /// The stream ended without a finish reason and without `[DONE]`.
    #[error("the stream ended before the answer was complete")]
    Incomplete,
    /// The answer has no text, no calls and no reasoning.
    #[error("the answer is empty")]
    EmptyAnswer {
        /// The server's finish reason.
        finish_reason: Option<String>,
    },
    /// The finish reason tells of a failure that may pass.
    #[error("the answer ended with {reason:?}")]
    RetryableFinish {
        /// The finish reason.
        reason: String,
    },
    /// The provider withheld the whole answer.
    #[error("the provider withheld the answer ({reason:?})")]
    Filtered {
        /// The finish reason.
        reason: String,
    },
    /// Several events in a row, or the whole body, are nothing that we can read.
    #[error("the answer cannot be read")]
    Garbage,
    /// The answer, or one event, is larger than any answer may be.
    #[error("the answer is too long")]
    TooLong,
}

impl From<SseError> for StreamFault {
    fn from(error: SseError) -> Self {
        match error {
            SseError::EventTooLong { .. } => Self::TooLong,
        }
    }
}
