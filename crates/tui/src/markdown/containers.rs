//! What blocks stand in: quotes and list items.
//!
//! Owns the marks of each at the beginning of a source line, and what stands before the rows of the
//! blocks in it. Must not know what is shown.

use super::lines;
use crate::layout::{blanks, quiet};
use crate::text::{Line, Span, width};

/// Deeper nesting than this is text.
const MAX_DEPTH: usize = 12;
/// What stands before the rows of a quote.
const QUOTE: &str = "▎ ";

/// Something that other blocks stand in.
#[derive(Debug, Clone)]
pub(super) enum Container {
    /// A quote.
    Quote,
    /// An item of a list.
    Item {
        /// The column at which its text begins.
        indent: usize,
        /// What is shown for it.
        marker: String,
        /// Whether it has been shown.
        is_shown: bool,
    },
}

/// The containers that are open, outermost first.
#[derive(Debug, Clone, Default)]
pub(super) struct Containers {
    open: Vec<Container>,
}

impl Containers {
    /// Returns how many are open.
    pub(super) fn depth(&self) -> usize {
        self.open.len()
    }

    /// Opens another one.
    pub(super) fn open(&mut self, container: Container) {
        self.open.push(container);
    }

    /// Ends the innermost one.
    pub(super) fn close(&mut self) {
        self.open.pop();
    }

    /// Returns how many go on in a line, and the line behind their marks. Code in an item goes on
    /// however it is indented.
    pub(super) fn matching<'a>(&self, line: &'a str, is_code: bool) -> (usize, &'a str) {
        let mut rest = line;
        for (at, container) in self.open.iter().enumerate() {
            let behind = match container {
                Container::Quote => unquoted(rest),
                Container::Item { indent, .. } => {
                    let goes_on =
                        is_code || rest.trim().is_empty() || lines::indent(rest) >= *indent;
                    goes_on.then(|| lines::dedented(rest, *indent))
                }
            };
            match behind {
                Some(behind) => rest = behind,
                None => return (at, rest),
            }
        }
        (self.open.len(), rest)
    }

    /// Returns how many quotes all else stands in.
    pub(super) fn quotes(&self) -> usize {
        self.open.iter().take_while(|container| matches!(container, Container::Quote)).count()
    }

    /// Returns whether the marker of the innermost item has yet to be shown.
    pub(super) fn is_innermost_new(&self) -> bool {
        matches!(self.open.last(), Some(Container::Item { is_shown: false, .. }))
    }

    /// Returns whether the marker of any item has yet to be shown.
    pub(super) fn is_any_new(&self) -> bool {
        let is_new = |c: &Container| matches!(c, Container::Item { is_shown: false, .. });
        self.open.iter().any(is_new)
    }

    /// Returns what stands before the first row of a block and before the others. Markers are shown
    /// once.
    pub(super) fn prefixes(&mut self) -> (Vec<Span>, Vec<Span>) {
        let (mut first, mut rest) = (Line::empty(), Line::empty());
        for container in &mut self.open {
            match container {
                Container::Quote => {
                    first.push(quiet(QUOTE));
                    rest.push(quiet(QUOTE));
                }
                Container::Item { marker, is_shown, .. } => {
                    let mark = quiet(format!("{marker} "));
                    let hidden = blanks(width::of(&mark.text));
                    rest.push(hidden.clone());
                    first.push(if std::mem::replace(is_shown, true) { hidden } else { mark });
                }
            }
        }
        (first.spans, rest.spans)
    }
}

/// Returns what stands before an empty row in so many quotes.
pub(super) fn quote_marks(quotes: usize) -> Span {
    quiet(QUOTE.repeat(quotes).trim_end().to_owned())
}

/// Returns the container that a line opens within `depth` others, and the line behind its mark.
pub(super) fn opening(
    line: &str,
    depth: usize,
    is_in_paragraph: bool,
) -> Option<(Container, &str)> {
    let indent = lines::indent(line);
    let body = lines::dedented(line, indent);
    if indent >= 4 || depth >= MAX_DEPTH {
        return None;
    }
    if let Some(behind) = unquoted(line) {
        return Some((Container::Quote, behind));
    }
    if lines::is_rule(body) {
        return None;
    }
    let item = lines::item(body)?;
    if is_in_paragraph && !item.interrupts {
        return None;
    }
    let behind = body.get(item.width.min(body.len())..).unwrap_or_default();
    let indent = indent + item.width;
    Some((Container::Item { indent, marker: item.shown, is_shown: false }, behind))
}

/// Returns a line behind the mark of a quote.
fn unquoted(line: &str) -> Option<&str> {
    let body = line.trim_start_matches(' ');
    if line.len() - body.len() > 3 {
        return None;
    }
    let behind = body.strip_prefix('>')?;
    Some(behind.strip_prefix(' ').unwrap_or(behind))
}
