//! Second look at an event that is no JSON object.
//!
//! Owns the damages that can be undone: bytes that are not UTF-8, half a surrogate pair, numbers
//! that JSON does not have, members named twice, several objects in one event, objects wrapped in
//! a list. Must not be on the way of a sound chunk.

use serde::de::IgnoredAny;
use serde_json::Value;
use serde_json::value::RawValue;

/// Returns the JSON texts that can be saved from `data`, or nothing where it makes no sense.
pub(crate) fn salvage(data: &[u8]) -> Vec<String> {
    let text = replace_lone_surrogates(&String::from_utf8_lossy(data));
    let text = if is_json(&text) { text } else { replace_bare_words(&text) };
    if let Ok(items) = serde_json::from_str::<Vec<&RawValue>>(&text) {
        return items.into_iter().map(|item| without_repeats(item.get())).collect();
    }
    if is_json(&text) {
        return vec![without_repeats(&text)];
    }
    // A server that forgets the blank line between events.
    text.lines()
        .map(str::trim)
        .filter(|line| is_json(line) || *line == "[DONE]")
        .map(without_repeats)
        .collect()
}

/// Returns `text` with one member where several have the same name: the last, as most readers of
/// JSON have it.
fn without_repeats(text: &str) -> String {
    let value = serde_json::from_str::<Value>(text);
    value.map_or_else(|_| text.to_owned(), |value| value.to_string())
}

/// Replaces the numbers that JSON does not have (`NaN`, `Infinity`, `-Infinity`), outside of
/// strings, by `null`.
fn replace_bare_words(text: &str) -> String {
    const WORDS: [&str; 3] = ["-Infinity", "Infinity", "NaN"];
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    let mut in_string = false;
    while let Some(start) = rest.find(['"', '\\', 'N', 'I', '-']) {
        let (before, found) = rest.split_at(start);
        result.push_str(before);
        let word = WORDS.iter().find(|word| !in_string && found.starts_with(**word));
        let length = match word {
            Some(word) => word.len(),
            // Skips the escaped character too, which may be a quote.
            None if found.starts_with('\\') => 1 + found.chars().nth(1).map_or(0, char::len_utf8),
            None => 1,
        };
        let (kept, after) = found.split_at(length);
        in_string ^= kept == "\"";
        result.push_str(if word.is_some() { "null" } else { kept });
        rest = after;
    }
    result.push_str(rest);
    result
}

fn is_json(text: &str) -> bool {
    serde_json::from_str::<IgnoredAny>(text).is_ok()
}

/// Replaces each escaped surrogate that has no partner (a server cut a character in two) by the
/// replacement character, since no JSON reader takes it.
fn replace_lone_surrogates(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find('\\') {
        let (before, escape) = rest.split_at(start);
        result.push_str(before);
        let length = match surrogate(escape) {
            Some(Surrogate::High)
                if escape.get(6..).and_then(surrogate) == Some(Surrogate::Low) =>
            {
                12
            }
            Some(Surrogate::High | Surrogate::Low) => {
                result.push_str("\\ufffd");
                rest = escape.get(6..).unwrap_or_default();
                continue;
            }
            // Skips the escaped character too, which may be a backslash.
            None => 1 + escape.chars().nth(1).map_or(0, char::len_utf8),
        };
        let (kept, after) = escape.split_at(length);
        result.push_str(kept);
        rest = after;
    }
    result.push_str(rest);
    result
}

#[derive(PartialEq, Eq)]
enum Surrogate {
    High,
    Low,
}

/// Returns the half of a surrogate pair that the escape at the start of `text` stands for.
fn surrogate(text: &str) -> Option<Surrogate> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    match u16::from_str_radix(digits, 16).ok()? {
        0xD800..=0xDBFF => Some(Surrogate::High),
        0xDC00..=0xDFFF => Some(Surrogate::Low),
        _ => None,
    }
}
