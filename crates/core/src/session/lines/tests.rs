//! Cutting and the cap.

use super::*;
use crate::session::tests::{line, user};

fn check(content: &str, cap: u64, expected: &[(usize, u64, &str, bool)]) {
    let mut lines = Lines { cap, ..Lines::new(io::Cursor::new(content.as_bytes())) };
    let mut seen = Vec::new();
    while let Some(line) = lines.next_line().unwrap() {
        let text = String::from_utf8(line.bytes.to_vec()).unwrap();
        seen.push((line.number, line.offset, text, line.terminated));
    }
    let expected: Vec<_> = expected.iter().map(|&(n, o, t, e)| (n, o, t.to_owned(), e)).collect();
    assert_eq!(seen, expected, "{content:?}");
    assert_eq!(lines.offset(), content.len() as u64);
}

#[test]
fn lines_have_numbers_and_places() {
    check("", 9, &[]);
    check("a\n", 9, &[(1, 0, "a", true)]);
    check("a\n\nbc", 9, &[(1, 0, "a", true), (2, 2, "", true), (3, 3, "bc", false)]);
}

#[test]
fn a27_a_line_over_the_cap_is_cut_and_the_next_one_is_whole() {
    check("abcdef\ngh\n", 4, &[(1, 0, "abcd", true), (2, 7, "gh", true)]);
    check("abc\nd", 4, &[(1, 0, "abc", true), (2, 4, "d", false)]);
    check("abcdef", 4, &[(1, 0, "abcd", true)]);
}

/// A line's number, place, length as far as held, length as far as walked over, and whether it ends.
type Seen = (usize, u64, usize, Option<u64>, bool);

/// Returns what is known of each line, and how much was held at most.
fn walk(content: &str, cap: u64) -> (Vec<Seen>, usize) {
    let mut lines = Lines { cap, ..Lines::new(io::Cursor::new(content.as_bytes())) };
    let mut seen = Vec::new();
    while let Some(line) = lines.next_line().unwrap() {
        let walked = line.walked.map(|walked| walked.length);
        seen.push((line.number, line.offset, line.bytes.len(), walked, line.terminated));
    }
    assert_eq!(lines.offset(), content.len() as u64);
    (seen, lines.buffer.capacity())
}

#[test]
fn a27_of_a_long_line_only_the_beginning_is_held() {
    let held = HELD_LENGTH as usize;
    let long = line(Some("p"), &user("a", &"text \"\n".repeat(300_000)));
    let short = line(Some("a"), &user("b", "text"));
    let record = long.len() as u64 - 1;
    let (seen, capacity) = walk(&format!("{long}{short}{}", long.trim_end()), LINE_CAP);
    let (second, third) = (long.len() as u64, (long.len() + short.len()) as u64);
    assert_eq!(
        seen,
        [
            (1, 0, held, Some(record), true),
            (2, second, short.len() - 1, None, true),
            (3, third, held, Some(record), false),
        ]
    );
    assert!(capacity <= 2 * held, "{capacity}");

    // Over the cap it is damage as ever, and not held either.
    let (seen, capacity) = walk(&format!("{long}{short}"), 2 * HELD_LENGTH);
    let over = [(1, 0, held, None, true), (2, second, short.len() - 1, None, true)];
    assert_eq!(seen, over);
    assert!(capacity <= 2 * held, "{capacity}");
}

#[test]
fn a24_a_long_line_that_is_damaged_is_read_in_full() {
    let long = line(None, &user("a", &"text".repeat(500_000)));
    let whole = long.trim_end();
    for damaged in [
        whole.strip_suffix('}').unwrap().to_owned(),
        format!("{whole} "),
        whole.replacen("texttext\"", "text\0\0\"", 1),
        format!("{}{whole}", whole.get(..1_900_000).unwrap()),
    ] {
        let (seen, _) = walk(&format!("{damaged}\nx\n"), LINE_CAP);
        let next = damaged.len() as u64 + 1;
        assert_eq!(seen, [(1, 0, damaged.len(), None, true), (2, next, 1, None, true)]);
    }
}
