//! Virtual environments as they lie on disk.
//!
//! Owns the reading of their version and of the entry points in them. Must not start Python.
#![expect(clippy::disallowed_methods, reason = "this file looks for plugins in Python")]

use std::fs;
use std::path::{Path, PathBuf};

/// The entry-point group of plugins, and the package that is no plugin.
const GROUP: &str = "letscode";

/// An environment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct VirtualEnvironment {
    pub(super) folder: PathBuf,
    /// Major and minor.
    pub(super) version: (u32, u32),
    /// The interpreter; it may be gone.
    pub(super) python: PathBuf,
    /// The folder of packages; it may be missing.
    pub(super) site: PathBuf,
}

impl VirtualEnvironment {
    /// Reads what a folder says of itself; `None` where it is no environment.
    pub(super) fn read(folder: &Path) -> Option<Self> {
        let described = fs::read_to_string(folder.join("pyvenv.cfg")).ok()?;
        let version = version(&described)?;
        let (python, site) = if cfg!(windows) {
            ("Scripts/python.exe".to_owned(), "Lib/site-packages".to_owned())
        } else {
            ("bin/python".to_owned(), format!("lib/python{}/site-packages", shown(version)))
        };
        Some(Self {
            folder: folder.to_owned(),
            version,
            python: folder.join(python),
            site: folder.join(site),
        })
    }

    /// Returns whether a package in it has an entry point that is a plugin.
    pub(super) fn has_plugins(&self) -> bool {
        let Ok(packages) = fs::read_dir(&self.site) else { return false };
        packages.flatten().map(|package| package.path()).any(|package| {
            package.extension().is_some_and(|kind| kind == "dist-info" || kind == "egg-info")
                && fs::read_to_string(package.join("entry_points.txt"))
                    .is_ok_and(|text| names_a_plugin(&text))
        })
    }

    /// Returns why its interpreter cannot run plugins.
    pub(super) fn fault(&self, oldest: (u32, u32)) -> Option<String> {
        if self.version < oldest {
            let (has, needs) = (shown(self.version), shown(oldest));
            return Some(format!("it has Python {has}, they need {needs} or later"));
        }
        // Where the interpreter that an environment was made from is gone, so is this link.
        let is_there = self.python.is_file();
        (!is_there).then(|| format!("its interpreter {} is gone", self.python.display()))
    }
}

/// Returns a version as people write it.
pub(super) fn shown((major, minor): (u32, u32)) -> String {
    format!("{major}.{minor}")
}

/// Returns whether the text of an `entry_points.txt` names a plugin.
fn names_a_plugin(text: &str) -> bool {
    let mut in_group = false;
    text.lines().map(str::trim).any(|line| {
        if let Some(section) = line.strip_prefix('[') {
            in_group = section.trim_end_matches(']').trim() == GROUP;
            return false;
        }
        let module = line.split_once('=').map(|(_, module)| module.trim());
        let own = |module: &str| module.split(['.', ':']).next() == Some(GROUP);
        in_group && !line.starts_with('#') && module.is_some_and(|module| !own(module))
    })
}

/// Returns the version that a `pyvenv.cfg` names, whichever tool wrote it.
fn version(described: &str) -> Option<(u32, u32)> {
    described.lines().find_map(|line| {
        let (key, value) = line.split_once('=')?;
        if !matches!(key.trim(), "version" | "version_info") {
            return None;
        }
        let mut numbers = value.trim().split('.').map(str::parse);
        Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
    })
}
