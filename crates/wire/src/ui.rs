//! What is asked of the person in front of the program, and what is only shown.
//!
//! Owns the requests. Tools and plugins make them; front ends and hosts that can answer get them as
//! events. Must not know who asks or how anything is shown.

use serde::{Deserialize, Serialize};

/// Something for the user to see or to answer. Where nobody can answer, a question is declined.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum UiRequest {
    /// Shows a line; not answered.
    Notify {
        /// The line.
        text: String,
        /// How much it matters.
        #[serde(default)]
        level: UiLevel,
    },
    /// Asks yes or no; the answer is `true` or `false`.
    Confirm {
        /// A few words above the question; empty for none.
        #[serde(default)]
        title: String,
        /// The question.
        text: String,
    },
    /// Asks for one of several; the answer is its place among them, from 0.
    Select {
        /// The question.
        text: String,
        /// What to choose from.
        options: Vec<String>,
    },
    /// Asks for a line of text; the answer is that text.
    Input {
        /// The question.
        text: String,
        /// What an empty field may show as an example.
        #[serde(default)]
        placeholder: Option<String>,
        /// What the field holds at first.
        #[serde(default)]
        default: Option<String>,
    },
    /// Sets or clears a line of status; not answered.
    Status {
        /// Tells several such lines apart.
        #[serde(default)]
        key: String,
        /// The line; `null` clears it.
        #[serde(default)]
        text: Option<String>,
    },
}

/// How much a line matters.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum UiLevel {
    /// Good to know.
    #[default]
    Info,
    /// Something is odd.
    Warning,
    /// Something failed.
    Error,
}

impl UiRequest {
    /// Returns whether somebody waits for an answer.
    pub fn is_question(&self) -> bool {
        match self {
            Self::Confirm { .. } | Self::Select { .. } | Self::Input { .. } => true,
            Self::Notify { .. } | Self::Status { .. } => false,
        }
    }
}
