//! The system prompt, the context files that it carries, and the prompt templates.
//!
//! Owns their wording and order. Must not send anything.

mod context_files;
mod system;
mod templates;

pub use context_files::{ContextFile, load_context_files};
pub use system::{SkillLine, SystemPromptParts, system_prompt};
pub use templates::{Template, load_templates};
