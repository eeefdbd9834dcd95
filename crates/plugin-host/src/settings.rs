//! What a plugin is started with, and what the program around it offers.
//!
//! Owns the shapes. Must not act.

use letscode_core::BoxFuture;
use letscode_core::hooks::AgentAccess;
use letscode_core::ui::Ui;
use serde_json::{Map, Value};
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// A plugin that is to run.
#[derive(Debug, Clone, PartialEq)]
pub struct PluginSpec {
    /// Its name.
    pub name: String,
    /// Its version as its installation knows it; empty where it does not.
    pub version: String,
    /// Where it comes from, for lists: a folder, `built in`.
    pub origin: String,
    /// The program and its arguments.
    pub command: Vec<OsString>,
    /// Variables that it gets beside those of the program.
    pub variables: Vec<(OsString, OsString)>,
    /// Whether tool calls are refused when it is gone, even where it never said hello.
    pub fail_closed: bool,
    /// What its `hello` carries: its table of the configuration.
    pub config: Map<String, Value>,
}

/// What all plugins are started in.
#[derive(Clone)]
pub struct Surroundings {
    /// The program's version.
    pub version: String,
    /// The working directory, theirs and that of the program.
    pub working_dir: PathBuf,
    /// Variables that they do not inherit: those of keys.
    pub removed_variables: Vec<String>,
    /// How long a plugin may take to say hello.
    pub hello_limit: Duration,
    /// How long one may take to register what it announced.
    pub register_limit: Duration,
    /// How long a tool call may take without a sign of life.
    pub call_limit: Duration,
    /// How long a slash command may take, but for the time in which the user or the agent is asked.
    pub command_limit: Duration,
    /// The way to the user.
    pub ui: Ui,
    /// The way to the agent.
    pub agent: AgentAccess,
    /// What only the program knows.
    pub program: Arc<dyn Program>,
}

/// What plugins may ask of the program around the agent.
pub trait Program: Send + Sync {
    /// Returns a table of the configuration as it is now, the whole for `None`; `null` where there
    /// is none of that name.
    fn config(&self, table: Option<&str>) -> Value;

    /// Returns the variables with which another process of the program reaches `model`.
    ///
    /// # Errors
    /// When nobody answers for the model; the text is for the plugin.
    fn subagent_env(&self, model: String)
    -> BoxFuture<'static, Result<Map<String, Value>, String>>;
}
