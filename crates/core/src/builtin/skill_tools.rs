//! The skills' tools as a plugin, so that whoever selects tools selects among them too.
//!
//! Owns nothing but the registration.

use crate::hooks::Plugin;
use crate::skills::{Skill, SkillTool};
use crate::tools::ToolRegistry;
use letscode_wire::HookName;
use std::sync::Arc;

/// Registers a tool for each skill that the model may call.
#[derive(Debug)]
pub struct SkillTools {
    skills: Vec<Arc<Skill>>,
}

impl SkillTools {
    /// Returns the plugin.
    pub fn new(skills: Vec<Arc<Skill>>) -> Self {
        Self { skills }
    }
}

impl Plugin for SkillTools {
    fn name(&self) -> &'static str {
        "skills"
    }

    fn hooks(&self) -> &[HookName] {
        &[HookName::RegisterTools]
    }

    fn register_tools(&self, tools: &mut ToolRegistry) {
        for skill in &self.skills {
            if let Some(tool) = SkillTool::new(Arc::clone(skill)) {
                tools.add(Arc::new(tool));
            }
        }
    }
}
