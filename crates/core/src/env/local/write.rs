//! Replacing a file's content so that nobody sees half of it.
//!
//! Owns the temporary file, the rename, what survives of the old file (mode, owner, links), and
//! the cases in which the file must be written in place. All functions block.
#![expect(clippy::disallowed_methods, reason = "this file writes for the local environment")]

use super::file_error;
use super::files::{open_without_waiting, require_file};
use crate::env::{Expected, FileError, Fingerprint, WriteFile, WriteReport};
use std::fs::{self, File, Metadata, OpenOptions, Permissions};
use std::io::{self, Seek as _, Write as _};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// As many links as Linux follows before it gives up.
const MAX_LINKS: usize = 40;

/// Writes `request` to `path`, or to what it links to.
pub(super) fn write(path: &Path, request: &WriteFile) -> Result<WriteReport, FileError> {
    let target = follow_links(path)?;
    let old = open_existing(&target)?;
    let changed = || FileError::Changed { path: target.clone() };
    let created_parents = match old {
        Some(_) if matches!(request.expected, Expected::Absent) => return Err(changed()),
        None if matches!(request.expected, Expected::Content(_)) => return Err(changed()),
        None => {
            let missing = missing_parents(&target);
            create_parents(&target)
                .and_then(|()| create(&target, request))
                .inspect_err(|_| remove_empty(&missing))?;
            !missing.is_empty()
        }
        Some(old) => {
            let in_place = link_count(&old) > 1
                || matches!(replace(&target, &old, request)?, Replaced::NotAllowed);
            if in_place {
                write_in_place(&target, request)?;
            }
            false
        }
    };
    verify_length(&target, request.bytes.len())?;
    Ok(WriteReport { created_parents })
}

/// Returns what `path` names in the end; that need not exist.
fn follow_links(path: &Path) -> Result<PathBuf, FileError> {
    let mut target = path.to_owned();
    for _ in 0..MAX_LINKS {
        match fs::symlink_metadata(&target) {
            Ok(metadata) if metadata.is_symlink() => {
                let link = fs::read_link(&target).map_err(|error| file_error(&target, error))?;
                target = folder_of(&target).join(link);
            }
            Ok(_) => return Ok(target),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(target),
            Err(error) => return Err(file_error(&target, error)),
        }
    }
    let source = io::Error::other("too many links, one behind the other");
    Err(FileError::Io { path: path.to_owned(), source })
}

/// Returns what is there, if it is a file that may be written: a rename would also replace one
/// that is write-protected.
fn open_existing(target: &Path) -> Result<Option<Metadata>, FileError> {
    let fail = |error| file_error(target, error);
    let metadata = match fs::metadata(target) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(fail(error)),
    };
    require_file(target, &metadata)?;
    match open_without_waiting(OpenOptions::new().write(true), target) {
        Ok(file) => {
            let metadata = file.metadata().map_err(fail)?;
            require_file(target, &metadata)?;
            Ok(Some(metadata))
        }
        // A program that runs can be replaced, but not written to.
        Err(error) if error.kind() == io::ErrorKind::ExecutableFileBusy => Ok(Some(metadata)),
        Err(error) => Err(fail(error)),
    }
}

/// Returns the folders above `target` that are not there, the innermost first.
fn missing_parents(target: &Path) -> Vec<PathBuf> {
    let folders = folder_of(target).ancestors();
    let missing = folders.take_while(|folder| !folder.as_os_str().is_empty() && !folder.is_dir());
    missing.map(Path::to_owned).collect()
}

/// Makes the folder of `target`, where it is missing.
fn create_parents(target: &Path) -> Result<(), FileError> {
    let folder = folder_of(target);
    match fs::create_dir_all(folder) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            Err(FileError::NotADirectory { path: folder.to_owned() })
        }
        Err(error) => Err(file_error(folder, error)),
    }
}

/// Removes folders that were made for nothing. What is in use by now, or was no folder, stays.
fn remove_empty(folders: &[PathBuf]) {
    for folder in folders {
        if fs::remove_dir(folder).is_err() {
            return;
        }
    }
}

/// Makes a new file, with the mode that the umask leaves.
fn create(target: &Path, request: &WriteFile) -> Result<(), FileError> {
    let fail = |error| file_error(target, error);
    let mut builder = temporary();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        builder.permissions(Permissions::from_mode(0o666));
    }
    let mut temporary = builder.tempfile_in(folder_of(target)).map_err(fail)?;
    temporary.write_all(&request.bytes).map_err(fail)?;
    temporary.as_file().sync_all().map_err(fail)?;
    match request.expected {
        Expected::Anything => temporary.persist(target),
        Expected::Absent | Expected::Content(_) => temporary.persist_noclobber(target),
    }
    .map_err(|error| match error.error.kind() {
        io::ErrorKind::AlreadyExists => FileError::Changed { path: target.to_owned() },
        _ => fail(error.error),
    })?;
    sync_folder(target);
    Ok(())
}

/// Whether a file could be replaced by another one.
enum Replaced {
    Yes,
    /// The folder does not let us, though the file itself may be written.
    NotAllowed,
}

/// Puts a new file in the place of the old one, with its mode and owner.
fn replace(target: &Path, old: &Metadata, request: &WriteFile) -> Result<Replaced, FileError> {
    let fail = |error| file_error(target, error);
    let mut temporary = match temporary().tempfile_in(folder_of(target)) {
        Ok(temporary) => temporary,
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            return Ok(Replaced::NotAllowed);
        }
        Err(error) => return Err(fail(error)),
    };
    temporary.write_all(&request.bytes).map_err(fail)?;
    keep_owner_and_mode(temporary.as_file(), old).map_err(fail)?;
    temporary.as_file().sync_all().map_err(fail)?;
    if let Expected::Content(expected) = request.expected {
        let file = open_without_waiting(OpenOptions::new().read(true), target).map_err(fail)?;
        require_content(target, &read_all(file).map_err(fail)?, expected)?;
    }
    match persist(temporary, target) {
        Ok(()) => {}
        // A sticky folder with a file of somebody else, or a file that is a mount point.
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::PermissionDenied
                    | io::ErrorKind::ResourceBusy
                    | io::ErrorKind::CrossesDevices
            ) =>
        {
            return Ok(Replaced::NotAllowed);
        }
        Err(error) => return Err(fail(error)),
    }
    sync_folder(target);
    Ok(Replaced::Yes)
}

/// Overwrites the file itself: other names of it, and its folder, stay as they are. When that
/// fails half-way (a full disk), the old content is put back.
fn write_in_place(target: &Path, request: &WriteFile) -> Result<(), FileError> {
    let fail = |error| file_error(target, error);
    let mut file =
        open_without_waiting(OpenOptions::new().read(true).write(true), target).map_err(fail)?;
    require_file(target, &file.metadata().map_err(fail)?)?;
    let old = read_all(&file).map_err(fail)?;
    if let Expected::Content(expected) = request.expected {
        require_content(target, &old, expected)?;
    }
    if let Err(error) = overwrite(&mut file, &request.bytes) {
        let restored = overwrite(&mut file, &old);
        return Err(restored.map_or_else(fail, |()| fail(error)));
    }
    Ok(())
}

fn overwrite(file: &mut File, bytes: &[u8]) -> io::Result<()> {
    file.set_len(0)?;
    file.rewind()?;
    file.write_all(bytes)?;
    file.sync_all()
}

fn read_all(mut file: impl io::Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn require_content(target: &Path, bytes: &[u8], expected: Fingerprint) -> Result<(), FileError> {
    if Fingerprint::of(bytes) == expected {
        Ok(())
    } else {
        Err(FileError::Changed { path: target.to_owned() })
    }
}

/// Returns an error when the file on disk is not as long as what was written to it.
fn verify_length(target: &Path, length: usize) -> Result<(), FileError> {
    let metadata = fs::metadata(target).map_err(|error| file_error(target, error))?;
    if metadata.len() == length as u64 {
        return Ok(());
    }
    let text = format!("{length} bytes were written, but the file has {}", metadata.len());
    Err(FileError::Io { path: target.to_owned(), source: io::Error::other(text) })
}

fn temporary() -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".letscode-").suffix(".tmp");
    builder
}

fn persist(temporary: NamedTempFile, target: &Path) -> io::Result<()> {
    temporary.persist(target).map(drop).map_err(|error| error.error)
}

/// Makes the rename itself survive a crash. Some file systems cannot; the content is safe anyway.
fn sync_folder(target: &Path) {
    let synced = File::open(folder_of(target)).and_then(|folder| folder.sync_all());
    if let Err(error) = synced {
        tracing::debug!(path = %target.display(), %error, "the folder could not be synced");
    }
}

fn folder_of(target: &Path) -> &Path {
    match target.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

#[cfg(unix)]
fn link_count(metadata: &Metadata) -> u64 {
    use std::os::unix::fs::MetadataExt as _;
    metadata.nlink()
}

#[cfg(unix)]
fn keep_owner_and_mode(file: &File, old: &Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, fchown};
    let new = file.metadata()?;
    let same_owner = (new.uid(), new.gid()) == (old.uid(), old.gid());
    let kept = same_owner || fchown(file, Some(old.uid()), Some(old.gid())).is_ok();
    let kept = kept || (fchown(file, None, Some(old.gid())).is_ok() && new.uid() == old.uid());
    // A file that now belongs to somebody else must not lend that one's rights to who runs it.
    let mask = if kept { 0o7777 } else { 0o777 };
    file.set_permissions(Permissions::from_mode(old.mode() & mask))
}

#[cfg(not(unix))]
fn link_count(_metadata: &Metadata) -> u64 {
    1
}

#[cfg(not(unix))]
fn keep_owner_and_mode(file: &File, old: &Metadata) -> io::Result<()> {
    file.set_permissions(old.permissions())
}
