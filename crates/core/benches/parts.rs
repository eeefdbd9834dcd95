//! How long the parts take whose work grows with what they are given: sessions, edits, lines.
//!
//! Owns the inputs, made beforehand. Numbers of one machine; they are compared, not judged.

#![expect(clippy::unwrap_used, reason = "a bench that cannot run ends")]

use divan::counter::{BytesCount, ItemsCount};
use divan::{Bencher, black_box};
use letscode_core::session;
use letscode_core::tools::{Edit, FileLedger, Progress, Tool, ToolContext};
use letscode_testkit::mem_env::MemEnv;

use letscode_wire::{
    ContentPart, Decoder, EntryId, Message, Meta, Record, SESSION_VERSION, UserMessage, encode_line,
};
use serde_json::{Map, Value, json};
use std::sync::Arc;
use tokio::runtime::Builder;
use tokio_util::sync::CancellationToken;

const MESSAGES: usize = 5_000;
const MEGABYTE: usize = 1024 * 1024;

fn main() {
    divan::main();
}

/// Loads a session of 5,000 messages from a file.
#[divan::bench(sample_count = 20)]
fn session_of_5_000_messages(bencher: Bencher<'_, '_>) {
    let mut file = tempfile::Builder::new().suffix(".jsonl").tempfile().unwrap();
    std::io::Write::write_all(&mut file, &session_lines()).unwrap();
    bencher.counter(ItemsCount::new(MESSAGES)).bench_local(|| {
        let loaded = session::load(file.path()).unwrap();
        assert_eq!(loaded.transcript.len(), MESSAGES);
        loaded
    });
}

/// Edits one line in the middle of a file of 1 MiB, given exactly.
#[divan::bench(sample_count = 20)]
fn exact_edit_in_1_mib(bencher: Bencher<'_, '_>) {
    bench_edit(bencher, "    let value_10000 = compute(10000);");
}

/// The same line with another indentation: every way to forgive a difference is tried.
#[divan::bench(sample_count = 20)]
fn forgiving_edit_in_1_mib(bencher: Bencher<'_, '_>) {
    bench_edit(bencher, "  let value_9999 = compute(9999);\n  let value_10000 = compute(10000);");
}

/// Cuts 1 MiB of stream into lines, 64 KiB at a time.
#[divan::bench(sample_count = 20)]
fn lines_of_1_mib(bencher: Bencher<'_, '_>) {
    let line = format!("{}\n", json!({"type": "text_delta", "delta": "some words ".repeat(8)}));
    let bytes = line.repeat(MEGABYTE / line.len()).into_bytes();
    bencher.counter(BytesCount::new(bytes.len())).bench_local(|| {
        let mut decoder = Decoder::default();
        let mut lines = 0;
        for piece in bytes.chunks(64 * 1024) {
            decoder.push(piece);
            while let Some(line) = decoder.next_line() {
                black_box(line.unwrap());
                lines += 1;
            }
        }
        assert!(lines > 0);
    });
}

fn bench_edit(bencher: Bencher<'_, '_>, old: &str) {
    let line = |number: usize| format!("    let value_{number} = compute({number});\n");
    let mut text: String = (0..).map(line).take(20_000).collect();
    text.extend((20_000..).map(line).take((MEGABYTE - text.len()) / line(20_000).len()));
    let tool = Edit::new(None);
    let arguments = json!({"path": "a.rs", "old_string": old, "new_string": "    let other = 1;"});
    let Value::Object(arguments) = arguments else { return };
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    bencher
        .counter(BytesCount::new(text.len()))
        .with_inputs(|| {
            let env = MemEnv::new("/w");
            env.put("/w/a.rs", text.as_str());
            context(env)
        })
        .bench_local_values(|context| runtime.block_on(run(&tool, &arguments, context)));
}

async fn run(tool: &Edit, arguments: &Map<String, Value>, context: ToolContext) {
    let done = tool.run(arguments.clone(), context).await;
    assert!(done.is_ok(), "{:?}", done.err());
}

fn context(env: MemEnv) -> ToolContext {
    ToolContext {
        call_id: "call".into(),
        env: Arc::new(env),
        files: Arc::new(FileLedger::default()),
        cancel: CancellationToken::new(),
        progress: Progress::new(|_| {}),
        vision: false,
        secrets: Arc::default(),
        ui: letscode_core::ui::Ui::declining(),
    }
}

/// Returns the lines of a session without branches.
fn session_lines() -> Vec<u8> {
    let mut lines = Vec::new();
    let mut parent_id: Option<EntryId> = None;
    for number in 0..MESSAGES {
        let id = format!("m{number}");
        let text = "A line of some words that says this and that. ".repeat(8);
        let message = Message::User(UserMessage {
            id: id.as_str().into(),
            content: vec![ContentPart::text(text)],
            timestamp: 1.0,
            meta: Meta::new(),
        });
        let record = Record { version: SESSION_VERSION, parent_id, msg: Arc::new(message) };
        encode_line(&record, &mut lines).unwrap();
        parent_id = Some(id.as_str().into());
    }
    lines
}
