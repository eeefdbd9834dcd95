//! The process of one server: started in a session of its own, ended with what it started.
//!
//! Owns the process. Must not read or write its pipes.
#![expect(clippy::disallowed_methods, reason = "this file starts the servers")]

use crate::environment::Environment;
use process_wrap::tokio::{ChildWrapper, CommandWrap};
use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;
use tokio::process::{ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::time::timeout;

/// How long a server may take to end by itself once its stdin is closed, and again once it was
/// asked to. Both together are less than the program gives this plugin.
const PATIENCE: Duration = Duration::from_millis(600);

/// A running server.
pub(crate) struct Program {
    child: Box<dyn ChildWrapper>,
}

/// The server's ends of the pipes.
pub(crate) struct Pipes {
    pub(crate) stdin: ChildStdin,
    pub(crate) stdout: ChildStdout,
    pub(crate) stderr: ChildStderr,
}

/// Why a server cannot be started.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StartError {
    /// There is no such program.
    #[error("there is no program {0}; is it installed, and its folder on the PATH?")]
    NoProgram(String),
    /// There is no such folder.
    #[error("cwd: there is no folder {0}")]
    NoFolder(String),
    /// It does not start for another reason.
    #[error("{program} cannot be started: {error}")]
    Other { program: String, error: io::Error },
}

/// Starts a server.
///
/// # Errors
/// When it cannot be started.
pub(crate) fn start(
    name: &str,
    args: &[String],
    env: &BTreeMap<String, String>,
    cwd: &Path,
    environment: &Environment,
) -> Result<(Program, Pipes), StartError> {
    let mut command = Command::new(name);
    command.args(args).current_dir(cwd).env_clear();
    command.envs(environment.passed_on()).envs(env);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut wrap = CommandWrap::from(command);
    // Ctrl+C at the terminal is not the server's, and one number ends all that it started.
    #[cfg(unix)]
    wrap.wrap(process_wrap::tokio::ProcessSession);
    let failed = |error: io::Error| match error.kind() {
        _ if !cwd.is_dir() => StartError::NoFolder(cwd.display().to_string()),
        io::ErrorKind::NotFound => StartError::NoProgram(name.to_owned()),
        _ => StartError::Other { program: name.to_owned(), error },
    };
    let mut child = wrap.spawn().map_err(failed)?;
    let pipes = (child.stdin().take(), child.stdout().take(), child.stderr().take());
    let (Some(stdin), Some(stdout), Some(stderr)) = pipes else {
        return Err(failed(io::Error::other("it has no pipes")));
    };
    Ok((Program { child }, Pipes { stdin, stdout, stderr }))
}

impl Program {
    /// Ends the server, whose stdin is closed by now, and returns how it ended.
    pub(crate) async fn end(mut self) -> String {
        if let Ok(Ok(status)) = timeout(PATIENCE, self.child.wait()).await {
            return status.to_string();
        }
        #[cfg(unix)]
        if self.child.signal(rustix::process::Signal::TERM.as_raw()).is_ok()
            && let Ok(Ok(status)) = timeout(PATIENCE, self.child.wait()).await
        {
            return status.to_string();
        }
        drop(self.child.start_kill());
        match timeout(PATIENCE, self.child.wait()).await {
            Ok(Ok(status)) => status.to_string(),
            _ => "it does not end".into(),
        }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // Whatever is left of the session; after `end` there is nothing.
        drop(self.child.start_kill());
    }
}
