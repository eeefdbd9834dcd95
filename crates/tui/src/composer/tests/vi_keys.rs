//! The keys of vi.

use super::*;

fn check_vi(start: &str, keys: &str, expected: &str) {
    let mut composer = Composer::default().with_vi(true);
    put(&mut composer, start);
    composer.key(Key::new(Code::Escape));
    // Escape steps back; the table says where the caret is in normal mode.
    let caret = start.find('|').unwrap_or(start.len());
    composer.buffer.move_to(caret);
    press(&mut composer, keys);
    assert_eq!(state(&composer), expected, "{keys} on {start:?}");
}

#[test]
fn motions() {
    for (start, keys, expected) in [
        ("a|bc", "h h h", "|abc"),
        ("|abc", "l l l l", "ab|c"),
        ("|abcdef", "3 l", "abc|def"),
        ("a\n|b", "h", "a\n|b"),
        ("|one two.three", "w", "one |two.three"),
        ("|one two.three", "3 w", "one two.|three"),
        ("|one two.three x", "W W", "one two.three |x"),
        ("one two.thr|ee", "b b b", "one |two.three"),
        ("one two.thr|ee", "B", "one |two.three"),
        ("|one two", "e", "on|e two"),
        ("|one two.x y", "E E", "one two.|x y"),
        ("  one t|wo", "0", "|  one two"),
        ("  one t|wo", "^", "  |one two"),
        ("|one two", "$", "one tw|o"),
        ("a\nb\n|c", "g g", "|a\nb\nc"),
        ("|a\nb\nc", "G", "a\nb\n|c"),
        ("|a\nb\nc", "2 G", "a\n|b\nc"),
        ("|a.b.c", "f .", "a|.b.c"),
        ("|a.b.c", "2 f .", "a.b|.c"),
        ("|a.b.c", "f . ;", "a.b|.c"),
        ("|a.b.c", "f . ; ,", "a|.b.c"),
        ("|abc.", "t .", "ab|c."),
        ("a.bc|d", "F .", "a|.bcd"),
        ("a.bc|d", "T .", "a.|bcd"),
        ("|abc", "f z", "|abc"),
        ("ab|c\nx\nabc", "j j", "abc\nx\nab|c"),
        ("abc\nx\nab|c", "2 k", "ab|c\nx\nabc"),
    ] {
        check_vi(start, keys, expected);
    }
}

#[test]
fn operators() {
    for (start, keys, expected) in [
        ("|one two three", "d w", "|two three"),
        ("|one two three", "d 2 w", "|three"),
        ("|one two three four", "2 d w", "|three four"),
        ("one |two", "d w", "one| "),
        ("one |two\nx", "d w", "one| \nx"),
        ("|one two", "c w x", "x| two"),
        ("|a bc", "c w x", "x| bc"),
        ("one t|wo", "d 0", "|wo"),
        ("o|ne two", "D", "|o"),
        ("o|ne two", "d $", "|o"),
        ("|one two", "d e", "| two"),
        ("|a.b", "d f .", "|b"),
        ("|a.b", "d t .", "|.b"),
        ("a\n|b\nc", "d d", "a\n|c"),
        ("a\nb\n|c", "d d", "a\n|b"),
        ("|a\nb\nc", "2 d d", "|c"),
        ("|a\nb\nc", "d j", "|c"),
        ("a\nb\n|c", "d k", "|a"),
        ("|a\nb", "d G", "|"),
        ("|a\nb", "c c x", "x|\nb"),
        ("|a\nb", "S x esc", "|x\nb"),
        ("|abc", "x x", "|c"),
        ("|abc", "3 x", "|"),
        ("ab|c", "X", "a|c"),
        ("a|bc", "s x", "ax|c"),
        ("a|bc", "C x", "ax|"),
        ("a|bc", "r x", "a|xc"),
        ("|abc", "2 r x", "x|xc"),
        ("|abc\nd", "9 r x", "xx|x\nd"),
        ("|a\nb", "y y p", "a\n|a\nb"),
        ("|a\nb", "d d p", "b\n|a"),
        ("|a\nb", "Y P", "|a\na\nb"),
        ("|one two", "d w P", "one| two"),
        ("|ab", "x p", "b|a"),
        ("|one", "y e $ p", "oneon|e"),
        ("|abc", "x x u", "|bc"),
        ("|abc", "x x u u ctrl+r", "|bc"),
        ("|abc", "d esc x", "|bc"),
        ("|abc", "d z x", "|bc"),
    ] {
        check_vi(start, keys, expected);
    }
}

#[test]
fn ways_into_insert_mode() {
    for (keys, expected) in [
        ("i x", "  ax|b"),
        ("a x", "  abx|"),
        ("I x", "  x|ab"),
        ("A x", "  abx|"),
        ("o x", "  ab\nx|"),
        ("O x", "x|\n  ab"),
    ] {
        check_vi("  a|b", keys, expected);
    }
}

#[test]
fn the_mode_is_shown_and_escape_stops_only_from_normal_mode() {
    let mut composer = Composer::default().with_vi(true);
    type_text(&mut composer, "hjk");
    assert_eq!(shown(&mut composer, 20, 3), ["> hjk"]);
    assert_eq!(press(&mut composer, "esc"), Outcome::Changed);
    assert_eq!(shown(&mut composer, 20, 3), [": hjk"]);
    assert_eq!(press(&mut composer, "3 esc"), Outcome::Nothing);
    assert_eq!(press(&mut composer, "esc"), Outcome::Action(Action::Stop));
    assert!(matches!(press(&mut composer, "enter"), Outcome::Send(_)));
    assert_eq!(shown(&mut composer, 20, 3), ["> "], "the next message begins in insert mode");
}

#[test]
fn rows_above_the_first_are_the_history() {
    let mut composer = Composer::default().with_vi(true);
    composer.set_history(vec!["before".to_owned()]);
    type_text(&mut composer, "now");
    press(&mut composer, "esc k");
    assert_eq!(state(&composer), "befor|e");
    press(&mut composer, "j");
    assert_eq!(state(&composer), "no|w");
}
