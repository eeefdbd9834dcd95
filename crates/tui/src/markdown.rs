//! Markdown as it arrives.
//!
//! Owns the cutting of the stream into source lines. What comes of a text depends on the text alone,
//! never on how it was split. What is final is kept until it is taken; what is not complete yet can be
//! looked at as the tail. Must not know who says it.
//!
//! A piece costs what it adds. Only the unfinished block is kept, and no block grows without limit:
//! see `MAX_LINE` and the limits in `blocks`.

mod blocks;
mod containers;
mod inline;
mod lines;

use crate::layout::Block;
use crate::text::Line;
use crate::text::sanitize;
use blocks::Blocks;

/// A source line that is longer than this many bytes is taken in parts.
const MAX_LINE: usize = 8 * 1024;

/// A text in Markdown that grows at its end.
#[derive(Debug, Default)]
pub struct Markdown {
    blocks: Blocks,
    /// The source line that has yet to end.
    pending: String,
    /// Whether a part of that line is taken already.
    is_inside_line: bool,
}

impl Markdown {
    /// Returns an empty text.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds text at the end.
    pub fn push(&mut self, delta: &str) {
        let mut rest = delta;
        while let Some((head, behind)) = rest.split_once('\n') {
            self.append(head);
            self.end_line();
            rest = behind;
        }
        self.append(rest);
    }

    /// Declares the text complete. All of it can be taken then.
    pub fn finish(&mut self) {
        if !self.pending.is_empty() {
            self.end_line();
        }
        self.blocks.finish();
    }

    /// Returns the rows that are final and were not taken before, on a screen of `columns`.
    pub fn take_finished(&mut self, columns: usize) -> Vec<Line> {
        let mut rows = Vec::new();
        for block in self.take_blocks() {
            block.rows(columns, &mut rows);
        }
        rows
    }

    /// Returns the last rows, at most `max_rows`, of what is not final yet: as it would look if the
    /// text ended here.
    pub fn tail(&self, columns: usize, max_rows: usize) -> Vec<Line> {
        let mut blocks = self.blocks.fork();
        if self.is_inside_line {
            blocks.part(&sanitize::one_line(&self.pending));
        } else if !lines::is_mark_only(&self.pending) {
            blocks.line(&sanitize::one_line(&self.pending));
        }
        blocks.finish();
        let mut rows = Vec::new();
        for block in blocks.take() {
            block.rows(columns, &mut rows);
        }
        rows.split_off(rows.len().saturating_sub(max_rows))
    }

    /// Returns what is final and was not taken before.
    pub(crate) fn take_blocks(&mut self) -> Vec<Block> {
        self.blocks.take()
    }

    /// Adds text without a newline.
    fn append(&mut self, text: &str) {
        let mut rest = text;
        while self.pending.len() + rest.len() > MAX_LINE {
            let room = rest.floor_char_boundary(MAX_LINE - self.pending.len().min(MAX_LINE));
            let (head, behind) = rest.split_at_checked(room).unwrap_or((rest, ""));
            self.pending.push_str(head);
            rest = behind;
            self.take_part();
        }
        self.pending.push_str(rest);
    }

    /// Takes the line so far, which is as long as it may get.
    fn take_part(&mut self) {
        let part = std::mem::take(&mut self.pending);
        let part = sanitize::one_line(&part);
        if std::mem::replace(&mut self.is_inside_line, true) {
            self.blocks.part(&part);
        } else {
            self.blocks.line(&part);
            self.blocks.break_off();
        }
    }

    fn end_line(&mut self) {
        let line = std::mem::take(&mut self.pending);
        let line = sanitize::one_line(&line);
        if std::mem::take(&mut self.is_inside_line) {
            self.blocks.part(&line);
        } else {
            self.blocks.line(&line);
        }
    }
}

#[cfg(test)]
mod tests;
