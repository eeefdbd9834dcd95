//! What the model keeps of output, and of a change of its size.

use super::*;

#[test]
fn what_scrolls_away_stays_in_the_history() {
    let mut screen = Screen::new(10, 3);
    screen.feed(b"one\r\ntwo\r\nthree\r\nfour\r\nfive");
    assert_eq!(screen.rows(), ["three", "four", "five"]);
    assert_eq!(screen.history(), ["one", "two", "three", "four", "five"]);
    assert_eq!((screen.scrolled(), screen.cursor()), (2, (2, 4)));
    assert_eq!(screen.bytes(), b"one\r\ntwo\r\nthree\r\nfour\r\nfive");
}

#[test]
fn rows_that_wrapped_by_themselves_are_one_line() {
    let mut screen = Screen::new(5, 3);
    screen.feed(b"abcdefgh\r\nx\r\n12345\r\n6");
    assert_eq!(screen.history(), ["abcde", "fgh", "x", "12345", "6"]);
    assert_eq!(screen.lines(), ["abcdefgh", "x", "12345", "6"]);
}

#[test]
fn rows_are_wrapped_anew_where_the_terminal_does_that() {
    let mut screen = Screen::new(8, 4);
    screen.feed(b"one\r\nabcdefgh\r\nxyz123\r\n> \x1b[A\x1b[5G");
    assert_eq!(screen.cursor(), (2, 4));
    screen.reflow(4, 4);
    assert_eq!(screen.history(), ["one", "abcd", "efgh", "xyz1", "23", ">"]);
    assert_eq!(screen.rows()[screen.cursor().0], "23");
    assert_eq!(screen.cursor().1, 0);
    screen.reflow(8, 4);
    assert_eq!(screen.history(), ["one", "abcdefgh", "xyz123", ">"]);
    assert_eq!(screen.rows()[screen.cursor().0], "xyz123");
    assert_eq!(screen.cursor().1, 4);
}

#[test]
fn rows_are_cut_where_the_terminal_does_that() {
    let mut screen = Screen::new(8, 4);
    screen.feed(b"abcdefgh\r\nxy");
    screen.resize(4, 4);
    assert_eq!(screen.history(), ["abcd", "xy"]);
}

#[test]
fn rows_that_may_not_wrap_stay_rows() {
    let output = "ab\x1b[?7lcdefgh\r\n漢字漢\x1b[31mx\x1b[m\x1b[?7h\r\nabcdef".as_bytes();
    let mut whole = Screen::new(5, 4);
    whole.feed(output);
    assert_eq!(whole.rows(), ["abcdh", "漢  x", "abcde", "f"]);
    let mut torn = Screen::new(5, 4);
    output.chunks(1).for_each(|byte| torn.feed(byte));
    assert_eq!((torn.rows(), torn.cursor()), (whole.rows(), whole.cursor()));
}
