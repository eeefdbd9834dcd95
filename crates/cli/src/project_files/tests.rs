//! What belongs to a project, what fits a query, and that walks end.

use super::*;
use tempfile::TempDir;

/// Longer than any walk here takes.
const HANG: Duration = Duration::from_secs(30);

fn project(files: &[(&str, &str)]) -> TempDir {
    let folder = TempDir::new().unwrap();
    for (path, content) in files {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }
    folder
}

/// Asks until the walk is over.
fn find(files: &ProjectFiles, query: &str) -> Vec<String> {
    let began = Instant::now();
    loop {
        let result = files.find(query, 100);
        if result.complete {
            return result.paths;
        }
        assert!(began.elapsed() < HANG, "the walk does not end");
    }
}

#[test]
fn ignored_hidden_and_version_control_files_are_left_out() {
    let folder = project(&[
        (".gitignore", "target/\n*.log\n!keep.log\n"),
        ("target/debug/x.rs", ""),
        ("a.log", ""),
        ("keep.log", ""),
        ("src/main.rs", ""),
        ("src/.gitignore", "made.rs\n"),
        ("src/made.rs", ""),
        (".git/config", ""),
        (".env", ""),
        (".github/workflows/ci.yml", ""),
    ]);
    let files = ProjectFiles::new(folder.path());
    assert_eq!(find(&files, ""), ["keep.log", "src/", "src/main.rs"]);
    assert_eq!(find(&files, "./"), ["keep.log", "src/", "src/main.rs"]);
    assert_eq!(find(&files, "ciyml"), [] as [&str; 0]);
    assert_eq!(find(&files, ".ciyml"), [".github/workflows/ci.yml"]);
    assert!(find(&files, ".").iter().all(|path| path != ".git/" && path != ".git/config"));
    assert!(find(&files, ".e").contains(&".env".to_owned()));
}

#[test]
fn many_paths_are_ranked_as_few_are() {
    let mut paths = Paths::default();
    for number in 0..50_000 {
        paths.push(&format!("part-{}/file-{number}.rs", number % 7));
    }
    assert_eq!(paths.best("file49999", 3), ["part-5/file-49999.rs"]);
    assert_eq!(paths.best("7file31", 2), [] as [&str; 0]);
    let first = ["part-0/file-0.rs", "part-0/file-7.rs", "part-1/file-1.rs", "part-1/file-8.rs"];
    assert_eq!(paths.best("file", 4), first);
    assert_eq!(paths.best("", 1), ["part-0/file-0.rs"]);
    assert_eq!(paths.best("file", 60_000).len(), 50_000);
}

#[test]
fn the_best_path_comes_first() {
    let mut paths = Paths::default();
    for path in [
        "docs/domain.md",
        "src/main.rs",
        "src/main/extra.rs",
        "src/remain.rs",
        "Makefile",
        "src/",
        "größe/ändern.txt",
        "name with spaces.txt",
        "a",
    ] {
        paths.push(path);
    }
    for (query, expected) in [
        ("main", "src/main.rs"),
        ("smain", "src/main.rs"),
        ("make", "Makefile"),
        ("Make", "Makefile"),
        ("src/", "src/"),
        ("ändern", "größe/ändern.txt"),
        ("with spaces", "name with spaces.txt"),
        ("dom", "docs/domain.md"),
        ("./main", "src/main.rs"),
    ] {
        assert_eq!(paths.best(query, 3)[0], expected, "{query}");
    }
    for query in ["zzz", "MAKE", "^main", "$", &"a".repeat(10_000)] {
        assert!(paths.best(query, 3).is_empty(), "{query}");
    }
    assert_eq!(paths.best("", 3), ["Makefile", "a", "name with spaces.txt"]);
    assert_eq!(paths.best("a", 2).len(), 2);
    assert!(paths.best("a", 0).is_empty());
}

#[cfg(unix)]
#[test]
fn loops_of_links_and_strange_names_do_no_harm() {
    use std::ffi::OsStr;
    use std::os::unix::{ffi::OsStrExt as _, fs::symlink};
    let folder = project(&[("a/file", ""), ("line\nbreak", "")]);
    symlink(folder.path(), folder.path().join("a/up")).unwrap();
    symlink("nowhere", folder.path().join("dangling")).unwrap();
    let bad = OsStr::from_bytes(b"bad\xff");
    // Some file systems take no such name.
    drop(std::fs::write(folder.path().join(bad), ""));
    let files = ProjectFiles::new(folder.path());
    assert_eq!(find(&files, ""), ["a/", "dangling", "a/file", "a/up"]);
}

#[test]
fn a_root_that_is_gone_has_no_files() {
    let folder = TempDir::new().unwrap();
    let root = folder.path().join("gone");
    assert!(find(&ProjectFiles::new(&root), "").is_empty());
}

#[test]
fn what_is_new_or_gone_is_known_after_a_while() {
    let folder = project(&[("old", "")]);
    let files = ProjectFiles::new(folder.path());
    assert_eq!(find(&files, ""), ["old"]);
    std::fs::rename(folder.path().join("old"), folder.path().join("new")).unwrap();
    files.shared.known().walk = Walk::Ended { next: Instant::now() };
    let began = Instant::now();
    while find(&files, "") != ["new"] {
        assert!(began.elapsed() < HANG, "the walk does not begin");
        thread::yield_now();
    }
}

#[test]
fn many_paths_are_found_through_all_batches() {
    let folder = TempDir::new().unwrap();
    for number in 0..3000 {
        std::fs::write(folder.path().join(format!("file{number:04}")), "").unwrap();
    }
    let files = ProjectFiles::new(folder.path());
    assert_eq!(find(&files, "file2999"), ["file2999"]);
    assert_eq!(files.shared.known().paths.len(), 3000);
}
