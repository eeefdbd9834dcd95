//! Rows and the caret's place in them.

use super::*;

fn cursor(composer: &mut Composer, columns: usize) -> (usize, usize) {
    let cursor = composer.view(columns, 9).1;
    (cursor.row, cursor.column)
}

#[test]
fn rows_break_between_words_and_are_indented() {
    let mut composer = composer("the quick brown fox\n\njumps");
    assert_eq!(shown(&mut composer, 13, 9), ["> the quick ", "  brown fox", "  ", "  jumps"]);
}

#[test]
fn a38_the_caret_is_where_an_input_method_expects_it() {
    for (text, columns, expected) in [
        ("|", 40, (0, 2)),
        ("abc|", 40, (0, 5)),
        ("漢字|かな", 40, (0, 6)),
        ("e\u{301}|", 40, (0, 3)),
        ("👩‍👩‍👧‍👦|", 40, (0, 4)),
        ("\t|", 40, (0, 6)),
        ("a\n漢|", 40, (1, 4)),
        // A full row: 10 columns are 2 of the mark, 7 of text and the caret's own.
        ("1234567|", 10, (0, 9)),
        ("1234567|8", 10, (1, 2)),
        ("漢漢漢|", 10, (0, 8)),
        ("漢漢漢|漢", 10, (1, 2)),
        ("one two|", 10, (0, 9)),
        ("one two |", 10, (0, 9)),
        ("one two |x", 10, (1, 2)),
        ("漢|", 3, (0, 2)),
        ("漢|", 1, (0, 0)),
    ] {
        let mut composer = composer(text);
        assert_eq!(cursor(&mut composer, columns), expected, "{text:?} at {columns}");
    }
}

#[test]
fn up_and_down_keep_the_column_over_short_rows() {
    let mut composer = composer("one two\nx\nthree f|our");
    composer.view(40, 9);
    press(&mut composer, "up");
    assert_eq!(state(&composer), "one two\nx|\nthree four");
    press(&mut composer, "up");
    assert_eq!(state(&composer), "one two|\nx\nthree four");
    press(&mut composer, "down down");
    assert_eq!(state(&composer), "one two\nx\nthree f|our");
}

#[test]
fn up_and_down_go_by_rows_of_the_screen() {
    let mut composer = composer("aaaa bbbb cc|cc");
    composer.view(8, 9);
    press(&mut composer, "up");
    assert_eq!(state(&composer), "aaaa bb|bb cccc");
    press(&mut composer, "ctrl+p ctrl+n ctrl+n");
    assert_eq!(state(&composer), "aaaa bbbb cc|cc");
}

#[test]
fn more_rows_than_there_is_room_scroll_with_the_caret() {
    let mut composer = composer("1\n2\n3\n4\n5|");
    assert_eq!(shown(&mut composer, 20, 3), ["  3", "  4", "  5"]);
    press(&mut composer, "up up up");
    assert_eq!(shown(&mut composer, 20, 3), ["  2", "  3", "  4"]);
    press(&mut composer, "up");
    assert_eq!(shown(&mut composer, 20, 3), ["> 1", "  2", "  3"]);
    assert_eq!(composer.view(20, 3).1, Cursor { row: 0, column: 3 });
    press(&mut composer, "ctrl+end ctrl+u backspace backspace backspace ctrl+u");
    assert_eq!(shown(&mut composer, 20, 3), ["> 1", "  2", "  "]);
}

#[test]
fn an_empty_composer_says_what_it_is_for() {
    let mut composer = composer("");
    composer.set_placeholder("Ask anything");
    assert_eq!(shown(&mut composer, 40, 9), ["> Ask anything"]);
    assert_eq!(cursor(&mut composer, 40), (0, 2));
    assert_eq!(shown(&mut composer, 9, 9), ["> Ask a…"]);
    press(&mut composer, "x");
    assert_eq!(shown(&mut composer, 40, 9), ["> x"]);
}

#[test]
fn a48_characters_that_turn_text_are_spelled_out_but_sent_as_they_are() {
    let mut composer = composer("");
    composer.paste("a\u{202e}b");
    assert_eq!(shown(&mut composer, 40, 9), ["> a<U+202E>b"]);
    assert_eq!(composer.text(), "a\u{202e}b");
    for row in composer.view(40, 9).0 {
        assert_eq!(width::of(&row.text()), row.width());
    }
}
