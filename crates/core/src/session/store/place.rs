//! Whether the open file still stands at its path, and the making of room there.
//!
//! Owns the look at what other programs did to the session's file. Must not write to any file.
#![expect(clippy::disallowed_methods, reason = "this file looks at the session that is written")]

use super::lock;
use std::fs::{self, File, Metadata};
use std::io;
use std::path::Path;

/// Returns whether the file that `held` is of stands at `path`. Where the system does not tell, it
/// does.
pub(super) fn is_at(held: &Metadata, path: &Path) -> bool {
    match fs::metadata(path) {
        Ok(there) => is_same(held, &there),
        Err(error) => error.kind() != io::ErrorKind::NotFound,
    }
}

/// Makes room at `path`. What others put there is kept beside it, unless it is empty.
///
/// # Errors
/// When another process goes on in that file, and when the system refuses.
pub(super) fn put_aside(path: &Path) -> io::Result<()> {
    match fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
        Ok(there) if there.is_file() && there.len() == 0 => fs::remove_file(path),
        Ok(there) => {
            if there.is_file() {
                lock(&File::open(path)?, path).map_err(io::Error::other)?;
            }
            fs::rename(path, path.with_extension("jsonl.replaced"))
        }
    }
}

#[cfg(unix)]
fn is_same(held: &Metadata, there: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    held.dev() == there.dev() && held.ino() == there.ino()
}

#[cfg(not(unix))]
fn is_same(_: &Metadata, there: &Metadata) -> bool {
    there.is_file()
}
