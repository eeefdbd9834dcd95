//! The plugins that the program carries: started as `letscode plugin-run NAME`, in processes of
//! their own.
//!
//! Owns the list of them and when one is wanted. Must not hold any plugin's work.

use toml::{Table, Value};

/// A plugin that the program carries.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bundled {
    /// Its name, after which its table of the configuration is named too.
    pub(crate) name: &'static str,
    /// What it is for, in a few words.
    pub(crate) description: &'static str,
    /// Whether tool calls are refused when it is gone.
    pub(crate) fail_closed: bool,
    /// Whether it is wanted where nobody says so: what it works with is in the configuration.
    pub(crate) is_wanted_by: fn(&Table) -> bool,
    /// Runs it on this process's stdin and stdout until it is over.
    pub(crate) serve: fn() -> std::process::ExitCode,
}

/// All that the program carries. Who is registered first is asked last: a guard stands first, so that
/// it sees a call as the others have left it.
pub(crate) const BUNDLED: &[Bundled] = &[
    Bundled {
        name: "permissions",
        description: "asks before tools run",
        fail_closed: true,
        is_wanted_by: nothing,
        serve: letscode_permissions::serve,
    },
    Bundled {
        name: "goal",
        description: "works until a condition is met",
        fail_closed: false,
        is_wanted_by: nothing,
        serve: letscode_goal::serve,
    },
    Bundled {
        name: "mcp",
        description: "servers of the Model Context Protocol; on where one is configured",
        fail_closed: false,
        is_wanted_by: has_mcp_server,
        serve: letscode_mcp::serve,
    },
    Bundled {
        name: "memory",
        description: "notes from one conversation to the next",
        fail_closed: false,
        is_wanted_by: nothing,
        serve: letscode_memory::serve,
    },
];

/// Returns the one of that name.
pub(crate) fn find(name: &str) -> Option<&'static Bundled> {
    BUNDLED.iter().find(|plugin| plugin.name == name)
}

/// Returns the names of the guards, which no project may switch off.
pub(crate) fn guards() -> impl Iterator<Item = &'static str> {
    BUNDLED.iter().filter(|plugin| plugin.fail_closed).map(|plugin| plugin.name)
}

/// Returns whether the program carries one of that name that an installed one takes the place of. A
/// guard stays: what is installed beside it must not get round it.
pub(crate) fn is_replaceable(name: &str) -> bool {
    find(name).is_some_and(|plugin| !plugin.fail_closed)
}

impl Bundled {
    /// Returns whether the configuration asks for it: `[plugins] NAME = true`, or what it works with.
    /// Whoever says of a guard what is neither true nor false does not say that it is off.
    pub(crate) fn is_enabled(&self, config: &Table) -> bool {
        match config.get("plugins").and_then(|plugins| plugins.get(self.name)) {
            Some(Value::Boolean(is_on)) => *is_on,
            Some(_) if self.fail_closed => true,
            Some(_) | None => (self.is_wanted_by)(config),
        }
    }
}

/// Says that a plugin is wanted only where the user says so.
fn nothing(_config: &Table) -> bool {
    false
}

/// Returns whether a server of the Model Context Protocol is configured that is not switched off.
fn has_mcp_server(config: &Table) -> bool {
    let servers = config.get("mcp").and_then(|mcp| mcp.get("servers")).and_then(Value::as_table);
    let is_on = |server: &Value| server.get("disabled").and_then(Value::as_bool) != Some(true);
    servers.is_some_and(|servers| servers.values().any(is_on))
}
