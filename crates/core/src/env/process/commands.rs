//! The life of a command: start, output, time-out or cancellation, end.
//!
//! Owns the waiting. Must not block the thread that it runs on.

use super::live::{LiveCommand, LiveCommands};
use super::pump::Pump;
use super::shell::{Shell, Started};
use crate::env::{CommandEnd, CommandError, CommandStatus, OutputSink, RunCommand};
use futures_util::future::BoxFuture;
use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::pin::pin;
use std::process::ExitStatus;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

/// How long a tree that was told to end may take.
const GRACE: Duration = Duration::from_secs(2);
/// How long the exit of a killed shell is waited for: one in a disk access may die later.
const REAP_LIMIT: Duration = Duration::from_millis(250);

/// How much is taken of a stderr that was kept apart: what one result can show.
const STDERR_LIMIT: u64 = 64 * 1024;

/// Runs commands, and knows those that run.
#[derive(Debug)]
pub(in crate::env) struct Commands {
    shell: Shell,
    live: Arc<LiveCommands>,
}

impl Commands {
    pub(in crate::env) fn new(removed_variables: Vec<String>) -> Self {
        Self { shell: Shell::new(removed_variables), live: Arc::default() }
    }

    pub(in crate::env) fn remove_variables(&self, names: Vec<String>) {
        self.shell.remove_variables(names);
    }

    pub(in crate::env) fn end_all(&self) {
        self.live.end_all(GRACE);
    }

    pub(in crate::env) async fn run(
        &self,
        working_dir: &Path,
        request: RunCommand,
        output: &mut dyn OutputSink,
        cancel: CancellationToken,
    ) -> Result<CommandEnd, CommandError> {
        if cancel.is_cancelled() {
            return Ok(CommandEnd { status: CommandStatus::Cancelled, left_running: false });
        }
        let started = self.shell.start(working_dir, &request.command, request.stderr)?;
        let Started { mut child, pipe, stderr, tree } = started;
        let live = self.live.begin(tree);
        let mut pump = Pump::new(pipe, output);
        let mut exit = child.wait();
        let mut timeout = pin!(sleep(request.timeout));
        let status = loop {
            tokio::select! {
                biased;
                status = &mut exit => break exited(status)?,
                () = cancel.cancelled() => break CommandStatus::Cancelled,
                () = &mut timeout => break CommandStatus::TimedOut,
                () = pump.ready(), if pump.is_open() => { pump.take().await; }
            }
        };
        match status {
            CommandStatus::Exited(_) | CommandStatus::Signaled(_) => {}
            CommandStatus::TimedOut | CommandStatus::Cancelled => {
                end_by_force(&live, &mut exit, &mut pump).await;
            }
        }
        let left_running = pump.drain().await;
        live.over();
        if let Some(stderr) = stderr.filter(|_| status != CommandStatus::Exited(0)) {
            let end = tokio::task::spawn_blocking(move || end_of(stderr)).await;
            // A file that cannot be read back has nothing to tell.
            if let Ok(Ok(end)) = end {
                output.take(&end).await;
            }
        }
        Ok(CommandEnd { status, left_running })
    }
}

fn exited(status: io::Result<ExitStatus>) -> Result<CommandStatus, CommandError> {
    let status = status.map_err(|source| CommandError::Io { source })?;
    Ok(match (status.code(), status.signal()) {
        (Some(code), _) => CommandStatus::Exited(code),
        (None, signal) => CommandStatus::Signaled(signal.unwrap_or_default()),
    })
}

/// Returns what stands at the end of a command's stderr.
fn end_of(mut stderr: File) -> io::Result<Vec<u8>> {
    let size = stderr.metadata()?.len();
    stderr.seek(SeekFrom::Start(size.saturating_sub(STDERR_LIMIT)))?;
    let mut end = Vec::new();
    stderr.take(STDERR_LIMIT).read_to_end(&mut end)?;
    Ok(end)
}

/// Ends a tree while its last words are still heard, and takes the shell's exit status so
/// that no dead process stays behind.
async fn end_by_force(
    live: &LiveCommand,
    exit: &mut BoxFuture<'_, io::Result<ExitStatus>>,
    pump: &mut Pump<'_>,
) {
    let tree = live.tree().clone();
    let mut ending = tokio::task::spawn_blocking(move || tree.end(GRACE));
    let mut reaped = false;
    loop {
        tokio::select! {
            biased;
            _ = &mut ending => break,
            _ = &mut *exit, if !reaped => reaped = true,
            () = pump.ready(), if pump.is_open() => { pump.take().await; }
        }
    }
    if !reaped {
        let _ = tokio::time::timeout(REAP_LIMIT, exit).await;
    }
}
