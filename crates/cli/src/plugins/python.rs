//! Plugins in Python: found without starting Python, run together in one host process.
//!
//! Owns where they are looked for and which interpreter runs them. Must not start any.

mod package;

use crate::python_environment::{PythonEnvironment, Version};
use letscode_plugin_host::PluginSpec;
use serde_json::Map;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

/// The name of the host among the plugins; `[plugins] python = false` switches it off.
pub(crate) const NAME: &str = "python";

/// The host of the plugins in Python.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PythonHost {
    /// The environment whose interpreter runs it.
    home: PythonEnvironment,
    /// Folders of packages of the other environments.
    sites: Vec<PathBuf>,
    /// The names of the plugins that it runs.
    names: Vec<String>,
    /// The names of those that are left out.
    switched_off: Vec<String>,
    /// Where the program's package is unpacked.
    cache: PathBuf,
}

impl PythonHost {
    /// Looks for plugins in virtual environments, those named first before the others. Returns
    /// `None` where there are none that are switched on, or none that can be run; the latter is a
    /// warning.
    pub(crate) fn find(
        environments: &[PathBuf],
        cache: Option<&Path>,
        is_switched_off: impl Fn(&str) -> bool,
        warnings: &mut Vec<String>,
    ) -> Option<Self> {
        let mut switched_off = Vec::new();
        let mut usable = environments.iter().filter_map(|folder| {
            let environment = PythonEnvironment::at(folder)?;
            let (off, on): (Vec<_>, Vec<_>) =
                environment.plugin_names().into_iter().partition(|name| is_switched_off(name));
            switched_off.extend(off);
            if on.is_empty() {
                return None;
            }
            if let Err(fault) = environment.check() {
                warnings.push(format!("plugins in {} left out: {fault}", folder.display()));
                return None;
            }
            Some((environment, on))
        });
        let (home, mut names) = usable.next()?;
        let others: Vec<_> = usable.collect();
        let mut sites = Vec::new();
        for (other, on) in others {
            if other.version() == home.version() {
                sites.extend(other.sites());
                names.extend(on);
            } else {
                warnings.push(format!(
                    "plugins in {} left out: they are for {}, those in {} for {}",
                    other.root().display(),
                    shown(other.version()),
                    home.root().display(),
                    shown(home.version()),
                ));
            }
        }
        let Some(cache) = cache else {
            warnings.push("plugins in Python left out: there is no home directory".to_owned());
            return None;
        };
        Some(Self { home, sites, names, switched_off, cache: cache.to_owned() })
    }

    /// Returns the names of the plugins that it runs.
    pub(crate) fn names(&self) -> &[String] {
        &self.names
    }

    /// Unpacks the program's package, where it is not yet, and returns how the host is started.
    ///
    /// # Errors
    /// When the package cannot be written.
    pub(crate) fn spec(&self) -> io::Result<PluginSpec> {
        let package = package::unpacked(&self.cache)?;
        let mut command: Vec<OsString> = vec![
            self.home.interpreter().into(),
            // Keeps the working directory, which is the project's, off the path.
            "-P".into(),
            package.join("letscode/host/__main__.py").into(),
        ];
        for site in &self.sites {
            command.extend(["--site".into(), site.clone().into()]);
        }
        for name in &self.switched_off {
            command.extend(["--without".into(), name.into()]);
        }
        Ok(PluginSpec {
            name: NAME.to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            origin: self.home.root().display().to_string(),
            command,
            variables: Vec::new(),
            fail_closed: false,
            config: Map::new(),
        })
    }
}

fn shown(version: Option<Version>) -> String {
    version.map_or_else(|| "an unknown Python".to_owned(), |version| format!("Python {version}"))
}

#[cfg(test)]
mod tests;
