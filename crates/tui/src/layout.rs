//! Text that is final but has yet to meet the width of the screen.
//!
//! Owns how a piece of text, with what stands before its rows, becomes rows. Whatever the width, each
//! row fits. Must not know where the text comes from.

mod table;

pub(crate) use table::{Align, Cell, Table};

use crate::text::wrap::{Break, wrap};
use crate::text::{Line, Span, Style, width};
use crate::theme;

/// Something final, from one row to many.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Block {
    /// Text behind a prefix.
    Text(Text),
    /// A line that breaks between words and goes on behind so many blanks.
    Hanging(Line, usize),
    /// A line that is cut where it is too long, but not what is said aside: on a narrow screen that
    /// has its own row.
    Title(Line, Line),
    /// A line across the screen, at most this wide, behind a prefix.
    Rule(Vec<Span>),
    /// A table.
    Table(Table),
}

/// One logical line of text.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Text {
    /// What stands before its first row.
    pub(crate) first: Vec<Span>,
    /// What stands before the others.
    pub(crate) rest: Vec<Span>,
    /// The text.
    pub(crate) line: Line,
    /// What happens where it is too long.
    pub(crate) fit: Fit,
}

/// What happens to a line that is too long for the screen.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Fit {
    /// It breaks between words.
    #[default]
    Words,
    /// It breaks at the edge.
    Anywhere,
    /// It is cut.
    Clip,
}

/// A title is not cut to fewer columns than this in favour of what is said aside.
const MIN_TITLE: usize = 12;
/// The widest rule: one that is wider says no more.
const MAX_RULE: usize = 40;

impl Block {
    /// Returns an empty row.
    pub(crate) fn gap() -> Self {
        Self::Text(Text::default())
    }

    /// Returns a line that breaks as `fit` says.
    pub(crate) fn line(line: Line, fit: Fit) -> Self {
        Self::Text(Text { line, fit, ..Text::default() })
    }

    /// Returns a line behind blanks.
    pub(crate) fn indented(line: Line, columns: usize, fit: Fit) -> Self {
        let prefix = vec![Span::plain(" ".repeat(columns))];
        Self::Text(Text { first: prefix.clone(), rest: prefix, line, fit })
    }

    /// Returns the block with its text broken between words.
    pub(crate) fn wrapped(self) -> Self {
        match self {
            Self::Text(text) => Self::Text(Text { fit: Fit::Words, ..text }),
            other => other,
        }
    }

    /// Adds the rows on a screen of `columns`.
    pub(crate) fn rows(&self, columns: usize, rows: &mut Vec<Line>) {
        let columns = columns.max(1);
        match self {
            Self::Text(text) => text.rows(columns, rows),
            Self::Hanging(line, indent) => {
                // Without room for a second column its rows are still told from new lines.
                let indent = if indent * 2 < columns { *indent } else { (*indent).min(4) };
                let wrapped = wrap(line, columns, &[blanks(indent)], Break::Words);
                rows.extend(wrapped.into_iter().map(trimmed));
            }
            Self::Title(line, aside) => {
                let taken = aside.width();
                let fits = columns >= taken + MIN_TITLE;
                let left = if fits { columns - taken } else { columns };
                let mut row = line.clone().clipped(left);
                if fits {
                    aside.spans.iter().for_each(|span| row.push(span.clone()));
                }
                rows.push(row);
                if !fits {
                    rows.extend(
                        wrap(aside, columns, &[blanks(2)], Break::Words).into_iter().map(trimmed),
                    );
                }
            }
            Self::Rule(prefix) => {
                let left = columns.saturating_sub(width_of(prefix)).clamp(1, MAX_RULE);
                let line = Line::new("─".repeat(left), theme::QUIET);
                let text = Text { first: prefix.clone(), line, fit: Fit::Clip, ..Text::default() };
                text.rows(columns, rows);
            }
            Self::Table(table) => table.rows(columns, rows),
        }
    }
}

impl Text {
    fn rows(&self, columns: usize, rows: &mut Vec<Line>) {
        let taken = width_of(&self.first).max(width_of(&self.rest));
        // Where the prefix would leave no room for the text, it goes.
        let has_prefix = taken > 0 && taken * 2 <= columns;
        let left = if has_prefix { columns - taken } else { columns };
        let wrapped = match self.fit {
            Fit::Words => wrap(&self.line, left, &[], Break::Words),
            Fit::Anywhere => wrap(&self.line, left, &[], Break::Anywhere),
            Fit::Clip => vec![self.line.clone().clipped(left)],
        };
        for (at, row) in wrapped.into_iter().enumerate() {
            let prefix = if at == 0 { &self.first } else { &self.rest };
            let mut whole = Line { spans: Vec::new(), continues: row.continues && !has_prefix };
            if has_prefix {
                prefix.iter().for_each(|span| whole.push(span.clone()));
            }
            row.spans.into_iter().for_each(|span| whole.push(span));
            rows.push(if self.fit == Fit::Anywhere { whole } else { trimmed(whole) });
        }
    }
}

/// Returns the columns that spans take.
pub(crate) fn width_of(spans: &[Span]) -> usize {
    spans.iter().map(|span| width::of(&span.text)).sum()
}

/// Returns a line without blanks at its end.
pub(crate) fn trimmed(mut line: Line) -> Line {
    while let Some(last) = line.spans.last_mut() {
        let length = last.text.trim_end_matches(' ').len();
        if length == last.text.len() {
            break;
        }
        if length > 0 {
            last.text.to_mut().truncate(length);
            break;
        }
        line.spans.pop();
    }
    line
}

/// Returns quiet text of our own.
pub(crate) fn quiet(text: impl Into<std::borrow::Cow<'static, str>>) -> Span {
    Span::new(text, theme::QUIET)
}

/// Returns blanks.
pub(crate) fn blanks(columns: usize) -> Span {
    Span::new(" ".repeat(columns), Style::PLAIN)
}
