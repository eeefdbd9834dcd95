//! Lines of all kinds, good and damaged.

use super::*;
use crate::session::tests::{line, user};
use letscode_wire::MessageId;
use proptest::prelude::*;

#[test]
fn fillers_around_a_record_are_trimmed() {
    for (given, expected) in [
        (&b"{}"[..], &b"{}"[..]),
        (b"\xEF\xBB\xBF{}\r", b"{}"),
        (b"\0\0 {\0}\0\t\0", b"{\0}"),
        (b"\0\0\0", b""),
        (b"", b""),
    ] {
        assert_eq!(trim(given), expected);
    }
}

#[test]
fn heads_tell_place_and_meaning() {
    let head = |version: &str, message: &str| {
        let line = format!(r#"{{{version}"msg":{message},"new":[1]}}"#);
        decode_head(line.as_bytes())
            .map(|head| format!("{} {:?} {:?} {:?}", head.id, head.parent, head.role, head.kind))
    };
    let user = r#"{"role":"user","id":"a","content":[{"x":1}]}"#;
    for (version, message, expected) in [
        (r#""_v":2,"parent_id":null,"#, user, "a Nothing User Message"),
        (r#""_v":2,"parent_id":"p","#, user, r#"a Entry(MessageId("p")) User Message"#),
        (r#""_v":3,"parent_id":"p","#, user, r#"a Entry(MessageId("p")) User Message"#),
        (r#""_v":1,"#, user, "a LineBefore User Message"),
        (r#""_v":1,"parent_id":"p","#, user, "a LineBefore User Message"),
        ("", user, "a Nothing User Message"),
        (r#""_v":2,"#, r#"{"role":"judge","id":"a"}"#, "a Nothing Unknown Message"),
        (
            r#""_v":2,"#,
            r#"{"role":"custom","id":"a","kind":"note","payload":{"model":7}}"#,
            "a Nothing Custom Message",
        ),
        (
            r#""_v":2,"#,
            r#"{"role":"custom","id":"a","kind":"model_change","payload":{"model":"m"}}"#,
            r#"a Nothing Custom ModelChange(Some("m"))"#,
        ),
        (
            r#""_v":2,"#,
            r#"{"role":"custom","id":"a","kind":"model_change","payload":null}"#,
            "a Nothing Custom ModelChange(None)",
        ),
        (
            r#""_v":2,"#,
            r#"{"role":"custom","id":"a","kind":"compaction","payload":{"collapsed_count":-1}}"#,
            "a Nothing Custom Compaction(CompactionPayload { first_kept_id: None, collapsed_count: None })",
        ),
        (r#""_v":2,"#, r#"{"role":"custom","id":"a","kind":"reset"}"#, "a Nothing Custom Reset"),
        (r#""_v":2,"#, r#"{"role":"user","id":"a","kind":"reset"}"#, "a Nothing User Message"),
    ] {
        assert_eq!(head(version, message).as_deref(), Some(expected), "{version} {message}");
    }
    for broken in ["", "null", "[]", "{}", r#"{"_v":2,"msg":{"role":"user"}}"#, "{\"_v\":2,"] {
        assert!(decode_head(broken.as_bytes()).is_none(), "{broken}");
    }
}

#[test]
fn text_that_is_no_unicode_is_repaired() {
    for (given, expected) in [
        (&br"plain \n \\ \u00e9"[..], r"plain \n \\ \u00e9"),
        (br"\ud83d\ude00", r"\ud83d\ude00"),
        (br"\ud83d", r"\ufffd"),
        (br"\udc80x", r"\ufffdx"),
        (br"\ud83d\ud83d\ude00", r"\ufffd\ud83d\ude00"),
        (br"\\ud83d", r"\\ud83d"),
        (br"\\\ud83d", r"\\\ufffd"),
        (b"a\xFFb", "a\u{FFFD}b"),
        (b"\\", "\\"),
        ("\\é\\u12".as_bytes(), "\\é\\u12"),
    ] {
        assert_eq!(repair_text(given), expected);
    }
}

#[test]
fn a_message_with_half_a_surrogate_is_read() {
    let line = line(None, &user("a", "xHALFx")).replace("HALF", r"\udc80");
    assert!(serde_json::from_str::<Record>(&line).is_err());
    let message = decode_message(Role::User, line.as_bytes()).unwrap();
    assert_eq!(message, *user("a", "x\u{FFFD}x"));
}

#[test]
fn relinking_keeps_what_it_does_not_know() {
    let line = br#"{"_v": 1, "msg": {"role": "user", "id": "a", "future": [1.0, "x"]}}"#;
    let mut copy = Vec::new();
    let id = relink(line, Some(&MessageId::from("p")), &mut copy);
    assert_eq!(id, Some(MessageId::from("a")));
    let expected =
        r#"{"_v":2,"parent_id":"p","msg":{"role": "user", "id": "a", "future": [1.0, "x"]}}"#;
    assert_eq!(String::from_utf8(copy).unwrap(), format!("{expected}\n"));
}

proptest! {
    #[test]
    fn what_is_written_is_read_whatever_the_text(id in "[a-z]{1,9}", text in any::<String>()) {
        let message = user(&id, &text);
        let line = line(Some("p"), &message);
        prop_assert_eq!(line.find('\n'), Some(line.len() - 1));
        let head = decode_head(line.as_bytes()).unwrap();
        prop_assert_eq!(head.id, MessageId::from(id));
        prop_assert_eq!(head.parent, Parent::Entry(MessageId::from("p")));
        prop_assert_eq!(decode_message(head.role, line.as_bytes()).unwrap(), message.as_ref().clone());
        prop_assert_eq!(record_starts(line.as_bytes()), vec![0]);
    }

    #[test]
    fn no_line_is_too_odd(line in any::<Vec<u8>>()) {
        let _ = decode_head(trim(&line));
        let _ = decode_message(Role::User, &line);
        let _ = record_starts(&line);
        let _ = repair_text(&line);
    }
}
