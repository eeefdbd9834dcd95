//! Unified diffs for the details of `write` and `edit`.
//!
//! Owns their limits. What is shown is decoded lossily; nothing here is ever written to a file.

use letscode_wire::Meta;
use similar::TextDiff;
use std::time::Duration;

/// Above this size of either side no diff is made.
const INPUT_LIMIT: usize = 8 * 1024 * 1024;
/// A diff longer than this is left out: details are stored with the session.
const OUTPUT_LIMIT: usize = 64 * 1024;
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
    let diff = TextDiff::configure().timeout(TIME_LIMIT).diff_lines(old.as_ref(), new.as_ref());
    let text = diff.unified_diff().context_radius(3).header(path, path).to_string();
    if text.len() > OUTPUT_LIMIT {
        return Err("the diff is longer than 64 KB");
    }
    Ok(text)
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
