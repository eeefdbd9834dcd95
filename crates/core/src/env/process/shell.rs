//! Starting the shell: which one, in which environment, with which ends.
//!
//! Owns what a command inherits. The user's own shell and its start-up files play no part, so a
//! command means the same everywhere: bash, or else sh.
#![expect(clippy::disallowed_methods, reason = "this file starts the commands of the agent's work")]

use super::tree::ProcessTree;
use crate::env::{CommandError, Stderr};
use process_wrap::tokio::{ChildWrapper, CommandWrap, ProcessSession};
use std::fs::File;
use std::io;
use std::path::Path;
use std::process::Stdio;
use std::sync::{OnceLock, PoisonError, RwLock};
use tokio::net::unix::pipe::Receiver;
use tokio::process::Command;
use uuid::Uuid;

/// Marks all processes that one command started, wherever they went: its value is the command's.
pub const MARKER: &str = "LETSCODE_COMMAND";

/// Makes programs that would ask, page or open an editor fail or print instead, and paint
/// nothing. `false` as an editor fails at once; as `true`, git would take the text as it is.
const SET: &[(&str, &str)] = &[
    ("GIT_TERMINAL_PROMPT", "0"),
    ("PAGER", "cat"),
    ("GIT_PAGER", "cat"),
    ("MANPAGER", "cat"),
    ("EDITOR", "false"),
    ("VISUAL", "false"),
    ("GIT_EDITOR", "false"),
    ("GIT_SEQUENCE_EDITOR", "false"),
    ("SSH_ASKPASS_REQUIRE", "never"),
    ("DEBIAN_FRONTEND", "noninteractive"),
    ("TERM", "dumb"),
    ("NO_COLOR", "1"),
    ("CLICOLOR", "0"),
];

/// Variables that would run files, change the shell's rules, or ask for colours all the same.
const REMOVED: &[&str] = &[
    "BASH_ENV",
    "ENV",
    "SHELLOPTS",
    "BASHOPTS",
    "CDPATH",
    "COLORTERM",
    "CLICOLOR_FORCE",
    "FORCE_COLOR",
];

/// The shells, best first. Bash reads the user's file even for `-c` when it thinks that it was
/// started over the network, unless it is told not to.
const SHELLS: &[(&str, &[&str])] = &[("bash", &["--norc", "-c"]), ("sh", &["-c"])];

/// Starts commands.
#[derive(Debug)]
pub(super) struct Shell {
    removed_variables: RwLock<Vec<String>>,
    /// The one of `SHELLS` that is there, once one was found.
    found: OnceLock<&'static (&'static str, &'static [&'static str])>,
}

/// A command that has been started.
pub(super) struct Started {
    pub(super) child: Box<dyn ChildWrapper>,
    /// Gives what the command writes to stdout and stderr, in the order of writing.
    pub(super) pipe: Receiver,
    /// Takes what it writes to stderr, where that is kept apart.
    pub(super) stderr: Option<File>,
    pub(super) tree: ProcessTree,
}

impl Shell {
    pub(super) fn new(removed_variables: Vec<String>) -> Self {
        Self { removed_variables: RwLock::new(removed_variables), found: OnceLock::new() }
    }

    /// Leaves these variables out from now on, in place of those before.
    pub(super) fn remove_variables(&self, names: Vec<String>) {
        *self.removed_variables.write().unwrap_or_else(PoisonError::into_inner) = names;
    }

    /// Starts `command` in `working_dir`.
    pub(super) fn start(
        &self,
        working_dir: &Path,
        command: &str,
        stderr: Stderr,
    ) -> Result<Started, CommandError> {
        if !working_dir.is_dir() {
            return Err(CommandError::WorkingDirGone { path: working_dir.to_owned() });
        }
        if let Some(shell) = self.found.get() {
            return self.start_with(shell, working_dir, command, stderr);
        }
        for shell in SHELLS {
            match self.start_with(shell, working_dir, command, stderr) {
                Err(CommandError::NoShell) => {}
                Err(error) => return Err(error),
                Ok(started) => {
                    self.found.get_or_init(|| shell);
                    return Ok(started);
                }
            }
        }
        Err(CommandError::NoShell)
    }

    fn start_with(
        &self,
        (program, arguments): &(&str, &[&str]),
        working_dir: &Path,
        text: &str,
        stderr: Stderr,
    ) -> Result<Started, CommandError> {
        let fail = |source: io::Error| match source.kind() {
            io::ErrorKind::NotFound => CommandError::NoShell,
            io::ErrorKind::ArgumentListTooLong => CommandError::TooLong { bytes: text.len() },
            _ => CommandError::Io { source },
        };
        let marker = Uuid::new_v4().to_string();
        let (reader, writer) = io::pipe().map_err(fail)?;
        let mut command = Command::new(program);
        command.args(*arguments).arg(text).current_dir(working_dir).env("PWD", working_dir);
        command.stdin(Stdio::null());
        let stderr = match stderr {
            Stderr::Merged => {
                command.stdout(writer.try_clone().map_err(fail)?).stderr(writer);
                None
            }
            Stderr::OnFailure => {
                // A file, not a second pipe: whatever is left in the background cannot block on
                // it, and nobody has to read along. It has no name and goes with its last user.
                let file = tempfile::tempfile().map_err(fail)?;
                command.stdout(writer).stderr(file.try_clone().map_err(fail)?);
                Some(file)
            }
        };
        command.envs(SET.iter().copied()).env(MARKER, &marker);
        for name in REMOVED {
            command.env_remove(name);
        }
        for name in &*self.removed_variables.read().unwrap_or_else(PoisonError::into_inner) {
            command.env_remove(name);
        }
        let mut command = CommandWrap::from(command);
        // A session of its own: no terminal to read a password from, and one number to end it by.
        let child = command.wrap(ProcessSession).spawn().map_err(fail)?;
        // Our copies of the writing end go here; else the end of the output would never be seen.
        drop(command);
        let leader = child.id().ok_or_else(|| fail(io::Error::other("the shell has no number")))?;
        // The wrapper's own wait also waits for background children.
        let child = child.into_inner();
        let pipe = Receiver::from_owned_fd(reader.into()).map_err(fail)?;
        Ok(Started { child, pipe, stderr, tree: ProcessTree::new(leader, marker).map_err(fail)? })
    }
}
