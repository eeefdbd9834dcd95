//! Where a page goes on disk.
//!
//! Owns the choice of the name and the write. What is there already is never touched; a reader
//! sees the whole page or nothing, and nobody but the user may read it.

#![expect(clippy::disallowed_methods, reason = "it is the owner of the files of pages")]

use std::ffi::{OsStr, OsString};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// So many names are tried before it is given up.
const MOST_NAMES: usize = 1000;

/// The longest part of a file's name that is made of a session's id, in characters.
const LONGEST_NAME: usize = 64;

/// Where the user wants the page.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place<'a> {
    /// The path that the user gave: a file, or a folder that is there.
    pub(crate) given: Option<&'a Path>,
    /// What relative paths start from.
    pub(crate) working_dir: &'a Path,
    /// What `~/` stands for.
    pub(crate) home: Option<&'a Path>,
    /// What tells this page from others where no file was named: the session's id, or the date.
    pub(crate) name: &'a str,
}

/// Why there is no file.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ExportError {
    /// The folder is not there.
    #[error("{}: there is no such folder; make it first or name another", path.display())]
    NoFolder {
        /// The folder.
        path: PathBuf,
    },
    /// Every name that was tried is in use.
    #[error("{}: this name and {MOST_NAMES} like it are in use; name another", path.display())]
    NoFreeName {
        /// The first of them.
        path: PathBuf,
    },
    /// The system refuses.
    #[error("{}: cannot be written: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
}

/// Writes a page and returns where it is: at the place, or under the same name with `-2`, `-3`
/// and so on where something is there. A name without an ending gets `.html`.
///
/// # Errors
/// When the folder is missing, no name is free, or the system refuses.
pub(crate) fn write(page: &str, place: &Place<'_>) -> Result<PathBuf, ExportError> {
    let wanted = wanted_path(place);
    let folder = wanted.parent().unwrap_or(place.working_dir);
    if !folder.is_dir() {
        return Err(ExportError::NoFolder { path: folder.to_owned() });
    }
    let io_error = |source| ExportError::Io { path: wanted.clone(), source };
    // Temporary files are made with mode 0600 where there are modes.
    let mut file = NamedTempFile::new_in(folder).map_err(io_error)?;
    file.write_all(page.as_bytes()).map_err(io_error)?;
    file.as_file().sync_all().map_err(io_error)?;
    for number in 1..=MOST_NAMES {
        let path = numbered(&wanted, number);
        match file.persist_noclobber(&path) {
            Ok(_) => return Ok(path),
            Err(taken) if taken.error.kind() == io::ErrorKind::AlreadyExists => file = taken.file,
            Err(error) => return Err(io_error(error.error)),
        }
    }
    Err(ExportError::NoFreeName { path: wanted })
}

fn wanted_path(place: &Place<'_>) -> PathBuf {
    let default_name = || format!("letscode-{}.html", file_name(place.name));
    let Some(given) = place.given else { return place.working_dir.join(default_name()) };
    let path = match (given.strip_prefix("~"), place.home) {
        (Ok(below_home), Some(home)) => home.join(below_home),
        _ => place.working_dir.join(given),
    };
    if path.is_dir() || path.file_name().is_none() {
        path.join(default_name())
    } else if path.extension().is_none() {
        path.with_extension("html")
    } else {
        path
    }
}

/// Returns a name that is a file's name everywhere.
fn file_name(name: &str) -> String {
    let is_plain = |character: char| character.is_ascii_alphanumeric() || "-_".contains(character);
    let characters = name.chars().take(LONGEST_NAME);
    let name: String =
        characters.map(|character| if is_plain(character) { character } else { '-' }).collect();
    if name.is_empty() { "session".to_owned() } else { name }
}

/// Returns the path itself for 1, and with `-number` before its ending for others.
fn numbered(path: &Path, number: usize) -> PathBuf {
    if number == 1 {
        return path.to_owned();
    }
    let mut name = OsString::from(path.file_stem().unwrap_or(OsStr::new("session")));
    name.push(format!("-{number}"));
    if let Some(extension) = path.extension() {
        name.push(".");
        name.push(extension);
    }
    path.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn place<'a>(folder: &'a Path, given: Option<&'a str>) -> Place<'a> {
        Place {
            given: given.map(Path::new),
            working_dir: folder,
            home: Some(folder),
            name: "0198-ab",
        }
    }

    #[test]
    fn a_place_is_a_file_a_folder_or_none() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        fs::create_dir(folder.join("sub")).unwrap();
        for (given, expected) in [
            (None, "letscode-0198-ab.html"),
            (Some("sub"), "sub/letscode-0198-ab.html"),
            (Some("sub/"), "sub/letscode-0198-ab.html"),
            (Some("~"), "letscode-0198-ab.html"),
            (Some("~/sub/a.html"), "sub/a.html"),
            (Some("a b.htm"), "a b.htm"),
            (Some("notes"), "notes.html"),
            (Some("sub/.."), "sub/../letscode-0198-ab.html"),
        ] {
            let place = place(folder, given);
            assert_eq!(wanted_path(&place), folder.join(expected), "{given:?}");
        }
        let odd = Place { name: "../a b/\u{202e}", ..place(folder, None) };
        assert_eq!(wanted_path(&odd), folder.join("letscode----a-b--.html"));
    }

    #[test]
    fn what_is_there_stays() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        fs::write(folder.join("page.html"), "mine").unwrap();
        for expected in ["page-2.html", "page-3.html"] {
            let path = write("<p>", &place(folder, Some("page.html"))).unwrap();
            assert_eq!(path, folder.join(expected));
            assert_eq!(fs::read_to_string(path).unwrap(), "<p>");
        }
        assert_eq!(fs::read_to_string(folder.join("page.html")).unwrap(), "mine");
        assert_eq!(fs::read_dir(folder).unwrap().count(), 3);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_to_nowhere_is_not_written_through() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        std::os::unix::fs::symlink(folder.join("elsewhere"), folder.join("page.html")).unwrap();
        let path = write("<p>", &place(folder, Some("page.html"))).unwrap();
        assert_eq!(path, folder.join("page-2.html"));
        assert!(!folder.join("elsewhere").exists());
    }

    #[cfg(unix)]
    #[test]
    fn a50_a_page_is_for_the_user_alone() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let path = write("<p>", &place(folder.path(), None)).unwrap();
        assert_eq!(fs::metadata(path).unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn a_missing_folder_is_said_and_not_made() {
        let folder = tempfile::tempdir().unwrap();
        let error = write("<p>", &place(folder.path(), Some("none/page.html"))).unwrap_err();
        assert!(matches!(error, ExportError::NoFolder { .. }), "{error}");
        assert!(!folder.path().join("none").exists());
        fs::write(folder.path().join("file"), "").unwrap();
        let error = write("<p>", &place(folder.path(), Some("file/page.html"))).unwrap_err();
        assert!(matches!(error, ExportError::NoFolder { .. }), "{error}");
    }
}
