//! The text of past sessions: where something was said.
//!
//! Owns what counts as said (the user's and the model's words, not what tools printed) and the
//! bounds of an answer. Must not load a session as the model sees it: other branches and
//! compacted messages are found too.
//!
//! Each session is read once, a line at a time; only a line whose bytes do not rule the query out
//! is decoded. A second reading, as far as the last place, finds the numbers of the entries: to
//! count the entries costs more than to look through them, and most sessions have no place.

use super::SessionError;
use super::codec::{self, Role};
use super::lines::Lines;
use super::listing::{Found, scan, shown_label};
use super::load::{SpanReader, open_regular};
use super::manager::Scope;
use super::needle::Needle;
use super::parallel::take_until;
use super::records::each_record;
use letscode_wire::{SearchHit, SearchResult, SessionInfo, text_of};
use std::fs::File;
use std::io::{self, Seek as _};
use std::path::Path;

/// How many places an answer names.
const MAX_HITS: usize = 100;

/// How many places of one session it names.
const MAX_HITS_PER_SESSION: usize = 5;

/// How much text stands before and behind a place, in characters.
const CONTEXT_LENGTH: usize = 60;

/// Returns where `query` was said in the sessions that `scope` means for the project in `folder`.
/// Blocks on the disk. A session that cannot be read is left out.
///
/// # Errors
/// When the folder cannot be read.
pub(super) fn search(
    folder: &Path,
    scope: Scope,
    query: &str,
) -> Result<SearchResult, SessionError> {
    let mut result = SearchResult { hits: Vec::new(), truncated: false };
    let query = query.trim().to_lowercase();
    if query.is_empty() {
        return Ok(result);
    }
    let sessions = scan(folder, scope)?;
    let needle = Needle::new(&query);
    let searched = take_until(&sessions, MAX_HITS, |session| {
        let hits = search_session(session, &query, &needle).unwrap_or_else(|error| {
            tracing::debug!(%error, "cannot search a session");
            Vec::new()
        });
        (hits.len().min(MAX_HITS_PER_SESSION), hits)
    });
    result.truncated = searched.len() < sessions.len();
    for hits in searched {
        if result.hits.len() >= MAX_HITS {
            result.truncated = true;
            break;
        }
        result.truncated |= hits.len() > MAX_HITS_PER_SESSION;
        result.hits.extend(hits.into_iter().take(MAX_HITS_PER_SESSION));
    }
    Ok(result)
}

/// A place in a session.
struct Place {
    /// The number of its line, from 1.
    line: usize,
    /// Which of the line's records it is, from 0.
    record: usize,
    role: &'static str,
    text: String,
}

/// Returns the first places in a session, one more than are named where there are more.
fn search_session(
    session: &Found,
    query: &str,
    needle: &Needle,
) -> Result<Vec<SearchHit>, SessionError> {
    let read_error = || SessionError::io("read", &session.path);
    let mut file = open_regular(&session.path)?;
    // A handle of its own, so that the line by line reading stays where it is.
    let long_lines = open_regular(&session.path)?;
    let mut long_lines = SpanReader::new(&long_lines).map_err(read_error())?;
    let mut lines = Lines::new(&file);
    let places = places(&mut lines, &mut long_lines, query, needle).map_err(read_error())?;
    if places.is_empty() {
        return Ok(Vec::new());
    }
    file.rewind().map_err(read_error())?;
    let entries = numbers(&mut Lines::new(&file), &places).map_err(read_error())?;
    let info = SessionInfo {
        id: session.id.clone(),
        label: shown_label(&session.path),
        path: session.path.display().to_string(),
    };
    let hit = |(place, entry): (Place, usize)| SearchHit {
        session: info.clone(),
        entry,
        role: place.role.to_owned(),
        text: place.text,
    };
    Ok(places.into_iter().zip(entries).map(hit).collect())
}

fn places(
    lines: &mut Lines<&File>,
    long_lines: &mut SpanReader<'_>,
    query: &str,
    needle: &Needle,
) -> io::Result<Vec<Place>> {
    let mut places = Vec::new();
    while let Some(line) = lines.next_line()? {
        if line.walked.is_none() && !needle.may_be_in(line.bytes) {
            continue;
        }
        let line_number = line.number;
        let mut records = 0;
        let mut read = Ok(());
        each_record(line, |record, head| {
            let record_number = records;
            records += 1;
            let Some(role) = role_name(head.role) else { return };
            let bytes = record.bytes.map_or_else(|| long_lines.read(record.span), Ok);
            let text = match bytes {
                Ok(bytes) => said(head.role, bytes, query),
                Err(error) => {
                    read = Err(error);
                    return;
                }
            };
            if let Some(text) = text {
                places.push(Place { line: line_number, record: record_number, role, text });
            }
        });
        read?;
        if places.len() > MAX_HITS_PER_SESSION {
            break;
        }
    }
    places.truncate(MAX_HITS_PER_SESSION + 1);
    Ok(places)
}

/// Returns the name of a role whose words are searched.
fn role_name(role: Role) -> Option<&'static str> {
    match role {
        Role::User => Some("user"),
        Role::Assistant => Some("assistant"),
        Role::Tool | Role::Custom | Role::Unknown => None,
    }
}

/// Returns the text around the query in a record that has it.
fn said(role: Role, record: &[u8], query: &str) -> Option<String> {
    let message = codec::decode_message(role, record)?;
    around(&text_of(message.content()), query)
}

/// Returns the numbers, from 1, of the entries at `places`.
fn numbers(lines: &mut Lines<&File>, places: &[Place]) -> io::Result<Vec<usize>> {
    let mut numbers = Vec::with_capacity(places.len());
    let mut before = 0;
    let mut open = places;
    while let (Some(next), Some(line)) = (open.first(), lines.next_line()?) {
        let mut records = 0;
        let number = line.number;
        each_record(line, |_, _| records += 1);
        if number == next.line {
            let here = open.iter().take_while(|place| place.line == number).count();
            let (found, behind) = open.split_at(here);
            numbers.extend(found.iter().map(|place| before + place.record + 1));
            open = behind;
        }
        before += records;
    }
    Ok(numbers)
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

#[cfg(test)]
mod tests;
