//! Whole contents: read into memory up to a limit, and written back.
//!
//! Owns what `write` and `edit` share. Must not decide what the content should be.

use super::fingerprint::Hasher;
use super::target::{Target, file_error};
use super::{ToolContext, ToolError};
use crate::env::{Expected, Fingerprint, WriteFile};
use crate::secrets::MASK;

/// A file's whole content.
pub(super) struct Content {
    /// The bytes as they are on disk.
    pub(super) bytes: Vec<u8>,
    /// Their fingerprint.
    pub(super) fingerprint: Fingerprint,
}

/// Returns the content of a regular file, or nothing where it is larger than `limit` bytes.
pub(super) async fn load(
    target: Target<'_>,
    limit: usize,
    context: &ToolContext,
) -> Result<Option<Content>, ToolError> {
    let loading = context.cancel.run_until_cancelled(read_all(target, limit, context));
    loading.await.unwrap_or_else(|| Err(cancelled(target)))
}

/// Writes `bytes` and returns whether parent directories were made.
pub(super) async fn save(
    target: Target<'_>,
    bytes: Vec<u8>,
    expected: Expected,
    context: &ToolContext,
) -> Result<bool, ToolError> {
    if context.cancel.is_cancelled() {
        return Err(cancelled(target));
    }
    let request = WriteFile { bytes, expected };
    let written = context.env.write(target.path, request).await;
    written.map(|report| report.created_parents).map_err(|error| file_error(&error))
}

/// Refuses texts that hold the mark of a hidden key, where the file holds a key: the model wrote
/// back what it was shown, and the key would be lost.
pub(super) fn refuse_hidden_keys(
    target: Target<'_>,
    old: &Content,
    texts: &[&str],
    context: &ToolContext,
) -> Result<(), ToolError> {
    let is_marked = texts.iter().any(|text| text.contains(MASK));
    if !is_marked || !context.secrets.are_in(&old.bytes) {
        return Ok(());
    }
    Err(ToolError::new(format!(
        "{} holds a key that is shown as {MASK}, and was left as it is, because the key would be \
         lost: change its other lines with edit, each without the line of the key",
        target.given
    )))
}

async fn read_all(
    target: Target<'_>,
    limit: usize,
    context: &ToolContext,
) -> Result<Option<Content>, ToolError> {
    let mut reader = context.env.open(target.path).await.map_err(|error| file_error(&error))?;
    let mut bytes = Vec::new();
    let mut hasher = Hasher::default();
    loop {
        let chunk = reader.read_chunk().await.map_err(|error| file_error(&error))?;
        if chunk.is_empty() {
            return Ok(Some(Content { bytes, fingerprint: hasher.finish() }));
        }
        if bytes.len() + chunk.len() > limit {
            return Ok(None);
        }
        hasher.push(&chunk);
        bytes.extend_from_slice(&chunk);
    }
}

/// Returns the error for a call that was interrupted in time.
pub(super) fn cancelled(target: Target<'_>) -> ToolError {
    ToolError::new(format!("interrupted: {} was not changed", target.given))
}
