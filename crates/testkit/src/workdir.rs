//! A work folder for one test: a home, a project below it, and files of every kind.
//!
//! Owns the folder, which is gone when this is dropped. Must never touch the user's own home.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::Value;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A home directory with the project `work/project` in it. Paths are free of symbolic links.
#[derive(Debug)]
pub struct WorkDir {
    home: PathBuf,
    project: PathBuf,
    /// Removes the folder when dropped.
    _root: TempDir,
}

/// A file to make.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileSpec {
    /// A regular file.
    Regular {
        /// Its content.
        bytes: Vec<u8>,
        /// Its mode bits, where they matter.
        mode: Option<u32>,
    },
    /// A symbolic link.
    Link {
        /// What it points to.
        target: PathBuf,
    },
}

/// Why a file's JSON makes no sense.
#[derive(Debug, thiserror::Error)]
#[error(
    "not a file: {0}; give a text or an object with `text`, `b64` or `link` (and `mode` in octal)"
)]
pub struct FileSpecError(Value);

impl WorkDir {
    /// Makes an empty one.
    ///
    /// # Panics
    /// When the system refuses.
    pub fn new() -> Self {
        let root = tempfile::Builder::new().prefix("letscode-test-").tempdir();
        let root = root.expect("a temporary folder can be made");
        let home = fs::canonicalize(root.path()).expect("the folder exists").join("home");
        let project = home.join("work").join("project");
        fs::create_dir_all(&project).expect("a new folder can be filled");
        Self { home, project, _root: root }
    }

    /// Returns the home directory.
    pub fn home(&self) -> &Path {
        &self.home
    }

    /// Returns the project's directory: where programs start.
    pub fn project(&self) -> &Path {
        &self.project
    }

    /// Makes a text file in the project, folders included, and returns its path.
    ///
    /// # Panics
    /// When the system refuses.
    pub fn write(&self, name: &str, content: impl Into<Vec<u8>>) -> PathBuf {
        let path = self.project.join(name);
        let file = FileSpec::Regular { bytes: content.into(), mode: None };
        file.put(&path).expect("a file in the work folder can be written");
        path
    }

    /// Returns a text file's content. A name that begins with `~/` is below the home.
    ///
    /// # Panics
    /// When it cannot be read.
    #[track_caller]
    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.resolve(name)).expect("the file can be read")
    }

    /// Returns the path of a name: below the project, or with `~/` below the home.
    pub fn resolve(&self, name: &str) -> PathBuf {
        match name.strip_prefix("~/") {
            Some(rest) => self.home.join(rest),
            None => self.project.join(name),
        }
    }
}

impl Default for WorkDir {
    fn default() -> Self {
        Self::new()
    }
}

impl FileSpec {
    /// Reads a file as cases write it: a text, or an object with `text`, `b64` or `link`, and
    /// `mode` in octal.
    ///
    /// # Errors
    /// When it is neither.
    pub fn from_json(json: &Value) -> Result<Self, FileSpecError> {
        Self::read(json).ok_or_else(|| FileSpecError(json.clone()))
    }

    fn read(json: &Value) -> Option<Self> {
        if let Some(text) = json.as_str() {
            return Some(Self::Regular { bytes: text.into(), mode: None });
        }
        let keys: Vec<&str> = json.as_object()?.keys().map(String::as_str).collect();
        let text = |key: &str| json.get(key).and_then(Value::as_str);
        if keys == ["link"] {
            return Some(Self::Link { target: text("link")?.into() });
        }
        let bytes = match (text("text"), text("b64")) {
            (Some(text), None) => text.into(),
            (None, Some(text)) => BASE64_STANDARD.decode(text).ok()?,
            _ => return None,
        };
        let mode = match json.get("mode") {
            None => None,
            Some(mode) => Some(u32::from_str_radix(mode.as_str()?, 8).ok()?),
        };
        let expected = 1 + usize::from(mode.is_some());
        (keys.len() == expected).then_some(Self::Regular { bytes, mode })
    }

    /// Makes the file, its folders included. A link takes the place of what is there.
    ///
    /// # Errors
    /// When the system refuses, or the platform has no such files.
    pub fn put(&self, path: &Path) -> io::Result<()> {
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        match self {
            Self::Regular { bytes, mode } => {
                fs::write(path, bytes)?;
                mode.map_or(Ok(()), |mode| set_mode(path, mode))
            }
            Self::Link { target } => {
                if path.symlink_metadata().is_ok() {
                    fs::remove_file(path)?;
                }
                make_link(target, path)
            }
        }
    }
}

/// Returns a file's permission bits.
///
/// # Errors
/// When it is not there.
#[cfg(unix)]
pub fn mode_of(path: &Path) -> io::Result<u32> {
    use std::os::unix::fs::PermissionsExt as _;
    Ok(fs::metadata(path)?.permissions().mode() & 0o777)
}

/// Returns a file's permission bits; here there are none.
///
/// # Errors
/// Always.
#[cfg(not(unix))]
pub fn mode_of(_path: &Path) -> io::Result<u32> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(unix)]
fn set_mode(path: &Path, mode: u32) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(path, fs::Permissions::from_mode(mode))
}

#[cfg(not(unix))]
fn set_mode(_path: &Path, _mode: u32) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(unix)]
fn make_link(target: &Path, path: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(target, path)
}

#[cfg(not(unix))]
fn make_link(_target: &Path, _path: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn put(dir: &WorkDir, name: &str, json: &Value) {
        FileSpec::from_json(json).unwrap().put(&dir.resolve(name)).unwrap();
    }

    #[test]
    fn the_folder_goes_with_its_owner() {
        let dir = WorkDir::new();
        let path = dir.write("a/b.txt", "x");
        assert_eq!(dir.read("a/b.txt"), "x");
        assert!(path.starts_with(dir.home()));
        drop(dir);
        assert!(!path.exists());
    }

    #[cfg(unix)]
    #[test]
    fn files_of_every_kind() {
        let dir = WorkDir::new();
        put(&dir, "run.sh", &json!({"text": "#!/bin/sh\n", "mode": "755"}));
        put(&dir, "bytes", &json!({"b64": "/w==", "mode": "600"}));
        put(&dir, "~/.letscode/config.toml", &json!("x"));
        put(&dir, "link", &json!({"link": "run.sh"}));
        put(&dir, "link", &json!({"link": "bytes"}));
        assert_eq!(mode_of(&dir.resolve("run.sh")).unwrap(), 0o755);
        assert_eq!(mode_of(&dir.resolve("bytes")).unwrap(), 0o600);
        assert_eq!(fs::read(dir.resolve("link")).unwrap(), [0xff]);
        assert_eq!(fs::read(dir.home().join(".letscode/config.toml")).unwrap(), b"x");
    }

    #[test]
    fn what_is_no_file_is_refused() {
        for json in [
            json!(1),
            json!({}),
            json!({"text": "a", "b64": ""}),
            json!({"b64": "?"}),
            json!({"text": "a", "mode": "9"}),
            json!({"text": "a", "mode": 755}),
            json!({"text": "a", "modes": "755"}),
            json!({"link": "a", "mode": "755"}),
        ] {
            assert!(FileSpec::from_json(&json).is_err(), "{json}");
        }
    }
}
