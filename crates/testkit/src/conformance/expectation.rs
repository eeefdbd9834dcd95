//! What must hold after a run.
//!
//! Owns the checks; each problem is one line that begins with the key it belongs to. Must not
//! change what it looks at.

use super::lines::match_lines;
use super::matcher::matches;
use crate::program::Finished;
use crate::workdir::{WorkDir, mode_of};
use serde::Deserialize;
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};
use std::ffi::OsStr;
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// What must hold after a run. What is absent is not looked at.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Expectation {
    /// Matcher for the exit status; minus the signal's number where one ended it.
    exit: Option<Value>,
    /// Matchers for stdout as lines of JSON.
    lines: Option<Vec<Value>>,
    /// Matcher for stdout as text.
    stdout: Option<Value>,
    /// Matcher for stderr as text.
    stderr: Option<Value>,
    /// Matcher for the list of the chat requests' bodies.
    requests: Option<Value>,
    /// Matchers for files' texts; a name with `~/` is below the home.
    files: Map<String, Value>,
    /// Matchers for files' permission bits in octal.
    modes: Map<String, Value>,
    /// Files that must not be there.
    absent: Vec<String>,
    /// Matchers for the lines of the newest session file.
    session: Option<Vec<Value>>,
    /// The most that the run may take.
    max_seconds: Option<f64>,
}

impl Expectation {
    /// Returns what does not hold. `cwd` is where the program was started, `requests` what it
    /// asked in this run.
    pub(super) fn problems(
        &self,
        finished: &Finished,
        requests: Vec<Value>,
        dir: &WorkDir,
        cwd: &Path,
    ) -> Vec<String> {
        let mut problems = Problems(Vec::new());
        let stdout = String::from_utf8_lossy(&finished.stdout);
        let stderr = String::from_utf8_lossy(&finished.stderr);
        problems.check("exit", self.exit.as_ref(), || finished.status.into());
        if let Some(lines) = &self.lines {
            check_stdout_lines(&mut problems, lines, &stdout);
        }
        problems.check("stdout", self.stdout.as_ref(), || stdout.as_ref().into());
        problems.check("stderr", self.stderr.as_ref(), || stderr.as_ref().into());
        problems.check("requests", self.requests.as_ref(), || requests.into());
        for (name, matcher) in &self.files {
            match fs::read(dir.resolve(name)) {
                Ok(bytes) => {
                    problems.check(name, Some(matcher), || String::from_utf8_lossy(&bytes).into());
                }
                Err(error) => problems.add(name, error),
            }
        }
        for (name, matcher) in &self.modes {
            match mode_of(&dir.resolve(name)) {
                Ok(mode) => problems.check(name, Some(matcher), || format!("{mode:o}").into()),
                Err(error) => problems.add(name, error),
            }
        }
        for name in self.absent.iter().filter(|name| dir.resolve(name).exists()) {
            problems.add(name, "is there");
        }
        if let Some(matchers) = &self.session {
            check_session(&mut problems, matchers, dir, cwd);
        }
        let took = finished.took.as_secs_f64();
        if let Some(limit) = self.max_seconds.filter(|limit| took > *limit) {
            problems.add("max_seconds", format!("took {took:.1} s, want at most {limit}"));
        }
        problems.0
    }
}

/// Collects problems, each under its key.
struct Problems(Vec<String>);

impl Problems {
    fn add(&mut self, key: &str, problem: impl fmt::Display) {
        self.0.push(format!("{key}: {problem}"));
    }

    fn check(&mut self, key: &str, matcher: Option<&Value>, value: impl FnOnce() -> Value) {
        if let Some(matcher) = matcher
            && let Err(mismatch) = matches(matcher, &value())
        {
            self.add(key, mismatch);
        }
    }
}

fn check_stdout_lines(problems: &mut Problems, matchers: &[Value], stdout: &str) {
    let complete = match stdout.rsplit_once('\n') {
        Some((complete, "")) => complete,
        Some((complete, _)) => {
            problems.add("lines", "the last line has no end");
            complete
        }
        None if stdout.is_empty() => {
            return check_lines(problems, "lines", matchers, std::iter::empty());
        }
        None => return problems.add("lines", "the only line has no end"),
    };
    check_lines(problems, "lines", matchers, complete.split('\n'));
}

fn check_lines<'a>(
    problems: &mut Problems,
    key: &str,
    matchers: &[Value],
    lines: impl Iterator<Item = &'a str>,
) {
    match lines.map(parse).collect::<Result<Vec<Value>, String>>() {
        Err(problem) => problems.add(key, problem),
        Ok(lines) => {
            if let Err(mismatch) = match_lines(matchers, &lines) {
                problems.add(key, mismatch);
            }
        }
    }
}

fn parse(line: &str) -> Result<Value, String> {
    serde_json::from_str(line).map_err(|error| format!("{line:.200?} is not JSON: {error}"))
}

/// Checks the newest session: that it stands in the folder named after the working directory, and
/// its lines.
fn check_session(problems: &mut Problems, matchers: &[Value], dir: &WorkDir, cwd: &Path) {
    let newest = match newest_session(&dir.home().join(".letscode/sessions")) {
        Ok(Some(path)) => path,
        Ok(None) => return problems.add("session", "no file"),
        Err(error) => return problems.add("session", error),
    };
    match session_folder(cwd) {
        Ok(wanted) => {
            let folder = newest.parent().and_then(Path::file_name).unwrap_or_default();
            if folder != OsStr::new(&wanted) {
                problems.add("session", format!("folder {}, want {wanted}", folder.display()));
            }
        }
        Err(error) => problems.add("session", error),
    }
    match fs::read_to_string(&newest) {
        Ok(text) => {
            let lines = text.split('\n').filter(|line| !line.trim_matches(['\0', ' ']).is_empty());
            check_lines(problems, "session", matchers, lines);
        }
        Err(error) => problems.add("session", error),
    }
}

fn newest_session(sessions: &Path) -> io::Result<Option<PathBuf>> {
    if !sessions.exists() {
        return Ok(None);
    }
    let mut files: Vec<(SystemTime, PathBuf)> = Vec::new();
    for folder in fs::read_dir(sessions)? {
        let folder = folder?.path();
        if !folder.is_dir() {
            continue;
        }
        for file in fs::read_dir(folder)? {
            let file = file?;
            if file.path().extension() == Some(OsStr::new("jsonl")) {
                files.push((file.metadata()?.modified()?, file.path()));
            }
        }
    }
    Ok(files.into_iter().max().map(|(_, path)| path))
}

/// Returns the name of the folder of the sessions of a working directory.
fn session_folder(cwd: &Path) -> io::Result<String> {
    let resolved = fs::canonicalize(cwd)?;
    let digest = Sha256::digest(resolved.as_os_str().as_encoded_bytes());
    Ok(digest.iter().take(6).map(|byte| format!("{byte:02x}")).collect())
}
