//! The history: walking and searching it.

use super::*;

fn with_history() -> Composer {
    let mut composer = Composer::default();
    composer
        .set_history(["newest", "two\nlines", "oldest"].iter().map(ToString::to_string).collect());
    composer
}

#[test]
fn up_and_down_walk_and_keep_the_draft() {
    let mut composer = with_history();
    type_text(&mut composer, "my draft");
    press(&mut composer, "left up");
    assert_eq!(state(&composer), "newest|");
    press(&mut composer, "up");
    assert_eq!(state(&composer), "two\nlines|");
    press(&mut composer, "up");
    assert_eq!(state(&composer), "two|\nlines", "a row first");
    press(&mut composer, "up up up");
    assert_eq!(state(&composer), "oldest|", "and no further");
    press(&mut composer, "down down down");
    assert_eq!(state(&composer), "newest|");
    press(&mut composer, "down");
    assert_eq!(state(&composer), "my draf|t");
    assert_eq!(press(&mut composer, "down"), Outcome::Nothing);
}

#[test]
fn a_changed_message_stays_changed_until_something_is_sent() {
    let mut composer = with_history();
    press(&mut composer, "up ! up ctrl+home down down");
    assert_eq!(state(&composer), "newest!|");
    press(&mut composer, "ctrl+_");
    assert_eq!(state(&composer), "newest|", "with changes of its own");
    press(&mut composer, "x up ! enter up");
    assert_eq!(state(&composer), "two\n!lines|");
    press(&mut composer, "up up");
    assert_eq!(state(&composer), "newest|");
}

#[test]
fn a_history_that_comes_late_moves_nobody() {
    let mut composer = with_history();
    type_text(&mut composer, "draft");
    press(&mut composer, "up");
    composer.set_history(vec!["other".to_owned()]);
    press(&mut composer, "down");
    assert_eq!(state(&composer), "draft|");
    press(&mut composer, "enter up up");
    assert_eq!(state(&composer), "other|");
}

#[test]
fn a_draft_comes_back_once_a_message_of_before_was_sent() {
    let mut composer = with_history();
    composer.paste(&"line\n".repeat(20));
    type_text(&mut composer, "draft");
    press(&mut composer, "up");
    let Outcome::Send(submission) = press(&mut composer, "enter") else { panic!("not sent") };
    assert_eq!(submission.text, "newest");
    assert_eq!(composer.text(), format!("{}draft", "line\n".repeat(20)));
    press(&mut composer, "ctrl+_ ctrl+_");
    assert!(composer.is_empty(), "with its changes");
}

#[test]
fn the_same_message_twice_is_one_entry() {
    let mut composer = with_history();
    type_text(&mut composer, "newest");
    press(&mut composer, "enter up up");
    assert_eq!(state(&composer), "two\nlines|");
}

#[test]
fn the_history_is_searched_in_a_list() {
    let mut composer = with_history();
    type_text(&mut composer, "draft");
    press(&mut composer, "ctrl+r l n");
    assert!(composer.is_searching());
    insta::assert_snapshot!(shown(&mut composer, 40, 9).join("\n"), @r"
    History: ln                       1 of 3
    > two lines
    ");
    press(&mut composer, "enter");
    assert!(!composer.is_searching());
    assert_eq!(state(&composer), "two\nlines|");
    press(&mut composer, "down down");
    assert_eq!(state(&composer), "draft|", "the draft waits below");
    press(&mut composer, "ctrl+r ctrl+r esc");
    assert_eq!(state(&composer), "draft|");
    assert_eq!(press(&mut composer, "ctrl+r ctrl+t"), Outcome::Action(Action::ToggleThinking));
    assert_eq!(press(&mut composer, "f5"), Outcome::Unhandled(Key::new(Code::F(5))));
    press(&mut composer, "ctrl+r enter");
    assert_eq!(state(&composer), "two\nlines|");
}
