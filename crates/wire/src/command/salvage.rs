//! Lines that are JSON but for halves of characters.
//!
//! Owns the repair of `\uD83E` and its like without the other half, which some programs write.
//! Must not be asked about lines that can be read.

use serde_json::Value;

/// What stands for half a character, as an escape.
const REPLACEMENT: &[u8; 4] = b"FFFD";

/// The length of `\uXXXX`.
const ESCAPE: usize = 6;

/// Reads a line once more with U+FFFD for each half of a character; `None` where that does not
/// make it JSON. Returns the repaired line too.
pub(super) fn read(line: &[u8]) -> Option<(Value, Vec<u8>)> {
    let repaired = repair(line)?;
    let value = serde_json::from_slice(&repaired).ok()?;
    Some((value, repaired))
}

/// Returns the line with the replacement for each half; `None` where there is none.
fn repair(line: &[u8]) -> Option<Vec<u8>> {
    let mut repaired = line.to_vec();
    let mut has_halves = false;
    let mut at = 0;
    while let Some(rest) = line.get(at..).filter(|rest| !rest.is_empty()) {
        match (unit(rest), rest) {
            (Some(0xD800..=0xDBFF), _)
                if matches!(rest.get(ESCAPE..).and_then(unit), Some(0xDC00..=0xDFFF)) =>
            {
                at += 2 * ESCAPE;
            }
            (Some(0xD800..=0xDFFF), _) => {
                has_halves = true;
                if let Some(digits) = repaired.get_mut(at + 2..at + ESCAPE) {
                    digits.copy_from_slice(REPLACEMENT);
                }
                at += ESCAPE;
            }
            (Some(_), _) => at += ESCAPE,
            // An escaped backslash is not the start of what follows it.
            (None, [b'\\', ..]) => at += 2,
            (None, _) => at += 1,
        }
    }
    has_halves.then_some(repaired)
}

/// Returns the number of the escape that a text begins with.
fn unit(text: &[u8]) -> Option<u16> {
    let digits = text.strip_prefix(b"\\u")?.get(..4)?;
    let digits = std::str::from_utf8(digits).ok()?;
    digits.bytes().all(|digit| digit.is_ascii_hexdigit()).then_some(())?;
    u16::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn halves_of_characters_are_replaced_and_nothing_else() {
        for (line, expected) in [
            (r#"{"a":"\ud83e"}"#, Some(json!({ "a": "\u{fffd}" }))),
            (r#"{"a":"x\uDD14y"}"#, Some(json!({ "a": "x\u{fffd}y" }))),
            (r#"{"a":"\ud83e\ud83e\udd14"}"#, Some(json!({ "a": "\u{fffd}🤔" }))),
            (r#"{"\udd14\ud83e":1}"#, Some(json!({ "\u{fffd}\u{fffd}": 1 }))),
            (r#"{"a":"\\ud83e\ud83e"}"#, Some(json!({ "a": "\\ud83e\u{fffd}" }))),
            (r#"{"a":"\ud83e\n"}"#, Some(json!({ "a": "\u{fffd}\n" }))),
            (r#"{"a":"\\ud83e"}"#, None),
            (r#"{"a":"\ud83e\udd14"}"#, None),
            (r#"{"a":"\ud83e"#, None),
            (r#"{"a":"\ud8"}"#, None),
            (r#"{"a":"\ud83e" nonsense}"#, None),
            (r"\", None),
            ("", None),
        ] {
            assert_eq!(read(line.as_bytes()).map(|(value, _)| value), expected, "{line}");
        }
    }
}
