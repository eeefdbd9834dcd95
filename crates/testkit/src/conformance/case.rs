//! Case files as types.
//!
//! Owns reading them, strictly: an unknown key is a mistake in the case. Must not run anything.

use super::expectation::Expectation;
use crate::program::Signal;
use crate::sse_server::{Scenario, ScenarioError};
use crate::workdir::{FileSpec, FileSpecError};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A case: its name and its runs, not yet filled in.
#[derive(Debug, Clone)]
pub struct Case {
    /// The file's name without its ending.
    pub name: String,
    /// The first run, then those of `then`. All but `llm` and `rules` still holds placeholders.
    pub(super) runs: Vec<Map<String, Value>>,
}

/// One run of the program, filled in.
#[derive(Debug)]
pub struct Run {
    /// Files to make before, by their names; those in the home begin with `~/`.
    pub files: Vec<(String, FileSpec)>,
    /// The command line, the endpoint's options included.
    pub args: Vec<String>,
    /// Variables to set, or to take away.
    pub env: Vec<(String, Option<String>)>,
    /// The folder below the working directory to start in.
    pub cwd: String,
    /// What happens to stdin and the process.
    pub steps: Vec<Step>,
    /// How long it may take.
    pub limit: Duration,
    /// What must hold.
    pub expect: Expectation,
}

/// One step of a run, in the case file an object: `{"send": …}`, `{"raw": text}`,
/// `{"raw_b64": …}`, `{"eof": true}`, `{"wait": matcher, "timeout": seconds}`,
/// `{"sleep": seconds}` or `{"signal": "INT"}`.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// Writes bytes to stdin.
    Write(Vec<u8>),
    /// Closes stdin.
    Close,
    /// Waits for a line of stdout that fits.
    Wait {
        /// The matcher.
        matcher: Value,
        /// For how long; 15 seconds by default.
        limit: Duration,
    },
    /// Lets time pass.
    Sleep(Duration),
    /// Sends a signal to the process.
    Signal(Signal),
}

/// Why a case file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum CaseError {
    /// It cannot be read.
    #[error("cannot read the case {}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// It is not JSON, or not of the shape of a case.
    #[error("not a case: {0}")]
    Shape(#[from] serde_json::Error),
    /// A step is none of the known ones.
    #[error("not a step: {0}")]
    Step(Value),
    /// A file is none.
    #[error(transparent)]
    File(#[from] FileSpecError),
    /// What the server answers is no scenario.
    #[error(transparent)]
    Scenario(#[from] ScenarioError),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RunFile {
    /// For the reader of the file only.
    #[serde(default, rename = "about")]
    _about: String,
    #[serde(default)]
    files: Map<String, Value>,
    #[serde(default)]
    home: Map<String, Value>,
    #[serde(default)]
    args: Vec<String>,
    #[serde(default)]
    env: Map<String, Value>,
    #[serde(default = "here")]
    cwd: String,
    #[serde(default = "yes")]
    endpoint: bool,
    steps: Option<Vec<Value>>,
    #[serde(default = "thirty")]
    timeout: f64,
    #[serde(default)]
    expect: Expectation,
}

impl Case {
    /// Reads a case file.
    ///
    /// # Errors
    /// When it cannot be read or is no case.
    pub fn load(path: &Path) -> Result<Self, CaseError> {
        let io_error = |source| CaseError::Io { path: path.to_owned(), source };
        let text = fs::read_to_string(path).map_err(io_error)?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        Self::from_json(&name, serde_json::from_str(&text)?)
    }

    /// Reads a case and checks all of it, so that running it meets no mistake of the case.
    ///
    /// # Errors
    /// When it is none.
    pub fn from_json(name: &str, json: Value) -> Result<Self, CaseError> {
        let mut first: Map<String, Value> = serde_json::from_value(json)?;
        let then = first.remove("then").unwrap_or_else(|| json!([]));
        let mut runs: Vec<Map<String, Value>> = vec![first];
        runs.extend(serde_json::from_value::<Vec<_>>(then)?);
        for run in &runs {
            Run::read(run, &[], "")?;
            Scenario::from_json(scenario(run))?;
        }
        Ok(Self { name: name.to_owned(), runs })
    }
}

impl Run {
    /// Reads a run of a case, filled in with `values`. `base_url` is the endpoint's.
    pub(super) fn read(
        run: &Map<String, Value>,
        values: &[(&str, &str)],
        base_url: &str,
    ) -> Result<Self, CaseError> {
        let mut run = run.clone();
        run.remove("llm");
        run.remove("rules");
        let file: RunFile = serde_json::from_value(fill(Value::Object(run), values))?;
        let mut args = file.args;
        if file.endpoint {
            let endpoint = ["--base-url", base_url, "--model", "mock-model"];
            args.extend(endpoint.map(str::to_owned));
        }
        let env = file.env.into_iter().map(|(name, value)| match value {
            Value::Null => Ok((name, None)),
            value => Ok((name, Some(serde_json::from_value(value)?))),
        });
        let in_home = file.home.iter().map(|(name, json)| (format!("~/{name}"), json));
        let in_project = file.files.iter().map(|(name, json)| (name.clone(), json));
        let files = in_home.chain(in_project);
        let files = files.map(|(name, json)| Ok((name, FileSpec::from_json(json)?)));
        let steps = file.steps.unwrap_or_else(|| vec![json!({"eof": true})]);
        Ok(Self {
            files: files.collect::<Result<_, CaseError>>()?,
            args,
            env: env.collect::<Result<_, CaseError>>()?,
            cwd: file.cwd,
            steps: steps.iter().map(Step::from_json).collect::<Result<_, _>>()?,
            limit: Duration::from_secs_f64(file.timeout),
            expect: file.expect,
        })
    }
}

impl Step {
    fn from_json(json: &Value) -> Result<Self, CaseError> {
        Self::read(json).ok_or_else(|| CaseError::Step(json.clone()))
    }

    fn read(json: &Value) -> Option<Self> {
        let mut entries = json.as_object()?.clone();
        let seconds = |value: Value| value.as_f64().map(Duration::from_secs_f64);
        let step = if let Some(matcher) = entries.remove("wait") {
            let limit = entries.remove("timeout").unwrap_or_else(|| json!(15));
            Self::Wait { matcher, limit: seconds(limit)? }
        } else if let Some(message) = entries.remove("send") {
            Self::Write(format!("{message}\n").into_bytes())
        } else if let Some(text) = entries.remove("raw") {
            Self::Write(text.as_str()?.into())
        } else if let Some(text) = entries.remove("raw_b64") {
            Self::Write(BASE64_STANDARD.decode(text.as_str()?).ok()?)
        } else if entries.remove("eof").is_some() {
            Self::Close
        } else if let Some(time) = entries.remove("sleep") {
            Self::Sleep(seconds(time)?)
        } else {
            Self::Signal(match entries.remove("signal")?.as_str()? {
                "INT" => Signal::Interrupt,
                "TERM" => Signal::Terminate,
                "HUP" => Signal::HangUp,
                "KILL" => Signal::Kill,
                _ => return None,
            })
        };
        entries.is_empty().then_some(step)
    }
}

/// Returns what the server answers in a run, as a scenario.
pub(super) fn scenario(run: &Map<String, Value>) -> Value {
    let part = |key: &str| run.get(key).cloned().unwrap_or_else(|| json!([]));
    json!({"responses": part("llm"), "rules": part("rules")})
}

/// Fills `{NAME}` in all texts of a value, its keys apart.
fn fill(value: Value, values: &[(&str, &str)]) -> Value {
    match value {
        Value::String(text) => {
            let filled = values
                .iter()
                .fold(text, |text, (name, value)| text.replace(&format!("{{{name}}}"), value));
            Value::String(filled)
        }
        Value::Array(items) => items.into_iter().map(|item| fill(item, values)).collect(),
        Value::Object(object) => {
            let filled = object.into_iter().map(|(key, value)| (key, fill(value, values)));
            Value::Object(filled.collect())
        }
        other => other,
    }
}

fn here() -> String {
    ".".to_owned()
}

fn yes() -> bool {
    true
}

fn thirty() -> f64 {
    30.0
}

#[cfg(test)]
mod tests;
