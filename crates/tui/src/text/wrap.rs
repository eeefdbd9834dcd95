//! Long lines into rows of the screen.
//!
//! Owns where a line may break. Whatever the width, every row fits (a wide character on a screen
//! of one column is left out). Must not know what the text is.

use super::{Line, Span, Style, width};
use unicode_segmentation::UnicodeSegmentation as _;

/// Where a line that is too long breaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Break {
    /// Between words, as prose does; a word that is too long for a row breaks anywhere.
    Words,
    /// At the edge, as code does. Its rows go on without a break, so they are copied as one line.
    Anywhere,
}

/// Returns the rows of `line` on a screen of `columns`; each but the first begins with `indent`,
/// which is left out where it would take half of the row or more. An empty line is one empty row.
pub fn wrap(line: &Line, columns: usize, indent: &[Span], at: Break) -> Vec<Line> {
    if line.width() <= columns {
        return vec![line.clone()];
    }
    let indent_width: usize = indent.iter().map(|span| width::of(&span.text)).sum();
    let indent = if indent_width * 2 < columns { indent } else { &[] };
    let mut rows =
        Rows { done: Vec::new(), row: Line::empty(), taken: 0, begun: 0, columns, indent };
    match at {
        Break::Anywhere => {
            for span in &line.spans {
                rows.add_anywhere(&span.text, span.style, at);
            }
        }
        Break::Words => {
            for word in words(line) {
                rows.add_word(&word);
            }
        }
    }
    rows.finish()
}

/// A word with the blanks behind it, in pieces of one style each.
#[derive(Default)]
struct Word<'a> {
    pieces: Vec<(&'a str, Style)>,
    blanks: Vec<(&'a str, Style)>,
}

fn words(line: &Line) -> Vec<Word<'_>> {
    let mut words = vec![Word::default()];
    for span in &line.spans {
        for segment in span.text.split_inclusive(' ') {
            let text = segment.trim_end_matches(' ');
            let blanks = segment.get(text.len()..).unwrap_or_default();
            let begins_word = words.last().is_some_and(|word| !word.blanks.is_empty());
            if !text.is_empty() && begins_word {
                words.push(Word::default());
            }
            let Some(word) = words.last_mut() else { continue };
            if !text.is_empty() {
                word.pieces.push((text, span.style));
            }
            if !blanks.is_empty() {
                word.blanks.push((blanks, span.style));
            }
        }
    }
    words
}

/// The rows that are being filled.
struct Rows<'a> {
    done: Vec<Line>,
    row: Line,
    /// The columns that `row` takes.
    taken: usize,
    /// The columns that `row` began with.
    begun: usize,
    columns: usize,
    indent: &'a [Span],
}

impl Rows<'_> {
    fn add_word(&mut self, word: &Word<'_>) {
        let columns: usize = word.pieces.iter().map(|(text, _)| width::of(text)).sum();
        if self.taken + columns > self.columns && self.taken > self.begun {
            self.next_row(false);
        }
        for (text, style) in &word.pieces {
            self.add_anywhere(text, *style, Break::Words);
        }
        for (blanks, style) in &word.blanks {
            // Blanks at the edge are what the break stands for.
            let shown = width::prefix(blanks, self.columns.saturating_sub(self.taken));
            self.row.push(Span::new(shown.to_owned(), *style));
            self.taken += shown.len();
        }
    }

    fn add_anywhere(&mut self, text: &str, style: Style, at: Break) {
        let mut rest = text;
        while !rest.is_empty() {
            let shown = width::prefix(rest, self.columns.saturating_sub(self.taken));
            self.row.push(Span::new(shown.to_owned(), style));
            self.taken += width::of(shown);
            rest = rest.get(shown.len()..).unwrap_or_default();
            if rest.is_empty() {
                break;
            }
            if shown.is_empty() && self.taken <= self.begun {
                // Wider than the whole row: there is no way to show it.
                let first = rest.graphemes(true).next().map_or(rest.len(), str::len);
                rest = rest.get(first..).unwrap_or_default();
                continue;
            }
            self.next_row(at == Break::Anywhere && self.indent.is_empty());
        }
    }

    fn next_row(&mut self, continues: bool) {
        let mut next = Line::empty();
        for span in self.indent {
            next.push(span.clone());
        }
        self.begun = next.width();
        self.taken = self.begun;
        let mut row = std::mem::replace(&mut self.row, next);
        row.continues = continues;
        self.done.push(row);
    }

    fn finish(mut self) -> Vec<Line> {
        self.done.push(self.row);
        self.done
    }
}
