//! An [`ExecutionEnv`] in memory: files in a map, commands from a script.
//!
//! Owns nothing of the machine, so tests with it are quick and leave nothing behind. Knows no
//! links, modes or processes: what depends on those is tested with the real environment.

use letscode_core::BoxFuture;
use letscode_core::env::{
    CommandEnd, CommandError, CommandStatus, DirEntry, ExecutionEnv, Expected, FileError, FileInfo,
    FileKind, FileReader, FileWriter, Fingerprint, OutputSink, RunCommand, WriteFile, WriteReport,
};
use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio_util::sync::CancellationToken;

/// Files and commands that exist only in memory. Clones share them.
#[derive(Debug, Clone)]
pub struct MemEnv {
    working_dir: PathBuf,
    world: Arc<Mutex<World>>,
}

#[derive(Debug, Default)]
struct World {
    /// What is where; a directory has no content.
    nodes: BTreeMap<PathBuf, Option<Vec<u8>>>,
    script: VecDeque<(String, FakeCommand)>,
    commands: Vec<RunCommand>,
    temp_files: usize,
}

/// What a command does when it is run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FakeCommand {
    /// What it prints, piece by piece.
    pub output: Vec<Vec<u8>>,
    /// How it ends.
    pub end: FakeEnd,
}

/// How a fake command ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FakeEnd {
    /// By itself.
    Exit(i32),
    /// Not before it is cancelled or its time is over.
    Never,
}

impl FakeCommand {
    /// Returns a command that prints `output` and ends with `code`.
    pub fn new(output: &str, code: i32) -> Self {
        Self { output: vec![output.into()], end: FakeEnd::Exit(code) }
    }

    /// Returns a command that prints `output` and then runs until it is ended.
    pub fn endless(output: &str) -> Self {
        Self { output: vec![output.into()], end: FakeEnd::Never }
    }
}

impl MemEnv {
    /// Returns an environment that holds an empty working directory.
    pub fn new(working_dir: impl Into<PathBuf>) -> Self {
        let working_dir = working_dir.into();
        let env = Self { working_dir: working_dir.clone(), world: Arc::default() };
        env.world().make_folder(&working_dir);
        env
    }

    /// Puts a file there, as somebody outside would; its folders are made.
    pub fn put(&self, path: impl AsRef<Path>, content: impl Into<Vec<u8>>) {
        let path = self.absolute(path.as_ref());
        let mut world = self.world();
        world.make_folder(path.parent().unwrap_or(&path));
        world.nodes.insert(path, Some(content.into()));
    }

    /// Returns what a file holds; `None` when there is no such file.
    pub fn content(&self, path: impl AsRef<Path>) -> Option<Vec<u8>> {
        self.world().nodes.get(&self.absolute(path.as_ref())).cloned().flatten()
    }

    /// Removes a file or an empty directory, as somebody outside would.
    pub fn remove(&self, path: impl AsRef<Path>) {
        let path = self.absolute(path.as_ref());
        self.world().nodes.remove(&path);
    }

    /// Lets the next run of exactly this command do that. The same command may be given several
    /// times; each serves one run. A command that is not in the script is not found (127).
    pub fn script(&self, command: &str, fake: FakeCommand) {
        self.world().script.push_back((command.to_owned(), fake));
    }

    /// Returns the commands that were run, in order.
    pub fn commands(&self) -> Vec<RunCommand> {
        self.world().commands.clone()
    }

    fn absolute(&self, path: &Path) -> PathBuf {
        self.working_dir.join(path)
    }

    fn world(&self) -> MutexGuard<'_, World> {
        self.world.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl World {
    fn make_folder(&mut self, path: &Path) {
        for folder in path.ancestors() {
            self.nodes.entry(folder.to_owned()).or_insert(None);
        }
    }

    fn node(&self, path: &Path) -> Result<&Option<Vec<u8>>, FileError> {
        self.nodes.get(path).ok_or_else(|| FileError::NotFound { path: path.to_owned() })
    }

    fn file(&self, path: &Path) -> Result<&Vec<u8>, FileError> {
        let content = self.node(path)?.as_ref();
        content.ok_or_else(|| FileError::IsDirectory { path: path.to_owned() })
    }

    fn list(&self, path: &Path) -> Result<Vec<DirEntry>, FileError> {
        if self.node(path)?.is_some() {
            return Err(FileError::NotADirectory { path: path.to_owned() });
        }
        let inside = self.nodes.iter().filter(|(node, _)| node.parent() == Some(path));
        let mut entries: Vec<DirEntry> = inside
            .filter_map(|(node, content)| {
                let name = node.file_name()?.to_string_lossy().into_owned();
                Some(DirEntry { name, is_dir: content.is_none() })
            })
            .collect();
        entries.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(entries)
    }

    fn write(&mut self, path: &Path, request: WriteFile) -> Result<WriteReport, FileError> {
        let present = match self.file(path) {
            Ok(content) => Some(Fingerprint::of(content)),
            Err(FileError::NotFound { .. }) => None,
            Err(error) => return Err(error),
        };
        let holds = match request.expected {
            Expected::Anything => true,
            Expected::Absent => present.is_none(),
            Expected::Content(expected) => present == Some(expected),
        };
        if !holds {
            return Err(FileError::Changed { path: path.to_owned() });
        }
        let folder = path.parent().unwrap_or(path);
        let is_file = |node: &Path| self.nodes.get(node).is_some_and(Option::is_some);
        if let Some(file) = folder.ancestors().find(|node| is_file(node)) {
            return Err(FileError::NotADirectory { path: file.to_owned() });
        }
        let created_parents = !self.nodes.contains_key(folder);
        self.make_folder(folder);
        self.nodes.insert(path.to_owned(), Some(request.bytes));
        Ok(WriteReport { created_parents })
    }

    /// Returns what the next run of `command` does, and notes the run.
    fn start(&mut self, request: &RunCommand) -> FakeCommand {
        self.commands.push(request.clone());
        let place = self.script.iter().position(|(command, _)| *command == request.command);
        let scripted = place.and_then(|place| self.script.remove(place));
        scripted.map_or_else(
            || FakeCommand::new(&format!("{}: not found\n", request.command), 127),
            |(_, fake)| fake,
        )
    }
}

impl ExecutionEnv for MemEnv {
    fn working_dir(&self) -> &Path {
        &self.working_dir
    }

    fn metadata<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<FileInfo, FileError>> {
        let info = self.world().node(path).map(|content| match content {
            Some(content) => FileInfo { kind: FileKind::File, size: content.len() as u64 },
            None => FileInfo { kind: FileKind::Directory, size: 0 },
        });
        Box::pin(async { info })
    }

    fn open<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<Box<dyn FileReader>, FileError>> {
        let content = self.world().file(path).cloned();
        Box::pin(async { Ok(Box::new(MemReader { rest: content? }) as Box<dyn FileReader>) })
    }

    fn list<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<Vec<DirEntry>, FileError>> {
        let entries = self.world().list(path);
        Box::pin(async { entries })
    }

    fn write<'a>(
        &'a self,
        path: &'a Path,
        request: WriteFile,
    ) -> BoxFuture<'a, Result<WriteReport, FileError>> {
        let report = self.world().write(path, request);
        Box::pin(async { report })
    }

    fn create_temp_file<'a>(
        &'a self,
        suffix: &'a str,
    ) -> BoxFuture<'a, Result<Box<dyn FileWriter>, FileError>> {
        let path = {
            let mut world = self.world();
            world.temp_files += 1;
            PathBuf::from(format!("/temp/{}{suffix}", world.temp_files))
        };
        self.put(&path, "");
        let writer = MemWriter { path, env: self.clone() };
        Box::pin(async { Ok(Box::new(writer) as Box<dyn FileWriter>) })
    }

    fn run<'a>(
        &'a self,
        request: RunCommand,
        output: &'a mut dyn OutputSink,
        cancel: CancellationToken,
    ) -> BoxFuture<'a, Result<CommandEnd, CommandError>> {
        Box::pin(async move {
            let ended = |status| Ok(CommandEnd { status, left_running: false });
            if cancel.is_cancelled() {
                return ended(CommandStatus::Cancelled);
            }
            let fake = self.world().start(&request);
            for piece in &fake.output {
                output.take(piece).await;
                tokio::task::yield_now().await;
            }
            match fake.end {
                FakeEnd::Exit(code) => ended(CommandStatus::Exited(code)),
                FakeEnd::Never => tokio::select! {
                    () = cancel.cancelled() => ended(CommandStatus::Cancelled),
                    () = tokio::time::sleep(request.timeout) => ended(CommandStatus::TimedOut),
                },
            }
        })
    }
}

/// Gives the content as it was when the file was opened.
struct MemReader {
    rest: Vec<u8>,
}

impl FileReader for MemReader {
    fn read_chunk(&mut self) -> BoxFuture<'_, Result<Vec<u8>, FileError>> {
        let behind = self.rest.split_off(self.rest.len().min(256 * 1024));
        let piece = std::mem::replace(&mut self.rest, behind);
        Box::pin(async { Ok(piece) })
    }
}

struct MemWriter {
    path: PathBuf,
    env: MemEnv,
}

impl FileWriter for MemWriter {
    fn path(&self) -> &Path {
        &self.path
    }

    fn append(&mut self, bytes: Vec<u8>) -> BoxFuture<'_, Result<(), FileError>> {
        let mut content = self.env.content(&self.path).unwrap_or_default();
        content.extend(bytes);
        self.env.put(&self.path, content);
        Box::pin(async { Ok(()) })
    }
}

#[cfg(test)]
mod tests;
