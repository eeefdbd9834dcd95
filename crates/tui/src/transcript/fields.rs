//! Small pieces of lines: elapsed time, sizes, arguments, the moving mark.
//!
//! Owns how each is written. Must not know events.

use crate::fold::{INDENT, beginning};
use crate::layout::{Block, Fit, quiet};
use crate::text::{Line, Span};
use crate::theme;
use serde_json::{Map, Value};
use std::time::{Duration, Instant};

/// What shows that something is under way, a tenth of a second each.
const FRAMES: [&str; 10] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
/// No more of a call's main argument is looked at.
const MAX_ARGUMENT: usize = 400;

/// Returns the mark of something that is under way for so long.
pub(super) fn frame(elapsed: Duration) -> &'static str {
    let at = (elapsed.as_millis() / 100) as usize % FRAMES.len();
    FRAMES.get(at).copied().unwrap_or("·")
}

/// Returns the line of something that has been under way since then.
pub(super) fn working(what: &str, since: Instant, now: Instant) -> Line {
    let elapsed = now.saturating_duration_since(since);
    let text = match elapsed.as_secs() {
        0 => format!("{} {what}", frame(elapsed)),
        _ => format!("{} {what} {}", frame(elapsed), duration(elapsed)),
    };
    Line::from(quiet(text))
}

/// Returns a duration as a person says it.
pub(super) fn duration(elapsed: Duration) -> String {
    let seconds = elapsed.as_secs();
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{} min {} s", seconds / 60, seconds % 60),
        _ => format!("{} h {} min", seconds / 3600, seconds / 60 % 60),
    }
}

/// Returns a number of bytes as a person says it.
pub(super) fn size(bytes: usize) -> String {
    match bytes {
        0..1_000 => format!("{bytes} bytes"),
        1_000..1_000_000 => format!("{} KB", bytes / 1_000),
        _ => format!("{}.{} MB", bytes / 1_000_000, bytes / 100_000 % 10),
    }
}

/// Returns the note that stands for a picture in base64.
pub(super) fn picture(data: &str, mime_type: &str) -> Block {
    let mut line = Line::from(quiet("[picture "));
    line.push(Span::foreign(beginning(mime_type, MAX_ARGUMENT), theme::QUIET));
    line.push(quiet(format!(", {}]", size(data.len() / 4 * 3))));
    Block::indented(line, INDENT, Fit::Clip)
}

/// Returns the types of the pictures that a message's text tells of as attached.
pub(super) fn attached_pictures(text: &str) -> impl Iterator<Item = &str> {
    let notes = text.lines().filter(|line| line.starts_with("[attached: "));
    notes.filter_map(|note| {
        let (_, of) = note.rsplit_once(" (image/")?;
        let end = of.find([',', ')'])?;
        // The type as a whole, with what stands before its slash.
        let start = note.len() - of.len() - "image/".len();
        note.get(start..start + "image/".len() + end)
    })
}

/// Returns what a call is mostly about: the beginning of its main argument, one line.
pub(super) fn main_argument(arguments: &Map<String, Value>) -> String {
    let named = ["command", "path"].into_iter().find_map(|name| arguments.get(name));
    let text = match named.or_else(|| arguments.values().next()) {
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
        None => return String::new(),
    };
    let text = text.trim();
    let line = beginning(text.lines().next().unwrap_or_default(), MAX_ARGUMENT);
    let more = if line.len() < text.len() { " …" } else { "" };
    format!("{line}{more}")
}
