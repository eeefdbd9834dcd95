//! Widths, clipping and wrapping, by tables and for any text.

use super::wrap::{Break, wrap};
use super::*;
use proptest::prelude::*;

fn rows(text: &str, columns: usize, at: Break) -> Vec<String> {
    let line = Line::plain(text.to_owned());
    wrap(&line, columns, &[], at).iter().map(|row| row.text().trim_end().to_owned()).collect()
}

#[test]
fn widths_are_those_that_a_user_sees() {
    for (text, expected) in [
        ("", 0),
        ("abc", 3),
        ("größer", 6),
        ("e\u{301}", 1),
        ("漢字", 4),
        ("🦀", 2),
        ("👩‍👩‍👧‍👦", 2),
        ("🇨🇭", 2),
        ("\u{200b}", 0),
    ] {
        assert_eq!(width::of(text), expected, "{text:?}");
    }
}

#[test]
fn prose_breaks_between_words() {
    assert_eq!(rows("one two three", 7, Break::Words), ["one two", "three"]);
    assert_eq!(rows("one  two", 4, Break::Words), ["one", "two"]);
    assert_eq!(rows("abcdefgh ij", 3, Break::Words), ["abc", "def", "gh", "ij"]);
    assert_eq!(rows("漢字漢字", 5, Break::Words), ["漢字", "漢字"]);
    assert_eq!(rows("", 5, Break::Words), [""]);
}

#[test]
fn code_breaks_at_the_edge_and_goes_on() {
    let line = Line::plain("let x = 12;");
    let rows = wrap(&line, 4, &[], Break::Anywhere);
    let texts: Vec<String> = rows.iter().map(Line::text).collect();
    assert_eq!(texts, ["let ", "x = ", "12;"]);
    assert_eq!(rows.iter().map(|row| row.continues).collect::<Vec<_>>(), [true, true, false]);
}

#[test]
fn an_indent_stands_before_each_further_row() {
    let line = Line::plain("- one two three four");
    let rows = wrap(&line, 10, &[Span::plain("  ")], Break::Words);
    let texts: Vec<String> = rows.iter().map(|row| row.text().trim_end().to_owned()).collect();
    assert_eq!(texts, ["- one two", "  three", "  four"]);
}

#[test]
fn a_clipped_line_says_that_it_is() {
    for (columns, expected) in [(6, "abcdef"), (5, "abcd…"), (1, "…"), (0, "")] {
        assert_eq!(Line::plain("abcdef").clipped(columns).text(), expected);
    }
    assert_eq!(Line::plain("漢字漢字").clipped(4).text(), "漢…");
}

proptest! {
    #[test]
    fn a33_no_row_is_wider_than_the_screen(text in "\\PC{0,60}", columns in 1usize..30, words: bool) {
        let at = if words { Break::Words } else { Break::Anywhere };
        let line = Line::from(Span::foreign(&text, Style::PLAIN));
        for row in wrap(&line, columns, &[Span::plain("  ")], at) {
            prop_assert!(row.width() <= columns, "{row:?}");
        }
        prop_assert!(line.clipped(columns).width() <= columns);
    }

    #[test]
    fn wrapping_loses_nothing_but_blanks(text in "[a-z漢🦀 ]{0,60}", columns in 2usize..30) {
        let line = Line::plain(text.clone());
        let all: String = wrap(&line, columns, &[], Break::Words).iter().map(Line::text).collect();
        let letters = |text: &str| text.replace(' ', "");
        prop_assert_eq!(letters(&all), letters(&text));
    }
}
