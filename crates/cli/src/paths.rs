//! Where the user's and the project's own files are.
//!
//! Owns the names of those places and the one walk upwards that finds the project. Must not read
//! what stands in the files.
#![expect(clippy::disallowed_methods, reason = "this file finds the folders that we use")]

use crate::environment::Environment;
use std::path::{Path, PathBuf};

/// The directory, in the home as in a project, that holds our files.
const OWN_DIRECTORY: &str = ".letscode";

/// The user's own files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct UserPaths {
    directory: PathBuf,
}

/// The nearest directory upwards that has settings of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Project {
    /// The directory that holds `.letscode`.
    pub(crate) root: PathBuf,
    /// Whether there is a directory of plugins. Runs nothing unless the project is trusted.
    pub(crate) has_plugins: bool,
}

impl UserPaths {
    /// Returns the places below the user's home, or `None` where there is no home.
    pub(crate) fn of(environment: &Environment) -> Option<Self> {
        environment.home().map(|home| Self { directory: home.join(OWN_DIRECTORY) })
    }

    /// Returns `~/.letscode` itself.
    pub(crate) fn directory(&self) -> &Path {
        &self.directory
    }

    /// Returns the file of settings.
    pub(crate) fn config(&self) -> PathBuf {
        self.directory.join("config.toml")
    }

    /// Returns the file of own models and providers.
    pub(crate) fn catalog(&self) -> PathBuf {
        self.directory.join("catalog.toml")
    }

    /// Returns the directory of what can be fetched again.
    pub(crate) fn cache(&self) -> PathBuf {
        self.directory.join("cache")
    }

    /// Returns the directory of plugins that all projects share: a Python environment, and in
    /// `native` what is not Python.
    pub(crate) fn plugins(&self) -> PathBuf {
        self.directory.join("plugins")
    }

    /// Returns the file of what the user typed.
    pub(crate) fn history(&self) -> PathBuf {
        self.directory.join("history")
    }

    /// Returns the virtual environment of the user's plugins that are Python.
    pub(crate) fn python_plugins(&self) -> PathBuf {
        self.directory.join("plugins")
    }

    /// Returns the directory of the user's plugins that are not Python.
    pub(crate) fn native_plugins(&self) -> PathBuf {
        self.directory.join("plugins").join("native")
    }

    /// Returns the file that lists the trusted projects.
    pub(crate) fn trust(&self) -> PathBuf {
        self.directory.join("trust.toml")
    }
}

/// Returns the directory of all sessions: `LETSCODE_SESSIONS_DIR`, else below the user's own;
/// `None` without either.
pub(crate) fn sessions_directory(
    environment: &Environment,
    user: Option<&UserPaths>,
) -> Option<PathBuf> {
    let chosen = environment.path("LETSCODE_SESSIONS_DIR");
    match chosen {
        Some(path) => Some(environment.working_dir().join(path)),
        None => user.map(|user| user.directory.join("sessions")),
    }
}

impl Project {
    /// Returns the nearest project at or above `start`: the nearest directory with
    /// `.letscode/config.toml`, or, where there is none, with `.letscode/plugins/`. The user's
    /// own `~/.letscode` is no project's.
    pub(crate) fn find(start: &Path, user: Option<&UserPaths>) -> Option<Self> {
        let mut with_plugins_only = None;
        for root in start.ancestors() {
            let directory = root.join(OWN_DIRECTORY);
            // Most directories above have none: one look at each is enough for them.
            if !directory.is_dir() || is_users_own(&directory, user) {
                continue;
            }
            let has_config = directory.join("config.toml").symlink_metadata().is_ok();
            let has_plugins = directory.join("plugins").is_dir();
            if !(has_config || has_plugins) {
                continue;
            }
            let project = Self { root: root.to_owned(), has_plugins };
            if has_config {
                return Some(project);
            }
            with_plugins_only.get_or_insert(project);
        }
        with_plugins_only
    }

    /// Returns the file of settings.
    pub(crate) fn config(&self) -> PathBuf {
        self.root.join(OWN_DIRECTORY).join("config.toml")
    }

    /// Returns the directory of plugins.
    pub(crate) fn plugins(&self) -> PathBuf {
        self.root.join(OWN_DIRECTORY).join("plugins")
    }

    /// Returns the directory of the project's plugins that are not Python.
    pub(crate) fn native_plugins(&self) -> PathBuf {
        self.plugins().join("native")
    }
}

/// Returns whether a directory is the user's `~/.letscode`, by whatever path.
fn is_users_own(directory: &Path, user: Option<&UserPaths>) -> bool {
    user.is_some_and(|user| {
        let real = |path: &Path| path.canonicalize().ok();
        directory == user.directory
            || real(directory).is_some_and(|path| Some(path) == real(&user.directory))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Tree {
        directory: tempfile::TempDir,
        user: UserPaths,
    }

    /// Makes `home/` with files below it.
    fn tree(files: &[&str]) -> Tree {
        let directory = tempfile::tempdir().unwrap();
        for file in files {
            let path = directory.path().join("home").join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        }
        let user = UserPaths { directory: directory.path().join("home/.letscode") };
        Tree { directory, user }
    }

    #[test]
    fn the_nearest_config_makes_the_project_and_the_home_does_not() {
        for (files, start, expected) in [
            (&["a/b/x"][..], "a/b", None),
            (&["a/.letscode/config.toml", "a/b/x"], "a/b", Some(("a", false))),
            (&["a/.letscode/config.toml"], "a", Some(("a", false))),
            (
                &["a/.letscode/config.toml", "a/b/.letscode/config.toml"],
                "a/b",
                Some(("a/b", false)),
            ),
            (&[".letscode/config.toml", "a/x"], "a", None),
            (&[".letscode/config.toml", ".letscode/plugins/x"], "", None),
            (&["a/.letscode/plugins/x"], "a", Some(("a", true))),
            (&["a/.letscode/skills/x"], "a", None),
            (&["a/.letscode/config.toml", "a/b/.letscode/plugins/x"], "a/b", Some(("a", false))),
        ] {
            let tree = tree(files);
            let home = tree.directory.path().join("home");
            // A developer's own settings may lie above the directory of temporary files.
            let found = Project::find(&home.join(start), Some(&tree.user))
                .filter(|project| project.root.starts_with(&home));
            let expected =
                expected.map(|(root, has_plugins)| Project { root: home.join(root), has_plugins });
            assert_eq!(found, expected, "{files:?} from {start:?}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_home_reached_through_a_link_is_still_the_home() {
        let tree = tree(&[".letscode/config.toml"]);
        let link = tree.directory.path().join("link");
        std::os::unix::fs::symlink("home", &link).unwrap();
        let user = UserPaths { directory: link.join(".letscode") };
        let home = tree.directory.path().join("home");
        let found = Project::find(&home, Some(&user)).map(|project| project.root);
        assert_ne!(found, Some(home));
    }

    #[test]
    fn the_variable_moves_the_sessions() {
        let home = Path::new("/home/someone");
        let work = Path::new("/here/project");
        for (variables, expected) in [
            (&[][..], "/home/someone/.letscode/sessions"),
            (&[("LETSCODE_SESSIONS_DIR", "")], "/home/someone/.letscode/sessions"),
            (&[("LETSCODE_SESSIONS_DIR", "/elsewhere")], "/elsewhere"),
            (&[("LETSCODE_SESSIONS_DIR", "below")], "/here/project/below"),
        ] {
            let environment = Environment::of(variables, home, work);
            let user = UserPaths::of(&environment);
            let found = sessions_directory(&environment, user.as_ref());
            assert_eq!(found, Some(expected.into()), "{variables:?}");
        }
        let homeless = Environment::new([], None, work.to_owned());
        assert_eq!(sessions_directory(&homeless, None), None);
    }
}
