//! The plugin against a server that does as it is told, over the plugin protocol and real pipes.

mod calls;
mod faults;
mod http;
mod life;
mod tls;

use super::{Hub, plugin_on};
use crate::environment::Environment;
use letscode_plugin::testing::Peer;
use letscode_wire::{ContentPart, FromPlugin, Registrations, ToolOutput, UiRequest, text_of};
use serde_json::{Map, Value, json};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Far more than anything here needs.
const HANG: Duration = Duration::from_secs(60);

/// A running plugin.
struct Stage {
    peer: Peer,
    hub: Arc<Hub>,
    asked: Arc<Mutex<Vec<UiRequest>>>,
}

impl Stage {
    /// Starts the plugin with these servers, and waits until their tools are registered. Questions
    /// to the user are answered with `answer`.
    fn start_answering(servers: Value, answer: Value) -> Self {
        Self::start_with(servers, answer, &[])
    }

    fn start_with(servers: Value, answer: Value, variables: &[(&str, &str)]) -> Self {
        let config: Map<String, Value> = json!({"servers": servers}).as_object().unwrap().clone();
        let asked: Arc<Mutex<Vec<UiRequest>>> = Arc::default();
        let noted = Arc::clone(&asked);
        let path = path();
        let usual = [
            ("PATH", path.as_str()),
            ("HOME", "/home/ada"),
            ("OPENAI_API_KEY", "sk-1234567890"),
            ("TOKEN", "tok-1234567890"),
        ];
        let environment = Environment::of(&[&usual, variables].concat());
        let hub = Arc::new(Hub::default());
        let peer = Peer::start_with(plugin_on(&hub, environment), config, move |line| {
            if let FromPlugin::Ui { request, .. } = line {
                noted.lock().unwrap().push(request.clone());
            }
            Ok(answer.clone())
        });
        let stage = Self { peer, hub, asked };
        stage.until(|registrations| !registrations.commands.is_empty());
        stage
    }

    fn start(servers: Value) -> Self {
        Self::start_answering(servers, Value::Null)
    }

    /// Waits until what is registered is as `wanted`.
    fn until(&self, wanted: impl Fn(&Registrations) -> bool) -> Registrations {
        let started = Instant::now();
        loop {
            let registrations = self.peer.registrations();
            if wanted(&registrations) {
                return registrations;
            }
            assert!(started.elapsed() < HANG, "{registrations:?}");
            sleep(Duration::from_millis(5));
        }
    }

    fn call(&self, tool: &str, arguments: Value) -> ToolOutput {
        self.peer.call_tool(tool, arguments).unwrap()
    }

    fn text(&self, tool: &str, arguments: Value) -> String {
        text_of(&self.call(tool, arguments).content)
    }

    fn command(&self, name: &str, typed: &str) -> String {
        let reply = self.peer.run_command(name, typed).unwrap();
        reply.prompt.unwrap_or(reply.text)
    }
}

/// Returns the table of a scripted server with these options.
fn scripted(options: &[&str]) -> Value {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/servers/scripted.py");
    let mut args = vec![script.to_str().unwrap()];
    args.extend(options);
    json!({"command": "python3", "args": args, "cwd": env!("CARGO_MANIFEST_DIR"),
           "env": {"SECRET_KEY": "$TOKEN"}})
}

/// Returns the table with one more key.
fn with(mut table: Value, key: &str, value: Value) -> Value {
    table[key] = value;
    table
}

#[expect(clippy::disallowed_methods, reason = "the interpreter is found by the tests' own path")]
fn path() -> String {
    std::env::var("PATH").unwrap()
}

fn names(registrations: &Registrations) -> Vec<&str> {
    registrations.tools.iter().map(|tool| tool.name.as_str()).collect()
}
