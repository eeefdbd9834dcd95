//! Long texts cut to a beginning and an end.
//!
//! Owns how much is shown of what is folded, and how it says what is left out. Must not know what the
//! text is.

use crate::layout::{Block, Fit, quiet};
use crate::text::{Line, Span, Style};

/// How many lines are shown of the beginning.
pub(crate) const HEAD: usize = 12;
/// How many lines are shown of the end.
pub(crate) const TAIL: usize = 5;

/// A folded line is at most one row, so that no more of it than this many bytes can be seen.
const MAX_LINE: usize = 2_000;
/// How far a text stands in below the line that it belongs to.
pub(crate) const INDENT: usize = 2;

/// How much of a text is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    /// A beginning and an end of so many lines, each line in one row.
    Folded {
        /// Lines of the beginning.
        head: usize,
        /// Lines of the end.
        tail: usize,
    },
    /// All.
    Whole,
}

impl Extent {
    /// The extent of a result.
    pub(crate) const FOLDED: Self = Self::Folded { head: HEAD, tail: TAIL };

    /// Returns what happens to a line that is too long.
    pub(crate) fn fit(self) -> Fit {
        if self == Self::Whole { Fit::Anywhere } else { Fit::Clip }
    }

    /// Returns the beginning, how many are left out, and the end. A single line is never left out,
    /// for the note about it would take as much room.
    pub(crate) fn cut<T>(self, items: &[T]) -> (&[T], usize, &[T]) {
        let Self::Folded { head, tail } = self else { return (items, 0, &[]) };
        if items.len() <= head + tail + 1 {
            return (items, 0, &[]);
        }
        let (beginning, rest) = items.split_at_checked(head).unwrap_or((items, &[]));
        let left_out = rest.len().saturating_sub(tail);
        (beginning, left_out, rest.get(left_out..).unwrap_or_default())
    }
}

/// Returns the lines of foreign text below a title. Where some are left out, `more` says behind
/// that how to see them.
pub(crate) fn text(text: &str, style: Style, extent: Extent, more: &str) -> Vec<Block> {
    let lines: Vec<&str> = text.trim_end().lines().collect();
    let (head, left_out, tail) = extent.cut(&lines);
    let block = |line: &&str| {
        let shown = if extent == Extent::Whole { line } else { beginning(line, MAX_LINE) };
        let mut shown_line = Line::from(Span::foreign(shown, style));
        if shown.len() < line.len() {
            shown_line.push(quiet(" …"));
        }
        Block::indented(shown_line, INDENT, extent.fit())
    };
    let mut blocks: Vec<Block> = head.iter().map(block).collect();
    if left_out > 0 {
        blocks.push(note(left_out, more));
    }
    blocks.extend(tail.iter().map(block));
    blocks
}

/// Returns whether [`text`] leaves out anything of a text, whatever the screen.
pub(crate) fn leaves_out(text: &str, extent: Extent) -> bool {
    let lines: Vec<&str> = text.trim_end().lines().collect();
    let is_long = |line: &&str| line.len() > MAX_LINE;
    extent != Extent::Whole && (extent.cut(&lines).1 > 0 || lines.iter().any(is_long))
}

/// Returns the line that says how much is left out, and how to see it.
pub(crate) fn note(left_out: usize, more: &str) -> Block {
    let note = format!("… {left_out} lines left out{more}");
    Block::indented(Line::from(quiet(note)), INDENT, Fit::Clip)
}

/// Returns the beginning of a text, at most so many bytes.
pub(crate) fn beginning(text: &str, bytes: usize) -> &str {
    text.get(..text.floor_char_boundary(bytes)).unwrap_or(text)
}
