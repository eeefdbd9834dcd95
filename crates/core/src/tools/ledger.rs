//! Which files the conversation has read or written, and what they held then.
//!
//! Owns the memory that lets `write` tell a known file from a stranger's. Must not touch files.

use super::fingerprint;
use super::path::normal_form;
use crate::env::Fingerprint;
use letscode_wire::{Message, Meta};
use serde_json::Value;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The files that the conversation knows. Shared by all calls of a run.
#[derive(Debug, Default)]
pub struct FileLedger {
    files: Mutex<HashMap<PathBuf, Fingerprint>>,
}

impl FileLedger {
    /// Remembers that the conversation has seen, or made, this content of `path`.
    pub fn record(&self, path: &Path, fingerprint: Fingerprint) {
        self.files().insert(normal_form(path), fingerprint);
    }

    /// Returns what `path` held when the conversation last saw or wrote it.
    pub fn known(&self, path: &Path) -> Option<Fingerprint> {
        self.files().get(&normal_form(path)).copied()
    }

    /// Makes the ledger what it was at the end of `messages`, from the details that the file
    /// tools left in their results. For a session that is continued.
    pub fn restore(&self, messages: &[Arc<Message>]) {
        let mut files = self.files();
        files.clear();
        let results = messages.iter().filter_map(|message| message.as_tool());
        files.extend(results.filter_map(|result| seen_file(&result.details)));
    }

    fn files(&self) -> MutexGuard<'_, HashMap<PathBuf, Fingerprint>> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Adds to a result's details what [`FileLedger::restore`] needs.
pub(super) fn note_seen(details: &mut Meta, path: &Path, fingerprint: Fingerprint) {
    details.insert("resolved_path".to_owned(), path.to_string_lossy().into());
    details.insert("fingerprint".to_owned(), fingerprint::to_hex(fingerprint).into());
}

fn seen_file(details: &Meta) -> Option<(PathBuf, Fingerprint)> {
    let path = details.get("resolved_path").and_then(Value::as_str)?;
    let hex = details.get("fingerprint").and_then(Value::as_str)?;
    Some((normal_form(Path::new(path)), fingerprint::from_hex(hex)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use letscode_wire::ToolMessage;

    fn result(details: Meta) -> Arc<Message> {
        Arc::new(Message::Tool(ToolMessage {
            id: "m".into(),
            tool_call_id: "c".into(),
            content: Vec::new(),
            is_error: false,
            timestamp: 0.0,
            details,
        }))
    }

    #[test]
    fn paths_are_compared_in_normal_form() {
        let ledger = FileLedger::default();
        ledger.record(Path::new("/w/./a/../b"), Fingerprint([1; 32]));
        assert_eq!(ledger.known(Path::new("/w/b")), Some(Fingerprint([1; 32])));
        assert_eq!(ledger.known(Path::new("/w/a")), None);
    }

    #[test]
    fn restore_takes_the_last_word_on_each_file_and_forgets_the_rest() {
        let (path, old, new) = (Path::new("/w/a"), Fingerprint([1; 32]), Fingerprint([0xab; 32]));
        let mut first = Meta::new();
        note_seen(&mut first, path, old);
        let mut second = Meta::new();
        note_seen(&mut second, path, new);
        let mut broken = first.clone();
        broken.insert("fingerprint".to_owned(), "é1".into());

        let ledger = FileLedger::default();
        ledger.record(Path::new("/w/other"), old);
        ledger.restore(&[result(first), result(second), result(Meta::new()), result(broken)]);
        assert_eq!(ledger.known(path), Some(new));
        assert_eq!(ledger.known(Path::new("/w/other")), None);
    }
}
