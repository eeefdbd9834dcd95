//! Labels and their files.

use super::*;
use crate::session::tests::{on_disk, user};

#[test]
fn a_label_is_the_first_words_on_one_line() {
    let long = "word ".repeat(30);
    for (text, expected) in [
        ("fix the  bug\nin main.rs", Some("fix the bug in main.rs")),
        ("", None),
        (" \n\t", None),
        ("a\u{1b}]0;x\u{7}b\u{9b}c\0d", Some("a ]0;x b c d")),
        (long.as_str(), Some("word word word word word word word word word word word word")),
        ("é", Some("é")),
    ] {
        assert_eq!(first_words(text).as_deref(), expected, "{text:?}");
    }
    let endless = "é".repeat(100);
    assert_eq!(first_words(&endless), Some("é".repeat(60)));
    assert_eq!(first_words(&format!("{endless} a")), Some("é".repeat(60)));
}

#[test]
fn a_label_is_written_once() {
    let (folder, session) = on_disk("");
    assert_eq!(read_label(&session), None);
    write_label_once(&session, "first").unwrap();
    write_label_once(&session, "second").unwrap();
    assert_eq!(read_label(&session).as_deref(), Some("first"));
    let names: Vec<_> = std::fs::read_dir(folder.path()).unwrap().collect();
    assert_eq!(names.len(), 2, "no temporary file is left over");
}

#[cfg(unix)]
#[test]
fn a_fifo_or_a_device_is_no_label() {
    let (_folder, session) = on_disk("");
    let label = label_path(&session);
    assert!(std::process::Command::new("mkfifo").arg(&label).status().unwrap().success());
    assert_eq!(read_label(&session), None);
    std::fs::remove_file(&label).unwrap();
    std::os::unix::fs::symlink("/dev/zero", &label).unwrap();
    assert_eq!(read_label(&session), None);
}

#[test]
fn only_a_users_words_make_a_label() {
    assert_eq!(label_of(&user("a", "do it")).as_deref(), Some("do it"));
    assert_eq!(label_of(&crate::session::tests::custom("a", "note", serde_json::json!({}))), None);
}

#[test]
fn a_label_is_made_of_what_was_typed() {
    let said = |typed: &str| {
        let mut message = (*user("a", "The user ran a command.")).clone();
        let Message::User(user) = &mut message else { panic!("a user's message") };
        user.meta.insert(letscode_wire::TYPED.to_owned(), typed.into());
        label_of(&message)
    };
    assert_eq!(said("!ls -l").as_deref(), Some("!ls -l"));
    assert_eq!(said(" \n").as_deref(), Some("The user ran a command."));
}
