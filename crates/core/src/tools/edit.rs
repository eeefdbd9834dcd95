//! The `edit` tool: replaces a text in a file.
//!
//! Owns the run of a call: read, plan, write on the condition that nothing came between. Where
//! the text is, `matching` finds out.

mod plan;
mod report;

use super::content::{self, Content};
use super::ledger::note_seen;
use super::matching::Count;
use super::path::{access_key, resolve};
use super::target::{Target, regular_file};
use super::{Access, Tool, ToolContext, ToolError};
use super::{diff, parameters};
use crate::env::{ExecutionEnv, Expected, Fingerprint};
use futures_util::future::BoxFuture;
use letscode_wire::{ContentPart, ExecutionMode, Meta, ToolOutput, ToolSpec};
use plan::{Plan, Request, plan};
use serde_json::{Map, Value, json};
use std::path::PathBuf;

/// A larger file is not edited: it would have to be held in memory.
const SIZE_LIMIT: usize = 64 * 1024 * 1024;

/// The tool.
#[derive(Debug)]
pub struct Edit {
    spec: ToolSpec,
    home: Option<PathBuf>,
}

impl Edit {
    /// Returns the tool; `home` is what a leading `~/` in paths stands for.
    pub fn new(home: Option<PathBuf>) -> Self {
        Self { spec: spec(), home }
    }
}

impl Tool for Edit {
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
            edit(Target { given, path: &path }, &arguments, &context).await
        })
    }
}

fn spec() -> ToolSpec {
    ToolSpec {
        name: "edit".to_owned(),
        description: "Replaces old_string by new_string in a file. old_string must be the exact \
            text of one place, without the line numbers that read shows, and with enough lines \
            around it to be the only one; or replace_all is true and every place is replaced. \
            Line endings and the rest of the file stay as they are."
            .to_owned(),
        parameters: json!({
            "type": "object",
            "properties": {
                "path": {
                    "type": "string",
                    "description": "The file, absolute or relative to the working directory.",
                },
                "old_string": {
                    "type": "string",
                    "description": "The text to replace.",
                },
                "new_string": {
                    "type": "string",
                    "description": "The text to put there; empty to delete.",
                },
                "replace_all": {
                    "type": "boolean",
                    "description": "Replace every place where old_string is.",
                },
            },
            "required": ["path", "old_string", "new_string"],
        }),
        execution_mode: ExecutionMode::Parallel,
    }
}

async fn edit(
    target: Target<'_>,
    arguments: &Map<String, Value>,
    context: &ToolContext,
) -> Result<ToolOutput, ToolError> {
    let info = regular_file(target, context.env.as_ref()).await?;
    let too_large =
        || ToolError::new(format!("{} is larger than 64 MB: change it with bash", target.given));
    if info.size > SIZE_LIMIT as u64 {
        return Err(too_large());
    }
    let old = content::load(target, SIZE_LIMIT, context).await?.ok_or_else(too_large)?;
    let texts = ["old_string", "new_string"].map(|name| parameters::text(arguments, name));
    content::refuse_hidden_keys(target, &old, &texts, context)?;
    let known = context.files.known(target.path);
    let replace_all = parameters::is_on(arguments, "replace_all");
    let request = Request {
        old: parameters::text(arguments, "old_string").to_owned(),
        new: parameters::text(arguments, "new_string").to_owned(),
        count: if replace_all { Count::All } else { Count::One },
        is_stale: known.is_some_and(|known| known != old.fingerprint),
    };
    let is_stale = request.is_stale;
    let expected = Expected::Content(old.fingerprint);
    let planning = prepare(target.given.to_owned(), old, request);
    let prepared = context.cancel.run_until_cancelled(planning).await;
    let Prepared { bytes, fingerprint, text, mut details } =
        prepared.unwrap_or_else(|| Err(content::cancelled(target)))?;
    content::save(target, bytes, expected, context).await?;
    // What changed behind the conversation's back is still unseen.
    if !is_stale {
        context.files.record(target.path, fingerprint);
        note_seen(&mut details, target.path, fingerprint);
    }
    Ok(ToolOutput { content: vec![ContentPart::text(text)], details, ..ToolOutput::default() })
}

/// An edit that only has to be written.
struct Prepared {
    bytes: Vec<u8>,
    fingerprint: Fingerprint,
    text: String,
    details: Meta,
}

/// Plans the edit away from the thread that answers keys: searching and comparing a large file
/// takes time.
async fn prepare(given: String, old: Content, request: Request) -> Result<Prepared, ToolError> {
    let planning = tokio::task::spawn_blocking(move || {
        let plan = plan(&old.bytes, &request).map_err(|refusal| {
            ToolError::new(report::refusal(&given, &refusal, &old.bytes, &request))
        })?;
        Ok(Prepared {
            fingerprint: Fingerprint::of(&plan.bytes),
            text: report::success(&given, &plan, request.is_stale),
            details: details(&given, &old.bytes, &plan, request.count),
            bytes: plan.bytes,
        })
    });
    planning.await.unwrap_or_else(|error| Err(ToolError::new(format!("edit failed: {error}"))))
}

fn details(given: &str, old: &[u8], plan: &Plan, count: Count) -> Meta {
    let mut details = Meta::new();
    details.insert("path".to_owned(), given.into());
    details.insert("replacements".to_owned(), plan.places.len().into());
    details.insert("replace_all".to_owned(), (count == Count::All).into());
    diff::note(&mut details, given, old, &plan.bytes);
    if !plan.forgiven.is_empty() {
        let names: Vec<&str> = plan.forgiven.iter().map(|it| report::name(*it)).collect();
        details.insert("forgiven".to_owned(), names.into());
    }
    details
}

#[cfg(test)]
mod tests;
