//! Whole files: the sample, cuts at every byte, damage.

use super::*;
use crate::session::tests::{
    SAMPLE, SAMPLE_LABEL, chain, custom, ids, line, on_disk, user, user_line,
};
use crate::session::{FileStore, SessionStore as _};
use futures_util::future::join_all;
use letscode_wire::{CustomKind, text_of};
use serde_json::json;
use std::io::Write as _;

#[test]
fn the_sample_of_the_python_program_is_what_its_model_last_saw() {
    let (_folder, path) = on_disk(SAMPLE);
    let loaded = load(&path).unwrap();
    assert_eq!(loaded.warnings, Vec::<String>::new());
    assert_eq!(loaded.id.as_str(), "01a22cfd-77fe-749e-a4b1-85ed4ead396d");
    assert_eq!(loaded.model.as_deref(), Some("mock-model-2"));
    assert_eq!(
        loaded.last_id.as_ref().map(EntryId::as_str),
        Some("b62b848f-4b18-452e-9ac2-add2beb4f910")
    );
    assert_eq!(loaded.label.as_deref(), Some("make app.py print 2"));
    let (compaction, rest) = loaded.transcript.split_first().unwrap();
    let compaction = compaction.as_custom().unwrap();
    assert_eq!(CustomKind::from_name(&compaction.kind), Some(CustomKind::Compaction));
    assert_eq!(
        compaction.payload["summary"],
        json!("The user asked for app.py to print 2; it was edited.")
    );
    // 14 messages without the model change; ten of them collapsed.
    let texts: Vec<String> = rest.iter().map(|message| text_of(message.content())).collect();
    assert_eq!(
        texts,
        [
            "third question",
            "Third answer.",
            "fourth question",
            "Fourth answer.",
            "after that",
            "After compaction.",
        ]
    );
}

#[test]
fn the_label_of_the_python_program_is_taken() {
    let (_folder, path) = on_disk(SAMPLE);
    std::fs::write(path.with_extension("name"), SAMPLE_LABEL).unwrap();
    assert_eq!(load(&path).unwrap().label.as_deref(), Some("Print two"));
}

#[test]
fn every_message_of_the_sample_is_read_as_it_is_written() {
    let before_compaction: String = SAMPLE.split_inclusive('\n').take(15).collect();
    let (_folder, path) = on_disk(&before_compaction);
    let loaded = load(&path).unwrap();
    assert_eq!(loaded.transcript.len(), 14);
    let mut written: Vec<serde_json::Value> =
        before_compaction.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    written.retain(|record| record["msg"]["kind"] != "model_change");
    let read: Vec<_> = loaded.transcript.iter().map(|m| serde_json::to_value(m).unwrap()).collect();
    let written: Vec<_> = written.into_iter().map(|mut record| record["msg"].take()).collect();
    assert_eq!(read, written);
}

/// Cuts the sample at every byte: what stands before the cut line is there, the next append is
/// whole, and nothing but the cut line is lost afterwards.
#[tokio::test]
async fn a24_a_session_cut_at_any_byte_loses_at_most_the_cut_line() {
    // Up to the compaction, so that every line shows in the transcript; a line of ours with
    // text beyond ASCII behind it.
    let lines: Vec<&str> = SAMPLE.split_inclusive('\n').take(8).collect();
    let content = lines.concat() + &line(lines_last_id(&lines), &user("é中😀", "é中😀\u{2028}"));
    let all = whole_lines(content.as_bytes());
    let last_line = lines.concat().len() - 5;
    let (_folder, path) = on_disk("");
    let mut growing = File::options().append(true).open(&path).unwrap();
    let mut appends = Vec::new();
    for cut in 0..=content.len() {
        let content = &content.as_bytes()[..cut];
        growing.write_all(&content[cut.saturating_sub(1)..]).unwrap();
        let loaded = load(&path).unwrap();
        // A cut right before a newline has lost nothing.
        let complete = newlines(content).max(whole_lines(content).len());
        assert_eq!(ids(&loaded), all[..complete], "cut at {cut}");
        let is_torn = loaded.warnings.len() == 1;
        let is_whole = content.is_empty() || content.ends_with(b"\n");
        assert_eq!(is_torn, !is_whole && complete == newlines(content), "cut at {cut}");

        // Each append waits for the disk, so not every byte of every line gets one.
        if cut < 10 || cut >= last_line {
            let torn = if is_torn { &content[last_line_start(content)..] } else { &[] };
            appends.push(check_append(content, torn));
        }
    }
    join_all(appends).await;
}

/// Goes on with a session and finds everything again, the torn line beside it.
async fn check_append(content: &[u8], torn: &[u8]) {
    let (_folder, path) = on_disk(content);
    let loaded = load(&path).unwrap();
    let store = FileStore::open(&loaded).unwrap();
    store.append(user("new", "new")).await.unwrap();
    drop(store);
    let again = load(&path).unwrap();
    assert_eq!(again.warnings, Vec::<String>::new());
    let expected: Vec<&str> = ids(&loaded).into_iter().chain(["new"]).collect();
    assert_eq!(ids(&again), expected);
    let aside = std::fs::read(path.with_extension("jsonl.torn")).unwrap_or_default();
    assert_eq!(aside.strip_suffix(b"\n").unwrap_or_default(), torn);
}

fn lines_last_id<'a>(lines: &[&'a str]) -> Option<&'a str> {
    let (_, rest) = lines.last()?.split_once(r#""id": ""#)?;
    rest.split('"').next()
}

fn whole_lines(content: &[u8]) -> Vec<String> {
    let ids = content.split(|byte| *byte == b'\n').filter_map(|line| {
        let record: serde_json::Value = serde_json::from_slice(line).ok()?;
        Some(record["msg"]["id"].as_str()?.to_owned())
    });
    ids.collect()
}

fn newlines(content: &[u8]) -> usize {
    content.iter().filter(|byte| **byte == b'\n').count()
}

fn last_line_start(content: &[u8]) -> usize {
    content.iter().rposition(|byte| *byte == b'\n').map_or(0, |newline| newline + 1)
}

#[tokio::test]
async fn a24_a_tail_of_zeros_is_cut_off() {
    let whole = user_line(None, "a");
    for zeros in [&b"\0"[..], &[0; 100_000]] {
        let (_folder, path) = on_disk([whole.as_bytes(), zeros].concat());
        let loaded = load(&path).unwrap();
        assert_eq!(ids(&loaded), ["a"]);
        assert_eq!(loaded.warnings.len(), 1);
        FileStore::open(&loaded).unwrap().append(user("b", "b")).await.unwrap();
        let expected = chain(&[user("a", "a"), user("b", "b")]);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), expected);
        assert!(!path.with_extension("jsonl.torn").exists());
    }
}

#[test]
fn a24_broken_lines_are_skipped_with_their_numbers() {
    let content = format!("{}x\n\n{}y\n", user_line(None, "a"), user_line(Some("a"), "b"));
    let (_folder, path) = on_disk(content);
    let loaded = load(&path).unwrap();
    assert_eq!(ids(&loaded), ["a", "b"]);
    let expected = format!("skipped what cannot be read in {}: line 2, 5", path.display());
    assert_eq!(loaded.warnings, [expected]);

    let (_folder, path) = on_disk("x\n".repeat(12));
    let expected = "line 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 2 more";
    assert!(load(&path).unwrap().warnings[0].ends_with(expected));
}

#[test]
fn a_message_that_only_a_newer_program_knows_is_skipped_and_stays_linked() {
    let newer = user_line(Some("a"), "b").replace(r#""role":"user""#, r#""role":"judge""#);
    let part = user_line(Some("b"), "c").replace(r#""type":"text""#, r#""type":"smell""#);
    let content = [user_line(None, "a"), newer, part, user_line(Some("c"), "d")].concat();
    let (_folder, path) = on_disk(content);
    let loaded = load(&path).unwrap();
    assert_eq!(ids(&loaded), ["a", "d"]);
    assert!(loaded.warnings[0].ends_with("line 2, 3"), "{:?}", loaded.warnings);
}

#[test]
fn byte_order_mark_line_ends_and_bytes_that_are_no_text_are_taken() {
    let last = user_line(Some("a"), "b").replace("text\":\"b", "text\":\"\u{1}").into_bytes();
    let last: Vec<u8> = last.into_iter().map(|byte| if byte == 1 { 0xFF } else { byte }).collect();
    let content = format!("\u{FEFF}{}", user_line(None, "a")).replace('\n', "\r\n");
    let (_folder, path) = on_disk([content.as_bytes(), &last].concat());
    let loaded = load(&path).unwrap();
    assert_eq!(loaded.warnings, Vec::<String>::new());
    assert_eq!(text_of(loaded.transcript[1].content()), "\u{FFFD}");
    assert_eq!(ids(&loaded), ["a", "b"]);
}

#[test]
fn a23_a_call_without_result_loads_as_it_is() {
    let content: String = SAMPLE.split_inclusive('\n').take(3).collect();
    let (_folder, path) = on_disk(content);
    let loaded = load(&path).unwrap();
    assert_eq!(loaded.transcript.len(), 3);
    assert_eq!(loaded.transcript[1].as_assistant().unwrap().tool_calls.len(), 2);
    assert_eq!(loaded.warnings, Vec::<String>::new());
}

#[test]
fn a_reset_leaves_the_model_and_nothing_else() {
    let content = chain(&[
        user("a", "a"),
        custom("m", "model_change", json!({"model": "other"})),
        custom("r", "reset", json!({})),
    ]);
    let (_folder, path) = on_disk(content);
    let loaded = load(&path).unwrap();
    assert!(loaded.transcript.is_empty());
    assert_eq!(loaded.model.as_deref(), Some("other"));
    assert_eq!(loaded.last_id, Some(EntryId::from("r")));
}

#[test]
fn an_unclear_compaction_is_told() {
    let (_folder, path) = on_disk(chain(&[user("a", "a"), custom("c", "compaction", json!({}))]));
    let loaded = load(&path).unwrap();
    assert_eq!(ids(&loaded), ["c", "a"]);
    assert_eq!(loaded.warnings.len(), 1);
}

#[test]
fn a27_what_no_longer_counts_is_not_even_parsed() {
    // A message that would not parse is no matter where the model does not see it.
    let bad = user_line(Some("a"), "b").replace(r#""type":"text""#, r#""type":"smell""#);
    let compaction = custom("c", "compaction", json!({"summary": "s", "first_kept_id": "d"}));
    let content = [
        user_line(None, "a"),
        bad,
        user_line(Some("b"), "d"),
        line(Some("d"), &compaction),
        user_line(Some("a"), "other branch"),
        user_line(Some("c"), "e"),
    ];
    let (_folder, path) = on_disk(content.concat());
    let loaded = load(&path).unwrap();
    assert_eq!(ids(&loaded), ["c", "d", "e"]);
    assert_eq!(loaded.warnings, Vec::<String>::new());
    assert_eq!(loaded.branch.len(), 5);
}

#[test]
fn a27_five_thousand_messages_load_in_order() {
    let text = "some words of text ".repeat(110);
    let messages: Vec<_> =
        (0..5_000).map(|n| user(&n.to_string(), &format!("{n} {text}"))).collect();
    let (_folder, path) = on_disk(chain(&messages));
    let loaded = load(&path).unwrap();
    assert!(loaded.length > 10_000_000);
    assert_eq!(loaded.transcript, messages);
}

#[test]
fn a27_lines_of_any_length_load_and_are_left_out_by_branch() {
    let long = "long text ".repeat(200_000);
    let torn = line(Some("a"), &user("t", &long));
    let content = [
        line(None, &user("a", &long)),
        line(Some("a"), &user("other branch", &long)),
        format!("{}{}", torn.get(..1_500_000).unwrap(), line(Some("a"), &user("b", &long))),
        line(Some("b"), &user("c", &long)),
        line(Some("c"), &user("d", &long)).get(..1_500_000).unwrap().to_owned(),
    ];
    let (_folder, path) = on_disk(content.concat());
    let loaded = load(&path).unwrap();
    assert_eq!(ids(&loaded), ["a", "b", "c"]);
    assert!(loaded.transcript.iter().all(|message| text_of(message.content()) == long));
    let [broken, tail] = loaded.warnings.as_slice() else { panic!("{:?}", loaded.warnings) };
    assert!(broken.ends_with("line 3") && tail.contains("is unfinished"), "{broken} {tail}");
}

#[test]
fn only_a_regular_file_is_a_session() {
    let folder = tempfile::TempDir::new().unwrap();
    assert!(matches!(load(folder.path()), Err(SessionError::NotRegular { .. })));
    let missing = load(&folder.path().join("none.jsonl"));
    assert!(matches!(missing, Err(SessionError::Io { action: "read", .. })));
}

#[test]
fn an_empty_file_is_an_empty_session() {
    let (_folder, path) = on_disk("");
    let loaded = load(&path).unwrap();
    assert!(loaded.transcript.is_empty() && loaded.warnings.is_empty());
    assert_eq!(loaded.last_id, None);
}

#[test]
fn a_message_that_follows_none_is_told() {
    let whole = chain(&[user("a", "a"), user("b", "b"), user("c", "c")]);
    let lines: Vec<&str> = whole.split_inclusive('\n').collect();
    for (kept, expected) in [
        (vec![1], vec!["a message follows one that is not there"]),
        (vec![0, 2], vec!["a message follows one that is not there"]),
        (vec![2, 1], vec!["2 messages follow one that is not there"]),
        (vec![0, 1, 2], vec![]),
    ] {
        let content: String = kept.iter().map(|line| lines[*line]).collect();
        let (_folder, path) = on_disk(content);
        let warnings = load(&path).unwrap().warnings;
        assert_eq!(warnings.len(), expected.len(), "{kept:?}: {warnings:?}");
        assert!(warnings.iter().zip(&expected).all(|(is, end)| is.contains(end)), "{warnings:?}");
    }
}
