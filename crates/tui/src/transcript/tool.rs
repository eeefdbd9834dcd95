//! Tool calls: while they run, and what they gave.
//!
//! Owns how a call and its result look, and what is kept of the last one that was folded. Must not
//! decide when they are shown.

use super::fields;
use crate::diff;
use crate::fold::{self, Extent, INDENT};
use crate::highlight::Highlighter;
use crate::layout::{Block, Fit, Text, quiet};
use crate::text::{Line, Span, Style};
use crate::theme;
use letscode_wire::{ContentPart, ToolCallId, ToolMessage, text_of};
use serde_json::{Map, Value};
use std::time::{Duration, Instant};

/// How many lines of a running command's output are shown.
const LIVE_LINES: usize = 5;
/// No more of a running command's line is kept.
const MAX_LIVE_LINE: usize = 1_000;
/// No more of a folded result is kept.
const MAX_KEPT: usize = 1024 * 1024;
/// A run that takes less says nothing about it.
const WORTH_TELLING: Duration = Duration::from_secs(1);
/// How many lines of a failure are shown.
const FAILURE_EXTENT: Extent = Extent::Folded { head: 30, tail: 10 };

/// What is shown of a call.
#[derive(Debug, Clone, Default)]
pub(super) struct Call {
    name: String,
    argument: String,
    path: String,
}

/// A call that runs.
#[derive(Debug)]
pub(super) struct Running {
    pub(super) id: ToolCallId,
    pub(super) call: Call,
    pub(super) started: Instant,
    /// The last lines of its output.
    output: Vec<String>,
}

/// A result that was shown in part.
#[derive(Debug)]
pub(super) struct Folded {
    title: Line,
    text: String,
    look: Look,
    is_cut: bool,
}

#[derive(Debug, Clone)]
enum Look {
    Text(Style),
    /// The numbered lines of a file of that name.
    File(String),
    Diff,
}

impl Call {
    pub(super) fn new(name: &str, arguments: &Map<String, Value>) -> Self {
        let path = arguments.get("path").and_then(Value::as_str).unwrap_or_default();
        Self {
            name: fold::beginning(name, 100).to_owned(),
            argument: fields::main_argument(arguments),
            path: fold::beginning(path, 1_000).to_owned(),
        }
    }

    fn title(&self, mark: Span) -> Line {
        let mut title = Line::from(mark);
        title.push(Span::foreign(&self.name, theme::TOOL));
        if !self.argument.is_empty() {
            title.push(Span::foreign(&format!(" {}", self.argument), Style::PLAIN));
        }
        title
    }
}

impl Running {
    pub(super) fn new(
        id: ToolCallId,
        name: &str,
        arguments: &Map<String, Value>,
        now: Instant,
    ) -> Self {
        Self { id, call: Call::new(name, arguments), started: now, output: Vec::new() }
    }

    /// Takes in the newest output.
    pub(super) fn update(&mut self, content: &[ContentPart]) {
        let text = text_of(content);
        let lines = text.trim_end().rsplit('\n').take(LIVE_LINES);
        self.output = lines.map(|line| fold::beginning(line, MAX_LIVE_LINE).to_owned()).collect();
        self.output.reverse();
    }

    fn rows(&self, columns: usize, lines: usize, now: Instant, rows: &mut Vec<Line>) {
        let elapsed = now.saturating_duration_since(self.started);
        let mark = Span::new(format!("{} ", fields::frame(elapsed)), theme::TOOL);
        let title = rows.len();
        Block::Title(self.call.title(mark), took(Some(elapsed))).rows(columns, rows);
        // There is room for one row of it.
        rows.truncate(title + 1);
        let hidden = self.output.len().saturating_sub(lines);
        for line in self.output.iter().skip(hidden) {
            let line = Line::from(Span::foreign(line, theme::QUIET));
            Block::indented(line, INDENT, Fit::Clip).rows(columns, rows);
        }
    }
}

impl Folded {
    /// Returns a text that was shown in part.
    pub(super) fn text(title: Line, text: &str, style: Style) -> Self {
        Self::new(title, text, Look::Text(style))
    }

    fn new(title: Line, text: &str, look: Look) -> Self {
        let kept = fold::beginning(text, MAX_KEPT);
        Self { title, text: kept.to_owned(), look, is_cut: kept.len() < text.len() }
    }

    /// Returns all of it.
    pub(super) fn blocks(&self) -> Vec<Block> {
        let mut blocks = vec![Block::line(self.title.clone(), Fit::Words)];
        blocks.extend(match &self.look {
            Look::Text(style) => fold::text(&self.text, *style, Extent::Whole, ""),
            Look::File(path) => file(path, &self.text),
            Look::Diff => diff::blocks(&self.text, Extent::Whole, ""),
        });
        if self.is_cut {
            let note = Line::from(quiet("… the rest was not kept"));
            blocks.push(Block::indented(note, INDENT, Fit::Words));
        }
        blocks
    }
}

/// Adds the rows of all calls that run; where there is not room for all, those that began first.
pub(super) fn live(
    running: &[Running],
    columns: usize,
    max_rows: usize,
    now: Instant,
    rows: &mut Vec<Line>,
) {
    let columns = columns.max(1);
    let room = max_rows.saturating_sub(rows.len());
    // Each gets its title; what is left is for output.
    let lines = (room.saturating_sub(running.len()) / running.len().max(1)).min(LIVE_LINES);
    let shown = if running.len() > room { room.saturating_sub(1).max(1) } else { running.len() };
    for call in running.iter().take(shown) {
        call.rows(columns, lines, now, rows);
    }
    if shown < running.len() && room > 1 {
        let more = format!("… {} more are running", running.len() - shown);
        rows.push(Line::from(quiet(more)).clipped(columns));
    }
}

/// Returns the lines of a call that got no result.
pub(super) fn stopped(call: &Call) -> Vec<Block> {
    let title = call.title(Span::new("● ", theme::QUIET));
    vec![Block::Title(title, Line::from(quiet("  stopped")))]
}

/// Returns the lines of a call and of what it gave, and what shows the result whole. Where lines
/// are left out, `more` says behind that how to see them.
pub(super) fn finished(
    call: &Call,
    result: &ToolMessage,
    elapsed: Option<Duration>,
    is_verbose: bool,
    more: &str,
) -> (Vec<Block>, Option<Folded>) {
    let mark = if result.is_error {
        Span::new("✗ ", theme::ERROR)
    } else {
        Span::new("● ", theme::SUCCESS)
    };
    let title = call.title(mark);
    let text = text_of(&result.content);
    let body = body(call, result, &text);
    let mut aside = aside(call, result, &text, &body);
    took(elapsed).spans.into_iter().for_each(|span| aside.push(span));
    let mut blocks = vec![if is_verbose {
        let mut line = title.clone();
        aside.spans.into_iter().for_each(|span| line.push(span));
        let rest = vec![crate::layout::blanks(INDENT)];
        Block::Text(Text { line, rest, ..Text::default() })
    } else {
        Block::Title(title.clone(), aside)
    }];
    let extent = |folded| if is_verbose { Extent::Whole } else { folded };
    let folded = match body {
        Body::Nothing => None,
        Body::Failure => {
            let lines = fold::text(&text, theme::ERROR, extent(FAILURE_EXTENT), more);
            blocks.extend(lines.into_iter().map(Block::wrapped));
            Some(Folded::new(title, &text, Look::Text(theme::ERROR)))
        }
        Body::Diff(diff) => {
            blocks.extend(diff::blocks(diff, extent(Extent::FOLDED), more));
            Some(Folded::new(title, diff, Look::Diff))
        }
        Body::File => {
            if is_verbose {
                blocks.extend(file(&call.path, &text));
            }
            Some(Folded::new(title, &text, Look::File(call.path.clone())))
        }
        Body::Output => {
            blocks.extend(fold::text(&text, theme::QUIET, extent(Extent::FOLDED), more));
            Some(Folded::new(title, &text, Look::Text(Style::PLAIN)))
        }
    };
    for part in &result.content {
        if let ContentPart::Image { data, mime_type } = part {
            blocks.push(fields::picture(data, mime_type));
        }
    }
    (blocks, folded)
}

/// What stands below the title.
enum Body<'a> {
    Nothing,
    Failure,
    Diff(&'a str),
    /// What a file or a skill says, of which nobody needs to see anything.
    File,
    Output,
}

fn body<'a>(call: &Call, result: &'a ToolMessage, text: &str) -> Body<'a> {
    if result.is_error {
        return Body::Failure;
    }
    if let Some(diff) = result.details.get("diff").and_then(Value::as_str) {
        return if diff.is_empty() { Body::Nothing } else { Body::Diff(diff) };
    }
    match call.name.as_str() {
        _ if text.trim().is_empty() => Body::Nothing,
        "read" => Body::File,
        name if name.starts_with("skill_") => Body::File,
        _ => Body::Output,
    }
}

/// Returns what a title says about the result.
fn aside(call: &Call, result: &ToolMessage, text: &str, body: &Body<'_>) -> Line {
    let number = |name: &str| result.details.get(name).and_then(Value::as_u64);
    let said = match body {
        Body::Diff(diff) => {
            let diff::Counts { added, removed } = diff::counts(diff);
            format!("  +{added} -{removed}")
        }
        Body::File if call.name == "read" => {
            let lines = number("lines_returned").unwrap_or(text.lines().count() as u64);
            let total = number("total_lines").filter(|total| *total > lines);
            let total = total.map(|total| format!(" of {total}")).unwrap_or_default();
            let word = if lines == 1 && total.is_empty() { "line" } else { "lines" };
            format!("  {lines}{total} {word}")
        }
        Body::File => match text.lines().count() {
            1 => "  1 line".to_owned(),
            lines => format!("  {lines} lines"),
        },
        Body::Output | Body::Nothing => {
            let code = result.details.get("exit_code").and_then(Value::as_i64);
            return match code.filter(|code| *code != 0) {
                Some(code) => Line::new(format!("  exit code {code}"), theme::WARNING),
                None => Line::empty(),
            };
        }
        Body::Failure => return Line::empty(),
    };
    Line::from(quiet(said))
}

/// Returns how long something took, where that is worth telling.
fn took(elapsed: Option<Duration>) -> Line {
    match elapsed.filter(|elapsed| *elapsed >= WORTH_TELLING) {
        Some(elapsed) => Line::from(quiet(format!("  {}", fields::duration(elapsed)))),
        None => Line::empty(),
    }
}

/// Returns a file's numbered lines in the colours of its language.
fn file(path: &str, text: &str) -> Vec<Block> {
    let mut code = Highlighter::of_file(path);
    let line = |line: &str| {
        let (number, source) = line.split_once('\t').unwrap_or(("", line));
        let is_numbered = !number.is_empty() && number.trim().bytes().all(|b| b.is_ascii_digit());
        let (number, source) = if is_numbered { (number.trim(), source) } else { ("", line) };
        let source = crate::text::sanitize::one_line(source);
        let line = if is_numbered { code.line(&source) } else { Line::plain(source.into_owned()) };
        let first = vec![quiet(format!("{}{number:>5}  ", " ".repeat(INDENT)))];
        let rest = vec![crate::layout::blanks(INDENT + 7)];
        Block::Text(Text { first, rest, line, fit: Fit::Anywhere })
    };
    text.trim_end().lines().map(line).collect()
}
