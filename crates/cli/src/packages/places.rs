//! Where plugins are installed.
//!
//! Owns the folders of the user and of the project. Must not look into them.

use super::PackageError;
use crate::args::Place;
use crate::config::{self, LoadedConfig, TrustFlag};
use crate::environment::Environment;
use crate::files;
use crate::paths::{Project, UserPaths};
use crate::trust::{self, Trust};
use std::path::{Path, PathBuf};

/// The folder, beside the Python environment, of what is not Python.
pub(crate) const NATIVE: &str = "native";

/// The places that count where the program was started.
#[derive(Debug, Clone)]
pub(crate) struct Places {
    user: Option<UserPaths>,
    active: Option<PathBuf>,
    project: Option<Project>,
    working_dir: PathBuf,
    /// Whether the user trusts any project for this run.
    trusts_all: bool,
}

impl Places {
    /// Returns the places.
    pub(crate) fn of(environment: &Environment) -> Self {
        let user = UserPaths::of(environment);
        let working_dir = environment.working_dir().to_owned();
        let active = environment.path("VIRTUAL_ENV").map(|path| working_dir.join(path));
        let project = Project::find(&working_dir, user.as_ref());
        let trusts_all = environment.is_on("LETSCODE_TRUST");
        Self { user, active, project, working_dir, trusts_all }
    }

    /// Returns the user's own files.
    pub(crate) fn user(&self) -> Option<&UserPaths> {
        self.user.as_ref()
    }

    /// Returns the folder of the project: the working directory where there is none yet.
    pub(crate) fn project_root(&self) -> &Path {
        self.project.as_ref().map_or(&self.working_dir, |project| &project.root)
    }

    /// Returns whether the user trusts the project as it is now.
    pub(crate) fn is_project_trusted(&self) -> bool {
        let Some(project) = &self.project else { return false };
        let config = files::read_text(&project.config()).ok().flatten();
        let trust =
            || trust::look_up(self.user.as_ref(), project, config.as_deref(), &mut Vec::new());
        self.trusts_all || trust() == Trust::Trusted
    }

    /// Returns what the config files say, as far as it counts.
    pub(crate) fn config(&self) -> LoadedConfig {
        let flag = if self.trusts_all { TrustFlag::Trusted } else { TrustFlag::AsRecorded };
        config::load(self.user.as_ref(), self.project.as_ref(), flag)
    }

    /// Returns the folder of the Python environment.
    ///
    /// # Errors
    /// When there is no such place.
    pub(crate) fn python(&self, place: Place) -> Result<PathBuf, PackageError> {
        match place {
            Place::User => Ok(self.user.as_ref().ok_or(PackageError::NoHome)?.plugins()),
            Place::Project => self.active.clone().ok_or(PackageError::NoActiveEnvironment),
        }
    }

    /// Returns the folder of what is not Python.
    ///
    /// # Errors
    /// When there is no such place.
    pub(crate) fn native(&self, place: Place) -> Result<PathBuf, PackageError> {
        match place {
            Place::User => Ok(self.python(place)?.join(NATIVE)),
            Place::Project => {
                let folder = self.project_root().join(".letscode").join("plugins");
                if self.user.as_ref().is_some_and(|user| user.plugins() == folder) {
                    return Err(PackageError::NoProject);
                }
                Ok(folder.join(NATIVE))
            }
        }
    }

    /// Returns a path as a person writes it: with `~` for the home.
    pub(crate) fn shown(&self, path: &Path) -> String {
        let home = self.user.as_ref().and_then(|user| user.directory().parent());
        match home.and_then(|home| path.strip_prefix(home).ok()) {
            Some(rest) => Path::new("~").join(rest).display().to_string(),
            None => path.display().to_string(),
        }
    }
}
