//! The system prompt and the context files that it carries.
//!
//! Owns their wording and order. Must not send anything.

mod context_files;
mod system;

pub use context_files::{ContextFile, load_context_files};
pub use system::{SkillLine, SystemPromptParts, system_prompt};

/// Returns text as one line without control characters, for names and descriptions that others
/// wrote.
fn one_line(text: &str) -> String {
    let words = text.split(|c: char| c.is_whitespace() || c.is_control());
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}
