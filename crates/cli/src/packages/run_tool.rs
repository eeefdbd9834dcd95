//! Tools that plugins ship, run by name.
//!
//! Owns finding them and giving way to them: input, output, arguments and end are theirs. Must not
//! run a tool of a project that is not trusted.
#![expect(clippy::disallowed_methods, reason = "it is an owner of such programs")]

use super::PackageError;
use super::native;
use super::places::Places;
use crate::args::Place;
use crate::programs::is_program;
use crate::python_environment::PythonEnvironment;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::process::{Command, ExitCode};

/// A tool and whose it is.
struct Tool {
    name: String,
    plugin: String,
    path: PathBuf,
    /// Whether it comes with a project.
    is_projects: bool,
}

/// Returns the list of tools, as it is printed.
///
/// # Errors
/// When there is no such place.
pub(super) fn list(places: &Places, place: Place) -> Result<String, PackageError> {
    let tools = tools(places, place)?;
    if tools.is_empty() {
        return Ok("no plugin that is installed there ships a tool".to_owned());
    }
    let width = tools.iter().map(|tool| tool.name.chars().count()).max().unwrap_or_default();
    let lines = tools.iter().map(|tool| format!("{:width$}  of {}", tool.name, tool.plugin));
    Ok(lines.collect::<Vec<_>>().join("\n"))
}

/// Runs a tool in place of this process, where the system can; else returns how it ended.
///
/// # Errors
/// When there is no such tool, or it cannot be run.
pub(super) fn run(
    places: &Places,
    place: Place,
    name: &OsStr,
    arguments: &[OsString],
) -> Result<ExitCode, PackageError> {
    let tools = tools(places, place)?;
    let Some(tool) = tools.iter().find(|tool| OsStr::new(&tool.name) == name) else {
        let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
        let there = if names.is_empty() {
            "there is none at all".to_owned()
        } else {
            format!("there are: {}", names.join(", "))
        };
        return Err(PackageError::NoTool { name: name.to_string_lossy().into_owned(), there });
    };
    if tool.is_projects && !places.is_project_trusted() {
        return Err(PackageError::Untrusted(places.project_root().to_owned()));
    }
    let mut command = Command::new(&tool.path);
    command.args(arguments);
    give_way(command).map_err(|source| PackageError::io(&tool.path, source))
}

/// Returns the tools of the plugins in a place, by name.
fn tools(places: &Places, place: Place) -> Result<Vec<Tool>, PackageError> {
    let (python, native) = (places.python(place), places.native(place));
    let mut tools = Vec::new();
    if let Ok(root) = &python
        && let Some(environment) = PythonEnvironment::at(root)
    {
        for plugin in environment.plugins() {
            let there = plugin.tools.into_iter().map(|name| {
                let path = environment.tool(&name);
                Tool { name, plugin: plugin.name.clone(), path, is_projects: false }
            });
            tools.extend(there.filter(|tool| is_program(&tool.path)));
        }
    }
    if let Ok(root) = &native {
        for plugin in native::plugins_in(root) {
            tools.extend(native::tools(&plugin).into_iter().map(|name| Tool {
                path: native::tool(&plugin, &name),
                name,
                plugin: plugin.name.clone(),
                is_projects: place == Place::Project,
            }));
        }
    }
    match (python, native) {
        (Err(error), Err(_)) => Err(error),
        _ => {
            tools.sort_by(|a, b| a.name.cmp(&b.name));
            Ok(tools)
        }
    }
}

/// Becomes the tool: signals, terminal and exit code are then its own.
#[cfg(unix)]
fn give_way(mut command: Command) -> std::io::Result<ExitCode> {
    use std::os::unix::process::CommandExt as _;
    Err(command.exec())
}

#[cfg(not(unix))]
fn give_way(mut command: Command) -> std::io::Result<ExitCode> {
    let status = command.status()?;
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    Ok(ExitCode::from(code.unwrap_or(1)))
}
