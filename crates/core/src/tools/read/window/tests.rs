//! Tests of the part of a file that is shown.

use super::*;
use proptest::prelude::*;

fn view(text: &[u8], offset: u64, limit: u64) -> View {
    let mut window = Window::new(offset, limit);
    window.push(text);
    window.finish()
}

#[test]
fn lines_are_numbered_and_joined() {
    let view = view(b"one\ntwo\r\n\nfour", 0, 100);
    assert_eq!(view.text, "     1\tone\n     2\ttwo\n     3\t\n     4\tfour");
    assert_eq!((view.lines, view.lines_read, view.cut_lines), (4, 4, 0));
    assert_eq!(self::view(b"", 0, 10).lines_read, 0);
    assert_eq!(self::view(b"\n", 0, 10).text, "     1\t");
    assert_eq!(self::view(b"a\rb\r", 0, 10).text, "     1\ta\rb\r", "a lone CR is content");
}

#[test]
fn a20_numbers_are_right_after_an_offset() {
    let text: String = (1..=5_000).map(|number| format!("line {number}\n")).collect();
    let view = view(text.as_bytes(), 3_000, 2);
    assert_eq!(view.text, "  3001\tline 3001\n  3002\tline 3002");
    assert_eq!((view.lines, view.lines_read), (2, 5_000));
    assert_eq!(self::view(text.as_bytes(), 0, u64::MAX).lines, LINE_LIMIT);
    assert_eq!(self::view(text.as_bytes(), u64::MAX, u64::MAX).lines, 0);
}

#[test]
fn a20_bytes_are_limited() {
    let text = format!("{}\n", "x".repeat(1_000)).repeat(100);
    let view = view(text.as_bytes(), 0, 2_000);
    assert_eq!((view.lines, view.lines_read), (50, 100));
    assert!(view.text.len() <= BYTE_LIMIT);
}

#[test]
fn a20_a_long_line_is_cut_at_a_character() {
    for (character, count) in [("x", 2_001), ("é", 5_000), ("𝄞", 2_001), ("𝄞", 90_000)] {
        let text = format!("{}\nnext\n", character.repeat(count));
        let view = view(text.as_bytes(), 0, 10);
        let (first, rest) = view.text.split_once('\n').unwrap();
        let expected = format!(
            "     1\t{}… [cut: 2000 characters shown of {} bytes read]",
            character.repeat(2_000),
            character.len() * count
        );
        assert_eq!((first, rest), (expected.as_str(), "     2\tnext"));
        assert_eq!((view.cut_lines, view.fault), (1, None));
    }
    let exact = format!("{}\n", "𝄞".repeat(2_000));
    assert_eq!(view(exact.as_bytes(), 0, 10).cut_lines, 0);
}

#[test]
fn a20_only_what_is_shown_is_kept() {
    let mut window = Window::new(0, 10);
    for _ in 0..1_000 {
        window.push(&[b'x'; 64 * 1024]);
        assert!(window.line.kept.capacity() < 64 * 1024);
    }
    assert!(window.has_all(), "the rest of a line that is cut anyway is not needed");
    assert_eq!(window.finish().cut_lines, 1);
}

#[test]
fn a21_a_bad_byte_is_found_where_it_is_shown() {
    let bad = BadByte { byte: 0xE9, offset: 7, line: 2 };
    assert_eq!(view(b"one\ncaf\xE9 x\n", 0, 10).fault, Some(bad));
    assert_eq!(view(b"one\ncaf\xE9 x\n", 0, 1).fault, None);
    assert_eq!(view(b"caf\xC3", 0, 1).fault, Some(BadByte { byte: 0xC3, offset: 3, line: 1 }));
    let past_the_cut = [&[b'x'; 2_000], &b"\xE9\n"[..]].concat();
    assert_eq!(view(&past_the_cut, 0, 1).fault, None);
    assert_eq!(view(&past_the_cut[1..], 0, 1).fault.unwrap().offset, 1_999);
}

#[test]
fn a_nul_is_shown_as_a_sign() {
    assert_eq!(view(b"a\0b", 0, 1).text, "     1\ta␀b");
}

proptest! {
    /// However the file comes in pieces, the window is the same.
    #[test]
    fn a20_pieces_do_not_matter(
        text in "[ab\u{e9}\r\n]{0,60}",
        cuts in prop::collection::vec(0usize..60, 0..6),
        offset in 0u64..8,
        limit in 1u64..8,
    ) {
        let mut window = Window::new(offset, limit);
        let mut rest = text.as_bytes();
        for cut in cuts {
            let (piece, tail) = rest.split_at(cut.min(rest.len()));
            window.push(piece);
            rest = tail;
        }
        window.push(rest);
        prop_assert_eq!(window.finish(), view(text.as_bytes(), offset, limit));
    }

    /// Windows one after the other give the whole file.
    #[test]
    fn a20_windows_add_up_to_the_file(
        lines in prop::collection::vec("[a-z \u{e9}]{0,8}", 1..30),
        limit in 1u64..10,
    ) {
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        let (mut offset, mut seen) = (0, String::new());
        loop {
            let view = view(text.as_bytes(), offset, limit);
            prop_assert_eq!(view.lines_read, lines.len() as u64);
            for line in view.text.split('\n') {
                let (number, content) = line.split_once('\t').unwrap();
                offset += 1;
                prop_assert_eq!(number.trim().parse(), Ok(offset));
                seen.push_str(content);
                seen.push('\n');
            }
            if offset == view.lines_read {
                break;
            }
        }
        prop_assert_eq!(seen, text);
    }
}
