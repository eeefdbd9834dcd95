//! Servers listed and tried.
//!
//! Owns the runtime of a try. Must not show a value of `env` or `headers`.

use crate::bridge::Bridge;
use crate::environment::Environment;
use crate::front::{BoxFuture, Front};
use crate::settings::{self, Reach, ServerSettings};
use letscode_wire::{Registrations, UiRequest};
use serde_json::{Map, Value};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use url::Url;

/// What came of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// What the user sees.
    pub text: String,
    /// Whether all went well.
    pub success: bool,
}

/// Lists the servers of the `[mcp]` table, one a line, and what is wrong with others.
pub fn list(table: &Map<String, Value>, working_dir: &Path) -> Outcome {
    let servers = settings::read(table, working_dir, &Environment::capture());
    let mut lines: Vec<String> = servers.enabled.iter().map(line).collect();
    lines.extend(servers.disabled.iter().map(|name| format!("{name}: switched off")));
    lines.sort();
    let success = servers.warnings.is_empty();
    lines.extend(servers.warnings);
    if lines.is_empty() {
        lines.push("No MCP servers; letscode mcp add adds one.".into());
    }
    Outcome { text: lines.join("\n"), success }
}

/// Starts the servers called `names`, all where none is named, says what they have, and ends them.
pub fn test(table: &Map<String, Value>, working_dir: &Path, names: &[String]) -> Outcome {
    let empty = Map::new();
    let servers = table.get("servers").and_then(Value::as_object).unwrap_or(&empty);
    if let Some(missing) = names.iter().find(|name| !servers.contains_key(*name)) {
        let known: Vec<&str> = servers.keys().map(String::as_str).collect();
        let text = match known.as_slice() {
            [] => format!("there is no MCP server {missing}, nor any other"),
            known => format!("there is no MCP server {missing}; there are {}", known.join(", ")),
        };
        return Outcome { text, success: false };
    }
    let wanted = |name: &String| names.is_empty() || names.contains(name);
    let servers: Map<String, Value> = servers
        .iter()
        .filter(|(name, _)| wanted(name))
        .map(|(name, server)| (name.clone(), server.clone()))
        .collect();
    let table = Map::from_iter([("servers".to_owned(), Value::Object(servers))]);
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return Outcome { text: error.to_string(), success: false },
    };
    let warnings = Arc::new(Warnings::default());
    let front = Arc::<Warnings>::clone(&warnings);
    let bridge = Arc::new(Bridge::new(&table, working_dir, &Environment::capture(), front));
    let (text, ready) = runtime.block_on(async {
        let running = tokio::spawn({
            let bridge = Arc::clone(&bridge);
            async move { bridge.run().await }
        });
        let report = bridge.report().await;
        bridge.stop();
        drop(running.await);
        report
    });
    let warned = warnings.lines.lock().unwrap_or_else(PoisonError::into_inner);
    // What is said about servers that are left out is in the report.
    let bad = warned.iter().filter(|line| line.starts_with("mcp ")).cloned();
    let lines: Vec<String> = bad.collect();
    let success = ready && lines.is_empty();
    let text = lines.into_iter().chain((!text.is_empty()).then_some(text));
    Outcome { success, text: text.collect::<Vec<_>>().join("\n") }
}

fn line(server: &ServerSettings) -> String {
    let reach = match &server.reach {
        Reach::Program { command, args, .. } => {
            let words: Vec<&str> =
                std::iter::once(command).chain(args).map(String::as_str).collect();
            words.join(" ")
        }
        Reach::Http { url, .. } => shown(url),
    };
    server.masks.apply(&format!("{}: {reach}", server.name))
}

/// Returns an address without what may be a key: a password, and what is behind the question mark.
fn shown(url: &str) -> String {
    let Ok(mut url) = Url::parse(url) else { return String::new() };
    // These fail only for addresses without a host, which have nothing to hide there.
    let _ = url.set_password(None);
    let _ = url.set_username("");
    url.set_query(None);
    url.set_fragment(None);
    url.to_string()
}

/// Keeps warnings; there is nobody to ask.
#[derive(Default)]
struct Warnings {
    lines: Mutex<Vec<String>>,
}

impl Front for Warnings {
    fn ask(&self, _: UiRequest) -> BoxFuture<Option<Value>> {
        Box::pin(std::future::ready(None))
    }

    fn register(&self, _: Registrations) {}

    fn warn(&self, line: &str) {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner).push(line.to_owned());
    }
}
