//! One config file, cleaned: only known keys with values of the right kind, and plugins' tables.
//!
//! Owns the warnings about a single file, and what an untrusted project may not set. Must not
//! know of other files.

use super::keys::{self, KEYS, Kind, Reach, key};
use crate::files::TomlFile;
use crate::plugins;
use toml::{Table, Value};

/// Returns a file's settings, with one warning for each that cannot be used. A warning never
/// shows a value.
pub(super) fn clean(file: &TomlFile, warnings: &mut Vec<String>) -> Table {
    let mut table = file.table.clone();
    table.retain(|name, value| match complaint(name, value) {
        None => !is_unset(name, value),
        Some(complaint) => {
            let (path, line) = (file.path.display(), file.line_of(name));
            warnings.push(format!("{path}:{line}: {complaint}"));
            false
        }
    });
    table
}

/// Takes what only the user's own file may set out of a project's settings, with one warning for
/// each.
pub(super) fn take_users_own(table: &mut Table, file: &TomlFile, warnings: &mut Vec<String>) {
    for key in KEYS.iter().filter(|key| key.reach == Reach::User) {
        if table.remove(key.name).is_some() {
            let (path, line, name) = (file.path.display(), file.line_of(key.name), key.name);
            let only = "only ~/.letscode/config.toml can set it";
            warnings.push(format!("{path}:{line}: {name} is left out: {only}"));
        }
    }
    take_guards_out(table, file, warnings);
}

/// Takes the word against a guard out of a project's `[plugins]`, with a warning. One for it may
/// stay.
fn take_guards_out(table: &mut Table, file: &TomlFile, warnings: &mut Vec<String>) {
    let Some(plugins) = table.get_mut("plugins").and_then(Value::as_table_mut) else { return };
    for name in plugins::guards() {
        if plugins.get(name).is_some_and(|said| *said != Value::Boolean(true)) {
            plugins.remove(name);
            let (path, line) = (file.path.display(), file.line_of("plugins"));
            let only = "only ~/.letscode/config.toml can switch it off";
            warnings.push(format!("{path}:{line}: plugins.{name} is left out: {only}"));
        }
    }
}

/// Takes what an untrusted project may not set out of its settings and returns the names of it.
/// `user` holds the user's own settings, which `tools` and `no_tools` may narrow.
pub(super) fn take_untrusted(table: &mut Table, user: &Table) -> Vec<String> {
    let mut left_out = Vec::new();
    table.retain(|name, value| {
        let kept = match key(name).map_or(Reach::Trusted, |key| key.reach) {
            Reach::Everyone => true,
            Reach::Trusted | Reach::User => false,
            Reach::Narrows => return narrow(name, value, user, &mut left_out),
        };
        if !kept {
            let is_table = value.is_table() || value.is_array() && key(name).is_none();
            left_out.push(if is_table { format!("[{name}]") } else { name.to_owned() });
        }
        kept
    });
    left_out
}

/// Returns what is wrong with a key or its value.
fn complaint(name: &str, value: &Value) -> Option<String> {
    if name == "api_key" {
        return Some(
            "api_key is not read from a config file: put the key into the provider's environment \
             variable and delete this line"
                .to_owned(),
        );
    }
    match key(name) {
        Some(key) if key.kind.admits(value) => None,
        Some(key) => Some(format!("{name} is left out: it must be {}", key.kind.description())),
        None if is_plugins_table(value) => None,
        None => Some(match nearest(name) {
            Some(near) => format!("unknown key {name:?}; did you mean {near}?"),
            None => format!("unknown key {name:?}"),
        }),
    }
}

/// Returns whether a known key has an empty text for a value, which is as good as no value.
fn is_unset(name: &str, value: &Value) -> bool {
    key(name).is_some() && value.as_str().is_some_and(|text| text.trim().is_empty())
}

/// Returns whether an unknown key may be a plugin's: a table, or a list of tables.
fn is_plugins_table(value: &Value) -> bool {
    let is_list_of_tables =
        |items: &Vec<Value>| !items.is_empty() && items.iter().all(Value::is_table);
    value.is_table() || value.as_array().is_some_and(is_list_of_tables)
}

/// Returns the known key that differs from `name` only in case, dashes or a final `s`.
fn nearest(name: &str) -> Option<&'static str> {
    let plain = |name: &str| {
        name.to_ascii_lowercase().replace(['-', '_'], "").trim_end_matches('s').to_owned()
    };
    KEYS.iter().map(|key| key.name).find(|known| plain(known) == plain(name))
}

/// Cuts an untrusted project's `tools` or `no_tools` down to what the user allows. Returns
/// whether anything of it is left.
fn narrow(name: &str, value: &mut Value, user: &Table, left_out: &mut Vec<String>) -> bool {
    let allowed = user.get(name);
    match key(name).map(|key| key.kind) {
        Some(Kind::Names) => {
            let Some(allowed) = allowed.and_then(keys::names) else { return true };
            let wanted = keys::names(value).unwrap_or_default();
            let (kept, cut): (Vec<_>, Vec<_>) =
                wanted.into_iter().partition(|tool| allowed.contains(tool));
            left_out.extend(cut.into_iter().map(|tool| format!("{name} = {tool}")));
            *value = Value::from(kept);
            true
        }
        _ => {
            let widens =
                value.as_bool() == Some(false) && allowed.and_then(Value::as_bool) == Some(true);
            if widens {
                left_out.push(format!("{name} = false"));
            }
            !widens
        }
    }
}
