//! The `read` tool: numbered lines of a text file, or a picture.
//!
//! Owns the declaration, and the decision what a file is. Must not change anything.

mod file;
mod hidden;
mod image;
mod window;

use super::encoding::{Encoding, encoding_of};
use super::parameters;
use super::path::{access_key, resolve};
use super::target::{Target, regular_file};
use super::{Access, Tool, ToolContext, ToolError};
use crate::env::ExecutionEnv;
use file::File;
use futures_util::future::BoxFuture;
use image::ImageKind;
use letscode_wire::{ExecutionMode, ToolOutput, ToolSpec};
use serde_json::{Map, Value, json};
use std::path::PathBuf;
use window::LINE_LIMIT;

/// The tool.
#[derive(Debug)]
pub struct Read {
    spec: ToolSpec,
    home: Option<PathBuf>,
}

impl Read {
    /// Returns the tool; `home` is what a leading `~/` in paths stands for.
    pub fn new(home: Option<PathBuf>) -> Self {
        Self { spec: spec(), home }
    }
}

impl Tool for Read {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn access(&self, arguments: &Map<String, Value>, env: &dyn ExecutionEnv) -> Access {
        let given = parameters::text(arguments, "path");
        let path = access_key(given, self.home.as_deref(), env.working_dir());
        Access { changes: false, path: Some(path) }
    }

    fn run<'a>(
        &'a self,
        arguments: Map<String, Value>,
        context: ToolContext,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        Box::pin(async move {
            let reading = context.cancel.run_until_cancelled(self.read(&arguments, &context));
            let read = reading.await;
            read.unwrap_or_else(|| Err(ToolError::new("interrupted before the file was read")))
        })
    }
}

impl Read {
    async fn read(
        &self,
        arguments: &Map<String, Value>,
        context: &ToolContext,
    ) -> Result<ToolOutput, ToolError> {
        let given = parameters::path(arguments)?;
        let offset = parameters::whole_number(arguments, "offset", 0)?.unwrap_or(0);
        let limit = parameters::whole_number(arguments, "limit", 1)?.unwrap_or(LINE_LIMIT);
        let path = resolve(given, self.home.as_deref(), context.env.as_ref()).await;
        let target = Target { given, path: &path };
        let info = regular_file(target, context.env.as_ref()).await?;
        let file = File::open(target, info, context).await?;
        if let Some(kind) = ImageKind::of(&file.head) {
            return file.read_image(kind).await;
        }
        match encoding_of(&file.head) {
            Encoding::Text => file.read_text(offset, limit).await,
            Encoding::Utf16(name) => Err(ToolError::new(format!(
                "{given} is {name} text, {} bytes: only UTF-8 is shown; convert it with bash \
                 (iconv -f UTF-16 -t UTF-8)",
                info.size
            ))),
            Encoding::Binary => Err(ToolError::new(format!(
                "{given} is a binary file, {} bytes: use a command in bash that knows its format",
                info.size
            ))),
        }
    }
}

/// Returns whether a file that begins with `head` is a picture that models take.
pub(crate) fn is_picture(head: &[u8]) -> bool {
    ImageKind::of(head).is_some()
}

/// Returns a note on what in `text` a person would not see, if there is anything.
pub(crate) fn hidden_note(text: &str) -> Option<String> {
    if text.is_ascii() {
        return None;
    }
    let lines = text.lines().zip(1_usize..);
    let numbered: Vec<String> = lines.map(|(line, number)| format!("{number}\t{line}")).collect();
    hidden::note(&numbered.join("\n"))
}

fn spec() -> ToolSpec {
    ToolSpec {
        name: "read".to_owned(),
        description: "Shows a text file with line numbers, or a picture (PNG, JPEG, GIF, WebP). \
            A call shows at most 2,000 lines or 50 KB, and 2,000 characters of a line; it says \
            what was left out and which offset goes on. Use it rather than cat, before a file is \
            edited or overwritten."
            .to_owned(),
        parameters: json!({
            "type": "object",
            "properties": {
                "path": {
                    "type": "string",
                    "description": "The file, absolute or relative to the working directory.",
                },
                "offset": {
                    "type": "integer",
                    "description": "How many lines to skip; 0 begins with line 1.",
                },
                "limit": {
                    "type": "integer",
                    "description": "How many lines to show.",
                },
            },
            "required": ["path"],
        }),
        execution_mode: ExecutionMode::Parallel,
    }
}

#[cfg(test)]
mod tests;
