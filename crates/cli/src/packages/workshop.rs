//! The programs that do the work of installing: uv, Python, cargo.
//!
//! Owns finding them, running them with their output shown, and one line for each way in which
//! they fail. Must not know what is installed where.

use crate::environment::Environment;
use crate::programs::{self, Finished, Request, RunError, ShownEnd, ShownRequest};
use crate::python_environment::{OLDEST_PYTHON, Version};
use crate::signals::{Signals, StopSignal};
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::time::Duration;
use tempfile::TempDir;

/// The names by which a Python may be found, the one to take first.
const PYTHON_NAMES: [&str; 5] = ["python3.12", "python3.13", "python3.14", "python3", "python"];

/// What a Python is asked.
const ASK_VERSION: &str = "import sys; print('%d.%d' % sys.version_info[:2])";

/// How long it may take to answer.
const ASK_LIMIT: Duration = Duration::from_secs(20);

/// Pieces of what the programs say when they cannot reach anybody.
const NETWORK_TROUBLE: [&str; 15] = [
    "error sending request",
    "dns error",
    "could not resolve host",
    "name resolution",
    "name or service not known",
    "nodename nor servname",
    "no address associated with hostname",
    "failed to establish a new connection",
    "network is unreachable",
    "network unreachable",
    "connection refused",
    "connection reset",
    "failed to connect to",
    "couldn't connect to server",
    "connection timed out",
];

/// Pieces of what they say when there is no such package.
const NOTHING_FOUND: [&str; 5] = [
    "no matching distribution found",
    "not found in the package registry",
    "there are no versions of",
    "could not find `",
    "repository not found",
];

/// Where programs are looked for and run.
pub(crate) struct Workshop {
    search_path: OsString,
    /// The keys of providers: what is installed may run code of its own meanwhile.
    hidden_variables: Vec<String>,
    signals: Signals,
    /// An empty folder to run in, so that no settings of a project reach the programs.
    folder: TempDir,
}

/// A program that is about to run.
#[derive(Debug)]
pub(crate) struct Step<'a> {
    /// Where it is.
    pub(crate) program: &'a Path,
    /// What it is called in messages.
    pub(crate) name: &'static str,
    /// Its arguments.
    pub(crate) arguments: Vec<OsString>,
    /// Variables that it gets beside ours.
    pub(crate) variables: Vec<(&'static str, OsString)>,
    /// Where it runs; `None` where no settings should be found.
    pub(crate) working_dir: Option<&'a Path>,
}

/// Why a program did not do its work. Each is one line.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StepError {
    /// It cannot be started.
    #[error("{name} cannot be run: {source}")]
    Start {
        /// The program.
        name: &'static str,
        /// What the system says.
        source: io::Error,
    },
    /// Nobody can be reached.
    #[error("{name} reaches no server: check the network, proxies and certificates ({said})")]
    Network {
        /// The program.
        name: &'static str,
        /// Its words.
        said: String,
    },
    /// Nothing of that name is to be had.
    #[error("{name} finds nothing that fits: {said}")]
    NothingFound {
        /// The program.
        name: &'static str,
        /// Its words.
        said: String,
    },
    /// Anything else.
    #[error("{name} failed: {said}")]
    Failed {
        /// The program.
        name: &'static str,
        /// Its words.
        said: String,
    },
    /// The user stopped it.
    #[error("stopped")]
    Stopped(StopSignal),
}

/// A Python that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Python {
    /// Where it is.
    pub(crate) program: PathBuf,
    /// Its version.
    pub(crate) version: Version,
}

/// There is no Python that plugins run in, and no uv to get one.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NoPython {
    /// None at all.
    #[error(
        "Python plugins need uv, or Python {OLDEST_PYTHON} or newer, and neither is on the PATH: \
         install one of them, for example uv from https://docs.astral.sh/uv"
    )]
    None,
    /// Only older ones.
    #[error(
        "Python plugins need uv, or Python {OLDEST_PYTHON} or newer, and the PATH has only Python \
         {0}: install one of them, for example uv from https://docs.astral.sh/uv"
    )]
    TooOld(Version),
}

impl<'a> Step<'a> {
    /// Makes a step that runs in the workshop's own folder.
    pub(crate) fn new(program: &'a Path, name: &'static str, arguments: Vec<OsString>) -> Self {
        Self { program, name, arguments, variables: Vec::new(), working_dir: None }
    }
}

impl Workshop {
    /// Opens one. Signals do not end the process from then on: they end steps.
    ///
    /// # Errors
    /// When the system refuses.
    pub(crate) fn open(
        environment: &Environment,
        hidden_variables: Vec<String>,
    ) -> io::Result<Self> {
        Ok(Self {
            search_path: environment.path("PATH").unwrap_or_default().into_os_string(),
            hidden_variables,
            signals: Signals::listen()?,
            folder: tempfile::Builder::new()
                .prefix("letscode-install-")
                .tempdir_in(environment.temporary_dir())?,
        })
    }

    /// Returns the empty folder, for files that programs are given.
    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Returns where a program is.
    pub(crate) fn find(&self, name: &str) -> Option<PathBuf> {
        programs::find(name, &self.search_path)
    }

    /// Returns the folders that programs are looked for in, and one more.
    pub(crate) fn search_path_with(&self, folder: &Path) -> Option<OsString> {
        let folders = std::env::split_paths(&self.search_path).chain([folder.to_owned()]);
        std::env::join_paths(folders).ok()
    }

    /// Returns a Python that plugins can run in.
    ///
    /// # Errors
    /// When there is none.
    pub(crate) async fn find_python(&self) -> Result<Python, NoPython> {
        let mut newest_old = None;
        for name in PYTHON_NAMES {
            let Some(program) = self.find(name) else { continue };
            // Some are only stand-ins that say how to get one.
            let Some(version) = self.version_of(&program).await else { continue };
            if version >= OLDEST_PYTHON {
                return Ok(Python { program, version });
            }
            newest_old = newest_old.max(Some(version));
        }
        Err(newest_old.map_or(NoPython::None, NoPython::TooOld))
    }

    async fn version_of(&self, python: &Path) -> Option<Version> {
        let request = Request {
            program: python,
            // Isolated: what lies in this folder is not imported.
            arguments: &["-I", "-c", ASK_VERSION],
            input: b"",
            variables: &[],
            hidden_variables: &self.hidden_variables,
            time_limit: ASK_LIMIT,
        };
        let finished = programs::collect(request).await.ok()?;
        let answer = String::from_utf8(finished.stdout).ok()?;
        Version::read(&answer).filter(|_| finished.status.success())
    }

    /// Runs a program that is given some lines, and returns what it says.
    ///
    /// # Errors
    /// When it cannot be run or takes too long.
    pub(crate) async fn ask(
        &self,
        program: &Path,
        lines: &str,
        time_limit: Duration,
    ) -> Result<Finished, RunError> {
        let hidden_variables = &self.hidden_variables;
        let input = lines.as_bytes();
        let (arguments, variables) = (&[][..], &[][..]);
        let request =
            Request { program, arguments, input, variables, hidden_variables, time_limit };
        programs::collect(request).await
    }

    /// Runs a program to its end and shows what it says.
    ///
    /// # Errors
    /// When it fails, or the user stops it.
    pub(crate) async fn run(&mut self, step: Step<'_>) -> Result<(), StepError> {
        let request = ShownRequest {
            program: step.program,
            arguments: &step.arguments,
            variables: &step.variables,
            hidden_variables: &self.hidden_variables,
            working_dir: step.working_dir.unwrap_or(self.folder.path()),
        };
        let name = step.name;
        match programs::show(request, &mut self.signals).await {
            Err(source) => Err(StepError::Start { name, source }),
            Ok(ShownEnd::Stopped(signal)) => Err(StepError::Stopped(signal)),
            Ok(ShownEnd::Ended { status, .. }) if status.success() => Ok(()),
            Ok(ShownEnd::Ended { status, said }) => Err(failure(name, status, &said)),
        }
    }
}

/// Returns words as arguments.
pub(crate) fn arguments<const N: usize>(
    words: [&(impl AsRef<OsStr> + ?Sized); N],
) -> Vec<OsString> {
    words.into_iter().map(|word| word.as_ref().to_owned()).collect()
}

fn failure(name: &'static str, status: ExitStatus, said: &str) -> StepError {
    let lower = said.to_lowercase();
    let has = |pieces: &[&str]| pieces.iter().any(|piece| lower.contains(piece));
    let said = complaint(said).unwrap_or_else(|| status.to_string());
    if has(&NETWORK_TROUBLE) {
        StepError::Network { name, said }
    } else if has(&NOTHING_FOUND) {
        StepError::NothingFound { name, said }
    } else {
        StepError::Failed { name, said }
    }
}

/// Returns what went wrong: the last line that calls itself an error, with the last of its causes,
/// or with the next line where it announces one; without such a line the last one.
fn complaint(said: &str) -> Option<String> {
    let lines: Vec<&str> = said.lines().map(bare).filter(|line| !line.is_empty()).collect();
    let begins = |line: &str, words: &[&str]| {
        let lower = line.to_lowercase();
        words.iter().any(|word| lower.starts_with(word))
    };
    let is_error = |line: &&str| begins(line, &["error", "fatal:", "\u{d7}"]);
    let at = lines.iter().rposition(is_error).or(lines.len().checked_sub(1))?;
    let line = without_mark(lines.get(at)?);
    let behind = lines.get(at + 1..).unwrap_or_default();
    let cause = behind.iter().rposition(|line| begins(line, &["cause:", "caused by:"]));
    let rest = behind.get(cause.unwrap_or(0)..).unwrap_or_default();
    // Some put the cause below the word that announces it.
    let more = rest.iter().map(|line| without_mark(line)).find(|line| !line.is_empty());
    Some(match more.filter(|_| cause.is_some() || line.ends_with(':')) {
        Some(more) => format!("{}: {more}", line.trim_end_matches(':')),
        None => line.to_owned(),
    })
}

/// Returns a line without the drawing before it, but for the cross that marks an error.
fn bare(line: &str) -> &str {
    line.trim_start_matches(|c: char| !c.is_ascii() && c != '\u{d7}' || c.is_whitespace()).trim()
}

/// Returns what stands behind the word that calls a line an error or its cause.
fn without_mark(line: &str) -> &str {
    let marks = ["error:", "ERROR:", "fatal:", "cause:", "Caused by:", "\u{d7}"];
    marks.iter().find_map(|mark| line.strip_prefix(mark)).unwrap_or(line).trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_that_says_what_went_wrong_is_found() {
        for (said, expected) in [
            (
                "Collecting x\nERROR: No matching distribution found for x\n",
                "No matching distribution found for x",
            ),
            (
                "  \u{d7} No solution found when resolving dependencies:\n  \u{2570}\u{2500}\u{25b6} Because x was not found\n      and more\n",
                "No solution found when resolving dependencies: Because x was not found",
            ),
            ("error: No solution\n  cause: Because x\n", "No solution: Because x"),
            (
                "error: Failed to fetch: `u`\n  Caused by: failed after 3 retries\n  Caused by: dns error\n",
                "Failed to fetch: `u`: dns error",
            ),
            ("error: could not compile\n\nCaused by:\n  it broke\n", "could not compile: it broke"),
            ("error: could not find `x` in registry\n\n", "could not find `x` in registry"),
            ("something\nlast words\n", "last words"),
        ] {
            assert_eq!(complaint(said).as_deref(), Some(expected));
        }
        assert_eq!(complaint(" \n"), None);
    }
}
