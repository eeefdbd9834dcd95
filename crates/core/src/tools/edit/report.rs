//! What the model is told about an edit.
//!
//! Owns the words, and the limits on what is quoted from the file.

use super::plan::{Plan, Refusal, Request, split_mark};
use crate::tools::matching::{self, COUNT_LIMIT, Count, Difference, Forgiven, Miss};
use std::fmt::Write as _;
use std::ops::Range;

/// How many line numbers are listed.
const LISTED_LINES: usize = 20;
/// How many characters of a line are quoted.
const QUOTED_CHARACTERS: usize = 200;
/// How many lines around a new text are shown.
const CONTEXT_LINES: usize = 2;
/// How many lines of a new text are shown.
const SHOWN_LINES: usize = 12;
/// A shorter new text is in a file by chance.
const TELLING_LENGTH: usize = 8;

/// Returns what is told of an edit that was made.
pub(super) fn success(given: &str, plan: &Plan, is_stale: bool) -> String {
    let lines = line_numbers(&plan.bytes, plan.places.iter().map(|place| place.start));
    let mut text = match lines.as_slice() {
        [line] => format!("replaced 1 place in {given}, at line {line}:"),
        lines => format!(
            "replaced {} places in {given}, at lines {}; the first:",
            lines.len(),
            listed(lines)
        ),
    };
    if let Some(place) = plan.places.first() {
        text.push_str(&snippet(&plan.bytes, place));
    }
    if !plan.forgiven.is_empty() {
        let _ = write!(text, "\n[old_string differed from the file in {}", names(&plan.forgiven));
        if plan.forgiven.contains(&Forgiven::Indentation) {
            text.push_str("; new_string was indented like the file");
        }
        text.push(']');
    }
    if is_stale {
        text.push_str(
            "\n[the file had changed since this conversation last read it: read it again before \
             relying on the rest of it]",
        );
    }
    text
}

/// Returns what is told of an edit that cannot be made in the content `file`.
pub(super) fn refusal(given: &str, refusal: &Refusal, file: &[u8], request: &Request) -> String {
    let mut text = match refusal {
        Refusal::EmptyOld => format!(
            "old_string is empty: give the exact text of {given} to replace; a new file, or a \
             whole new content, is written with write"
        ),
        Refusal::SameTexts => {
            "old_string and new_string are the same: there is nothing to change".to_owned()
        }
        Refusal::NoChange => format!(
            "{given} already has new_string at that place (edit keeps line endings): there is \
             nothing to change"
        ),
        Refusal::Utf16(name) => format!(
            "{given} is {name} text, which edit cannot handle; convert it with bash (iconv -f \
             UTF-16 -t UTF-8), edit that, and convert it back"
        ),
        Refusal::Binary => format!("{given} is a binary file: edit changes text only"),
        Refusal::Stale => format!(
            "{given} has changed since this conversation last read it, and old_string is not \
             exactly one place of it: read it again"
        ),
        Refusal::Miss(miss) => self::miss(given, miss, file, request),
    };
    let looked = matches!(refusal, Refusal::Miss(Miss::Nowhere | Miss::Several { .. }));
    if request.is_stale && looked {
        text.push_str("\nthe file has changed since it was last read: read it again");
    }
    text
}

/// Returns the name that a forgiven difference has in the details.
pub(super) fn name(forgiven: Forgiven) -> &'static str {
    match forgiven {
        Forgiven::LineEndings => "line_endings",
        Forgiven::TrailingWhitespace => "trailing_whitespace",
        Forgiven::Typography => "typography",
        Forgiven::Indentation => "indentation",
        Forgiven::LineNumbers => "line_numbers",
    }
}

fn miss(given: &str, miss: &Miss, file: &[u8], request: &Request) -> String {
    match miss {
        Miss::Nowhere => nowhere(given, file, request),
        Miss::Several { lines, forgiven } => several(given, lines, forgiven, request.count),
        Miss::NotUtf8 { offset } => format!(
            "{given} is not UTF-8 (byte {offset} is the first that does not fit): only ASCII \
             text can be replaced in it, and only by ASCII text; for anything else convert it \
             with bash (iconv) first"
        ),
        Miss::InsideCharacter { lines } => format!(
            "{given} is not UTF-8, and old_string (line {}) begins right behind a byte that is \
             not ASCII, where it may be half of a character: let old_string begin elsewhere",
            listed(lines)
        ),
        Miss::NumberedReplacement => {
            "some lines of new_string begin with line numbers: leave out the numbers and tabs \
             that read puts before lines"
                .to_owned()
        }
    }
}

fn several(given: &str, lines: &[usize], forgiven: &[Forgiven], count: Count) -> String {
    let number = if lines.len() > COUNT_LIMIT {
        format!("more than {COUNT_LIMIT}")
    } else {
        lines.len().to_string()
    };
    let lines = listed(lines);
    if forgiven.iter().all(|forgiven| *forgiven == Forgiven::LineEndings) {
        return format!(
            "old_string is in {given} {number} times, at lines {lines}: add lines around it \
             until it is one place, or pass replace_all true to replace every one"
        );
    }
    let all = match count {
        Count::One => "",
        Count::All => " (replace_all needs exact text)",
    };
    format!(
        "old_string is nowhere in {given} exactly, and in {number} places, at lines {lines}, if \
         {} may differ: copy the exact text of the place that is meant{all}",
        names(forgiven)
    )
}

fn nowhere(given: &str, file: &[u8], request: &Request) -> String {
    let (_, text) = split_mark(file);
    let mut message = format!("old_string is nowhere in {given}");
    if text.is_empty() {
        message.push_str(": the file is empty; use write");
        return message;
    }
    if request.new.trim().len() >= TELLING_LENGTH
        && let Some(place) = memchr::memmem::find(text, request.new.as_bytes())
    {
        let lines = line_numbers(text, std::iter::once(place));
        let _ = write!(
            message,
            "; new_string is there already, at line {}: this edit may be made already",
            listed(&lines)
        );
    }
    let stripped = matching::without_line_numbers(&request.old);
    if stripped.is_some() {
        message.push_str("; its lines begin with numbers: leave those out");
    }
    let wanted = stripped.as_deref().unwrap_or(&request.old);
    let Some(near) = matching::nearest(text, wanted) else {
        message.push_str(", and nothing like it: read the file and copy the exact text");
        return message;
    };
    let _ = write!(message, ". Most like it:");
    for (index, line) in near.lines.iter().enumerate() {
        push_line(&mut message, near.first_line + index, line);
    }
    match &near.difference {
        Some((line, difference)) => {
            let _ = write!(message, "\n[line {line} differs in {}]", described(difference));
        }
        None => message.push_str("\n[the lines before or after these differ]"),
    }
    message
}

fn described(difference: &Difference) -> String {
    match difference {
        Difference::Indentation(file, wanted) => format!(
            "its indentation: {} in the file, {} in old_string",
            blanks(file),
            blanks(wanted)
        ),
        Difference::TrailingWhitespace => "the white space at its end".to_owned(),
        Difference::Typography => "quotes, dashes or spaces that look alike".to_owned(),
        Difference::Case => "upper and lower case".to_owned(),
        Difference::InnerWhitespace => "the white space between its words".to_owned(),
        Difference::Text(wanted) => format!("its text; old_string has: {}", quoted(wanted)),
    }
}

fn blanks(indentation: &str) -> String {
    let tabs = indentation.matches('\t').count();
    let others = indentation.chars().count() - tabs;
    match (tabs, others) {
        (0, 0) => "none".to_owned(),
        (0, spaces) => counted(spaces, "space"),
        (tabs, 0) => counted(tabs, "tab"),
        (tabs, spaces) => format!("{} and {}", counted(tabs, "tab"), counted(spaces, "space")),
    }
}

fn counted(number: usize, thing: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {thing}{plural}")
}

/// Returns the lines of `bytes` around `place` with their numbers, each after a newline.
fn snippet(bytes: &[u8], place: &Range<usize>) -> String {
    let (mark, text) = split_mark(bytes);
    let place = place.start - mark.len()..place.end - mark.len();
    let before = text.get(..place.start).unwrap_or_default();
    let first = memchr::memchr_iter(b'\n', before).count();
    // A new text that ends in a newline ends on that line, not on the next.
    let inside = text.get(place.start..place.end.saturating_sub(1)).unwrap_or_default();
    let last = first + memchr::memchr_iter(b'\n', inside).count();
    let shown_last = last.min(first + SHOWN_LINES - 1);
    let mut shown = String::new();
    let from = first.saturating_sub(CONTEXT_LINES);
    let mut lines =
        Lines { rest: text.get(line_start(before, first - from)..).unwrap_or_default() };
    for number in from..=shown_last {
        let Some(line) = lines.next() else { break };
        push_line(&mut shown, number + 1, &String::from_utf8_lossy(line));
    }
    if shown_last < last {
        let _ = write!(shown, "\n[and {} more new lines]", last - shown_last);
        return shown;
    }
    for number in last + 1..=last + CONTEXT_LINES {
        let Some(line) = lines.next() else { break };
        push_line(&mut shown, number + 1, &String::from_utf8_lossy(line));
    }
    shown
}

/// Returns where the line begins that is `up` lines above the end of `before`.
fn line_start(before: &[u8], up: usize) -> usize {
    memchr::memrchr_iter(b'\n', before).nth(up).map_or(0, |newline| newline + 1)
}

/// The lines of a text; a final newline ends the last one.
struct Lines<'a> {
    rest: &'a [u8],
}

impl<'a> Iterator for Lines<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        if self.rest.is_empty() {
            return None;
        }
        let end = memchr::memchr(b'\n', self.rest).unwrap_or(self.rest.len());
        let (line, rest) = self.rest.split_at(end);
        self.rest = rest.get(1..).unwrap_or_default();
        Some(line.strip_suffix(b"\r").unwrap_or(line))
    }
}

fn push_line(text: &mut String, number: usize, line: &str) {
    let _ = write!(text, "\n{number:6}\t{}", quoted(line));
}

fn quoted(line: &str) -> String {
    match line.char_indices().nth(QUOTED_CHARACTERS) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or(line)),
        None => line.to_owned(),
    }
}

fn names(forgiven: &[Forgiven]) -> String {
    let names: Vec<&str> = forgiven
        .iter()
        .map(|forgiven| match forgiven {
            Forgiven::LineEndings => "line endings",
            Forgiven::TrailingWhitespace => "white space at line ends",
            Forgiven::Typography => "quotes, dashes or spaces that look alike",
            Forgiven::Indentation => "indentation",
            Forgiven::LineNumbers => "line numbers before the lines",
        })
        .collect();
    names.join(", ")
}

/// Returns line numbers, from 1, of places that are in order.
fn line_numbers(text: &[u8], places: impl Iterator<Item = usize>) -> Vec<usize> {
    let (mut line, mut counted) = (1, 0);
    let numbers = places.map(|place| {
        line += memchr::memchr_iter(b'\n', text.get(counted..place).unwrap_or_default()).count();
        counted = place;
        line
    });
    numbers.collect()
}

fn listed(lines: &[usize]) -> String {
    let shown: Vec<String> = lines.iter().take(LISTED_LINES).map(ToString::to_string).collect();
    let more = if lines.len() > LISTED_LINES { ", …" } else { "" };
    format!("{}{more}", shown.join(", "))
}

#[cfg(test)]
mod tests;
