//! For the tests of the file tools: a temporary folder, the real environment, and one ledger.
//! Must not be used outside of tests.

use super::{FileLedger, Progress, Tool, ToolContext, ToolError};
use crate::env::{
    CommandEnd, CommandError, DirEntry, ExecutionEnv, FileError, FileInfo, FileReader, LocalEnv,
    LocalEnvOptions, OutputSink, RunCommand, WriteFile, WriteReport,
};
use futures_util::future::{BoxFuture, ready};
use letscode_wire::{Meta, ToolOutput, text_of};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

/// A folder to work in.
pub(super) struct Workbench {
    folder: TempDir,
    /// What the calls get; a test may change it.
    pub(super) context: ToolContext,
    runtime: tokio::runtime::Runtime,
}

/// What goes wrong when a file is written.
#[derive(Debug, Clone, Copy)]
pub(super) enum Meddling {
    /// Somebody else writes this file, with this content, right before.
    Write(&'static str, &'static str),
    /// The disk is full.
    NoSpace,
}

impl Workbench {
    pub(super) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let working_dir = folder.path().to_owned();
        let options = LocalEnvOptions { working_dir, ..LocalEnvOptions::default() };
        let context = ToolContext {
            call_id: "c1".into(),
            env: Arc::new(LocalEnv::new(options)),
            files: Arc::new(FileLedger::default()),
            cancel: CancellationToken::new(),
            progress: Progress::new(|_| {}),
            vision: true,
            secrets: Arc::default(),
            ui: crate::ui::Ui::declining(),
        };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        Self { folder, context, runtime }
    }

    /// Returns a workbench where something goes wrong when a file is written.
    pub(super) fn meddling(meddling: Meddling) -> Self {
        let mut bench = Self::new();
        bench.context.env = Arc::new(MeddlingEnv { env: bench.context.env.clone(), meddling });
        bench
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(super) fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(super) fn put(&self, name: &str, bytes: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), bytes).unwrap();
    }

    pub(super) fn get(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap()
    }

    pub(super) fn text(&self, name: &str) -> String {
        String::from_utf8(self.get(name)).unwrap()
    }

    pub(super) fn folder_named(&self, name: &str) {
        std::fs::create_dir_all(self.path(name)).unwrap();
    }

    /// Makes a file longer by a hole.
    pub(super) fn grow(&self, name: &str, size: u64) {
        let file = std::fs::OpenOptions::new().write(true).open(self.path(name)).unwrap();
        file.set_len(size).unwrap();
    }

    #[cfg(unix)]
    pub(super) fn fifo(&self, name: &str) {
        let made = std::process::Command::new("mkfifo").arg(self.path(name)).status().unwrap();
        assert!(made.success());
    }

    pub(super) fn call(&self, tool: &dyn Tool, arguments: Value) -> Result<ToolOutput, ToolError> {
        let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
        self.runtime.block_on(tool.run(arguments, self.context.clone()))
    }

    /// Returns the text and the details of a call that succeeds.
    pub(super) fn done(&self, tool: &dyn Tool, arguments: Value) -> (String, Meta) {
        let output = self.call(tool, arguments).unwrap();
        (text_of(&output.content), output.details)
    }

    /// Returns the message of a call that fails.
    pub(super) fn fails(&self, tool: &dyn Tool, arguments: Value) -> String {
        self.call(tool, arguments).unwrap_err().message
    }
}

struct MeddlingEnv {
    env: Arc<dyn ExecutionEnv>,
    meddling: Meddling,
}

impl ExecutionEnv for MeddlingEnv {
    fn working_dir(&self) -> &Path {
        self.env.working_dir()
    }

    fn metadata<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<FileInfo, FileError>> {
        self.env.metadata(path)
    }

    fn open<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<Box<dyn FileReader>, FileError>> {
        self.env.open(path)
    }

    fn list<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<Vec<DirEntry>, FileError>> {
        self.env.list(path)
    }

    fn write<'a>(
        &'a self,
        path: &'a Path,
        request: WriteFile,
    ) -> BoxFuture<'a, Result<WriteReport, FileError>> {
        match self.meddling {
            Meddling::Write(name, content) => {
                std::fs::write(self.working_dir().join(name), content).unwrap();
                self.env.write(path, request)
            }
            Meddling::NoSpace => Box::pin(ready(Err(FileError::NoSpace { path: path.to_owned() }))),
        }
    }

    fn run<'a>(
        &'a self,
        request: RunCommand,
        output: &'a mut dyn OutputSink,
        cancel: CancellationToken,
    ) -> BoxFuture<'a, Result<CommandEnd, CommandError>> {
        self.env.run(request, output, cancel)
    }
}
