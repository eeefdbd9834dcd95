//! `letscode plugins enable NAME`, `disable NAME`: one line of the user's config file.
//!
//! Owns the change of that line; the rest of the file stays byte for byte. Must not start a plugin.

use super::{bundled, is_reserved, python};
use crate::files::{Existing, ReadError, read_text, write_private};
use crate::paths::UserPaths;
use crate::python_environment::PythonEnvironment;
use crate::python_environment::distribution::normal;
use letscode_plugin_host::manifests_in;
use std::io;
use std::path::PathBuf;
use toml::{Table, Value};

/// Why a plugin was not switched.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SwitchError {
    /// There is no place for the file.
    #[error("no home directory is known, so there is no config.toml; set HOME")]
    NoHome,
    /// There is no such plugin.
    #[error("no plugin is named {name:?}; there are {known}")]
    Unknown {
        /// The name.
        name: String,
        /// All names, joined by commas.
        known: String,
    },
    /// The file cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The file is no TOML.
    #[error("{}: is no TOML: {fault}; mend it first", path.display())]
    NoToml {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        fault: String,
    },
    /// The file is not as it would have to be.
    #[error("{}: write `{line}` below [plugins] yourself: the file is too unusual to be changed", path.display())]
    Unusual {
        /// The file.
        path: PathBuf,
        /// The line.
        line: String,
    },
    /// The file cannot be written.
    #[error("{}: cannot be written: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
}

/// Notes in the user's config file whether a plugin is to run, and returns the file.
///
/// # Errors
/// When there is no such plugin, or the file cannot be changed.
pub(crate) fn switch(
    user: Option<&UserPaths>,
    name: &str,
    is_on: bool,
) -> Result<PathBuf, SwitchError> {
    let user = user.ok_or(SwitchError::NoHome)?;
    let names = names_meant(user, name)?;
    let path = user.config();
    let mut text = read_text(&path)?.unwrap_or_default();
    if let Err(fault) = text.parse::<Table>() {
        return Err(SwitchError::NoToml { path, fault: fault.message().to_owned() });
    }
    for name in names {
        let Some(changed) = with_line(&text, &name, is_on) else {
            return Err(SwitchError::Unusual { path, line: line_of(&name, is_on) });
        };
        text = changed;
    }
    match write_private(&path, &text, Existing::Replace) {
        Ok(()) => Ok(path),
        Err(source) => Err(SwitchError::Write { path, source }),
    }
}

/// Returns the names under which the configuration knows a plugin: its own, or those that a package in
/// Python has.
fn names_meant(user: &UserPaths, name: &str) -> Result<Vec<String>, SwitchError> {
    let (installed, _) = manifests_in(&user.native_plugins());
    let mut known: Vec<&str> = bundled::BUNDLED.iter().map(|plugin| plugin.name).collect();
    let installed = installed.iter().map(|manifest| manifest.name.as_str());
    known.extend(installed.filter(|name| !is_reserved(name)));
    let in_python = PythonEnvironment::at(&user.plugins());
    let packages = in_python.map(|environment| environment.plugins()).unwrap_or_default();
    known.extend(packages.iter().flat_map(|package| &package.plugins).map(String::as_str));
    if !packages.is_empty() {
        known.push(python::NAME);
    }
    if known.contains(&name) {
        return Ok(vec![name.to_owned()]);
    }
    if let Some(package) = packages.iter().find(|one| normal(&one.name) == normal(name)) {
        return Ok(package.plugins.clone());
    }
    known.sort_unstable();
    known.dedup();
    Err(SwitchError::Unknown { name: name.to_owned(), known: known.join(", ") })
}

/// Returns the file's text with the line; `None` where that would not say so.
fn with_line(text: &str, name: &str, is_on: bool) -> Option<String> {
    let line = line_of(name, is_on);
    let mut lines: Vec<&str> = text.lines().collect();
    match lines.iter().position(|line| line.trim() == "[plugins]") {
        None => {
            if lines.last().is_some_and(|line| !line.trim().is_empty()) {
                lines.push("");
            }
            lines.extend(["[plugins]", &line]);
        }
        Some(header) => {
            let body =
                lines.iter().skip(header + 1).take_while(|line| !line.trim().starts_with('['));
            let says_it = |line: &&str| {
                let key = line.split('=').next().unwrap_or_default().trim();
                key.trim_matches('"') == name
            };
            let place = body.clone().position(says_it);
            match place.and_then(|place| lines.get_mut(header + 1 + place)) {
                Some(known) => *known = &line,
                None => lines.insert(header + 1, &line),
            }
        }
    }
    let mut changed = lines.join("\n");
    changed.push('\n');
    let table: Table = changed.parse().ok()?;
    let said = table.get("plugins")?.get(name)?;
    (*said == Value::Boolean(is_on)).then_some(changed)
}

fn line_of(name: &str, is_on: bool) -> String {
    let is_bare = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    let key = if name.chars().all(is_bare) { name.to_owned() } else { format!("{name:?}") };
    format!("{key} = {is_on}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_line_changes_and_the_rest_stays() {
        for (text, name, is_on, expected) in [
            ("", "goal", true, "[plugins]\ngoal = true\n"),
            (
                "model = 'm' # mine\n",
                "goal",
                true,
                "model = 'm' # mine\n\n[plugins]\ngoal = true\n",
            ),
            (
                "[plugins]\n# all\necho = true\n\n[mcp]\ngoal = 1\n",
                "goal",
                true,
                "[plugins]\ngoal = true\n# all\necho = true\n\n[mcp]\ngoal = 1\n",
            ),
            ("[plugins]\ngoal= true\n[a]\n", "goal", false, "[plugins]\ngoal = false\n[a]\n"),
            ("[plugins]\n\"a.b\" = true\n", "a.b", false, "[plugins]\n\"a.b\" = false\n"),
        ] {
            assert_eq!(with_line(text, name, is_on).as_deref(), Some(expected), "{text}");
        }
        for unusual in
            ["plugins.goal = true", "[plugins.timeouts]\ndefault = 1\n[[plugins]]", "= ="]
        {
            assert_eq!(with_line(unusual, "goal", false), None, "{unusual}");
        }
    }
}
