//! Second look at an event that is no JSON object.
//!
//! Owns the damages that can be undone: bytes that are not UTF-8, half a surrogate pair, several
//! objects in one event, objects wrapped in a list. Must not be on the way of a sound chunk.

use serde::de::IgnoredAny;
use serde_json::value::RawValue;

/// Returns the JSON texts that can be saved from `data`, or nothing where it makes no sense.
pub(crate) fn salvage(data: &[u8]) -> Vec<String> {
    let text = replace_lone_surrogates(&String::from_utf8_lossy(data));
    if let Ok(items) = serde_json::from_str::<Vec<&RawValue>>(&text) {
        return items.into_iter().map(|item| item.get().to_owned()).collect();
    }
    if is_json(&text) {
        return vec![text];
    }
    // A server that forgets the blank line between events.
    text.lines()
        .map(str::trim)
        .filter(|line| is_json(line) || *line == "[DONE]")
        .map(str::to_owned)
        .collect()
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
