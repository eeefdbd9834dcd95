//! An answer while it comes: text, thinking, calls that are being written.
//!
//! Owns how much of each is kept. Must not know what was shown before it.

use super::{Kind, fields};
use crate::layout::{Block, Fit};
use crate::markdown::Markdown;
use crate::text::{Line, Span};
use crate::theme;
use letscode_wire::ToolCallId;
use std::time::{Duration, Instant};

/// No more of what the model thinks is kept to be shown when the user asks.
const MAX_THINKING: usize = 256 * 1024;
/// A line of thinking that is longer is shown in parts.
const MAX_LINE: usize = 2 * 1024;

/// An answer that is not complete.
#[derive(Debug, Default)]
pub(super) struct Answer {
    text: Markdown,
    /// Whether there was any text.
    has_text: bool,
    /// Whether there was any since the model last thought.
    is_speaking: bool,
    /// What was said before it thought again, and was not taken.
    said: Vec<Block>,
    /// Whether text of this answer was shown.
    is_text_shown: bool,
    is_thinking_shown: bool,
    thinking: Option<Thinking>,
    /// What is over and was not taken.
    thoughts: Vec<(String, Duration)>,
    /// The last of those that were taken without their words.
    folded: Option<String>,
    calls: Vec<Preparing>,
}

#[derive(Debug)]
struct Thinking {
    started: Instant,
    /// What was not shown.
    text: String,
}

/// A call whose arguments are being written.
#[derive(Debug)]
struct Preparing {
    id: ToolCallId,
    name: String,
    bytes: usize,
    started: Instant,
}

impl Answer {
    /// Adds visible text.
    pub(super) fn text(&mut self, delta: &str, now: Instant) {
        // Blank lines between thinking and the answer are no answer yet.
        if !self.is_speaking && !delta.trim().is_empty() {
            self.end_thinking(now);
            (self.has_text, self.is_speaking) = (true, true);
        }
        self.text.push(delta);
    }

    /// Adds what the model thinks.
    pub(super) fn thinking(&mut self, delta: &str, now: Instant) {
        if std::mem::take(&mut self.is_speaking) {
            let mut text = std::mem::take(&mut self.text);
            text.finish();
            self.said.extend(text.take_blocks());
        }
        let started = now;
        let thinking = self.thinking.get_or_insert(Thinking { started, text: String::new() });
        thinking.text.push_str(delta);
        if thinking.text.len() > MAX_THINKING {
            let cut = thinking.text.ceil_char_boundary(MAX_THINKING / 2);
            thinking.text.drain(..cut);
        }
    }

    /// Adds a call that begins to be written.
    pub(super) fn call(&mut self, id: &ToolCallId, name: &str, now: Instant) {
        self.end_thinking(now);
        let name = crate::fold::beginning(name, 100).to_owned();
        self.calls.push(Preparing { id: id.clone(), name, bytes: 0, started: now });
    }

    /// Notes that a call's arguments have grown.
    pub(super) fn call_grows(&mut self, id: &ToolCallId, bytes: usize) {
        if let Some(call) = self.calls.iter_mut().rev().find(|call| call.id == *id) {
            call.bytes += bytes;
        }
    }

    /// Declares the answer complete.
    pub(super) fn finish(&mut self, now: Instant) {
        self.end_thinking(now);
        self.text.finish();
        self.calls.clear();
    }

    pub(super) fn has_text(&self) -> bool {
        self.has_text
    }

    /// Returns whether nothing of it has come.
    pub(super) fn is_empty(&self) -> bool {
        !self.has_text && self.thinking.is_none() && self.calls.is_empty()
    }

    pub(super) fn is_animated(&self) -> bool {
        self.thinking.is_some() || !self.calls.is_empty()
    }

    /// Returns whether something of this kind belongs to what was shown of this answer before.
    pub(super) fn goes_on(&self, kind: Kind) -> bool {
        match kind {
            Kind::Answer => self.is_text_shown,
            _ => self.is_thinking_shown,
        }
    }

    /// Returns what is final and was not taken before, in order.
    pub(super) fn take(&mut self, shows_thinking: bool) -> Vec<(Kind, Vec<Block>)> {
        let mut taken = Vec::new();
        if !self.said.is_empty() {
            taken.push((Kind::Answer, std::mem::take(&mut self.said)));
        }
        for (text, elapsed) in std::mem::take(&mut self.thoughts) {
            let mut blocks = Vec::new();
            if shows_thinking {
                blocks.extend(thought_blocks(&text));
            } else {
                self.folded = Some(text);
            }
            let said = format!("thought for {}", fields::duration(elapsed));
            blocks.push(Block::line(Line::new(said, theme::THINKING), Fit::Clip));
            taken.push((Kind::Thinking, blocks));
        }
        if let Some(thinking) = self.thinking.as_mut().filter(|_| shows_thinking) {
            let blocks = thinking.take_lines();
            if !blocks.is_empty() {
                taken.push((Kind::Thinking, blocks));
            }
        }
        let text = self.text.take_blocks();
        if !text.is_empty() {
            taken.push((Kind::Answer, text));
        }
        taken
    }

    /// Returns the words of the last thought that was taken without them, once.
    pub(super) fn take_folded_thought(&mut self) -> Option<String> {
        self.folded.take()
    }

    /// Notes that something of a kind is shown.
    pub(super) fn shown(&mut self, kind: Kind) {
        match kind {
            Kind::Answer => self.is_text_shown = true,
            _ => self.is_thinking_shown = true,
        }
    }

    /// Returns the rows of what is not final. `last` is what stands above, and becomes what these
    /// rows end with.
    pub(super) fn live(
        &self,
        columns: usize,
        max_rows: usize,
        now: Instant,
        last: &mut Option<Kind>,
        shows_thinking: bool,
    ) -> Vec<Line> {
        let mut rows = Vec::new();
        if let Some(thinking) = &self.thinking {
            let goes_on = *last == Some(Kind::Thinking) && self.is_thinking_shown;
            if last.replace(Kind::Thinking).is_some() && !goes_on {
                rows.push(Line::empty());
            }
            if shows_thinking {
                thought(&thinking.text).rows(columns, &mut rows);
            }
            let line = fields::working("thinking", thinking.started, now);
            rows.push(line.clipped(columns.max(1)));
        }
        let tail = self.text.tail(columns, max_rows);
        if !tail.is_empty() {
            let goes_on = *last == Some(Kind::Answer) && self.is_text_shown;
            if last.replace(Kind::Answer).is_some() && !goes_on {
                rows.push(Line::empty());
            }
            rows.extend(tail);
        }
        for call in &self.calls {
            if last.replace(Kind::Tool).is_some_and(|last| last != Kind::Tool) {
                rows.push(Line::empty());
            }
            rows.push(call.line(now).clipped(columns.max(1)));
        }
        rows
    }

    fn end_thinking(&mut self, now: Instant) {
        if let Some(Thinking { started, text }) = self.thinking.take() {
            self.thoughts.push((text, now.saturating_duration_since(started)));
        }
    }
}

impl Thinking {
    /// Returns the lines that are complete and were not taken before.
    fn take_lines(&mut self) -> Vec<Block> {
        let complete = match self.text.rfind('\n') {
            Some(at) => at + 1,
            None if self.text.len() > MAX_LINE => self.text.len(),
            None => return Vec::new(),
        };
        let rest = self.text.split_off(complete);
        let lines = std::mem::replace(&mut self.text, rest);
        lines.lines().map(thought).collect()
    }
}

impl Preparing {
    fn line(&self, now: Instant) -> Line {
        let elapsed = now.saturating_duration_since(self.started);
        let mut line = Line::new(format!("{} ", fields::frame(elapsed)), theme::QUIET);
        line.push(Span::foreign(&self.name, theme::TOOL));
        if self.bytes > 0 {
            line.push(Span::new(format!(" {}", fields::size(self.bytes)), theme::QUIET));
        }
        line
    }
}

/// Returns the lines of what the model thought.
pub(super) fn thought_blocks(text: &str) -> impl Iterator<Item = Block> {
    text.trim_end().lines().map(thought)
}

fn thought(line: &str) -> Block {
    Block::indented(Line::from(Span::foreign(line, theme::THINKING)), 2, Fit::Words)
}
