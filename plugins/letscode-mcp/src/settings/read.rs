//! One table of the configuration after the other, checked key by key.
//!
//! Owns the words of the warnings. Must not show a value that may be secret.

use super::expand::expand;
use super::{CALL_LIMIT, Reach, START_LIMIT, ServerSettings, Servers, ToolFilter};
use crate::environment::Environment;
use crate::masks::Masks;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

const KEYS: [&str; 12] = [
    "command",
    "args",
    "env",
    "prefix",
    "timeout",
    "call_timeout",
    "cwd",
    "url",
    "headers",
    "tools",
    "disabled",
    "type",
];

/// The longest time that can be set, in seconds: a day.
const LONGEST: f64 = 86_400.0;

/// Reads the `[mcp]` table. Never fails: what cannot be used is a warning, and the rest counts.
pub(crate) fn read(
    table: &Map<String, Value>,
    working_dir: &Path,
    environment: &Environment,
) -> Servers {
    let mut servers = Servers::default();
    let tables = match table.get("servers") {
        None => return servers,
        Some(Value::Object(tables)) => tables,
        Some(_) => {
            servers.warnings.push("mcp: servers is not a table: write [mcp.servers.NAME]".into());
            return servers;
        }
    };
    let sorted: BTreeMap<&String, &Value> = tables.iter().collect();
    for (name, value) in sorted {
        match server(name, value, working_dir, environment) {
            Ok(None) => servers.disabled.push(name.clone()),
            Ok(Some((server, remark))) => {
                servers.enabled.push(server);
                servers.warnings.extend(remark);
            }
            Err(problem) => {
                servers.warnings.push(format!("mcp server {name:?} is left out: {problem}"));
            }
        }
    }
    servers
}

/// Returns the server, and a warning about what was passed over; nothing where it is disabled.
fn server(
    name: &str,
    value: &Value,
    working_dir: &Path,
    environment: &Environment,
) -> Result<Option<(ServerSettings, Option<String>)>, String> {
    let table = value.as_object().ok_or("it is not a table")?;
    if is(table, "disabled")? {
        return Ok(None);
    }
    let legal = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    if name.is_empty() || !name.chars().all(legal) {
        return Err("its name may hold letters, digits, `_`, `-` and `.` only".into());
    }
    let mut values = Values { environment, masks: Masks::default(), unset: Vec::new() };
    let reach = match (text(table, "command")?, text(table, "url")?) {
        (Some(command), None) => Reach::Program {
            command: environment.with_home(&command),
            args: texts(table, "args")?,
            env: values.expanded(table, "env")?,
            cwd: match text(table, "cwd")? {
                Some(cwd) => working_dir.join(environment.with_home(&cwd)),
                None => working_dir.to_owned(),
            },
        },
        (None, Some(url)) => {
            let url = values.put_in(&url);
            let parsed = url::Url::parse(&url).map_err(|error| format!("url: {error}"))?;
            if !matches!(parsed.scheme(), "http" | "https") {
                return Err("url: it must begin with http:// or https://".into());
            }
            Reach::Http { url, headers: values.expanded(table, "headers")? }
        }
        (Some(_), Some(_)) => return Err("it has both command and url: keep one".into()),
        (None, None) => return Err("it has neither command nor url".into()),
    };
    let prefix = text(table, "prefix")?.unwrap_or_else(|| format!("mcp_{name}_"));
    let server = ServerSettings {
        name: name.to_owned(),
        reach,
        prefix,
        start_limit: seconds(table, "timeout")?.unwrap_or(START_LIMIT),
        call_limit: seconds(table, "call_timeout")?.unwrap_or(CALL_LIMIT),
        tools: ToolFilter::new(texts(table, "tools")?),
        masks: values.masks,
    };
    let unknown = table.keys().find(|key| !KEYS.contains(&key.as_str()));
    let remark = match (unknown, values.unset.first()) {
        (Some(key), _) => {
            Some(format!("mcp server {name:?}: {key} is no key of a server and is passed over"))
        }
        (None, Some((key, variable))) => {
            Some(format!("mcp server {name:?}: {key} names ${variable}, which is not set"))
        }
        (None, None) => None,
    };
    Ok(Some((server, remark)))
}

/// Puts variables into values and notes what must not be shown.
struct Values<'a> {
    environment: &'a Environment,
    masks: Masks,
    /// Keys with the variables in them that are not set.
    unset: Vec<(String, String)>,
}

impl Values<'_> {
    /// Returns a table of texts with their variables put in; all of them are kept secret.
    fn expanded(
        &mut self,
        table: &Map<String, Value>,
        key: &str,
    ) -> Result<BTreeMap<String, String>, String> {
        let Some(value) = table.get(key) else { return Ok(BTreeMap::new()) };
        let entries = value.as_object().ok_or_else(|| format!("{key} is not a table"))?;
        let mut expanded = BTreeMap::new();
        for (name, value) in entries {
            let value = scalar(value)
                .ok_or_else(|| format!("{key}.{name} is neither a text nor a number"))?;
            let place = format!("{key}.{name}");
            let value = self.put_in_at(&value, &place);
            self.masks.add(&value);
            expanded.insert(name.clone(), value);
        }
        Ok(expanded)
    }

    fn put_in(&mut self, url: &str) -> String {
        self.put_in_at(url, "url")
    }

    fn put_in_at(&mut self, value: &str, place: &str) -> String {
        let expanded = expand(value, &|name| self.environment.get(name));
        expanded.inserted.iter().for_each(|inserted| self.masks.add(inserted));
        self.unset.extend(expanded.unset.into_iter().map(|name| (place.to_owned(), name)));
        expanded.text
    }
}

fn text(table: &Map<String, Value>, key: &str) -> Result<Option<String>, String> {
    match table.get(key) {
        None => Ok(None),
        Some(Value::String(text)) if text.is_empty() && key != "prefix" => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err(format!("{key} is not a text")),
    }
}

fn texts(table: &Map<String, Value>, key: &str) -> Result<Vec<String>, String> {
    let problem = || format!("{key} is not a list of texts");
    match table.get(key) {
        None => Ok(Vec::new()),
        Some(Value::Array(items)) => {
            items.iter().map(|item| scalar(item).ok_or_else(problem)).collect()
        }
        Some(_) => Err(problem()),
    }
}

fn is(table: &Map<String, Value>, key: &str) -> Result<bool, String> {
    match table.get(key) {
        None => Ok(false),
        Some(Value::Bool(value)) => Ok(*value),
        Some(_) => Err(format!("{key} is neither true nor false")),
    }
}

fn seconds(table: &Map<String, Value>, key: &str) -> Result<Option<Duration>, String> {
    let Some(value) = table.get(key) else { return Ok(None) };
    let seconds = value.as_f64().filter(|seconds| *seconds > 0.0);
    match seconds {
        Some(seconds) => Ok(Some(Duration::from_secs_f64(seconds.min(LONGEST)))),
        None => Err(format!("{key} is not a number of seconds above 0")),
    }
}

/// Returns a text, a number or a truth value as text.
fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(value) => Some(value.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}
