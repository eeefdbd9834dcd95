//! The user's own editor on the message that is being written.
//!
//! Owns the choice of the program and the file that it gets. Must not touch the terminal: the
//! caller lets go of it before.
#![expect(clippy::disallowed_methods, reason = "it starts the editor and owns its file")]

use crate::environment::Environment;
use std::fs;
use std::io::{self, Write as _};
use std::process::ExitStatus;
use std::time::Duration;
use tokio::process::{Child, Command};
use tokio::sync::Notify;
use tokio::time::timeout;

/// What is run where the user has not chosen.
const FALLBACK: &str = "vi";

/// How long an editor may take to end where the program is to end.
const LAST_WORDS: Duration = Duration::from_secs(1);

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
    /// The program is to end.
    #[error("the editor was ended: the message is as it was")]
    Stopped,
}

/// Has the user edit `text`, and returns what it is then. `stop` ends the editor.
///
/// # Errors
/// When the editor cannot be run, or says that it failed.
pub(super) async fn edit(
    text: &str,
    environment: &Environment,
    stop: &Notify,
) -> Result<String, EditorError> {
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
    let mut child = Command::new("sh")
        // The variable may hold arguments and quotes: a shell reads them as everywhere else. It must
        // not stay: the keyboard's Ctrl+C would end it while the editor goes on. The way over `env`
        // lets variables stand before the command.
        .arg("-c")
        .arg(format!("exec env {editor} \"$@\""))
        .arg(&editor)
        .arg(&path)
        .spawn()
        .map_err(|source| EditorError::Start { editor: editor.clone(), source })?;
    let status = tokio::select! {
        status = child.wait() => status.map_err(EditorError::File)?,
        () = stop.notified() => {
            end(&mut child).await;
            return Err(EditorError::Stopped);
        }
    };
    if !status.success() {
        return Err(EditorError::Failed { editor, status });
    }
    let bytes = fs::read(&path).map_err(EditorError::File)?;
    let edited = String::from_utf8_lossy(&bytes);
    // Editors end a file with a newline that nobody typed.
    Ok(edited.trim_end_matches(['\n', '\r']).to_owned())
}

/// Asks an editor to end, which then restores the terminal as it found it.
async fn end(child: &mut Child) {
    #[cfg(unix)]
    {
        use rustix::process::{Pid, Signal, kill_process};
        let id = child.id().and_then(|id| i32::try_from(id).ok());
        if let Some(pid) = id.and_then(Pid::from_raw) {
            // One that has ended just now needs none.
            let _ = kill_process(pid, Signal::TERM);
        }
        if timeout(LAST_WORDS, child.wait()).await.is_ok() {
            return;
        }
    }
    drop(timeout(LAST_WORDS, child.kill()).await);
}
