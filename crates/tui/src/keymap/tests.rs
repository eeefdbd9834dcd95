//! The table against itself, and changes to it.

use super::*;
use std::collections::HashSet;

fn key(text: &str) -> Key {
    text.parse().expect(text)
}

fn changed(changes: &[(&str, &[&str])]) -> (Keymap, Vec<String>) {
    let owned: Vec<(String, Vec<String>)> = changes
        .iter()
        .map(|(name, keys)| (name.to_string(), keys.iter().map(ToString::to_string).collect()))
        .collect();
    Keymap::new(&owned)
}

#[test]
fn each_row_is_whole_and_no_key_is_bound_twice_in_a_context() {
    let mut names = HashSet::new();
    let mut bound = HashSet::new();
    for row in TABLE {
        assert!(names.insert(row.name), "{}", row.name);
        assert!(row.name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-'));
        assert!(!row.help.is_empty() && !row.keys.is_empty(), "{}", row.name);
        for text in row.keys {
            let keys = sequence(text).expect(text);
            assert_eq!(&written(&keys), text, "keys are written as they are shown");
            assert!(bound.insert((row.context, keys)), "{text} twice");
        }
    }
}

#[test]
fn the_nearest_context_decides() {
    let keymap = Keymap::default();
    let near = [Context::Empty, Context::Composer, Context::Everywhere];
    assert_eq!(keymap.find(&near, &[key("ctrl+d")]), Found::Action(Action::Exit));
    assert_eq!(keymap.find(&near[1..], &[key("ctrl+d")]), Found::Action(Action::DeleteForward));
    assert_eq!(keymap.find(&near, &[key("ctrl+t")]), Found::Action(Action::ToggleThinking));
    assert_eq!(keymap.find(&near, &[key("x")]), Found::Nothing);
}

#[test]
fn sequences_of_two_keys_wait_for_the_second() {
    let keymap = Keymap::default();
    let here = [Context::Composer];
    assert_eq!(keymap.find(&here, &[key("ctrl+x")]), Found::Prefix);
    assert_eq!(keymap.find(&here, &[key("ctrl+x"), key("ctrl+e")]), Found::Action(Action::Editor));
    assert_eq!(keymap.find(&here, &[key("ctrl+x"), key("a")]), Found::Nothing);
}

#[test]
fn a_change_takes_the_place_of_all_keys_of_the_action_and_of_the_same_keys_elsewhere() {
    let (keymap, warnings) =
        changed(&[("send", &["ctrl+j", "ctrl+x"]), ("undo", &["ctrl+x u"]), ("yank", &[""])]);
    assert!(warnings.is_empty(), "{warnings:?}");
    let here = [Context::Composer];
    assert_eq!(keymap.find(&here, &[key("ctrl+j")]), Found::Action(Action::Send));
    assert_eq!(keymap.find(&here, &[key("enter")]), Found::Nothing);
    assert_eq!(keymap.keys_of(Action::Newline), ["alt+enter", "shift+enter"]);
    assert_eq!(keymap.keys_of(Action::Editor), ["ctrl+g"], "its sequence began with ctrl+x");
    assert!(keymap.keys_of(Action::Yank).is_empty());
    let (keymap, _) = changed(&[("undo", &["ctrl+x u"])]);
    assert_eq!(keymap.find(&here, &[key("ctrl+x"), key("u")]), Found::Action(Action::Undo));
    assert_eq!(keymap.find(&here, &[key("ctrl+x"), key("ctrl+e")]), Found::Action(Action::Editor));
}

#[test]
fn a_change_is_not_hidden_by_the_same_key_nearer_by() {
    let (keymap, _) = changed(&[("unfold", &["ctrl+k"]), ("exit", &["ctrl+d"])]);
    let near = [Context::Composer, Context::Everywhere];
    assert_eq!(keymap.find(&near, &[key("ctrl+k")]), Found::Action(Action::Unfold));
    assert_eq!(keymap.find(&near, &[key("ctrl+d")]), Found::Action(Action::DeleteForward));
    let (keymap, _) = changed(&[("toggle-thinking", &["up"])]);
    assert_eq!(keymap.find(&[Context::Picker], &[key("up")]), Found::Action(Action::Previous));
}

#[test]
fn what_is_not_understood_is_one_line_each_and_changes_nothing() {
    let (keymap, warnings) = changed(&[
        ("delete", &["ctrl+d"]),
        ("zap", &["x"]),
        ("send", &["hyper+x"]),
        ("undo", &["a b c", "ctrl+u"]),
    ]);
    insta::assert_snapshot!(warnings.join("\n"), @r#"
    [keys] has no action "delete"; there is delete-back, delete-forward
    [keys] has no action "zap"
    [keys] send: "hyper+x" is no key: write it like ctrl+j, alt+enter, f2 or esc
    [keys] undo: "a b c" has more than two keys
    "#);
    assert_eq!(keymap.keys_of(Action::Send), ["enter"]);
    assert_eq!(keymap.keys_of(Action::Undo), ["ctrl+u"]);
}

#[test]
fn the_help_is_the_table() {
    let help = Keymap::default().help();
    let rows: usize = help.iter().map(|part| part.rows.len()).sum();
    assert_eq!(rows, TABLE.len());
    let working = help.iter().find(|part| part.context == Context::Working).expect("a part");
    assert_eq!(working.context.heading(), "While the agent works");
    assert_eq!(working.rows[2], ("alt+up".to_owned(), "take the last queued message back"));
}

#[test]
fn the_help_is_two_columns_of_which_the_first_is_narrow() {
    let text = Keymap::default().help_text();
    let rows = text.lines().filter_map(|line| line.strip_prefix("  "));
    let wide = rows.clone().filter(|row| !row.starts_with(' ')).map(|row| {
        let (keys, _) = row.split_once("  ").expect("two columns");
        assert!(keys.split(", ").count() <= 2, "{row:?}");
        keys.chars().count()
    });
    let width = wide.max().expect("a row");
    assert!(width <= 24, "{width} columns of keys");
    for row in rows {
        assert!(row[..width + 2].ends_with("  ") && !row[width + 2..].starts_with(' '), "{row:?}");
    }
}

#[test]
fn the_page_of_keys_is_the_table() {
    let mut expected = String::new();
    for part in Keymap::default().help() {
        expected.push_str(&format!("\n### {}\n\n", part.context.heading()));
        expected.push_str("| action | keys | what it does |\n|---|---|---|\n");
        for row in TABLE.iter().filter(|row| row.context == part.context) {
            let keys: Vec<String> = row.keys.iter().map(|keys| format!("`{keys}`")).collect();
            let keys = keys.join(", ");
            expected.push_str(&format!("| `{}` | {keys} | {} |\n", row.name, row.help));
        }
    }
    let page = include_str!("../../../../docs/keys.md");
    let (_, table) = page.split_once("<!-- the table of actions -->\n").expect("the mark");
    assert!(table == expected, "the table of docs/keys.md should be:\n{expected}");
}
