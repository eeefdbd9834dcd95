//! Runs a program as a test sees it: clean environment, driven stdin, captured output, an end.
//!
//! Owns the process and its group: both are gone when the handle is dropped, whatever happened.
//! Must never give a program the test's own environment or terminal.

#[cfg(unix)]
pub(crate) mod group;
#[cfg(not(unix))]
mod no_group;
mod output;

use crate::workdir::WorkDir;
#[cfg(not(unix))]
use no_group as group;
use output::Output;
use std::ffi::{OsStr, OsString};
use std::io::{self, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How often a waiting thread looks whether the process has ended without closing its output.
const LOOK_AGAIN: Duration = Duration::from_millis(10);
/// How long a file that was just written may count as busy.
const BUSY: Duration = Duration::from_secs(2);
/// How long output may follow the end of the process: something that it left may hold the pipes.
const LATE_OUTPUT: Duration = Duration::from_secs(2);

/// A program that is about to be started.
#[derive(Debug)]
pub struct Program {
    command: Command,
}

/// A running program.
///
/// Dropping it kills the process group.
#[derive(Debug)]
pub struct Running {
    child: Child,
    stdin: Option<ChildStdin>,
    output: Arc<Output>,
    started: Instant,
    /// Set once the process has been waited for: from then on its id may be another's.
    status: Option<ExitStatus>,
}

/// What a program that has ended left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finished {
    /// The exit code, or minus the number of the signal that ended it.
    pub status: i32,
    /// All of its stdout.
    pub stdout: Vec<u8>,
    /// All of its stderr.
    pub stderr: Vec<u8>,
    /// From start to end.
    pub took: Duration,
}

/// A signal to send.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// `SIGINT`.
    Interrupt,
    /// `SIGTERM`.
    Terminate,
    /// `SIGHUP`.
    HangUp,
    /// `SIGQUIT`.
    Quit,
    /// `SIGUSR1`.
    User1,
    /// `SIGKILL`.
    Kill,
    /// `SIGCONT`.
    Continue,
}

impl Program {
    /// Prepares a binary to run in the project of `dir`, with nothing in its environment but
    /// `PATH`, `HOME`, `LANG`, `TERM`, `TZ`, a test key, no update check and no proxy for
    /// loopback.
    pub fn new(binary: impl AsRef<OsStr>, dir: &WorkDir) -> Self {
        let mut command = Command::new(binary);
        command.current_dir(dir.project()).env_clear();
        command.envs(environment(dir));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        Self { command }
    }

    /// Adds arguments.
    #[must_use]
    pub fn args(mut self, args: impl IntoIterator<Item = impl Into<OsString>>) -> Self {
        self.command.args(args.into_iter().map(Into::into));
        self
    }

    /// Sets a variable.
    #[must_use]
    pub fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    /// Takes a variable away.
    #[must_use]
    pub fn without_env(mut self, name: &str) -> Self {
        self.command.env_remove(name);
        self
    }

    /// Starts it in another directory.
    #[must_use]
    pub fn current_dir(mut self, path: &Path) -> Self {
        self.command.current_dir(path);
        self
    }

    /// Starts it, in a process group of its own.
    ///
    /// # Errors
    /// When the system cannot.
    pub fn start(mut self) -> io::Result<Running> {
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut self.command, 0);
        let started = Instant::now();
        let mut child = self.spawn(started + BUSY)?;
        let stdin = child.stdin.take();
        let output = Output::capture(child.stdout.take(), child.stderr.take());
        Ok(Running { child, stdin, output, started, status: None })
    }

    /// Starts the process. A binary or script that was just written counts as busy while another
    /// thread of the test is between fork and exec, so that is tried again until `end`.
    fn spawn(&mut self, end: Instant) -> io::Result<Child> {
        loop {
            match self.command.spawn() {
                Err(error)
                    if error.kind() == io::ErrorKind::ExecutableFileBusy
                        && Instant::now() < end =>
                {
                    std::thread::sleep(LOOK_AGAIN);
                }
                result => return result,
            }
        }
    }

    /// Runs it to its end, with nothing on stdin.
    ///
    /// # Panics
    /// When it cannot be started, or runs longer than `limit`.
    #[track_caller]
    pub fn run(self, limit: Duration) -> Finished {
        let mut running = self.start().expect("the program can be started");
        running.close_stdin();
        running.wait(limit).expect("the program ends within the limit")
    }
}

impl Running {
    /// Writes to its stdin. May block while the program does not read.
    ///
    /// # Errors
    /// When it has closed its stdin, or we have.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        let stdin = self.stdin.as_mut().ok_or(io::ErrorKind::BrokenPipe)?;
        stdin.write_all(bytes)?;
        stdin.flush()
    }

    /// Returns the id of its process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Closes its stdin.
    pub fn close_stdin(&mut self) {
        self.stdin = None;
    }

    /// Waits for a line of its stdout that `wanted` accepts, among those that no call has looked
    /// at yet. Returns whether one came within `limit` and before the output ended.
    pub fn wait_for_line(&mut self, limit: Duration, wanted: impl FnMut(&[u8]) -> bool) -> bool {
        self.output.wait_for_line(Instant::now() + limit, wanted)
    }

    /// Sends a signal to the process alone.
    ///
    /// # Errors
    /// When the system refuses, or the platform has no signals.
    pub fn signal(&self, signal: Signal) -> io::Result<()> {
        if self.status.is_some() {
            return Ok(());
        }
        group::signal(&self.child, signal)
    }

    /// Waits for its end; `None` where it still runs after `limit`. What it left in its process
    /// group is killed.
    ///
    /// # Panics
    /// When the system cannot tell.
    pub fn wait(&mut self, limit: Duration) -> Option<Finished> {
        let end = Instant::now() + limit;
        while self.status.is_none() && !group::has_ended(&mut self.child) {
            let left = end.checked_duration_since(Instant::now())?;
            self.output.wait_for_news(left.min(LOOK_AGAIN));
        }
        let took = self.started.elapsed();
        let status = exit_code(self.reap());
        let (stdout, stderr) = self.output.finish(Instant::now() + LATE_OUTPUT);
        Some(Finished { status, stdout, stderr, took })
    }

    /// Kills the whole process group.
    pub fn kill(&mut self) {
        self.reap();
    }

    /// Returns a guard that kills the process group after `limit`, unless it is dropped before:
    /// for a thread that might block on a program that reads nothing.
    pub fn watchdog(&self, limit: Duration) -> Watchdog {
        Watchdog::start(group::Group::of(&self.child), limit)
    }

    /// Kills the group and takes the process's status. While the process is not taken, its id and
    /// the group's cannot be another's.
    fn reap(&mut self) -> ExitStatus {
        if let Some(status) = self.status {
            return status;
        }
        group::Group::of(&self.child).kill();
        // On platforms without groups, and where it has left its group.
        let _ = self.child.kill();
        let status = self.child.wait().expect("a child can be waited for");
        *self.status.insert(status)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.reap();
    }
}

/// Kills a process group after a time, unless it is dropped before.
///
/// Must be dropped before the process is waited for.
#[derive(Debug)]
pub struct Watchdog {
    /// Dropping it tells the thread.
    alive: Option<std::sync::mpsc::Sender<()>>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Watchdog {
    fn start(group: group::Group, limit: Duration) -> Self {
        let (alive, watched) = std::sync::mpsc::channel();
        let thread = std::thread::spawn(move || {
            if watched.recv_timeout(limit) == Err(std::sync::mpsc::RecvTimeoutError::Timeout) {
                group.kill();
            }
        });
        Self { alive: Some(alive), thread: Some(thread) }
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        self.alive = None;
        if let Some(thread) = self.thread.take() {
            // Killing cannot panic.
            let _ = thread.join();
        }
    }
}

/// Returns all of a program's environment.
pub(crate) fn environment(dir: &WorkDir) -> [(&'static str, OsString); 8] {
    [
        ("PATH", std::env::var_os("PATH").unwrap_or_default()),
        ("HOME", dir.home().into()),
        ("LANG", "C.UTF-8".into()),
        ("TERM", "xterm-256color".into()),
        ("TZ", "UTC".into()),
        ("OPENAI_API_KEY", "test-key-123".into()),
        ("LETSCODE_NO_UPDATE_CHECK", "1".into()),
        ("NO_PROXY", "127.0.0.1".into()),
    ]
}

#[cfg(unix)]
pub(crate) fn exit_code(status: ExitStatus) -> i32 {
    use std::os::unix::process::ExitStatusExt as _;
    status.code().unwrap_or_else(|| -status.signal().unwrap_or_default())
}

#[cfg(not(unix))]
fn exit_code(status: ExitStatus) -> i32 {
    status.code().unwrap_or(-1)
}

#[cfg(unix)]
#[cfg(test)]
mod tests;
