//! What is offered for which text, and what keys make of it.

use super::*;
use crate::keys::Code;
use proptest::prelude::*;

fn commands() -> Vec<CommandInfo> {
    [
        ("help", "", "lists the commands"),
        ("model", "[NAME]", "shows or sets the model"),
        ("memory", "", "what is remembered"),
        ("memory:clear", "", "forgets it"),
        ("resume", "[N]", "goes to an earlier session"),
        ("skill:review", "[MESSAGE]", "reviews a change"),
    ]
    .map(|(name, arguments, help)| CommandInfo {
        name: name.to_owned(),
        arguments: arguments.to_owned(),
        help: help.to_owned(),
        kind: letscode_wire::CommandKind::default(),
    })
    .into()
}

fn completion() -> Completion {
    let mut completion = Completion::new(Arc::new(Keymap::default()));
    completion.set_commands(commands());
    completion
}

fn files(names: &[&str]) -> Vec<String> {
    names.iter().map(ToString::to_string).collect()
}

/// Looks at a text in which `|` is the caret.
fn update(completion: &mut Completion, text: &str) -> Option<String> {
    let caret = text.find('|').unwrap_or(text.len());
    completion.update(&text.replace('|', ""), caret)
}

fn tab(completion: &mut Completion, text: &str) -> Tab {
    let caret = text.find('|').unwrap_or(text.len());
    completion.tab(&text.replace('|', ""), caret)
}

fn press(completion: &mut Completion, key: &str) -> CompletionOutcome {
    completion.key(key.parse().expect(key))
}

fn shown(completion: &mut Completion) -> String {
    let rows = completion.view(50, 8);
    let rows: Vec<String> = rows.iter().map(|row| row.text().trim_end().to_owned()).collect();
    rows.join("\n")
}

/// Returns a text after a change to it.
fn changed(text: &str, edit: &Edit) -> String {
    let mut text = text.replace('|', "");
    text.replace_range(edit.range.clone(), &edit.text);
    text
}

#[test]
fn commands_are_offered_as_they_are_typed() {
    let mut completion = completion();
    assert_eq!(update(&mut completion, "/"), None);
    insta::assert_snapshot!(shown(&mut completion), @r"
    /help    lists the commands
    /model   [NAME]  shows or sets the model
    /memory  what is remembered
    /resume  [N]  goes to an earlier session
    ");
    update(&mut completion, "/me");
    insta::assert_snapshot!(shown(&mut completion), @r"
    /memory        what is remembered
    /memory:clear  forgets it
    /model         [NAME]  shows or sets the model
    /resume        [N]  goes to an earlier session
    ");
    update(&mut completion, "/rev");
    assert_eq!(shown(&mut completion).trim(), "/skill:review  [MESSAGE]  reviews a change");
    for text in ["/model x", "/usr/bin", "say /he", "/zzz", "\n/he", ""] {
        update(&mut completion, text);
        assert!(!completion.is_open(), "{text}");
    }
}

#[test]
fn enter_takes_what_is_new_and_else_is_for_sending() {
    let mut completion = completion();
    update(&mut completion, "/mo");
    let CompletionOutcome::Accept(edit) = press(&mut completion, "enter") else { panic!("taken") };
    assert_eq!(changed("/mo", &edit), "/model ");
    assert!(!completion.is_open());
    update(&mut completion, "/model ");
    assert!(!completion.is_open());

    update(&mut completion, "/model");
    assert!(completion.is_open());
    assert_eq!(press(&mut completion, "enter"), CompletionOutcome::NotMine);
    update(&mut completion, "/he");
    let CompletionOutcome::Accept(edit) = press(&mut completion, "tab") else { panic!("taken") };
    assert_eq!(changed("/he", &edit), "/help");
    update(&mut completion, "/help");
    assert!(!completion.is_open(), "what was taken is not offered again");
    assert_eq!(press(&mut completion, "enter"), CompletionOutcome::NotMine);
    update(&mut completion, "/hel");
    assert!(completion.is_open(), "until it says something else");
}

#[test]
fn escape_closes_for_this_word_only() {
    let mut completion = completion();
    update(&mut completion, "/m");
    assert_eq!(press(&mut completion, "esc"), CompletionOutcome::Changed);
    assert!(!completion.is_open());
    assert_eq!(press(&mut completion, "esc"), CompletionOutcome::NotMine, "now it stops a run");
    update(&mut completion, "/mo");
    assert!(!completion.is_open());
    completion.close();
    update(&mut completion, "/m");
    assert!(completion.is_open(), "the next text begins");
    press(&mut completion, "esc");
    update(&mut completion, "");
    update(&mut completion, "/m");
    assert!(completion.is_open());
    assert_eq!(press(&mut completion, "ctrl+c"), CompletionOutcome::NotMine);
    assert_eq!(press(&mut completion, "home"), CompletionOutcome::NotMine);
}

#[test]
fn arrows_go_round() {
    let mut completion = completion();
    update(&mut completion, "/me");
    press(&mut completion, "down");
    let CompletionOutcome::Accept(edit) = press(&mut completion, "tab") else { panic!("taken") };
    assert_eq!(edit.text, "/memory:clear");
    update(&mut completion, "");
    update(&mut completion, "/me");
    press(&mut completion, "up");
    let CompletionOutcome::Accept(edit) = press(&mut completion, "tab") else { panic!("taken") };
    assert_eq!(edit.text, "/resume ");
}

#[test]
fn files_are_asked_for_and_offered() {
    let mut completion = completion();
    assert_eq!(update(&mut completion, "see @ma"), Some("ma".to_owned()));
    assert!(!completion.is_open());
    assert_eq!(completion.found("m", files(&["other"])), None, "an answer to another question");
    assert!(!completion.is_open());
    assert_eq!(completion.found("ma", files(&["src/main.rs", "my notes/max.txt", "man/"])), None);
    insta::assert_snapshot!(shown(&mut completion), @r"
    src/main.rs
    my notes/max.txt
    man/
    ");
    assert_eq!(update(&mut completion, "see @max"), Some("max".to_owned()));
    assert_eq!(shown(&mut completion).trim(), "my notes/max.txt", "until the answer is there");
    completion.found("max", files(&["my notes/max.txt"]));
    let CompletionOutcome::Accept(edit) = press(&mut completion, "enter") else { panic!("taken") };
    assert_eq!(changed("see @max", &edit), "see @\"my notes/max.txt\" ");
}

#[test]
fn names_with_blanks_are_completed_within_their_quotes() {
    let mut completion = completion();
    let text = "see @\"my no|, then";
    assert_eq!(update(&mut completion, text), Some("my no".to_owned()));
    completion.found("my no", files(&["my notes/"]));
    let CompletionOutcome::Accept(edit) = press(&mut completion, "tab") else { panic!("taken") };
    let text = changed(text, &edit);
    assert_eq!(text, "see @\"my notes/, then");
    let asked = update(&mut completion, "see @\"my notes/|, then");
    assert_eq!(asked, Some("my notes/".to_owned()), "a folder is gone on with");
}

#[test]
fn marks_within_words_begin_no_file() {
    let mut completion = completion();
    for (text, expected) in [
        ("me@example.org", None),
        ("@a b", None),
        ("@\"a\" b", None),
        ("(@a", Some("a")),
        ("x\n@a", Some("a")),
        ("@a| b", Some("a")),
        ("@a|bc", None),
        ("!git diff @", None),
        ("@", Some("")),
    ] {
        update(&mut completion, "");
        assert_eq!(update(&mut completion, text).as_deref(), expected, "{text}");
    }
}

#[test]
fn paths_are_completed_where_it_is_asked_for() {
    let mut completion = completion();
    for (text, asked, found, expected) in [
        ("!cat sr|", "sr", "src/", "!cat src/"),
        ("!cat my\\ n|", "my n", "my notes.txt", "!cat my\\ notes.txt "),
        ("!!ls|", "ls", "ls.txt", "!!ls.txt "),
        ("!a >o| b", "o", "out", "!a >out b"),
        ("/export /tmp/x|", "/tmp/x", "/tmp/x.html", "/export /tmp/x.html "),
        ("/export my|", "my", "my file", "/export \"my file\" "),
        ("look at src/m|", "src/m", "src/main.rs", "look at src/main.rs "),
    ] {
        update(&mut completion, "");
        assert_eq!(update(&mut completion, text), None, "{text}");
        assert_eq!(tab(&mut completion, text), Tab::Ask(asked.to_owned()));
        let edit = completion.found(asked, files(&[found])).expect(text);
        assert_eq!(changed(text, &edit), expected);
    }
    assert_eq!(tab(&mut completion, ""), Tab::Nothing);
    assert_eq!(tab(&mut completion, "say "), Tab::Nothing);
}

#[test]
fn several_paths_are_a_choice_and_none_is_nothing() {
    let mut completion = completion();
    let text = "!cat a";
    update(&mut completion, text);
    tab(&mut completion, text);
    assert_eq!(completion.found("a", files(&["ab", "ac"])), None);
    assert!(completion.is_open());
    assert_eq!(update(&mut completion, "!cat ac"), Some("ac".to_owned()));
    assert!(completion.is_open());
    update(&mut completion, "!cat ac ");
    assert!(!completion.is_open(), "the next word is not asked for");
    tab(&mut completion, "!cat zz");
    assert_eq!(completion.found("zz", Vec::new()), None);
    assert!(!completion.is_open());
}

#[test]
fn tab_completes_the_only_command() {
    let mut completion = completion();
    update(&mut completion, "/hel");
    let Tab::Accept(edit) = tab(&mut completion, "/hel") else { panic!("the only one") };
    assert_eq!(edit.text, "/help");
    update(&mut completion, "");
    assert_eq!(tab(&mut completion, "/m"), Tab::Changed);
}

#[test]
fn a48_names_of_files_are_harmless_on_the_screen_and_exact_in_the_text() {
    let mut completion = completion();
    update(&mut completion, "@e");
    completion.found("e", files(&["e\u{1b}[2J\u{202e}x"]));
    assert_eq!(shown(&mut completion).trim(), "e[2J<U+202E>x");
    let CompletionOutcome::Accept(edit) = press(&mut completion, "tab") else { panic!("taken") };
    assert_eq!(edit.text, "@e\u{1b}[2J\u{202e}x ");
}

proptest! {
    #[test]
    fn a33_any_text_and_keys_keep_rows_within_the_screen_and_changes_within_the_text(
        text in "[/@!\"a-c \n漢\\\\:]{0,20}",
        names in proptest::collection::vec("\\PC{0,30}", 0..12),
        keys in proptest::collection::vec(0..6usize, 0..10),
        columns in 1..200usize,
    ) {
        let mut completion = completion();
        let codes =
            [Code::Up, Code::Down, Code::PageDown, Code::Tab, Code::Enter, Code::Escape];
        for caret in (0..=text.len()).filter(|at| text.is_char_boundary(*at)) {
            let asked = completion.update(&text, caret).or(match completion.tab(&text, caret) {
                Tab::Ask(query) => Some(query),
                _ => None,
            });
            if let Some(query) = asked {
                completion.found(&query, names.clone());
            }
            for key in &keys {
                if let CompletionOutcome::Accept(edit) = completion.key(Key::new(codes[*key])) {
                    prop_assert!(text.get(edit.range).is_some());
                }
                let rows = completion.view(columns, 8);
                prop_assert!(rows.len() <= 8);
                prop_assert!(rows.iter().all(|row| row.width() <= columns));
            }
        }
    }
}

/// Presses keys as a front end passes them on, and returns what was sent.
fn drive(keys: &str) -> Option<String> {
    let mut completion = completion();
    let mut composer = Composer::default();
    composer.set_history(files(&["/help", "/model x"]));
    for key in keys.split_whitespace() {
        let key: Key = key.parse().expect(key);
        match completion.key(key) {
            CompletionOutcome::Accept(edit) => composer.replace(edit.range, &edit.text),
            CompletionOutcome::Changed => continue,
            CompletionOutcome::NotMine => {
                if let crate::composer::Outcome::Send(submission) = composer.key(key) {
                    return Some(submission.text);
                }
            }
        }
        if let Some(query) = completion.follow(&composer) {
            let mut found = files(&["src/", "src/main.rs"]);
            found.retain(|file| file.contains(&query));
            completion.found(&query, found);
        }
    }
    None
}

#[test]
fn composer_and_completion_work_together() {
    for (keys, expected) in [
        ("/ h e l p enter", "/help"),
        ("/ h e enter enter", "/help"),
        ("/ m o enter x enter", "/model x"),
        ("/ m o esc enter", "/mo"),
        ("/ r e backspace backspace backspace h i enter", "hi"),
        ("@ m a i n enter o k enter", "@src/main.rs ok"),
        ("up up enter", "/model x"),
        ("up left left enter", "/help"),
        ("/ h e l p left left right enter", "/help"),
        ("/ m m backspace o tab x enter", "/model x"),
        ("a space @ s r c tab down enter enter", "a @src/main.rs "),
    ] {
        assert_eq!(drive(keys).as_deref(), Some(expected), "{keys}");
    }
}
