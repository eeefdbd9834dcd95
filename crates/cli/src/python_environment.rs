//! A Python environment on disk: its interpreter, its folders of packages, its plugins.
//!
//! Owns what can be seen of it without starting Python, and whether it can be used. Must not
//! change it.
#![expect(clippy::disallowed_methods, reason = "this file looks at environments")]

pub(crate) mod distribution;

use crate::files;
use distribution::Distribution;
use std::fmt;
use std::path::{Path, PathBuf};

/// The oldest Python that plugins run in.
pub(crate) const OLDEST_PYTHON: Version = Version { major: 3, minor: 12 };

/// A version of Python, without its last part: packages are kept by these two.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Version {
    /// 3.
    pub(crate) major: u32,
    /// The part that counts.
    pub(crate) minor: u32,
}

impl Version {
    /// Reads the beginning of a version: `3.12`, `3.12.1`.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let mut parts = text.trim().split('.');
        Some(Self { major: parts.next()?.parse().ok()?, minor: parts.next()?.parse().ok()? })
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

/// An environment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PythonEnvironment {
    root: PathBuf,
    version: Option<Version>,
}

/// Why an environment is of no use.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum EnvironmentFault {
    /// Its interpreter is gone, for example after an update of the system.
    #[error("its Python is gone ({})", .0.display())]
    NoInterpreter(PathBuf),
    /// It is made for a Python that plugins do not run in.
    #[error("it has Python {0}, and plugins need {OLDEST_PYTHON} or newer")]
    TooOld(Version),
}

impl PythonEnvironment {
    /// Looks at the environment in a folder; `None` where there is none.
    pub(crate) fn at(root: &Path) -> Option<Self> {
        let settings = files::read_text(&root.join("pyvenv.cfg")).ok()??;
        // `python -m venv` writes the first, uv and virtualenv the second.
        let entries = settings.lines().filter_map(|line| line.split_once('='));
        let mut versions = entries
            .filter(|(key, _)| ["version", "version_info"].contains(&key.trim()))
            .filter_map(|(_, value)| Version::read(value));
        Some(Self { root: root.to_owned(), version: versions.next() })
    }

    /// Returns its folder.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the version of its Python, where that is known.
    pub(crate) fn version(&self) -> Option<Version> {
        self.version
    }

    /// Returns its interpreter.
    pub(crate) fn interpreter(&self) -> PathBuf {
        self.tool("python")
    }

    /// Returns where a tool of that name is, if there is one.
    pub(crate) fn tool(&self, name: &str) -> PathBuf {
        let folder = if cfg!(windows) { "Scripts" } else { "bin" };
        self.root.join(folder).join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
    }

    /// Returns whether plugins can run in it.
    ///
    /// # Errors
    /// When they cannot.
    pub(crate) fn check(&self) -> Result<(), EnvironmentFault> {
        if !self.interpreter().is_file() {
            return Err(EnvironmentFault::NoInterpreter(self.interpreter()));
        }
        match self.version {
            Some(version) if version < OLDEST_PYTHON => Err(EnvironmentFault::TooOld(version)),
            _ => Ok(()),
        }
    }

    /// Returns the folders of packages that its Python sees. They may be missing.
    pub(crate) fn sites(&self) -> Vec<PathBuf> {
        if let Some(version) = self.version.filter(|_| !cfg!(windows)) {
            return vec![self.root.join(format!("lib/python{version}/site-packages"))];
        }
        self.packages().into_iter().map(|(_, folder)| folder).collect()
    }

    /// Returns the names of the plugins that its Python sees, sorted: those of their entry points.
    pub(crate) fn plugin_names(&self) -> Vec<String> {
        let sites = self.sites();
        let mut names: Vec<_> =
            sites.iter().flat_map(|site| distribution::plugin_names_in(site)).collect();
        names.sort();
        names.dedup();
        names
    }

    /// Returns the plugins that its Python sees.
    pub(crate) fn plugins(&self) -> Vec<Distribution> {
        self.sites().iter().flat_map(|site| distribution::plugins_in(site)).collect()
    }

    /// Returns the plugins that its Python does not see, and the Python that they are for.
    pub(crate) fn invisible_plugins(&self) -> Vec<(Version, Distribution)> {
        let hidden = self.packages().into_iter().filter(|(version, _)| !self.sees(*version));
        hidden
            .filter_map(|(version, folder)| Some((version?, folder)))
            .flat_map(|(version, folder)| {
                distribution::plugins_in(&folder).into_iter().map(move |plugin| (version, plugin))
            })
            .collect()
    }

    /// Returns whether it has a package of that name, plugin or not.
    pub(crate) fn has_package(&self, name: &str) -> bool {
        self.sites().iter().any(|site| distribution::has_package(site, name))
    }

    fn sees(&self, version: Option<Version>) -> bool {
        version.is_none() || self.version.is_none() || version == self.version
    }

    /// Returns the folders of packages and the version that each is for.
    fn packages(&self) -> Vec<(Option<Version>, PathBuf)> {
        if cfg!(windows) {
            return vec![(None, self.root.join("Lib").join("site-packages"))];
        }
        let Ok(entries) = self.root.join("lib").read_dir() else { return Vec::new() };
        let mut folders: Vec<_> = entries
            .flatten()
            .filter_map(|entry| {
                let name = entry.file_name();
                let version = Version::read(name.to_str()?.strip_prefix("python")?)?;
                Some((Some(version), entry.path().join("site-packages")))
            })
            .collect();
        folders.sort();
        folders
    }
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn plugin(root: &Path, python: &str, name: &str) {
        let record = root.join(format!("lib/{python}/site-packages/{name}-1.dist-info"));
        fs::create_dir_all(&record).unwrap();
        fs::write(record.join("entry_points.txt"), "[letscode]\nx = y").unwrap();
    }

    fn names(plugins: &[Distribution]) -> Vec<&str> {
        plugins.iter().map(|plugin| plugin.name.as_str()).collect()
    }

    #[test]
    fn what_the_interpreter_does_not_see_is_told_apart() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        assert_eq!(PythonEnvironment::at(root), None);
        fs::write(root.join("pyvenv.cfg"), "home = /x\nversion = 3.12.1\n").unwrap();
        plugin(root, "python3.11", "old");
        plugin(root, "python3.12", "new");
        let environment = PythonEnvironment::at(root).unwrap();
        assert_eq!(names(&environment.plugins()), ["new"]);
        assert_eq!(environment.plugin_names(), ["x"]);
        let invisible = environment.invisible_plugins();
        assert_eq!(invisible.len(), 1);
        assert_eq!((invisible[0].0.minor, invisible[0].1.name.as_str()), (11, "old"));
        assert!(environment.has_package("new") && !environment.has_package("old"));
    }

    #[test]
    fn an_environment_without_a_python_that_fits_is_of_no_use() {
        for (settings, has_python, expected) in [
            ("version_info = 3.13.0.final.0", true, None),
            ("uv = 0.9", true, None),
            ("version = 3.12.1", false, Some("its Python is gone")),
            ("version = 3.11.7", true, Some("it has Python 3.11, and plugins need 3.12 or newer")),
        ] {
            let folder = tempfile::tempdir().unwrap();
            let root = folder.path();
            fs::write(root.join("pyvenv.cfg"), settings).unwrap();
            fs::create_dir(root.join("bin")).unwrap();
            if has_python {
                fs::write(root.join("bin/python"), "").unwrap();
            } else {
                std::os::unix::fs::symlink("/nowhere/python", root.join("bin/python")).unwrap();
            }
            let fault = PythonEnvironment::at(root).unwrap().check().err();
            let fault = fault.map(|fault| fault.to_string());
            match expected {
                None => assert_eq!(fault, None),
                Some(part) => assert!(fault.clone().unwrap().contains(part), "{fault:?}"),
            }
        }
    }
}
