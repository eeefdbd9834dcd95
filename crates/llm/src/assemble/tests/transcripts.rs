//! Responses as servers sent them; see `tests/transcripts/README.md`.

use super::*;
use std::fmt::Write as _;

macro_rules! transcripts {
    ($($name:literal),* $(,)?) => {
        &[$((
            $name,
            include_bytes!(concat!(
                env!("CARGO_MANIFEST_DIR"), "/tests/transcripts/", $name, ".sse"
            )).as_slice(),
        )),*]
    };
}

/// Event streams.
pub(super) const STREAMS: &[(&str, &[u8])] = transcripts![
    "aimock-1.43.0/a-reasoning",
    "aimock-1.43.0/a-text-no-usage",
    "aimock-1.43.0/a-text-usage",
    "aimock-1.43.0/b-mix",
    "aimock-1.43.0/b-tool-history",
    "aimock-1.43.0/d-parallel-tools",
    "llamacpp-bytebigram/a-text-length",
    "llamacpp-bytebigram/a-text-no-usage",
    "llamacpp-bytebigram/a-text-usage",
    "llamacpp-bytebigram/a-unicode",
    "llamacpp-bytebigram/b-tool-auto",
    "llamacpp-bytebigram/b-tool-history",
    "llamacpp-bytebigram/b-tool-named",
    "llamacpp-bytebigram/b-tool-required",
    "llamacpp-bytebigram/b-tool-truncated",
    "llamacpp-bytebigram/c-bad-model",
    "llamacpp-bytebigram/c-bad-role",
    "llamacpp-bytebigram/c-bad-tool-choice-no-tools",
    "llamacpp-bytebigram/c-content-parts",
    "llamacpp-bytebigram/c-developer-role",
    "llamacpp-bytebigram/c-max_completion_tokens",
    "llamacpp-bytebigram/c-reasoning_effort",
    "llamacpp-bytebigram/c-tool-without-call",
    "llamacpp-bytebigram/c-unknown-param",
    "llamacpp-bytebigram/d-parallel-required",
];

/// JSON bodies: answers and errors.
const BODIES: &[(&str, &[u8])] = transcripts![
    "aimock-1.43.0/a-text-nonstream",
    "aimock-1.43.0/c-bad-json",
    "aimock-1.43.0/c-bad-request-no-messages",
    "aimock-1.43.0/c-no-match",
    "aimock-1.43.0/c-ratelimit",
    "aimock-1.43.0/m-models",
    "llamacpp-bytebigram/a-text-nonstream",
    "llamacpp-bytebigram/b-tool-required-nonstream",
    "llamacpp-bytebigram/c-bad-json",
    "llamacpp-bytebigram/c-bad-request-no-messages",
    "llamacpp-bytebigram/c-context-overflow",
    "llamacpp-bytebigram/c-image-part",
    "llamacpp-bytebigram/c-no-key",
    "llamacpp-bytebigram/c-wrong-path",
    "llamacpp-bytebigram/m-models",
];

#[test]
fn streams_mean_what_their_bytes_say() {
    let mut report = String::new();
    for (name, bytes) in STREAMS {
        describe(&mut report, name, &decode_bytes(bytes));
    }
    insta::assert_snapshot!("streams", report);
}

#[test]
fn w46_bodies_mean_what_their_bytes_say() {
    let mut report = String::new();
    for (name, bytes) in BODIES {
        describe(&mut report, name, &decode_whole(std::str::from_utf8(bytes).unwrap()));
    }
    insta::assert_snapshot!("bodies", report);
}

#[test]
fn no_transcript_is_forgotten() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/transcripts");
    let mut found = Vec::new();
    for folder in std::fs::read_dir(root).unwrap().map(Result::unwrap) {
        if !folder.file_type().unwrap().is_dir() {
            continue;
        }
        for file in std::fs::read_dir(folder.path()).unwrap().map(Result::unwrap) {
            let name = file.file_name().into_string().unwrap();
            if let Some(case) = name.strip_suffix(".sse") {
                found.push(format!("{}/{case}", folder.file_name().to_str().unwrap()));
            }
        }
    }
    found.sort_unstable();
    let mut listed: Vec<&str> = STREAMS.iter().chain(BODIES).map(|(name, _)| *name).collect();
    listed.sort_unstable();
    assert_eq!(found, listed);
}

/// Writes events and answer, one line each.
fn describe(report: &mut String, name: &str, decoded: &Decoded) {
    writeln!(report, "== {name}").unwrap();
    for line in decoded.event_lines() {
        writeln!(report, "{line}").unwrap();
    }
    match &decoded.result {
        Ok(finished) => {
            writeln!(report, "answer {:?}", decoded.text()).unwrap();
            for call in decoded.calls() {
                writeln!(report, "call {call}").unwrap();
            }
            if !finished.answer.meta.is_empty() {
                writeln!(report, "meta {}", json!(finished.answer.meta)).unwrap();
            }
            for notice in &finished.notices {
                writeln!(report, "notice {notice}").unwrap();
            }
        }
        Err(StreamFault::ErrorObject { body, status, .. }) => {
            writeln!(report, "error {status:?} {}", String::from_utf8_lossy(body)).unwrap();
        }
        Err(fault) => writeln!(report, "fault {fault:?}").unwrap(),
    }
}
