//! The front matter of a Markdown file: fields between two lines of `---`.
//!
//! Owns the two readings. YAML first; where that refuses (an unquoted colon is common), each line
//! `key: rest of the line` as it stands. Whatever is odd is said with its line, and nothing makes
//! the file useless. Must not know what the fields mean.

use saphyr_parser::{Event, Parser, ScanError};

/// A Markdown file, taken apart.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Document<'a> {
    /// The text behind the front matter.
    pub(crate) body: &'a str,
    /// What is wrong with the front matter.
    pub(crate) problem: Option<Problem>,
    /// Whether there is a front matter with an end.
    pub(crate) is_closed: bool,
    fields: Vec<Field>,
}

/// What is wrong, and in which line of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Problem {
    /// The line, from 1.
    pub(crate) line: usize,
    /// What is wrong there.
    pub(crate) text: String,
}

/// A field at the top level of the front matter.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Field {
    key: String,
    /// Its text; `None` where it is a list or a table.
    text: Option<String>,
    /// The line of the file, from 1.
    line: usize,
}

impl<'a> Document<'a> {
    /// Takes a text with `\n` line ends apart.
    pub(crate) fn read(text: &'a str) -> Self {
        let Some(header) = Header::find(text) else {
            let text_of_problem = "there is no front matter (fields between two lines of ---)";
            let problem = Problem { line: 1, text: text_of_problem.to_owned() };
            return Self { body: text, problem: Some(problem), ..Self::default() };
        };
        let (fields, refusal) = match strict_fields(&header) {
            Ok(mut fields) => {
                let problem = take_over_lists(&mut fields, &header);
                (fields, problem)
            }
            Err(problem) => (lenient_fields(&header), Some(problem)),
        };
        let unclosed = (!header.is_closed).then(|| Problem {
            line: header.first_line - 1,
            text: "the front matter has no closing line of ---".to_owned(),
        });
        let problem = unclosed.or(refusal);
        Self { body: header.body, problem, is_closed: header.is_closed, fields }
    }

    /// Returns the text of a field.
    pub(crate) fn field(&self, key: &str) -> Option<&str> {
        self.fields.iter().find(|field| field.key == key)?.text.as_deref()
    }

    /// Returns whether a field says yes.
    pub(crate) fn is_on(&self, key: &str) -> bool {
        let text = self.field(key).unwrap_or_default();
        ["true", "yes", "on", "1"].iter().any(|yes| text.eq_ignore_ascii_case(yes))
    }
}

/// The lines between the marks.
struct Header<'a> {
    text: &'a str,
    /// The line of the file that it begins in, from 1.
    first_line: usize,
    is_closed: bool,
    body: &'a str,
}

impl<'a> Header<'a> {
    fn find(text: &'a str) -> Option<Self> {
        let mut lines = Lines { rest: text, number: 0 };
        let opening = lines.by_ref().find(|line| !line.text.trim().is_empty())?;
        if !is_mark(opening.text) {
            return None;
        }
        let (start, first_line) = (lines.rest, opening.number + 1);
        // Where the end is missing, it is before the first line that can be no field.
        let mut guess = None;
        loop {
            let before = lines.rest;
            let line = lines.next();
            let is_end = line.as_ref().is_some_and(|line| is_mark(line.text));
            if guess.is_none() && !line.as_ref().is_some_and(|line| is_field_line(line.text)) {
                guess = Some(before);
            }
            if is_end || line.is_none() {
                let end = if is_end { before } else { guess.unwrap_or(before) };
                let body = if is_end { lines.rest } else { end };
                let header = start.get(..start.len() - end.len()).unwrap_or_default();
                let body = body.trim_start_matches('\n').trim_end();
                return Some(Self { text: header, first_line, is_closed: is_end, body });
            }
        }
    }
}

/// A line of the file.
struct Line<'a> {
    /// Without its end.
    text: &'a str,
    /// From 1.
    number: usize,
}

/// The lines of a text, and what follows them.
struct Lines<'a> {
    rest: &'a str,
    number: usize,
}

impl<'a> Iterator for Lines<'a> {
    type Item = Line<'a>;

    fn next(&mut self) -> Option<Line<'a>> {
        if self.rest.is_empty() {
            return None;
        }
        let (text, rest) = self.rest.split_once('\n').unwrap_or((self.rest, ""));
        self.rest = rest;
        self.number += 1;
        Some(Line { text, number: self.number })
    }
}

fn is_mark(line: &str) -> bool {
    line.trim_end() == "---"
}

/// Returns whether a line can belong to a front matter: a field, or what goes on with one.
fn is_field_line(line: &str) -> bool {
    line.starts_with([' ', '\t']) || line.starts_with("- ") || key_and_rest(line).is_some()
}

/// Returns the key at the start of a line, and what stands behind its colon.
fn key_and_rest(line: &str) -> Option<(&str, &str)> {
    let (key, rest) = line.split_once(':')?;
    let is_key = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    let is_field = !key.is_empty() && key.chars().all(is_key);
    let is_separate = rest.is_empty() || rest.starts_with([' ', '\t']);
    (is_field && is_separate).then_some((key, rest.trim()))
}

/// Reads the header as YAML.
fn strict_fields(header: &Header<'_>) -> Result<Vec<Field>, Problem> {
    let refused = |error: &ScanError| Problem {
        line: header.first_line + error.marker().line().saturating_sub(1),
        text: format!("the front matter is not valid YAML ({})", error.info()),
    };
    let mut fields = Vec::new();
    let mut depth = 0_usize;
    let mut open: Option<Field> = None;
    for event in Parser::new_from_str(header.text) {
        let (event, span) = event.map_err(|error| refused(&error))?;
        let line = header.first_line + span.start.line().saturating_sub(1);
        let is_top = depth == 1;
        let text = match event {
            Event::MappingStart(..) | Event::SequenceStart(..) => {
                depth += 1;
                if depth == 1 && matches!(event, Event::SequenceStart(..)) {
                    return Err(Problem { line, text: "the front matter is a list".to_owned() });
                }
                None
            }
            Event::MappingEnd | Event::SequenceEnd => {
                depth = depth.saturating_sub(1);
                if depth == 1 {
                    fields.extend(open.take());
                }
                continue;
            }
            Event::Scalar(text, style, ..) => {
                let is_null = style == saphyr_parser::ScalarStyle::Plain
                    && matches!(&*text, "" | "~" | "null" | "Null" | "NULL");
                Some(if is_null { String::new() } else { text.into_owned() })
            }
            Event::Alias(_) => None,
            Event::Nothing
            | Event::StreamStart
            | Event::StreamEnd
            | Event::DocumentStart(_)
            | Event::DocumentEnd => continue,
        };
        if depth == 0 && text.is_some() {
            let text = "the front matter has no fields (key: value)";
            return Err(Problem { line, text: text.to_owned() });
        }
        if !is_top {
            continue;
        }
        match (&mut open, text) {
            (None, Some(key)) => open = Some(Field { key, text: None, line }),
            (Some(field), Some(text)) => {
                field.text = Some(text);
                fields.extend(open.take());
            }
            // A list or a table: the field is over when that is, an alias at once.
            (Some(_), None) if depth == 1 => fields.extend(open.take()),
            (Some(_), None) => {}
            (None, None) => {
                let text = "a key in the front matter is not a text".to_owned();
                return Err(Problem { line, text });
            }
        }
    }
    Ok(fields)
}

/// Reads each line of the header as it stands. What is indented goes on with the line before.
fn lenient_fields(header: &Header<'_>) -> Vec<Field> {
    let mut fields: Vec<Field> = Vec::new();
    for line in (Lines { rest: header.text, number: header.first_line - 1 }) {
        if line.text.starts_with([' ', '\t']) {
            let goes_on = fields.last_mut().and_then(|field| field.text.as_mut());
            if let Some(text) = goes_on {
                text.push(' ');
                text.push_str(line.text.trim());
            }
        } else if let Some((key, rest)) = key_and_rest(line.text) {
            let text = if is_block_mark(rest) { "" } else { rest };
            fields.push(Field {
                key: key.to_owned(),
                text: Some(text.to_owned()),
                line: line.number,
            });
        }
    }
    for field in &mut fields {
        field.text = field.text.take().map(|text| unquoted(text.trim()).to_owned());
    }
    fields
}

/// Returns whether a value only says how the indented lines below it are to be joined.
fn is_block_mark(rest: &str) -> bool {
    let mark = rest.split(" #").next().unwrap_or_default().trim_end();
    mark.strip_prefix(['|', '>']).is_some_and(|options| {
        options.chars().all(|option| matches!(option, '+' | '-' | '1'..='9'))
    })
}

/// Returns a value without the quotes around all of it.
fn unquoted(text: &str) -> &str {
    for quote in ['"', '\''] {
        let inside = text.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote));
        if let Some(inside) = inside.filter(|inside| !inside.contains(quote)) {
            return inside;
        }
    }
    text
}

/// Gives fields that are lists or tables for YAML their text as it stands, where a text is all
/// that makes sense: a description `[draft] …` was not meant as a list.
fn take_over_lists(fields: &mut [Field], header: &Header<'_>) -> Option<Problem> {
    let mut problem = None;
    for field in fields.iter_mut().filter(|field| field.text.is_none()) {
        if !matches!(field.key.as_str(), "name" | "description") {
            continue;
        }
        let same = lenient_fields(header).into_iter().find(|other| other.key == field.key);
        field.text = same.and_then(|other| other.text);
        let text = format!("{} is not a text: put it in quotes", field.key);
        problem.get_or_insert(Problem { line: field.line, text });
    }
    problem
}

#[cfg(test)]
mod tests;
