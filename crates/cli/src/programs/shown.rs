//! A program whose work takes long and whose words the user sees as they come.
//!
//! Owns the passing on of its output to stderr and the end of it at a signal. Must not judge what
//! it says.
#![expect(clippy::disallowed_methods, reason = "it is an owner of such programs")]

use crate::messages;
use crate::signals::{Signals, StopSignal};
use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::process::{Child, Command};

/// How many bytes of the end of the output are kept.
const KEPT: usize = 16 * 1024;

/// A line that is longer is shown in pieces.
const LONGEST_LINE: usize = 4 * 1024;

/// How long output is waited for after the end: something that the program started may hold it.
const LATE_OUTPUT: Duration = Duration::from_secs(1);

/// How long a program that the terminal has interrupted may take to clean up.
const CLEANING_UP: Duration = Duration::from_secs(3);

/// A program to run. It reads nothing.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ShownRequest<'a> {
    /// Where it is.
    pub(crate) program: &'a Path,
    /// Its arguments.
    pub(crate) arguments: &'a [OsString],
    /// Variables that it gets beside ours.
    pub(crate) variables: &'a [(&'a str, OsString)],
    /// Variables of ours that it does not get.
    pub(crate) hidden_variables: &'a [String],
    /// Where it runs.
    pub(crate) working_dir: &'a Path,
}

/// How a program ended.
#[derive(Debug)]
pub(crate) enum ShownEnd {
    /// By itself.
    Ended {
        /// Its status.
        status: ExitStatus,
        /// The last lines of what it wrote, to both outputs.
        said: String,
    },
    /// We were told to stop, and so was it.
    Stopped(StopSignal),
}

/// Runs a program to its end and shows what it writes on stderr, line by line.
///
/// # Errors
/// When it cannot be run.
pub(crate) async fn show(request: ShownRequest<'_>, signals: &mut Signals) -> io::Result<ShownEnd> {
    let mut command = Command::new(request.program);
    command.args(request.arguments).current_dir(request.working_dir).kill_on_drop(true);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    for name in request.hidden_variables {
        command.env_remove(name);
    }
    command.envs(request.variables.iter().map(|(name, value)| (name, value)));
    let mut child = command.spawn()?;
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let mut said = (String::new(), String::new());
    let status = {
        let passing = async {
            tokio::join!(pass_on(stdout, &mut said.0), pass_on(stderr, &mut said.1));
        };
        tokio::select! {
            status = wait(&mut child, passing) => status?,
            signal = signals.received() => {
                // The terminal has told it too, if it was the terminal.
                let _ = tokio::time::timeout(CLEANING_UP, child.wait()).await;
                return Ok(ShownEnd::Stopped(signal));
            }
        }
    };
    Ok(ShownEnd::Ended { status, said: said.0 + &said.1 })
}

async fn wait(child: &mut Child, passing: impl Future<Output = ()>) -> io::Result<ExitStatus> {
    tokio::pin!(passing);
    tokio::select! {
        () = &mut passing => child.wait().await,
        status = child.wait() => {
            let _ = tokio::time::timeout(LATE_OUTPUT, passing).await;
            status
        }
    }
}

/// Shows lines until the output ends, and keeps the last of them.
async fn pass_on(output: Option<impl AsyncRead + Unpin>, kept: &mut String) {
    let Some(mut output) = output else { return };
    let mut pending = Vec::new();
    let mut buffer = vec![0; 8 * 1024];
    loop {
        let count = output.read(&mut buffer).await.unwrap_or(0);
        pending.extend_from_slice(buffer.get(..count).unwrap_or_default());
        let mut rest = &pending[..];
        while let Some(end) = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
            let (line, behind) = rest.split_at(end);
            show_line(line, kept);
            rest = behind.get(1..).unwrap_or_default();
        }
        if count == 0 || rest.len() > LONGEST_LINE {
            show_line(rest, kept);
            rest = &[];
        }
        pending = rest.to_vec();
        if count == 0 {
            return;
        }
    }
}

fn show_line(line: &[u8], kept: &mut String) {
    if line.is_empty() {
        return;
    }
    let line = String::from_utf8_lossy(line);
    let line = letscode_tui::harmless(&line);
    messages::passed_on(&line);
    kept.push_str(&line);
    kept.push('\n');
    if kept.len() > 2 * KEPT {
        let cut = kept.ceil_char_boundary(kept.len() - KEPT);
        kept.drain(..cut);
    }
}
