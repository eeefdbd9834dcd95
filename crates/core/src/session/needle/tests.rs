//! No spelling is missed, and what can be skipped is.

use super::*;
use proptest::prelude::*;

fn may_be_in(query: &str, line: &str) -> bool {
    Needle::new(query).may_be_in(line.as_bytes())
}

#[test]
fn a_line_without_the_longest_stretch_is_skipped() {
    let line = r#"{"type":"text","text":"The quick brown fox\nsaid \"naïve\" 你好"}"#;
    for (query, expected) in [
        ("quick", true),
        ("the quick brown", true),
        ("QUICK".to_lowercase().as_str(), true),
        ("fox\nsaid", true),
        ("said \"na", true),
        ("你好", true),
        ("quicker", false),
        ("brownfox", false),
        ("fox\nsays", false),
        ("你们", false),
        // Nothing in them tells anything.
        ("ïïï", true),
        ("\"\\/", true),
    ] {
        assert_eq!(may_be_in(query, line), expected, "{query:?}");
    }
}

#[test]
fn a_line_in_which_spelling_is_free_is_never_skipped() {
    for line in [
        r#"{"text":"caf\u00e9"}"#,
        "\u{212A}ey word",
        r#"[{"type":"text","text":"key"},{"type":"text","text":" word"}]"#,
    ] {
        assert!(may_be_in("key word", line), "{line}");
    }
    // Escaped quotes around it are no part's.
    assert!(!may_be_in("key word", r#"{"type":"text","text":"\"text\" \"text\""}"#));
    assert!(may_be_in("i", "\u{130}"));
}

/// The stretch relies on this for every character that there is.
#[test]
fn a_telling_character_has_no_other_spelling() {
    for other in '\0'..=char::MAX {
        for lower in other.to_lowercase().filter(|lower| *lower != other && is_telling(*lower)) {
            let is_ascii_pair = other.is_ascii() && other.to_ascii_lowercase() == lower;
            let is_free = ASCII_IN_LOWER_CASE.contains(&(lower, other));
            assert!(is_ascii_pair || is_free, "{other:?} is {lower:?} in lower case");
        }
    }
}

proptest! {
    #[test]
    fn what_is_in_a_text_is_never_skipped(
        before in any::<String>(),
        query in "[a-zA-Z\u{130}\u{212A}éÉßΣσς你\"\\\\/\n\u{1} ]{1,6}",
        behind in any::<String>(),
    ) {
        let text = format!("{before}{query}{behind}");
        prop_assume!(text.to_lowercase().contains(&query.to_lowercase()));
        let line = serde_json::json!({"type": "text", "text": text}).to_string();
        prop_assert!(may_be_in(&query.to_lowercase(), &line));
        let escaped: String = text.encode_utf16().map(|unit| format!("\\u{unit:04x}")).collect();
        let line = format!("{{\"text\":\"{escaped}\"}}");
        prop_assert!(may_be_in(&query.to_lowercase(), &line));
    }
}
