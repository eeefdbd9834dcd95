//! Moving, deleting, cutting, taking back.

use super::*;

#[test]
fn keys_move_and_edit() {
    for (start, keys, expected) in [
        ("ab|c", "left", "a|bc"),
        ("a|bc", "ctrl+f ctrl+f ctrl+f ctrl+f", "abc|"),
        ("漢字|", "ctrl+b", "漢|字"),
        ("e\u{301}|", "left", "|e\u{301}"),
        ("👩‍👩‍👧‍👦|x", "backspace", "|x"),
        ("🇨🇭|🇩🇪", "backspace", "|🇩🇪"),
        ("one two|", "alt+b", "one |two"),
        ("one  two, |three", "ctrl+left", "one  |two, three"),
        ("|one two", "alt+f", "one| two"),
        ("one| two", "ctrl+right", "one two|"),
        ("a\nb|c\nd", "ctrl+a", "a\n|bc\nd"),
        ("a\nb|c\nd", "end", "a\nbc|\nd"),
        ("a\nb|c\nd", "ctrl+home", "|a\nbc\nd"),
        ("a\nb|c\nd", "alt+>", "a\nbc\nd|"),
        ("a|b", "ctrl+d", "a|"),
        ("a|b", "ctrl+h", "|b"),
        ("a|b", "ctrl+j", "a\n|b"),
        ("a|b", "alt+enter x", "a\nx|b"),
        ("a|b", "shift+enter", "a\n|b"),
        ("one t|wo\nx", "ctrl+k", "one t|\nx"),
        ("one|\nx", "ctrl+k", "one|x"),
        ("a\nb|c", "ctrl+u", "a\n|c"),
        ("a\n|c", "ctrl+u", "a|c"),
        ("one two|", "ctrl+w", "one |"),
        ("one two|", "alt+backspace alt+backspace", "|"),
        ("|one two", "alt+d", "| two"),
        ("one two|", "ctrl+w ctrl+y ctrl+y", "one twotwo|"),
        ("one two|", "ctrl+w ctrl+w ctrl+y", "one two|"),
        ("one two|", "ctrl+w ctrl+e ctrl+w ctrl+y", "one |"),
        ("one two|", "ctrl+w left ctrl+w ctrl+y alt+y", "two| "),
        ("a|", "alt+y", "a|"),
    ] {
        check(start, keys, expected);
    }
}

#[test]
fn typing_is_taken_back_word_by_word_and_made_again() {
    let mut composer = composer("");
    type_text(&mut composer, "one two");
    press(&mut composer, "ctrl+_");
    assert_eq!(state(&composer), "one |");
    press(&mut composer, "ctrl+/");
    assert_eq!(state(&composer), "|");
    press(&mut composer, "alt+_ alt+_ alt+_");
    assert_eq!(state(&composer), "one two|");
    press(&mut composer, "backspace backspace left backspace ctrl+_");
    assert_eq!(state(&composer), "one |t", "a caret that moved begins a step");
    press(&mut composer, "ctrl+_");
    assert_eq!(state(&composer), "one two|");
}

#[test]
fn typed_after_undo_forgets_what_was_undone() {
    let mut composer = composer("");
    type_text(&mut composer, "one two");
    press(&mut composer, "ctrl+_ x ctrl+alt+z");
    assert_eq!(state(&composer), "one x|");
}

#[test]
fn sequences_of_keys_are_waited_for() {
    let mut composer = composer("a|");
    assert_eq!(press(&mut composer, "ctrl+x"), Outcome::Nothing);
    assert_eq!(press(&mut composer, "ctrl+e"), Outcome::Action(Action::Editor));
    assert_eq!(press(&mut composer, "ctrl+x z"), Outcome::Nothing);
    assert_eq!(press(&mut composer, "z"), Outcome::Changed);
    assert_eq!(state(&composer), "az|");
    assert_eq!(press(&mut composer, "ctrl+x esc"), Outcome::Action(Action::Stop));
    assert_eq!(press(&mut composer, "ctrl+x ctrl+c"), Outcome::Action(Action::Interrupt));
}

#[test]
fn what_is_not_its_own_comes_back() {
    let mut composer = composer("");
    for (keys, expected) in [
        ("ctrl+d", Outcome::Action(Action::Exit)),
        ("enter", Outcome::Action(Action::Send)),
        ("esc", Outcome::Action(Action::Stop)),
        ("ctrl+c", Outcome::Action(Action::Interrupt)),
        ("tab", Outcome::Action(Action::Complete)),
        ("ctrl+q", Outcome::Action(Action::QueueFollowUp)),
        ("alt+up", Outcome::Action(Action::TakeBack)),
        ("ctrl+v", Outcome::Action(Action::PasteImage)),
        ("f5", Outcome::Unhandled(Key::new(Code::F(5)))),
    ] {
        assert_eq!(press(&mut composer, keys), expected, "{keys}");
    }
}

#[test]
fn enter_sends_and_empties() {
    let mut composer = composer("say\nhi|");
    let Outcome::Send(submission) = press(&mut composer, "enter") else { panic!("not sent") };
    assert_eq!(submission, Submission { text: "say\nhi".to_owned(), images: Vec::new() });
    assert!(composer.is_empty());
    press(&mut composer, "ctrl+_");
    assert!(composer.is_empty(), "what was sent is not taken back");
}

#[test]
fn the_whole_text_is_replaced_as_one_step() {
    let mut composer = composer("old te|xt");
    composer.set_text("new\r\ntext\u{1b}\n");
    assert_eq!(state(&composer), "new\ntext|");
    press(&mut composer, "ctrl+_");
    assert_eq!(state(&composer), "old te|xt");
}
