//! Tests of the local environment's files.

use super::*;
use crate::env::rerun::{require_success, test_command};
use crate::env::{Expected, FileKind, Fingerprint};
use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::process::Command;
use tempfile::TempDir;

mod elsewhere;

/// A folder and its environment.
struct Place {
    folder: TempDir,
    env: LocalEnv,
}

fn place() -> Place {
    place_in(TempDir::new().unwrap())
}

fn place_in(folder: TempDir) -> Place {
    let options = LocalEnvOptions {
        working_dir: folder.path().to_owned(),
        removed_variables: Vec::new(),
        temp_dir: Some(folder.path().to_owned()),
    };
    Place { folder, env: LocalEnv::new(options) }
}

impl Place {
    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn put(&self, name: &str, text: &str) -> PathBuf {
        fs::write(self.path(name), text).unwrap();
        self.path(name)
    }

    fn text(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    async fn write(&self, name: &str, text: &str) -> Result<WriteReport, FileError> {
        self.write_expecting(name, text, Expected::Anything).await
    }

    async fn write_expecting(
        &self,
        name: &str,
        text: &str,
        expected: Expected,
    ) -> Result<WriteReport, FileError> {
        let request = WriteFile { bytes: text.into(), expected };
        self.env.write(&self.path(name), request).await
    }

    async fn read(&self, name: &str) -> Result<Vec<Vec<u8>>, FileError> {
        let mut reader = self.env.open(&self.path(name)).await?;
        let mut pieces = Vec::new();
        loop {
            let piece = reader.read_chunk().await?;
            if piece.is_empty() {
                return Ok(pieces);
            }
            pieces.push(piece);
        }
    }

    /// Returns the names in the folder: a temporary file that was left would be among them.
    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.folder.path()).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().mode() & 0o7777
}

fn make_fifo(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

#[tokio::test]
async fn metadata_tells_kind_and_size() {
    let place = place();
    symlink(place.put("file", "abc"), place.path("link")).unwrap();
    make_fifo(&place.path("fifo"));
    for (name, kind, size) in [
        ("file", FileKind::File, Some(3)),
        ("link", FileKind::File, Some(3)),
        (".", FileKind::Directory, None),
        ("fifo", FileKind::Other, None),
        ("/dev/null", FileKind::Other, None),
    ] {
        let info = place.env.metadata(&place.path(name)).await.unwrap();
        assert_eq!(info.kind, kind, "{name}");
        assert!(size.is_none_or(|size| size == info.size), "{name}");
    }
    let missing = place.env.metadata(&place.path("missing")).await;
    assert!(matches!(missing, Err(FileError::NotFound { .. })));
    let below = place.env.metadata(&place.path("file/below")).await;
    assert!(matches!(below, Err(FileError::NotADirectory { .. })));
}

#[tokio::test]
async fn a21_only_regular_files_are_opened_and_nothing_hangs() {
    let place = place();
    make_fifo(&place.path("fifo"));
    for name in ["fifo", "/dev/zero", "/dev/tty"] {
        let opened = place.read(name).await;
        assert!(matches!(opened, Err(FileError::NotRegular { .. })), "{name}: {opened:?}");
    }
    assert!(matches!(place.read(".").await, Err(FileError::IsDirectory { .. })));
    assert!(matches!(place.read("missing").await, Err(FileError::NotFound { .. })));
}

#[tokio::test]
async fn a20_files_are_read_in_pieces_of_bounded_size() {
    let place = place();
    const PIECE: usize = 256 * 1024;
    for length in [0, 1, PIECE - 1, PIECE, PIECE + 1, 3 * PIECE + 7] {
        let content: Vec<u8> = (0..length).map(|at| (at % 251) as u8).collect();
        fs::write(place.path("file"), &content).unwrap();
        let pieces = place.read("file").await.unwrap();
        assert!(pieces.iter().all(|piece| piece.len() <= PIECE), "{length}");
        assert!(pieces.concat() == content, "{length}");
    }
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn files_whose_size_is_not_known_are_read_too() {
    let text = place().read("/proc/self/status").await.unwrap().concat();
    assert!(text.starts_with(b"Name:"));
}

#[tokio::test]
async fn many_files_are_read_at_once() {
    let place = place();
    let names: Vec<String> = (0..64).map(|number| number.to_string()).collect();
    for name in &names {
        place.put(name, name);
    }
    let reads = names.iter().map(|name| place.read(name));
    let texts = futures_util::future::try_join_all(reads).await.unwrap();
    let texts: Vec<String> =
        texts.iter().map(|pieces| String::from_utf8(pieces.concat()).unwrap()).collect();
    assert_eq!(texts, names);
}

#[tokio::test]
async fn a_listing_is_sorted_and_follows_links() {
    let place = place();
    fs::create_dir(place.path("folder")).unwrap();
    place.put("b", "");
    symlink(place.path("folder"), place.path("a")).unwrap();
    symlink(place.path("nothing"), place.path("c")).unwrap();
    let entries = place.env.list(place.folder.path()).await.unwrap();
    let found: Vec<(&str, bool)> =
        entries.iter().map(|entry| (entry.name.as_str(), entry.is_dir)).collect();
    assert_eq!(found, [("a", true), ("b", false), ("c", false), ("folder", true)]);
    let not = place.env.list(&place.path("b")).await;
    assert!(matches!(not, Err(FileError::NotADirectory { .. })));
}

#[tokio::test]
async fn a_new_file_gets_its_folders_and_the_mode_of_the_umask() {
    let place = place();
    let report = place.write("a/b/file", "text").await.unwrap();
    assert!(report.created_parents);
    assert_eq!(place.text("a/b/file"), "text");
    fs::write(place.path("usual"), "").unwrap();
    assert_eq!(mode(&place.path("a/b/file")), mode(&place.path("usual")));
    let report = place.write("a/b/other", "").await.unwrap();
    assert!(!report.created_parents);
    let below = place.write("usual/below/file", "").await;
    assert!(matches!(below, Err(FileError::NotADirectory { .. })), "{below:?}");
}

#[tokio::test]
async fn a14_the_mode_survives() {
    let place = place();
    for kept in [0o755, 0o600, 0o640, 0o4711] {
        let path = place.put("file", "old");
        fs::set_permissions(&path, fs::Permissions::from_mode(kept)).unwrap();
        place.write("file", "new").await.unwrap();
        assert_eq!((mode(&path), place.text("file").as_str()), (kept, "new"));
    }
    assert_eq!(place.names(), ["file"]);
}

#[tokio::test]
async fn a14_a_file_is_replaced_as_a_whole() {
    let place = place();
    let path = place.put("file", "old and long");
    let before = fs::metadata(&path).unwrap().ino();
    let open = fs::File::open(&path).unwrap();
    place.write("file", "new").await.unwrap();
    assert_ne!(fs::metadata(&path).unwrap().ino(), before);
    assert_eq!(io::read_to_string(open).unwrap(), "old and long");
    assert_eq!(place.text("file"), "new");
}

#[tokio::test]
async fn a_link_stays_a_link() {
    let place = place();
    fs::create_dir(place.path("folder")).unwrap();
    place.put("folder/target", "old");
    symlink("folder/target", place.path("one")).unwrap();
    symlink("one", place.path("two")).unwrap();
    place.write("two", "new").await.unwrap();
    assert_eq!(place.text("folder/target"), "new");
    assert_eq!(place.names(), ["folder", "one", "two"]);

    symlink("folder/to be made", place.path("dangling")).unwrap();
    place.write("dangling", "made").await.unwrap();
    assert_eq!(place.text("folder/to be made"), "made");
    assert!(fs::symlink_metadata(place.path("dangling")).unwrap().is_symlink());

    symlink("loop", place.path("loop")).unwrap();
    let looping = place.write("loop", "").await;
    assert!(matches!(looping, Err(FileError::Io { .. })), "{looping:?}");
}

#[tokio::test]
async fn another_name_of_the_file_stays_one() {
    let place = place();
    let path = place.put("file", "old and long");
    fs::hard_link(&path, place.path("other")).unwrap();
    place.write("file", "new").await.unwrap();
    assert_eq!((place.text("file").as_str(), place.text("other").as_str()), ("new", "new"));
    assert_eq!(fs::metadata(&path).unwrap().nlink(), 2);
    assert_eq!(place.names(), ["file", "other"]);
}

#[tokio::test]
async fn what_is_no_file_is_not_written() {
    let place = place();
    make_fifo(&place.path("fifo"));
    symlink("fifo", place.path("link")).unwrap();
    for name in ["fifo", "link", "/dev/null"] {
        let written = place.write(name, "text").await;
        assert!(matches!(written, Err(FileError::NotRegular { .. })), "{name}: {written:?}");
    }
    assert!(matches!(place.write(".", "").await, Err(FileError::IsDirectory { .. })));
    assert_eq!(place.names(), ["fifo", "link"]);
}

#[tokio::test]
async fn a13_the_condition_is_checked() {
    let place = place();
    place.put("file", "old");
    place.put("linked", "old");
    fs::hard_link(place.path("linked"), place.path("other name")).unwrap();
    let old = || Expected::Content(Fingerprint::of(b"old"));
    let other = || Expected::Content(Fingerprint::of(b"other"));
    for (name, expected, holds) in [
        ("file", Expected::Absent, false),
        ("file", other(), false),
        ("linked", other(), false),
        ("linked", Expected::Absent, false),
        ("new", old(), false),
        ("folder/new", old(), false),
        ("file", old(), true),
        ("linked", old(), true),
        ("new", Expected::Absent, true),
        ("file", Expected::Anything, true),
        ("newer", Expected::Anything, true),
    ] {
        let before = fs::read(place.path(name)).ok();
        let written = place.write_expecting(name, "new", expected.clone()).await;
        let is_told = matches!(written, Err(FileError::Changed { .. }));
        assert_eq!((written.is_ok(), is_told), (holds, !holds), "{name} {expected:?}");
        let wanted = if holds { Some(b"new".to_vec()) } else { before };
        assert_eq!(fs::read(place.path(name)).ok(), wanted, "{name} {expected:?}");
    }
    assert_eq!(place.names(), ["file", "linked", "new", "newer", "other name"]);
}

#[tokio::test]
async fn a50_a_temporary_file_is_private_and_grows() {
    let place = place();
    let mut file = place.env.create_temp_file(".log").await.unwrap();
    file.append(b"one ".to_vec()).await.unwrap();
    file.append(b"two".to_vec()).await.unwrap();
    let path = file.path().to_owned();
    drop(file);
    assert_eq!(fs::read_to_string(&path).unwrap(), "one two");
    assert_eq!(mode(&path), 0o600);
    assert!(path.to_str().unwrap().ends_with(".log"));
    assert!(path.starts_with(place.folder.path()));
    assert_eq!(mode(path.parent().unwrap()), 0o700);
}

#[tokio::test]
async fn a50_old_temporary_files_go_when_a_new_one_comes() {
    let place = place();
    let first = place.env.create_temp_file(".log").await.unwrap().path().to_owned();
    let folder = first.parent().unwrap();
    let days = |count: u64| std::time::Duration::from_secs(count * 24 * 60 * 60);
    let now = fs::metadata(&first).unwrap().modified().unwrap();
    for (name, age) in [("letscode-8.log", 8), ("letscode-6.log", 6), ("other-8.log", 8)] {
        let file = fs::File::create(folder.join(name)).unwrap();
        file.set_modified(now - days(age)).unwrap();
    }
    place.env.create_temp_file(".log").await.unwrap();
    let is_there = |name: &str| folder.join(name).exists();
    assert!(first.exists() && is_there("letscode-6.log") && is_there("other-8.log"));
    assert!(!is_there("letscode-8.log"));
}

#[tokio::test]
async fn a50_a_folder_that_is_not_the_users_own_is_not_used_for_temporary_files() {
    let place = place();
    let first = place.env.create_temp_file("").await.unwrap().path().to_owned();
    let folder = first.parent().unwrap();
    fs::set_permissions(folder, fs::Permissions::from_mode(0o777)).unwrap();
    let second = place.env.create_temp_file("").await.unwrap().path().to_owned();
    assert_eq!(second.parent(), Some(place.folder.path()));
    fs::rename(folder, place.path("elsewhere")).unwrap();
    fs::set_permissions(place.path("elsewhere"), fs::Permissions::from_mode(0o700)).unwrap();
    symlink(place.path("elsewhere"), folder).unwrap();
    let third = place.env.create_temp_file("").await.unwrap().path().to_owned();
    assert_eq!(third.parent(), Some(place.folder.path()));
}

#[tokio::test]
async fn many_files_and_folders_are_visited_at_once_each_with_its_own_error() {
    let place = place();
    let (one, two) = (place.put("one", "12345"), place.put("two", "12"));
    let paths = [one.clone(), place.path("none"), two, place.folder.path().to_owned()];
    let heads = place.env.read_heads(&paths, 3).await;
    let shown: Vec<String> = heads
        .iter()
        .map(|head| match head {
            Ok(head) => format!("{}{}", String::from_utf8_lossy(&head.bytes), head.is_cut),
            Err(error) => error.to_string(),
        })
        .collect();
    let at = |path: &Path| path.display().to_string();
    let none = format!("no such file: {}", at(&paths[1]));
    assert_eq!(shown, ["123true", &none, "12false", &format!("is a directory: {}", at(&paths[3]))]);

    let listings = place.env.list_all(&[paths[3].clone(), one]).await;
    assert_eq!(listings[0].as_ref().unwrap().len(), 2);
    assert!(matches!(listings[1], Err(FileError::NotADirectory { .. })));
}

#[tokio::test]
async fn folders_that_were_made_for_nothing_are_removed_again() {
    let place = place();
    place.put("old", "");
    fs::create_dir(place.path("kept")).unwrap();
    let long = "x".repeat(300);
    for name in [format!("new/deep/{long}"), format!("kept/new/{long}"), "old/new/a".to_owned()] {
        assert!(place.write(&name, "text").await.is_err(), "{name}");
        assert_eq!(place.names(), ["kept", "old"], "{name}");
        assert_eq!(fs::read_dir(place.path("kept")).unwrap().count(), 0, "{name}");
    }
    assert!(place.write("new/deep/a", "text").await.unwrap().created_parents);
    assert!(!place.write("new/deep/b", "text").await.unwrap().created_parents);
}
