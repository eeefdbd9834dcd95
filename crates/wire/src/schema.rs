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
        ("tool-output", schema_for!(crate::ToolOutput)),
    ]
}
