//! Unified diffs in colours, with the numbers of lines.
//!
//! Owns how a change looks. It reads what the tools `edit` and `write` put into their details; whatever
//! else it is given is shown as it is. Must not compare anything itself.

use crate::fold::{Extent, INDENT, beginning, note};
use crate::layout::{Block, Fit, Text, blanks, quiet};
use crate::text::{Line, Span, Style};
use crate::theme;

/// No more bytes of a folded line than this are looked at.
const MAX_LINE: usize = 2_000;

/// How many lines a change adds and takes away.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Lines that are new.
    pub(crate) added: usize,
    /// Lines that are gone.
    pub(crate) removed: usize,
}

/// Returns how many lines a diff adds and takes away.
pub(crate) fn counts(diff: &str) -> Counts {
    let mut counts = Counts::default();
    for row in read(diff) {
        match row.kind {
            Kind::Added => counts.added += 1,
            Kind::Removed => counts.removed += 1,
            Kind::Same | Kind::Between | Kind::Note => {}
        }
    }
    counts
}

/// Returns the lines of a diff. Where some are left out, `more` says behind that how to see them.
pub(crate) fn blocks(diff: &str, extent: Extent, more: &str) -> Vec<Block> {
    let rows = read(diff);
    let largest = rows.iter().filter_map(|row| row.number).max().unwrap_or_default();
    let width = largest.to_string().len();
    let (head, left_out, tail) = extent.cut(&rows);
    let mut blocks: Vec<Block> = head.iter().map(|row| row.block(width, extent)).collect();
    if left_out > 0 {
        blocks.push(note(left_out, more));
    }
    blocks.extend(tail.iter().map(|row| row.block(width, extent)));
    blocks
}

struct Row<'a> {
    kind: Kind,
    /// The line's number: in the new file, or in the old one where it is gone.
    number: Option<u64>,
    text: &'a str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Added,
    Removed,
    Same,
    /// Lines that are not shown stand between two hunks.
    Between,
    Note,
}

impl Row<'_> {
    fn block(&self, width: usize, extent: Extent) -> Block {
        let (sign, style) = match self.kind {
            Kind::Added => ("+", theme::ADDED),
            Kind::Removed => ("-", theme::REMOVED),
            Kind::Same => (" ", Style::PLAIN),
            Kind::Between | Kind::Note => (" ", theme::QUIET),
        };
        let number = self.number.map(|number| number.to_string()).unwrap_or_default();
        let mut first = Line::from(blanks(INDENT));
        first.push(quiet(format!("{number:>width$} ")));
        first.push(Span::new(format!("{sign} "), style));
        let rest = vec![blanks(first.width())];
        let is_whole = extent == Extent::Whole;
        let text = if is_whole { self.text } else { beginning(self.text, MAX_LINE) };
        let line = Line::from(Span::foreign(text, style));
        let fit = if is_whole { Fit::Anywhere } else { Fit::Clip };
        Block::Text(Text { first: first.spans, rest, line, fit })
    }
}

/// Returns the rows of a diff, without its two lines of names.
fn read(diff: &str) -> Vec<Row<'_>> {
    let mut rows = Vec::new();
    let (mut old, mut new) = (0, 0);
    let mut is_inside = false;
    for line in diff.lines() {
        if let Some((old_start, new_start)) = hunk(line) {
            if is_inside {
                rows.push(Row { kind: Kind::Between, number: None, text: "\u{22ee}" });
            }
            (old, new, is_inside) = (old_start, new_start, true);
            continue;
        }
        if !is_inside && (line.starts_with("--- ") || line.starts_with("+++ ")) {
            continue;
        }
        let (kind, number) = match line.as_bytes().first() {
            Some(b'+') if is_inside => (Kind::Added, Some(new)),
            Some(b'-') if is_inside => (Kind::Removed, Some(old)),
            Some(b' ') | None if is_inside => (Kind::Same, Some(new)),
            _ => (Kind::Note, None),
        };
        old += u64::from(matches!(kind, Kind::Removed | Kind::Same));
        new += u64::from(matches!(kind, Kind::Added | Kind::Same));
        let text = if kind == Kind::Note { line } else { line.get(1..).unwrap_or_default() };
        rows.push(Row { kind, number, text });
    }
    rows
}

/// Returns the numbers of the first lines of a hunk that `line` begins.
fn hunk(line: &str) -> Option<(u64, u64)> {
    let ranges = line.strip_prefix("@@ -")?;
    let (old, behind) = ranges.split_once(" +")?;
    let (new, _) = behind.split_once(" @@")?;
    let start = |range: &str| range.split(',').next().and_then(|start| start.parse().ok());
    Some((start(old)?, start(new)?))
}

#[cfg(test)]
mod tests;
