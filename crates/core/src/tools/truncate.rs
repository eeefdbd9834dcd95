//! Limits on what reaches the model.
//!
//! Owns how the end of a long text is cut out. Must not word any announcement.

use memchr::{memchr, memrchr_iter};

/// The most lines of one result.
pub(super) const MAX_LINES: usize = 2_000;
/// The most bytes of one result.
pub(super) const MAX_BYTES: usize = 50 * 1024;

/// A first line that was cut is left out when no more than this is lost by it.
const SHORT_LINE: usize = 2_000;

/// The end of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Tail<'a> {
    /// The end itself.
    pub(super) text: &'a str,
    /// Whether it begins within a line.
    pub(super) begins_inside_line: bool,
}

/// Returns the last `max_lines` lines of `text`, and no more than `max_bytes` of them. Begins with
/// a whole line, unless that would leave out much of a very long one.
pub(super) fn tail(text: &str, max_lines: usize, max_bytes: usize) -> Tail<'_> {
    let (mut kept, mut begins_inside_line) = last_bytes(text, max_bytes);
    if begins_inside_line
        && let Some(at) = memchr(b'\n', kept.as_bytes()).filter(|at| *at < SHORT_LINE)
        && at + 1 < kept.len()
    {
        kept = kept.get(at + 1..).unwrap_or_default();
        begins_inside_line = false;
    }
    // The newline at the very end closes the last line; it does not open another.
    let body = kept.strip_suffix('\n').unwrap_or(kept);
    match memrchr_iter(b'\n', body.as_bytes()).nth(max_lines.saturating_sub(1)) {
        Some(at) => {
            Tail { text: kept.get(at + 1..).unwrap_or_default(), begins_inside_line: false }
        }
        None => Tail { text: kept, begins_inside_line },
    }
}

/// Returns at most `max_bytes` from the end, and whether they begin within a line.
fn last_bytes(text: &str, max_bytes: usize) -> (&str, bool) {
    let mut start = text.len().saturating_sub(max_bytes);
    while !text.is_char_boundary(start) {
        start += 1;
    }
    let (before, kept) = text.split_at(start);
    (kept, !before.is_empty() && !before.ends_with('\n'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn cuts_at_lines_and_bytes() {
        let cases = [
            ("", 2, 10, "", false),
            ("a\nb\n", 2, 10, "a\nb\n", false),
            ("a\nb\nc\n", 2, 10, "b\nc\n", false),
            ("a\nb\nc", 2, 10, "b\nc", false),
            ("\n\n\n", 2, 10, "\n\n", false),
            ("aaaa\nbb\ncc\n", 9, 6, "bb\ncc\n", false),
            ("aaaa\nbb\ncc\n", 9, 7, "bb\ncc\n", false),
            ("aaaa\nbb\ncc\n", 9, 8, "bb\ncc\n", false),
            ("abcdef", 9, 3, "def", true),
            ("abcdef\n", 9, 4, "def\n", true),
            ("aé", 9, 1, "", true),
            ("a\nb", 0, 10, "b", false),
        ];
        for (text, lines, bytes, expected, begins_inside_line) in cases {
            let expected = Tail { text: expected, begins_inside_line };
            assert_eq!(tail(text, lines, bytes), expected, "{text:?} {lines} {bytes}");
        }
    }

    #[test]
    fn a_long_line_is_rather_cut_than_left_out() {
        let text = format!("{}\nend\n", "x".repeat(100_000));
        let tail = tail(&text, 10, 50_000);
        assert!(tail.begins_inside_line);
        assert_eq!(tail.text.len(), 50_000);
    }

    proptest! {
        #[test]
        fn keeps_to_the_limits(text in "[a\né]{0,200}", lines in 1_usize..10, bytes in 0_usize..50) {
            let tail = tail(&text, lines, bytes);
            prop_assert!(text.ends_with(tail.text));
            prop_assert!(tail.text.len() <= bytes);
            prop_assert!(tail.text.lines().count() <= lines);
        }
    }
}
