//! The one [`Command`] enum: everything that a host or a front end can ask for.
//!
//! Owns the commands and the reading of one line of them, with an error that a host can act on.
//! Must not know what a command does.

mod salvage;

use crate::id::{RequestId, UiRequestId};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

/// What a host or a front end asks for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "cmd", rename_all = "snake_case")]
pub enum Command {
    /// Checks the protocol and sets options of the connection. Optional, first line.
    Hello {
        /// For example `letscode-rpc/1`; absent is fine, another major is fatal.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        protocol: Option<String>,
        /// What `message_update` carries.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        updates: Option<UpdateMode>,
        /// Whether the host shows and answers `ui_request` events; they are not sent to one that
        /// never said so.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        ui: Option<bool>,
    },
    /// Runs the agent on a message. Refused while a run is active.
    Prompt {
        /// The message.
        text: String,
        /// Pictures that go with it; `null` is the same as none.
        #[serde(
            default,
            deserialize_with = "null_is_default",
            skip_serializing_if = "Vec::is_empty"
        )]
        images: Vec<ImageData>,
        /// Whether a person typed the text, so that `/name`, `!command` and `@path` in it hold.
        /// A slash command is carried out as by [`RunCommand`](Self::RunCommand), also while a
        /// run is active. `null` is the same as `false`.
        #[serde(
            default,
            deserialize_with = "null_is_default",
            skip_serializing_if = "std::ops::Not::not"
        )]
        expand: bool,
    },
    /// Queues a message for the next answer without tool calls.
    Steer {
        /// The message.
        text: String,
        /// As for `prompt`, without the slash commands.
        #[serde(
            default,
            deserialize_with = "null_is_default",
            skip_serializing_if = "std::ops::Not::not"
        )]
        expand: bool,
    },
    /// Queues a message for the time when the run would end.
    FollowUp {
        /// The message.
        text: String,
        /// As for `prompt`, without the slash commands.
        #[serde(
            default,
            deserialize_with = "null_is_default",
            skip_serializing_if = "std::ops::Not::not"
        )]
        expand: bool,
    },
    /// Stops the active run at once. Does nothing when idle.
    Abort,
    /// Forgets the conversation and the queues. Refused while a run is active.
    Reset,
    /// Replaces older messages by a summary; answers [`CompactResult`](crate::CompactResult).
    /// Refused while a run is active.
    Compact {
        /// What the summary should dwell on.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        bias: Option<String>,
    },
    /// Asks for the answer that a failed run did not get. Refused while a run is active, and
    /// when nothing waits for an answer.
    Retry,
    /// Tells what the agent is doing and with what; answers [`StateResult`](crate::StateResult).
    State,
    /// Gives the transcript; answers [`MessagesResult`](crate::MessagesResult).
    Messages {
        /// How many messages at most, the newest; all where absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        last: Option<usize>,
    },
    /// Tells what the session cost so far; answers [`UsageResult`](crate::UsageResult).
    Usage,
    /// Tells what is queued; answers [`QueueResult`](crate::QueueResult).
    Queue,
    /// Takes the message that was queued last back; answers
    /// [`UnqueueResult`](crate::UnqueueResult).
    Unqueue,
    /// Names the tools at hand; answers [`ToolsResult`](crate::ToolsResult).
    Tools,
    /// Shows the open session's label, or gives it another; answers
    /// [`NameResult`](crate::NameResult).
    Name {
        /// The new label.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        text: Option<String>,
    },
    /// Lists the entries of the open session, those of other branches included; answers
    /// [`TreeResult`](crate::TreeResult).
    Tree,
    /// Goes on in a new session that ends with an entry of the open one; answers
    /// [`SessionResult`](crate::SessionResult). Refused while a run is active.
    Fork {
        /// The entry's number in [`TreeResult`](crate::TreeResult); the last one where absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        entry: Option<usize>,
    },
    /// Goes on in a copy of the open session; answers [`SessionResult`](crate::SessionResult).
    /// Refused while a run is active.
    Clone,
    /// Goes on in a new, empty session; answers [`SessionResult`](crate::SessionResult). Refused
    /// while a run is active.
    New,
    /// Goes on with an earlier session, one of another project in a copy that belongs to this
    /// one; answers [`SessionResult`](crate::SessionResult). Refused while a run is active.
    Resume {
        /// Its number in [`SessionsResult`](crate::SessionsResult), or its id or the beginning
        /// of that. A session of another project goes by its whole id only.
        #[serde(deserialize_with = "text_or_number")]
        session: String,
    },
    /// Lists the sessions of the project; answers [`SessionsResult`](crate::SessionsResult).
    Sessions {
        /// Whether those of all projects count; `null` is the same as `false`.
        #[serde(
            default,
            deserialize_with = "null_is_default",
            skip_serializing_if = "std::ops::Not::not"
        )]
        all: bool,
    },
    /// Searches what was said in the sessions of the project; answers
    /// [`SearchResult`](crate::SearchResult).
    Search {
        /// The text, in letters of any case.
        query: String,
        /// Whether those of all projects count; `null` is the same as `false`.
        #[serde(
            default,
            deserialize_with = "null_is_default",
            skip_serializing_if = "std::ops::Not::not"
        )]
        all: bool,
    },
    /// Gives a session another label; answers [`NameResult`](crate::NameResult).
    Rename {
        /// As for `resume`.
        #[serde(deserialize_with = "text_or_number")]
        session: String,
        /// The new label.
        text: String,
    },
    /// Puts a session, but never the open one, into the trash folder; answers
    /// [`DeleteResult`](crate::DeleteResult).
    Delete {
        /// As for `resume`.
        #[serde(deserialize_with = "text_or_number")]
        session: String,
    },
    /// Goes on behind an earlier entry, in the same session; answers
    /// [`SessionResult`](crate::SessionResult). Refused while a run is active.
    GoTo {
        /// The entry's number in [`TreeResult`](crate::TreeResult).
        entry: usize,
    },
    /// Asks another model from now on; answers [`ModelResult`](crate::ModelResult). Refused while
    /// a run is active.
    SetModel {
        /// The model's name.
        model: String,
    },
    /// Changes how hard the model is asked to think; answers
    /// [`ModelResult`](crate::ModelResult). Refused while a run is active.
    SetThinking {
        /// `off`, `minimal`, `low`, `medium`, `high` or `xhigh`.
        level: String,
    },
    /// Lists the slash commands, the prompt templates and the skills; answers [`CommandsResult`](crate::CommandsResult).
    Commands,
    /// Runs a slash command as a person types it; answers
    /// [`RunCommandResult`](crate::RunCommandResult). A template or a skill begins a run, as a
    /// `prompt` with `expand` does.
    RunCommand {
        /// For example `/fork 3`; the slash may be left out.
        text: String,
    },
    /// Lists the models that are known of; answers [`ModelsResult`](crate::ModelsResult).
    Models,
    /// Lists the skills; answers [`SkillsResult`](crate::SkillsResult).
    Skills,
    /// Lists the plugins; answers [`PluginsResult`](crate::PluginsResult).
    Plugins,
    /// Writes the conversation as one HTML file; answers [`ExportResult`](crate::ExportResult).
    Export {
        /// Where to; a name in the working directory is made where absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        path: Option<String>,
    },
    /// Puts the last answer into the clipboard; answers [`CopyResult`](crate::CopyResult).
    Copy,
    /// Uploads the conversation as a secret gist; answers [`ShareResult`](crate::ShareResult).
    Share,
    /// Finds files and folders of the project, for a person who types `@`; answers
    /// [`FilesResult`](crate::FilesResult).
    Files {
        /// Letters of the path, in their order; all paths where it is empty. Hidden ones are
        /// found where it begins with a dot, or has one behind a slash.
        #[serde(default, deserialize_with = "null_is_default")]
        query: String,
        /// How many paths at most: 50 where absent, never more than 1000.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        limit: Option<usize>,
    },
    /// Shows what the user typed in earlier prompts, of whatever session; answers
    /// [`HistoryResult`](crate::HistoryResult).
    History {
        /// A prompt to keep first.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        add: Option<String>,
        /// How many prompts at most; 1000 where absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        limit: Option<usize>,
    },
    /// Reads config, catalog, skills, templates and context files again; answers
    /// [`ReloadResult`](crate::ReloadResult). Refused while a run is active.
    Reload,
    /// Shows whether the project of the working directory is trusted, trusts it, or takes that
    /// back; answers [`TrustResult`](crate::TrustResult). `reload` makes it effective.
    Trust {
        /// Whether to trust it; absent to show.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        trust: Option<bool>,
    },
    /// Answers a question that came as a `ui_request` event.
    UiResponse {
        /// The question.
        request_id: UiRequestId,
        /// The answer, in the form that the [`UiRequest`](crate::UiRequest) names; absent or
        /// `null` where the user declined.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        value: Option<Value>,
    },
    /// Takes no more commands, lets the active run end, and leaves.
    Bye,
}

/// What `message_update` events carry on this connection.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum UpdateMode {
    /// The whole message so far, each time.
    #[default]
    Full,
    /// Only the new piece.
    Delta,
}

/// A picture given with a prompt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ImageData {
    /// The bytes in base64.
    pub data: String,
    /// For example `image/png`.
    pub mime_type: String,
}

/// A command with the token that its replies carry.
#[derive(Debug, Clone, PartialEq)]
pub struct CommandLine {
    /// Echoed on `ack`, `done` and `error`.
    pub id: RequestId,
    /// The command.
    pub command: Command,
}

/// Why a line is no command. The text is for the host's author.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{reason}")]
pub struct CommandError {
    /// The line's `id`, `null` where it has none.
    pub id: RequestId,
    /// What is wrong with the line and what would be right.
    pub reason: String,
}

/// The names of all commands, as hosts write them.
const COMMAND_NAMES: [&str; 41] = [
    "hello",
    "prompt",
    "steer",
    "follow_up",
    "abort",
    "reset",
    "compact",
    "retry",
    "state",
    "messages",
    "usage",
    "queue",
    "unqueue",
    "tools",
    "name",
    "tree",
    "fork",
    "clone",
    "new",
    "resume",
    "sessions",
    "search",
    "rename",
    "delete",
    "go_to",
    "set_model",
    "set_thinking",
    "commands",
    "run_command",
    "models",
    "skills",
    "plugins",
    "export",
    "copy",
    "share",
    "files",
    "history",
    "reload",
    "trust",
    "ui_response",
    "bye",
];

/// What some programs write before their first line.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

impl CommandLine {
    /// Reads one line, without its newline. A byte order mark before it is no part of it; half a
    /// character, which JSON can write but no text can hold, counts as U+FFFD.
    ///
    /// # Errors
    /// When the line is no JSON object, names no known command, or a field is missing or of the
    /// wrong type.
    pub fn parse(line: &[u8]) -> Result<Self, CommandError> {
        let anonymous = |reason: String| CommandError { id: RequestId::default(), reason };
        let line = line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line);
        let repaired;
        let (value, line): (Value, &[u8]) = match serde_json::from_slice(line) {
            Ok(value) => (value, line),
            Err(error) => {
                let salvaged = salvage::read(line)
                    .ok_or_else(|| anonymous(format!("the line is not JSON: {error}")))?;
                repaired = salvaged.1;
                (salvaged.0, &repaired)
            }
        };
        let Value::Object(object) = &value else {
            return Err(anonymous("the line is not a JSON object".to_owned()));
        };
        let id = object.get("id").map_or_else(RequestId::default, |id| request_id(id, line));
        let reason = match object.get("cmd").and_then(Value::as_str) {
            None => {
                format!("no \"cmd\" in the object; known commands: {}", COMMAND_NAMES.join(", "))
            }
            Some(name) if !COMMAND_NAMES.contains(&name) => {
                format!("unknown command {name:?}; known commands: {}", COMMAND_NAMES.join(", "))
            }
            Some(name) => match Command::deserialize(&value) {
                Ok(command) => return Ok(Self { id, command }),
                Err(error) => format!("bad {name} command: {error}"),
            },
        };
        Err(CommandError { id, reason })
    }
}

/// Returns a line's id, which was read as `value`, as the host wrote it: a number that is no
/// integer of 64 bits would change on its way through one.
fn request_id(value: &Value, line: &[u8]) -> RequestId {
    #[derive(Deserialize)]
    struct Line<'a> {
        #[serde(borrow)]
        id: &'a RawValue,
    }
    let is_exact = match value {
        Value::Null | Value::Bool(_) | Value::String(_) => true,
        Value::Number(number) => number.is_i64() || number.is_u64(),
        Value::Array(_) | Value::Object(_) => false,
    };
    let raw = if is_exact { None } else { serde_json::from_slice::<Line<'_>>(line).ok() };
    raw.map_or_else(|| value.clone().into(), |line| RequestId::from_raw(line.id))
}

/// Reads a value that hosts may also write as `null`, as they may the other optional fields.
fn null_is_default<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de> + Default,
{
    Option::deserialize(deserializer).map(Option::unwrap_or_default)
}

/// Reads a text that hosts may also write as a whole number, as lists give it.
fn text_or_number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    match Value::deserialize(deserializer)? {
        Value::String(text) => Ok(text),
        Value::Number(number) if number.is_u64() => Ok(number.to_string()),
        other => Err(serde::de::Error::custom(format!("expected a text or a number, got {other}"))),
    }
}
