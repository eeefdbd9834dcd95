//! Source lines to blocks: paragraphs, lists, quotes, tables, code.
//!
//! Owns which blocks are open, and when one is final: code with each line, a list with each
//! paragraph of it, a paragraph or a table at its end or at a limit. Must not know how lines arrive.
//!
//! It follows CommonMark where people write it as they mean it. HTML is shown as text, definitions
//! of link targets too, and code within a list goes on to its closing fence however it is indented.

use super::containers::{self, Containers};
use super::inline::{self, BREAK};
use super::lines::{self, FenceMark};
use crate::highlight::Highlighter;
use crate::layout::{Align, Block, Cell, Fit, Table, Text};
use crate::text::{Line, Span, Style};
use crate::theme;

/// After so many source lines a paragraph or a table is shown as far as it has come.
const MAX_LINES: usize = 40;
/// After so many bytes a paragraph or a table is shown as far as it has come.
const MAX_BYTES: usize = 8 * 1024;

/// A document that grows by lines.
#[derive(Debug, Default)]
pub(super) struct Blocks {
    containers: Containers,
    leaf: Leaf,
    /// Whether a blank line stands behind the last block.
    is_after_blank: bool,
    /// What was shown last.
    last: Option<Last>,
    done: Vec<Block>,
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
    Table {
        table: Table,
        bytes: usize,
    },
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
        let is_code = matches!(self.leaf, Leaf::Fence { .. });
        let (mut matched, mut rest) = self.containers.matching(line, is_code);

        if is_code && matched == self.containers.depth() {
            self.fence_line(rest);
            return;
        }
        if rest.trim().is_empty() {
            self.blank_line(matched);
            return;
        }
        while let Some((container, behind)) =
            containers::opening(rest, matched, self.is_in_paragraph(matched))
        {
            self.close(matched);
            self.containers.open(container);
            (matched, rest) = (matched + 1, behind);
            if rest.trim().is_empty() {
                return;
            }
        }
        if matched < self.containers.depth() {
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

    fn is_in_paragraph(&self, matched: usize) -> bool {
        matches!(self.leaf, Leaf::Paragraph(_)) && matched == self.containers.depth()
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
        if matched < self.containers.depth() {
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
            Leaf::Table { table, bytes } if body.contains('|') => {
                let cells = table_cells(body, table.aligns.len(), Style::PLAIN);
                table.body.push(cells);
                *bytes += body.len();
                if table.body.len() >= MAX_LINES || *bytes >= MAX_BYTES {
                    self.break_table();
                }
            }
            Leaf::Indented { .. } if indent >= 4 => self.indented_line(line),
            Leaf::Paragraph(_) => match lines::alignments(body) {
                Some(aligns) => self.table_or_prose(aligns, body),
                None => self.prose_line(body),
            },
            Leaf::None | Leaf::Table { .. } | Leaf::Indented { .. } | Leaf::Fence { .. } => {
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
            let (first, _) = self.containers.prefixes();
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
        let (first, rest) = self.containers.prefixes();
        let table = Table {
            first,
            rest,
            aligns,
            header,
            is_continued: false,
            body: Vec::new(),
            wanted: None,
        };
        self.leaf = Leaf::Table { table, bytes: 0 };
    }

    /// Shows a table as far as it has come; further rows stand in the same columns.
    fn break_table(&mut self) {
        let Leaf::Table { table, bytes } = &mut self.leaf else { return };
        *bytes = 0;
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
            Leaf::Table { table, .. } if !(table.is_continued && table.body.is_empty()) => {
                self.done.push(Block::Table(table));
            }
            Leaf::None | Leaf::Fence { .. } | Leaf::Indented { .. } | Leaf::Table { .. } => {}
        }
    }

    /// Ends the innermost block and all containers but the first `kept`.
    fn close(&mut self, kept: usize) {
        self.end_leaf();
        while self.containers.depth() > kept {
            if self.containers.is_innermost_new() {
                self.begin(Kind::Prose);
                self.show_marker(None);
            }
            self.containers.close();
        }
        let quotes = self.containers.quotes();
        if let Some(last) = &mut self.last {
            last.quotes = last.quotes.min(quotes);
        }
    }

    /// Begins a block: with an empty row above it, where it or the one before stands apart.
    fn begin(&mut self, kind: Kind) {
        let is_after_blank = std::mem::take(&mut self.is_after_blank);
        let quotes = self.containers.quotes();
        if let Some(last) = self.last.replace(Last { kind, quotes })
            && (is_after_blank || kind != Kind::Prose || last.kind == Kind::Panel)
        {
            let first = vec![containers::quote_marks(last.quotes.min(quotes))];
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
            let (first, rest) = self.containers.prefixes();
            self.done.push(Block::Text(Text { first, rest, line, fit: Fit::Words }));
        }
    }

    /// Shows the row above code: the language, and the marker of an item that begins with code.
    fn show_marker(&mut self, label: Option<&str>) {
        let is_new = self.containers.is_any_new();
        let label = label.unwrap_or_default();
        if !is_new && label.is_empty() {
            return;
        }
        let (first, rest) = if is_new { self.containers.prefixes() } else { Default::default() };
        let line = Line::from(Span::foreign(label, theme::QUIET));
        self.done.push(Block::Text(Text { first, rest, line, fit: Fit::Clip }));
    }

    /// Shows a line of code: without anything before it, so that it is copied as it is.
    fn code(&mut self, line: Line) {
        self.done.push(Block::line(line, Fit::Anywhere));
    }
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
