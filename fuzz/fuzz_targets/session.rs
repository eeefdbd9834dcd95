//! A session file as it may lie on disk, damaged in any way.
//!
//! Holds: it loads, with few warnings, and so does any beginning of it; what it holds becomes a
//! request that every server takes.
#![no_main]

use letscode_core::context::messages_for_model;
use letscode_core::hooks::{HookTimeouts, Hooks};
use letscode_core::session::{Loaded, load};
use letscode_core::ui::Ui;
use letscode_fuzz::{at_once, piece_width};
use letscode_llm::fuzzing::request_bodies;
use letscode_testkit::sse_server::violations;
use libfuzzer_sys::fuzz_target;
use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;

/// One file for all runs of this process; in memory where the system has such a folder.
static FILE: LazyLock<PathBuf> = LazyLock::new(|| {
    let memory = PathBuf::from("/dev/shm");
    let folder = if memory.is_dir() { memory } else { std::env::temp_dir() };
    folder.join(format!("letscode-fuzz-{}.jsonl", std::process::id()))
});

/// One line for what is broken, one for the end, one for an unclear compaction.
const MOST_WARNINGS: usize = 3;

fuzz_target!(|data: &[u8]| {
    let whole = loaded(data);
    let hooks = Hooks::new(Vec::new(), HookTimeouts::default(), Ui::declining());
    let messages = at_once(messages_for_model(&whole.transcript, &hooks));
    for body in request_bodies(messages) {
        let body = serde_json::from_slice(&body).expect("a request is JSON");
        assert_eq!(violations(&body), [""; 0]);
    }
    let cut = data.len() * piece_width(data) / 61;
    loaded(&data[..cut.min(data.len())]);
});

fn loaded(data: &[u8]) -> Loaded {
    fs::write(&*FILE, data).expect("the folder can be written");
    let loaded = load(&FILE).expect("damage is no failure");
    assert!(loaded.warnings.len() <= MOST_WARNINGS, "{:?}", loaded.warnings);
    assert!(loaded.warnings.iter().all(|warning| warning.len() < 1_000));
    loaded
}
