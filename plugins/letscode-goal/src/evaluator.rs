//! The evaluator: another process of the program, which answers one question and can do nothing else.
//!
//! Owns that process from its start to its end. It has no tools, no session, no plugins and no files
//! of the user's: its home is an empty folder, and its working directory, below that, an empty project.
//! Must not know what is asked.
#![expect(clippy::disallowed_methods, reason = "this file owns the evaluator's process")]

#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// How long a judgement may take: less than the two minutes for which the program lets a plugin hold
/// the end of a run.
const LIMIT: Duration = Duration::from_secs(100);

/// How often is looked whether the process has ended.
const LOOK: Duration = Duration::from_millis(20);

/// How many bytes of an output are read.
const MOST_OUTPUT: u64 = 64 * 1024;

/// Where it works, below its home.
const WORKING_DIR: &str = "work";

/// Answers questions.
pub(crate) struct Evaluator {
    program: PathBuf,
    limit: Duration,
    /// Held while a process runs.
    running: Mutex<()>,
    is_over: AtomicBool,
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum EvaluatorError {
    /// The process cannot be started, fed or read.
    #[error("the evaluator cannot be run: {0}")]
    Run(#[from] io::Error),
    /// It took too long.
    #[error("the evaluator did not answer within {} s", limit.as_secs())]
    TimedOut {
        /// How long it may take.
        limit: Duration,
    },
    /// It failed.
    #[error("the evaluator failed: {line}")]
    Failed {
        /// The last that it said about it.
        line: String,
    },
}

impl Evaluator {
    /// Returns an evaluator that runs `program`, which is this one.
    pub(crate) fn new(program: PathBuf) -> Self {
        Self { program, limit: LIMIT, running: Mutex::default(), is_over: AtomicBool::default() }
    }

    /// Asks the model that `variables` lead to. `None` where `is_cancelled` came before the answer.
    ///
    /// # Errors
    /// When there is no answer, or not in time.
    pub(crate) fn ask(
        &self,
        instructions: &str,
        question: &str,
        variables: &HashMap<String, String>,
        is_cancelled: impl Fn() -> bool,
    ) -> Result<Option<String>, EvaluatorError> {
        let _running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        let home = tempfile::tempdir()?;
        make_project(&home.path().join(WORKING_DIR))?;
        // Files in place of pipes: nobody has to read and write at the same time.
        let (mut input, mut output, mut complaints) =
            (tempfile::tempfile()?, tempfile::tempfile()?, tempfile::tempfile()?);
        input.write_all(question.as_bytes())?;
        input.rewind()?;
        let mut child = self
            .command(instructions, home.path(), variables)
            .stdin(input)
            .stdout(output.try_clone()?)
            .stderr(complaints.try_clone()?)
            .spawn()?;
        let ended = self.wait(&mut child, is_cancelled);
        if !matches!(ended, Ok(Some(_))) {
            // One that has ended by itself meanwhile is as good as killed.
            drop(child.kill());
            drop(child.wait());
        }
        match ended? {
            None => Ok(None),
            Some(status) if status.success() => Ok(Some(text(&mut output)?)),
            Some(status) => {
                let text = text(&mut complaints)?;
                let line = text.lines().rfind(|line| !line.trim().is_empty());
                let line = line.map_or_else(|| status.to_string(), str::to_owned);
                Err(EvaluatorError::Failed { line })
            }
        }
    }

    /// Ends the process that runs, if there is one, and lets none start any more.
    pub(crate) fn end(&self) {
        self.is_over.store(true, Ordering::Relaxed);
        drop(self.running.lock());
    }

    fn command(
        &self,
        instructions: &str,
        home: &Path,
        variables: &HashMap<String, String>,
    ) -> Command {
        let mut command = Command::new(&self.program);
        command
            .args(["--print", "--no-tools", "--no-session", "--no-context-files", "--isolated"])
            .args(["--system", instructions])
            .current_dir(home.join(WORKING_DIR))
            .envs(variables)
            .env("HOME", home)
            .env("USERPROFILE", home)
            // An environment with plugins would be found by it.
            .env_remove("VIRTUAL_ENV")
            // Whom the user trusts in this run says nothing of where the evaluator works.
            .env_remove("LETSCODE_TRUST");
        if let Some(address) = variables.get("OPENAI_BASE_URL") {
            // As an option it counts whatever the model's name makes of it.
            command.args(["--base-url", address]);
        }
        command
    }

    fn wait(
        &self,
        child: &mut Child,
        is_cancelled: impl Fn() -> bool,
    ) -> Result<Option<ExitStatus>, EvaluatorError> {
        let started = Instant::now();
        loop {
            if let Some(status) = child.try_wait()? {
                return Ok(Some(status));
            }
            if is_cancelled() || self.is_over.load(Ordering::Relaxed) {
                return Ok(None);
            }
            if started.elapsed() > self.limit {
                return Err(EvaluatorError::TimedOut { limit: self.limit });
            }
            thread::sleep(LOOK);
        }
    }
}

/// Makes a folder a project without settings and plugins: the search for one ends there, and finds
/// nothing that others put above, among the temporary files.
fn make_project(folder: &Path) -> io::Result<()> {
    let own = folder.join(".letscode");
    fs::create_dir_all(&own)?;
    fs::write(own.join("config.toml"), "")
}

/// Returns what was written into a file, as far as it is looked at.
fn text(file: &mut File) -> io::Result<String> {
    file.rewind()?;
    let mut bytes = Vec::new();
    file.take(MOST_OUTPUT).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
