//! Whether the project of the working directory is trusted, shown and changed while the agent runs.
//!
//! Owns the answer to the command `trust`. Must not make anything effective: a reload does.

use crate::config::{self, TrustFlag};
use crate::environment::Environment;
use crate::files::TomlFile;
use crate::paths::Project;
use crate::settings::Settings;
use crate::trust::{self, Trust, TrustError};
use letscode_wire::TrustResult;

/// Trusts the project, or takes that back, where `trust` says so; returns how things are then.
///
/// # Errors
/// When there is no project to trust, or the record cannot be changed.
pub(crate) fn show_or_change(
    trust: Option<bool>,
    settings: &Settings,
    environment: &Environment,
) -> Result<TrustResult, TrustError> {
    let (user, directory) = (settings.user.as_ref(), environment.working_dir());
    match trust {
        Some(true) => drop(trust::record(user, directory)?),
        Some(false) => drop(trust::forget(user, directory)?),
        None => {}
    }
    let in_force = settings.left_out.as_ref().map_or(&[][..], |left_out| &left_out.names);
    let Some(project) = Project::find(directory, user) else {
        return Ok(TrustResult {
            project: None,
            trusted: false,
            reason: None,
            left_out: Vec::new(),
            effective: in_force.is_empty(),
        });
    };
    let loaded = config::load(user, Some(&project), settings.trust);
    let (left_out, trust) = match loaded.left_out {
        Some(left_out) => (left_out.names, left_out.trust),
        None if settings.trust == TrustFlag::Trusted => (Vec::new(), Trust::Trusted),
        None => {
            let file = TomlFile::read(&project.config()).ok().flatten();
            let text = file.as_ref().map(TomlFile::text);
            // What is wrong with the record was said when the settings were read.
            (Vec::new(), trust::look_up(user, &project, text, &mut Vec::new()))
        }
    };
    Ok(TrustResult {
        project: Some(project.root.display().to_string()),
        trusted: trust == Trust::Trusted,
        reason: trust.reason(),
        effective: left_out == in_force,
        left_out,
    })
}
