//! What the settings say about plugins: where they are, which run, how long they may take.
//!
//! Owns the `[plugins]` table. Must not start any.

use super::bundled::{BUNDLED, Bundled, guards, is_replaceable};
use super::python::{self, PythonHost};
use letscode_core::hooks::HookTimeouts;
use letscode_plugin_host::{Manifest, PluginSpec, manifests_in};
use letscode_wire::{HOOKS, HookName};
use serde_json::Map;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;
use toml::{Table, Value};

/// How long a plugin may take to say hello, and to register what it announced.
const HELLO: Duration = Duration::from_secs(10);
const REGISTER: Duration = Duration::from_secs(30);

/// How long a tool call may take without a sign of life.
const CALL_TOOL: Duration = Duration::from_secs(600);

/// How long a slash command may take.
const RUN_COMMAND: Duration = Duration::from_secs(600);

/// What in `[plugins]` is no plugin's name.
const TIMEOUTS: &str = "timeouts";

/// Where plugins are looked for.
pub(crate) struct PluginFolders {
    /// The user's own.
    pub(crate) user: Option<PathBuf>,
    /// Those of the project, where it is trusted.
    pub(crate) project: Option<PathBuf>,
    /// The virtual environments that may hold some in Python.
    pub(crate) python: Vec<PathBuf>,
    /// Where what those need is unpacked.
    pub(crate) cache: Option<PathBuf>,
}

/// What is set for plugins.
#[derive(Debug)]
pub(crate) struct PluginSettings {
    /// The whole configuration.
    config: Table,
    /// The plugins that are installed and not switched off.
    installed: Vec<Manifest>,
    /// The host of those in Python.
    python: Option<PluginSpec>,
    /// The plugins that it runs.
    in_python: Vec<String>,
    timeouts: HookTimeouts,
    hello: Duration,
    register: Duration,
    call_tool: Duration,
    run_command: Duration,
}

impl PluginSettings {
    /// Looks for the plugins that are there.
    pub(crate) fn new(config: Table, folders: &PluginFolders, warnings: &mut Vec<String>) -> Self {
        let mut installed: Vec<Manifest> = Vec::new();
        for folder in folders.user.iter().chain(&folders.project) {
            let (found, faults) = manifests_in(folder);
            warnings.extend(faults.iter().map(ToString::to_string));
            let (reserved, found): (Vec<_>, Vec<_>) =
                found.into_iter().partition(|manifest| is_reserved(&manifest.name));
            warnings.extend(reserved.iter().map(|manifest| {
                let (folder, name) = (manifest.folder.display(), &manifest.name);
                format!("{folder}: plugin left out: no plugin can be named {name}")
            }));
            for manifest in found.into_iter().filter(|found| !is_switched_off(&config, &found.name))
            {
                // A project's own takes the place of the user's.
                installed.retain(|other| other.name != manifest.name);
                installed.push(manifest);
            }
        }
        installed.sort_by(|a, b| a.name.cmp(&b.name));
        let host = python_host(&config, folders, warnings);
        let in_python = host.as_ref().map(|host| host.names().to_vec()).unwrap_or_default();
        let python = host.and_then(|host| {
            host.spec()
                .inspect_err(|error| warnings.push(format!("plugins in Python left out: {error}")))
                .ok()
        });
        let mut settings = Self {
            config,
            installed,
            python,
            in_python,
            timeouts: HookTimeouts::default(),
            hello: HELLO,
            register: REGISTER,
            call_tool: CALL_TOOL,
            run_command: RUN_COMMAND,
        };
        settings.read_timeouts(warnings);
        warnings.extend(unclear_switches(&settings.config));
        settings
    }

    /// Returns whether any plugin is to run.
    pub(crate) fn are_there(&self) -> bool {
        !self.installed.is_empty() || self.python.is_some() || self.bundled().next().is_some()
    }

    /// Returns the plugins that are to run, in the order of registration.
    pub(crate) fn specs(&self) -> Vec<PluginSpec> {
        let bundled = self.bundled().filter_map(|plugin| {
            Some(PluginSpec {
                name: plugin.name.to_owned(),
                version: env!("CARGO_PKG_VERSION").to_owned(),
                origin: "built in".to_owned(),
                command: vec![own_program()?, "plugin-run".into(), plugin.name.into()],
                variables: Vec::new(),
                fail_closed: plugin.fail_closed,
                config: self.table(plugin.name),
            })
        });
        let installed = self.installed.iter().map(|manifest| PluginSpec {
            name: manifest.name.clone(),
            version: manifest.version.clone(),
            origin: origin(&manifest.folder, &manifest.source),
            command: manifest.command.clone(),
            variables: Vec::new(),
            fail_closed: manifest.fail_closed,
            config: self.table(manifest.config.as_deref().unwrap_or(&manifest.name)),
        });
        bundled.chain(self.python.clone()).chain(installed).collect()
    }

    /// Returns the plugins that the program carries and that are to run. One that the user has
    /// installed under the same name takes the place of ours, but never that of a guard.
    fn bundled(&self) -> impl Iterator<Item = &'static Bundled> {
        let is_installed = |name: &str| {
            self.in_python.iter().any(|other| other == name)
                || self.installed.iter().any(|other| short_name(&other.name) == name)
        };
        BUNDLED.iter().filter(move |plugin| {
            let is_replaced = is_replaceable(plugin.name) && is_installed(plugin.name);
            plugin.is_enabled(&self.config) && !is_replaced
        })
    }

    /// Returns a table of the configuration.
    pub(crate) fn section(&self, name: Option<&str>) -> serde_json::Value {
        let value = match name {
            None => serde_json::to_value(&self.config),
            Some(name) => serde_json::to_value(self.config.get(name)),
        };
        // TOML holds nothing that JSON does not, but for numbers that are none.
        value.unwrap_or_default()
    }

    /// Returns how long hooks may take.
    pub(crate) fn hook_timeouts(&self) -> HookTimeouts {
        self.timeouts.clone()
    }

    /// Returns how long a plugin may take to say hello.
    pub(crate) fn hello_limit(&self) -> Duration {
        self.hello
    }

    /// Returns how long a plugin may take to register what it announced.
    pub(crate) fn register_limit(&self) -> Duration {
        self.register
    }

    /// Returns how long a tool call may take without a sign of life.
    pub(crate) fn call_limit(&self) -> Duration {
        self.call_tool
    }

    /// Returns how long a slash command may take.
    pub(crate) fn command_limit(&self) -> Duration {
        self.run_command
    }

    fn table(&self, name: &str) -> Map<String, serde_json::Value> {
        match self.section(Some(short_name(name))) {
            serde_json::Value::Object(table) => table,
            _ => Map::new(),
        }
    }

    fn read_timeouts(&mut self, warnings: &mut Vec<String>) {
        let table = self.config.get("plugins").and_then(|plugins| plugins.get(TIMEOUTS));
        let Some(table) = table else { return };
        let entries = table.as_table().cloned().unwrap_or_default();
        for (name, value) in entries {
            let Some(limit) = seconds(&value) else {
                warnings.push(format!(
                    "[plugins.timeouts] {name} is left out: it has to be a positive number of seconds"
                ));
                continue;
            };
            match (name.as_str(), hook(&name)) {
                ("default", _) => self.timeouts.default = limit,
                ("hello", _) => self.hello = limit,
                ("register", _) => self.register = limit,
                ("turn_end", _) => self.timeouts.turn_end = limit,
                ("call_tool", _) => self.call_tool = limit,
                ("run_command", _) => self.run_command = limit,
                (_, Some(hook)) => drop(self.timeouts.each.insert(hook, limit)),
                (_, None) => warnings.push(format!(
                    "[plugins.timeouts] {name} is left out: it is no hook, nor default, hello, register, \
                     turn_end, call_tool or run_command"
                )),
            }
        }
    }
}

/// Looks for plugins in Python.
fn python_host(
    config: &Table,
    folders: &PluginFolders,
    warnings: &mut Vec<String>,
) -> Option<PythonHost> {
    if is_switched_off(config, python::NAME) {
        return None;
    }
    let is_off = |name: &str| is_switched_off(config, name);
    PythonHost::find(&folders.python, folders.cache.as_deref(), is_off, warnings)
}

/// Returns a plugin's name as its table is named: that of `letscode-memory` is `[memory]`.
pub(crate) fn short_name(name: &str) -> &str {
    name.strip_prefix("letscode-").unwrap_or(name)
}

/// Returns whether no installed plugin may have that name: in `[plugins]` it stands for something else,
/// or for a guard.
pub(crate) fn is_reserved(name: &str) -> bool {
    let short = short_name(name);
    [TIMEOUTS, python::NAME].contains(&name) || guards().any(|guard| guard == short)
}

/// Returns whether the configuration switches a plugin off.
pub(crate) fn is_switched_off(config: &Table, name: &str) -> bool {
    let said = config.get("plugins").and_then(|plugins| plugins.get(name));
    said.and_then(Value::as_bool) == Some(false)
}

/// Returns a warning for each value in `[plugins]` that switches nothing on or off.
fn unclear_switches(config: &Table) -> Vec<String> {
    let Some(plugins) = config.get("plugins").and_then(Value::as_table) else { return Vec::new() };
    let is_unclear = |(name, value): &(&String, &Value)| match name.as_str() {
        TIMEOUTS => !value.is_table(),
        _ => !value.is_bool(),
    };
    let warning = |(name, _): (&String, &Value)| match name.as_str() {
        TIMEOUTS => "[plugins] timeouts is left out: it has to be a table".to_owned(),
        name if guards().any(|guard| guard == name) => {
            format!("[plugins] {name} counts as on: it has to be true or false")
        }
        name => format!("[plugins] {name} is left out: it has to be true or false"),
    };
    plugins.iter().filter(is_unclear).map(warning).collect()
}

fn hook(name: &str) -> Option<HookName> {
    let named: HookName = serde_json::from_value(name.into()).ok()?;
    HOOKS.iter().map(|info| info.name).find(|hook| *hook == named)
}

fn seconds(value: &Value) -> Option<Duration> {
    #[expect(clippy::cast_precision_loss, reason = "no time limit is that long")]
    let seconds = value.as_float().or_else(|| value.as_integer().map(|whole| whole as f64))?;
    Duration::try_from_secs_f64(seconds).ok().filter(|limit| !limit.is_zero())
}

fn origin(folder: &Path, source: &str) -> String {
    match source {
        "" => folder.display().to_string(),
        source => format!("{} ({source})", folder.display()),
    }
}

#[expect(clippy::disallowed_methods, reason = "the program is started again as a plugin")]
fn own_program() -> Option<OsString> {
    std::env::current_exe().ok().map(PathBuf::into_os_string)
}
