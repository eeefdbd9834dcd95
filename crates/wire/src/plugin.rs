//! The plugin protocol: lines between the program and a plugin in another process.
//!
//! Owns both directions. Each side numbers its own calls and answers the other's by number.
//! Must not know how a plugin is found, started or stopped.

use crate::event::Event;
use crate::event::Partial;
use crate::hook::{
    AfterToolCall, BeforeToolCall, ConvertToLlm, HookName, RenderCustomMessage,
    SystemPromptContext, TransformContext,
};
use crate::tool::ToolSpec;
use crate::ui::UiRequest;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The protocol that plugins speak; the part behind the slash is its major.
pub const PLUGIN_PROTOCOL: &str = "letscode-plugin/1";

/// A line from the program to a plugin.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ToPlugin {
    /// The first line.
    Hello {
        /// [`PLUGIN_PROTOCOL`].
        protocol: String,
        /// The program's version.
        letscode: String,
        /// The working directory.
        cwd: String,
        /// The plugin's own table of the configuration.
        #[serde(default)]
        config: Map<String, Value>,
    },
    /// Runs a tool of the plugin's.
    CallTool {
        /// Numbers the call.
        call: u64,
        /// The tool.
        name: String,
        /// Its checked arguments.
        arguments: Map<String, Value>,
    },
    /// Runs a slash command of the plugin's.
    RunCommand {
        /// Numbers the call.
        call: u64,
        /// The command.
        name: String,
        /// What stood behind its name.
        args: String,
    },
    /// Asks for the first part of the system prompt.
    SystemPrompt {
        /// Numbers the call.
        call: u64,
        /// What the hook is told.
        context: SystemPromptContext,
    },
    /// Asks whether a tool call may run.
    BeforeToolCall {
        /// Numbers the call.
        call: u64,
        /// What the hook is told.
        context: BeforeToolCall,
    },
    /// Shows a tool call's result.
    AfterToolCall {
        /// Numbers the call.
        call: u64,
        /// What the hook is told.
        context: AfterToolCall,
    },
    /// Offers the messages for a change.
    TransformContext {
        /// Numbers the call.
        call: u64,
        /// What the hook is told.
        context: TransformContext,
    },
    /// Offers the conversion of the messages.
    ConvertToLlm {
        /// Numbers the call.
        call: u64,
        /// What the hook is told.
        context: ConvertToLlm,
    },
    /// Asks for the form in which the model sees a custom message.
    RenderCustomMessage {
        /// Numbers the call.
        call: u64,
        /// What the hook is told.
        context: RenderCustomMessage,
    },
    /// Something happened; not answered.
    Event {
        /// What.
        event: Event,
    },
    /// Takes back a call that is under way.
    Cancel {
        /// The call.
        call: u64,
    },
    /// Answers a call of the plugin's.
    Reply {
        /// The plugin's number.
        call: u64,
        /// The answer.
        #[serde(default)]
        result: Value,
        /// Why there is none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        error: Option<String>,
    },
    /// The last line: the plugin should end.
    Goodbye,
}

/// A line from a plugin to the program.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum FromPlugin {
    /// The first line.
    Hello {
        /// [`PLUGIN_PROTOCOL`].
        protocol: String,
        /// The plugin's name.
        name: String,
        /// The plugin's version.
        #[serde(default)]
        version: String,
        /// What the plugin wants to be told.
        #[serde(default)]
        capabilities: Capabilities,
        /// What the plugin adds.
        #[serde(default)]
        registrations: Registrations,
    },
    /// Answers a call of the program's; the form of `result` is that of the hook's reply.
    Reply {
        /// The program's number.
        call: u64,
        /// The answer.
        #[serde(default)]
        result: Value,
        /// Why there is none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        error: Option<String>,
    },
    /// A tool call has something to show.
    Progress {
        /// The program's number of the tool call.
        call: u64,
        /// The newest output.
        partial: Partial,
    },
    /// Asks the user something through the front end, or shows something.
    Ui {
        /// Numbers the call.
        call: u64,
        /// What is asked or shown.
        request: UiRequest,
    },
    /// Replaces what the plugin added.
    Register {
        /// The new whole.
        registrations: Registrations,
    },
    /// The last line: the plugin ends.
    Goodbye,
}

/// What a plugin wants to be told. Hooks that are not named cost nothing.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Capabilities {
    /// The hooks that are called.
    pub hooks: Vec<HookName>,
    /// The `type` names of the events that are sent; `message_update` only when it is named.
    pub events: Vec<String>,
    /// Whether tool calls are refused when the plugin is gone.
    pub fail_closed: bool,
}

/// What a plugin adds.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Registrations {
    /// Tools.
    pub tools: Vec<ToolSpec>,
    /// Slash commands.
    pub commands: Vec<CommandSpec>,
}

/// A slash command's declaration.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CommandSpec {
    /// The name, without the slash.
    pub name: String,
    /// One line of help.
    #[serde(default)]
    pub description: String,
    /// How its arguments are written, for example `[NAME]`.
    #[serde(default)]
    pub usage: String,
}
