//! Single lines between messages: retries, compactions, changes of the model, entries of plugins.
//!
//! Owns their words. Must not decide when they are shown.

use crate::fold::beginning;
use crate::layout::{Block, Fit};
use crate::text::{Line, Span, Style, width};
use crate::theme;
use letscode_wire::{CustomKind, CustomMessage, RetryNotice};
use serde_json::Value;

/// No more of a plugin's entry is looked at.
const MAX_PAYLOAD: usize = 1_000;
/// How many lines of a plugin's text are shown.
const MAX_LINES: usize = 20;

/// Returns a line of text that may be foreign.
pub(super) fn line(text: &str, style: Style) -> Block {
    Block::line(Line::from(Span::foreign(text, style)), Fit::Words)
}

/// Returns a line whose further rows begin below its second column, where it has one.
pub(super) fn columns(line: Line) -> Block {
    let shown = line.text();
    let first = shown.len() - shown.trim_start().len();
    let gap = shown.get(first..).and_then(|rest| rest.find("  ")).map(|at| first + at);
    let second =
        gap.map(|gap| shown.len() - shown.get(gap..).unwrap_or_default().trim_start().len());
    let before = second.and_then(|second| shown.get(..second)).unwrap_or_default();
    Block::Hanging(line, width::of(before))
}

/// Returns the line about a request that is sent again.
pub(super) fn retry(notice: &RetryNotice) -> Vec<Block> {
    let RetryNotice { attempt, total_attempts, delay_seconds, reason } = notice;
    let reason = beginning(reason.trim(), MAX_PAYLOAD);
    let text = format!("{reason}; attempt {attempt} of {total_attempts} in {delay_seconds:.1} s");
    vec![line(&text, theme::WARNING.dim())]
}

/// Returns the lines of an entry that is no message.
pub(super) fn custom(message: &CustomMessage) -> Vec<Block> {
    let member = |name: &str| message.payload.get(name);
    let text = |name: &str| member(name).and_then(Value::as_str).unwrap_or_default();
    match CustomKind::from_name(&message.kind) {
        Some(CustomKind::Compaction) => {
            let count = member("collapsed_count").and_then(Value::as_u64);
            let what = count.map_or_else(|| "older".to_owned(), |count| format!("{count} older"));
            vec![line(&format!("a summary stands for {what} messages from here on"), theme::QUIET)]
        }
        Some(CustomKind::ModelChange) => {
            let model = beginning(text("model"), MAX_PAYLOAD);
            vec![line(&format!("the model is {model} from here on"), theme::QUIET)]
        }
        Some(CustomKind::Reset) => vec![line("a new conversation begins here", theme::QUIET)],
        Some(CustomKind::GoTo) => vec![line("the conversation goes on from here", theme::QUIET)],
        None => plugin(message),
    }
}

/// Returns an entry of a plugin's: its text where it has one, its members where not.
fn plugin(message: &CustomMessage) -> Vec<Block> {
    let kind = beginning(&message.kind, MAX_PAYLOAD);
    let text = ["text", "message", "title"].into_iter().find_map(|name| {
        message.payload.get(name).and_then(Value::as_str).map(str::trim).filter(|t| !t.is_empty())
    });
    let Some(text) = text else {
        let members = match message.payload.is_empty() {
            true => String::new(),
            false => Value::Object(message.payload.clone()).to_string(),
        };
        let text = format!("{kind} {}", beginning(&members, MAX_PAYLOAD));
        return vec![line(text.trim(), theme::QUIET)];
    };
    let mut lines = text.lines();
    let first = beginning(lines.next().unwrap_or_default(), MAX_PAYLOAD);
    let mut blocks = vec![line(&format!("{kind}: {first}"), theme::QUIET)];
    let rest = lines.by_ref().take(MAX_LINES);
    blocks.extend(rest.map(|text| line(beginning(text, MAX_PAYLOAD), theme::QUIET)));
    if lines.next().is_some() {
        blocks.push(line("…", theme::QUIET));
    }
    blocks
}
