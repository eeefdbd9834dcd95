//! The composer by keys: tables, rows as they are seen, and any sequence of keys.

mod editing;
mod folds;
mod recall;
mod rows;
mod vi_keys;

use super::*;
use crate::keys::Code;
use crate::text::width;
use proptest::prelude::*;

/// Returns a composer in which `|` in the text is the caret.
fn composer(text: &str) -> Composer {
    let mut composer = Composer::default();
    put(&mut composer, text);
    composer
}

fn put(composer: &mut Composer, text: &str) {
    let caret = text.find('|').unwrap_or(text.len());
    composer.buffer = Buffer::new(text.replace('|', ""));
    composer.buffer.move_to(caret);
}

/// Returns the text with `|` where the caret is.
fn state(composer: &Composer) -> String {
    let mut text = composer.edited().to_owned();
    text.insert(composer.caret(), '|');
    text
}

/// Presses keys, written as in a config, with blanks between them.
fn press(composer: &mut Composer, keys: &str) -> Outcome {
    let mut outcome = Outcome::Nothing;
    for key in keys.split_whitespace() {
        outcome = composer.key(key.parse().expect(key));
    }
    outcome
}

fn type_text(composer: &mut Composer, text: &str) {
    for character in text.chars() {
        let key = if character == '\n' { "ctrl+j".parse().unwrap() } else { Key::char(character) };
        composer.key(key);
    }
}

fn shown(composer: &mut Composer, columns: usize, max_rows: usize) -> Vec<String> {
    composer.view(columns, max_rows).0.iter().map(Line::text).collect()
}

fn check(start: &str, keys: &str, expected: &str) {
    let mut composer = composer(start);
    press(&mut composer, keys);
    assert_eq!(state(&composer), expected, "{keys} on {start:?}");
}

/// Letters that are commands somewhere, and characters that are hard to count.
const CHARACTERS: &str =
    "abcdefghijklnoprtuwxy_ 0239$^;,.ABCDEFGIOPSTWXY漢👩\u{200d}\u{301}🇨🇭\t\u{e01f0}";

/// Returns any key that a terminal can send.
fn any_key() -> impl Strategy<Value = Key> {
    let code = prop_oneof![
        5 => proptest::sample::select(CHARACTERS.chars().collect::<Vec<_>>()).prop_map(Code::Char),
        3 => proptest::sample::select(vec![
            Code::Backspace, Code::Delete, Code::Up, Code::Down, Code::Left, Code::Right,
            Code::Home, Code::End, Code::Tab, Code::Escape, Code::Enter, Code::PageUp,
        ]),
    ];
    (code, 0..6u8).prop_map(|(code, held)| match held {
        0 => Key::new(code).ctrl(),
        1 => Key::new(code).alt(),
        _ => Key::new(code),
    })
}

proptest! {
    #[test]
    fn a33_any_keys_keep_the_caret_between_characters_and_the_rows_within_the_screen(
        keys in proptest::collection::vec(any_key(), 0..80),
        pastes in proptest::collection::vec("[a-z\n漢\u{301}]{0,30}", 0..3),
        columns in 1..200usize,
        max_rows in 1..8usize,
        vi in any::<bool>(),
    ) {
        let mut composer = Composer::default().with_vi(vi);
        composer.set_history(vec!["one\ntwo".to_owned(), "drei 漢字".to_owned()]);
        for (number, key) in keys.iter().enumerate() {
            composer.key(*key);
            if let Some(paste) = pastes.get(number / 7).filter(|_| number % 7 == 3) {
                composer.paste(paste);
            }
            let caret = composer.caret();
            prop_assert_eq!(composer.buffer.border(caret), caret);
            let (rows, cursor) = composer.view(columns, max_rows);
            prop_assert!(!rows.is_empty() && rows.len() <= max_rows);
            for row in &rows {
                prop_assert!(row.width() <= columns, "{:?} at {}", row, columns);
            }
            prop_assert!(cursor.row < rows.len() && cursor.column < columns);
        }
    }

    #[test]
    fn a35_what_is_typed_and_pasted_is_sent_as_it_is(
        parts in proptest::collection::vec(("[ -~漢\u{301}👩\t]{0,9}", "[a-c \n漢\u{301}]{0,60}"), 0..6),
        columns in 1..60usize,
    ) {
        let mut composer = Composer::default();
        let mut expected = String::from("x");
        composer.key(Key::char('x'));
        for (typed, pasted) in parts {
            type_text(&mut composer, &typed);
            composer.paste(&pasted);
            composer.view(columns, 5);
            expected.push_str(&typed);
            expected.push_str(&pasted);
        }
        let images = Vec::new();
        prop_assert_eq!(composer.text(), expected.clone());
        prop_assert_eq!(
            composer.key(Key::new(Code::Enter)),
            Outcome::Send(Submission { text: expected, images })
        );
    }

    #[test]
    fn undoing_everything_gives_the_beginning_and_redoing_it_the_end(
        keys in proptest::collection::vec(any_key(), 0..60),
    ) {
        let mut composer = composer("the beg|inning");
        for key in keys {
            // What leaves the text for another one has changes of its own.
            let leaves = matches!(key.code, Code::Enter | Code::Up | Code::Down);
            if !leaves && key != Key::char('r').ctrl() {
                composer.key(key);
            }
        }
        while composer.buffer.redo() {}
        let end = composer.edited().to_owned();
        while composer.buffer.undo() {}
        prop_assert_eq!(composer.edited(), "the beginning");
        while composer.buffer.redo() {}
        prop_assert_eq!(composer.edited(), end);
    }
}
