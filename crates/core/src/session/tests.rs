//! What the tests of sessions share, and the tests of folders.

use super::*;
use letscode_wire::{ContentPart, CustomMessage, MessageId, UserMessage};
use serde_json::{Value, json};
use std::process::Command;
use tempfile::TempDir;

/// A session that the Python program wrote.
pub(super) const SAMPLE: &str =
    include_str!("../../tests/samples/01a22cfd-77fe-749e-a4b1-85ed4ead396d.jsonl");

/// Its label.
pub(super) const SAMPLE_LABEL: &str =
    include_str!("../../tests/samples/01a22cfd-77fe-749e-a4b1-85ed4ead396d.name");

/// Returns a user message with this id and text.
pub(super) fn user(id: &str, text: &str) -> Arc<Message> {
    Arc::new(Message::User(UserMessage {
        id: MessageId::from(id),
        content: vec![ContentPart::text(text)],
        timestamp: 1.5,
        meta: serde_json::Map::new(),
    }))
}

/// Returns a custom message of this kind.
pub(super) fn custom(id: &str, kind: &str, payload: Value) -> Arc<Message> {
    let Value::Object(payload) = payload else { panic!("a payload is an object") };
    Arc::new(Message::Custom(CustomMessage {
        id: MessageId::from(id),
        kind: kind.to_owned(),
        payload,
        timestamp: 1.5,
        meta: serde_json::Map::new(),
    }))
}

/// Returns the line of a user message.
pub(super) fn user_line(parent: Option<&str>, id: &str) -> String {
    line(parent, &user(id, id))
}

/// Returns the line of a message.
pub(super) fn line(parent: Option<&str>, message: &Arc<Message>) -> String {
    let mut line = Vec::new();
    codec::encode(parent.map(MessageId::from).as_ref(), message, &mut line).unwrap();
    String::from_utf8(line).unwrap()
}

/// Returns a chain of lines.
pub(super) fn chain(messages: &[Arc<Message>]) -> String {
    let parents = std::iter::once(None).chain(messages.iter().map(|m| Some(m.id().as_str())));
    parents.zip(messages).map(|(parent, message)| line(parent, message)).collect()
}

/// Writes a session into a folder of its own.
pub(super) fn on_disk(content: impl AsRef<[u8]>) -> (TempDir, PathBuf) {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("01a22cfd-77fe-749e-a4b1-85ed4ead396d.jsonl");
    fs::write(&path, content).unwrap();
    (folder, path)
}

/// Returns the ids of a loaded transcript.
pub(super) fn ids(loaded: &Loaded) -> Vec<&str> {
    loaded.transcript.iter().map(|message| message.id().as_str()).collect()
}

/// Returns a file's lines as (id, parent), all of which must be whole.
pub(super) fn links(path: &Path) -> Vec<(String, Option<String>)> {
    let content = fs::read_to_string(path).unwrap();
    assert!(content.is_empty() || content.ends_with('\n'));
    let link = |line: &str| {
        let record: Value = serde_json::from_str(line).unwrap();
        assert_eq!(record["_v"], json!(2));
        let parent = record["parent_id"].as_str().map(str::to_owned);
        (record["msg"]["id"].as_str().unwrap().to_owned(), parent)
    };
    content.lines().map(link).collect()
}

/// Returns the links of a chain.
pub(super) fn chain_links(ids: &[&str]) -> Vec<(String, Option<String>)> {
    let parents = std::iter::once(None).chain(ids.iter().map(|id| Some((*id).to_owned())));
    ids.iter().map(|id| (*id).to_owned()).zip(parents).collect()
}

/// Returns a command that runs one ignored test of this binary in a process of its own, through
/// a shell that runs `setup` first.
pub(super) fn child_test(setup: &str, test: &str, path: &Path) -> Command {
    let mut command = Command::new("sh");
    command
        .args(["-c", &format!("{setup} exec \"$@\""), "sh"])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", test, "--ignored", "--nocapture"])
        .env("SESSION_UNDER_TEST", path);
    command
}

/// Returns the session that [`child_test`] names.
pub(super) fn session_under_test() -> PathBuf {
    PathBuf::from(std::env::var_os("SESSION_UNDER_TEST").unwrap())
}

#[test]
fn a_folder_is_named_after_the_hash_of_the_path() {
    let folder = project_folder(Path::new("root"), Path::new("/"));
    assert_eq!(folder, Path::new("root/8a5edab28263"));
}

#[cfg(unix)]
#[test]
fn every_way_into_a_directory_finds_the_same_folder() {
    let folder = TempDir::new().unwrap();
    let real = folder.path().join("real");
    let link = folder.path().join("link");
    fs::create_dir(&real).unwrap();
    std::os::unix::fs::symlink(&real, &link).unwrap();
    let root = Path::new("root");
    assert_eq!(project_folder(root, &link), project_folder(root, &real));
    assert_eq!(project_folder(root, &real.join("../link/.")), project_folder(root, &real));
}

#[test]
fn a06_a_directory_that_is_gone_still_has_its_folder() {
    let parent = TempDir::new().unwrap();
    let real_parent = fs::canonicalize(parent.path()).unwrap();
    let directory = real_parent.join("project");
    fs::create_dir(&directory).unwrap();
    let before = project_folder(Path::new("root"), &directory);
    fs::remove_dir(&directory).unwrap();
    assert_eq!(project_folder(Path::new("root"), &directory), before);
}
