//! Line endings of a replacement: lines that it brings end as their neighbours do.
//!
//! Owns which ending each line gets. A CRLF that the model wrote stays what it is.

use std::ops::Range;

/// How many whole lines two texts share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shared {
    leading: usize,
    trailing: usize,
}

/// Returns how many lines `old` and `new` have in common at their start and at their end: those
/// keep the endings that they have in the file.
pub(super) fn shared(old: &str, new: &str) -> Shared {
    let leading = common(old.split_inclusive('\n'), new.split_inclusive('\n'));
    let trailing = common(old.rsplit('\n'), new.rsplit('\n'));
    Shared { leading, trailing }
}

/// Appends `new`, which replaces `span` of `text`, with its lone LFs made into the endings of
/// the place.
pub(super) fn push_fitted(
    output: &mut Vec<u8>,
    new: &str,
    text: &[u8],
    span: &Range<usize>,
    shared: Shared,
) {
    let newlines = new.matches('\n').count();
    if newlines == 0 {
        output.extend_from_slice(new.as_bytes());
        return;
    }
    let there = endings_in(text.get(span.clone()).unwrap_or_default());
    let between = there
        .get(shared.leading)
        .or(there.last())
        .copied()
        .or_else(|| ending_near(text, span.end))
        .unwrap_or("\n");
    for (index, line) in new.split_inclusive('\n').enumerate() {
        let Some(content) = line.strip_suffix('\n').filter(|content| !content.ends_with('\r'))
        else {
            output.extend_from_slice(line.as_bytes());
            continue;
        };
        let from_end = newlines - index;
        let ending = if index < shared.leading {
            there.get(index)
        } else if from_end < shared.trailing {
            there.len().checked_sub(from_end).and_then(|index| there.get(index))
        } else {
            None
        };
        output.extend_from_slice(content.as_bytes());
        output.extend_from_slice(ending.copied().unwrap_or(between).as_bytes());
    }
}

fn common<'a>(left: impl Iterator<Item = &'a str>, right: impl Iterator<Item = &'a str>) -> usize {
    let plain = |line: &'a str| line.trim_end_matches(['\n', '\r']);
    left.zip(right).take_while(|(left, right)| plain(left) == plain(right)).count()
}

/// Returns the ending of each line of a text.
pub(super) fn endings_in(text: &[u8]) -> Vec<&'static str> {
    memchr::memchr_iter(b'\n', text).map(|newline| ending_at(text, newline)).collect()
}

/// Returns the ending of the line that `place` is in, or else of the line before.
fn ending_near(text: &[u8], place: usize) -> Option<&'static str> {
    let (before, after) = text.split_at_checked(place)?;
    if let Some(newline) = memchr::memchr(b'\n', after) {
        return Some(ending_at(text, place + newline));
    }
    memchr::memrchr(b'\n', before).map(|newline| ending_at(text, newline))
}

fn ending_at(text: &[u8], newline: usize) -> &'static str {
    let before = newline.checked_sub(1).and_then(|index| text.get(index));
    if before == Some(&b'\r') { "\r\n" } else { "\n" }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, found: &str, old: &str, new: &str) -> String {
        let start = text.find(found).unwrap();
        let span = start..start + found.len();
        let mut output = Vec::new();
        push_fitted(&mut output, new, text.as_bytes(), &span, shared(old, new));
        String::from_utf8(output).unwrap()
    }

    #[test]
    fn a10_new_lines_end_as_their_neighbours_do() {
        assert_eq!(check("a\r\nb\r\n", "a\r\nb", "a\nb", "a\nx\nb"), "a\r\nx\r\nb");
        assert_eq!(check("a\r\nb\r\nc\n", "b", "b", "x\ny"), "x\r\ny", "of the line itself");
        assert_eq!(check("a\r\nb", "b", "b", "x\ny"), "x\r\ny", "of the line before");
        assert_eq!(check("a", "a", "a", "x\ny"), "x\ny", "no neighbour");
        assert_eq!(check("a\nb\n", "a", "a", "x\r\ny\nz"), "x\r\ny\nz", "as written");
    }

    #[test]
    fn a10_shared_lines_of_a_mixed_file_keep_their_endings() {
        let text = "a\nb\r\nc\nd\r\n";
        assert_eq!(check(text, text, "a\nb\nc\nd\n", "a\nX\nY\nc\nd\n"), "a\nX\r\nY\r\nc\nd\r\n");
        assert_eq!(check(text, "a\nb\r\nc", "a\nb\nc", "a\nb\nz"), "a\nb\r\nz");
        assert_eq!(check(text, "b\r\nc\nd", "b\nc\nd", "z\nc\nd"), "z\r\nc\nd");
    }
}
