//! One walk through a project.
//!
//! Owns what belongs to it: nothing that its `.gitignore` files leave out, nothing behind a
//! link, no store of a version control, and no more than memory allows. What cannot be read is
//! skipped. Must not keep anything.

use super::paths::Paths;
use ignore::{DirEntry, WalkBuilder};
use std::path::{MAIN_SEPARATOR, Path};

/// How many entries are taken at most.
const MOST_ENTRIES: usize = 500_000;

/// How much text of paths is taken at most, in bytes.
const MOST_TEXT: usize = 64 * 1024 * 1024;

/// How many entries are handed on at once.
const BATCH: usize = 1024;

/// What version controls keep for themselves.
const STORES: [&str; 4] = [".git", ".hg", ".jj", ".svn"];

/// Hands on all entries below `root`, and returns whether these are all there are.
pub(super) fn walk(root: &Path, mut take: impl FnMut(Paths)) -> bool {
    let entries = WalkBuilder::new(root)
        .hidden(false)
        .follow_links(false)
        .require_git(false)
        .filter_entry(|entry| STORES.iter().all(|name| entry.file_name() != *name))
        .build();
    let (mut count, mut text) = (0, 0);
    let mut batch = Paths::default();
    for entry in entries.flatten() {
        let Some(path) = shown_path(root, &entry) else { continue };
        count += 1;
        text += path.len();
        if count > MOST_ENTRIES || text > MOST_TEXT {
            take(batch);
            return false;
        }
        batch.push(&path);
        if batch.len() == BATCH {
            take(std::mem::take(&mut batch));
        }
    }
    take(batch);
    true
}

/// Returns the path from `root`, with a slash behind a folder's; `None` for what nobody can type.
fn shown_path(root: &Path, entry: &DirEntry) -> Option<String> {
    let path = entry.path().strip_prefix(root).ok()?.to_str()?;
    if path.is_empty() || path.contains(char::is_control) {
        return None;
    }
    let mut path =
        if MAIN_SEPARATOR == '/' { path.to_owned() } else { path.replace(MAIN_SEPARATOR, "/") };
    if entry.file_type().is_some_and(|kind| kind.is_dir()) {
        path.push('/');
    }
    Some(path)
}
