//! `letscode mcp`: servers of the Model Context Protocol in the configuration.
//!
//! Owns which files are read and written for it. What the words mean and how the text changes is the
//! plugin's. Must not start a server by itself.

use crate::config::{self, TrustFlag};
use crate::environment::Environment;
use crate::files::{self, Existing, ReadError};
use crate::messages;
use crate::paths::{Project, UserPaths};
use letscode_core::secrets::Secrets;
use letscode_mcp::cli::{self, EditError, Outcome, Request};
use serde_json::{Map, Value};
use std::io;
use std::path::PathBuf;

/// Why nothing was done.
#[derive(Debug, thiserror::Error)]
pub(crate) enum McpError {
    /// There is no place for the file.
    #[error("no home directory is known (HOME), so there is no config file to change")]
    NoHome,
    /// The file is there and cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The file cannot be changed as asked.
    #[error(transparent)]
    Edit(#[from] EditError),
    /// The file cannot be written.
    #[error("{}: cannot be written: {source}", path.display())]
    Write { path: PathBuf, source: io::Error },
}

/// Does what was asked.
///
/// # Errors
/// When the user's config file cannot be changed as asked; it is as it was then.
pub(crate) fn carry_out(
    request: Request,
    user: Option<&UserPaths>,
    environment: &Environment,
) -> Result<Outcome, McpError> {
    let done = |text: String| Ok(Outcome { text, success: true });
    match request {
        Request::Help => done(cli::HELP.trim_end().to_owned()),
        Request::List => Ok(cli::list(&servers(user, environment), environment.working_dir())),
        Request::Test(names) => {
            Ok(cli::test(&servers(user, environment), environment.working_dir(), &names))
        }
        Request::Add(server) => {
            let path = change(user, |text| cli::add(text, &server))?;
            done(format!(
                "added {} to {}; letscode mcp test {} tries it",
                server.name,
                path.display(),
                server.name
            ))
        }
        Request::Remove(name) => {
            let path = change(user, |text| cli::remove(text, &name))?;
            done(format!("took {name} out of {}", path.display()))
        }
    }
}

/// Returns the `[mcp]` table that is in effect here.
fn servers(user: Option<&UserPaths>, environment: &Environment) -> Map<String, Value> {
    let project = Project::find(environment.working_dir(), user);
    let flag = if environment.is_on("LETSCODE_TRUST") {
        TrustFlag::Trusted
    } else {
        TrustFlag::AsRecorded
    };
    let loaded = config::load(user, project.as_ref(), flag);
    for warning in &loaded.warnings {
        messages::warning(warning, &Secrets::default());
    }
    if let Some(left_out) = &loaded.left_out {
        messages::warning(left_out, &Secrets::default());
    }
    let table = loaded.whole.get("mcp").and_then(|table| serde_json::to_value(table).ok());
    table.and_then(|table| table.as_object().cloned()).unwrap_or_default()
}

/// Changes the text of the user's config file, and returns where it is.
fn change(
    user: Option<&UserPaths>,
    edit: impl FnOnce(&str) -> Result<String, EditError>,
) -> Result<PathBuf, McpError> {
    let path = user.ok_or(McpError::NoHome)?.config();
    let text = files::read_text(&path)?.unwrap_or_default();
    let changed = edit(&text)?;
    files::write_private(&path, &changed, Existing::Replace)
        .map_err(|source| McpError::Write { path: path.clone(), source })?;
    Ok(path)
}
