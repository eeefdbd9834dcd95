//! Skills: instructions for a kind of task, written down in `SKILL.md` files.
//!
//! Owns where they are found, which of two holds, how their front matter is read, and the tool
//! that gives one to the model. Must not run what a skill names.

mod discover;
mod frontmatter;
mod text;
mod tool;

pub use discover::load_skills;
pub use tool::SkillTool;

pub(crate) use discover::source_folders;
pub(crate) use frontmatter::Document;
pub(crate) use text::{one_line, readable_text};

use letscode_wire::SkillSpec;
use std::fmt::Write as _;
use std::path::PathBuf;

/// Instructions for a kind of task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skill {
    /// The name, on one line.
    pub name: String,
    /// When it applies, on one line.
    pub description: String,
    /// The instructions.
    pub body: String,
    /// The folder of its file, where its scripts and references are; empty for a plugin's skill.
    pub folder: PathBuf,
    /// The tool that gives it to the model; absent where only a person may call for it.
    pub tool: Option<String>,
}

impl Skill {
    /// Returns a plugin's skill, which has no files.
    pub fn of_plugin(spec: SkillSpec) -> Self {
        Self {
            tool: Some(discover::tool_name(&spec.name)),
            name: one_line(&spec.name),
            description: one_line(&spec.description),
            body: spec.body,
            folder: PathBuf::new(),
        }
    }

    /// Returns what the model is given: where the skill's files are, its body, and the message
    /// that goes with it.
    pub fn text(&self, message: &str) -> String {
        let folder = one_line(&self.folder.display().to_string());
        let files =
            if folder.is_empty() { String::new() } else { format!(" Its files are in {folder}") };
        let mut text = format!("Skill {}.{files}\n\n{}", self.name, self.body);
        let message = message.trim();
        if !message.is_empty() {
            let _ = write!(text, "\n\n{message}");
        }
        text
    }
}

#[cfg(test)]
mod tests;
