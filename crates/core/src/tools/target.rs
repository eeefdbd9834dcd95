//! The file that a call names: what is there, and what to say when it is not a regular file.
//!
//! Owns the listing of a directory and the search for near names. Must not read contents.

use super::ToolError;
use crate::env::{DirEntry, ExecutionEnv, FileError, FileInfo, FileKind};
use crate::near;
use std::path::Path;

/// How many entries of a directory are shown.
const SHOWN_ENTRIES: usize = 100;
/// How many near names are shown.
const SHOWN_NAMES: usize = 3;
/// How many entries are compared with a missing name.
const COMPARED_ENTRIES: usize = 5_000;

/// The path of a call, as it was written and as it was understood.
#[derive(Debug, Clone, Copy)]
pub(super) struct Target<'a> {
    /// As the model wrote it; used in what the model is told.
    pub(super) given: &'a str,
    /// Absolute.
    pub(super) path: &'a Path,
}

/// Returns what is known of a regular file; anything else is an error that says what is there.
pub(super) async fn regular_file(
    target: Target<'_>,
    env: &dyn ExecutionEnv,
) -> Result<FileInfo, ToolError> {
    let info = match env.metadata(target.path).await {
        Ok(info) => info,
        Err(FileError::NotFound { .. } | FileError::NotADirectory { .. }) => {
            return Err(missing(target, env).await);
        }
        Err(error) => return Err(file_error(&error)),
    };
    match info.kind {
        FileKind::File => Ok(info),
        FileKind::Directory => Err(directory(target, env).await),
        FileKind::Other => Err(not_regular(target)),
    }
}

/// Returns the error for a FIFO, socket or device.
pub(super) fn not_regular(target: Target<'_>) -> ToolError {
    ToolError::new(format!(
        "{} is a FIFO, socket or device, not a regular file: it is left alone",
        target.given
    ))
}

/// Returns the error for a file operation that the system refused.
pub(super) fn file_error(error: &FileError) -> ToolError {
    let advice = match error {
        FileError::Changed { .. } => "; nothing was written, read it again",
        FileError::NoSpace { .. } | FileError::ReadOnly { .. } => "; nothing was written",
        FileError::NotFound { .. }
        | FileError::PermissionDenied { .. }
        | FileError::IsDirectory { .. }
        | FileError::NotADirectory { .. }
        | FileError::NotRegular { .. }
        | FileError::Io { .. } => "",
    };
    ToolError::new(format!("{error}{advice}"))
}

async fn directory(target: Target<'_>, env: &dyn ExecutionEnv) -> ToolError {
    let entries = match env.list(target.path).await {
        Ok(entries) => entries,
        Err(error) => {
            return ToolError::new(format!("{} is a directory ({error})", target.given));
        }
    };
    if entries.is_empty() {
        return ToolError::new(format!("{} is an empty directory", target.given));
    }
    let mut text = format!("{} is a directory; it holds {}:", target.given, entries.len());
    for entry in entries.iter().take(SHOWN_ENTRIES) {
        text.push('\n');
        text.push_str(&shown_name(entry));
    }
    if let Some(more) = entries.len().checked_sub(SHOWN_ENTRIES).filter(|more| *more > 0) {
        text.push_str(&format!("\n(and {more} more: list them with bash)"));
    }
    ToolError::new(text)
}

/// Returns the error for a path where nothing is, with names that it may have meant: those in
/// the nearest directory above that exists.
async fn missing(target: Target<'_>, env: &dyn ExecutionEnv) -> ToolError {
    let mut text = format!("no such file: {}", target.given);
    let mut lost = target.path;
    while let (Some(parent), Some(name)) = (lost.parent(), lost.file_name()) {
        match env.list(parent).await {
            Ok(entries) => {
                // What is listed and yet not found is a link that leads nowhere.
                if entries.iter().any(|entry| entry.name == name.to_string_lossy()) {
                    let link = lost.display();
                    text.push_str(&format!("; {link} is a symbolic link whose target is missing"));
                    break;
                }
                if lost != target.path {
                    text.push_str(&format!(" (there is no {} either)", lost.display()));
                }
                let near = near_names(&name.to_string_lossy(), &entries);
                if !near.is_empty() {
                    let near: Vec<String> = near
                        .iter()
                        .map(|entry| parent.join(shown_name(entry)).display().to_string())
                        .collect();
                    text.push_str(&format!("; near names: {}", near.join(", ")));
                }
                break;
            }
            Err(FileError::NotADirectory { .. }) => {
                text.push_str(&format!("; {} is a file, not a directory", parent.display()));
                break;
            }
            Err(_) => lost = parent,
        }
    }
    ToolError::new(text)
}

/// Returns the entries whose names are most like `name`, case aside, best first.
fn near_names<'a>(name: &str, entries: &'a [DirEntry]) -> Vec<&'a DirEntry> {
    let entries = entries.get(..COMPARED_ENTRIES).unwrap_or(entries);
    let wanted = name.to_lowercase();
    let names: Vec<String> = entries.iter().map(|entry| entry.name.to_lowercase()).collect();
    let mut candidates: Vec<&str> = names.iter().map(String::as_str).collect();
    candidates.sort_unstable();
    candidates.dedup();
    near::nearest(&wanted, &candidates, SHOWN_NAMES, 0.6)
        .into_iter()
        .flat_map(|near| {
            entries
                .iter()
                .zip(&names)
                .filter(move |(_, name)| *name == near)
                .map(|(entry, _)| entry)
        })
        .take(SHOWN_NAMES)
        .collect()
}

/// Returns a name on one line, whatever it contains; a directory's ends in a slash.
pub(crate) fn shown_name(entry: &DirEntry) -> String {
    let mut shown = String::with_capacity(entry.name.len() + 1);
    for character in entry.name.chars() {
        if character.is_control() {
            shown.extend(character.escape_default());
        } else {
            shown.push(character);
        }
    }
    if entry.is_dir {
        shown.push('/');
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(name: &str, there: &[&str]) -> Vec<String> {
        let entries: Vec<DirEntry> =
            there.iter().map(|name| DirEntry { name: (*name).to_owned(), is_dir: false }).collect();
        near_names(name, &entries).into_iter().map(shown_name).collect()
    }

    #[test]
    fn a21_near_names() {
        assert_eq!(near("readme.md", &["README.md", "src"]), ["README.md"]);
        assert_eq!(near("confg.toml", &["Cargo.toml", "config.toml"])[0], "config.toml");
        assert_eq!(near("main.ts", &["main.tsx", "maim.ts", "other.rs"]).len(), 2);
        assert_eq!(near("a.rs", &["A.rs", "a.RS"]), ["A.rs", "a.RS"]);
        assert!(near("zebra", &["src", "lib.rs"]).is_empty());
        assert_eq!(near("a\nb", &["a\nb\u{1b}"]), [r"a\nb\u{1b}"]);
    }
}
