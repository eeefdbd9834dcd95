//! The fingerprint of the files that a project wants trusted.
//!
//! Owns what goes into it: every byte of the config file and of each plugin file, with names.
//! Must not follow anything for ever: the walk is bounded.
#![expect(clippy::disallowed_methods, reason = "this file reads what a project brings")]

use sha2::{Digest as _, Sha256};
use std::fmt::Write as _;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

/// More entries than this below `plugins/` are not compared.
const MOST_ENTRIES: usize = 10_000;

/// More bytes than this below `plugins/` are not compared.
const MOST_BYTES: u64 = 256 * 1024 * 1024;

/// Why files cannot be fingerprinted.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FingerprintError {
    /// The system refuses.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// A FIFO, socket or device.
    #[error("{}: is neither a file nor a directory", path.display())]
    NotRegular {
        /// The path.
        path: PathBuf,
    },
    /// Too many files, too many bytes, or links that go round.
    #[error("{}: holds too much to be compared", path.display())]
    TooLarge {
        /// The directory.
        path: PathBuf,
    },
}

/// Returns the fingerprint of a config file's text and of all files below `plugins`.
///
/// # Errors
/// When something below `plugins` cannot be read, or there is too much of it.
pub(super) fn of(
    config_text: Option<&str>,
    plugins: Option<&Path>,
) -> Result<String, FingerprintError> {
    let mut hasher = Sha256::new();
    if let Some(text) = config_text {
        add(&mut hasher, b"config.toml", text.as_bytes());
    }
    if let Some(plugins) = plugins {
        Walk { root: plugins, hasher: &mut hasher, entries: 0, bytes: 0 }.add(plugins)?;
    }
    let mut text = String::from("sha256:");
    for byte in hasher.finalize() {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    Ok(text)
}

/// A bounded walk through the plugins, in the order of their names.
struct Walk<'a> {
    root: &'a Path,
    hasher: &'a mut Sha256,
    entries: usize,
    bytes: u64,
}

impl Walk<'_> {
    /// Adds a file, or a directory with all below it. Links are followed: what they lead to is
    /// what would run.
    fn add(&mut self, path: &Path) -> Result<(), FingerprintError> {
        let io_error = |source| FingerprintError::Io { path: path.to_owned(), source };
        self.entries += 1;
        if self.entries > MOST_ENTRIES {
            return Err(self.too_large());
        }
        let metadata = path.metadata().map_err(io_error)?;
        if metadata.is_dir() {
            let entries: io::Result<Vec<_>> =
                path.read_dir().map_err(io_error)?.map(|entry| Ok(entry?.path())).collect();
            let mut entries = entries.map_err(io_error)?;
            entries.sort();
            return entries.iter().try_for_each(|entry| self.add(entry));
        }
        if !metadata.is_file() {
            return Err(FingerprintError::NotRegular { path: path.to_owned() });
        }
        let left = MOST_BYTES.saturating_sub(self.bytes);
        let mut content = Vec::new();
        let file = std::fs::File::open(path).map_err(io_error)?;
        file.take(left + 1).read_to_end(&mut content).map_err(io_error)?;
        self.bytes += content.len() as u64;
        if self.bytes > MOST_BYTES {
            return Err(self.too_large());
        }
        let name = path.strip_prefix(self.root).unwrap_or(path);
        add(self.hasher, name.as_os_str().as_encoded_bytes(), &content);
        Ok(())
    }

    fn too_large(&self) -> FingerprintError {
        FingerprintError::TooLarge { path: self.root.to_owned() }
    }
}

/// Adds a name and a content with their lengths, so that no two sets of files look alike.
fn add(hasher: &mut Sha256, name: &[u8], content: &[u8]) {
    for part in [name, content] {
        hasher.update((part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
}
