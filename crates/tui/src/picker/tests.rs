//! Lists by keys, and as they look.

use super::*;
use crate::keys::Code;
use proptest::prelude::*;
use std::time::{Duration, Instant};

fn picker(labels: &[&str]) -> Picker<usize> {
    let items = labels.iter().enumerate();
    Picker::new("Pick", items.map(|(number, label)| Item::new(number, *label)).collect())
}

fn press(picker: &mut Picker<usize>, keys: &str) -> PickerOutcome<usize> {
    let mut outcome = PickerOutcome::Nothing;
    for key in keys.split_whitespace() {
        outcome = picker.key(key.parse().expect(key));
    }
    outcome
}

fn shown(picker: &mut Picker<usize>, columns: usize, max_rows: usize) -> String {
    let rows: Vec<String> = picker
        .view(columns, max_rows)
        .0
        .iter()
        .map(|row| row.text().trim_end().to_owned())
        .collect();
    rows.join("\n")
}

#[test]
fn typing_narrows_and_enter_chooses_the_best() {
    let mut picker = picker(&["gpt-4o", "deepseek-chat", "deepseek-reasoner", "glm-4.6"]);
    assert_eq!(press(&mut picker, "d s r"), PickerOutcome::Changed);
    insta::assert_snapshot!(shown(&mut picker, 40, 9), @r"
    Pick: dsr                         1 of 4
    > deepseek-reasoner
    ");
    assert_eq!(press(&mut picker, "enter"), PickerOutcome::Chosen(2));
    press(&mut picker, "ctrl+u z z");
    assert_eq!(press(&mut picker, "enter"), PickerOutcome::Nothing);
    insta::assert_snapshot!(shown(&mut picker, 40, 9), @r"
    Pick: zz                          0 of 4
      nothing matches
    ");
    assert_eq!(press(&mut picker, "esc"), PickerOutcome::Cancelled);
}

#[test]
fn keys_move_the_mark_round_the_ends() {
    let labels: Vec<String> = (0..40).map(|number| format!("row {number}")).collect();
    let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
    let mut picker = picker(&labels);
    picker.view(40, 6);
    for (keys, expected) in [
        ("down down", 2),
        ("ctrl+p", 1),
        ("up up", 39),
        ("ctrl+n", 0),
        ("pagedown", 5),
        ("end", 39),
        ("pageup", 34),
        ("home", 0),
    ] {
        press(&mut picker, keys);
        picker.view(40, 6);
        assert_eq!(picker.marked(), Some(&expected), "{keys}");
    }
}

#[test]
fn the_marked_row_is_always_seen() {
    let labels: Vec<String> = (0..9).map(|number| format!("row {number}")).collect();
    let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
    let mut picker = picker(&labels);
    press(&mut picker, "end");
    insta::assert_snapshot!(shown(&mut picker, 30, 4), @r"
    Pick:                        9
      row 6
      row 7
    > row 8
    ");
    press(&mut picker, "up up up");
    insta::assert_snapshot!(shown(&mut picker, 30, 4), @r"
    Pick:                        9
    > row 5
      row 6
      row 7
    ");
}

#[test]
fn details_stand_in_a_column_and_groups_have_headings() {
    let items = vec![
        Item::new(0, "gpt-4o").detail("128k  $2.50").group("openai"),
        Item::new(1, "gpt-4o-mini").detail("128k  $0.15").group("openai"),
        Item::new(2, "deepseek-chat").detail("64k").group("deepseek").quiet(),
    ];
    let mut picker = Picker::new("Model", items)
        .with_search(Search::Ordered)
        .with_hint("Enter takes, Esc closes");
    insta::assert_snapshot!(shown(&mut picker, 50, 12), @r"
    Model:                                           3
    openai
    > gpt-4o         128k  $2.50
      gpt-4o-mini    128k  $0.15
    deepseek
      deepseek-chat  64k
      Enter takes, Esc closes
    ");
    press(&mut picker, "2 . 5");
    assert_eq!(press(&mut picker, "enter"), PickerOutcome::Chosen(0), "details are searched too");
}

#[test]
fn a_tree_keeps_its_order_and_its_lines() {
    let items = vec![
        Item::new(0, "first").guide(""),
        Item::new(1, "answer one").guide("├─ "),
        Item::new(2, "answer two").guide("└─ "),
    ];
    let mut picker = Picker::new("Tree", items).with_search(Search::Ordered);
    picker.mark(&2);
    insta::assert_snapshot!(shown(&mut picker, 30, 12), @r"
    Tree:                        3
      first
      ├─ answer one
    > └─ answer two
    ");
    press(&mut picker, "n e");
    assert_eq!(press(&mut picker, "enter"), PickerOutcome::Chosen(1));
}

#[test]
fn rows_may_come_later_and_the_chosen_one_stays_chosen() {
    let mut picker = picker(&["a", "b", "c"]);
    press(&mut picker, "down down");
    picker.set_items(vec![Item::new(7, "new"), Item::new(2, "c"), Item::new(1, "b")]);
    assert_eq!(picker.marked(), Some(&2));
    picker.set_items(vec![Item::new(7, "new")]);
    assert_eq!(picker.marked(), Some(&7));
    picker.set_items(Vec::new());
    assert_eq!(picker.marked(), None);
    assert_eq!(press(&mut picker, "down up pagedown enter"), PickerOutcome::Nothing);
}

#[test]
fn keys_of_the_app_come_back_with_the_marked_row() {
    let delete = Key::char('d').ctrl();
    let mut picker = picker(&["a", "b"]).with_extra_keys([delete]);
    press(&mut picker, "down");
    assert_eq!(picker.key(delete), PickerOutcome::Key(delete, Some(1)));
    let tab = Key::new(Code::Tab);
    assert_eq!(picker.key(tab), PickerOutcome::Key(tab, Some(1)));
}

#[test]
fn a_remote_list_asks_and_does_not_narrow() {
    let mut picker = picker(&["a", "b"]).with_search(Search::Remote);
    assert_eq!(press(&mut picker, "x"), PickerOutcome::Query("x".to_owned()));
    assert_eq!(picker.paste("y\nz"), PickerOutcome::Query("xy z".to_owned()));
    assert_eq!(press(&mut picker, "left"), PickerOutcome::Changed);
    assert_eq!(press(&mut picker, "enter"), PickerOutcome::Chosen(0));
}

#[test]
fn a48_foreign_labels_are_harmless() {
    let mut picker = picker(&["evil\u{1b}[2J\u{202e}\nname"]);
    insta::assert_snapshot!(shown(&mut picker, 40, 9), @r"
    Pick:                                  1
    > evil[2J<U+202E> name
    ");
}

#[test]
fn a_query_that_goes_on_or_goes_back_matches_what_a_new_one_does() {
    let labels = ["model", "mode", "dome", "module", "Modem", "xm odel"];
    let mut walked = picker(&labels);
    for keys in ["m", "o", "d", "backspace", "d", "e", "l", "backspace", "backspace", "u"] {
        press(&mut walked, keys);
        let mut fresh = picker(&labels);
        fresh.paste(walked.query());
        assert_eq!(walked.filter.matching(), fresh.filter.matching(), "{:?}", walked.query());
    }
}

#[test]
fn ten_thousand_rows_are_narrowed_at_once() {
    let items = (0..10_000).map(|number| Item::new(number, format!("session number {number}")));
    let mut picker = Picker::new("Resume", items.collect());
    let begun = Instant::now();
    press(&mut picker, "s e s 9 9 9 9");
    assert!(picker.view(80, 20).0.len() <= 16);
    assert_eq!(picker.marked(), Some(&9_999));
    assert!(begun.elapsed() < Duration::from_secs(20), "hangs");
}

proptest! {
    #[test]
    fn a33_rows_fit_whatever_the_size(
        labels in proptest::collection::vec("\\PC{0,40}", 0..12),
        keys in proptest::collection::vec(0..10usize, 0..20),
        columns in 1..200usize,
        max_rows in 0..12usize,
        grouped in any::<bool>(),
    ) {
        let items = labels.iter().enumerate().map(|(number, label)| {
            let item = Item::new(number, label.clone()).detail(label.clone()).guide("│ ");
            if number % 3 == 0 { item.group("group").quiet() } else { item }
        });
        let search = if grouped { Search::Ordered } else { Search::Best };
        let mut picker = Picker::new("Titel", items.collect())
            .with_search(search)
            .with_hint("what else there is to say");
        let names =
            ["up", "down", "pageup", "pagedown", "end", "home", "a", "漢", "backspace", "left"];
        for key in keys {
            press(&mut picker, names[key]);
            let (rows, cursor) = picker.view(columns, max_rows);
            prop_assert!(rows.len() <= max_rows);
            for row in &rows {
                prop_assert!(row.width() <= columns, "{:?} at {}", row, columns);
            }
            if let Some(cursor) = cursor {
                prop_assert!(cursor.row < rows.len() && cursor.column < columns);
            }
            if max_rows > 1 && picker.marked().is_some() && columns > 2 {
                prop_assert!(rows.iter().any(|row| row.text().starts_with("> ")));
            }
        }
    }
}
