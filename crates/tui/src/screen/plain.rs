//! The screen of a terminal that knows no escapes.
//!
//! Owns its last line, where the cursor is. It draws with blanks, backspaces and carriage returns
//! alone, so a line can be typed and edited, and rows that are final come above it. Must not show
//! anything that moves.

use super::encode;
use crate::text::{Cursor, Line, width};

/// The last line of such a terminal.
#[derive(Debug, Default)]
pub(super) struct PlainScreen {
    shown: String,
    /// The column of the cursor.
    column: usize,
}

impl PlainScreen {
    pub(super) fn draw(
        &mut self,
        finished: &[Line],
        live: &[Line],
        cursor: Option<Cursor>,
        columns: usize,
        out: &mut Vec<u8>,
    ) {
        if !finished.is_empty() {
            self.release(out);
        }
        for line in finished {
            encode::text(&line.text(), out);
            out.extend_from_slice(b"\r\n");
        }
        let row = cursor.and_then(|cursor| live.get(cursor.row)).map(Line::text);
        // A line that reaches the edge might wrap.
        let row = row.unwrap_or_default();
        let row = width::prefix(&row, columns.saturating_sub(1));
        let column = cursor.map_or(0, |cursor| cursor.column.min(width::of(row)));
        self.write_over(row, out);
        self.go_to(column, out);
    }

    /// Takes the line away and leaves the cursor at its beginning.
    pub(super) fn release(&mut self, out: &mut Vec<u8>) {
        self.write_over("", out);
        self.go_to(0, out);
    }

    fn write_over(&mut self, row: &str, out: &mut Vec<u8>) {
        if row == self.shown {
            return;
        }
        let (old, new) = (width::of(&self.shown), width::of(row));
        match row.strip_prefix(self.shown.as_str()) {
            Some(added) if self.column == old => encode::text(added, out),
            _ => {
                out.push(b'\r');
                encode::text(row, out);
                let rest = old.saturating_sub(new);
                out.extend(std::iter::repeat_n(b' ', rest));
                out.extend(std::iter::repeat_n(b'\x08', rest));
            }
        }
        row.clone_into(&mut self.shown);
        self.column = new;
    }

    fn go_to(&mut self, column: usize, out: &mut Vec<u8>) {
        if column < self.column {
            out.extend(std::iter::repeat_n(b'\x08', self.column - column));
        } else if column > self.column {
            out.push(b'\r');
            let shown = width::prefix(&self.shown, column);
            encode::text(shown, out);
        }
        self.column = column;
    }
}
