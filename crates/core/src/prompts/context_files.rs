//! AGENTS.md and CLAUDE.md.
//!
//! Owns where they are looked for, their order, and how much damage and size they may have. All
//! reading goes through the environment, so that a sandboxed project has its own files. Must not
//! obey them.

use crate::env::{ExecutionEnv, FileError};
use crate::skills::readable_text;
use std::path::{Path, PathBuf};

/// How much of one file is taken, in bytes.
const SIZE_CAP: usize = 64 * 1024;

/// The names in a project's directories.
const PROJECT_NAMES: [&str; 2] = ["AGENTS.md", "CLAUDE.md"];

/// One file of instructions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContextFile {
    /// Where it is.
    pub path: PathBuf,
    /// What it says, cut to a bound: `\n` line endings, no control characters.
    pub text: String,
}

/// Returns the user's file in `user_dir` (`~/.letscode`), then those of the working directory
/// and all directories above it, the nearest last; and what is wrong with them, a line each.
///
/// What two files say alike, or one under two names, is there once, at its nearest place: there
/// it outweighs what stands before it.
pub async fn load_context_files(
    env: &dyn ExecutionEnv,
    user_dir: Option<&Path>,
) -> (Vec<ContextFile>, Vec<String>) {
    let mut paths: Vec<PathBuf> = user_dir.map(|dir| dir.join("AGENTS.md")).into_iter().collect();
    let mut directories: Vec<&Path> = env.working_dir().ancestors().collect();
    directories.reverse();
    for directory in directories {
        paths.extend(PROJECT_NAMES.map(|name| directory.join(name)));
    }

    let mut files: Vec<ContextFile> = Vec::new();
    let mut warnings = Vec::new();
    let heads = env.read_heads(&paths, SIZE_CAP).await;
    for (path, head) in paths.into_iter().zip(heads) {
        let head = match head {
            Ok(head) => head,
            Err(FileError::NotFound { .. } | FileError::NotADirectory { .. }) => continue,
            Err(error) => {
                warnings.push(format!("instructions are left out: {error}"));
                continue;
            }
        };
        let text = readable_text(&path, &head, &mut warnings);
        if !text.trim().is_empty() {
            files.retain(|earlier| earlier.text != text);
            files.push(ContextFile { path, text });
        }
    }
    (files, warnings)
}

#[cfg(test)]
mod tests;
