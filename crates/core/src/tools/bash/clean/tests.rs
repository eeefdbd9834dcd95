//! Tests of cleaning a command's output.

use super::*;
use proptest::prelude::*;

fn clean(pieces: &[&[u8]]) -> String {
    let mut cleaner = Cleaner::default();
    for piece in pieces {
        cleaner.push(piece);
    }
    cleaner.finish();
    cleaner.text().to_owned()
}

/// What each output leaves on the screen.
const CASES: &[(&[u8], &str)] = &[
    (b"", ""),
    (b"plain\ttext\n", "plain\ttext\n"),
    // Colours and movement.
    (b"\x1b[31mred\x1b[0m\x1b[2K\x1b[38;5;1m!\n", "red!\n"),
    (b"a\x1b[?25l\x1b[1;2Hb\x1b[!pc", "abc"),
    // Titles, links, clipboard, pictures: ended by a bell, by `ESC \`, or by the C1 form of it.
    (b"\x1b]0;title\x07a", "a"),
    (b"\x1b]8;;http://x/\x1b\\link\x1b]8;;\x1b\\", "link"),
    (b"\x1b]52;c;AAAA\xc2\x9cb", "b"),
    (b"\x1bPq#0\x1b\\a\x1b_x\x07b\x1b^y\x07c\x1bXz\x07d", "abcd"),
    ("\x1b]0;✓ done\x07a".as_bytes(), "a"),
    // Ones that have no end, or another sequence in them.
    (b"\x1b]0;no end\nnext\n", "\nnext\n"),
    (b"\x1b]0;t\x1b[1ma", "a"),
    (b"\x1b[12\na", "\na"),
    (b"\x1b[1\x1b[2ma", "a"),
    (b"a\x1b", "a"),
    (b"a\x1b[1", "a"),
    // Character sets, keypad modes, save and restore.
    (b"\x1b(B\x1b=\x1b7a\x1b8\x1b%Gb", "ab"),
    // C1 in UTF-8, and the bytes alone.
    (b"\xc2\x9b1ma\xc2\x9d0;t\x07b\xc2\x85c", "abc"),
    (b"\x9b1m", "\u{fffd}1m"),
    // Progress on one line, and lines that end in both characters.
    (b" 10%\r 50%\r100%\ndone\n", "100%\ndone\n"),
    (b"100%\r", "100%"),
    (b"a\r\nb\r\r\nc\r\n", "a\nb\nc\n"),
    (b"keep\nold\r\x1b[Knew", "keep\nnew"),
    // Backspaces: overstriking, erasing, a spinner.
    (b"N\x08NA\x08AME\n", "NAME\n"),
    (b"_\x08a\xc3\xa9\x08e\n", "ae\n"),
    (b"abc\x08 \x08d", "abd"),
    (b"|\x08/\x08-\x08", "-"),
    (b"a\n\x08\x08b", "a\nb"),
    // Controls that part things stay to be seen; those that only ring or shift do not.
    (b"a\0b\0", "a\u{2400}b\u{2400}"),
    (b"a\x07b\x0e\x0fc\x7f\x0c", "abc\u{2421}\u{240c}"),
    // What is no UTF-8.
    (b"\xff\xfeok", "\u{fffd}\u{fffd}ok"),
    (b"a\xe2\x82", "a\u{fffd}"),
    (b"a\xe2\x82\nb", "a\u{fffd}\nb"),
    (b"\xe2\x82\xac\xc2\xa0\xf0\x9f\x98\x80", "€\u{a0}😀"),
];

#[test]
fn a07_escapes_progress_and_encoding() {
    for (input, expected) in CASES {
        assert_eq!(clean(&[input]), *expected, "{:?}", String::from_utf8_lossy(input));
    }
}

#[test]
fn a07_pieces_may_be_cut_anywhere() {
    for (input, expected) in CASES {
        let bytes: Vec<&[u8]> = input.chunks(1).collect();
        assert_eq!(clean(&bytes), *expected, "{:?}", String::from_utf8_lossy(input));
    }
}

#[test]
fn taking_the_front_keeps_characters_whole_and_the_line_open() {
    let mut cleaner = Cleaner::default();
    cleaner.push("éé\nabc".as_bytes());
    assert_eq!(cleaner.take_front(7), "é");
    assert_eq!(cleaner.take_front(2), "é\na");
    cleaner.push(b"\rX\n");
    assert_eq!(cleaner.text(), "X\n");
}

proptest! {
    #[test]
    fn any_bytes_become_harmless_text_however_they_are_cut(
        bytes in prop::collection::vec(
            prop_oneof![
                any::<u8>(),
                prop::sample::select(b"\x1b[]\\;m\r\n\x08\x07\xc2\x9b\x9c\xe2\x82ab".to_vec()),
            ],
            0..200,
        ),
        cut in 0_usize..200,
    ) {
        let whole = clean(&[&bytes]);
        let (front, rest) = bytes.split_at(cut.min(bytes.len()));
        prop_assert_eq!(&clean(&[front, rest]), &whole);
        let is_harmless = |character: char| {
            !character.is_control() || character == '\n' || character == '\t'
        };
        prop_assert!(whole.chars().all(is_harmless), "{:?}", whole);
    }
}
