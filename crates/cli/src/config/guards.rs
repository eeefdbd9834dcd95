//! What becomes of the guards where the user's own config file cannot tell.
//!
//! Owns the rule: a guard that the user may have switched on is on, and nothing is known of what it
//! would let pass. Must not know what a guard does.

use crate::files::{TomlFile, mentions};
use crate::plugins;
use std::path::Path;
use toml::{Table, Value};

/// Returns the guards that the user's config file may switch on but cannot be asked about, with a
/// warning for each: the file cannot be read, or its `plugins`, or the guard's own table, is none. A
/// file that does not name a guard switches none on. `file` is the file where it could be read.
pub(super) fn doubted(
    path: &Path,
    file: Option<&TomlFile>,
    warnings: &mut Vec<String>,
) -> Vec<&'static str> {
    let is_clear = |name: &str| {
        let Some(TomlFile { table, .. }) = file else { return false };
        let is_said = |plugins: &Value| plugins.get(name).is_some_and(Value::is_bool);
        let is_table = |key: &str| table.get(key).is_none_or(Value::is_table);
        table.get("plugins").is_some_and(is_said) || is_table("plugins") && is_table(name)
    };
    let doubted: Vec<_> =
        plugins::guards().filter(|name| !is_clear(name) && mentions(path, name)).collect();
    let path = path.display();
    warnings.extend(doubted.iter().map(|name| {
        format!("{name} counts as on: {path} names it, but what it says of it cannot be used")
    }));
    doubted
}

/// Switches guards on. Their tables are the user's own file's alone: none where that cannot be read.
pub(super) fn switch_on(settings: &mut Table, guards: Vec<&str>) {
    for name in guards {
        let plugins = settings.entry("plugins").or_insert_with(|| Table::new().into());
        if !plugins.is_table() {
            *plugins = Table::new().into();
        }
        if let Some(plugins) = plugins.as_table_mut() {
            plugins.insert(name.to_owned(), true.into());
        }
    }
}
