//! What a server wrote to its stderr or sent as a log message: the newest lines.
//!
//! Owns the bounds. Servers say much that nobody needs to see, so nothing is shown until a server
//! fails or somebody asks. Must not hold a secret.

use crate::content::one_line;
use crate::masks::Masks;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, BufReader};

const MOST_LINES: usize = 100;
const LONGEST_LINE: usize = 500;

/// The newest lines, shared between those who write and those who show them.
#[derive(Clone)]
pub(crate) struct Journal {
    masks: Masks,
    lines: Arc<Mutex<VecDeque<String>>>,
}

impl Journal {
    pub(crate) fn new(masks: Masks) -> Self {
        Self { masks, lines: Arc::default() }
    }

    /// Returns what must not be shown.
    pub(crate) fn masks(&self) -> &Masks {
        &self.masks
    }

    /// Forgets all lines: what follows is another try.
    pub(crate) fn clear(&self) {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// Adds a line.
    pub(crate) fn add(&self, line: &str) {
        let line = one_line(&self.masks.apply(line), LONGEST_LINE);
        if line.is_empty() {
            return;
        }
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        if lines.len() == MOST_LINES {
            lines.pop_front();
        }
        lines.push_back(line);
    }

    /// Returns the newest lines, oldest first.
    pub(crate) fn newest(&self, most: usize) -> Vec<String> {
        let lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        lines.iter().skip(lines.len().saturating_sub(most)).cloned().collect()
    }

    /// Reads `stream` to its end, line by line; a line without an end takes no memory.
    pub(crate) async fn follow(self, stream: impl AsyncRead + Unpin) {
        let mut reader = BufReader::new(stream);
        let mut line = Vec::new();
        loop {
            line.clear();
            let limit = 4 * LONGEST_LINE as u64;
            match (&mut reader).take(limit).read_until(b'\n', &mut line).await {
                Ok(0) | Err(_) => return,
                Ok(_) => self.add(&String::from_utf8_lossy(&line)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn keeps_the_newest_lines_short_and_without_secrets() {
        let mut masks = Masks::default();
        masks.add("hunter2hunter2");
        let journal = Journal::new(masks);
        let mut text: String = (0..200).map(|n| format!("line {n}\n")).collect();
        text.push_str("\nkey hunter2hunter2\r\n");
        text.push_str(&"x".repeat(5_000));
        journal.clone().follow(text.as_bytes()).await;
        let newest = journal.newest(4);
        assert_eq!(newest[0], "key [masked]");
        assert!(newest.iter().all(|line| line.chars().count() <= LONGEST_LINE));
        assert_eq!(journal.newest(1_000).len(), MOST_LINES);
    }
}
