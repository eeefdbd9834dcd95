//! The contract of letscode: what crosses a process boundary or lands on disk.
//!
//! Owns every shape that an outsider may see: messages, events, commands, control messages, hook
//! and plugin messages, session records, and the line framing they travel in. There is one
//! [`Event`] and one [`Command`] enum; RPC hosts, front ends and plugins all speak them.
//! Must not do I/O, know tokio, or hold rules of the agent.
//!
//! Reading is lenient (unknown fields are ignored, absent optional fields take their default);
//! writing is complete (every field is present, `null` and `{}` included) unless a field says
//! otherwise.
#![warn(missing_docs)]

mod id;
mod message;

mod ui;

mod event;

mod command;
mod control;
mod result;

mod tool;

mod hook;
mod plugin;

mod session;

mod ndjson;

#[cfg(feature = "schema")]
mod schema;

pub use command::{Command, CommandError, CommandLine, ImageData, UpdateMode};
pub use control::{Control, RPC_PROTOCOL, protocol_major_matches};
pub use event::{Event, Outbound, Partial, RetryNotice, StreamEvent};
pub use hook::{
    AfterToolCall, AfterToolCallReply, BeforeToolCall, BeforeToolCallReply, ConvertToLlm, HOOKS,
    HookInfo, HookName, RenderCustomMessage, SystemPromptContext, TransformContext,
};
pub use id::{EntryId, MessageId, PluginId, RequestId, SessionId, ToolCallId, UiRequestId};
pub use message::{
    AssistantMessage, ContentPart, CustomMessage, Message, Meta, StopReason, TYPED, ToolCall,
    ToolMessage, Transcript, Usage, UserMessage, text_of,
};
pub use ndjson::{DEFAULT_LINE_CAP, Decoder, LineError, encode_line};
pub use plugin::{
    Capabilities, CarriedPlugin, CommandSpec, FromPlugin, FrontendSpec, PLUGIN_PROTOCOL,
    Registrations, RunCommandReply, RunFrontendReply, SkillSpec, ToPlugin,
};
pub use result::{
    CommandInfo, CommandKind, CommandsResult, CompactResult, CopyResult, DeleteResult,
    ExportResult, FilesResult, HistoryResult, MessagesResult, ModelEntry, ModelResult,
    ModelsResult, NameResult, PluginInfo, PluginsResult, QueueResult, ReloadResult,
    RunCommandResult, SearchHit, SearchResult, SessionEntry, SessionInfo, SessionResult,
    SessionsResult, ShareResult, SkillInfo, SkillsResult, StateResult, ToolInfo, ToolsResult,
    TreeEntry, TreeResult, TrustResult, UnqueueResult, UsageResult,
};
#[cfg(feature = "schema")]
pub use schema::roots;
pub use session::{CustomKind, Record, SESSION_VERSION};
pub use tool::{ExecutionMode, ToolOutput, ToolSpec};
pub use ui::{UiLevel, UiRequest};
