//! `plugin.toml`: how an installed plugin is started.
//!
//! Owns the file's keys and the search for it. Must not start anything.
#![expect(clippy::disallowed_methods, reason = "this file finds the plugins that are installed")]

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use toml::{Table, Value};

/// The name of the file in a plugin's folder.
const FILE: &str = "plugin.toml";

/// How many bytes the file may have.
const MOST_BYTES: u64 = 64 * 1024;

/// What a `plugin.toml` says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Manifest {
    /// The plugin's name.
    pub name: String,
    /// Its version; empty where it is not said.
    pub version: String,
    /// The program and its arguments. What begins with `./` is in the plugin's folder.
    pub command: Vec<OsString>,
    /// Where it was installed from; empty where it is not said.
    pub source: String,
    /// The table of the configuration that is its own; that of its name where it is not said.
    pub config: Option<String>,
    /// Whether tool calls are refused when it is gone.
    pub fail_closed: bool,
    /// The plugin's folder.
    pub folder: PathBuf,
}

/// Why a folder is no plugin that can be started.
#[derive(Debug, thiserror::Error)]
pub enum ManifestError {
    /// The file cannot be read.
    #[error("plugin left out: {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// It is a directory, FIFO, socket or device.
    #[error("plugin left out: {}: is not a regular file", path.display())]
    NotRegular {
        /// The file.
        path: PathBuf,
    },
    /// It is longer than any such file should be.
    #[error("plugin left out: {}: is larger than {} KiB", path.display(), MOST_BYTES / 1024)]
    TooLarge {
        /// The file.
        path: PathBuf,
    },
    /// The file is not TOML.
    #[error("plugin left out: {}: not TOML: {message}", path.display())]
    Syntax {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        message: String,
    },
    /// A key is missing or of another kind.
    #[error("plugin left out: {}: {key} has to be {expected}", path.display())]
    Key {
        /// The file.
        path: PathBuf,
        /// The key.
        key: &'static str,
        /// What it has to be.
        expected: &'static str,
    },
}

/// Returns the plugins in the folders below `directory`, by name, and what is wrong with others. A
/// directory that is not there holds none.
pub fn manifests_in(directory: &Path) -> (Vec<Manifest>, Vec<ManifestError>) {
    let mut manifests = Vec::new();
    let mut faults = Vec::new();
    let Ok(entries) = fs::read_dir(directory) else { return (manifests, faults) };
    let mut folders: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    folders.sort();
    for folder in folders {
        match Manifest::read(&folder) {
            Ok(Some(manifest)) => manifests.push(manifest),
            Ok(None) => {}
            Err(fault) => faults.push(fault),
        }
    }
    manifests.sort_by(|a, b| a.name.cmp(&b.name));
    (manifests, faults)
}

impl Manifest {
    /// Reads the file in a plugin's folder; `None` where there is none.
    ///
    /// # Errors
    /// When it cannot be read or understood.
    pub fn read(folder: &Path) -> Result<Option<Self>, ManifestError> {
        let path = folder.join(FILE);
        // Looked at before it is opened: opening a FIFO would wait for a writer.
        let metadata = match fs::metadata(&path) {
            Ok(metadata) => metadata,
            Err(error) if is_absent(&error) => return Ok(None),
            Err(source) => return Err(ManifestError::Read { path, source }),
        };
        if !metadata.is_file() {
            return Err(ManifestError::NotRegular { path });
        }
        if metadata.len() > MOST_BYTES {
            return Err(ManifestError::TooLarge { path });
        }
        // No more than it says: a file that the system makes up says nothing, and may never end.
        match text_of(&path, metadata.len()) {
            Ok(text) => Self::parse(&text, folder).map(Some),
            Err(source) => Err(ManifestError::Read { path, source }),
        }
    }

    /// Reads the text of a manifest that is in `folder`.
    ///
    /// # Errors
    /// When it is not TOML, or a key is missing or of another kind.
    pub fn parse(text: &str, folder: &Path) -> Result<Self, ManifestError> {
        let path = folder.join(FILE);
        let table: Table = match text.parse() {
            Ok(table) => table,
            Err(error) => {
                let message = toml::de::Error::message(&error).to_owned();
                return Err(ManifestError::Syntax { path, message });
            }
        };
        let bad = |key, expected| ManifestError::Key { path: path.clone(), key, expected };
        let text_of = |key: &'static str| match table.get(key) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(_) => Err(bad(key, "a text")),
        };
        let name = text_of("name")?.filter(|name| is_name(name)).ok_or_else(|| {
            bad("name", "letters, digits, `-`, `_` and `.`, and begin with a letter or digit")
        })?;
        let command = table.get("command").and_then(words).filter(|words| !words.is_empty());
        let command =
            command.ok_or_else(|| bad("command", "a list of texts: the program, its arguments"))?;
        let fail_closed = match table.get("fail_closed") {
            None => false,
            Some(Value::Boolean(flag)) => *flag,
            Some(_) => return Err(bad("fail_closed", "true or false")),
        };
        Ok(Self {
            name,
            version: text_of("version")?.unwrap_or_default(),
            command: command.iter().map(|word| placed(word, folder)).collect(),
            source: text_of("source")?.unwrap_or_default(),
            config: text_of("config")?,
            fail_closed,
            folder: folder.to_owned(),
        })
    }
}

/// Returns whether an error says that nothing is there: no such file, or a parent is a file.
fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// Returns the first `most` bytes of a file.
fn text_of(path: &Path, most: u64) -> io::Result<String> {
    let mut text = String::new();
    File::open(path)?.take(most).read_to_string(&mut text)?;
    Ok(text)
}

fn is_name(name: &str) -> bool {
    let is_good = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    name.starts_with(|c: char| c.is_ascii_alphanumeric()) && name.chars().all(is_good)
}

/// Returns a list of texts, or one text as a list.
fn words(value: &Value) -> Option<Vec<String>> {
    match value {
        Value::String(text) => Some(vec![text.clone()]),
        Value::Array(words) => words.iter().map(|word| word.as_str().map(str::to_owned)).collect(),
        _ => None,
    }
}

/// Returns a word of a command; what begins with `./` as a path in the plugin's folder.
fn placed(word: &str, folder: &Path) -> OsString {
    match word.strip_prefix("./") {
        Some(rest) => folder.join(rest).into_os_string(),
        None => word.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manifest_says_how_a_plugin_is_started() {
        let text = "name = 'echo'\nversion = '1.0'\ncommand = ['python3', './echo.py', '-x']\n";
        let manifest = Manifest::parse(text, Path::new("/p/echo")).unwrap();
        assert_eq!(manifest.command, ["python3", "/p/echo/echo.py", "-x"].map(OsString::from));
        assert_eq!((manifest.name.as_str(), manifest.version.as_str()), ("echo", "1.0"));
        assert!(!manifest.fail_closed);
        let one_word = Manifest::parse("name = 'a'\ncommand = './a'", Path::new("/p")).unwrap();
        assert_eq!(one_word.command, [OsString::from("/p/a")]);
    }

    #[test]
    fn what_cannot_be_used_is_told_with_the_key() {
        for (text, expected) in [
            ("name = ", "not TOML"),
            ("command = 'x'", "name has to be"),
            ("name = '../x'\ncommand = 'x'", "name has to be"),
            ("name = 'x'", "command has to be"),
            ("name = 'x'\ncommand = []", "command has to be"),
            ("name = 'x'\ncommand = ['a', 1]", "command has to be"),
            ("name = 'x'\ncommand = 'a'\nfail_closed = 'yes'", "fail_closed has to be"),
            ("name = 'x'\ncommand = 'a'\nversion = 1", "version has to be a text"),
        ] {
            let error = Manifest::parse(text, Path::new("/p")).unwrap_err().to_string();
            assert!(error.contains(expected) && error.contains("plugin.toml"), "{text}: {error}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn what_is_no_small_file_is_told_and_not_read() {
        let home = tempfile::tempdir().unwrap();
        for device in ["/dev/zero", "/"] {
            let folder = home.path().join(device.replace('/', "_"));
            fs::create_dir(&folder).unwrap();
            std::os::unix::fs::symlink(device, folder.join(FILE)).unwrap();
            let error = Manifest::read(&folder).unwrap_err().to_string();
            assert!(error.ends_with("plugin.toml: is not a regular file"), "{error}");
        }
        let path = home.path().join(FILE);
        File::create(&path).unwrap().set_len(MOST_BYTES + 1).unwrap();
        let error = Manifest::read(home.path()).unwrap_err().to_string();
        assert!(error.ends_with("plugin.toml: is larger than 64 KiB"), "{error}");
        fs::write(&path, format!("name = 'a'\ncommand = 'a' #{}", "x".repeat(60_000))).unwrap();
        assert_eq!(Manifest::read(home.path()).unwrap().unwrap().name, "a");
    }

    #[test]
    fn folders_without_the_file_are_no_plugins_and_the_order_is_that_of_the_names() {
        let home = tempfile::tempdir().unwrap();
        for (folder, text) in [
            ("b", "name = 'zeta'\ncommand = 'z'"),
            ("a", "name = 'alpha'\ncommand = 'a'"),
            ("c", "name = 1"),
        ] {
            fs::create_dir(home.path().join(folder)).unwrap();
            fs::write(home.path().join(folder).join(FILE), text).unwrap();
        }
        fs::create_dir(home.path().join("empty")).unwrap();
        fs::write(home.path().join("file"), "").unwrap();
        let (manifests, faults) = manifests_in(home.path());
        let names: Vec<&str> = manifests.iter().map(|manifest| manifest.name.as_str()).collect();
        assert_eq!(names, ["alpha", "zeta"]);
        assert_eq!(faults.len(), 1);
        assert!(manifests_in(&home.path().join("absent")).0.is_empty());
    }
}
