//! The text of past sessions: where something was said.
//!
//! Owns what counts as said (the user's and the model's words, not what tools printed) and the
//! bounds of an answer. Must not load a session as the model sees it: other branches and
//! compacted messages are found too.

use super::SessionError;
use super::codec::Role;
use super::listing::{Summary, list};
use super::tree::walk;
use letscode_wire::{SearchHit, SearchResult, SessionInfo, text_of};
use std::path::Path;

/// How many places an answer names.
const MAX_HITS: usize = 100;

/// How many places of one session it names.
const MAX_HITS_PER_SESSION: usize = 5;

/// How much text stands before and behind a place, in characters.
const CONTEXT_LENGTH: usize = 60;

/// Returns where `query` was said in the sessions in `folder`. Blocks on the disk. A session
/// that cannot be read is left out.
///
/// # Errors
/// When the folder cannot be read.
pub(super) fn search(folder: &Path, query: &str) -> Result<SearchResult, SessionError> {
    let mut result = SearchResult { hits: Vec::new(), truncated: false };
    let query = query.trim().to_lowercase();
    if query.is_empty() {
        return Ok(result);
    }
    for summary in list(folder)? {
        if result.hits.len() >= MAX_HITS {
            result.truncated = true;
            break;
        }
        if let Err(error) = search_session(&summary, &query, &mut result) {
            tracing::debug!(%error, "cannot search a session");
        }
    }
    Ok(result)
}

fn search_session(
    summary: &Summary,
    query: &str,
    result: &mut SearchResult,
) -> Result<(), SessionError> {
    let mut found = 0;
    walk(&summary.path, |number, entry, message| {
        let role = match entry.role {
            Role::User => "user",
            Role::Assistant => "assistant",
            Role::Tool | Role::Custom | Role::Unknown => return,
        };
        let Some(text) = around(&text_of(message.content()), query) else { return };
        found += 1;
        if found > MAX_HITS_PER_SESSION {
            result.truncated = true;
            return;
        }
        let session = SessionInfo {
            id: summary.id.clone(),
            label: summary.label.clone(),
            path: summary.path.display().to_string(),
        };
        let role = role.to_owned();
        result.hits.push(SearchHit { session, entry: number, role, text });
    })?;
    Ok(())
}

/// Returns the text around the first place of `query`, which is in lower case, on one line.
fn around(text: &str, query: &str) -> Option<String> {
    let lower = text.to_lowercase();
    let at = lower.find(query)?;
    // Lower case may have another length; counted in characters it is as good as the same.
    let place = lower.get(..at)?.chars().count();
    let start = place.saturating_sub(CONTEXT_LENGTH);
    let length = place - start + query.chars().count() + CONTEXT_LENGTH;
    let cut: String = text.chars().skip(start).take(length).collect();
    let words: Vec<&str> = cut.split_whitespace().collect();
    let before = if start > 0 { "…" } else { "" };
    let behind = if text.chars().nth(start + length).is_some() { "…" } else { "" };
    Some(format!("{before}{}{behind}", words.join(" ")))
}
