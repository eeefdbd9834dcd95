//! This machine: files of the local disk, and commands as child processes.
//!
//! Owns [`LocalEnv`] and the way of its file work onto blocking threads. Only this module and
//! `process` may call the file and process functions of the system.

mod files;
mod temp;
mod write;

use super::process::Commands;
use super::{
    CommandEnd, CommandError, DirEntry, ExecutionEnv, FileError, FileHead, FileInfo, FileReader,
    FileWriter, OutputSink, RunCommand, WriteFile, WriteReport,
};
use futures_util::future::BoxFuture;
use std::io;
use std::path::{Path, PathBuf};
use tokio_util::sync::CancellationToken;

/// What a [`LocalEnv`] needs to know.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LocalEnvOptions {
    /// Where commands start and relative paths begin.
    pub working_dir: PathBuf,
    /// Variables that commands do not inherit: those that hold keys.
    pub removed_variables: Vec<String>,
    /// Where temporary files go; the system's place where absent.
    pub temp_dir: Option<PathBuf>,
}

/// The machine that the program runs on.
#[derive(Debug)]
pub struct LocalEnv {
    working_dir: PathBuf,
    temp_dir: Option<PathBuf>,
    commands: Commands,
}

impl LocalEnv {
    /// Returns an environment with these options. Touches nothing.
    pub fn new(options: LocalEnvOptions) -> Self {
        Self {
            working_dir: options.working_dir,
            temp_dir: options.temp_dir,
            commands: Commands::new(options.removed_variables),
        }
    }

    /// Keeps these variables from later commands, in place of those before.
    pub fn remove_variables(&self, names: Vec<String>) {
        self.commands.remove_variables(names);
    }

    /// Ends all commands that run, children included (TERM, up to 2 s, KILL), and hangs up on
    /// what finished commands left in the background, as a closing terminal would: what was
    /// started with `nohup` or `setsid` goes on. For the end of the program, a panic included;
    /// blocks, and returns at once when there is nothing to end.
    pub fn end_all_commands(&self) {
        self.commands.end_all();
    }
}

impl ExecutionEnv for LocalEnv {
    fn working_dir(&self) -> &Path {
        &self.working_dir
    }

    fn metadata<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<FileInfo, FileError>> {
        Box::pin(blocking(path, files::metadata))
    }

    fn open<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<Box<dyn FileReader>, FileError>> {
        Box::pin(async move {
            let reader = blocking(path, files::open).await?;
            Ok(Box::new(reader) as Box<dyn FileReader>)
        })
    }

    fn list<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<Vec<DirEntry>, FileError>> {
        Box::pin(blocking(path, files::list))
    }

    fn list_all<'a>(
        &'a self,
        paths: &'a [PathBuf],
    ) -> BoxFuture<'a, Vec<Result<Vec<DirEntry>, FileError>>> {
        Box::pin(blocking_all(paths, files::list))
    }

    fn read_heads<'a>(
        &'a self,
        paths: &'a [PathBuf],
        limit: usize,
    ) -> BoxFuture<'a, Vec<Result<FileHead, FileError>>> {
        Box::pin(blocking_all(paths, move |path| files::head(path, limit)))
    }

    fn write<'a>(
        &'a self,
        path: &'a Path,
        request: WriteFile,
    ) -> BoxFuture<'a, Result<WriteReport, FileError>> {
        Box::pin(blocking(path, move |path| write::write(path, &request)))
    }

    fn create_temp_file<'a>(
        &'a self,
        suffix: &'a str,
    ) -> BoxFuture<'a, Result<Box<dyn FileWriter>, FileError>> {
        Box::pin(async move {
            let (folder, suffix) = (self.temp_dir.clone(), suffix.to_owned());
            let place = Path::new(&suffix);
            let writer = blocking(place, move |suffix| temp::create(folder, suffix)).await?;
            Ok(Box::new(writer) as Box<dyn FileWriter>)
        })
    }

    fn run<'a>(
        &'a self,
        request: RunCommand,
        output: &'a mut dyn OutputSink,
        cancel: CancellationToken,
    ) -> BoxFuture<'a, Result<CommandEnd, CommandError>> {
        Box::pin(self.commands.run(&self.working_dir, request, output, cancel))
    }
}

/// Runs `work` where blocking is allowed.
async fn blocking<T: Send + 'static>(
    path: &Path,
    work: impl FnOnce(&Path) -> Result<T, FileError> + Send + 'static,
) -> Result<T, FileError> {
    let path = path.to_owned();
    let shown = path.clone();
    match tokio::task::spawn_blocking(move || work(&path)).await {
        Ok(result) => result,
        Err(error) => Err(FileError::Io { path: shown, source: io::Error::other(error) }),
    }
}

/// Runs `work` on each of `paths` where blocking is allowed, in one visit there: for many small
/// files the way there and back costs more than the work.
async fn blocking_all<T: Send + 'static>(
    paths: &[PathBuf],
    work: impl Fn(&Path) -> Result<T, FileError> + Send + 'static,
) -> Vec<Result<T, FileError>> {
    let owned = paths.to_owned();
    let all = move || owned.iter().map(|path| work(path)).collect();
    match tokio::task::spawn_blocking(all).await {
        Ok(results) => results,
        Err(error) => {
            let failed = |path: &PathBuf| FileError::Io {
                path: path.clone(),
                source: io::Error::other(error.to_string()),
            };
            paths.iter().map(|path| Err(failed(path))).collect()
        }
    }
}

/// Returns `source` with its kind as a type.
fn file_error(path: &Path, source: io::Error) -> FileError {
    let path = path.to_owned();
    match source.kind() {
        io::ErrorKind::NotFound => FileError::NotFound { path },
        io::ErrorKind::PermissionDenied => FileError::PermissionDenied { path },
        io::ErrorKind::IsADirectory => FileError::IsDirectory { path },
        io::ErrorKind::NotADirectory => FileError::NotADirectory { path },
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => FileError::NoSpace { path },
        io::ErrorKind::ReadOnlyFilesystem => FileError::ReadOnly { path },
        _ => FileError::Io { path, source },
    }
}

#[cfg(unix)]
#[cfg(test)]
mod tests;
