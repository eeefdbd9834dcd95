//! The workspace's text files, read once, for all checks.
//!
//! Owns which folders are looked into. Must not judge what it reads.

use std::io;
use std::path::Path;

/// Names of what is made, not written; `.git` is a file in a second working tree.
const SKIPPED: [&str; 6] = [".git", "target", "__pycache__", ".venv", "out", "node_modules"];

/// Every text file below the workspace's root, sorted by path.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    /// The files.
    pub(crate) files: Vec<TextFile>,
}

/// One text file.
#[derive(Debug)]
pub(crate) struct TextFile {
    /// From the root, with `/` between the parts on every system.
    pub(crate) path: String,
    /// The whole content.
    pub(crate) text: String,
}

impl Tree {
    /// Reads the tree below `root`. Files that are not UTF-8 are no text and are left out.
    ///
    /// # Errors
    /// When a folder or a file cannot be read.
    pub(crate) fn read(root: &Path) -> io::Result<Self> {
        let mut tree = Self::default();
        tree.add_folder(root, "")?;
        tree.files.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(tree)
    }

    /// Returns the content of the file at `path`, if there is one.
    pub(crate) fn text(&self, path: &str) -> Option<&str> {
        self.files.iter().find(|file| file.path == path).map(|file| file.text.as_str())
    }

    /// Returns the Rust sources.
    pub(crate) fn rust_files(&self) -> impl Iterator<Item = &TextFile> {
        self.files.iter().filter(|file| file.path.ends_with(".rs"))
    }

    fn add_folder(&mut self, folder: &Path, prefix: &str) -> io::Result<()> {
        for entry in std::fs::read_dir(folder)? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let path = format!("{prefix}{name}");
            let kind = entry.file_type()?;
            if SKIPPED.contains(&name.as_str()) {
                continue;
            }
            if kind.is_dir() {
                if !SKIPPED.contains(&name.as_str()) {
                    self.add_folder(&entry.path(), &format!("{path}/"))?;
                }
            } else if kind.is_file()
                && let Ok(text) = String::from_utf8(std::fs::read(entry.path())?)
            {
                self.files.push(TextFile { path, text });
            }
        }
        Ok(())
    }
}

impl TextFile {
    /// Returns whether the file holds tests only.
    pub(crate) fn is_test(&self) -> bool {
        self.path.ends_with("/tests.rs") || self.path.contains("/tests/")
    }
}

#[cfg(test)]
impl Tree {
    /// Returns a tree of these paths and contents.
    pub(crate) fn of(files: &[(&str, &str)]) -> Self {
        let files = files
            .iter()
            .map(|(path, text)| TextFile { path: (*path).to_owned(), text: (*text).to_owned() });
        Self { files: files.collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_text_files_at_every_depth_and_skips_what_is_made() {
        let folder = tempfile::tempdir().unwrap();
        let files: [(&str, &[u8]); 6] = [
            ("b.rs", b"fn b() {}"),
            ("a/deep/c.md", b"text"),
            (".ci/run", b"#!/bin/bash"),
            ("target/debug/made.rs", b"made"),
            (".git/config", b"made"),
            ("picture.png", b"\x89PNG\xff"),
        ];
        for (path, bytes) in files {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, bytes).unwrap();
        }
        let tree = Tree::read(folder.path()).unwrap();
        let paths: Vec<&str> = tree.files.iter().map(|file| file.path.as_str()).collect();
        assert_eq!(paths, [".ci/run", "a/deep/c.md", "b.rs"]);
        assert_eq!(tree.text("b.rs"), Some("fn b() {}"));
        assert_eq!(tree.text("c.rs"), None);
    }
}
