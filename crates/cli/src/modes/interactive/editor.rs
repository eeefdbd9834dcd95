//! The user's own editor on the message that is being written.
//!
//! Owns the choice of the program and the file that it gets. Must not touch the terminal: the
//! caller lets go of it before.
#![expect(clippy::disallowed_methods, reason = "it starts the editor and owns its file")]

use crate::environment::Environment;
use std::fs;
use std::io::{self, Write as _};
use std::process::ExitStatus;
use tokio::process::Command;

/// What is run where the user has not chosen.
const FALLBACK: &str = "vi";

/// Why the message stays as it was.
#[derive(Debug, thiserror::Error)]
pub(super) enum EditorError {
    /// The file for it cannot be made or read.
    #[error("cannot edit the message in a file: {0}")]
    File(#[source] io::Error),
    /// The editor cannot be started.
    #[error("cannot start {editor:?}: {source} (set VISUAL or EDITOR)")]
    Start {
        /// The command.
        editor: String,
        /// What the system says.
        source: io::Error,
    },
    /// The editor says that it failed.
    #[error("{editor:?} ended with {status}: the message is as it was")]
    Failed {
        /// The command.
        editor: String,
        /// How it ended.
        status: ExitStatus,
    },
}

/// Has the user edit `text`, and returns what it is then.
///
/// # Errors
/// When the editor cannot be run, or says that it failed.
pub(super) async fn edit(text: &str, environment: &Environment) -> Result<String, EditorError> {
    let mut file = tempfile::Builder::new()
        .prefix("letscode-message-")
        .suffix(".md")
        .tempfile_in(environment.temporary_dir())
        .map_err(EditorError::File)?;
    file.write_all(text.as_bytes()).map_err(EditorError::File)?;
    // Closed, because some editors replace the file.
    let path = file.into_temp_path();
    let chosen = ["VISUAL", "EDITOR"].into_iter().find_map(|name| environment.text(name));
    let editor = chosen.unwrap_or(FALLBACK).to_owned();
    let status = Command::new("sh")
        // The variable may hold arguments and quotes: a shell reads them as everywhere else.
        .arg("-c")
        .arg(format!("{editor} \"$@\""))
        .arg(&editor)
        .arg(&path)
        .status()
        .await
        .map_err(|source| EditorError::Start { editor: editor.clone(), source })?;
    if !status.success() {
        return Err(EditorError::Failed { editor, status });
    }
    let bytes = fs::read(&path).map_err(EditorError::File)?;
    let edited = String::from_utf8_lossy(&bytes);
    // Editors end a file with a newline that nobody typed.
    Ok(edited.trim_end_matches(['\n', '\r']).to_owned())
}
