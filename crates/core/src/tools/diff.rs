//! Unified diffs for the details of `write` and `edit`.
//!
//! Owns their limits. What is shown is decoded lossily; nothing here is ever written to a file.

use letscode_wire::Meta;
use similar::algorithms::{Capture, Compact, Replace, myers};
use similar::udiff::UnifiedHunkHeader;
use similar::{DiffOp, DiffTag};
use std::time::{Duration, Instant};

/// Above this size of either side no diff is made.
const INPUT_LIMIT: usize = 8 * 1024 * 1024;
/// A diff longer than this is left out: details are stored with the session.
const OUTPUT_LIMIT: usize = 64 * 1024;
/// How many lines that stay are shown around a change.
const CONTEXT: usize = 3;
/// After this the comparison gets coarse instead of slow.
const TIME_LIMIT: Duration = Duration::from_millis(200);

/// Adds `diff` to `details`: the unified diff, or `null` and the reason as `diff_omitted`.
pub(super) fn note(details: &mut Meta, path: &str, old: &[u8], new: &[u8]) {
    insert(details, unified(path, old, new));
}

/// Does the same away from the thread that answers keys.
pub(super) async fn note_apart(details: &mut Meta, path: &str, old: Vec<u8>, new: &str) {
    let (path, new) = (path.to_owned(), new.to_owned());
    let comparing = tokio::task::spawn_blocking(move || unified(&path, &old, new.as_bytes()));
    insert(details, comparing.await.unwrap_or(Err("the comparison failed")));
}

/// Adds a `diff` of `null` and the reason to `details`.
pub(super) fn omit(details: &mut Meta, reason: &str) {
    details.insert("diff".to_owned(), serde_json::Value::Null);
    details.insert("diff_omitted".to_owned(), reason.into());
}

fn insert(details: &mut Meta, diff: Result<String, &str>) {
    match diff {
        Ok(diff) => {
            details.insert("diff".to_owned(), diff.into());
        }
        Err(reason) => omit(details, reason),
    }
}

fn unified(path: &str, old: &[u8], new: &[u8]) -> Result<String, &'static str> {
    if old.len() > INPUT_LIMIT || new.len() > INPUT_LIMIT {
        return Err("the file is larger than 8 MB");
    }
    let (old, new) = (String::from_utf8_lossy(old), String::from_utf8_lossy(new));
    let old: Vec<&str> = old.split_inclusive('\n').collect();
    let new: Vec<&str> = new.split_inclusive('\n').collect();
    let mut text = String::new();
    for hunk in similar::group_diff_ops(changes(&old, &new), CONTEXT) {
        if text.is_empty() {
            text = format!("--- {path}\n+++ {path}\n");
        }
        text.push_str(&format!("{}\n", UnifiedHunkHeader::new(&hunk)));
        for change in hunk {
            let removed = old.get(change.old_range());
            if change.tag() == DiffTag::Equal {
                push_lines(&mut text, ' ', removed);
            } else {
                push_lines(&mut text, '-', removed);
                push_lines(&mut text, '+', new.get(change.new_range()));
            }
            if text.len() > OUTPUT_LIMIT {
                return Err("the diff is longer than 64 KB");
            }
        }
    }
    Ok(text)
}

/// Compares by one algorithm, named: code for all of them would be half a megabyte.
fn changes(old: &[&str], new: &[&str]) -> Vec<DiffOp> {
    let mut found = Compact::new(Replace::new(Capture::new()), old, new);
    let deadline = Instant::now().checked_add(TIME_LIMIT);
    let Ok(()) = myers::diff_deadline(&mut found, old, 0..old.len(), new, 0..new.len(), deadline);
    found.into_inner().into_inner().into_ops()
}

fn push_lines(text: &mut String, sign: char, lines: Option<&[&str]>) {
    for line in lines.unwrap_or_default() {
        text.push(sign);
        text.push_str(line);
        if !line.ends_with('\n') {
            text.push_str("\n\\ No newline at end of file\n");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diff_is_unified_and_shows_a_missing_final_newline() {
        insta::assert_snapshot!(unified("a.txt", b"one\ntwo\n", b"one\n2").unwrap(), @r"
        --- a.txt
        +++ a.txt
        @@ -1,2 +1,2 @@
         one
        -two
        +2
        \ No newline at end of file
        ");
        assert_eq!(unified("a", b"x\n", b"x\n").unwrap(), "");
    }

    #[test]
    fn huge_sides_and_huge_diffs_are_left_out_with_a_reason() {
        let mut details = Meta::new();
        note(&mut details, "a", &vec![b'x'; INPUT_LIMIT + 1], b"");
        assert_eq!(details["diff"], serde_json::Value::Null);
        assert_eq!(details["diff_omitted"], "the file is larger than 8 MB");
        assert_eq!(unified("a", b"", &[b'x'; OUTPUT_LIMIT]), Err("the diff is longer than 64 KB"));
    }
}
