//! The eleven hooks: what each is told and what it may answer.
//!
//! Owns the calls, the replies and the table [`HOOKS`]. An in-process plugin gets these as
//! method arguments, a plugin in another process as lines. Must not decide how replies combine.

use crate::message::{ContentPart, CustomMessage, Meta, ToolCall, Transcript};
use crate::tool::ToolOutput;
use serde::de::value::Error as Unknown;
use serde::de::{Deserializer, IntoDeserializer as _};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::fmt;

/// Names a hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum HookName {
    /// Adds tools; at start-up.
    RegisterTools,
    /// Adds slash commands; at start-up.
    RegisterCommands,
    /// Adds skills; at start-up.
    RegisterSkills,
    /// Adds front ends; at start-up.
    RegisterFrontends,
    /// Gives the first part of the system prompt.
    SystemPrompt,
    /// May block a tool call or rewrite its arguments.
    BeforeToolCall,
    /// May override a tool call's result.
    AfterToolCall,
    /// May change the messages that go to the model.
    TransformContext,
    /// May replace the whole conversion of messages for the model.
    ConvertToLlm,
    /// Gives a custom message the form in which the model sees it.
    RenderCustomMessage,
    /// Sees every event.
    OnEvent,
}

impl fmt::Display for HookName {
    /// Writes the name as it stands in lines.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

/// How replies of several plugins to one hook combine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HookInfo {
    /// The hook.
    pub name: HookName,
    /// How several answers become one, for documentation.
    pub combination: &'static str,
}

/// All hooks, in the order in which a run meets them.
pub const HOOKS: [HookInfo; 11] = [
    HookInfo {
        name: HookName::RegisterTools,
        combination: "all are taken; a later name replaces an earlier one",
    },
    HookInfo {
        name: HookName::RegisterCommands,
        combination: "all are taken; a later name replaces an earlier one",
    },
    HookInfo {
        name: HookName::RegisterSkills,
        combination: "all are taken; a later name replaces an earlier one",
    },
    HookInfo {
        name: HookName::RegisterFrontends,
        combination: "all are taken; a later name replaces an earlier one",
    },
    HookInfo { name: HookName::SystemPrompt, combination: "the first answer wins" },
    HookInfo {
        name: HookName::TransformContext,
        combination: "chained: each sees what the one before it gave",
    },
    HookInfo { name: HookName::ConvertToLlm, combination: "the first answer wins" },
    HookInfo { name: HookName::RenderCustomMessage, combination: "the first answer wins" },
    HookInfo {
        name: HookName::BeforeToolCall,
        combination: "the first block wins; rewrites are chained",
    },
    HookInfo {
        name: HookName::AfterToolCall,
        combination: "the later answer wins, field by field",
    },
    HookInfo { name: HookName::OnEvent, combination: "nothing is answered" },
];

/// What `system_prompt` is told.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SystemPromptContext {
    /// The working directory.
    pub cwd: String,
    /// The names of the tools at hand.
    pub tools: Vec<String>,
}

/// What `before_tool_call` is told.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BeforeToolCall {
    /// The call, with rewrites of plugins asked earlier.
    pub tool_call: ToolCall,
}

/// What `before_tool_call` may answer. Nothing set lets the call pass as it is.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BeforeToolCallReply {
    /// Why the call must not run; the model is told.
    #[serde(default)]
    pub block: Option<String>,
    /// Other arguments for the call.
    #[serde(default)]
    pub arguments: Option<Map<String, Value>>,
}

/// What `after_tool_call` is told.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AfterToolCall {
    /// The call as it ran.
    pub tool_call: ToolCall,
    /// What it gave, before any override.
    pub result: ToolOutput,
}

/// What `after_tool_call` may answer. A field that is not set stays as it was.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AfterToolCallReply {
    /// Other content.
    #[serde(default)]
    pub content: Option<Vec<ContentPart>>,
    /// Other details.
    #[serde(default)]
    pub details: Option<Meta>,
    /// Whether the call counts as failed.
    #[serde(default)]
    pub is_error: Option<bool>,
    /// Whether the run ends after this turn.
    #[serde(default)]
    pub terminate: Option<bool>,
}

/// What `transform_context` is told; it answers with messages, or not at all.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TransformContext {
    /// The messages so far in the chain.
    pub messages: Transcript,
}

/// What `convert_to_llm` is told; it answers with the messages that the model sees, or not at
/// all.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ConvertToLlm {
    /// The transformed messages.
    pub messages: Transcript,
}

/// What `render_custom_message` is told; it answers with a message for the model, or not at all.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RenderCustomMessage {
    /// The custom message.
    pub message: CustomMessage,
}

/// Reads names of hooks. One that is not known is skipped: whoever wrote it is newer.
pub(crate) fn known_names<'de, D>(deserializer: D) -> Result<Vec<HookName>, D::Error>
where
    D: Deserializer<'de>,
{
    let names = Vec::<String>::deserialize(deserializer)?;
    let known = |name: String| -> Result<HookName, Unknown> {
        HookName::deserialize(name.into_deserializer())
    };
    Ok(names.into_iter().filter_map(|name| known(name).ok()).collect())
}
