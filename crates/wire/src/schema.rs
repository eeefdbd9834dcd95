//! The root types whose JSON Schema is published under `schema/`.
//!
//! Owns the list. `xtask schema` writes the files and a test compares them. Must not shape types.

use schemars::{Schema, schema_for};

/// Returns the file name and the schema of every root type.
pub fn roots() -> Vec<(&'static str, Schema)> {
    vec![
        ("message", schema_for!(crate::Message)),
        ("event", schema_for!(crate::Event)),
        ("command", schema_for!(crate::Command)),
        ("control", schema_for!(crate::Control)),
        ("session-record", schema_for!(crate::Record)),
        ("to-plugin", schema_for!(crate::ToPlugin)),
        ("from-plugin", schema_for!(crate::FromPlugin)),
        ("before-tool-call-reply", schema_for!(crate::BeforeToolCallReply)),
        ("after-tool-call-reply", schema_for!(crate::AfterToolCallReply)),
        ("run-command-reply", schema_for!(crate::RunCommandReply)),
        ("run-frontend-reply", schema_for!(crate::RunFrontendReply)),
        ("compact-result", schema_for!(crate::CompactResult)),
        ("state-result", schema_for!(crate::StateResult)),
        ("messages-result", schema_for!(crate::MessagesResult)),
        ("usage-result", schema_for!(crate::UsageResult)),
        ("queue-result", schema_for!(crate::QueueResult)),
        ("unqueue-result", schema_for!(crate::UnqueueResult)),
        ("tools-result", schema_for!(crate::ToolsResult)),
        ("name-result", schema_for!(crate::NameResult)),
        ("tree-result", schema_for!(crate::TreeResult)),
        ("session-result", schema_for!(crate::SessionResult)),
        ("sessions-result", schema_for!(crate::SessionsResult)),
        ("search-result", schema_for!(crate::SearchResult)),
        ("delete-result", schema_for!(crate::DeleteResult)),
        ("model-result", schema_for!(crate::ModelResult)),
        ("commands-result", schema_for!(crate::CommandsResult)),
        ("run-command-result", schema_for!(crate::RunCommandResult)),
        ("models-result", schema_for!(crate::ModelsResult)),
        ("skills-result", schema_for!(crate::SkillsResult)),
        ("plugins-result", schema_for!(crate::PluginsResult)),
        ("export-result", schema_for!(crate::ExportResult)),
        ("copy-result", schema_for!(crate::CopyResult)),
        ("share-result", schema_for!(crate::ShareResult)),
        ("files-result", schema_for!(crate::FilesResult)),
        ("history-result", schema_for!(crate::HistoryResult)),
        ("reload-result", schema_for!(crate::ReloadResult)),
        ("trust-result", schema_for!(crate::TrustResult)),
        ("tool-output", schema_for!(crate::ToolOutput)),
    ]
}
