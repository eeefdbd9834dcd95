//! The `write` tool: a whole file, new or in place of one that the conversation knows.
//!
//! Owns the rule when an existing file may be overwritten. How a file is replaced without harm
//! is the environment's affair.

use super::content::{self, Content};
use super::ledger::note_seen;
use super::path::{access_key, resolve};
use super::target::{Target, file_error, not_regular};
use super::{Access, Tool, ToolContext, ToolError};
use super::{diff, parameters};
use crate::env::{ExecutionEnv, Expected, FileError, FileKind, Fingerprint};
use futures_util::future::BoxFuture;
use letscode_wire::{ContentPart, ExecutionMode, Meta, ToolOutput, ToolSpec};
use serde_json::{Map, Value, json};
use std::path::PathBuf;

/// A larger file is not read before it is overwritten: no diff, and never taken for known.
const COMPARE_LIMIT: usize = 64 * 1024 * 1024;

/// The tool.
#[derive(Debug)]
pub struct Write {
    spec: ToolSpec,
    home: Option<PathBuf>,
}

impl Write {
    /// Returns the tool; `home` is what a leading `~/` in paths stands for.
    pub fn new(home: Option<PathBuf>) -> Self {
        Self { spec: spec(), home }
    }
}

impl Tool for Write {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn access(&self, arguments: &Map<String, Value>, env: &dyn ExecutionEnv) -> Access {
        let given = parameters::text(arguments, "path");
        let path = access_key(given, self.home.as_deref(), env.working_dir());
        Access { changes: true, path: Some(path) }
    }

    fn run<'a>(
        &'a self,
        arguments: Map<String, Value>,
        context: ToolContext,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        Box::pin(async move {
            let given = parameters::path(&arguments)?;
            let path = resolve(given, self.home.as_deref(), context.env.as_ref()).await;
            let target = Target { given, path: &path };
            let new = parameters::text(&arguments, "content");
            if exists(target, &context).await? {
                let overwrite = parameters::is_on(&arguments, "overwrite");
                replace(target, new, overwrite, &context).await
            } else {
                create(target, new, &context).await
            }
        })
    }
}

fn spec() -> ToolSpec {
    ToolSpec {
        name: "write".to_owned(),
        description: "Creates a file, or replaces the whole content of one. Missing parent \
            directories are made. A file that already exists is replaced only if it was read or \
            written in this conversation and has not changed since, or if overwrite is true. To \
            change a part of a file, use edit."
            .to_owned(),
        parameters: json!({
            "type": "object",
            "properties": {
                "path": {
                    "type": "string",
                    "description": "The file, absolute or relative to the working directory.",
                },
                "content": {
                    "type": "string",
                    "description": "The whole new content.",
                },
                "overwrite": {
                    "type": "boolean",
                    "description": "Replace an existing file without having read it.",
                },
            },
            "required": ["path", "content"],
        }),
        execution_mode: ExecutionMode::Parallel,
    }
}

/// Returns whether a regular file is there already; anything else that is there is refused.
async fn exists(target: Target<'_>, context: &ToolContext) -> Result<bool, ToolError> {
    match context.env.metadata(target.path).await.map(|info| info.kind) {
        Ok(FileKind::File) => Ok(true),
        Ok(FileKind::Directory) => {
            Err(ToolError::new(format!("{} is a directory: name a file in it", target.given)))
        }
        Ok(FileKind::Other) => Err(not_regular(target)),
        Err(FileError::NotFound { .. }) => Ok(false),
        Err(error) => Err(file_error(&error)),
    }
}

async fn create(
    target: Target<'_>,
    new: &str,
    context: &ToolContext,
) -> Result<ToolOutput, ToolError> {
    let bytes = new.as_bytes().to_vec();
    let created_parents = content::save(target, bytes, Expected::Absent, context).await?;
    let mut output = written(target, new, created_parents, context);
    diff::note_apart(&mut output.details, target.given, Vec::new(), new).await;
    let parents = if created_parents { ", with its parent directories" } else { "" };
    let text = format!("created {} ({}{parents})", target.given, extent(new));
    output.content.push(ContentPart::text(text));
    Ok(output)
}

async fn replace(
    target: Target<'_>,
    new: &str,
    overwrite: bool,
    context: &ToolContext,
) -> Result<ToolOutput, ToolError> {
    let old = content::load(target, COMPARE_LIMIT, context).await?;
    if let Some(old) = &old
        && old.bytes == new.as_bytes()
    {
        return Ok(unchanged(target, new, context));
    }
    if let Some(old) = &old {
        content::refuse_hidden_keys(target, old, &[new], context)?;
    }
    if !overwrite {
        check_known(target, old.as_ref(), context)?;
    }
    let expected = match &old {
        Some(old) => Expected::Content(old.fingerprint),
        None => Expected::Anything,
    };
    let created_parents = content::save(target, new.as_bytes().to_vec(), expected, context).await?;
    let mut output = written(target, new, created_parents, context);
    match old {
        Some(old) => diff::note_apart(&mut output.details, target.given, old.bytes, new).await,
        None => diff::omit(&mut output.details, "the replaced file was larger than 64 MB"),
    }
    let text = format!("replaced the content of {} ({})", target.given, extent(new));
    output.content.push(ContentPart::text(text));
    Ok(output)
}

/// Refuses to overwrite what the conversation has not seen as it is now.
fn check_known(
    target: Target<'_>,
    old: Option<&Content>,
    context: &ToolContext,
) -> Result<(), ToolError> {
    let given = target.given;
    let now = old.map(|old| old.fingerprint);
    let message = match context.files.known(target.path) {
        Some(known) if Some(known) == now => return Ok(()),
        Some(_) => format!(
            "{given} has changed since this conversation last read or wrote it, and was left as \
             it is: read it again, then write what should be kept of it too; overwrite true \
             only if the changes may be lost"
        ),
        None => format!(
            "{given} already exists and was not read in this conversation; it was left as it \
             is: read it first (or use edit), or pass overwrite true if its present content may \
             be lost"
        ),
    };
    Err(ToolError::new(message))
}

fn unchanged(target: Target<'_>, new: &str, context: &ToolContext) -> ToolOutput {
    let mut output = written(target, new, false, context);
    output.details.insert("bytes_written".to_owned(), 0.into());
    output.details.insert("diff".to_owned(), "".into());
    let text = format!("{} already has exactly this content ({})", target.given, extent(new));
    output.content.push(ContentPart::text(text));
    output
}

/// Records the new content as known and returns an output with the details but for the diff.
fn written(
    target: Target<'_>,
    new: &str,
    created_parents: bool,
    context: &ToolContext,
) -> ToolOutput {
    let fingerprint = Fingerprint::of(new.as_bytes());
    context.files.record(target.path, fingerprint);
    let mut details = Meta::new();
    details.insert("path".to_owned(), target.given.into());
    details.insert("bytes_written".to_owned(), new.len().into());
    details.insert("created_parents".to_owned(), created_parents.into());
    note_seen(&mut details, target.path, fingerprint);
    ToolOutput { details, ..ToolOutput::default() }
}

fn extent(text: &str) -> String {
    let plural = |number| if number == 1 { "" } else { "s" };
    let (lines, bytes) = (text.lines().count(), text.len());
    format!("{lines} line{}, {bytes} byte{}", plural(lines), plural(bytes))
}

#[cfg(test)]
mod tests;
