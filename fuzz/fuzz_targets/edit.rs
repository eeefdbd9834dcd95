//! The `edit` tool: any file, any text to find, any text to put there.
//!
//! Holds: a text that is there once is replaced byte for byte; a call that fails leaves the file
//! as it was.
#![no_main]

use letscode_core::tools::{Edit, FileLedger, Progress, Tool, ToolContext};
use letscode_testkit::mem_env::MemEnv;
use libfuzzer_sys::fuzz_target;
use serde_json::{Value, json};
use std::sync::{Arc, LazyLock};
use tokio::runtime::{Builder, Runtime};
use tokio_util::sync::CancellationToken;

/// What parts an input into the file, the old text and the new one.
const BORDER: &[u8] = b"\n====\n";

static RUNTIME: LazyLock<Runtime> =
    LazyLock::new(|| Builder::new_current_thread().build().expect("a runtime can be made"));

fuzz_target!(|data: &[u8]| {
    let Some((file, texts)) = split(data) else { return };
    let Some((old, new)) = split(texts) else { return };
    let (Ok(old), Ok(new)) = (str::from_utf8(old), str::from_utf8(new)) else { return };

    let env = MemEnv::new("/p");
    env.put("/p/file", file);
    let replace_all = data.len() % 2 == 1;
    let is_done = edit(
        &env,
        json!({
            "path": "file", "old_string": old, "new_string": new, "replace_all": replace_all,
        }),
    );
    let after = env.content("/p/file").expect("the file is still there");

    if !is_done {
        assert_eq!(after, file);
    }
    if let Some(start) = only_place(file, old.as_bytes())
        && old != new
        && is_plain(file)
        && is_plain(new.as_bytes())
    {
        let end = start + old.len();
        assert_eq!(after, [&file[..start], new.as_bytes(), &file[end..]].concat());
    }
});

fn edit(env: &MemEnv, arguments: Value) -> bool {
    let context = ToolContext {
        call_id: "c1".into(),
        env: Arc::new(env.clone()),
        files: Arc::new(FileLedger::default()),
        cancel: CancellationToken::new(),
        progress: Progress::new(|_| {}),
        vision: false,
        secrets: Arc::default(),
        ui: letscode_core::ui::Ui::declining(),
    };
    let arguments = arguments.as_object().cloned().unwrap_or_default();
    RUNTIME.block_on(Edit::new(None).run(arguments, context)).is_ok()
}

fn split(data: &[u8]) -> Option<(&[u8], &[u8])> {
    let start = data.windows(BORDER.len()).position(|window| window == BORDER)?;
    Some((&data[..start], &data[start + BORDER.len()..]))
}

/// Returns where `text` is, if it is in one place only.
fn only_place(file: &[u8], text: &[u8]) -> Option<usize> {
    if text.is_empty() {
        return None;
    }
    let mut places = (0..file.len()).filter(|start| file[*start..].starts_with(text));
    places.next().filter(|_| places.next().is_none())
}

/// Returns whether there is nothing that the tool treats in a way of its own: other line ends,
/// other encodings.
fn is_plain(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| matches!(byte, b'\n' | b' '..=b'~'))
}
