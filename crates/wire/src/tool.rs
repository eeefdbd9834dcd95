//! Tools as the model and plugins see them: a declaration and an output.
//!
//! Owns the shapes. Must not run anything.

use crate::message::{ContentPart, Meta};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A tool's declaration.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ToolSpec {
    /// Unique name: letters, digits, `_`, `-`, `.` and `:`.
    pub name: String,
    /// What it does and when to use it, for the model.
    pub description: String,
    /// JSON Schema of the arguments; an object schema.
    pub parameters: Value,
    /// How calls of it may overlap with others.
    #[serde(default)]
    pub execution_mode: ExecutionMode,
}

/// How calls of a tool may overlap with others of the same message.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ExecutionMode {
    /// Runs beside others.
    #[default]
    Parallel,
    /// Runs alone: waits for all before it, and all after it wait.
    Sequential,
}

/// What a tool gives back.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ToolOutput {
    /// What the model sees.
    #[serde(default)]
    pub content: Vec<ContentPart>,
    /// What front ends may show beside it.
    #[serde(default)]
    pub details: Meta,
    /// Whether the call failed.
    #[serde(default)]
    pub is_error: bool,
    /// Whether the run ends after this turn.
    #[serde(default)]
    pub terminate: bool,
}
