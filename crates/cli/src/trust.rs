//! Which projects the user trusts to run code and to redirect requests.
//!
//! Owns the record in `~/.letscode/trust.toml`, kept outside every project: the real path and a
//! fingerprint of the files that matter, so that a change asks again. Must not decide what needs
//! trust: `config` does.
#![expect(clippy::disallowed_methods, reason = "this file looks at what a project brings")]

mod fingerprint;
#[cfg(test)]
mod tests;

pub(crate) use fingerprint::FingerprintError;

use crate::files::{Existing, TomlFile, TomlFileError, write_private};
use crate::paths::{Project, UserPaths};
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use toml::{Table, Value};

/// The table of `trust.toml` that maps a real path to a fingerprint.
const PROJECTS: &str = "projects";

/// Names beyond this many are only counted in a warning.
const NAMES_SHOWN: usize = 8;

/// What is recorded about a project.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Trust {
    /// The user trusts it as it is now.
    Trusted,
    /// The user was never asked, or took the trust back.
    Unknown,
    /// The user trusted it, but its files are different now.
    Changed,
    /// Its files cannot be compared with what the user trusted.
    Unverifiable(String),
}

/// What an untrusted project wanted, for the one warning line about it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct LeftOut {
    /// The project.
    pub(crate) root: PathBuf,
    /// The names of the settings that do not take effect.
    pub(crate) names: Vec<String>,
    /// Why; never [`Trust::Trusted`].
    pub(crate) trust: Trust,
}

/// Why trust could not be given or taken back.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TrustError {
    /// There is no place to record it.
    #[error("no home directory is known, so there is no place to record trust; set HOME")]
    NoHome,
    /// The directory that was named is not there.
    #[error("{}: {source}", path.display())]
    NoDirectory {
        /// The path as given.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// Nothing there asks for trust.
    #[error(
        "{}: neither it nor a directory above has .letscode/config.toml or .letscode/plugins/",
        path.display()
    )]
    NoProject {
        /// The path.
        path: PathBuf,
    },
    /// A path that a TOML file cannot hold.
    #[error("{}: the path is not UTF-8, so trust in it cannot be recorded", path.display())]
    NotUtf8 {
        /// The path.
        path: PathBuf,
    },
    /// A file cannot be read.
    #[error(transparent)]
    File(#[from] TomlFileError),
    /// The project's files cannot be fingerprinted.
    #[error(transparent)]
    Fingerprint(#[from] FingerprintError),
    /// The record cannot be written.
    #[error("{}: cannot be written: {source}", path.display())]
    Write {
        /// The record.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
}

/// Returns what is recorded about a project whose config file holds `config_text` (`None` where
/// there is none that can be read).
pub(crate) fn look_up(
    user: Option<&UserPaths>,
    project: &Project,
    config_text: Option<&str>,
    warnings: &mut Vec<String>,
) -> Trust {
    let Some(user) = user else { return Trust::Unknown };
    let record = match TomlFile::read(&user.trust()) {
        Ok(Some(record)) => record.table,
        Ok(None) => return Trust::Unknown,
        Err(error) => {
            warnings.push(format!("no project is trusted, the record is broken: {error}"));
            return Trust::Unknown;
        }
    };
    let Ok(name) = real_name(&project.root) else { return Trust::Unknown };
    let recorded = record.get(PROJECTS).and_then(Value::as_table).and_then(|all| all.get(&name));
    let Some(recorded) = recorded.and_then(Value::as_str) else { return Trust::Unknown };
    match fingerprint_of(project, config_text) {
        Ok(now) if now == recorded => Trust::Trusted,
        Ok(_) => Trust::Changed,
        Err(error) => Trust::Unverifiable(error.to_string()),
    }
}

/// Records trust in the project at or above `directory`, as its files are now. Returns its real
/// path.
///
/// # Errors
/// When there is no project, its files cannot be read, or the record cannot be written.
pub(crate) fn record(user: Option<&UserPaths>, directory: &Path) -> Result<String, TrustError> {
    let user = user.ok_or(TrustError::NoHome)?;
    let start = real_path(directory)?;
    let project = Project::find(&start, Some(user)).ok_or(TrustError::NoProject { path: start })?;
    let name = real_name(&project.root)?;
    let config = TomlFile::read(&project.config())?;
    let fingerprint = fingerprint_of(&project, config.as_ref().map(TomlFile::text))?;
    change(user, |projects| {
        projects.insert(name.clone(), Value::String(fingerprint));
    })?;
    Ok(name)
}

/// Takes back trust in the project at or above `directory`. Returns its real path, or `None`
/// where it was not trusted.
///
/// # Errors
/// When the record cannot be read or written.
pub(crate) fn forget(
    user: Option<&UserPaths>,
    directory: &Path,
) -> Result<Option<String>, TrustError> {
    let user = user.ok_or(TrustError::NoHome)?;
    // A directory that is gone can still be named as it was recorded.
    let start = real_path(directory).unwrap_or_else(|_| directory.to_owned());
    let mut forgotten = None;
    change(user, |projects| {
        forgotten = start
            .ancestors()
            .filter_map(Path::to_str)
            .find(|name| projects.remove(*name).is_some())
            .map(str::to_owned);
    })?;
    Ok(forgotten)
}

impl Trust {
    /// Returns why the project is not trusted, in words that go on from its name.
    pub(crate) fn reason(&self) -> Option<String> {
        match self {
            Self::Trusted => None,
            Self::Unknown => Some("is not trusted".to_owned()),
            Self::Changed => Some("changed since it was trusted".to_owned()),
            Self::Unverifiable(reason) => Some(format!("cannot be checked ({reason})")),
        }
    }
}

impl fmt::Display for LeftOut {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let root = self.root.display();
        let why = self.trust.reason().unwrap_or_default();
        write!(formatter, "the project {root} {why}; left out: ")?;
        for (index, name) in self.names.iter().take(NAMES_SHOWN).enumerate() {
            let comma = if index == 0 { "" } else { ", " };
            write!(formatter, "{comma}{name}")?;
        }
        if let more @ 1.. = self.names.len().saturating_sub(NAMES_SHOWN) {
            write!(formatter, " and {more} more")?;
        }
        write!(formatter, "; to allow it: letscode trust {root} (or --trust for one run)")
    }
}

/// Changes the table of projects in the record and writes it back.
fn change(user: &UserPaths, edit: impl FnOnce(&mut Table)) -> Result<(), TrustError> {
    let path = user.trust();
    let mut record = TomlFile::read(&path)?.map(|file| file.table).unwrap_or_default();
    let mut projects = match record.remove(PROJECTS) {
        Some(Value::Table(projects)) => projects,
        _ => Table::new(),
    };
    let before = projects.clone();
    edit(&mut projects);
    if projects == before {
        return Ok(());
    }
    record.insert(PROJECTS.to_owned(), Value::Table(projects));
    write_private(&path, &record.to_string(), Existing::Replace)
        .map_err(|source| TrustError::Write { path, source })
}

/// Returns the fingerprint of all files of a project that need trust.
fn fingerprint_of(
    project: &Project,
    config_text: Option<&str>,
) -> Result<String, FingerprintError> {
    let plugins = project.has_plugins.then(|| project.plugins());
    fingerprint::of(config_text, plugins.as_deref())
}

/// Returns the name that a project is recorded under.
fn real_name(root: &Path) -> Result<String, TrustError> {
    let real = real_path(root)?;
    match real.to_str() {
        Some(name) => Ok(name.to_owned()),
        None => Err(TrustError::NotUtf8 { path: real }),
    }
}

/// Returns a path without links.
fn real_path(path: &Path) -> Result<PathBuf, TrustError> {
    path.canonicalize().map_err(|source| TrustError::NoDirectory { path: path.to_owned(), source })
}
