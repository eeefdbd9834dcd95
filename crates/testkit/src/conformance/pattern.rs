//! What makes texts equal for both runners: patterns and JSON as Python means and writes them.
//!
//! Owns the translation. The cases are written for `run.py`; the same case must mean the same here.

use regex_lite::{Regex, RegexBuilder};
use serde::Serialize as _;
use serde_json::Value;
use serde_json::ser::{Formatter, Serializer};
use std::fmt;
use std::io;

/// Large enough for a counted repetition of a whole tool output.
const PATTERN_SIZE_LIMIT: usize = 64 << 20;

/// Returns the pattern with `.` for line ends too, and `$` before a last line end too.
///
/// # Errors
/// When it is none.
pub(super) fn compile(pattern: &str) -> Result<Regex, regex_lite::Error> {
    let mut builder = RegexBuilder::new(&translate(pattern));
    builder.dot_matches_new_line(true).size_limit(PATTERN_SIZE_LIMIT).build()
}

/// Returns the value as JSON with a space behind each comma and colon.
pub(super) fn spaced_json(value: &Value) -> String {
    struct Spaced;
    impl Formatter for Spaced {
        fn begin_array_value<W: ?Sized + io::Write>(
            &mut self,
            writer: &mut W,
            first: bool,
        ) -> io::Result<()> {
            if first { Ok(()) } else { writer.write_all(b", ") }
        }

        fn begin_object_key<W: ?Sized + io::Write>(
            &mut self,
            writer: &mut W,
            first: bool,
        ) -> io::Result<()> {
            if first { Ok(()) } else { writer.write_all(b", ") }
        }

        fn begin_object_value<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
            writer.write_all(b": ")
        }
    }
    let mut bytes = Vec::new();
    let mut serializer = Serializer::with_formatter(&mut bytes, Spaced);
    value.serialize(&mut serializer).expect("a value can be written to memory");
    String::from_utf8(bytes).expect("JSON is UTF-8")
}

/// A value in a message: quoted, and cut where it is long.
pub(super) struct Shown<'a>(pub(super) &'a Value);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = spaced_json(self.0);
        match text.char_indices().nth(300) {
            Some((end, _)) => write!(f, "{}…", text.get(..end).unwrap_or_default()),
            None => f.write_str(&text),
        }
    }
}

/// Replaces each `$` that is an assertion.
fn translate(pattern: &str) -> String {
    let mut translated = String::new();
    let (mut escaped, mut in_class) = (false, false);
    for character in pattern.chars() {
        match character {
            '$' if !escaped && !in_class => {
                translated.push_str(r"(?:\n?\z)");
                continue;
            }
            '[' if !escaped => in_class = true,
            ']' if !escaped => in_class = false,
            _ => {}
        }
        escaped = character == '\\' && !escaped;
        translated.push(character);
    }
    translated
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[track_caller]
    fn check(pattern: &str, text: &str, expected: bool) {
        assert_eq!(compile(pattern).unwrap().is_match(text), expected, "/{pattern}/ {text:?}");
    }

    #[test]
    fn patterns_mean_what_python_means() {
        check("^a$", "a", true);
        check("^a$", "a\n", true);
        check("^a$", "a\n\n", false);
        check("^a$", "b\na", false);
        check("a.b", "a\nb", true);
        check(r"a\$", "a$", true);
        check(r"a\\$", r"a\", true);
        check("[$]", "a$b", true);
        check(r"\d+\n$", "12\n", true);
    }

    #[test]
    fn a_counted_repetition_of_a_whole_output_works() {
        check("^.{1,60000}$", &"é".repeat(60_000), true);
        check("^.{1,60000}$", &"é".repeat(60_001), false);
        check("^.{1,60000}$", "", false);
    }

    #[test]
    fn json_is_spaced() {
        let value = json!({"a": [1, "é\n", null], "b": {}, "c": {"d": 1.5, "e": []}});
        assert_eq!(
            spaced_json(&value),
            r#"{"a": [1, "é\n", null], "b": {}, "c": {"d": 1.5, "e": []}}"#
        );
    }

    #[test]
    fn a_long_value_is_cut_in_messages() {
        let shown = Shown(&json!("é".repeat(1000))).to_string();
        assert_eq!(shown.chars().count(), 301);
    }
}
