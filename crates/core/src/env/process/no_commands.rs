//! Commands on a system that has no POSIX processes: none.
//!
//! Owns the refusal.

use crate::env::{CommandEnd, CommandError, OutputSink, RunCommand};
use std::io;
use std::path::Path;
use tokio_util::sync::CancellationToken;

/// Says that there are no commands: process groups and pipes are another thing here.
#[derive(Debug)]
pub(in crate::env) struct Commands;

impl Commands {
    pub(in crate::env) fn new(_removed_variables: Vec<String>) -> Self {
        Self
    }

    pub(in crate::env) fn remove_variables(&self, _names: Vec<String>) {}

    pub(in crate::env) fn end_all(&self) {}

    pub(in crate::env) async fn run(
        &self,
        _working_dir: &Path,
        _request: RunCommand,
        _output: &mut dyn OutputSink,
        _cancel: CancellationToken,
    ) -> Result<CommandEnd, CommandError> {
        let text = "commands are not supported on this system";
        Err(CommandError::Io { source: io::Error::new(io::ErrorKind::Unsupported, text) })
    }
}
