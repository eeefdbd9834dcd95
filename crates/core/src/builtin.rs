//! The built-in tools as a plugin: they register through the same trait as anybody's.
//!
//! Owns which tools are built in and their order. Must not implement any.

use crate::hooks::Plugin;
use crate::tools::{ToolRegistry, builtin_tools};
use letscode_wire::HookName;

/// Registers `read`, `write`, `edit` and `bash`.
#[derive(Debug, Default)]
pub struct BuiltinTools;

impl Plugin for BuiltinTools {
    fn name(&self) -> &'static str {
        "builtin"
    }

    fn hooks(&self) -> &[HookName] {
        &[HookName::RegisterTools]
    }

    fn register_tools(&self, tools: &mut ToolRegistry) {
        for tool in builtin_tools() {
            tools.add(tool);
        }
    }
}
