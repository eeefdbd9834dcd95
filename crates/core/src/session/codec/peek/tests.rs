//! The look agrees with the full reading, and sees damage.

use super::super::read_head;
use super::*;
use crate::session::tests::{SAMPLE, line, user};
use proptest::prelude::*;

fn shown(head: Option<Head>) -> Option<String> {
    head.map(|head| format!("{head:?}"))
}

/// Checks a line that is whole.
fn check(line: &str) {
    let line = line.trim_end().as_bytes();
    assert_eq!(shown(peek_head(line)), shown(read_head(line)));
}

#[test]
fn the_lines_of_both_programs_need_no_full_reading() {
    check(&line(None, &user("a", "text \"with\" \\ \n{[")));
    check(&line(Some("parent"), &user("a", "]}é中😀\u{1}")));
    let is_custom = |line: &&str| line.contains(r#""role": "custom""#);
    let lines: Vec<&str> = SAMPLE.lines().filter(|line| !is_custom(line)).collect();
    assert!(lines.len() > 10);
    for line in lines {
        check(line);
    }
}

#[test]
fn another_way_of_writing_is_left_to_the_full_reading() {
    let usual = line(Some("p"), &user("a", "text"));
    for (from, to) in [
        (r#""_v":2"#, r#""_v":1"#),
        (r#""_v":2,"#, ""),
        (r#""role":"user""#, r#""role":"judge""#),
        (r#""id":"a""#, r#""id":"\u0061""#),
        (r#"{"_v""#, r#"{"more":1,"_v""#),
        ("\"timestamp\"", "\t\"timestamp\""),
    ] {
        let line = usual.replace(from, to);
        assert_ne!(line, usual, "{to}");
        assert!(peek_head(line.trim_end().as_bytes()).is_none(), "{to}");
    }
    let more = usual.trim_end().strip_suffix('}').unwrap().to_owned() + r#","more":1}"#;
    assert!(peek_head(more.as_bytes()).is_none() && read_head(more.as_bytes()).is_some());
}

proptest! {
    #[test]
    fn a24_no_damage_of_a_crash_passes(
        text in any::<String>(),
        parent in prop::option::of("[a-z]{1,4}"),
        cut in any::<prop::sample::Index>(),
        zeros in 1_usize..9,
    ) {
        let whole = line(parent.as_deref(), &user("a", &text));
        let whole = whole.trim_end().as_bytes();
        prop_assert!(peek_head(whole).is_some());
        let (before, behind) = whole.split_at(cut.index(whole.len()));
        prop_assert!(peek_head(before).is_none());
        prop_assert!(peek_head(&[before, whole].concat()).is_none() || before.is_empty());
        prop_assert!(peek_head(&[before, &vec![0; zeros], behind].concat()).is_none());
    }
}
