//! For the tests of the file tools: a temporary folder, the real environment, and one ledger.

use super::{FileLedger, Progress, Tool, ToolContext, ToolError};
use crate::env::{ExecutionEnv, LocalEnv, LocalEnvOptions};
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

impl Workbench {
    pub(super) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let options =
            LocalEnvOptions { working_dir: folder.path().to_owned(), ..LocalEnvOptions::default() };
        Self::with_env(folder, Arc::new(LocalEnv::new(options)))
    }

    pub(super) fn with_env(folder: TempDir, env: Arc<dyn ExecutionEnv>) -> Self {
        let context = ToolContext {
            call_id: "c1".into(),
            env,
            files: Arc::new(FileLedger::default()),
            cancel: CancellationToken::new(),
            progress: Progress::new(|_| {}),
            vision: true,
        };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        Self { folder, context, runtime }
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
        use rustix::fs::{CWD, FileType, Mode, mknodat};
        mknodat(CWD, self.path(name), FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
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
