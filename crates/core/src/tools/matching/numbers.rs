//! Line numbers in front of lines, as they get into an edit from what `read` shows.
//!
//! Owns what such a number looks like. Must not look at files.

/// What a text has in front of its lines.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Numbers {
    /// Nothing that looks like line numbers.
    None,
    /// A number before every line; this is the text without them.
    Every(String),
    /// A number with a tab before some lines only.
    Some,
}

/// The marks that stand between a number and its line.
const MARKS: [&str; 5] = ["\t", "→", " | ", "|", ": "];

/// Returns `text` without its line numbers, which must follow each other.
pub(super) fn without_consecutive(text: &str) -> Option<String> {
    match look(text) {
        (Numbers::Every(stripped), true) => Some(stripped),
        _ => None,
    }
}

/// Returns what line numbers `text` has; they need not follow each other.
pub(super) fn of(text: &str) -> Numbers {
    look(text).0
}

/// Returns the numbers, and whether each is one more than the last.
fn look(text: &str) -> (Numbers, bool) {
    for mark in MARKS {
        let mut stripped = String::with_capacity(text.len());
        let mut last = None;
        let (mut numbered, mut bare, mut consecutive) = (0, 0, true);
        for line in text.split_inclusive('\n') {
            match split_number(line, mark) {
                Some((number, content)) => {
                    consecutive &= last.is_none_or(|last: u64| last.checked_add(1) == Some(number));
                    last = Some(number);
                    numbered += 1;
                    stripped.push_str(content);
                }
                None => bare += 1,
            }
        }
        match (numbered, bare) {
            (0, _) => {}
            (_, 0) => return (Numbers::Every(stripped), consecutive),
            _ if mark == "\t" => return (Numbers::Some, false),
            _ => {}
        }
    }
    (Numbers::None, false)
}

/// Returns the number and what follows the mark. A blank line may have lost the mark's blanks.
fn split_number<'a>(line: &'a str, mark: &str) -> Option<(u64, &'a str)> {
    let line = line.trim_start_matches(' ');
    let end = line.find(|character: char| !character.is_ascii_digit())?;
    let (digits, rest) = line.split_at_checked(end)?;
    let number = digits.parse().ok()?;
    let content = rest.strip_prefix(mark).or_else(|| {
        let rest = rest.strip_prefix(mark.trim_end())?;
        rest.trim_ascii().is_empty().then_some(rest)
    });
    content.map(|content| (number, content))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a17_pasted_line_numbers_are_recognised() {
        let cases = [
            ("     1\tprint(1)\n     2\tprint(2)", Some("print(1)\nprint(2)")),
            ("12: a\n13:\n14: b\n", Some("a\n\nb\n")),
            ("  9\ta\n 10\n 11\tb", Some("a\n\nb")),
            ("7| x", Some(" x")),
            ("7 | x\n8 |\n", Some("x\n\n")),
            ("3→  x", Some("  x")),
            ("1\ta\n3\tb", None),
            ("a\n2\tb", None),
            ("12 monkeys", None),
            ("", None),
        ];
        for (text, expected) in cases {
            let expected = expected.map(str::to_owned);
            assert_eq!(without_consecutive(text), expected, "{text:?}");
        }
    }

    #[test]
    fn a17_numbers_before_some_lines_are_noticed() {
        assert_eq!(of("1\ta\nb"), Numbers::Some);
        assert_eq!(of("1\ta\n9\tb"), Numbers::Every("a\nb".to_owned()));
        assert_eq!(of("a\nb"), Numbers::None);
        assert_eq!(of("1: a\nb"), Numbers::None, "a list, most likely");
    }
}
