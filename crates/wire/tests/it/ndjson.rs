//! The line decoder: the same lines whatever the split, caps, blank lines, both line ends.

use letscode_wire::{DEFAULT_LINE_CAP, Decoder, LineError};
use proptest::prelude::*;

/// What a decoder gave.
#[derive(Debug, Clone, PartialEq)]
enum Given {
    Line(Vec<u8>),
    TooLong,
}

/// Feeds the pieces one by one and returns all that comes out, the end of the stream included.
fn decode<'a>(cap: usize, pieces: impl IntoIterator<Item = &'a [u8]>) -> Vec<Given> {
    let mut decoder = Decoder::new(cap);
    let mut given = Vec::new();
    for piece in pieces {
        decoder.push(piece);
        while let Some(line) = decoder.next_line() {
            given.push(name(line.map(<[u8]>::to_vec)));
        }
    }
    given.extend(decoder.finish().map(name));
    assert_eq!(decoder.finish(), None, "a stream ends once");
    given
}

fn name(line: Result<Vec<u8>, LineError>) -> Given {
    match line {
        Ok(line) => Given::Line(line),
        Err(LineError::TooLong { .. }) => Given::TooLong,
    }
}

fn line(text: &str) -> Given {
    Given::Line(text.as_bytes().to_vec())
}

#[test]
fn cuts_at_newlines_only() {
    let cases = [
        ("", vec![]),
        ("\n\n \t\n\r\n", vec![]),
        ("a\nb\n", vec![line("a"), line("b")]),
        ("a\r\nb\r\n", vec![line("a"), line("b")]),
        ("a\n\n\r\n  \nb\n", vec![line("a"), line("b")]),
        ("a\rb\n", vec![line("a\rb")]),
        (" a \n", vec![line(" a ")]),
        ("a\r\r\n", vec![line("a\r")]),
        ("a\u{2028}b\u{85}c\n", vec![line("a\u{2028}b\u{85}c")]),
        ("a\nb", vec![line("a"), line("b")]),
        ("a\nb\r", vec![line("a"), line("b")]),
        ("a\n  ", vec![line("a")]),
    ];
    for (stream, expected) in cases {
        assert_eq!(decode(100, [stream.as_bytes()]), expected, "{stream:?}");
    }
}

#[test]
fn bytes_that_are_no_text_are_passed_on() {
    assert_eq!(
        decode(9, [&b"\xff\xfe\n\0\n"[..]]),
        [Given::Line(b"\xff\xfe".to_vec()), Given::Line(b"\0".to_vec()),]
    );
}

#[test]
fn a_line_over_the_cap_is_reported_once_and_skipped_to_its_newline() {
    let cases = [
        ("abcd\n", vec![line("abcd")]),
        ("abcd\r\n", vec![line("abcd")]),
        ("abcde\n", vec![Given::TooLong]),
        ("abcde\r\nx\n", vec![Given::TooLong, line("x")]),
        ("abcdefghijkl\nx\nabcdef\ny", vec![Given::TooLong, line("x"), Given::TooLong, line("y")]),
        ("abcdefghijkl", vec![Given::TooLong]),
        ("abcd", vec![line("abcd")]),
    ];
    for (stream, expected) in cases {
        assert_eq!(decode(4, [stream.as_bytes()]), expected, "{stream:?} at once");
        assert_eq!(decode(4, stream.as_bytes().chunks(1)), expected, "{stream:?} byte by byte");
    }
}

#[test]
fn the_default_cap_is_64_mebibytes() {
    assert_eq!(DEFAULT_LINE_CAP, 67_108_864);
    let mut decoder = Decoder::default();
    let mut stream = vec![b'x'; DEFAULT_LINE_CAP + 1];
    stream.extend_from_slice(b"\nok\n");
    decoder.push(&stream);
    assert_eq!(decoder.next_line(), Some(Err(LineError::TooLong { cap: DEFAULT_LINE_CAP })));
    assert_eq!(decoder.next_line(), Some(Ok(&b"ok"[..])));
    assert_eq!(decoder.next_line(), None);
}

/// Streams that are full of line ends, so that every split falls near one.
fn streams() -> impl Strategy<Value = Vec<u8>> {
    let byte =
        prop_oneof![Just(b'\n'), Just(b'\r'), Just(b' '), Just(b'a'), Just(b'{'), Just(0xff)];
    proptest::collection::vec(byte, 0..60)
}

proptest! {
    #[test]
    fn any_split_gives_the_same_lines(
        stream in streams(),
        sizes in proptest::collection::vec(0_usize..7, 1..20),
        cap in 1_usize..12,
    ) {
        let mut pieces = Vec::new();
        let mut rest = stream.as_slice();
        for size in sizes.iter().cycle().take(200) {
            let (piece, behind) = rest.split_at((*size).min(rest.len()));
            pieces.push(piece);
            rest = behind;
        }
        pieces.push(rest);
        prop_assert_eq!(decode(cap, pieces), decode(cap, [stream.as_slice()]));
    }

    #[test]
    fn what_was_encoded_is_decoded(texts in proptest::collection::vec(".*", 0..8)) {
        let mut stream = Vec::new();
        for text in &texts {
            letscode_wire::encode_line(text, &mut stream)?;
        }
        let read: Result<Vec<String>, _> = decode(DEFAULT_LINE_CAP, stream.chunks(3))
            .iter()
            .map(|given| match given {
                Given::Line(line) => serde_json::from_slice(line),
                Given::TooLong => panic!("too long"),
            })
            .collect();
        prop_assert_eq!(read?, texts);
    }
}
