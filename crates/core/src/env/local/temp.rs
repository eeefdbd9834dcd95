//! Temporary files that grow piece by piece.
//!
//! Owns their creation (private, kept), the user's folder that they are in, the removal of old ones
//! there, and appending to them. Must not know what they hold.

#![expect(clippy::disallowed_methods, reason = "owns the folder of temporary files")]

use super::{blocking, file_error};
use crate::env::{FileError, FileWriter};
use futures_util::future::BoxFuture;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// What the names begin with.
const PREFIX: &str = "letscode-";
/// For so long a file is kept.
const KEPT: Duration = Duration::from_secs(7 * 24 * 60 * 60);
/// No more entries are looked at for old ones each time.
const MAX_LOOKED_AT: usize = 1_000;

/// Creates a file in the user's folder below `place`, or below where the system keeps such files,
/// and removes the old ones there. Blocks.
pub(super) fn create(place: Option<PathBuf>, suffix: &Path) -> Result<TempWriter, FileError> {
    let place = place.unwrap_or_else(tempfile::env::temp_dir);
    let own = own_folder(&place);
    let folder = own.as_ref().unwrap_or(&place);
    let mut builder = tempfile::Builder::new();
    let builder = builder.prefix(PREFIX).suffix(suffix).disable_cleanup(true);
    let created = builder.tempfile_in(folder).map_err(|error| file_error(folder, error))?;
    let (file, path) = created.into_parts();
    if let Some(own) = own {
        remove_old(&own, &file);
    }
    Ok(TempWriter { path: path.to_path_buf(), file: Arc::new(file) })
}

/// Returns the folder that only the user can enter, made where it is missing; nothing where it
/// cannot be had, as when somebody else has taken its name.
#[cfg(unix)]
fn own_folder(place: &Path) -> Option<PathBuf> {
    use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};

    let user = rustix::process::geteuid().as_raw();
    let folder = place.join(format!("{PREFIX}{user}"));
    // It may be there already; what counts is what it is.
    let _ = fs::DirBuilder::new().mode(0o700).create(&folder);
    let found = fs::symlink_metadata(&folder).ok()?;
    let is_own = found.is_dir() && found.uid() == user && found.mode() & 0o077 == 0;
    is_own.then_some(folder)
}

#[cfg(not(unix))]
fn own_folder(_place: &Path) -> Option<PathBuf> {
    None
}

/// Removes what is old beside a file that is new. What cannot be removed stays.
fn remove_old(folder: &Path, new: &File) {
    let now = new.metadata().and_then(|metadata| metadata.modified());
    let (Ok(now), Ok(entries)) = (now, fs::read_dir(folder)) else { return };
    for entry in entries.take(MAX_LOOKED_AT).flatten() {
        let is_old = entry.metadata().is_ok_and(|metadata| {
            let age = metadata.modified().ok().and_then(|at| now.duration_since(at).ok());
            metadata.is_file() && age.is_some_and(|age| age > KEPT)
        });
        if is_old && entry.file_name().to_string_lossy().starts_with(PREFIX) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// A temporary file of the local disk.
pub(super) struct TempWriter {
    path: PathBuf,
    /// Shared with the blocking thread that writes.
    file: Arc<File>,
}

impl FileWriter for TempWriter {
    fn path(&self) -> &Path {
        &self.path
    }

    fn append(&mut self, bytes: Vec<u8>) -> BoxFuture<'_, Result<(), FileError>> {
        let file = Arc::clone(&self.file);
        let write =
            move |path: &Path| (&*file).write_all(&bytes).map_err(|error| file_error(path, error));
        Box::pin(blocking(&self.path, write))
    }
}
