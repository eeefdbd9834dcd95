//! The port to files and processes: all that tools do to the outside goes through it.
//!
//! Owns the operations and their typed errors. A sandbox or a remote machine is another
//! implementation; [`LocalEnv`] is this machine. Must not know what a tool is.

mod local;
mod process;

use futures_util::future::BoxFuture;
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

    /// Writes a whole file so that a reader, or a crash, sees either the old or the new content.
    fn write<'a>(
        &'a self,
        path: &'a Path,
        request: WriteFile,
    ) -> BoxFuture<'a, Result<WriteReport, FileError>>;

    /// Runs a shell command to its end. `output` gets stdout and stderr as they come, merged in
    /// order. On time-out or cancellation the whole process tree is ended before this returns.
    fn run<'a>(
        &'a self,
        request: RunCommand,
        output: OutputSink<'a>,
        cancel: CancellationToken,
    ) -> BoxFuture<'a, Result<CommandEnd, CommandError>>;
}

/// Takes a command's output, piece by piece. Must be quick.
pub type OutputSink<'a> = Box<dyn FnMut(&[u8]) + Send + 'a>;

/// Reads an open file piece by piece.
pub trait FileReader: Send {
    /// Returns the next piece (some hundred kilobytes at most); an empty one at the end.
    fn read_chunk(&mut self) -> BoxFuture<'_, Result<Vec<u8>, FileError>>;
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
    /// Anything else that the system says.
    #[error("cannot start the shell: {source}")]
    Io {
        /// What the system says.
        source: io::Error,
    },
}
