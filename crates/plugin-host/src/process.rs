//! The process of one plugin: started in a session of its own, ended with all that it started.
//!
//! Owns the process and its three pipes. Must not read or write them.
#![expect(clippy::disallowed_methods, reason = "this file starts the plugins")]

use crate::settings::{PluginSpec, Surroundings};
#[cfg(unix)]
use letscode_core::env::{MARKER, ProcessTree};
use process_wrap::tokio::{ChildWrapper, CommandWrap};
use std::io;
use std::process::Stdio;
use std::time::Duration;
use tokio::process::{ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::time::timeout;

/// The variable that names the user's terminal.
const TERMINAL: &str = "LETSCODE_TERMINAL";

/// A running plugin.
pub(crate) struct Process {
    child: Box<dyn ChildWrapper>,
    #[cfg(unix)]
    tree: ProcessTree,
}

/// The plugin's ends of the pipes.
pub(crate) struct Pipes {
    pub(crate) stdin: ChildStdin,
    pub(crate) stdout: ChildStdout,
    pub(crate) stderr: ChildStderr,
}

/// Starts a plugin. Whatever else is to be done goes on meanwhile: a new process takes milliseconds
/// on a busy machine, while the user waits for the first prompt.
///
/// # Errors
/// When the program cannot be started.
pub(crate) async fn start(
    spec: &PluginSpec,
    surroundings: &Surroundings,
) -> io::Result<(Process, Pipes)> {
    let Some((program, arguments)) = spec.command.split_first() else {
        return Err(io::Error::other("there is no command"));
    };
    let mut command = Command::new(program);
    command.args(arguments).current_dir(&surroundings.working_dir);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    for name in &surroundings.removed_variables {
        command.env_remove(name);
    }
    match &surroundings.terminal {
        Some(terminal) => command.env(TERMINAL, terminal),
        // That of a program around this one is not the user's here.
        None => command.env_remove(TERMINAL),
    };
    command.envs(spec.variables.iter().map(|(name, value)| (name, value)));
    command.kill_on_drop(true);
    let mut process =
        tokio::task::spawn_blocking(move || spawn(command)).await.map_err(io::Error::other)??;
    let child = &mut process.child;
    let pipes = (child.stdin().take(), child.stdout().take(), child.stderr().take());
    let (Some(stdin), Some(stdout), Some(stderr)) = pipes else {
        return Err(io::Error::other("it has no pipes"));
    };
    Ok((process, Pipes { stdin, stdout, stderr }))
}

#[cfg(unix)]
fn spawn(mut command: Command) -> io::Result<Process> {
    use process_wrap::tokio::ProcessSession;
    let marker = uuid::Uuid::new_v4().to_string();
    command.env(MARKER, &marker);
    // A session of its own: Ctrl+C at the terminal is not the plugin's, and one number ends it.
    let child = CommandWrap::from(command).wrap(ProcessSession).spawn()?;
    let leader = child.id().ok_or_else(|| io::Error::other("it has no number"))?;
    let tree = ProcessTree::new(leader, marker)?;
    // The wrapper's own wait also waits for children.
    Ok(Process { child: child.into_inner(), tree })
}

#[cfg(not(unix))]
fn spawn(command: Command) -> io::Result<Process> {
    Ok(Process { child: CommandWrap::from(command).spawn()? })
}

impl Process {
    /// Waits for the end of the process, and kills it and all that it started when `grace` is over.
    /// Returns how it ended, where that can be told.
    pub(crate) async fn end(mut self, grace: Duration) -> Option<String> {
        let ended = match grace {
            Duration::ZERO => None,
            grace => timeout(grace, self.child.wait()).await.ok(),
        };
        self.kill().await;
        ended?.ok().map(|status| status.to_string())
    }

    #[cfg(unix)]
    async fn kill(&mut self) {
        let tree = self.tree.clone();
        // Looking for what is left of a tree reads a table of all processes.
        drop(tokio::task::spawn_blocking(move || tree.kill()).await);
        drop(timeout(Duration::from_millis(250), self.child.wait()).await);
    }

    #[cfg(not(unix))]
    async fn kill(&mut self) {
        drop(self.child.start_kill());
        drop(timeout(Duration::from_millis(250), self.child.wait()).await);
    }
}
