//! Makes rows fit the screen, whatever came.
//!
//! Owns the last word on widths and heights. Must not know escape sequences.

use crate::text::wrap::{Break, wrap};
use crate::text::{Cursor, Line, width};
use unicode_segmentation::UnicodeSegmentation as _;

/// Returns final rows, none wider than the screen: what is too wide goes on in the next row, since
/// nobody could see the rest otherwise.
pub(super) fn finished(lines: Vec<Line>, columns: usize) -> Vec<Line> {
    if lines.iter().all(|line| line.width() <= columns) {
        return lines;
    }
    let mut fitting = Vec::with_capacity(lines.len() + 1);
    for line in lines {
        let mut rows = wrap(&line, columns, &[], Break::Anywhere);
        if let Some(last) = rows.last_mut() {
            last.continues = line.continues;
        }
        fitting.append(&mut rows);
    }
    fitting
}

/// Returns the rows of a live region that the screen has room for, cut to its width, and the cursor
/// within them.
pub(super) fn live(
    mut lines: Vec<Line>,
    cursor: Option<Cursor>,
    columns: usize,
    rows: usize,
) -> (Vec<Line>, Option<Cursor>) {
    let last = lines.len().saturating_sub(1);
    let cursor = cursor
        .map(|cursor| Cursor { row: cursor.row.min(last), column: cursor.column.min(columns - 1) });
    let lowest_start = lines.len().saturating_sub(rows);
    let start = cursor.map_or(lowest_start, |cursor| cursor.row.min(lowest_start));
    lines.drain(..start);
    lines.truncate(rows);
    let lines = lines.into_iter().map(|line| Line { continues: false, ..line.clipped(columns) });
    let cursor = cursor.map(|cursor| Cursor { row: cursor.row - start, ..cursor });
    (lines.collect(), cursor)
}

/// Returns how many rows a terminal of a width makes of a row that was drawn for another width.
pub(super) fn height(line: &Line, columns: usize) -> usize {
    wrap(line, columns, &[], Break::Anywhere).len()
}

/// Returns whether a terminal that is given the next row right behind this one goes on in a row of
/// its own by itself.
pub(super) fn wraps_into(line: &Line, line_width: usize, next: &Line, columns: usize) -> bool {
    if !line.continues {
        return false;
    }
    let first = next.spans.iter().find(|span| !span.text.is_empty());
    let first = first.and_then(|span| span.text.graphemes(true).next());
    let first = first.map_or(0, width::of_grapheme);
    first > 0 && line_width + first > columns
}

/// Returns whether every terminal shows a row in exactly one of its rows.
pub(super) fn is_certain(line: &Line, columns: usize) -> bool {
    // Above this, terminals differ in what is wide, and in what goes together.
    let is_simple = |character: char| character < '\u{300}' && character != '\u{ad}';
    line.width() < columns && line.spans.iter().all(|span| span.text.chars().all(is_simple))
}
