//! The plugin protocol: lines between the program and a plugin in another process.
//!
//! Owns both directions. Each side numbers its own calls and answers the other's by number.
//! `docs/plugin-protocol.md` shows it to authors. Must not know how a plugin is found, started or
//! stopped.

use crate::command::Command;
use crate::event::{Event, Partial};
use crate::hook::{
    AfterToolCall, BeforeToolCall, ConvertToLlm, HookName, RenderCustomMessage,
    SystemPromptContext, TransformContext,
};
use crate::id::ToolCallId;
use crate::message::Meta;
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
        /// The name under which the plugin is installed.
        #[serde(default)]
        name: String,
        /// The working directory.
        cwd: String,
        /// The plugin's own table of the configuration.
        #[serde(default)]
        config: Map<String, Value>,
    },
    /// Runs a tool of the plugin's; answered by a [`ToolOutput`](crate::ToolOutput).
    CallTool {
        /// Numbers the call.
        call: u64,
        /// The model's own name for the call.
        tool_call_id: ToolCallId,
        /// The tool.
        name: String,
        /// Its checked arguments.
        arguments: Map<String, Value>,
    },
    /// Runs a slash command of the plugin's; answered by a [`RunCommandReply`].
    RunCommand {
        /// Numbers the call.
        call: u64,
        /// The command.
        name: String,
        /// What stood behind its name.
        args: String,
    },
    /// Gives the terminal to a front end of the plugin's; answered, with anything, when the front
    /// end has ended and lets go of it.
    RunFrontend {
        /// Numbers the call.
        call: u64,
        /// The front end.
        name: String,
    },
    /// Asks for the first part of the system prompt; answered by a text or `null`.
    SystemPrompt {
        /// Numbers the call.
        call: u64,
        /// What the hook is told.
        context: SystemPromptContext,
    },
    /// Asks whether a tool call may run; answered by a
    /// [`BeforeToolCallReply`](crate::BeforeToolCallReply) or `null`.
    BeforeToolCall {
        /// Numbers the call.
        call: u64,
        /// What the hook is told.
        context: BeforeToolCall,
    },
    /// Shows a tool call's result; answered by an
    /// [`AfterToolCallReply`](crate::AfterToolCallReply) or `null`.
    AfterToolCall {
        /// Numbers the call.
        call: u64,
        /// What the hook is told.
        context: AfterToolCall,
    },
    /// Offers the messages for a change; answered by a list of messages or `null`.
    TransformContext {
        /// Numbers the call.
        call: u64,
        /// What the hook is told.
        context: TransformContext,
    },
    /// Offers the conversion of the messages; answered by a list of messages or `null`.
    ConvertToLlm {
        /// Numbers the call.
        call: u64,
        /// What the hook is told.
        context: ConvertToLlm,
    },
    /// Asks for the form in which the model sees a custom message; answered by a message or `null`.
    RenderCustomMessage {
        /// Numbers the call.
        call: u64,
        /// What the hook is told.
        context: RenderCustomMessage,
    },
    /// Something happened.
    Event {
        /// Numbers the call, where an answer is awaited: in the `turn_end` at which a run would end, for
        /// a plugin that [holds the end](Capabilities::holds_end). The answer may be anything.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        call: Option<u64>,
        /// What.
        event: Event,
    },
    /// Takes back a call of the program's that is under way; a reply to it is not read any more.
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
    /// The last line: the plugin should end; one that does not is killed.
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
        /// Whether that is known later: the first request to the model waits for `register`.
        #[serde(default)]
        registers_later: bool,
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
    /// Asks the user something through the front end, or shows something. What is only shown is
    /// not answered; `null` answers a question that was declined.
    Ui {
        /// Numbers the call.
        #[serde(default)]
        call: u64,
        /// What is asked or shown.
        request: UiRequest,
    },
    /// Asks the agent for something, as a host does; answered by what `done` carries there, when
    /// the work is complete. `hello`, `bye`, `ui_response` and `trust` are refused.
    Command {
        /// Numbers the call.
        call: u64,
        /// What.
        command: Command,
    },
    /// Appends a custom message to the transcript and the session; answered by the message.
    SaveMessage {
        /// Numbers the call.
        call: u64,
        /// Names the kind, for example `memory`.
        kind: String,
        /// What the kind's owner stores.
        #[serde(default)]
        payload: Map<String, Value>,
        /// Free-form additions.
        #[serde(default)]
        meta: Meta,
    },
    /// Asks for a table of the configuration, as it is now; answered by the table, `null` where
    /// there is none.
    Config {
        /// Numbers the call.
        call: u64,
        /// Its name; absent for the whole configuration.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        table: Option<String>,
    },
    /// Asks for the variables with which another `letscode` process reaches the model in use;
    /// answered by an object of texts.
    SubagentEnv {
        /// Numbers the call.
        call: u64,
    },
    /// Takes back a call of the plugin's that is under way; it is not answered any more.
    Cancel {
        /// The call.
        call: u64,
    },
    /// Replaces what the plugin added.
    Register {
        /// The new whole.
        registrations: Registrations,
        /// What the plugin wants to be told from now on; absent where that stays as it is.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        capabilities: Option<Capabilities>,
    },
    /// The last line: the plugin ends.
    Goodbye,
}

/// What a plugin wants to be told. Hooks that are not named cost nothing.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Capabilities {
    /// The hooks that are called. Those that register something need not be named.
    pub hooks: Vec<HookName>,
    /// The `type` names of the events that `on_event` gets; empty for all but `message_update`,
    /// which is sent only where it is named.
    pub events: Vec<String>,
    /// The kinds of custom messages that `render_custom_message` gets; empty for all.
    pub kinds: Vec<String>,
    /// Whether tool calls are refused when the plugin is gone.
    pub fail_closed: bool,
    /// Whether a run waits before it ends until the plugin has answered the `turn_end` at which it
    /// would: a follow-up that comes meanwhile goes on with the run.
    pub holds_end: bool,
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
    /// Skills.
    pub skills: Vec<SkillSpec>,
    /// Front ends.
    pub frontends: Vec<FrontendSpec>,
    /// The plugins that this process carries, where it is a host of several; for lists.
    pub plugins: Vec<CarriedPlugin>,
}

/// A slash command's declaration.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CommandSpec {
    /// The name, without the slash; it may hold colons, for example `docs:search`.
    pub name: String,
    /// One line of help.
    #[serde(default)]
    pub description: String,
    /// How its arguments are written, for example `[NAME]`.
    #[serde(default)]
    pub usage: String,
}

/// A skill that a plugin adds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SkillSpec {
    /// The name.
    pub name: String,
    /// When the skill applies, for the model.
    pub description: String,
    /// What the model is given when it calls the skill.
    pub body: String,
}

/// A front end that a plugin adds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FrontendSpec {
    /// The name that `--frontend` takes.
    pub name: String,
}

/// One of the plugins in a host of several.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CarriedPlugin {
    /// Its name.
    pub name: String,
    /// Its version.
    #[serde(default)]
    pub version: String,
    /// Where it comes from.
    #[serde(default)]
    pub origin: String,
    /// Why it is left out; `null` where it runs.
    #[serde(default)]
    pub error: Option<String>,
}

/// What a slash command answers.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct RunCommandReply {
    /// What the user sees; terminal colours may be in it.
    pub text: String,
    /// A message that the model is sent, as if the user had typed it. Refused while a run is
    /// active.
    pub prompt: Option<String>,
    /// Whether the front end ends then, as at `/quit`. Nothing of it where there is a `prompt`.
    pub exit: bool,
}
