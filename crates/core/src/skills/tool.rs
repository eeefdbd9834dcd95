//! The tool that gives the model a skill.
//!
//! Owns the declaration. Must not read files: the body is there already.

use super::Skill;
use crate::tools::{Tool, ToolContext, ToolError};
use futures_util::future::BoxFuture;
use letscode_wire::{ContentPart, ExecutionMode, ToolOutput, ToolSpec};
use serde_json::{Map, Value, json};
use std::future::ready;
use std::sync::Arc;

/// A skill as a tool.
#[derive(Debug)]
pub struct SkillTool {
    spec: ToolSpec,
    skill: Arc<Skill>,
}

impl SkillTool {
    /// Returns the tool of a skill that the model may call, or `None` for another one.
    pub fn new(skill: Arc<Skill>) -> Option<Self> {
        let spec = ToolSpec {
            name: skill.tool.clone()?,
            description: skill.description.clone(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "message": {
                        "type": "string",
                        "description": "What the skill is to be used for.",
                        "default": "",
                    },
                },
            }),
            execution_mode: ExecutionMode::Parallel,
        };
        Some(Self { spec, skill })
    }
}

impl Tool for SkillTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn run<'a>(
        &'a self,
        arguments: Map<String, Value>,
        _context: ToolContext,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        let message = arguments.get("message").and_then(Value::as_str).unwrap_or_default();
        let content = vec![ContentPart::text(self.skill.text(message))];
        Box::pin(ready(Ok(ToolOutput { content, ..ToolOutput::default() })))
    }
}
