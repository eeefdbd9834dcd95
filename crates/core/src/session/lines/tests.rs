//! Cutting and the cap.

use super::*;

fn check(content: &str, cap: u64, expected: &[(usize, u64, &str, bool)]) {
    let mut lines = Lines { cap, ..Lines::new(content.as_bytes()) };
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
