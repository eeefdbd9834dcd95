//! Identifiers as newtypes, so that one kind is never passed for another.
//!
//! Owns their text form. Must not give an id any meaning beyond identity.

use serde::{Deserialize, Serialize};
use std::fmt;

macro_rules! text_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[serde(transparent)]
        pub struct $name(Box<str>);

        impl $name {
            /// Returns the id as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(text.into())
            }
        }

        impl From<String> for $name {
            fn from(text: String) -> Self {
                Self(text.into_boxed_str())
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

text_id! {
    /// Names one message; a UUID in all that we write, any text in what we read.
    MessageId
}
text_id! {
    /// Names one tool call, as the model's server chose it (made locally where it sent none).
    ToolCallId
}
text_id! {
    /// Names one session: the file name without its ending, a UUID of version 7.
    SessionId
}
text_id! {
    /// Names one question to the user, within one process.
    UiRequestId
}
text_id! {
    /// Names one plugin.
    PluginId
}

/// Names one line of a session; the id of the message that the line holds.
pub type EntryId = MessageId;

/// The token that a host put on a command and gets back on its replies: any JSON value,
/// `null` where the command had none.
pub type RequestId = serde_json::Value;

impl MessageId {
    /// Returns a new random id.
    pub fn random() -> Self {
        Self::from(uuid::Uuid::new_v4().to_string())
    }
}

impl SessionId {
    /// Returns a new id whose text order is the order of creation.
    pub fn new_v7() -> Self {
        Self::from(uuid::Uuid::now_v7().to_string())
    }
}
