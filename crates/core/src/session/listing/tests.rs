//! Order, choice and size.

use super::*;
use crate::session::tests::{SAMPLE, user_line};
use std::fs;
use std::time::Duration;
use tempfile::TempDir;

/// Returns a folder with sessions of these ids, the first the oldest.
fn folder(ids: &[&str]) -> TempDir {
    let folder = TempDir::new().unwrap();
    for (age, id) in ids.iter().enumerate() {
        let path = folder.path().join(format!("{id}.jsonl"));
        fs::write(&path, user_line(None, &format!("about {id}"))).unwrap();
        set_time(&path, age as u64);
    }
    folder
}

fn set_time(path: &Path, seconds: u64) {
    let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000 + seconds);
    File::options().append(true).open(path).unwrap().set_modified(time).unwrap();
}

fn listed(folder: &TempDir) -> Vec<(String, Option<String>)> {
    let sessions = list(folder.path(), Scope::Project).unwrap();
    sessions.into_iter().map(|session| (session.id.to_string(), session.label)).collect()
}

#[test]
fn sessions_are_listed_newest_first_with_their_labels() {
    let folder = folder(&["01a", "01b", "01c"]);
    fs::write(folder.path().join("01a.name"), "Given name\n").unwrap();
    set_time(&folder.path().join("01b.jsonl"), 9);
    let label = |text: &str| Some(text.to_owned());
    assert_eq!(
        listed(&folder),
        [
            ("01b".to_owned(), label("about 01b")),
            ("01c".to_owned(), label("about 01c")),
            ("01a".to_owned(), label("Given name")),
        ]
    );
    assert_eq!(most_recent(folder.path()).unwrap(), folder.path().join("01b.jsonl"));
}

#[test]
fn of_the_same_time_the_one_made_last_is_first() {
    let folder = folder(&["01b", "01c", "01a"]);
    for id in ["01a", "01b", "01c"] {
        set_time(&folder.path().join(format!("{id}.jsonl")), 5);
    }
    let ids: Vec<String> = listed(&folder).into_iter().map(|(id, _)| id).collect();
    assert_eq!(ids, ["01c", "01b", "01a"]);
}

#[test]
fn only_sessions_with_something_in_them_are_listed() {
    let folder = folder(&["01a"]);
    fs::write(folder.path().join("01b.jsonl"), "").unwrap();
    fs::write(folder.path().join("01a.jsonl.torn"), "x").unwrap();
    fs::write(folder.path().join("01a.name"), "x").unwrap();
    fs::create_dir(folder.path().join("01c.jsonl")).unwrap();
    assert_eq!(listed(&folder).len(), 1);
}

#[test]
fn a_session_of_the_python_program_is_listed() {
    let folder = folder(&[]);
    fs::write(folder.path().join("01a.jsonl"), SAMPLE).unwrap();
    assert_eq!(listed(&folder)[0].1.as_deref(), Some("make app.py print 2"));
}

#[test]
fn a27_a_huge_session_is_listed_by_its_head() {
    let folder = folder(&["01a", "01b"]);
    let huge = folder.path().join("01a.jsonl");
    // Sparse: it takes no room, but reading it would take long.
    File::options().append(true).open(&huge).unwrap().set_len(1 << 36).unwrap();
    let long = user_line(None, &"word ".repeat(100_000));
    fs::write(folder.path().join("01b.jsonl"), long).unwrap();
    let labels: std::collections::HashMap<_, _> = listed(&folder).into_iter().collect();
    assert_eq!(labels["01a"].as_deref(), Some("about 01a"));
    assert_eq!(labels["01b"], None, "its first message is longer than the head");
}

#[test]
fn a27_many_sessions_are_listed() {
    let ids: Vec<String> = (0..2_000).map(|number| format!("01{number:06}")).collect();
    let folder = folder(&ids.iter().map(String::as_str).collect::<Vec<_>>());
    let listed: Vec<String> = listed(&folder).into_iter().map(|(id, _)| id).collect();
    assert!(listed.iter().eq(ids.iter().rev()));
}

#[test]
fn a_session_is_found_by_number_id_or_beginning() {
    let folder = folder(&["01aa", "01ab", "02c", "02c9", "9"]);
    let found = |query: &str| match find(folder.path(), query) {
        Ok(path) => path.file_stem().unwrap().to_str().unwrap().to_owned(),
        Err(error) => error.to_string(),
    };
    let of_many = "is the beginning of";
    for (query, expected) in [
        ("1", "9"),
        ("5", "01aa"),
        ("01ab", "01ab"),
        ("01AA", "01aa"),
        (" 01aa\n", "01aa"),
        ("02c", "02c"),
        ("02c9", "02c9"),
        ("9", "9"),
        ("6", "there is no session number 6: this directory has 5, 1 is the newest"),
        ("0", "there is no session number 0: this directory has 5, 1 is the newest"),
        ("01a", &format!("`01a` {of_many} 2 session ids: give more of it")),
        ("", &format!("`` {of_many} 5 session ids: give more of it")),
        ("7f", "no session of this directory has an id that begins with `7f`"),
        ("../01aa", "no session of this directory has an id that begins with `../01aa`"),
        ("é", "no session of this directory has an id that begins with `é`"),
    ] {
        assert_eq!(found(query), expected, "{query:?}");
    }
}

#[test]
fn a_directory_without_sessions_says_so() {
    let folder = TempDir::new().unwrap();
    let missing = folder.path().join("none");
    assert_eq!(list(&missing, Scope::Project).unwrap(), []);
    assert!(matches!(most_recent(&missing), Err(SessionError::NoSessions { .. })));
    assert!(matches!(find(folder.path(), "1"), Err(SessionError::NoSessions { .. })));
}
