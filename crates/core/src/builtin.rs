//! The built-in tools as a plugin: they register through the same trait as anybody's.
//!
//! Owns which tools are built in and their order. Must not implement any.

mod skill_tools;

pub use skill_tools::SkillTools;

use crate::hooks::Plugin;
use crate::tools::{Bash, Edit, Read, ToolRegistry, Write};
use letscode_wire::HookName;
use std::path::PathBuf;
use std::sync::Arc;

/// Registers `read`, `write`, `edit` and `bash`.
#[derive(Debug)]
pub struct BuiltinTools {
    home: Option<PathBuf>,
}

impl BuiltinTools {
    /// Returns the plugin. `home` is what `~` means in a path that a model names.
    pub fn new(home: Option<PathBuf>) -> Self {
        Self { home }
    }
}

impl Plugin for BuiltinTools {
    fn name(&self) -> &'static str {
        "builtin"
    }

    fn wants(&self, hook: HookName) -> bool {
        hook == HookName::RegisterTools
    }

    fn register_tools(&self, tools: &mut ToolRegistry) {
        tools.add(Arc::new(Read::new(self.home.clone())));
        tools.add(Arc::new(Write::new(self.home.clone())));
        tools.add(Arc::new(Edit::new(self.home.clone())));
        tools.add(Arc::new(Bash::new()));
    }
}
