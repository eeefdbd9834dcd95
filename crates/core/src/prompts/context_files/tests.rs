//! Order, encodings and size.

use super::*;
use crate::env::{
    CommandEnd, CommandError, DirEntry, FileInfo, FileReader, OutputSink, RunCommand, WriteFile,
    WriteReport,
};
use futures_util::future::BoxFuture;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio_util::sync::CancellationToken;

/// An environment of some files; a file that holds `None` is no regular one.
struct Files {
    working_dir: PathBuf,
    contents: HashMap<PathBuf, Option<Vec<u8>>>,
    bytes_read: Arc<AtomicUsize>,
}

struct Reader {
    rest: Vec<u8>,
    bytes_read: Arc<AtomicUsize>,
}

impl FileReader for Reader {
    fn read_chunk(&mut self) -> BoxFuture<'_, Result<Vec<u8>, FileError>> {
        // Odd pieces, so that characters are cut.
        let rest = self.rest.split_off(self.rest.len().min(1_001));
        let chunk = std::mem::replace(&mut self.rest, rest);
        self.bytes_read.fetch_add(chunk.len(), Ordering::Relaxed);
        Box::pin(async move { Ok(chunk) })
    }
}

impl ExecutionEnv for Files {
    fn working_dir(&self) -> &Path {
        &self.working_dir
    }

    fn open<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<Box<dyn FileReader>, FileError>> {
        let path = path.to_path_buf();
        let opened: Result<Box<dyn FileReader>, FileError> = match self.contents.get(&path) {
            None => Err(FileError::NotFound { path }),
            Some(None) => Err(FileError::NotRegular { path }),
            Some(Some(content)) => Ok(Box::new(Reader {
                rest: content.clone(),
                bytes_read: Arc::clone(&self.bytes_read),
            })),
        };
        Box::pin(async move { opened })
    }

    fn metadata<'a>(&'a self, _: &'a Path) -> BoxFuture<'a, Result<FileInfo, FileError>> {
        unreachable!("only opened")
    }

    fn list<'a>(&'a self, _: &'a Path) -> BoxFuture<'a, Result<Vec<DirEntry>, FileError>> {
        unreachable!("only opened")
    }

    fn write<'a>(
        &'a self,
        _: &'a Path,
        _: WriteFile,
    ) -> BoxFuture<'a, Result<WriteReport, FileError>> {
        unreachable!("only opened")
    }

    fn run<'a>(
        &'a self,
        _: RunCommand,
        _: &'a mut dyn OutputSink,
        _: CancellationToken,
    ) -> BoxFuture<'a, Result<CommandEnd, CommandError>> {
        unreachable!("only opened")
    }
}

fn files(contents: &[(&str, &[u8])]) -> Files {
    let content = |(path, bytes): &(&str, &[u8])| (PathBuf::from(path), Some(bytes.to_vec()));
    Files {
        working_dir: PathBuf::from("/home/ada/engine/src"),
        contents: contents.iter().map(content).collect(),
        bytes_read: Arc::default(),
    }
}

/// Loads the files and returns what they say as `path=text`, and the warnings.
async fn load(env: &Files) -> (Vec<String>, Vec<String>) {
    let (files, warnings) = load_context_files(env, Some(Path::new("/home/ada/.letscode"))).await;
    let said = |file: ContextFile| format!("{}={}", file.path.display(), file.text);
    (files.into_iter().map(said).collect(), warnings)
}

#[tokio::test]
async fn the_users_file_is_first_and_the_nearest_last() {
    let env = files(&[
        ("/home/ada/engine/src/CLAUDE.md", b"5"),
        ("/home/ada/engine/src/agents.md", b"not this name"),
        ("/home/ada/engine/AGENTS.md", b"3"),
        ("/home/ada/engine/CLAUDE.md", b"4"),
        ("/home/ada/.letscode/AGENTS.md", b"1"),
        ("/home/ada/.letscode/CLAUDE.md", b"not there"),
        ("/home/ada/other/AGENTS.md", b"not above"),
        ("/AGENTS.md", b"2"),
    ]);
    let (said, warnings) = load(&env).await;
    assert_eq!(
        said,
        [
            "/home/ada/.letscode/AGENTS.md=1",
            "/AGENTS.md=2",
            "/home/ada/engine/AGENTS.md=3",
            "/home/ada/engine/CLAUDE.md=4",
            "/home/ada/engine/src/CLAUDE.md=5",
        ]
    );
    assert_eq!(warnings, Vec::<String>::new());
}

#[tokio::test]
async fn without_a_user_directory_the_project_has_its_files() {
    let env = files(&[("/home/ada/.letscode/AGENTS.md", b"1"), ("/home/AGENTS.md", b"2")]);
    let (files, _) = load_context_files(&env, None).await;
    assert_eq!(files, [ContextFile { path: "/home/AGENTS.md".into(), text: "2".into() }]);
}

#[tokio::test]
async fn a42_the_same_content_is_there_once_at_its_nearest_place() {
    let env = files(&[
        ("/home/ada/.letscode/AGENTS.md", b"same"),
        ("/home/ada/AGENTS.md", b"other"),
        ("/home/ada/engine/AGENTS.md", b"\xEF\xBB\xBFsame\r\n"),
        ("/home/ada/engine/CLAUDE.md", b"same\n\n"),
    ]);
    let (said, _) = load(&env).await;
    assert_eq!(said, ["/home/ada/AGENTS.md=other", "/home/ada/engine/CLAUDE.md=same"]);
}

#[tokio::test]
async fn a42_encodings_and_control_characters() {
    for (content, text, is_warned) in [
        (&b"\xEF\xBB\xBFa\r\nb\rc\n"[..], "a\nb\nc", false),
        (b"caf\xE9!", "caf\u{FFFD}!", true),
        (b"a\x1b[31mb\x00c\td\x7f", "a[31mbc\td", false),
        ("a\u{9b}b\u{85}c é中😀".as_bytes(), "abc é中😀", false),
        (b"\xFF\xFEA\0G\0", "\u{FFFD}\u{FFFD}AG", true),
    ] {
        let (said, warnings) = load(&files(&[("/AGENTS.md", content)])).await;
        assert_eq!(said, [format!("/AGENTS.md={text}")], "{content:?}");
        assert_eq!(!warnings.is_empty(), is_warned, "{content:?} {warnings:?}");
        assert!(warnings.iter().all(|warning| warning.starts_with("/AGENTS.md is not UTF-8")));
    }
}

#[tokio::test]
async fn a42_a_huge_file_is_cut_and_not_read_whole() {
    let start = format!("x{}", "é".repeat(5_000_000));
    let env = files(&[("/AGENTS.md", start.as_bytes())]);
    let (said, warnings) = load(&env).await;
    // The cut goes through a character, which is left out without a word.
    let kept = "é".repeat((SIZE_CAP - 1) / 2);
    let expected = format!("/AGENTS.md=x{kept}\n\n[cut here: the file is longer than 64 KB]");
    assert!(said == [expected], "{:?}", said[0].len());
    assert_eq!(warnings, ["/AGENTS.md is too long: only its first 64 KB are used"]);
    assert!(env.bytes_read.load(Ordering::Relaxed) < SIZE_CAP + 2_000);
}

#[tokio::test]
async fn a_file_of_just_the_cap_is_whole() {
    let env = files(&[("/AGENTS.md", &[b'x'; SIZE_CAP])]);
    let (said, warnings) = load(&env).await;
    assert_eq!(said[0].len(), "/AGENTS.md=".len() + SIZE_CAP);
    assert_eq!(warnings, Vec::<String>::new());
}

#[tokio::test]
async fn a42_what_is_no_regular_file_is_told_and_left_out() {
    let mut env = files(&[("/home/AGENTS.md", b"here"), ("/home/CLAUDE.md", b" \n\t")]);
    env.contents.insert("/CLAUDE.md".into(), None);
    let (said, warnings) = load(&env).await;
    assert_eq!(said, ["/home/AGENTS.md=here"], "an empty file is none");
    assert_eq!(warnings, ["instructions are left out: not a regular file: /CLAUDE.md"]);
}
