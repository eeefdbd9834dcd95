//! The port to files and processes: all that tools do to the outside goes through it.
//!
//! Owns the operations and their typed errors. A sandbox or a remote machine is another
//! implementation; [`LocalEnv`] is this machine. Must not know what a tool is.

mod local;
mod process;
#[cfg(unix)]
#[cfg(test)]
mod rerun;

pub use local::{LocalEnv, LocalEnvOptions};
#[cfg(unix)]
pub use process::{MARKER, ProcessTree};

use futures_util::future::{BoxFuture, ready};
use sha2::{Digest, Sha256};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// Files and processes, wherever they are. Paths given to it are absolute.
pub trait ExecutionEnv: Send + Sync {
    /// Returns the directory that relative paths start from.
    fn working_dir(&self) -> &Path;

    /// Returns what a path is, links followed.
    fn metadata<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<FileInfo, FileError>>;

    /// Opens a regular file for reading from its start. Anything else is refused without
    /// touching it: a FIFO or a device must never be waited for.
    fn open<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<Box<dyn FileReader>, FileError>>;

    /// Returns a directory's entries, sorted by name.
    fn list<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<Vec<DirEntry>, FileError>>;

    /// Returns what each of these directories lists, in the order asked: as [`list`](Self::list),
    /// with one wait for all.
    fn list_all<'a>(
        &'a self,
        paths: &'a [PathBuf],
    ) -> BoxFuture<'a, Vec<Result<Vec<DirEntry>, FileError>>> {
        Box::pin(async move {
            let mut listings = Vec::with_capacity(paths.len());
            for path in paths {
                listings.push(self.list(path).await);
            }
            listings
        })
    }

    /// Returns the first `limit` bytes of each of these regular files, in the order asked: as
    /// [`open`](Self::open), with one wait for all.
    fn read_heads<'a>(
        &'a self,
        paths: &'a [PathBuf],
        limit: usize,
    ) -> BoxFuture<'a, Vec<Result<FileHead, FileError>>> {
        Box::pin(async move {
            let mut heads = Vec::with_capacity(paths.len());
            for path in paths {
                heads.push(match self.open(path).await {
                    Ok(reader) => FileHead::read(reader, limit).await,
                    Err(error) => Err(error),
                });
            }
            heads
        })
    }

    /// Writes a whole file so that a reader, or a crash, sees either the old or the new content.
    fn write<'a>(
        &'a self,
        path: &'a Path,
        request: WriteFile,
    ) -> BoxFuture<'a, Result<WriteReport, FileError>>;

    /// Creates an empty temporary file whose name ends with `suffix`, for the user's eyes only.
    /// It is kept: what names it may be read long after the program has ended.
    ///
    /// # Errors
    /// When there is no place for it; an environment need not offer one.
    fn create_temp_file<'a>(
        &'a self,
        suffix: &'a str,
    ) -> BoxFuture<'a, Result<Box<dyn FileWriter>, FileError>> {
        let error = FileError::Io {
            path: PathBuf::from(suffix),
            source: io::Error::new(io::ErrorKind::Unsupported, "no temporary files here"),
        };
        Box::pin(ready(Err(error)))
    }

    /// Runs a shell command to its end. `output` gets stdout and stderr as they come, merged in
    /// order unless the request says otherwise. On time-out or cancellation the whole process tree is ended before this returns;
    /// when the future is dropped, it is killed at once.
    fn run<'a>(
        &'a self,
        request: RunCommand,
        output: &'a mut dyn OutputSink,
        cancel: CancellationToken,
    ) -> BoxFuture<'a, Result<CommandEnd, CommandError>>;
}

/// Takes a command's output, piece by piece. The command is held back, as by a slow pipe, until
/// a piece is taken. Any `FnMut(&[u8])` is one that takes its pieces at once.
pub trait OutputSink: Send {
    /// Takes the next piece. Never dropped before it is done, except with the whole run.
    fn take<'a>(&'a mut self, piece: &'a [u8]) -> BoxFuture<'a, ()>;
}

impl<F: FnMut(&[u8]) + Send> OutputSink for F {
    fn take<'a>(&'a mut self, piece: &'a [u8]) -> BoxFuture<'a, ()> {
        self(piece);
        Box::pin(ready(()))
    }
}

/// Reads an open file piece by piece.
pub trait FileReader: Send {
    /// Returns the next piece (some hundred kilobytes at most); an empty one at the end.
    fn read_chunk(&mut self) -> BoxFuture<'_, Result<Vec<u8>, FileError>>;
}

/// Adds to an open file.
pub trait FileWriter: Send {
    /// Returns where the file is.
    fn path(&self) -> &Path;

    /// Adds `bytes` at the end.
    fn append(&mut self, bytes: Vec<u8>) -> BoxFuture<'_, Result<(), FileError>>;
}

/// The beginning of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileHead {
    /// The bytes, no more than were asked for.
    pub bytes: Vec<u8>,
    /// Whether the file goes on after them.
    pub is_cut: bool,
}

impl FileHead {
    /// Reads the first `limit` bytes, and no more of the file than that needs.
    async fn read(mut reader: Box<dyn FileReader>, limit: usize) -> Result<Self, FileError> {
        let mut bytes = Vec::new();
        while bytes.len() <= limit {
            let chunk = reader.read_chunk().await?;
            if chunk.is_empty() {
                break;
            }
            bytes.extend_from_slice(&chunk);
        }
        let is_cut = bytes.len() > limit;
        bytes.truncate(limit);
        Ok(Self { bytes, is_cut })
    }
}

/// What a path is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileInfo {
    /// Its kind.
    pub kind: FileKind,
    /// Its size in bytes.
    pub size: u64,
}

/// The kinds of thing that a path may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A FIFO, socket or device.
    Other,
}

/// One entry of a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DirEntry {
    /// The name, lossily decoded where it is no UTF-8.
    pub name: String,
    /// Whether it is a directory (links followed).
    pub is_dir: bool,
}

/// What to write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WriteFile {
    /// The whole new content.
    pub bytes: Vec<u8>,
    /// What must hold, right before the new content replaces the old.
    pub expected: Expected,
}

/// A condition on the present content of a file that is about to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expected {
    /// There is no such file.
    Absent,
    /// The file's content is this, by fingerprint.
    Content(Fingerprint),
    /// Anything goes.
    Anything,
}

/// SHA-256 of a file's content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Fingerprint(pub [u8; 32]);

impl Fingerprint {
    /// Returns the fingerprint of this content.
    pub fn of(content: &[u8]) -> Self {
        Self(Sha256::digest(content).into())
    }
}

/// What writing did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WriteReport {
    /// Whether parent directories had to be made.
    pub created_parents: bool,
}

/// Why a file operation failed.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// Nothing is there.
    #[error("no such file: {}", path.display())]
    NotFound {
        /// The path.
        path: PathBuf,
    },
    /// The system refuses.
    #[error("permission denied: {}", path.display())]
    PermissionDenied {
        /// The path.
        path: PathBuf,
    },
    /// A directory where a file is wanted.
    #[error("is a directory: {}", path.display())]
    IsDirectory {
        /// The path.
        path: PathBuf,
    },
    /// A file where a directory is wanted.
    #[error("not a directory: {}", path.display())]
    NotADirectory {
        /// The path.
        path: PathBuf,
    },
    /// A FIFO, socket or device.
    #[error("not a regular file: {}", path.display())]
    NotRegular {
        /// The path.
        path: PathBuf,
    },
    /// The disk or a quota is full.
    #[error("no space left for {}", path.display())]
    NoSpace {
        /// The path.
        path: PathBuf,
    },
    /// The file system cannot be written.
    #[error("the file system is read-only: {}", path.display())]
    ReadOnly {
        /// The path.
        path: PathBuf,
    },
    /// [`WriteFile::expected`] does not hold; nothing was written.
    #[error("changed meanwhile: {}", path.display())]
    Changed {
        /// The path.
        path: PathBuf,
    },
    /// Anything else that the system says.
    #[error("{}: {source}", path.display())]
    Io {
        /// The path.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
}

/// A command to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunCommand {
    /// The text for the shell.
    pub command: String,
    /// When it is ended by force.
    pub timeout: Duration,
    /// What becomes of its stderr.
    pub stderr: Stderr,
}

/// What becomes of a command's stderr.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Stderr {
    /// It goes with stdout, in the order of writing.
    #[default]
    Merged,
    /// Its end comes after all of stdout, and only when the command does not end well (anything
    /// but exit code 0).
    OnFailure,
}

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CommandEnd {
    /// Its status.
    pub status: CommandStatus,
    /// Whether something that it started still holds its output open.
    pub left_running: bool,
}

/// The ways in which a command ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommandStatus {
    /// By itself, with this exit code.
    Exited(i32),
    /// By this signal, which was not ours.
    Signaled(i32),
    /// It was ended at its time-out.
    TimedOut,
    /// It was ended by cancellation.
    Cancelled,
}

/// Why a command could not be started.
#[derive(Debug, thiserror::Error)]
pub enum CommandError {
    /// The working directory is gone.
    #[error("the working directory {} does not exist any more", path.display())]
    WorkingDirGone {
        /// The path.
        path: PathBuf,
    },
    /// No shell.
    #[error("no shell found: neither bash nor sh is on the path")]
    NoShell,
    /// The text is longer than the system lets an argument be (128 KiB on Linux).
    #[error("the command is too long ({bytes} bytes): write it to a file and run that")]
    TooLong {
        /// Its length.
        bytes: usize,
    },
    /// Anything else that the system says.
    #[error("cannot start the shell: {source}")]
    Io {
        /// What the system says.
        source: io::Error,
    },
}
