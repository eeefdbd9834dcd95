//! The settings of the user's and the project's config files, made into one.
//!
//! Owns reading both files once, the merge, and which of a project's settings wait for trust.
//! Must not know flags or the environment: they are laid over it in `settings`.

mod guards;
mod keys;
mod layer;
#[cfg(test)]
mod tests;

#[cfg(test)]
pub(crate) use keys::KEYS;
pub(crate) use keys::{names as names_in, split_names};

use crate::files::{TomlFile, TomlFileError};
use crate::paths::{Project, UserPaths};
use crate::thinking::ThinkingLevel;
use crate::trust::{self, LeftOut, Trust};
use std::path::Path;
use std::time::Duration;
use toml::{Table, Value};

/// What the config files say and the program reads; `None` where they are silent.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Config {
    /// The model's name.
    pub(crate) model: Option<String>,
    /// Where requests go when nothing else says it.
    pub(crate) base_url: Option<String>,
    /// The front end's name.
    pub(crate) frontend: Option<String>,
    /// The only tools to offer.
    pub(crate) tools: Option<Vec<String>>,
    /// Whether to offer no tools.
    pub(crate) no_tools: Option<bool>,
    /// How long a request may take.
    pub(crate) timeout: Option<Duration>,
    /// Whether `AGENTS.md` and the like stay out of the system prompt.
    pub(crate) no_context_files: Option<bool>,
    /// How hard the model should think.
    pub(crate) thinking: Option<ThinkingLevel>,
    /// Variables with keys that commands inherit all the same.
    pub(crate) keep_env: Vec<String>,
    /// Where the newest version is told; nobody looks without it.
    pub(crate) update_url: Option<String>,
    /// What only the terminal front end asks about.
    pub(crate) terminal: TerminalConfig,
}

/// What config files say about the terminal front end.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct TerminalConfig {
    /// Whether tools' results are shown in full.
    pub(crate) verbose: Option<bool>,
    /// Whether the line at the bottom is shown.
    pub(crate) footer: Option<bool>,
    /// Whether the composer has vi's keys.
    pub(crate) vi: Option<bool>,
    /// Actions with all their keys.
    pub(crate) keys: Vec<(String, Vec<String>)>,
}

/// The config files, read.
#[derive(Debug, Default)]
pub(crate) struct LoadedConfig {
    /// What they say.
    pub(crate) config: Config,
    /// All of it, for plugins.
    pub(crate) whole: Table,
    /// What waits for trust.
    pub(crate) left_out: Option<LeftOut>,
    /// Why a file is left out as a whole, where one is.
    pub(crate) broken: Option<String>,
    /// One line for each thing that cannot be used.
    pub(crate) warnings: Vec<String>,
}

/// Whether the project is trusted for this run, whatever is recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TrustFlag {
    /// `--trust` or `LETSCODE_TRUST=1`.
    Trusted,
    /// What is recorded counts.
    AsRecorded,
}

/// Reads the config files. Never fails: what cannot be used is a warning, and the rest counts.
///
/// Invariant: nothing of an untrusted project that could run code, or send a key or a prompt to
/// another host, is in the result.
pub(crate) fn load(
    user: Option<&UserPaths>,
    project: Option<&Project>,
    flag: TrustFlag,
) -> LoadedConfig {
    let mut loaded = LoadedConfig::default();
    let settings = merged(user, project, flag, &mut loaded);
    LoadedConfig { config: Config::from_table(&settings), whole: settings, ..loaded }
}

/// Returns both files' settings as one table, and notes in `loaded` what is left out.
fn merged(
    user: Option<&UserPaths>,
    project: Option<&Project>,
    flag: TrustFlag,
    loaded: &mut LoadedConfig,
) -> Table {
    let LoadedConfig { left_out, broken, warnings, .. } = loaded;
    let path = user.map(UserPaths::config);
    let file = path.as_ref().and_then(|path| read(path, broken, warnings));
    let mut settings = file.as_ref().map_or_else(Table::new, |file| layer::clean(file, warnings));
    let guards = path.map_or_else(Vec::new, |path| guards::doubted(&path, file.as_ref(), warnings));
    if let Some(project) = project {
        let file = read(&project.config(), broken, warnings);
        let mut table = Table::new();
        if let Some(file) = &file {
            table = layer::clean(file, warnings);
            layer::take_users_own(&mut table, file, warnings);
        }
        let mut without_trust = table.clone();
        let mut names = layer::take_untrusted(&mut without_trust, &settings);
        if project.has_plugins {
            names.push("plugins/".to_owned());
        }
        let trust = if names.is_empty() || flag == TrustFlag::Trusted {
            Trust::Trusted
        } else {
            let text = file.as_ref().map(TomlFile::text);
            trust::look_up(user, project, text, warnings)
        };
        if trust != Trust::Trusted {
            *left_out = Some(LeftOut { root: project.root.clone(), names, trust });
            table = without_trust;
        }
        merge(&mut settings, table);
    }
    guards::switch_on(&mut settings, guards);
    settings
}

impl Config {
    /// Reads a cleaned table.
    fn from_table(table: &Table) -> Self {
        let flag = |name: &str| table.get(name).and_then(Value::as_bool);
        let text = |name: &str| table.get(name).and_then(keys::text);
        let names = |name: &str| table.get(name).and_then(keys::names);
        Self {
            model: text("model"),
            base_url: text("base_url"),
            frontend: text("frontend"),
            tools: names("tools"),
            no_tools: flag("no_tools"),
            timeout: table.get("timeout").and_then(keys::seconds),
            no_context_files: flag("no_context_files"),
            thinking: table.get("thinking").and_then(keys::level),
            keep_env: names("keep_env").unwrap_or_default(),
            update_url: text("update_url"),
            terminal: TerminalConfig {
                verbose: flag("verbose"),
                footer: flag("footer"),
                vi: flag("vi"),
                keys: table.get("keys").map(keys::bindings).unwrap_or_default(),
            },
        }
    }
}

/// Returns a parsed file; where it is missing or broken, nothing, and a warning if broken.
fn read(path: &Path, broken: &mut Option<String>, warnings: &mut Vec<String>) -> Option<TomlFile> {
    match TomlFile::read(path) {
        Ok(file) => file,
        Err(error) => {
            let warning = match error {
                TomlFileError::Read(_) => format!("config left out: {error}"),
                TomlFileError::Syntax { .. } => format!("config left out, not TOML: {error}"),
            };
            broken.get_or_insert_with(|| warning.clone());
            warnings.push(warning);
            None
        }
    }
}

/// Lays `over` on `under`: tables key by key at every depth, any other value as a whole.
fn merge(under: &mut Table, over: Table) {
    for (name, value) in over {
        match (under.get_mut(&name), value) {
            (Some(Value::Table(under)), Value::Table(over)) => merge(under, over),
            (_, value) => {
                under.insert(name, value);
            }
        }
    }
}
