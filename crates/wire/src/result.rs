//! Results: what travels in `done.result`, a type for each command that answers something.
//!
//! Owns the shapes. All fields are always written. A command that no type here names answers
//! nothing. Must not know where the figures come from.

use crate::id::{EntryId, SessionId};
use crate::message::{Transcript, Usage};
use serde::{Deserialize, Serialize};

/// What `compact` came to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CompactResult {
    /// How many messages the summary stands for; 0 where none was made.
    pub collapsed_count: usize,
    /// Why there is no summary; the history is as it was then.
    pub error: Option<String>,
    /// Whether the user stopped it; the history is as it was then.
    pub aborted: bool,
}

/// What the agent is doing and with what: the answer to `state`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StateResult {
    /// Whether a run or a compaction is active.
    pub busy: bool,
    /// The model's name.
    pub model: String,
    /// How hard it is asked to think.
    pub thinking: String,
    /// The open session; `null` where none is kept.
    pub session: Option<SessionInfo>,
    /// How many messages the transcript has.
    pub message_count: usize,
    /// How many messages wait for the next answer without tool calls.
    pub steering: usize,
    /// How many messages wait for the end of the run.
    pub follow_ups: usize,
    /// How many tokens the conversation takes: the provider's own count as far as it goes, an
    /// estimate for what came since.
    pub context_tokens: u64,
    /// The model's window in tokens; `null` where it is not known.
    pub context_window: Option<u64>,
    /// How many messages the disk refused so far. They are tried again with every message, before
    /// the session is left, and at the end of the program.
    #[serde(default)]
    pub unsaved: usize,
}

/// A session. Which project it belongs to shows in the folder of its file alone: no session says
/// in which directory it was held.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SessionInfo {
    /// Its id.
    pub id: SessionId,
    /// Its label, or what its first user message makes of it.
    pub label: Option<String>,
    /// Its file; not there before a new session's first message.
    pub path: String,
}

/// The answer to `messages`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MessagesResult {
    /// The transcript, or its newest messages, oldest first.
    pub messages: Transcript,
}

/// What a session cost, aborted and failed requests left out: the answer to `usage`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct UsageResult {
    /// The sums over all answers and summaries; `cost_usd` leaves out those without a price.
    pub usage: Usage,
    /// How many answers and summaries told their figures.
    pub answers: usize,
}

/// The answer to `queue`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct QueueResult {
    /// What waits for the next answer without tool calls, oldest first.
    pub steering: Vec<String>,
    /// What waits for the end of the run, oldest first.
    pub follow_ups: Vec<String>,
}

/// The answer to `unqueue`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct UnqueueResult {
    /// The message that was taken back; `null` where none was queued.
    pub message: Option<String>,
}

/// The answer to `tools`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ToolsResult {
    /// The tools, in the order in which the model gets them.
    pub tools: Vec<ToolInfo>,
}

/// A tool at hand.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ToolInfo {
    /// Its name.
    pub name: String,
    /// What it does, as the model is told.
    pub description: String,
}

/// The answer to `name` and `rename`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NameResult {
    /// The label that the session has now.
    pub label: Option<String>,
}

/// The answer to `tree`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TreeResult {
    /// The session's label.
    pub label: Option<String>,
    /// All entries, in the order in which they were written.
    pub entries: Vec<TreeEntry>,
}

/// An entry of a session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TreeEntry {
    /// Counts from 1; stays the same, because a session is only ever added to.
    pub entry: usize,
    /// The message's id.
    pub id: EntryId,
    /// The number of the entry that it follows; `null` for a first one.
    pub parent: Option<usize>,
    /// `user`, `assistant`, `tool` or `custom`.
    pub role: String,
    /// The kind of a custom entry.
    pub kind: Option<String>,
    /// The first words of what it says; of an answer without words, the tools that it calls.
    pub text: String,
    /// Whether it is on the active branch.
    pub active: bool,
}

/// The session that goes on from now: the answer to `fork`, `clone`, `new`, `resume` and `go_to`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SessionResult {
    /// The session.
    pub session: SessionInfo,
    /// How many messages its transcript has.
    pub message_count: usize,
    /// The model that answers.
    pub model: String,
}

/// The answer to `sessions`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SessionsResult {
    /// The sessions, newest first.
    pub sessions: Vec<SessionEntry>,
}

/// A session in a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SessionEntry {
    /// Counts from 1 for the project's newest; 0 for one of another project, which goes by its id.
    pub number: usize,
    /// The session.
    pub session: SessionInfo,
    /// When it was last added to, in seconds since the Unix epoch.
    pub modified: f64,
    /// Whether it is the open one.
    pub open: bool,
}

/// The answer to `search`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SearchResult {
    /// Where the text stands, newest session first; bounded.
    pub hits: Vec<SearchHit>,
    /// Whether there is more than is shown.
    pub truncated: bool,
}

/// A place in a session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SearchHit {
    /// The session.
    pub session: SessionInfo,
    /// The entry's number in the session's tree.
    pub entry: usize,
    /// `user` or `assistant`.
    pub role: String,
    /// The text around the place.
    pub text: String,
}

/// The answer to `delete`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DeleteResult {
    /// Where the session is now.
    pub trash: String,
}

/// The answer to `set_model` and `set_thinking`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ModelResult {
    /// The model that answers from now on.
    pub model: String,
    /// How hard it is asked to think, as far as it can.
    pub thinking: String,
}

/// The answer to `commands`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CommandsResult {
    /// The slash commands, in the order of the help text, then the prompt templates and the
    /// skills.
    pub commands: Vec<CommandInfo>,
}

/// What a person can call for by `/name`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CommandInfo {
    /// The name, without the slash.
    pub name: String,
    /// How its arguments are written, for example `[NAME]`; empty for none.
    pub arguments: String,
    /// One line of help.
    pub help: String,
    /// What it is.
    #[serde(default)]
    pub kind: CommandKind,
}

/// What stands behind a slash.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum CommandKind {
    /// A command: it changes or shows something.
    #[default]
    Command,
    /// A prompt template: it begins a run.
    Template,
    /// A skill, named `skill:NAME`: it begins a run.
    Skill,
}

/// The answer to `run_command`, and to a `prompt` in which a person typed a slash command or a
/// `!!command`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunCommandResult {
    /// The slash command that was run, without the slash; behind `!!`, the shell's command.
    pub command: String,
    /// What a person would see; of a shell's command, its output, cut where it is long.
    pub text: String,
    /// The same in the colours in which a plugin gave it, as the escape sequences of terminals for
    /// colours and styles, no others; absent where it has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub styled: Option<String>,
    /// The exit code of a shell's command.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i64>,
    /// Whether the front end should end now: a plugin's command asks for it. Absent for no.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub exit: bool,
}

impl RunCommandResult {
    /// Returns the answer of a slash command, in plain words.
    pub fn new(command: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            command: command.into(),
            text: text.into(),
            styled: None,
            exit_code: None,
            exit: false,
        }
    }
}

/// The answer to `models`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ModelsResult {
    /// The models: the one in use first, then those that are usable.
    pub models: Vec<ModelEntry>,
}

/// A model that can be chosen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ModelEntry {
    /// Its name.
    pub id: String,
    /// Who serves it.
    pub provider: String,
    /// Its context window in tokens, where known.
    pub context_window: Option<u64>,
    /// US dollars for a million tokens of input, where known.
    pub input_per_million: Option<f64>,
    /// US dollars for a million tokens of output, where known.
    pub output_per_million: Option<f64>,
    /// Whether a key for it is set, or none is needed.
    pub usable: bool,
    /// Whether it is the one that answers now.
    #[serde(default)]
    pub in_use: bool,
}

/// The answer to `skills`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SkillsResult {
    /// The skills, by name.
    pub skills: Vec<SkillInfo>,
}

/// A skill at hand.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SkillInfo {
    /// Its name.
    pub name: String,
    /// When it applies.
    pub description: String,
    /// Its file.
    pub path: String,
}

/// The answer to `plugins`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PluginsResult {
    /// The plugins, in the order of registration.
    pub plugins: Vec<String>,
    /// What is known of each, in the same order.
    #[serde(default)]
    pub details: Vec<PluginInfo>,
}

/// A plugin.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PluginInfo {
    /// Its name.
    pub name: String,
    /// Its version; empty where it is not known.
    pub version: String,
    /// Where it comes from.
    pub origin: String,
    /// `running`, `starting`, `restarting`, `ended` or `failed`.
    pub state: String,
    /// What went wrong last; `null` where nothing did.
    pub error: Option<String>,
}

/// The answer to `export`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExportResult {
    /// The file that was written.
    pub path: String,
}

/// The answer to `copy`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CopyResult {
    /// How the text was put there, for example `wl-copy`.
    pub by: String,
}

/// The answer to `share`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ShareResult {
    /// Where the gist is.
    pub url: String,
}

/// The answer to `files`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FilesResult {
    /// Paths from the working directory, the best match first; a folder's ends with `/`.
    pub paths: Vec<String>,
    /// Whether the whole project was looked through; where not, later answers know more.
    pub complete: bool,
}

/// The answer to `history`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HistoryResult {
    /// What was typed, newest first, without repeats in a row.
    pub entries: Vec<String>,
}

/// What is there after `reload`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReloadResult {
    /// How many tools are at hand.
    pub tools: usize,
    /// How many skills were found.
    pub skills: usize,
    /// How many prompt templates were found.
    pub templates: usize,
    /// How many context files are in the system prompt.
    pub context_files: usize,
    /// The model that answers: the one from before.
    pub model: String,
    /// How hard it is asked to think.
    pub thinking: String,
    /// What cannot be used, a line each.
    pub warnings: Vec<String>,
}

/// The answer to `trust`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TrustResult {
    /// The directory of the project; `null` where nothing here has settings of its own.
    pub project: Option<String>,
    /// Whether it is trusted, as its files are now.
    pub trusted: bool,
    /// Why not, for example `changed since it was trusted`; `null` where it is.
    pub reason: Option<String>,
    /// The names of what it sets and does not get.
    pub left_out: Vec<String>,
    /// Whether the program works by that already; where not, `reload` makes it so.
    pub effective: bool,
}
