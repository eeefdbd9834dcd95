//! The program's own small text files: reading them carefully, writing them privately.
//!
//! Owns the checks that keep a strange file (a FIFO, a device, a gigabyte) from hanging the
//! start, and the atomic write. Must not know what a file means.
#![expect(clippy::disallowed_methods, reason = "this file reads and writes our own files")]

use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

mod toml_file;

pub(crate) use toml_file::{TomlFile, TomlFileError};

/// No file of settings that a person writes is larger.
const LARGEST_FILE: u64 = 1024 * 1024;

/// Why a file of settings cannot be read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ReadError {
    /// The system refuses.
    #[error("{}: cannot be read: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// A directory, FIFO, socket or device.
    #[error("{}: is not a regular file", path.display())]
    NotRegular {
        /// The file.
        path: PathBuf,
    },
    /// Larger than any such file should be.
    #[error("{}: is larger than 1 MiB", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
    },
    /// Not text.
    #[error("{}: is not UTF-8 text", path.display())]
    NotUtf8 {
        /// The file.
        path: PathBuf,
    },
}

/// Returns a file's text, or `None` where there is no such file.
///
/// # Errors
/// When something is there that is no small, readable text file.
pub(crate) fn read_text(path: &Path) -> Result<Option<String>, ReadError> {
    let io_error = |source| ReadError::Io { path: path.to_owned(), source };
    // Looked at before it is opened: opening a FIFO would wait for a writer.
    let metadata = match std::fs::metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if is_absent(&error) => return Ok(None),
        Err(error) => return Err(io_error(error)),
    };
    if !metadata.is_file() {
        return Err(ReadError::NotRegular { path: path.to_owned() });
    }
    let file = std::fs::File::open(path).map_err(io_error)?;
    let mut bytes = Vec::new();
    file.take(LARGEST_FILE + 1).read_to_end(&mut bytes).map_err(io_error)?;
    if bytes.len() as u64 > LARGEST_FILE {
        return Err(ReadError::TooLarge { path: path.to_owned() });
    }
    let text =
        String::from_utf8(bytes).map_err(|_| ReadError::NotUtf8 { path: path.to_owned() })?;
    Ok(Some(text))
}

/// Returns whether a file that [`read_text`] cannot use may hold `word` all the same: where its bytes
/// cannot be read either, it may. A folder holds no words, nor does what is not there.
pub(crate) fn mentions(path: &Path, word: &str) -> bool {
    let metadata = match std::fs::metadata(path) {
        Ok(metadata) => metadata,
        Err(error) => return !is_absent(&error),
    };
    let mut bytes = Vec::new();
    if !metadata.is_file() || metadata.len() > LARGEST_FILE {
        return !metadata.is_dir();
    }
    let read =
        std::fs::File::open(path).and_then(|file| file.take(LARGEST_FILE).read_to_end(&mut bytes));
    read.is_err() || bytes.windows(word.len()).any(|window| window == word.as_bytes())
}

/// Whether what [`write_private`] finds in its place may be replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Existing {
    /// The old content goes.
    Replace,
    /// The old content stays, and the write fails with `AlreadyExists`.
    Keep,
}

/// Writes a file that only its owner may read, parents included, so that a reader sees either
/// all of it or what was there before.
///
/// # Errors
/// When the system refuses, or something is there that must be kept.
pub(crate) fn write_private(path: &Path, text: &str, existing: Existing) -> io::Result<()> {
    let directory = path.parent().unwrap_or(Path::new("."));
    create_private_directory(directory)?;
    // Temporary files are made with mode 0600 where there are modes.
    let mut file = tempfile::NamedTempFile::new_in(directory)?;
    file.write_all(text.as_bytes())?;
    file.as_file().sync_all()?;
    match existing {
        Existing::Replace => file.persist(path).map_err(|error| error.error)?,
        Existing::Keep => file.persist_noclobber(path).map_err(|error| error.error)?,
    };
    Ok(())
}

/// Creates a directory and its parents; the new ones are closed to others.
pub(crate) fn create_private_directory(path: &Path) -> io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// Returns whether an error says that nothing is there: no such file, or a parent is a file.
fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_file_is_none() {
        let directory = tempfile::tempdir().unwrap();
        assert!(read_text(&directory.path().join("none")).unwrap().is_none());
        std::fs::write(directory.path().join("file"), "").unwrap();
        assert!(read_text(&directory.path().join("file/below")).unwrap().is_none());
    }

    #[test]
    fn what_is_no_small_text_file_is_refused() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("config.toml");
        assert!(matches!(read_text(directory.path()), Err(ReadError::NotRegular { .. })));
        std::fs::write(&path, b"\xff\xfe").unwrap();
        assert!(matches!(read_text(&path), Err(ReadError::NotUtf8 { .. })));
        std::fs::File::create(&path).unwrap().set_len(LARGEST_FILE + 1).unwrap();
        assert!(matches!(read_text(&path), Err(ReadError::TooLarge { .. })));
    }

    #[cfg(unix)]
    #[test]
    fn a_device_is_refused_without_reading_it() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("config.toml");
        std::os::unix::fs::symlink("/dev/zero", &path).unwrap();
        assert!(matches!(read_text(&path), Err(ReadError::NotRegular { .. })));
    }

    #[cfg(unix)]
    #[test]
    fn a50_a_written_file_and_its_directory_are_private() {
        use std::os::unix::fs::PermissionsExt as _;
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("new/trust.toml");
        write_private(&path, "x", Existing::Replace).unwrap();
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&path), 0o600);
        assert_eq!(mode(path.parent().unwrap()), 0o700);
    }

    #[test]
    fn an_existing_file_is_replaced_only_where_it_may_be() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("file");
        std::fs::write(&path, "old").unwrap();
        let error = write_private(&path, "new", Existing::Keep).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "old");
        write_private(&path, "new", Existing::Replace).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 1);
    }
}
