//! The question in words.
//!
//! Owns what the user reads: cleaned, and cut where it is long. Must not ask.

use crate::rule::Rule;
use letscode_plugin::ToolCall;
use std::fmt::Write as _;

/// How much of a call stands in the question itself.
const MOST_LINES: usize = 12;
const MOST_CHARS: usize = 1_200;

/// How much of a call is shown above its question.
const MOST_ABOVE: usize = 50_000;

/// How much of a rule stands in an answer.
const MOST_OF_A_RULE: usize = 60;

/// An answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Choice {
    /// Run this one.
    Once,
    /// Run it and the like until the program ends.
    Session,
    /// Run it and the like from now on.
    Always,
    /// Do not run it.
    No,
    /// Do not run it, for a reason that the model is told.
    NoBecause,
}

/// What the user is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Words {
    /// The question.
    pub(crate) text: String,
    /// All of the call, or as much as anybody reads, where the question has only its beginning.
    pub(crate) whole: Option<String>,
}

/// Returns the question about a call.
pub(crate) fn words(call: &ToolCall, note: &str) -> Words {
    let mut whole = clean(&described(call));
    let (begin, left_out) = cut(&whole);
    let mut text = format!("Allow {}?\n{begin}", clean(&call.name));
    if left_out {
        text.push_str("\n… that is not all: the rest stands above");
    }
    if let Some((end, _)) = whole.char_indices().nth(MOST_ABOVE) {
        let more = whole.split_off(end).chars().count();
        whole.push_str(&format!("\n… and {more} more characters, which are not shown"));
    }
    if !note.is_empty() {
        text.push_str(&format!("\n({})", clean(note)));
    }
    Words { text, whole: left_out.then_some(whole) }
}

/// Returns the answers that there are, and their words. Without `rules` nothing can be remembered.
pub(crate) fn choices(rules: &[Rule]) -> Vec<(Choice, String)> {
    let mut choices = vec![(Choice::Once, "Yes, this once".to_owned())];
    if !rules.is_empty() {
        let rules = shown_rules(rules);
        choices.push((Choice::Session, format!("Yes, for this session: {rules}")));
        choices.push((Choice::Always, format!("Yes, always in this project: {rules}")));
    }
    choices.push((Choice::No, "No".to_owned()));
    choices.push((Choice::NoBecause, "No, and tell the model why".to_owned()));
    choices
}

/// Returns a call in one line.
pub(crate) fn in_short(call: &ToolCall) -> String {
    let line = clean(&format!("{} {}", call.name, described(call))).replace('\n', " ");
    match line.char_indices().nth(MOST_OF_A_RULE) {
        Some((at, _)) => format!("{}…", line.get(..at).unwrap_or_default()),
        None => line,
    }
}

/// Returns text that drives no terminal and hides nothing: what is no visible character is written
/// out.
pub(crate) fn clean(text: &str) -> String {
    let mut cleaned = String::with_capacity(text.len());
    for letter in text.chars() {
        if letter == '\n' || !(letter.is_control() || is_invisible(letter)) {
            cleaned.push(letter);
        } else if letter == '\t' {
            cleaned.push_str("    ");
        } else {
            cleaned.extend(letter.escape_unicode());
        }
    }
    cleaned
}

/// Returns whether a letter shows nothing, passes for a space or a line end, or changes the direction
/// of what stands around it.
fn is_invisible(letter: char) -> bool {
    let is_odd_space = letter.is_whitespace() && letter != ' ';
    is_odd_space
        || matches!(letter,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
            | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// Returns what a call would do, in full: a command as it is, other arguments each on lines of their
/// own.
fn described(call: &ToolCall) -> String {
    let mut text = String::new();
    for (name, value) in &call.arguments {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let parting = if value.contains('\n') { '\n' } else { ' ' };
        if !text.is_empty() {
            text.push('\n');
        }
        match name.as_str() {
            "command" | "path" => text.push_str(&value),
            // Writing into a text does not fail.
            _ => drop(write!(text, "{name}:{parting}{value}")),
        }
    }
    text
}

/// Returns the beginning of a text, and whether there is more.
fn cut(text: &str) -> (&str, bool) {
    let by_lines = text.match_indices('\n').nth(MOST_LINES - 1).map(|(at, _)| at);
    let by_chars = text.char_indices().nth(MOST_CHARS).map(|(at, _)| at);
    let end = by_lines.into_iter().chain(by_chars).min();
    (end.and_then(|end| text.get(..end)).unwrap_or(text), end.is_some())
}

fn shown_rules(rules: &[Rule]) -> String {
    let each: Vec<String> = rules.iter().map(|rule| clean(&rule.in_words())).collect();
    let all = each.join(", ").replace('\n', " ");
    if all.chars().count() <= MOST_OF_A_RULE {
        return all;
    }
    match rules {
        [rule] if rule.is_exact() => rule.exactly_this(),
        [_] => without_its_middle(&all),
        _ => format!("{} rules: {}", rules.len(), all),
    }
}

/// Returns a text with as much of its beginning and of its end as there is room for.
fn without_its_middle(text: &str) -> String {
    let letters: Vec<char> = text.chars().collect();
    let (begin, rest) = letters.split_at(letters.len().min(MOST_OF_A_RULE / 2));
    let end = rest.iter().rev().take(MOST_OF_A_RULE / 2).rev();
    begin.iter().chain(std::iter::once(&'…')).chain(end).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn call(name: &str, arguments: &Value) -> ToolCall {
        let arguments = arguments.as_object().cloned().unwrap();
        ToolCall { id: "c".into(), name: name.to_owned(), arguments }
    }

    #[test]
    fn a_call_is_shown_as_what_it_would_do() {
        for (name, arguments, note, expected) in [
            ("bash", json!({"command": "a\n\tb"}), "", "a\n    b"),
            ("bash", json!({"command": "a > b", "timeout": 3}), "odd", "a > b\ntimeout: 3\n(odd)"),
            ("read", json!({"path": "a", "limit": 3}), "", "a\nlimit: 3"),
            ("write", json!({"path": "a", "content": "x\ny"}), "", "a\ncontent:\nx\ny"),
            ("mcp_x", json!({"b": [1], "a": "t"}), "", "b: [1]\na: t"),
            ("bash", json!({"command": 1}), "", "1"),
            ("stop", json!({}), "", ""),
        ] {
            let words = words(&call(name, &arguments), note);
            let text = format!("Allow {name}?\n{expected}");
            assert_eq!(words, Words { text, whole: None });
        }
    }

    #[test]
    fn a48_what_drives_a_terminal_or_hides_is_written_out() {
        for (text, expected) in [
            ("\u{1b}[2Krm", "\\u{1b}[2Krm"),
            ("a\rb", "a\\u{d}b"),
            ("a\u{202e}b", "a\\u{202e}b"),
            ("a\u{9b}b\u{7f}", "a\\u{9b}b\\u{7f}"),
            ("a\u{200b}b", "a\\u{200b}b"),
            ("é 語\n", "é 語\n"),
        ] {
            assert_eq!(clean(text), expected);
        }
    }

    #[test]
    fn whatever_is_invisible_is_written_out() {
        for letter in
            "\u{2028}\u{2029}\u{3164}\u{2800}\u{115f}\u{1160}\u{e0000}\u{e0041}\u{e007f}\u{fe00}\
                       \u{fe0f}\u{180e}\u{a0}\u{3000}\u{85}\u{61c}\u{ffa0}\u{e0100}"
                .chars()
        {
            assert_eq!(clean(&letter.to_string()), letter.escape_unicode().to_string());
        }
    }

    #[test]
    fn what_is_long_is_cut_and_the_whole_is_there_too() {
        for command in ["line\n".repeat(30), "x".repeat(5_000), "é".repeat(1_300)] {
            let shown = words(&call("bash", &json!({"command": command})), "odd");
            assert!(shown.text.lines().count() <= MOST_LINES + 3);
            assert!(shown.text.chars().count() < MOST_CHARS + 100);
            assert!(shown.text.contains("not all") && shown.text.ends_with("\n(odd)"));
            assert_eq!(shown.whole.unwrap(), command);
        }
    }

    #[test]
    fn what_nobody_reads_is_counted() {
        let command = "é".repeat(MOST_ABOVE + 7);
        let whole = words(&call("bash", &json!({"command": command})), "").whole.unwrap();
        assert!(whole.ends_with("é\n… and 7 more characters, which are not shown"));
        assert_eq!(whole.chars().filter(|c| *c == 'é').count(), MOST_ABOVE);
    }

    #[test]
    fn only_what_can_be_remembered_is_offered() {
        let texts = |rules: &[Rule]| -> Vec<String> {
            choices(rules).into_iter().map(|(_, text)| text).collect()
        };
        let all = texts(&[Rule::like("bash", "cargo test *".to_owned())]);
        assert_eq!(all[1], "Yes, for this session: bash:cargo test *");
        assert_eq!(all[2], "Yes, always in this project: bash:cargo test *");
        assert_eq!(texts(&[]), ["Yes, this once", "No", "No, and tell the model why"]);
        let every = texts(&[Rule::all("write"), Rule::all("edit")]);
        assert_eq!(every[1], "Yes, for this session: every write, every edit");
        let long = texts(&[Rule::with("bash", "x".repeat(100))]);
        assert_eq!(long[1], "Yes, for this session: exactly this");
        let long = texts(&[Rule::with("write", "x".repeat(100))]);
        assert_eq!(long[1], "Yes, for this session: every write of exactly this file");
    }

    #[test]
    fn a_long_pattern_is_not_called_exact() {
        for (rule, begin, end) in [
            (Rule::like("read", format!("/{}/*", "x".repeat(100))), "all files in /xx", "…xx"),
            (
                Rule::like("bash", format!("npm run {} *", "x".repeat(100))),
                "bash:npm run xx",
                "x *",
            ),
        ] {
            let shown = shown_rules(&[rule]);
            assert!(!shown.contains("exactly") && shown.contains('…'), "{shown}");
            assert!(
                shown.contains(begin) && shown.ends_with(end.trim_start_matches('…')),
                "{shown}"
            );
            assert_eq!(shown.chars().count(), MOST_OF_A_RULE + 1);
        }
    }
}
