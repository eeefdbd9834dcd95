//! A tool call: one line, and behind it what went in and what came out.
//!
//! Owns the choice of the argument that tells most, and the colours of a diff. Must not know a
//! tool's rules beyond the names of its arguments and details.

use super::clip;
use super::entry::{write_picture, write_verbatim};
use super::html::{Html, grouped};
use super::outline::Call;
use letscode_wire::{ContentPart, Meta, ToolMessage};
use serde_json::{Map, Value};

/// The arguments that tell most, the best first.
const TELLING: [&str; 7] = ["command", "path", "file_path", "url", "query", "pattern", "message"];

/// A value of at most so many bytes stands beside its name.
const LONGEST_SHORT_VALUE: usize = 80;

/// A diff with more lines is folded.
const LONGEST_OPEN_DIFF: usize = 60;

/// A diff with more bytes loses its middle.
const LONGEST_DIFF: usize = 64 * 1024;

/// Adds a call with its result.
pub(super) fn write(html: &mut Html<'_>, call: &Call<'_>) {
    html.markup("<div class=\"call\">\n<details><summary><code>");
    html.text(&clip::one_line(&call.call.name));
    html.markup("</code> ");
    if let Some(argument) = telling_argument(&call.call.arguments) {
        let argument = clip::one_line(&html.mask(argument));
        html.markup("<bdi>");
        html.text(&argument);
        html.markup("</bdi>");
    }
    write_outcome(html, call.result);
    html.markup("</summary>\n");
    write_members(html, &call.call.arguments);
    if let Some(text) = call.invalid_arguments {
        html.markup("<p class=\"failure\">The arguments are no JSON object:</p>\n");
        write_verbatim(html, text);
    }
    if let Some(result) = call.result.filter(|result| !result.content.is_empty()) {
        html.markup("<p class=\"note\">Result</p>\n");
        write_content(html, &result.content);
    }
    html.markup("</details>\n");
    let diff = call.result.and_then(|result| result.details.get("diff")?.as_str());
    if let Some(diff) = diff.filter(|diff| !diff.is_empty()) {
        write_diff(html, diff);
    }
    html.markup("</div>\n");
}

/// Adds the members of a JSON object, each under its name.
pub(super) fn write_members(html: &mut Html<'_>, members: &Map<String, Value>) {
    if members.is_empty() {
        return;
    }
    html.markup("<dl>\n");
    for (name, value) in members {
        html.markup("<dt>");
        html.text(&clip::one_line(name));
        html.markup("</dt><dd>");
        match value {
            Value::String(text) if is_short(text) => write_code(html, text),
            Value::String(text) => write_verbatim(html, text),
            Value::Array(_) | Value::Object(_) => write_verbatim(html, &format!("{value:#}")),
            Value::Null | Value::Bool(_) | Value::Number(_) => write_code(html, &value.to_string()),
        }
        html.markup("</dd>\n");
    }
    html.markup("</dl>\n");
}

/// Adds what a tool gave.
pub(super) fn write_content(html: &mut Html<'_>, content: &[ContentPart]) {
    for part in content {
        match part {
            ContentPart::Text { text } if text.is_empty() => {}
            ContentPart::Text { text } => write_verbatim(html, text),
            ContentPart::Image { data, mime_type } => write_picture(html, data, mime_type),
        }
    }
}

fn is_short(text: &str) -> bool {
    !text.is_empty() && text.len() <= LONGEST_SHORT_VALUE && !text.contains('\n')
}

fn write_code(html: &mut Html<'_>, text: &str) {
    html.markup("<code>");
    html.text(text);
    html.markup("</code>");
}

fn telling_argument(arguments: &Map<String, Value>) -> Option<&str> {
    let known = TELLING.iter().find_map(|name| arguments.get(*name)?.as_str());
    known.or_else(|| arguments.values().find_map(Value::as_str))
}

/// Adds in a word how the call went, unless it went well.
fn write_outcome(html: &mut Html<'_>, result: Option<&ToolMessage>) {
    let Some(result) = result else {
        html.markup(" <strong>no result</strong>");
        return;
    };
    if result.is_error {
        html.markup(" <strong>failed</strong>");
    } else if is_set(&result.details, "timed_out") {
        html.markup(" <strong>timed out</strong>");
    } else if is_set(&result.details, "cancelled") {
        html.markup(" <strong>cancelled</strong>");
    } else if let Some(code) = result.details.get("exit_code").and_then(Value::as_i64)
        && code != 0
    {
        html.markup(" <strong>exit ");
        html.text(&code.to_string());
        html.markup("</strong>");
    }
}

fn is_set(details: &Meta, name: &str) -> bool {
    details.get(name).and_then(Value::as_bool).unwrap_or_default()
}

/// What a line of a unified diff is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DiffLine {
    /// A file's name.
    File,
    /// Where a hunk begins.
    Hunk,
    /// A new line.
    Added,
    /// An old line.
    Removed,
    /// What is the same on both sides, or about the file's end.
    Context,
}

fn write_diff(html: &mut Html<'_>, diff: &str) {
    let diff = html.mask(diff);
    let lines = kinds(&diff);
    let count = |kind| lines.iter().filter(|(line_kind, _)| *line_kind == kind).count() as u64;
    let (added, removed) = (count(DiffLine::Added), count(DiffLine::Removed));
    let open = if lines.len() <= LONGEST_OPEN_DIFF { "<details open>" } else { "<details>" };
    html.markup(open);
    html.markup("<summary>Changes <ins>");
    html.text(&format!("+{}", grouped(added)));
    html.markup("</ins> <del>");
    html.text(&format!("\u{2212}{}", grouped(removed)));
    html.markup("</del></summary>\n<pre class=\"diff\">");
    let mut shown = 0;
    for (index, (kind, line)) in lines.iter().enumerate() {
        shown += line.len();
        if shown > LONGEST_DIFF {
            html.markup("</pre>\n<p class=\"note\">");
            html.number((lines.len() - index) as u64);
            html.markup(" lines are left out here</p></details>\n");
            return;
        }
        let (open, close) = match kind {
            DiffLine::File => ("<b>", "</b>"),
            DiffLine::Hunk => ("<i>", "</i>"),
            DiffLine::Added => ("<ins>", "</ins>"),
            DiffLine::Removed => ("<del>", "</del>"),
            DiffLine::Context => ("<span>", "</span>"),
        };
        html.markup(open);
        html.text(line);
        html.markup("\n");
        html.markup(close);
    }
    html.markup("</pre></details>\n");
}

/// Returns the lines of a unified diff with what they are.
fn kinds(diff: &str) -> Vec<(DiffLine, &str)> {
    let mut in_hunk = false;
    let lines = diff.lines().map(|line| {
        let kind = match line.bytes().next() {
            Some(b'@') => {
                in_hunk = true;
                DiffLine::Hunk
            }
            // Before the first hunk these name files; in it, they are lines like any other.
            Some(b'+' | b'-') if !in_hunk => DiffLine::File,
            Some(b'+') => DiffLine::Added,
            Some(b'-') => DiffLine::Removed,
            _ => DiffLine::Context,
        };
        (kind, line)
    });
    lines.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use letscode_core::secrets::Secrets;
    use serde_json::json;

    #[test]
    fn the_argument_that_tells_most_is_shown() {
        for (arguments, expected) in [
            (json!({"timeout": 5, "command": "ls"}), Some("ls")),
            (json!({"content": "x", "path": "a.rs"}), Some("a.rs")),
            (json!({"other": 1, "name": "n"}), Some("n")),
            (json!({"path": ["a"]}), None),
            (json!({}), None),
        ] {
            let Value::Object(arguments) = arguments else { panic!("an object") };
            assert_eq!(telling_argument(&arguments), expected, "{arguments:?}");
        }
    }

    #[test]
    fn lines_of_a_diff_are_told_apart_by_where_they_stand() {
        let diff = "--- a\n+++ a\n@@ -1,3 +1,3 @@\n same\n--- old\n+++ new\n\\ No newline";
        let kinds: Vec<DiffLine> = kinds(diff).into_iter().map(|(kind, _)| kind).collect();
        use DiffLine::{Added, Context, File, Hunk, Removed};
        assert_eq!(kinds, [File, File, Hunk, Context, Removed, Added, Context]);
    }

    #[test]
    fn a_huge_diff_is_folded_and_cut() {
        let diff = format!("@@ -1 +1 @@\n{}", "+0123456789\n".repeat(10_000));
        let secrets = Secrets::default();
        let mut html = Html::new(&secrets);
        write_diff(&mut html, &diff);
        let html = html.finish();
        assert!(html.starts_with("<details><summary>Changes <ins>+10,000</ins>"));
        assert!(html.ends_with(" lines are left out here</p></details>\n"));
        assert!(html.len() < 3 * LONGEST_DIFF, "{}", html.len());
    }
}
