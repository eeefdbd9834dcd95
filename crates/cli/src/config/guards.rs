//! What becomes of the guards where the user's own config file cannot tell.
//!
//! Owns the rule: a guard that the user may have switched on is on, and nothing is known of what it
//! would let pass. Must not know what a guard does.

use crate::files::{TomlFile, mentions};
use crate::plugins;
use std::path::Path;
use toml::{Table, Value};

/// Returns the guards that the user's config file may switch on but cannot be asked about, with a
/// warning for each: the file cannot be read, or its `plugins` is no table. A file that does not name
/// a guard switches none on. `file` is the file where it could be read.
pub(super) fn doubted(
    path: &Path,
    file: Option<&TomlFile>,
    warnings: &mut Vec<String>,
) -> Vec<&'static str> {
    let tells = |file: &TomlFile| file.table.get("plugins").is_none_or(Value::is_table);
    if file.is_some_and(tells) {
        return Vec::new();
    }
    let doubted: Vec<_> = plugins::guards().filter(|name| mentions(path, name)).collect();
    warnings.extend(doubted.iter().map(|name| {
        let path = path.display();
        format!("{name} counts as on, without any rules, until {path} can be read")
    }));
    doubted
}

/// Switches guards on, with an empty table: what a project says about them may widen only what the
/// user's own file says.
pub(super) fn switch_on(settings: &mut Table, guards: Vec<&str>) {
    for name in guards {
        settings.remove(name);
        let plugins = settings.entry("plugins").or_insert_with(|| Table::new().into());
        if !plugins.is_table() {
            *plugins = Table::new().into();
        }
        if let Some(plugins) = plugins.as_table_mut() {
            plugins.insert(name.to_owned(), true.into());
        }
    }
}
