//! What the composer looks like.
//!
//! Owns the prompt mark, the part of the rows that is seen, and the place of the caret. Must not
//! change the text.

use super::{Composer, layout};
use crate::text::{Cursor, Line, Span};
use crate::theme;

/// The columns of the prompt mark.
const MARK: usize = 2;
/// A screen narrower than this has no room for the mark.
const NARROW: usize = 8;

/// Returns the composer as rows, and where the caret stands in them.
pub(super) fn view(
    composer: &mut Composer,
    columns: usize,
    max_rows: usize,
) -> (Vec<Line>, Cursor) {
    let (columns, max_rows) = (columns.max(1), max_rows.max(1));
    if let Some(search) = &mut composer.search {
        let (rows, cursor) = search.view(columns, max_rows);
        return (rows, cursor.unwrap_or(Cursor { row: 0, column: 0 }));
    }
    let mark = if columns < NARROW { 0 } else { MARK };
    // One column is the caret's own, behind the last character of a full row.
    composer.columns = (columns - mark).saturating_sub(1).max(1);
    let text = composer.buffer.text();
    let rows = composer.layout.rows(text, &composer.units, composer.columns);
    let caret = composer.buffer.caret();
    let caret_row = layout::row_of(rows, caret);
    let lowest = caret_row.min(rows.len().saturating_sub(max_rows));
    composer.top = composer.top.clamp((caret_row + 1).saturating_sub(max_rows), caret_row);
    composer.top = composer.top.min(lowest);
    let mut lines = Vec::new();
    for (number, row) in rows.iter().enumerate().skip(composer.top).take(max_rows) {
        let mut line = Line::empty();
        if mark > 0 {
            let prompt = composer.vi.as_ref().map_or("> ", super::Vi::mark);
            line.push(if number == 0 { Span::new(prompt, theme::USER) } else { Span::plain("  ") });
        }
        let text = layout::draw(text, row, &composer.units, composer.columns);
        text.spans.into_iter().for_each(|span| line.push(span));
        lines.push(line);
    }
    if text.is_empty()
        && let Some(first) = lines.first_mut()
    {
        let placeholder = Line::from(Span::foreign(&composer.placeholder, theme::QUIET));
        let placeholder = placeholder.clipped(composer.columns);
        placeholder.spans.into_iter().for_each(|span| first.push(span));
    }
    let column = rows.get(caret_row).map_or(0, |row| {
        layout::column_of(text, row, &composer.units, caret).min(composer.columns)
    });
    let cursor = Cursor { row: caret_row - composer.top, column: (mark + column).min(columns - 1) };
    (lines, cursor)
}
