//! Temporary files that grow piece by piece.
//!
//! Owns their creation (private, kept) and appending to them. Must not know what they hold.

use super::{blocking, file_error};
use crate::env::{FileError, FileWriter};
use futures_util::future::BoxFuture;
use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Creates a file in `folder`, or where the system keeps such files. Blocks.
pub(super) fn create(folder: Option<PathBuf>, suffix: &Path) -> Result<TempWriter, FileError> {
    let folder = folder.unwrap_or_else(tempfile::env::temp_dir);
    let mut builder = tempfile::Builder::new();
    let builder = builder.prefix("letscode-").suffix(suffix).disable_cleanup(true);
    let created = builder.tempfile_in(&folder).map_err(|error| file_error(&folder, error))?;
    let (file, path) = created.into_parts();
    Ok(TempWriter { path: path.to_path_buf(), file: Arc::new(file) })
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
