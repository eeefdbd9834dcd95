//! Long texts made short, with a word on what is missing.
//!
//! Owns the limits. Must not cut a character in two.

/// How much of one text is shown, in bytes; of a longer one the first three quarters and the
/// rest from its end: errors stand there.
pub(super) const LONGEST_TEXT: usize = 16 * 1024;

/// How long the argument beside a tool's name may be, in characters.
const LONGEST_LINE: usize = 80;

/// A text, or its two ends.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Clipped<'a> {
    /// The beginning; everything where nothing is missing.
    pub(super) head: &'a str,
    /// What is missing, and the end.
    pub(super) rest: Option<Rest<'a>>,
}

/// The end of a text, and what is missing before it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Rest<'a> {
    /// Bytes that are missing.
    pub(super) left_out: usize,
    /// The end.
    pub(super) tail: &'a str,
}

/// Returns `text` whole where it has at most `limit` bytes, else its two ends, cut between lines
/// where there are such near.
pub(super) fn ends(text: &str, limit: usize) -> Clipped<'_> {
    if text.len() <= limit {
        return Clipped { head: text, rest: None };
    }
    let head_end = text.floor_char_boundary(limit / 4 * 3);
    let tail_start = text.ceil_char_boundary(text.len() - limit / 4);
    let head = text.get(..head_end).unwrap_or_default();
    let tail = text.get(tail_start..).unwrap_or_default();
    let head = match head.rfind('\n') {
        Some(newline) if newline > head.len() / 2 => head.get(..=newline).unwrap_or(head),
        _ => head,
    };
    let tail = match tail.find('\n') {
        Some(newline) if newline < tail.len() / 2 => tail.get(newline + 1..).unwrap_or(tail),
        _ => tail,
    };
    Clipped { head, rest: Some(Rest { left_out: text.len() - head.len() - tail.len(), tail }) }
}

/// Returns `text` in one line of at most 80 characters.
pub(super) fn one_line(text: &str) -> String {
    // More words than fit need not be looked at.
    let words = text.split_whitespace().take(LONGEST_LINE + 1);
    let mut line = String::new();
    let mut length = 0;
    for (index, word) in words.enumerate() {
        let space = if index == 0 { "" } else { " " };
        for character in space.chars().chain(word.chars()) {
            if length == LONGEST_LINE {
                line.pop();
                line.push('…');
                return line;
            }
            line.push(character);
            length += 1;
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_text_stays() {
        assert_eq!(ends("a\nb", 3), Clipped { head: "a\nb", rest: None });
    }

    #[test]
    fn a_long_text_keeps_whole_lines_of_both_ends() {
        let text: String = (0..100).map(|number| format!("line {number:02}\n")).collect();
        let clipped = ends(&text, 80);
        assert_eq!(clipped.head, text[..56].to_owned());
        let rest = clipped.rest.unwrap();
        assert_eq!(rest.tail, "line 98\nline 99\n");
        assert_eq!(rest.left_out, 800 - 56 - 16);
    }

    #[test]
    fn one_endless_line_is_cut_between_characters() {
        let text = "ä".repeat(100);
        let clipped = ends(&text, 81);
        assert_eq!(clipped.head, "ä".repeat(30));
        assert_eq!(clipped.rest, Some(Rest { left_out: 120, tail: &"ä".repeat(10) }));
    }

    #[test]
    fn a_line_is_one_line() {
        assert_eq!(one_line("  cargo\n\ttest \n"), "cargo test");
        assert_eq!(one_line(""), "");
        assert_eq!(one_line(&"ö".repeat(80)), "ö".repeat(80));
        assert_eq!(one_line(&"ö".repeat(81)), format!("{}…", "ö".repeat(79)));
        assert_eq!(one_line(&"a b ".repeat(100)).chars().count(), 80);
    }
}
