//! The path that a tool is given, as the files that it may mean.
//!
//! Owns the ways in which a path can be read, links among them, and what is inside of the project.
//! Looks at the file system and changes nothing.
#![expect(clippy::disallowed_methods, reason = "this file looks at where paths lead")]

use crate::pattern::{OPTIONAL, UNKNOWN};
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};

/// Folders whose files decide what runs later: to write there takes a rule that names them.
const GUARDED: [&str; 2] = [".git", ".letscode"];

/// What paths are read against.
#[derive(Debug, Clone, Default)]
pub(crate) struct Surroundings {
    /// The working directory, as it was given and as it really is.
    roots: Vec<PathBuf>,
    home: Option<PathBuf>,
    /// Where the program puts long output of commands.
    scratch: Option<PathBuf>,
}

/// Every file that a path may mean.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Target {
    /// Each reading of it; a rule that allows must fit all, one that forbids any.
    pub(crate) places: Vec<Place>,
    /// Whether these are surely all.
    pub(crate) is_known: bool,
    /// Whether it is there, or the folder in which it would be.
    pub(crate) is_there: bool,
}

/// One file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    /// Its path from the working directory, where it is in there.
    pub(crate) inside: Option<String>,
    /// Its absolute path.
    pub(crate) absolute: String,
    /// Whether it is output that the program has put aside.
    pub(crate) is_scratch: bool,
    /// The folder among [`GUARDED`] that it is in.
    pub(crate) guarded: Option<&'static str>,
}

impl Surroundings {
    /// Looks where the working directory really is.
    pub(crate) fn new(working_dir: &Path, home: Option<PathBuf>, temporary: &Path) -> Self {
        let mut roots = vec![working_dir.to_owned()];
        roots.extend(working_dir.canonicalize().ok().filter(|real| real != working_dir));
        Self { roots, home, scratch: temporary.canonicalize().ok() }
    }

    /// Returns the name under which the project is remembered: its real path.
    pub(crate) fn project(&self) -> String {
        self.roots.last().map(|root| root.display().to_string()).unwrap_or_default()
    }

    /// Returns a pattern in the form in which places are named: with the home directory in place of a
    /// leading `~`, without a leading `./` or a `/` at the end.
    pub(crate) fn pattern(&self, written: &str) -> String {
        let written = written.strip_prefix("./").unwrap_or(written);
        let written = if written.len() > 1 { written.trim_end_matches('/') } else { written };
        match (written.strip_prefix('~'), &self.home) {
            (Some(rest), Some(home)) if rest.is_empty() || rest.starts_with('/') => {
                format!("{}{rest}", home.display())
            }
            _ => written.to_owned(),
        }
    }

    /// Reads a path as the tools do, in every way that they might.
    pub(crate) fn read(&self, given: &str) -> Target {
        let mut target = Target { places: Vec::new(), is_known: true, is_there: false };
        self.add(given, &mut target);
        // A leading `@` is dropped by the tools where nothing of that name is there.
        if let Some(rest) = given.strip_prefix('@') {
            self.add(rest, &mut target);
        }
        target
    }

    /// Returns whether an absolute path is that of the working directory.
    pub(crate) fn is_working_dir(&self, given: &str) -> bool {
        let target = self.read(given);
        let is_it = |place: &Place| place.inside.as_deref() == Some("");
        Path::new(given).is_absolute() && target.is_known && target.places.iter().all(is_it)
    }

    fn add(&self, given: &str, target: &mut Target) {
        let path = self.absolute(given);
        let by_name = normal_form(&path);
        let real = real(&path);
        target.is_there |= path.exists() || path.parent().is_some_and(Path::exists);
        // What an address stands for is not worked out here.
        target.is_known &= real.is_some() && !given.starts_with("file:");
        for path in [Some(by_name), real].into_iter().flatten() {
            let place = self.place(&path, &mut target.is_known);
            if !target.places.contains(&place) {
                target.places.push(place);
            }
        }
    }

    fn absolute(&self, given: &str) -> PathBuf {
        let given = given.strip_prefix("file://").unwrap_or(given);
        let working_dir = self.roots.first().map(PathBuf::as_path).unwrap_or(Path::new("/"));
        match (&self.home, given.strip_prefix('~')) {
            (Some(home), Some("")) => home.clone(),
            (Some(home), Some(rest)) if rest.starts_with('/') => {
                home.join(rest.trim_start_matches('/'))
            }
            _ => working_dir.join(given),
        }
    }

    fn place(&self, path: &Path, is_known: &mut bool) -> Place {
        // Patterns cannot be held against a text with these.
        *is_known &= path.to_str().is_some_and(|text| !text.contains([UNKNOWN, OPTIONAL]));
        let inside = self.roots.iter().find_map(|root| path.strip_prefix(root).ok());
        // Also where the working directory itself is in such a folder.
        let guarded = guarded(path);
        let is_scratch = self.scratch.as_deref().is_some_and(|scratch| is_scratch(path, scratch));
        let text = |path: &Path| path.to_string_lossy().into_owned();
        Place { inside: inside.map(text), absolute: text(path), is_scratch, guarded }
    }
}

/// Returns the guarded folder that a path names.
pub(crate) fn guarded(path: &Path) -> Option<&'static str> {
    let names = || path.components().filter_map(|component| component.as_os_str().to_str());
    let is_named = |folder: &&&str| names().any(|name| name.eq_ignore_ascii_case(folder));
    GUARDED.iter().find(is_named).copied()
}

/// Returns whether a file is one of those into which the program puts long output: a file of its own
/// in a folder of its own.
fn is_scratch(path: &Path, scratch: &Path) -> bool {
    let Ok(below) = path.strip_prefix(scratch) else { return false };
    let names: Vec<&str> = below.iter().filter_map(|name| name.to_str()).collect();
    matches!(names.as_slice(), [folder, file] if folder.starts_with("letscode-") && file.starts_with("letscode-"))
}

/// Returns `path` without `.`, and with `..` taken off by name alone.
fn normal_form(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                normal.pop();
            }
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => {
                normal.push(component);
            }
        }
    }
    normal
}

/// Returns the path without links, also of what is not there yet; `None` where it leads who knows
/// where.
fn real(path: &Path) -> Option<PathBuf> {
    let mut missing = Vec::new();
    let mut known = path;
    loop {
        match known.canonicalize() {
            Ok(mut real) => {
                real.extend(missing.into_iter().rev());
                return Some(real);
            }
            Err(error) if error.kind() != ErrorKind::NotFound => return None,
            // A link that leads nowhere, through which a file could be made.
            Err(_) if known.symlink_metadata().is_ok() => return None,
            Err(_) => {
                // `..` behind what is not there has no name.
                missing.push(known.file_name()?);
                known = known.parent()?;
            }
        }
    }
}

#[cfg(test)]
mod tests;
