//! Tests of the environment in memory.

use super::*;
use letscode_core::env::Stderr;
use std::time::Duration;

async fn read(env: &MemEnv, path: &str) -> Result<Vec<u8>, FileError> {
    let mut reader = env.open(Path::new(path)).await?;
    let mut content = Vec::new();
    loop {
        let piece = reader.read_chunk().await?;
        if piece.is_empty() {
            return Ok(content);
        }
        content.extend(piece);
    }
}

async fn write(env: &MemEnv, path: &str, text: &str, expected: Expected) -> Option<WriteReport> {
    let request = WriteFile { bytes: text.into(), expected };
    env.write(Path::new(path), request).await.ok()
}

#[tokio::test]
async fn files_are_written_read_and_listed() {
    let env = MemEnv::new("/project");
    let long = "long ".repeat(100_000);
    env.put("b/file", long.clone());
    env.put("a", "");
    assert_eq!(read(&env, "/project/b/file").await.unwrap(), long.as_bytes());
    let entries = env.list(Path::new("/project")).await.unwrap();
    let entries: Vec<(&str, bool)> =
        entries.iter().map(|entry| (entry.name.as_str(), entry.is_dir)).collect();
    assert_eq!(entries, [("a", false), ("b", true)]);
    let info = env.metadata(Path::new("/project/b/file")).await.unwrap();
    assert_eq!(info, FileInfo { kind: FileKind::File, size: 500_000 });
    assert!(matches!(read(&env, "/project/b").await, Err(FileError::IsDirectory { .. })));
    assert!(matches!(read(&env, "/project/c").await, Err(FileError::NotFound { .. })));
}

#[tokio::test]
async fn the_condition_of_a_write_is_checked() {
    let env = MemEnv::new("/project");
    let made = |created_parents| Some(WriteReport { created_parents });
    let known = |text: &str| Expected::Content(Fingerprint::of(text.as_bytes()));
    assert_eq!(write(&env, "/project/a/b", "one", Expected::Absent).await, made(true));
    assert_eq!(write(&env, "/project/a/b", "two", Expected::Absent).await, None);
    assert_eq!(write(&env, "/project/a/b", "two", known("three")).await, None);
    assert_eq!(write(&env, "/project/a/b", "two", known("one")).await, made(false));
    assert_eq!(write(&env, "/project/a/b/c", "", Expected::Anything).await, None);
    assert_eq!(env.content("a/b").unwrap(), b"two");
}

#[tokio::test]
async fn commands_follow_the_script() {
    let env = MemEnv::new("/project");
    env.script("make", FakeCommand::new("failed\n", 2));
    env.script("make", FakeCommand::new("fine\n", 0));
    env.script("serve", FakeCommand::endless("up\n"));
    let mut seen = Vec::new();
    let mut ends = Vec::new();
    for command in ["make", "make", "serve", "make"] {
        let request = RunCommand {
            command: command.to_owned(),
            timeout: Duration::ZERO,
            stderr: Stderr::Merged,
        };
        let mut sink = |piece: &[u8]| seen.extend_from_slice(piece);
        ends.push(env.run(request, &mut sink, CancellationToken::new()).await.unwrap().status);
    }
    let exited = CommandStatus::Exited;
    assert_eq!(ends, [exited(2), exited(0), CommandStatus::TimedOut, exited(127)]);
    assert_eq!(String::from_utf8(seen).unwrap(), "failed\nfine\nup\nmake: not found\n");
    assert_eq!(env.commands().len(), 4);
}

#[tokio::test]
async fn a_temporary_file_grows() {
    let env = MemEnv::new("/project");
    let mut file = env.create_temp_file(".log").await.unwrap();
    file.append(b"a".to_vec()).await.unwrap();
    file.append(b"b".to_vec()).await.unwrap();
    assert_eq!(env.content(file.path()).unwrap(), b"ab");
}
