//! Plugins in Python: found without starting Python, run together in one host process.
//!
//! Owns where they are looked for and which interpreter runs them. Must not start any.

mod package;
mod virtual_environment;

use letscode_plugin_host::PluginSpec;
use serde_json::Map;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use virtual_environment::VirtualEnvironment;

/// The name of the host among the plugins; `[plugins] python = false` switches it off.
pub(crate) const NAME: &str = "python";

/// The oldest Python that runs the host.
const OLDEST: (u32, u32) = (3, 12);

/// The host of the plugins in Python.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PythonHost {
    /// The environment whose interpreter runs it.
    home: VirtualEnvironment,
    /// Folders of packages of the other environments.
    sites: Vec<PathBuf>,
    /// Where the program's package is unpacked.
    cache: PathBuf,
}

impl PythonHost {
    /// Looks for plugins in virtual environments, those named first before the others. Returns
    /// `None` where there are none, or none that can be run; the latter is a warning.
    pub(crate) fn find(
        environments: &[PathBuf],
        cache: Option<&Path>,
        warnings: &mut Vec<String>,
    ) -> Option<Self> {
        let with_plugins: Vec<VirtualEnvironment> = environments
            .iter()
            .filter_map(|folder| VirtualEnvironment::read(folder))
            .filter(VirtualEnvironment::has_plugins)
            .collect();
        let mut usable = with_plugins.into_iter().filter(|found| {
            let reason = found.fault(OLDEST);
            if let Some(reason) = &reason {
                warnings.push(format!("plugins in {} left out: {reason}", found.folder.display()));
            }
            reason.is_none()
        });
        let home = usable.next()?;
        let others: Vec<VirtualEnvironment> = usable.collect();
        let mut sites = Vec::new();
        for other in others {
            if other.version == home.version {
                sites.push(other.site);
            } else {
                warnings.push(format!(
                    "plugins in {} left out: they are for Python {}, those in {} for Python {}",
                    other.folder.display(),
                    virtual_environment::shown(other.version),
                    home.folder.display(),
                    virtual_environment::shown(home.version),
                ));
            }
        }
        let Some(cache) = cache else {
            warnings.push("plugins in Python left out: there is no home directory".to_owned());
            return None;
        };
        Some(Self { home, sites, cache: cache.to_owned() })
    }

    /// Unpacks the program's package, where it is not yet, and returns how the host is started.
    ///
    /// # Errors
    /// When the package cannot be written.
    pub(crate) fn spec(&self) -> io::Result<PluginSpec> {
        let package = package::unpacked(&self.cache)?;
        let mut command: Vec<OsString> = vec![
            self.home.python.clone().into(),
            // Keeps the working directory, which is the project's, off the path.
            "-P".into(),
            package.join("letscode/host/__main__.py").into(),
        ];
        for site in &self.sites {
            command.extend(["--site".into(), site.clone().into()]);
        }
        Ok(PluginSpec {
            name: NAME.to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            origin: self.home.folder.display().to_string(),
            command,
            variables: Vec::new(),
            fail_closed: false,
            config: Map::new(),
        })
    }
}

#[cfg(test)]
mod tests;
