//! A text as rows of the screen.
//!
//! Owns where its lines break and where in them the caret stands. Must not change the text.

use super::units::{Numbers, Units, is_unit};
use crate::text::{Line, Span, Style, sanitize, width};
use crate::theme;
use std::borrow::Cow;
use std::ops::Range;
use unicode_segmentation::UnicodeSegmentation as _;

/// How far apart the stops of a tab are.
const TAB_STOP: usize = 4;

/// A row: a part of the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Row {
    /// Its bytes, without a newline.
    pub(crate) range: Range<usize>,
    /// The folds that stand before it.
    numbers: Numbers,
}

/// The rows of the text as it was seen last: frames of a stream find the text unchanged.
#[derive(Debug, Clone, Default)]
pub(crate) struct Layout {
    text: String,
    columns: usize,
    rows: Vec<Row>,
}

impl Layout {
    /// Returns the rows of a text on `columns`, at least one. A text that is the same must have the
    /// same folds.
    pub(crate) fn rows(&mut self, text: &str, units: &Units, columns: usize) -> &[Row] {
        if self.rows.is_empty() || self.columns != columns || self.text != text {
            self.rows = rows(text, units, columns);
            self.columns = columns;
            text.clone_into(&mut self.text);
        }
        &self.rows
    }
}

/// Returns the rows of a text. Lines break between words; blanks at the edge stay on their row.
fn rows(text: &str, units: &Units, columns: usize) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut numbers = Numbers::default();
    let mut start = 0;
    for line in text.split('\n') {
        add_line(&mut rows, line, start, &mut numbers, units, columns.max(1));
        start += line.len() + 1;
    }
    rows
}

fn add_line(
    rows: &mut Vec<Row>,
    line: &str,
    line_start: usize,
    numbers: &mut Numbers,
    units: &Units,
    columns: usize,
) {
    let mut row = Row { range: line_start..line_start, numbers: *numbers };
    let mut taken = 0;
    // Behind the last blank: the place, the columns before it, the folds before it.
    let mut word = (line_start, 0, *numbers);
    for (at, grapheme) in line.grapheme_indices(true) {
        let at = line_start + at;
        let before = *numbers;
        let wide = width::of(&shown(grapheme, taken, numbers, units)).min(columns);
        let is_blank = matches!(grapheme, " " | "\t");
        if !is_blank && taken + wide > columns {
            if word.0 > row.range.start {
                let next = Row { range: word.0..word.0, numbers: word.2 };
                let mut done = std::mem::replace(&mut row, next);
                done.range.end = word.0;
                rows.push(done);
                taken -= word.1;
                word.1 = 0;
            }
            if taken + wide > columns && at > row.range.start {
                let mut done = std::mem::replace(&mut row, Row { range: at..at, numbers: before });
                done.range.end = at;
                rows.push(done);
                taken = 0;
                word = (at, 0, before);
            }
        }
        taken += wide;
        if is_blank {
            word = (at + grapheme.len(), taken, *numbers);
        }
    }
    row.range.end = line_start + line.len();
    rows.push(row);
}

/// Returns the number of the row in which a place of the text is shown.
pub(crate) fn row_of(rows: &[Row], at: usize) -> usize {
    rows.partition_point(|row| row.range.start <= at).saturating_sub(1)
}

/// Returns the columns before a place of a row.
pub(crate) fn column_of(text: &str, row: &Row, units: &Units, at: usize) -> usize {
    let part = text.get(row.range.start..at.min(row.range.end)).unwrap_or_default();
    let mut numbers = row.numbers;
    let mut column = 0;
    for grapheme in part.graphemes(true) {
        column += width::of(&shown(grapheme, column, &mut numbers, units));
    }
    column
}

/// Returns the place in a row that is nearest to a column, from the left. Only the last row of a
/// line has a place behind its last character.
pub(crate) fn place_at(text: &str, row: &Row, units: &Units, column: usize, last: bool) -> usize {
    let part = text.get(row.range.clone()).unwrap_or_default();
    let mut numbers = row.numbers;
    let mut taken = 0;
    let mut place = row.range.start;
    for (at, grapheme) in part.grapheme_indices(true) {
        place = row.range.start + at;
        taken += width::of(&shown(grapheme, taken, &mut numbers, units));
        if taken > column {
            return place;
        }
    }
    if last { row.range.end } else { place }
}

/// Returns a row as it is drawn, at most `columns` wide.
pub(crate) fn draw(text: &str, row: &Row, units: &Units, columns: usize) -> Line {
    let part = text.get(row.range.clone()).unwrap_or_default();
    let mut numbers = row.numbers;
    let mut line = Line::empty();
    let mut taken = 0;
    for grapheme in part.graphemes(true) {
        let style = if grapheme.contains(is_unit) { theme::TOOL } else { Style::PLAIN };
        let shown = shown(grapheme, taken, &mut numbers, units);
        let fitting = width::prefix(&shown, columns.saturating_sub(taken));
        taken += width::of(fitting);
        line.push(Span::new(fitting.to_owned(), style));
        if fitting.len() < shown.len() {
            break;
        }
    }
    line
}

/// Returns what is shown for a character of the text, clean.
fn shown<'a>(
    grapheme: &'a str,
    column: usize,
    numbers: &mut Numbers,
    units: &Units,
) -> Cow<'a, str> {
    // Most characters, and there may be many of them.
    if matches!(grapheme.as_bytes(), [b' '..=b'~']) {
        return Cow::Borrowed(grapheme);
    }
    if grapheme == "\t" {
        return Cow::Owned(" ".repeat(TAB_STOP - column % TAB_STOP));
    }
    match grapheme.chars().next() {
        Some(character) if is_unit(character) => Cow::Owned(numbers.label(units.get(character))),
        _ => sanitize::one_line(grapheme),
    }
}
