//! Identifiers as newtypes, so that one kind is never passed for another.
//!
//! Owns their text form. Must not give an id any meaning beyond identity.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};
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

/// The token that a host put on a command and gets back on its replies: any JSON value, as the
/// host wrote it; `null`, the default, where the command had none.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
#[serde(transparent)]
pub struct RequestId(#[cfg_attr(feature = "schema", schemars(with = "Value"))] Box<RawValue>);

impl RequestId {
    /// Returns the id as JSON text.
    pub fn as_json(&self) -> &str {
        self.0.get()
    }

    pub(crate) fn from_raw(text: &RawValue) -> Self {
        Self(text.to_owned())
    }
}

impl Default for RequestId {
    fn default() -> Self {
        Self::from_raw(RawValue::NULL)
    }
}

impl PartialEq for RequestId {
    fn eq(&self, other: &Self) -> bool {
        self.as_json() == other.as_json()
    }
}

impl From<Value> for RequestId {
    fn from(value: Value) -> Self {
        // A value can always be written.
        to_raw_value(&value).map(Self).unwrap_or_default()
    }
}

impl From<&str> for RequestId {
    fn from(text: &str) -> Self {
        Self::from(Value::from(text))
    }
}

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_json())
    }
}

impl<'de> Deserialize<'de> for RequestId {
    /// Inside of a tagged enum there is no raw text to be had.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Value::deserialize(deserializer).map(Self::from)
    }
}

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
