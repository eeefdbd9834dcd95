//! A terminal's screen as a model: it takes the bytes that a program writes and shows what a user
//! would see, scrollback included.
//!
//! Owns the model and all bytes that it got. Must not judge: see [`forbidden()`] for what an inline
//! interface must never send.

mod edge;
mod forbidden;

pub use forbidden::{forbidden, highest_climb};

use edge::Edge;
use std::fmt;
use std::num::NonZeroU16;
use vt100::Parser;

/// Rows that the scrollback keeps.
const SCROLLBACK: usize = 100_000;

/// A screen.
pub struct Screen {
    parser: Parser,
    edge: Edge,
    bytes: Vec<u8>,
}

/// A row of the screen or of the scrollback.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Row {
    /// Without blanks at the end.
    text: String,
    /// The terminal wrapped it by itself: its text goes on in the next row.
    is_wrapped: bool,
}

impl Screen {
    /// Returns an empty one. A size of 0 is taken for 1.
    pub fn new(columns: u16, rows: u16) -> Self {
        let parser = Parser::new(at_least_one(rows), at_least_one(columns), SCROLLBACK);
        Self { parser, edge: Edge::default(), bytes: Vec::new() }
    }

    /// Takes output.
    pub fn feed(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
        self.edge.process(bytes, &mut self.parser);
    }

    /// Returns all output so far.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the rows that are to be seen, without blanks at their ends.
    pub fn rows(&self) -> Vec<String> {
        let columns = self.parser.screen().size().1.get();
        self.parser.screen().rows(0, columns).map(|row| row.trim_end().to_owned()).collect()
    }

    /// Returns all rows, those of the scrollback first, without empty ones at the end.
    pub fn history(&self) -> Vec<String> {
        let mut rows: Vec<String> = self.all_rows().into_iter().map(|row| row.text).collect();
        while rows.last().is_some_and(String::is_empty) {
            rows.pop();
        }
        rows
    }

    /// Returns the text as it would be copied: [`history`](Self::history), with rows that the
    /// terminal wrapped by itself joined.
    pub fn lines(&self) -> Vec<String> {
        let mut lines: Vec<String> = self.joined_rows().into_iter().map(|line| line.text).collect();
        while lines.last().is_some_and(String::is_empty) {
            lines.pop();
        }
        lines
    }

    /// Returns the row and the column of the cursor, from 0.
    pub fn cursor(&self) -> (usize, usize) {
        let (row, column) = self.parser.screen().cursor_position();
        (row.into(), column.into())
    }

    /// Returns how many rows have gone into the scrollback.
    pub fn scrolled(&self) -> usize {
        self.parser.screen().scrollback_len()
    }

    /// Returns the model's own screen: for looks, modes and whether the cursor is hidden.
    pub fn model(&self) -> &vt100::Screen {
        self.parser.screen()
    }

    /// Changes the size as terminals do that cut rows which no longer fit.
    pub fn resize(&mut self, columns: u16, rows: u16) {
        self.parser.set_size(at_least_one(rows), at_least_one(columns));
    }

    /// Changes the size as terminals do that wrap their rows anew. Looks and modes are lost.
    pub fn reflow(&mut self, columns: u16, rows: u16) {
        let is_hidden = self.model().hide_cursor();
        let lines = self.joined_rows();
        let width = usize::from(columns.max(1));
        let mut parser = Parser::new(at_least_one(rows), at_least_one(columns), SCROLLBACK);
        let place = |parser: &Parser| {
            let screen = parser.screen();
            screen.scrollback_len() + usize::from(screen.cursor_position().0)
        };
        let used = lines.iter().rposition(|line| !line.text.is_empty() || line.cursor.is_some());
        let mut cursor = (0, 0);
        for (number, line) in lines.iter().take(used.map_or(0, |last| last + 1)).enumerate() {
            if number > 0 {
                parser.process(b"\r\n");
            }
            let begin = place(&parser);
            parser.process(line.text.as_bytes());
            if let Some(cell) = line.cursor {
                cursor = (begin + cell / width, cell % width);
            }
        }
        let row = cursor.0.saturating_sub(parser.screen().scrollback_len());
        parser.process(format!("\x1b[{};{}H", row + 1, cursor.1 + 1).as_bytes());
        if is_hidden {
            parser.process(b"\x1b[?25l");
        }
        self.parser = parser;
    }

    fn all_rows(&self) -> Vec<Row> {
        let mut screen = self.parser.screen().clone();
        let (rows, columns) = screen.size();
        let mut all = Vec::new();
        let mut add = |screen: &vt100::Screen, number: u16| {
            let text = screen.rows(0, columns.get()).nth(number.into()).unwrap_or_default();
            let is_wrapped = screen.row_wrapped(number);
            all.push(Row { text: text.trim_end().to_owned(), is_wrapped });
        };
        for above in (1..=screen.scrollback_len()).rev() {
            screen.set_scrollback(above);
            add(&screen, 0);
        }
        screen.set_scrollback(0);
        for number in 0..rows.get() {
            add(&screen, number);
        }
        all
    }

    /// Returns the lines that rows are made of, and in which cell of which the cursor is.
    fn joined_rows(&self) -> Vec<Joined> {
        let columns = usize::from(self.parser.screen().size().1.get());
        let (row, column) = self.cursor();
        let cursor_row = self.scrolled() + row;
        let mut lines = vec![Joined::default()];
        let rows = self.all_rows();
        for (number, row) in rows.iter().enumerate() {
            let Some(line) = lines.last_mut() else { break };
            if number == cursor_row {
                line.cursor = Some(line.rows * columns + column);
            }
            line.text.push_str(&row.text);
            line.rows += 1;
            if !row.is_wrapped && number + 1 < rows.len() {
                lines.push(Joined::default());
            }
        }
        lines
    }
}

/// A line that the terminal wrapped into rows.
#[derive(Debug, Default)]
struct Joined {
    text: String,
    rows: usize,
    /// The cell of the cursor, counted over the rows.
    cursor: Option<usize>,
}

impl fmt::Debug for Screen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "cursor at {:?}, {} rows scrolled away", self.cursor(), self.scrolled())?;
        self.rows().iter().try_for_each(|row| writeln!(f, "|{row}"))
    }
}

fn at_least_one(number: u16) -> NonZeroU16 {
    NonZeroU16::new(number).unwrap_or(NonZeroU16::MIN)
}

#[cfg(test)]
mod tests;
