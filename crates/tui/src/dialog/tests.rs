//! Questions by keys and by lines.

use super::*;
use crate::picker::Item;
use proptest::prelude::*;

fn confirm(default: bool) -> Confirm {
    Confirm::new(Arc::default(), "Trust this folder?", "It has plugins:\n\u{1b}[2Jx", default)
}

fn texts(rows: &[Line]) -> String {
    let rows: Vec<String> = rows.iter().map(|row| row.text().trim_end().to_owned()).collect();
    rows.join("\n")
}

#[test]
fn yes_or_no_by_keys() {
    for (default, keys, expected) in [
        (false, "y", DialogOutcome::Answer(true)),
        (true, "N", DialogOutcome::Answer(false)),
        (true, "enter", DialogOutcome::Answer(true)),
        (true, "right enter", DialogOutcome::Answer(false)),
        (false, "tab up enter", DialogOutcome::Answer(false)),
        (true, "esc", DialogOutcome::Cancelled),
        (true, "ctrl+c", DialogOutcome::Cancelled),
        (true, "x", DialogOutcome::Nothing),
    ] {
        let mut confirm = confirm(default);
        let mut outcome = DialogOutcome::Nothing;
        for key in keys.split(' ') {
            outcome = confirm.key(key.parse().expect(key));
        }
        assert_eq!(outcome, expected, "{keys}");
    }
}

#[test]
fn letters_mean_nothing_to_a_question_without_them() {
    let mut confirm = confirm(false).without_letters();
    for (key, expected) in [
        ("y", DialogOutcome::Nothing),
        ("n", DialogOutcome::Nothing),
        ("Y", DialogOutcome::Nothing),
        ("left", DialogOutcome::Changed),
        ("enter", DialogOutcome::Answer(true)),
    ] {
        assert_eq!(confirm.key(key.parse().expect(key)), expected, "{key}");
    }
    assert!(texts(&confirm.view(60, 9)).contains("arrows choose, Enter answers"));
}

#[test]
fn a_question_is_shown_with_its_answers() {
    insta::assert_snapshot!(texts(&confirm(true).view(40, 9)), @r"
    Trust this folder?
    It has plugins:
    [2Jx
       Yes   No   y, n or Enter
    ");
    insta::assert_snapshot!(texts(&confirm(true).view(40, 2)), @r"
    Trust this folder?
       Yes   No   y, n or Enter
    ");
}

#[test]
fn a_line_is_typed_and_edited() {
    let mut input = Input::new(Arc::default(), "Name", "", "old");
    for key in ["ctrl+a", "a", "ctrl+k", "漢"] {
        assert_eq!(input.key(key.parse().expect(key)), DialogOutcome::Changed, "{key}");
    }
    input.paste("b\nc");
    let (rows, cursor) = input.view(40, 9);
    insta::assert_snapshot!(texts(&rows), @r"
    Name
    > a漢b c
    ");
    assert_eq!(cursor, Some(Cursor { row: 1, column: 8 }));
    let enter = "enter".parse().expect("a key");
    assert_eq!(input.key(enter), DialogOutcome::Answer("a漢b c".to_owned()));
    let escape = "esc".parse().expect("a key");
    assert_eq!(input.key(escape), DialogOutcome::Cancelled);
}

#[test]
fn a_long_line_is_seen_around_its_caret() {
    let input = Input::new(Arc::default(), "Name", "", "0123456789");
    let (rows, cursor) = input.view(9, 9);
    insta::assert_snapshot!(texts(&rows), @r"
    Name
    > 456789
    ");
    assert_eq!(cursor, Some(Cursor { row: 1, column: 8 }));
}

#[test]
fn a40_lists_are_numbered_where_there_is_no_terminal() {
    let items = vec![
        Item::new(1, "gpt-4o").detail("128k").group("openai"),
        Item::new(2, "gpt-4o-mini").group("openai"),
        Item::new(3, "GLM\u{1b}[2J").group("zai"),
    ];
    insta::assert_snapshot!(numbered("Models", &items).join("\n"), @r"
    Models
    openai
    1  gpt-4o  128k
    2  gpt-4o-mini
    zai
    3  GLM[2J
    ");
    for (answer, expected) in [
        ("1", Some(1)),
        (" 3\n", Some(3)),
        ("gpt-4o", Some(1)),
        ("gpt-4o-m", Some(2)),
        ("glm", Some(3)),
        ("gpt", None),
        ("0", None),
        ("4", None),
        ("", None),
    ] {
        let chosen = numbered_answer(&items, answer).map(|item| item.value);
        assert_eq!(chosen, expected, "{answer:?}");
    }
}

#[test]
fn a40_yes_or_no_by_a_line() {
    assert_eq!(confirm_prompt("Go on?", false), "Go on? [y/N] ");
    for (line, expected) in
        [("\n", Some(false)), ("YES", Some(true)), (" n ", Some(false)), ("maybe", None)]
    {
        assert_eq!(confirm_line(line, false), expected, "{line:?}");
    }
}

proptest! {
    #[test]
    fn a33_questions_fit_whatever_the_size(
        title in "\\PC{0,40}",
        body in "[a-z 漢\n\t]{0,60}",
        columns in 1..200usize,
        max_rows in 1..9usize,
    ) {
        let confirm = Confirm::new(Arc::default(), title.clone(), body.clone(), true);
        let input = Input::new(Arc::default(), title, body.clone(), &body);
        let (rows, cursor) = input.view(columns, max_rows);
        let cursor = cursor.expect("a caret");
        prop_assert!(cursor.row < rows.len() && cursor.column < columns);
        for rows in [rows, confirm.view(columns, max_rows)] {
            prop_assert!(!rows.is_empty() && rows.len() <= max_rows);
            prop_assert!(rows.iter().all(|row| row.width() <= columns), "{:?}", rows);
        }
    }
}
