//! The files that compacted calls have read and changed.
//!
//! Owns the list beside a summary, which is made from the calls themselves, so that it is right
//! whatever the model writes. Must not look at files.

use super::is_compaction;
use letscode_wire::{Message, ToolCallId};
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::sync::Arc;

/// How many files of each kind a list names; the newest stay.
const MAX_FILES: usize = 200;

const READ_KEY: &str = "files_read";
const CHANGED_KEY: &str = "files_changed";

/// Paths as the model wrote them, oldest first, each once.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct FileList {
    read: Vec<String>,
    changed: Vec<String>,
}

impl FileList {
    /// Returns the files of `messages`, those of an earlier compaction among them included. A
    /// call that failed, or has no result, counts for nothing.
    pub(super) fn of(messages: &[Arc<Message>]) -> Self {
        let succeeded: BTreeSet<&ToolCallId> = messages
            .iter()
            .filter_map(|message| message.as_tool())
            .filter(|result| !result.is_error)
            .map(|result| &result.tool_call_id)
            .collect();
        let mut list = Self::default();
        for message in messages {
            match &**message {
                Message::Custom(custom) if is_compaction(message) => {
                    for (key, files) in
                        [(READ_KEY, &mut list.read), (CHANGED_KEY, &mut list.changed)]
                    {
                        let stored = custom.payload.get(key).and_then(Value::as_array);
                        let paths = stored.into_iter().flatten().filter_map(Value::as_str);
                        paths.for_each(|path| add(files, path));
                    }
                }
                Message::Assistant(answer) => {
                    for call in &answer.tool_calls {
                        let path = call.arguments.get("path").and_then(Value::as_str);
                        let Some(path) = path.filter(|_| succeeded.contains(&call.id)) else {
                            continue;
                        };
                        match call.name.as_str() {
                            "read" => add(&mut list.read, path),
                            "write" | "edit" => add(&mut list.changed, path),
                            _ => {}
                        }
                    }
                }
                Message::User(_) | Message::Tool(_) | Message::Custom(_) => {}
            }
        }
        list
    }

    /// Returns the summary with the list below it.
    pub(super) fn append_to(&self, summary: &str) -> String {
        let mut text = summary.to_owned();
        for (title, files) in [("Files read", &self.read), ("Files changed", &self.changed)] {
            if !files.is_empty() {
                text.push_str(&format!("\n\n{title}:"));
                files.iter().for_each(|path| text.push_str(&format!("\n- {path}")));
            }
        }
        text
    }

    /// Keeps the list for the next compaction.
    pub(super) fn store_in(self, payload: &mut Map<String, Value>) {
        payload.insert(READ_KEY.to_owned(), self.read.into());
        payload.insert(CHANGED_KEY.to_owned(), self.changed.into());
    }
}

/// Adds a path as the newest.
fn add(files: &mut Vec<String>, path: &str) {
    files.retain(|known| known != path);
    files.push(path.to_owned());
    let surplus = files.len().saturating_sub(MAX_FILES);
    files.drain(..surplus);
}
