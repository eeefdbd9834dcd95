//! Where plugins are installed.
//!
//! Owns the folders of the user and of the project. Must not look into them.

use super::PackageError;
use crate::args::Place;
use crate::environment::Environment;
use crate::paths::{Project, UserPaths};
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
}

impl Places {
    /// Returns the places.
    pub(crate) fn of(environment: &Environment) -> Self {
        let user = UserPaths::of(environment);
        let working_dir = environment.working_dir().to_owned();
        let active = environment.path("VIRTUAL_ENV").map(|path| working_dir.join(path));
        Self { project: Project::find(&working_dir, user.as_ref()), user, active, working_dir }
    }

    /// Returns the user's own files.
    pub(crate) fn user(&self) -> Option<&UserPaths> {
        self.user.as_ref()
    }

    /// Returns the project around the working directory.
    pub(crate) fn project(&self) -> Option<&Project> {
        self.project.as_ref()
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
                let root = match &self.project {
                    Some(project) => project.root.clone(),
                    None => self.working_dir.clone(),
                };
                let folder = root.join(".letscode").join("plugins");
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
