//! AGENTS.md and CLAUDE.md.
//!
//! Owns where they are looked for, their order, and how much damage and size they may have. All
//! reading goes through the environment, so that a sandboxed project has its own files. Must not
//! obey them.

use crate::env::{ExecutionEnv, FileError};
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
    for path in paths {
        let content = match read_head(env, &path).await {
            Ok(content) => content,
            Err(FileError::NotFound { .. } | FileError::NotADirectory { .. }) => continue,
            Err(error) => {
                warnings.push(format!("instructions are left out: {error}"));
                continue;
            }
        };
        let text = readable_text(&path, &content, &mut warnings);
        if !text.trim().is_empty() {
            files.retain(|earlier| earlier.text != text);
            files.push(ContextFile { path, text });
        }
    }
    (files, warnings)
}

/// The beginning of a file.
struct Head {
    bytes: Vec<u8>,
    is_cut: bool,
}

/// Reads no more of a file than is taken of it.
async fn read_head(env: &dyn ExecutionEnv, path: &Path) -> Result<Head, FileError> {
    let mut reader = env.open(path).await?;
    let mut bytes = Vec::new();
    while bytes.len() <= SIZE_CAP {
        let chunk = reader.read_chunk().await?;
        if chunk.is_empty() {
            break;
        }
        bytes.extend_from_slice(&chunk);
    }
    let is_cut = bytes.len() > SIZE_CAP;
    bytes.truncate(SIZE_CAP);
    Ok(Head { bytes, is_cut })
}

fn readable_text(path: &Path, head: &Head, warnings: &mut Vec<String>) -> String {
    let shown = path.display();
    let bytes = head.bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&head.bytes);
    let bytes = if head.is_cut { without_cut_character(bytes) } else { bytes };
    let decoded = String::from_utf8_lossy(bytes);
    if matches!(decoded, std::borrow::Cow::Owned(_)) {
        let text = "is not UTF-8: what could not be read is replaced, save it as UTF-8";
        warnings.push(format!("{shown} {text}"));
    }
    let decoded = decoded.replace("\r\n", "\n").replace('\r', "\n");
    let is_printable = |c: &char| matches!(c, '\n' | '\t') || !c.is_control();
    let mut text: String = decoded.chars().filter(is_printable).collect();
    text.truncate(text.trim_end().len());
    if head.is_cut {
        let size = SIZE_CAP / 1024;
        warnings.push(format!("{shown} is too long: only its first {size} KB are used"));
        text.push_str(&format!("\n\n[cut here: the file is longer than {size} KB]"));
    }
    text
}

/// Returns `bytes` without a last character that the cut went through.
fn without_cut_character(bytes: &[u8]) -> &[u8] {
    match std::str::from_utf8(bytes) {
        Err(error) if error.error_len().is_none() => {
            bytes.get(..error.valid_up_to()).unwrap_or_default()
        }
        _ => bytes,
    }
}

#[cfg(test)]
mod tests;
