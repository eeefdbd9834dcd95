//! Tables: columns side by side, or one cell below the other where the screen is too narrow.
//!
//! Owns the widths of columns. Must not know Markdown.

use super::{Text, blanks, quiet, trimmed};
use crate::text::wrap::{Break, wrap};
use crate::text::{Line, Span, Style};
use std::borrow::Cow;

/// Between two columns.
const BETWEEN: usize = 2;
/// A column of fewer columns of the screen than this is hard to read.
const MIN_WIDTH: usize = 6;

/// The lines of one cell.
pub(crate) type Cell = Vec<Line>;

/// On which side the text of a column stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Align {
    /// Left.
    Left,
    /// In the middle.
    Center,
    /// Right.
    Right,
}

/// A table, or a part of a long one.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Table {
    /// What stands before the first row.
    pub(crate) first: Vec<Span>,
    /// What stands before the others.
    pub(crate) rest: Vec<Span>,
    /// One for each column.
    pub(crate) aligns: Vec<Align>,
    /// The names of the columns.
    pub(crate) header: Vec<Cell>,
    /// Whether an earlier part has shown the header.
    pub(crate) is_continued: bool,
    /// The rows below it; each has a cell for each column.
    pub(crate) body: Vec<Vec<Cell>>,
    /// How wide each column wants to be, where an earlier part decided.
    pub(crate) wanted: Option<Vec<usize>>,
}

impl Table {
    /// Returns how wide each column wants to be.
    pub(crate) fn wanted(&self) -> Vec<usize> {
        if let Some(wanted) = &self.wanted {
            return wanted.clone();
        }
        let mut wanted = vec![1; self.aligns.len()];
        for row in std::iter::once(&self.header).chain(&self.body) {
            for (width, cell) in wanted.iter_mut().zip(row) {
                let needed = cell.iter().map(Line::width).max().unwrap_or_default();
                *width = needed.max(*width);
            }
        }
        wanted
    }

    pub(super) fn rows(&self, columns: usize, rows: &mut Vec<Line>) {
        let taken = super::width_of(&self.first).max(super::width_of(&self.rest));
        let left = if taken * 2 <= columns { columns - taken } else { columns };
        let mut plain = Vec::new();
        match fitted(&self.wanted(), left) {
            Some(widths) => self.side_by_side(&widths, &mut plain),
            None => self.listed(left, &mut plain),
        }
        for (at, row) in plain.into_iter().enumerate() {
            let prefix = if at == 0 { &self.first } else { &self.rest };
            let prefix: &[Span] = if left < columns { prefix } else { &[] };
            let mut whole = Line::empty();
            prefix.iter().cloned().chain(row.spans).for_each(|span| whole.push(span));
            rows.push(trimmed(whole));
        }
    }

    fn side_by_side(&self, widths: &[usize], rows: &mut Vec<Line>) {
        if !self.is_continued {
            self.row(&self.header, widths, rows);
            let mut rule = Line::empty();
            for (at, width) in widths.iter().enumerate() {
                if at > 0 {
                    rule.push(blanks(BETWEEN));
                }
                rule.push(quiet("─".repeat(*width)));
            }
            rows.push(rule);
        }
        for row in &self.body {
            self.row(row, widths, rows);
        }
    }

    fn row(&self, cells: &[Cell], widths: &[usize], rows: &mut Vec<Line>) {
        let columns: Vec<Vec<Line>> = cells
            .iter()
            .zip(widths)
            .map(|(cell, width)| {
                let lines = cell.iter().flat_map(|line| wrap(line, *width, &[], Break::Words));
                lines.map(trimmed).collect()
            })
            .collect();
        let height = columns.iter().map(Vec::len).max().unwrap_or_default();
        for at in 0..height {
            let mut row = Line::empty();
            for ((lines, width), align) in columns.iter().zip(widths).zip(&self.aligns) {
                let line = lines.get(at).map_or_else(|| Cow::Owned(Line::empty()), Cow::Borrowed);
                let free = width.saturating_sub(line.width());
                let before = match align {
                    Align::Left => 0,
                    Align::Center => free / 2,
                    Align::Right => free,
                };
                row.push(blanks(before));
                line.spans.iter().for_each(|span| row.push(span.clone()));
                row.push(blanks(free - before + BETWEEN));
            }
            rows.push(trimmed(row));
        }
    }

    /// Each row as lines of their own: name and cell.
    fn listed(&self, columns: usize, rows: &mut Vec<Line>) {
        for (at, row) in self.body.iter().enumerate() {
            if at > 0 {
                rows.push(Line::empty());
            }
            for (name, cell) in self.header.iter().zip(row) {
                let mut line = Line::empty();
                name.iter().flat_map(|part| &part.spans).for_each(|span| line.push(span.clone()));
                if !line.is_empty() {
                    line.push(Span::new(": ", Style::PLAIN));
                }
                for (at, part) in cell.iter().enumerate() {
                    if at > 0 {
                        line.push(blanks(1));
                    }
                    part.spans.iter().for_each(|span| line.push(span.clone()));
                }
                let rest = vec![blanks(2)];
                Text { line, rest, ..Text::default() }.listed(columns, rows);
            }
        }
        if self.body.is_empty() {
            for name in self.header.iter().flatten() {
                rows.extend(wrap(name, columns, &[], Break::Words));
            }
        }
    }
}

impl Text {
    /// Like other text, but its first row has no prefix.
    fn listed(&self, columns: usize, rows: &mut Vec<Line>) {
        rows.extend(wrap(&self.line, columns, &self.rest, Break::Words).into_iter().map(trimmed));
    }
}

/// Returns the widths of columns that want so much, fitted into `columns`; `None` where they would
/// be too narrow to read. What wants less than its share leaves the rest to the others.
fn fitted(wanted: &[usize], columns: usize) -> Option<Vec<usize>> {
    let between = BETWEEN * wanted.len().saturating_sub(1);
    let room = columns.checked_sub(between)?;
    let mut widths = wanted.to_vec();
    let mut wide: Vec<usize> = (0..wanted.len()).collect();
    let mut left = room;
    loop {
        let share = left.checked_div(wide.len()).unwrap_or(left);
        let is_modest = |at: &usize| wanted.get(*at).is_none_or(|width| *width <= share);
        let (modest, others): (Vec<usize>, Vec<usize>) = wide.iter().partition(|at| is_modest(at));
        if others.is_empty() {
            return Some(widths);
        }
        if modest.is_empty() {
            if share < MIN_WIDTH {
                return None;
            }
            let mut extra = left - share * others.len();
            for at in others {
                if let Some(width) = widths.get_mut(at) {
                    *width = share + usize::from(extra > 0);
                    extra = extra.saturating_sub(1);
                }
            }
            return Some(widths);
        }
        left -= modest.iter().filter_map(|at| wanted.get(*at)).sum::<usize>();
        wide = others;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_share_what_room_there_is() {
        for (wanted, columns, expected) in [
            (&[3, 4][..], 80, Some(vec![3, 4])),
            (&[3, 100], 40, Some(vec![3, 35])),
            (&[50, 3, 50], 40, Some(vec![17, 3, 16])),
            (&[50, 50], 10, None),
            (&[3, 3], 5, None),
            (&[2, 2], 6, Some(vec![2, 2])),
        ] {
            assert_eq!(fitted(wanted, columns), expected, "{wanted:?} in {columns}");
        }
    }
}
