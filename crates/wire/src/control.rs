//! Control messages: what a host hears about its commands, beside the events.
//!
//! Owns the handshake and the replies. Their `type` names and those of events are disjoint.
//! Must not carry anything that happens inside a run.

use crate::id::RequestId;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The protocol that RPC mode speaks; the part behind the slash is its major.
pub const RPC_PROTOCOL: &str = "letscode-rpc/1";

/// A reply to a command, or a sign of life.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Control {
    /// The program takes commands; once, first.
    Ready {
        /// [`RPC_PROTOCOL`].
        protocol: String,
        /// The program's version.
        letscode: String,
        /// The additive extensions that this build has.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        features: Vec<String>,
    },
    /// A command is accepted; before its effects.
    Ack {
        /// The command's id.
        id: RequestId,
    },
    /// A command's work is complete.
    Done {
        /// The command's id.
        id: RequestId,
        /// What the command answers, where it answers anything.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        result: Option<Value>,
    },
    /// A command, or a line that is none, is refused.
    Error {
        /// The command's id, `null` where there is none.
        id: RequestId,
        /// What is wrong and what would be right.
        error: String,
        /// Whether the program goes on.
        recoverable: bool,
        /// Present, and true, when the program ends.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        fatal: bool,
    },
    /// The last line before a good end.
    Bye,
}

/// Returns whether `protocol` names ours in the same major, whatever follows it.
pub fn protocol_major_matches(protocol: &str, ours: &str) -> bool {
    let major = |text: &str| {
        let (name, version) = text.trim().split_once('/')?;
        let digits = version.split('.').next()?;
        let major: u32 = digits.parse().ok().filter(|_| !digits.starts_with('+'))?;
        Some((name.to_owned(), major))
    };
    major(protocol).is_some_and(|theirs| Some(theirs) == major(ours))
}
