//! The form of the file, torn and huge ones, and what is not kept.

use super::*;
use tempfile::TempDir;

const TIME: &str = "2026-11-30 15:05:42.643495";

fn history(content: impl AsRef<[u8]>) -> (TempDir, PromptHistory) {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("history");
    std::fs::write(&path, content).unwrap();
    (folder, PromptHistory::new(path))
}

#[test]
fn entries_are_read_whatever_is_torn() {
    for (content, expected) in [
        (&b""[..], &[][..]),
        (b"\n# 2026-11-30 15:05:42.6\n+one\n\n# t\n+two\n+lines\n", &["two\nlines", "one"]),
        (b"\n# t\n+a\n\n# t\n+a\n\n# t\n+b\n\n# t\n+a\n", &["a", "b", "a"]),
        (b"\n# t\n+torn", &["torn"]),
        (b"\n# t\n+a\n\n# 20", &["a"]),
        (b"+no head\n+two", &["no head\ntwo"]),
        (b"\n# t\n+a\n# t\n+b\n", &["b", "a"]),
        (b"\n# t\n+\xff\xfe\n", &["\u{fffd}\u{fffd}"]),
        (b"\n# t\n+a\n+\n++b\n", &["a\n\n+b"]),
        (b"\n# t\n+\n", &[]),
        (b"\0\0\0\n# t\n+a\n", &["a"]),
    ] {
        let (_folder, history) = history(content);
        let shown = String::from_utf8_lossy(content);
        assert_eq!(history.newest(100).unwrap(), expected, "{shown:?}");
    }
}

#[test]
fn what_is_added_is_read_back_and_appended_behind_a_torn_end() {
    let (_folder, history) = history("\n# t\n+torn");
    for text in ["one", "two\nlines\n", "# no head", "+plus", "größer 🦀"] {
        history.add(text, TIME).unwrap();
        assert_eq!(history.newest(1).unwrap(), [text]);
    }
    assert_eq!(history.newest(100).unwrap().len(), 6);
    let content = std::fs::read_to_string(&history.path).unwrap();
    let first = format!("\n# t\n+torn\n# {TIME}\n+one\n\n# {TIME}\n+two\n+lines\n+\n");
    assert!(content.starts_with(&first), "{content}");
}

#[test]
fn a_repeat_an_empty_and_an_overlong_entry_are_not_kept() {
    let (_folder, history) = history("\n# t\n+a\n");
    let before = std::fs::read(&history.path).unwrap();
    for text in ["a", "", " \n\t", &"x".repeat(LONGEST_ENTRY + 1)] {
        history.add(text, TIME).unwrap();
    }
    assert_eq!(std::fs::read(&history.path).unwrap(), before);
}

#[test]
fn of_a_huge_file_only_whole_entries_at_the_end_are_read() {
    let entry = |number: usize| format!("\n# t\n+{number}\n+{}\n", "x".repeat(1000));
    let content: String = (0..3000).map(entry).collect();
    let (_folder, history) = history(content);
    let newest = history.newest(usize::MAX).unwrap();
    assert!((900..1100).contains(&newest.len()), "{}", newest.len());
    for (entry, number) in newest.iter().zip((0..3000).rev()) {
        assert_eq!(*entry, format!("{number}\n{}", "x".repeat(1000)));
    }
    assert_eq!(history.newest(2).unwrap().len(), 2);
}

#[test]
fn a_file_that_is_one_entry_larger_than_the_tail_has_nothing_to_read() {
    let lines = "+a line of the entry\n".repeat(100_000);
    let (_folder, history) = history(format!("\n# t\n{lines}"));
    assert!(history.newest(10).unwrap().is_empty());
}

#[test]
fn a_missing_file_is_empty_and_a_folder_in_its_place_is_told() {
    let folder = TempDir::new().unwrap();
    let missing = PromptHistory::new(folder.path().join("none/history"));
    assert!(missing.newest(10).unwrap().is_empty());
    missing.add("a", TIME).unwrap();
    assert_eq!(missing.newest(10).unwrap(), ["a"]);
    assert!(PromptHistory::new(folder.path().to_owned()).newest(10).is_err());
}

#[cfg(unix)]
#[test]
fn a50_the_file_is_private() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = TempDir::new().unwrap();
    let history = PromptHistory::new(folder.path().join("new/history"));
    history.add("a", TIME).unwrap();
    assert_eq!(history.path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
}
