//! Source lines to blocks: paragraphs, lists, quotes, tables, code.
//!
//! Owns which blocks are open, and when one is final: code with each line, a list with each
//! paragraph of it, a paragraph or a table at its end or at a limit. Must not know how lines arrive.
//!
//! It follows CommonMark where people write it as they mean it. HTML is shown as text, definitions
//! of link targets too, and code within a list goes on to its closing fence however it is indented.

use super::inline::{self, BREAK};
use super::lines::{self, FenceMark};
use crate::highlight::Highlighter;
use crate::layout::{Align, Block, Cell, Fit, Table, Text, blanks, quiet, width_of};
use crate::text::{Line, Span, Style};
use crate::theme;

/// After so many source lines a paragraph or a table is shown as far as it has come.
const MAX_LINES: usize = 40;
/// After so many bytes a paragraph is shown as far as it has come.
const MAX_BYTES: usize = 8 * 1024;
/// Deeper nesting than this is text.
const MAX_DEPTH: usize = 12;

/// A document that grows by lines.
#[derive(Debug, Default)]
pub(super) struct Blocks {
    containers: Vec<Container>,
    leaf: Leaf,
    /// Whether a blank line stands behind the last block.
    is_after_blank: bool,
    /// What was shown last.
    last: Option<Last>,
    done: Vec<Block>,
}

/// What other blocks stand in.
#[derive(Debug, Clone)]
enum Container {
    Quote,
    Item { indent: usize, marker: String, is_shown: bool },
}

/// The block that lines are added to.
#[derive(Debug, Clone, Default)]
enum Leaf {
    #[default]
    None,
    Paragraph(Paragraph),
    Fence {
        mark: char,
        count: usize,
        indent: usize,
        code: Highlighter,
    },
    Indented {
        blank_lines: usize,
    },
    Table(Table),
}

#[derive(Debug, Clone, Default)]
struct Paragraph {
    lines: Vec<String>,
    bytes: usize,
}

#[derive(Debug, Clone, Copy)]
struct Last {
    kind: Kind,
    /// How many quotes it stood in.
    quotes: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Prose,
    Heading,
    /// Code or a table: stands apart from all around it.
    Panel,
}

impl Blocks {
    /// Returns the state without what is final.
    pub(super) fn fork(&self) -> Self {
        Self {
            containers: self.containers.clone(),
            leaf: self.leaf.clone(),
            is_after_blank: self.is_after_blank,
            last: self.last,
            done: Vec::new(),
        }
    }

    /// Returns what is final and was not taken before.
    pub(super) fn take(&mut self) -> Vec<Block> {
        std::mem::take(&mut self.done)
    }

    /// Ends all that is open.
    pub(super) fn finish(&mut self) {
        self.close(0);
    }

    /// Adds a clean source line.
    pub(super) fn line(&mut self, line: &str) {
        let (mut matched, mut rest) = self.matching(line);
        if self.is_fence_line(matched) {
            self.fence_line(rest);
            return;
        }
        if rest.trim().is_empty() {
            self.blank_line(matched);
            return;
        }
        while let Some((container, behind)) = self.container(rest, matched) {
            self.close(matched);
            self.containers.push(container);
            (matched, rest) = (matched + 1, behind);
            if rest.trim().is_empty() {
                return;
            }
        }
        if matched < self.containers.len() {
            let is_prose = matches!(self.leaf, Leaf::Paragraph(_)) && !begins_block(rest);
            if is_prose {
                self.prose_line(rest);
                return;
            }
            self.close(matched);
        }
        self.leaf_line(rest);
    }

    /// Adds a further part of a line that is too long to be one.
    pub(super) fn part(&mut self, text: &str) {
        if matches!(self.leaf, Leaf::Fence { .. } | Leaf::Indented { .. }) {
            self.code(Line::plain(text.to_owned()));
            return;
        }
        if !matches!(self.leaf, Leaf::Paragraph(_)) {
            self.end_leaf();
        }
        self.prose_line(text);
        self.break_off();
    }

    /// Shows a paragraph as far as it has come; the next line goes on with it.
    pub(super) fn break_off(&mut self) {
        if let Leaf::Paragraph(paragraph) = &mut self.leaf {
            let paragraph = std::mem::take(paragraph);
            self.prose(&paragraph.lines, Kind::Prose);
        }
    }

    /// Returns how many containers go on in a line, and the line behind their marks.
    fn matching<'a>(&self, line: &'a str) -> (usize, &'a str) {
        let is_code = matches!(self.leaf, Leaf::Fence { .. });
        let mut rest = line;
        for (at, container) in self.containers.iter().enumerate() {
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
        (self.containers.len(), rest)
    }

    /// Returns the container that a line opens, and the line behind its mark.
    fn container<'a>(&self, line: &'a str, depth: usize) -> Option<(Container, &'a str)> {
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
        let is_inside = depth == self.containers.len();
        if is_inside && matches!(self.leaf, Leaf::Paragraph(_)) && !item.interrupts {
            return None;
        }
        let behind = body.get(item.width.min(body.len())..).unwrap_or_default();
        let indent = indent + item.width;
        Some((Container::Item { indent, marker: item.shown, is_shown: false }, behind))
    }

    fn is_fence_line(&self, matched: usize) -> bool {
        matches!(self.leaf, Leaf::Fence { .. }) && matched == self.containers.len()
    }

    fn fence_line(&mut self, line: &str) {
        let Leaf::Fence { mark, count, indent, code } = &mut self.leaf else { return };
        if lines::closes_fence(line, *mark, *count) {
            self.leaf = Leaf::None;
            return;
        }
        let line = code.line(lines::dedented(line, *indent));
        self.code(line);
    }

    fn blank_line(&mut self, matched: usize) {
        if let Leaf::Indented { blank_lines } = &mut self.leaf {
            *blank_lines += 1;
        } else {
            self.end_leaf();
        }
        if matched < self.containers.len() {
            self.close(matched);
        }
        self.is_after_blank = true;
    }

    /// Adds a line to the innermost block, or begins one with it.
    fn leaf_line(&mut self, line: &str) {
        let indent = lines::indent(line);
        let body = lines::dedented(line, indent);
        if indent < 4 && self.marked_line(body, indent) {
            return;
        }
        match &mut self.leaf {
            Leaf::Table(table) if body.contains('|') => {
                let cells = table_cells(body, table.aligns.len(), Style::PLAIN);
                table.body.push(cells);
                if table.body.len() >= MAX_LINES {
                    self.break_table();
                }
            }
            Leaf::Indented { .. } if indent >= 4 => self.indented_line(line),
            Leaf::Paragraph(_) => match lines::alignments(body) {
                Some(aligns) => self.table_or_prose(aligns, body),
                None => self.prose_line(body),
            },
            Leaf::None | Leaf::Table(_) | Leaf::Indented { .. } | Leaf::Fence { .. } => {
                self.end_leaf();
                if indent >= 4 {
                    self.begin(Kind::Panel);
                    self.show_marker(None);
                    self.leaf = Leaf::Indented { blank_lines: 0 };
                    self.indented_line(line);
                } else {
                    self.prose_line(body);
                }
            }
        }
    }

    /// Handles a line that its mark makes a block of its own. Returns whether there is one.
    fn marked_line(&mut self, body: &str, indent: usize) -> bool {
        if let Some(FenceMark { mark, count, language }) = lines::fence(body) {
            self.end_leaf();
            self.begin(Kind::Panel);
            self.show_marker(Some(&language));
            let code = Highlighter::new(&language);
            self.leaf = Leaf::Fence { mark, count, indent, code };
            return true;
        }
        if let Some(text) = lines::heading(body) {
            self.end_leaf();
            self.prose(&[text.to_owned()], Kind::Heading);
            return true;
        }
        if let Leaf::Paragraph(paragraph) = &mut self.leaf
            && !paragraph.lines.is_empty()
            && lines::underlines(body)
        {
            let paragraph = std::mem::take(paragraph);
            self.leaf = Leaf::None;
            self.prose(&paragraph.lines, Kind::Heading);
            return true;
        }
        if lines::is_rule(body) {
            self.end_leaf();
            self.begin(Kind::Prose);
            let (first, _) = self.prefixes();
            self.done.push(Block::Rule(first));
            return true;
        }
        false
    }

    fn prose_line(&mut self, line: &str) {
        if !matches!(self.leaf, Leaf::Paragraph(_)) {
            self.leaf = Leaf::Paragraph(Paragraph::default());
        }
        let Leaf::Paragraph(paragraph) = &mut self.leaf else { return };
        let line = line.trim_start();
        paragraph.bytes += line.len();
        paragraph.lines.push(line.to_owned());
        if paragraph.lines.len() >= MAX_LINES || paragraph.bytes >= MAX_BYTES {
            self.break_off();
        }
    }

    fn indented_line(&mut self, line: &str) {
        let Leaf::Indented { blank_lines } = &mut self.leaf else { return };
        for _ in 0..std::mem::take(blank_lines) {
            self.code(Line::empty());
        }
        self.is_after_blank = false;
        self.code(Line::plain(lines::dedented(line, 4).to_owned()));
    }

    /// Begins a table where the line before names as many columns.
    fn table_or_prose(&mut self, aligns: Vec<Align>, line: &str) {
        let Leaf::Paragraph(paragraph) = &mut self.leaf else { return };
        let header = paragraph.lines.last().filter(|last| {
            (last.contains('|') || line.contains('|')) && lines::cells(last).len() == aligns.len()
        });
        let Some(header) = header else {
            self.prose_line(line);
            return;
        };
        let header = table_cells(header, aligns.len(), Style::PLAIN.bold());
        let mut paragraph = std::mem::take(paragraph);
        paragraph.lines.pop();
        self.prose(&paragraph.lines, Kind::Prose);
        self.begin(Kind::Panel);
        let (first, rest) = self.prefixes();
        let body = Vec::new();
        self.leaf = Leaf::Table(Table {
            first,
            rest,
            aligns,
            header,
            is_continued: false,
            body,
            wanted: None,
        });
    }

    /// Shows a table as far as it has come; further rows stand in the same columns.
    fn break_table(&mut self) {
        let Leaf::Table(table) = &mut self.leaf else { return };
        let next = Table {
            first: table.rest.clone(),
            is_continued: true,
            body: Vec::new(),
            wanted: Some(table.wanted()),
            ..table.clone()
        };
        let part = std::mem::replace(table, next);
        self.done.push(Block::Table(part));
    }

    /// Ends the innermost block.
    fn end_leaf(&mut self) {
        match std::mem::take(&mut self.leaf) {
            Leaf::Paragraph(paragraph) => self.prose(&paragraph.lines, Kind::Prose),
            Leaf::Table(table) if !(table.is_continued && table.body.is_empty()) => {
                self.done.push(Block::Table(table));
            }
            Leaf::None | Leaf::Fence { .. } | Leaf::Indented { .. } | Leaf::Table(_) => {}
        }
    }

    /// Ends the innermost block and all containers but the first `kept`.
    fn close(&mut self, kept: usize) {
        self.end_leaf();
        while self.containers.len() > kept {
            if matches!(self.containers.last(), Some(Container::Item { is_shown: false, .. })) {
                self.begin(Kind::Prose);
                self.show_marker(None);
            }
            self.containers.pop();
        }
        let quotes = self.quotes();
        if let Some(last) = &mut self.last {
            last.quotes = last.quotes.min(quotes);
        }
    }

    /// Begins a block: with an empty row above it, where it or the one before stands apart.
    fn begin(&mut self, kind: Kind) {
        let is_after_blank = std::mem::take(&mut self.is_after_blank);
        let quotes = self.quotes();
        if let Some(last) = self.last.replace(Last { kind, quotes })
            && (is_after_blank || kind != Kind::Prose || last.kind == Kind::Panel)
        {
            let first = vec![quiet(QUOTE.repeat(last.quotes.min(quotes)).trim_end().to_owned())];
            self.done.push(Block::Text(Text { first, ..Text::default() }));
        }
    }

    /// Shows a paragraph or a heading; nothing where there are no lines.
    fn prose(&mut self, source: &[String], kind: Kind) {
        if source.is_empty() {
            return;
        }
        self.begin(kind);
        let base = if kind == Kind::Heading { theme::HEADING } else { Style::PLAIN };
        for line in inline::lines(&joined(source), base) {
            let (first, rest) = self.prefixes();
            self.done.push(Block::Text(Text { first, rest, line, fit: Fit::Words }));
        }
    }

    /// Shows the row above code: the language, and the marker of an item that begins with code.
    fn show_marker(&mut self, label: Option<&str>) {
        let mut is_new = false;
        for container in &self.containers {
            is_new |= matches!(container, Container::Item { is_shown: false, .. });
        }
        let label = label.unwrap_or_default();
        if !is_new && label.is_empty() {
            return;
        }
        let (first, rest) = if is_new { self.prefixes() } else { Default::default() };
        let line = Line::from(Span::foreign(label, theme::QUIET));
        self.done.push(Block::Text(Text { first, rest, line, fit: Fit::Clip }));
    }

    /// Shows a line of code: without anything before it, so that it is copied as it is.
    fn code(&mut self, line: Line) {
        self.done.push(Block::line(line, Fit::Anywhere));
    }

    fn quotes(&self) -> usize {
        self.containers.iter().take_while(|c| matches!(c, Container::Quote)).count()
    }

    /// Returns what stands before the first row of a block and before the others.
    fn prefixes(&mut self) -> (Vec<Span>, Vec<Span>) {
        let (mut first, mut rest) = (Line::empty(), Line::empty());
        for container in &mut self.containers {
            match container {
                Container::Quote => {
                    first.push(quiet(QUOTE));
                    rest.push(quiet(QUOTE));
                }
                Container::Item { marker, is_shown, .. } => {
                    let mark = quiet(format!("{marker} "));
                    let hidden = blanks(width_of(std::slice::from_ref(&mark)));
                    rest.push(hidden.clone());
                    first.push(if std::mem::replace(is_shown, true) { hidden } else { mark });
                }
            }
        }
        (first.spans, rest.spans)
    }
}

/// What stands before the rows of a quote.
const QUOTE: &str = "▎ ";

/// Returns a line behind the mark of a quote.
fn unquoted(line: &str) -> Option<&str> {
    let body = line.trim_start_matches(' ');
    if line.len() - body.len() > 3 {
        return None;
    }
    let behind = body.strip_prefix('>')?;
    Some(behind.strip_prefix(' ').unwrap_or(behind))
}

/// Returns whether a line cannot go on with a paragraph of containers that it does not stand in.
fn begins_block(line: &str) -> bool {
    let indent = lines::indent(line);
    let body = lines::dedented(line, indent);
    let is_marked =
        lines::fence(body).is_some() || lines::heading(body).is_some() || lines::is_rule(body);
    indent < 4 && is_marked
}

/// Returns the lines of a paragraph as one text, with the breaks that must stay.
fn joined(lines: &[String]) -> String {
    let mut text = String::new();
    for (at, line) in lines.iter().enumerate() {
        let bare = line.trim_end();
        if at + 1 == lines.len() {
            text.push_str(bare);
            break;
        }
        let is_tag = line.starts_with('<')
            && line
                .chars()
                .nth(1)
                .is_some_and(|c| c.is_ascii_alphabetic() || matches!(c, '/' | '!'));
        let breaks = is_tag || line.ends_with("  ") || line.ends_with('\\');
        text.push_str(bare.strip_suffix('\\').unwrap_or(bare));
        text.push(' ');
        if breaks {
            text.push(BREAK);
            text.push(' ');
        }
    }
    text
}

/// Returns so many cells of a row.
fn table_cells(line: &str, columns: usize, base: Style) -> Vec<Cell> {
    let mut texts = lines::cells(line);
    texts.resize(columns, String::new());
    texts.iter().map(|text| inline::lines(text, base)).collect()
}
