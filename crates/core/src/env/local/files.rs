//! Looking at files: what a path is, what a file holds, what a directory lists.
//!
//! Owns the rule that only regular files are opened. All functions block. Must not change
//! anything.
#![expect(clippy::disallowed_methods, reason = "this file reads for the local environment")]

use super::{blocking, file_error};
use crate::env::{DirEntry, FileError, FileHead, FileInfo, FileKind, FileReader};
use futures_util::future::BoxFuture;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

/// How much is read at a time.
const CHUNK: u64 = 256 * 1024;

pub(super) fn metadata(path: &Path) -> Result<FileInfo, FileError> {
    let metadata = fs::metadata(path).map_err(|error| file_error(path, error))?;
    Ok(FileInfo { kind: kind_of(&metadata), size: metadata.len() })
}

/// Opens a regular file and reads its first piece, so that a small file costs one visit to a
/// blocking thread.
pub(super) fn open(path: &Path) -> Result<LocalReader, FileError> {
    let fail = |error| file_error(path, error);
    let (file, size) = open_file(path)?;
    let (first, rest) = read_piece(file, size).map_err(fail)?;
    Ok(LocalReader { path: path.to_owned(), first: Some(first), rest })
}

/// Reads the first `limit` bytes of a regular file.
pub(super) fn head(path: &Path, limit: usize) -> Result<FileHead, FileError> {
    let (file, size) = open_file(path)?;
    let wanted = (limit as u64).saturating_add(1);
    let capacity = size.saturating_add(1).min(wanted);
    let mut bytes = Vec::with_capacity(usize::try_from(capacity).unwrap_or_default());
    file.take(wanted).read_to_end(&mut bytes).map_err(|error| file_error(path, error))?;
    let is_cut = bytes.len() > limit;
    bytes.truncate(limit);
    Ok(FileHead { bytes, is_cut })
}

/// Opens a regular file; returns its size too.
fn open_file(path: &Path) -> Result<(File, u64), FileError> {
    let fail = |error| file_error(path, error);
    // Looked at first, because opening alone makes some devices act; and again once open,
    // because the path may have become another thing meanwhile.
    require_file(path, &fs::metadata(path).map_err(fail)?)?;
    let file = open_without_waiting(OpenOptions::new().read(true), path).map_err(fail)?;
    let metadata = file.metadata().map_err(fail)?;
    require_file(path, &metadata)?;
    Ok((file, metadata.len()))
}

pub(super) fn list(path: &Path) -> Result<Vec<DirEntry>, FileError> {
    let fail = |error| file_error(path, error);
    let mut entries = Vec::new();
    for entry in fs::read_dir(path).map_err(fail)? {
        let entry = entry.map_err(fail)?;
        let is_dir = match entry.file_type() {
            Ok(kind) if kind.is_symlink() => entry.path().is_dir(),
            Ok(kind) => kind.is_dir(),
            Err(_) => false,
        };
        entries.push(DirEntry { name: entry.file_name().to_string_lossy().into_owned(), is_dir });
    }
    entries.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(entries)
}

/// Returns an error unless `metadata` is that of a regular file.
pub(super) fn require_file(path: &Path, metadata: &Metadata) -> Result<(), FileError> {
    let path = path.to_owned();
    match kind_of(metadata) {
        FileKind::File => Ok(()),
        FileKind::Directory => Err(FileError::IsDirectory { path }),
        FileKind::Other => Err(FileError::NotRegular { path }),
    }
}

/// Opens a file in a way that never waits for the other end of a FIFO.
pub(super) fn open_without_waiting(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        use std::os::unix::fs::OpenOptionsExt as _;
        let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
        options.custom_flags(flags.bits().cast_signed());
    }
    options.open(path)
}

fn kind_of(metadata: &Metadata) -> FileKind {
    if metadata.is_file() {
        FileKind::File
    } else if metadata.is_dir() {
        FileKind::Directory
    } else {
        FileKind::Other
    }
}

/// Reads the next piece of `file`; gives the file back unless this was its end.
fn read_piece(mut file: File, size_hint: u64) -> io::Result<(Vec<u8>, Option<File>)> {
    // One byte more than the hint, so that the end is seen without growing the buffer.
    let capacity = size_hint.saturating_add(1).min(CHUNK);
    let mut piece = Vec::with_capacity(usize::try_from(capacity).unwrap_or_default());
    let length = (&mut file).take(CHUNK).read_to_end(&mut piece)?;
    let at_end = (length as u64) < CHUNK;
    Ok((piece, (!at_end).then_some(file)))
}

/// An open file of the local disk.
pub(super) struct LocalReader {
    path: PathBuf,
    /// Read when the file was opened, until it is asked for.
    first: Option<Vec<u8>>,
    /// The file, until its end is reached.
    rest: Option<File>,
}

impl FileReader for LocalReader {
    fn read_chunk(&mut self) -> BoxFuture<'_, Result<Vec<u8>, FileError>> {
        Box::pin(async move {
            if let Some(first) = self.first.take() {
                return Ok(first);
            }
            let Some(file) = self.rest.take() else { return Ok(Vec::new()) };
            let read =
                move |path: &Path| read_piece(file, CHUNK).map_err(|error| file_error(path, error));
            let (piece, rest) = blocking(&self.path, read).await?;
            self.rest = rest;
            Ok(piece)
        })
    }
}
