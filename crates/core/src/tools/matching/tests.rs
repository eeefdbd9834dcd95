//! Tests of finding the text to replace.

use super::*;
use proptest::prelude::*;

/// Returns the new text and what was forgiven.
fn edit(text: &str, old: &str, new: &str, count: Count) -> Result<(String, Vec<Forgiven>), Miss> {
    let found = find(text.as_bytes(), old, new, count)?;
    let (bytes, _) = apply(text.as_bytes(), &found);
    Ok((String::from_utf8(bytes).unwrap(), found.forgiven))
}

#[track_caller]
fn check(text: &str, old: &str, new: &str, expected: &str, forgiven: &[Forgiven]) {
    let edited = edit(text, old, new, Count::One);
    assert_eq!(edited, Ok((expected.to_owned(), forgiven.to_vec())), "{old:?} in {text:?}");
}

#[track_caller]
fn misses(text: &str, old: &str, new: &str) -> Miss {
    find(text.as_bytes(), old, new, Count::One).unwrap_err()
}

use Forgiven::{Indentation, LineEndings, LineNumbers, TrailingWhitespace, Typography};

#[test]
fn a09_only_the_matched_span_is_replaced() {
    let text = "a “b” – c  \nd’s \te\u{a0}f  \n“last”";
    check(
        text,
        "\"b\" - c\nd's",
        "X",
        "a X \te\u{a0}f  \n“last”",
        &[TrailingWhitespace, Typography],
    );
    check(text, "e f", "X", "a “b” – c  \nd’s \tX  \n“last”", &[Typography]);
    check(text, "\"last\"", "'x'", "a “b” – c  \nd’s \te\u{a0}f  \n'x'", &[Typography]);
    check("say 'a'", "say ‘a’", "say ‘b’", "say ‘b’", &[Typography]);
}

#[test]
fn a10_crlf() {
    check("a\r\nb\r\nc", "a\nb", "1\n2", "1\r\n2\r\nc", &[LineEndings]);
    check("a\nb\nc", "a\r\nb", "1\r\n2", "1\n2\nc", &[LineEndings]);
    check("a\r\nb\r\n", "b", "x\ny", "a\r\nx\r\ny\r\n", &[]);
    check("a\r\nb\r\n", "\nb", "\nx", "a\r\nx\r\n", &[LineEndings]);
    check("a\r\nb\r\n", "a\n", "", "b\r\n", &[LineEndings]);
    check("a\r\nb\r\n", "b\r\n", "x\n", "a\r\nx\r\n", &[]);
    check("a\nb\n", "b\n", "b\r\n", "a\nb\r\n", &[]);
    check("a\rb\nc", "a\rb", "x\ry", "x\ry\nc", &[]);
}

#[test]
fn a10_mixed_endings_stay_line_by_line() {
    let text = "a\nb\r\nc\nd\r\n";
    check(text, "a\nb\nc\nd", "a\nB\nc\nd", "a\nB\r\nc\nd\r\n", &[LineEndings]);
    check(text, "c", "x\ny", "a\nb\r\nx\ny\nd\r\n", &[]);
    check(text, "d", "x\ny", "a\nb\r\nc\nx\r\ny\r\n", &[]);
}

#[test]
fn a10_places_that_only_differ_in_endings_are_several() {
    let text = "a\nb\n\na\r\nb\r\n";
    let several = Miss::Several { lines: vec![1, 4], forgiven: vec![LineEndings] };
    assert_eq!(misses(text, "a\nb", "x"), several);
    let edited = edit(text, "a\nb", "x\ny", Count::All).unwrap();
    assert_eq!(edited.0, "x\ny\n\nx\r\ny\r\n");
}

#[test]
fn a11_the_final_newline_stays_as_it_is() {
    check("a\nb", "b", "c", "a\nc", &[]);
    check("a\nb", "b\n", "c\n", "a\nc", &[TrailingWhitespace]);
    check("a\r\nb", "a\nb\n", "a\nc\n", "a\r\nc", &[LineEndings, TrailingWhitespace]);
    check("a\nb\n", "b\n", "c\n", "a\nc\n", &[]);
    check("a\n  b", "b\n", "c\nd\n", "a\n  c\nd", &[TrailingWhitespace]);
}

#[test]
fn a12_bytes_that_are_not_utf8() {
    let text = b"caf\xE9 = 1\r\nna\xEFf = 2\r\n";
    let found = find(text, "= 2\n", "= 3\n", Count::One).unwrap();
    assert_eq!(apply(text, &found).0, b"caf\xE9 = 1\r\nna\xEFf = 3\r\n");
    let refused = Err(Miss::NotUtf8 { offset: 3 });
    assert_eq!(find(text, "= 2", "= “3”", Count::One), refused);
    assert_eq!(find(text, "café", "x", Count::One), refused);
}

#[test]
fn a12_half_a_character_is_never_a_match() {
    // In Shift-JIS the second byte of this character is a backslash.
    let text = b"\x95\x5Cn; a\\n";
    let found = find(text, "\\n", "|", Count::All).unwrap();
    assert_eq!(apply(text, &found).0, b"\x95\x5Cn; a|");
    let inside = Err(Miss::InsideCharacter { lines: vec![1] });
    assert_eq!(find(b"\x95\x5Cn", "\\n", "|", Count::One), inside);
}

#[test]
fn a17_trailing_white_space() {
    check("a \t\nb\n", "a\nb", "x\ny", "x\ny\n", &[TrailingWhitespace]);
    check("a\nb  \n", "a  \nb", "x\ny", "x\ny  \n", &[TrailingWhitespace]);
    check("foo\nfoot\n", "foo \n", "x\n", "x\nfoot\n", &[TrailingWhitespace]);
    check("foot\nfoo\n", "foo ", "x", "foot\nx\n", &[TrailingWhitespace]);
    check("a\n\nb", "a\n  \nb", "c", "c", &[TrailingWhitespace]);
    check("x\nb\n\nb", "  \nb", "c", "x\nb\nc", &[TrailingWhitespace]);
}

#[test]
fn a17_blanks_at_the_end_of_old_are_never_taken_from_inside_a_line() {
    assert_eq!(misses("football\n", "foot ", "x"), Miss::Nowhere);
    assert_eq!(misses("return1;", "return ", "x"), Miss::Nowhere);
    assert_eq!(misses("a\nb", "   \nb", "x"), Miss::Nowhere);
}

#[test]
fn a17_indentation_as_a_block() {
    let text = "class A:\n    def f(self):\n        return 1\n";
    check(
        text,
        "def f(self):\n    return 1\n",
        "def f(self):\n    x = 2\n\n    return x\n",
        "class A:\n    def f(self):\n        x = 2\n\n        return x\n",
        &[Indentation],
    );
    check("\tif a {\n\t\tb\n\t}\n", "  if a {\n    b\n  }", "  c", "\tc\n", &[Indentation]);
    check(
        "if a:\r\n  b \r\n",
        "    if a:\n      b\n",
        "    c\n    d\n",
        "c\r\nd\r\n",
        &[LineEndings, TrailingWhitespace, Indentation],
    );
}

#[test]
fn a17_line_numbers_are_taken_off() {
    let text = "def f():\n    return 1\n";
    check(
        text,
        "     1\tdef f():\n     2\t    return 1",
        "     1\tdef f():\n     2\t    return 2",
        "def f():\n    return 2\n",
        &[LineNumbers],
    );
    check(text, "2:     return 1", "    return 3", "def f():\n    return 3\n", &[LineNumbers]);
    let old = "     1\tdef f():\n     2\t    return 1";
    assert_eq!(misses(text, old, "     1\tdef g():\n    return 2"), Miss::NumberedReplacement);
    assert_eq!(
        misses("a\na\n", "1\ta", "b"),
        Miss::Several { lines: vec![1, 2], forgiven: vec![LineNumbers] }
    );
}

#[test]
fn a17_numbers_that_may_be_text_do_not_lead_astray() {
    assert_eq!(misses("404 found\n", "1\tfound", "x"), Miss::Nowhere, "only whole lines");
    assert_eq!(misses("x\nfound\n", "1: found", "x"), Miss::Nowhere, "not at that line");
    check("x\nfound\n", "2: found", "2: y", "x\ny\n", &[LineNumbers]);
    check("x\nfound\n", "1\tfound\n", "1: y\n", "x\n1: y\n", &[LineNumbers]);
}

#[test]
fn a18_matches_are_counted_with_overlaps_and_lines() {
    let several = |lines: &[usize]| Miss::Several { lines: lines.to_vec(), forgiven: Vec::new() };
    assert_eq!(misses("aaa", "aa", "b"), several(&[1, 1]));
    assert_eq!(misses("x\ny\nx\n\nx", "x", "z"), several(&[1, 3, 5]));
    assert_eq!(edit("aaa", "aa", "b", Count::All), Ok(("ba".to_owned(), vec![])));
    assert_eq!(edit("x\ny\nx", "x", "zz", Count::All), Ok(("zz\ny\nzz".to_owned(), vec![])));
}

#[test]
fn a18_counting_ends_somewhere() {
    let text = "a".repeat(100_000);
    let Miss::Several { lines, .. } = misses(&text, &"a".repeat(50_000), "b") else { panic!() };
    assert_eq!(lines.len(), COUNT_LIMIT + 1);
}

#[test]
fn a18_what_must_be_forgiven_must_be_one_place() {
    let several = |lines: &[usize], forgiven: &[Forgiven]| Miss::Several {
        lines: lines.to_vec(),
        forgiven: forgiven.to_vec(),
    };
    for count in [Count::One, Count::All] {
        let miss = |text: &str, old: &str| find(text.as_bytes(), old, "x", count).unwrap_err();
        assert_eq!(miss("“a”\n‘’\n“a”", "\"a\""), several(&[1, 3], &[Typography]));
        assert_eq!(miss("a \nb\na  \nb", "a\nb"), several(&[1, 3], &[TrailingWhitespace]));
        assert_eq!(miss("\ta\n\tb\n a\n b", "a\nb"), several(&[1, 3], &[Indentation]));
    }
}

#[test]
fn an_exact_place_beats_a_like_one() {
    check("“a”\n\"a\"", "\"a\"", "x", "“a”\nx", &[]);
    check("a \nb\na\nb", "a\nb", "x", "a \nb\nx", &[]);
}

#[test]
fn white_space_alone_is_never_forgiven() {
    assert_eq!(misses("a\u{a0}b\n\n", " \n", "x"), Miss::Nowhere);
    assert_eq!(misses("a\tb", "  ", "x"), Miss::Nowhere);
}

/// Texts and old texts that often match exactly, often laxly and often not at all.
fn texts() -> impl Strategy<Value = (String, String, String)> {
    let piece = prop::sample::select(vec![
        "a", "b", "ab", " ", "  ", "\t", "\n", "\n", "\r\n", "“", "\"", "–", "-", "\u{a0}", "é",
        "1\t",
    ]);
    let text = |most| prop::collection::vec(piece.clone(), 1..most).prop_map(|it| it.concat());
    (text(40), text(6), text(6))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    /// Whatever matches, and however: all bytes outside the matches are in the result as before.
    #[test]
    fn a09_no_byte_outside_a_match_changes((text, old, new) in texts(), all in any::<bool>()) {
        let count = if all { Count::All } else { Count::One };
        let Ok(found) = find(text.as_bytes(), &old, &new, count) else { return Ok(()) };
        let (bytes, places) = apply(text.as_bytes(), &found);
        prop_assert_eq!(places.len(), found.spans.len());
        let outside = |bytes: &[u8], spans: &[Range<usize>]| {
            let mut pieces = Vec::new();
            let mut from = 0;
            for span in spans {
                pieces.push(bytes[from..span.start].to_vec());
                from = span.end;
            }
            pieces.push(bytes[from..].to_vec());
            pieces
        };
        prop_assert_eq!(outside(text.as_bytes(), &found.spans), outside(&bytes, &places));
        prop_assert!(String::from_utf8(bytes).is_ok());
    }

    /// A difference is only forgiven where nothing matches exactly, and then at one place.
    #[test]
    fn a18_forgiven_means_one_place((text, old, new) in texts(), all in any::<bool>()) {
        let count = if all { Count::All } else { Count::One };
        let exact = text.matches(&old).count();
        match find(text.as_bytes(), &old, &new, count) {
            Ok(found) if found.forgiven.is_empty() => prop_assert!(exact >= 1),
            Ok(found) if found.forgiven == [LineEndings] => {
                prop_assert!(all || found.spans.len() == 1);
            }
            Ok(found) => {
                prop_assert_eq!(found.spans.len(), 1);
                // A lone LF of a CRLF is no match of its own.
                prop_assert!(exact == 0 || text.contains("\r\n"));
            }
            Err(Miss::Several { lines, .. }) => prop_assert!(lines.len() > 1),
            Err(_) => prop_assert!(exact == 0 || text.contains("\r\n")),
        }
    }

    /// In a file with LF only, one exact place is replaced as a string replacement would.
    #[test]
    fn a19_an_exact_edit_is_byte_exact(before in "[a-c\n]{0,30}", after in "[a-c\n]{0,30}", new in "[x\n]{0,9}") {
        let text = format!("{before}OLD\nOLD{after}");
        let edited = edit(&text, "OLD\nOLD", &new, Count::One).unwrap();
        prop_assert_eq!(edited, (format!("{before}{new}{after}"), vec![]));
    }

    /// A block that is indented otherwise as a whole is found, and keeps its new indentation.
    #[test]
    fn a17_any_shift_of_a_block(
        depth in 1usize..4,
        lines in prop::collection::vec((0usize..3, "[a-z]{1,4}"), 0..4),
    ) {
        // With one level alone the width of a tab would be anybody's guess.
        let edges = [(0, "first".to_owned()), (1, "second".to_owned())];
        let lines: Vec<_> = edges.into_iter().chain(lines).collect();
        let block = |indent: usize, unit: &str| -> String {
            let line = |(level, word): &(usize, String)| {
                format!("{}{word};\n", unit.repeat(level + indent))
            };
            lines.iter().map(line).collect()
        };
        for (there, old_unit) in [("\t", "    "), ("    ", "\t"), ("  ", "  "), ("\t", "\t")] {
            let text = format!("{{\n{}}}\n", block(depth, there));
            let old = block(0, old_unit);
            let edited = edit(&text, &old, &format!("{old}new;\n"), Count::One);
            let new = format!("{}{}new;\n", block(depth, there), there.repeat(depth));
            prop_assert_eq!(edited, Ok((format!("{{\n{new}}}\n"), vec![Indentation])));
        }
    }
}
