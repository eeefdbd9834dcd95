//! The conversation as rows: the agent's events in, what is final and what still moves out.
//!
//! Owns what each event looks like and when it is final. It keeps nothing of what is final but the
//! last result and the last thought that were folded. Must not know keys, the composer or the footer.

mod answer;
mod fields;
mod notes;
mod recap;
mod tool;

use crate::fold::{self, Extent};
use crate::keymap::{Action, Keymap};
use crate::layout::Block;
use crate::text::{Line, Span, Style, colors};
use crate::theme;
use answer::Answer;
use letscode_wire::{
    ContentPart, Event, Message, StopReason, StreamEvent, ToolCallId, UserMessage,
};
use std::time::Instant;
use tool::{Folded, Running};

/// How much of a long message of the user is shown.
const USER_EXTENT: Extent = Extent::Folded { head: 30, tail: 5 };
/// How many lines of an error are shown.
const ERROR_EXTENT: Extent = Extent::Folded { head: 30, tail: 10 };
/// No more of a thought is kept once it is over and its words were not shown.
const MAX_FOLDED_THOUGHT: usize = 64 * 1024;

/// The conversation on the screen.
#[derive(Debug, Default)]
pub struct Transcript {
    /// What is final and was not taken.
    done: Vec<Block>,
    /// What was shown last.
    last: Option<Kind>,
    answer: Option<Answer>,
    running: Vec<Running>,
    /// Since when nothing has been heard in the run that is on; `None` where none is.
    silent_since: Option<Instant>,
    /// Whether the run's failure is shown.
    is_failure_shown: bool,
    folded: Option<Folded>,
    is_verbose: bool,
    shows_thinking: bool,
    /// The end of what the model thought last, where its words were not shown.
    folded_thought: Option<String>,
    hints: Hints,
}

/// Words that name keys.
#[derive(Debug)]
struct Hints {
    /// How to try again; empty where nobody can.
    retry: String,
    /// How to see all of what is folded, to stand behind how much that is.
    unfold: String,
}

/// What stands together without an empty row between.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    User,
    Answer,
    Thinking,
    Tool,
    Note,
}

impl Hints {
    fn of(keymap: &Keymap) -> Self {
        let first = |action| keymap.keys_of(action).into_iter().next();
        let retry = first(Action::Retry).unwrap_or_else(|| "/retry".to_owned());
        let unfold = first(Action::Unfold).map(|key| format!(", {key} shows all"));
        Self { retry: format!("{retry} tries again"), unfold: unfold.unwrap_or_default() }
    }
}

impl Default for Hints {
    fn default() -> Self {
        Self::of(&Keymap::default())
    }
}

impl Transcript {
    /// Returns an empty conversation.
    pub fn new() -> Self {
        Self::default()
    }

    /// Has hints name the keys that are bound.
    pub fn set_keys(&mut self, keymap: &Keymap) {
        self.hints = Hints::of(keymap);
    }

    /// Has nothing name a key: none can be pressed.
    pub fn without_keys(&mut self) {
        self.hints = Hints { retry: String::new(), unfold: String::new() };
    }

    /// Takes in what happened.
    pub fn event(&mut self, event: &Event, now: Instant) {
        if self.silent_since.is_some() {
            self.silent_since = Some(now);
        }
        match event {
            Event::AgentStart { .. } => {
                self.silent_since = Some(now);
                self.is_failure_shown = false;
            }
            Event::TurnStart { .. } | Event::TurnEnd { .. } => {}
            Event::MessageStart { message } => match &**message {
                Message::User(message) => self.user(message),
                Message::Assistant(_) => {
                    self.end_answer(now);
                    self.answer = Some(Answer::default());
                }
                Message::Tool(_) | Message::Custom(_) => {}
            },
            Event::MessageUpdate { stream_event, .. } => self.piece(stream_event, now),
            Event::MessageEnd { message } => self.message_end(message, now),
            Event::ToolExecutionStart { tool_call_id, tool_name, arguments } => {
                self.end_answer(now);
                let running = Running::new(tool_call_id.clone(), tool_name, arguments, now);
                self.running.push(running);
            }
            Event::ToolExecutionUpdate { tool_call_id, partial } => {
                if let Some(running) = self.running.iter_mut().find(|r| r.id == *tool_call_id) {
                    running.update(&partial.content);
                }
            }
            Event::ToolExecutionEnd { tool_call_id, result } => {
                self.tool_end(tool_call_id, result, now);
            }
            Event::Retry(notice) => {
                self.end_answer(now);
                self.add(Kind::Note, notes::retry(notice));
            }
            Event::Error { error, recoverable } => {
                self.end_answer(now);
                self.is_failure_shown = true;
                self.failure(error);
                if *recoverable && !self.hints.retry.is_empty() {
                    let hint = self.hints.retry.clone();
                    self.notice(&hint);
                }
            }
            Event::AgentEnd { error, aborted, .. } => self.run_end(error.as_deref(), *aborted, now),
            // Questions are not part of the conversation.
            Event::UiRequest { .. } | Event::UiWithdrawn { .. } => {}
        }
    }

    /// Adds a quiet line of the program's, or several.
    pub fn notice(&mut self, text: &str) {
        let blocks = text.lines().map(|line| notes::line(line, theme::QUIET)).collect();
        self.add(Kind::Note, blocks);
    }

    /// Adds what went wrong.
    pub fn failure(&mut self, text: &str) {
        let mut lines =
            fold::text(text, theme::ERROR, self.extent(ERROR_EXTENT), &self.hints.unfold);
        if let Some(Block::Text(first)) = lines.first_mut() {
            first.first = vec![Span::new("✗ ", theme::ERROR)];
        }
        self.keep_folded("the error", text, theme::ERROR, ERROR_EXTENT);
        self.add(Kind::Note, lines.into_iter().map(Block::wrapped).collect());
    }

    /// Adds text of the program's as it is, such as what a slash command answers, in the colours that
    /// it asks for. A line of two columns stays that where it breaks.
    pub fn text(&mut self, text: &str) {
        self.add(Kind::Note, colors::lines(text).into_iter().map(notes::columns).collect());
    }

    /// Returns the rows that are final and were not taken before, on a screen of `columns`.
    pub fn take_finished(&mut self, columns: usize) -> Vec<Line> {
        let mut rows = Vec::new();
        for block in std::mem::take(&mut self.done) {
            block.rows(columns, &mut rows);
        }
        rows
    }

    /// Returns the rows of what is not final: at most `max_rows`, those nearest to the end.
    pub fn live(&self, columns: usize, max_rows: usize, now: Instant) -> Vec<Line> {
        if max_rows == 0 {
            return Vec::new();
        }
        let mut rows = Vec::new();
        let mut last = self.last;
        if let Some(answer) = &self.answer {
            rows = answer.live(columns, max_rows, now, &mut last, self.shows_thinking);
        }
        if !self.running.is_empty() {
            if last.is_some_and(|kind| kind != Kind::Tool) {
                rows.push(Line::empty());
            }
            tool::live(&self.running, columns, max_rows, now, &mut rows);
        }
        if let Some(since) = self.waits_since() {
            if last.is_some() {
                rows.push(Line::empty());
            }
            rows.push(fields::working("waiting for the model", since, now).clipped(columns.max(1)));
        }
        rows.split_off(rows.len().saturating_sub(max_rows))
    }

    /// Returns whether [`live`](Self::live) changes with time alone.
    pub fn is_animated(&self) -> bool {
        let answers = self.answer.as_ref().is_some_and(Answer::is_animated);
        answers || !self.running.is_empty() || self.waits_since().is_some()
    }

    /// Returns whether results are shown whole.
    pub fn is_verbose(&self) -> bool {
        self.is_verbose
    }

    /// Sets whether results that are yet to come are shown whole.
    pub fn set_verbose(&mut self, is_verbose: bool) {
        self.is_verbose = is_verbose;
    }

    /// Returns whether what the model thinks is shown.
    pub fn shows_thinking(&self) -> bool {
        self.shows_thinking
    }

    /// Sets whether what the model thinks now and later is shown; what it thought last comes along
    /// where its words were not shown.
    pub fn set_shows_thinking(&mut self, shows_thinking: bool) {
        self.shows_thinking = shows_thinking;
        if shows_thinking && let Some(text) = self.folded_thought.take() {
            self.add(Kind::Thinking, answer::thought_blocks(&text).collect());
        }
        self.take_from_answer();
    }

    /// Shows the last result that was folded once more, whole. Returns whether there is one.
    pub fn unfold_last(&mut self) -> bool {
        let Some(folded) = self.folded.take() else { return false };
        self.add(Kind::Note, folded.blocks());
        true
    }

    fn extent(&self, folded: Extent) -> Extent {
        if self.is_verbose { Extent::Whole } else { folded }
    }

    /// Keeps a text to be shown whole, where it was not.
    fn keep_folded(&mut self, title: &'static str, text: &str, style: Style, extent: Extent) {
        if fold::leaves_out(text, self.extent(extent)) {
            self.folded = Some(Folded::text(Line::new(title, theme::QUIET), text, style));
        }
    }

    /// Begins something: with an empty row above where it does not belong to what is there.
    fn begin(&mut self, kind: Kind) {
        let last = self.last.replace(kind);
        let stands_alone = matches!(kind, Kind::User | Kind::Answer);
        if last.is_some_and(|last| last != kind || stands_alone) {
            self.done.push(Block::gap());
        }
    }

    fn add(&mut self, kind: Kind, blocks: Vec<Block>) {
        if !blocks.is_empty() {
            self.begin(kind);
            self.done.extend(blocks);
        }
    }

    fn user(&mut self, message: &UserMessage) {
        let mut lines = Vec::new();
        // The pictures that the text names already, by their types.
        let mut named = Vec::new();
        for part in &message.content {
            match part {
                ContentPart::Text { text } => {
                    let (extent, more) = (self.extent(USER_EXTENT), &self.hints.unfold);
                    lines.extend(fold::text(text, Style::PLAIN, extent, more));
                    named.extend(fields::attached_pictures(text));
                    self.keep_folded("the message", text, Style::PLAIN, USER_EXTENT);
                }
                ContentPart::Image { data, mime_type } => {
                    match named.iter().position(|named| named == mime_type) {
                        Some(at) => drop(named.swap_remove(at)),
                        None => lines.push(fields::picture(data, mime_type)),
                    }
                }
            }
        }
        if let Some(Block::Text(first)) = lines.first_mut() {
            first.first = vec![Span::new("› ", theme::USER)];
        }
        self.add(Kind::User, lines.into_iter().map(Block::wrapped).collect());
    }

    fn piece(&mut self, piece: &StreamEvent, now: Instant) {
        let answer = self.answer.get_or_insert_default();
        match piece {
            StreamEvent::TextDelta { delta } => answer.text(delta, now),
            StreamEvent::ThinkingDelta { delta } => answer.thinking(delta, now),
            StreamEvent::ToolCallStart { tool_call_id, name } => {
                answer.call(tool_call_id, name, now);
            }
            StreamEvent::ToolCallArgsDelta { tool_call_id, delta } => {
                answer.call_grows(tool_call_id, delta.len());
            }
            StreamEvent::ToolCallEnd { .. }
            | StreamEvent::Usage { .. }
            | StreamEvent::Stop { .. }
            | StreamEvent::Retry(_) => {}
        }
        self.take_from_answer();
    }

    /// Takes what of the answer is final.
    fn take_from_answer(&mut self) {
        let Some(mut answer) = self.answer.take() else { return };
        for (kind, blocks) in answer.take(self.shows_thinking) {
            if self.last != Some(kind) || !answer.goes_on(kind) {
                self.begin(kind);
            }
            answer.shown(kind);
            self.done.extend(blocks);
        }
        if let Some(mut text) = answer.take_folded_thought() {
            let cut = text.ceil_char_boundary(text.len().saturating_sub(MAX_FOLDED_THOUGHT));
            text.drain(..cut);
            self.folded_thought = Some(text);
        }
        self.answer = Some(answer);
    }

    /// Flushes the answer as far as it came.
    fn end_answer(&mut self, now: Instant) {
        if let Some(answer) = &mut self.answer {
            answer.finish(now);
            self.take_from_answer();
            self.answer = None;
        }
    }

    fn message_end(&mut self, message: &Message, now: Instant) {
        match message {
            Message::Assistant(message) => {
                let answer = self.answer.get_or_insert_default();
                if !answer.has_text() {
                    answer.text(&letscode_wire::text_of(&message.content), now);
                }
                self.end_answer(now);
                let note = match message.stop_reason {
                    Some(StopReason::MaxTokens) => {
                        "the answer was cut off at the model's output limit"
                    }
                    Some(StopReason::Error) => {
                        "the answer may be cut off: the server ended it oddly"
                    }
                    Some(StopReason::EndTurn | StopReason::ToolCalls) | None => return,
                };
                self.add(Kind::Note, vec![notes::line(note, theme::WARNING)]);
            }
            Message::Custom(message) => self.add(Kind::Note, notes::custom(message)),
            Message::User(_) | Message::Tool(_) => {}
        }
    }

    fn tool_end(&mut self, id: &ToolCallId, result: &Message, now: Instant) {
        let Some(at) = self.running.iter().position(|running| running.id == *id) else { return };
        let running = self.running.remove(at);
        if let Some(result) = result.as_tool() {
            let elapsed = now.saturating_duration_since(running.started);
            self.tool(&running.call, result, Some(elapsed));
        }
    }

    /// Shows a call and what it gave.
    fn tool(
        &mut self,
        call: &tool::Call,
        result: &letscode_wire::ToolMessage,
        elapsed: Option<std::time::Duration>,
    ) {
        let (blocks, folded) =
            tool::finished(call, result, elapsed, self.is_verbose, &self.hints.unfold);
        self.folded = folded.or(self.folded.take());
        self.add(Kind::Tool, blocks);
    }

    fn run_end(&mut self, error: Option<&str>, aborted: bool, now: Instant) {
        self.end_answer(now);
        for running in std::mem::take(&mut self.running) {
            self.add(Kind::Tool, tool::stopped(&running.call));
        }
        self.silent_since = None;
        if aborted {
            self.notice("stopped");
        } else if let Some(error) = error.filter(|_| !self.is_failure_shown) {
            self.failure(error);
        }
    }

    /// Returns since when the model has been silent, where nothing else moves.
    fn waits_since(&self) -> Option<Instant> {
        let is_quiet = self.answer.as_ref().is_none_or(Answer::is_empty);
        self.silent_since.filter(|_| is_quiet && self.running.is_empty())
    }
}

#[cfg(test)]
mod tests;
