//! A copy of an environment as it was before a change, to put back when the change fails.
//!
//! Owns the copy, which lies in the environment itself and is made of hard links where the disk
//! has them. Must not know what the environment is for.
//!
//! Invariant: at any moment at which the process may die, what is on disk tells what to do: an
//! unfinished copy is thrown away, a finished one is put back.
#![expect(clippy::disallowed_methods, reason = "this file copies environments and puts them back")]

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The copy while it is made or thrown away.
const UNFINISHED: &str = ".letscode-unfinished";
/// The copy when it is whole.
const BEFORE: &str = ".letscode-before";
/// The copy while it is put back: what came after it is gone already.
const RESTORING: &str = ".letscode-restoring";

/// What an environment was.
///
/// Must be discarded or put back. One that is forgotten is put back by the next [`recover`].
#[derive(Debug)]
#[must_use]
pub(crate) struct Snapshot {
    root: PathBuf,
    /// What is neither copied nor touched.
    left_alone: &'static [&'static str],
}

impl Snapshot {
    /// Copies all of a folder but for the entries `left_alone`. A folder that is not there is
    /// made, and counts as empty.
    ///
    /// # Errors
    /// When the system refuses.
    pub(crate) fn take(root: &Path, left_alone: &'static [&'static str]) -> io::Result<Self> {
        fs::create_dir_all(root)?;
        let unfinished = root.join(UNFINISHED);
        let copied = copy_content(root, &unfinished, left_alone)
            .and_then(|()| fs::rename(&unfinished, root.join(BEFORE)));
        if let Err(error) = copied {
            let _ = fs::remove_dir_all(unfinished);
            let _ = fs::remove_dir(root);
            return Err(error);
        }
        Ok(Self { root: root.to_owned(), left_alone })
    }

    /// Keeps the change: the copy goes.
    ///
    /// # Errors
    /// When the system refuses.
    pub(crate) fn discard(self) -> io::Result<()> {
        // Renamed first, so that one that is half gone is not put back.
        let unfinished = self.root.join(UNFINISHED);
        fs::rename(self.root.join(BEFORE), &unfinished)?;
        fs::remove_dir_all(unfinished)
    }

    /// Takes the change back: all is as it was. A folder that is empty then goes.
    ///
    /// # Errors
    /// When the system refuses; what is left of the copy stays.
    pub(crate) fn restore(self) -> io::Result<()> {
        for entry in fs::read_dir(&self.root)? {
            let entry = entry?;
            let copy = self.root.join(BEFORE).join(entry.file_name());
            if is_content(&entry.file_name(), self.left_alone) && copy.symlink_metadata().is_err() {
                remove(&entry.path())?;
            }
        }
        fs::rename(self.root.join(BEFORE), self.root.join(RESTORING))?;
        put_back(&self.root)
    }
}

/// Puts back what a change that never came to its end left. Returns whether there was any.
///
/// # Errors
/// When the system refuses.
pub(crate) fn recover(root: &Path, left_alone: &'static [&'static str]) -> io::Result<bool> {
    let is_there = |name: &str| root.join(name).symlink_metadata().is_ok();
    if is_there(UNFINISHED) {
        fs::remove_dir_all(root.join(UNFINISHED))?;
    }
    if is_there(RESTORING) {
        put_back(root)?;
    } else if is_there(BEFORE) {
        Snapshot { root: root.to_owned(), left_alone }.restore()?;
    } else {
        return Ok(false);
    }
    Ok(true)
}

/// Moves the entries of the copy to their places.
fn put_back(root: &Path) -> io::Result<()> {
    let restoring = root.join(RESTORING);
    for entry in fs::read_dir(&restoring)? {
        let entry = entry?;
        let place = root.join(entry.file_name());
        if place.symlink_metadata().is_ok() {
            remove(&place)?;
        }
        fs::rename(entry.path(), place)?;
    }
    fs::remove_dir(restoring)?;
    // It fails where something is in it, as it should.
    let _ = fs::remove_dir(root);
    Ok(())
}

fn is_content(name: &OsStr, left_alone: &[&str]) -> bool {
    let ours = [UNFINISHED, BEFORE, RESTORING];
    !ours.iter().chain(left_alone).any(|kept| name == OsStr::new(kept))
}

fn copy_content(root: &Path, to: &Path, left_alone: &[&str]) -> io::Result<()> {
    fs::create_dir(to)?;
    for entry in fs::read_dir(root)? {
        let entry = entry?;
        if is_content(&entry.file_name(), left_alone) {
            copy(&entry.path(), &to.join(entry.file_name()))?;
        }
    }
    Ok(())
}

/// Copies a file, a link, or a folder with all that is in it.
fn copy(from: &Path, to: &Path) -> io::Result<()> {
    let kind = from.symlink_metadata()?.file_type();
    if kind.is_dir() {
        fs::create_dir(to)?;
        for entry in fs::read_dir(from)? {
            let entry = entry?;
            copy(&entry.path(), &to.join(entry.file_name()))?;
        }
        return fs::set_permissions(to, from.metadata()?.permissions());
    }
    if kind.is_symlink() {
        return copy_link(from, to);
    }
    // Installers replace files and do not write into them, so that the two may share their content.
    fs::hard_link(from, to).or_else(|_| fs::copy(from, to).map(drop))
}

#[cfg(unix)]
fn copy_link(from: &Path, to: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(fs::read_link(from)?, to)
}

#[cfg(not(unix))]
fn copy_link(from: &Path, to: &Path) -> io::Result<()> {
    fs::copy(from, to).map(drop)
}

/// Removes a file, a link, or a folder with all that is in it.
fn remove(path: &Path) -> io::Result<()> {
    if path.symlink_metadata()?.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) }
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    const KEPT: &[&str] = &["native"];

    /// Returns every path below a folder with its text, or where it points.
    fn content(root: &Path) -> BTreeMap<PathBuf, String> {
        let mut found = BTreeMap::new();
        let mut folders = vec![root.to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                let kind = path.symlink_metadata().unwrap().file_type();
                let text = if kind.is_symlink() {
                    format!("-> {}", fs::read_link(&path).unwrap().display())
                } else if kind.is_dir() {
                    folders.push(path.clone());
                    "folder".to_owned()
                } else {
                    fs::read_to_string(&path).unwrap()
                };
                found.insert(path.strip_prefix(root).unwrap().to_owned(), text);
            }
        }
        found
    }

    fn environment() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        fs::create_dir_all(root.join("lib/python/a")).unwrap();
        fs::create_dir_all(root.join("native/guard")).unwrap();
        fs::write(root.join("lib/python/a/one.py"), "1").unwrap();
        fs::write(root.join("pyvenv.cfg"), "x").unwrap();
        fs::write(root.join("native/guard/plugin.toml"), "x").unwrap();
        std::os::unix::fs::symlink("lib", root.join("lib64")).unwrap();
        folder
    }

    /// Changes as an installer does: files are replaced, added, removed.
    fn change(root: &Path) {
        fs::remove_file(root.join("lib/python/a/one.py")).unwrap();
        fs::write(root.join("lib/python/a/one.py"), "2").unwrap();
        fs::create_dir_all(root.join("lib/python/b")).unwrap();
        fs::remove_file(root.join("pyvenv.cfg")).unwrap();
        fs::write(root.join("added"), "x").unwrap();
        fs::remove_file(root.join("lib64")).unwrap();
    }

    #[test]
    fn a_change_is_taken_back_whole() {
        let folder = environment();
        let before = content(folder.path());
        let snapshot = Snapshot::take(folder.path(), KEPT).unwrap();
        change(folder.path());
        snapshot.restore().unwrap();
        assert_eq!(content(folder.path()), before);
        assert!(!recover(folder.path(), KEPT).unwrap());
    }

    #[test]
    fn a_change_is_kept_and_the_copy_goes() {
        let (changed, expected) = (environment(), environment());
        let snapshot = Snapshot::take(changed.path(), KEPT).unwrap();
        change(changed.path());
        snapshot.discard().unwrap();
        change(expected.path());
        assert_eq!(content(changed.path()), content(expected.path()));
    }

    #[test]
    fn a_folder_that_was_not_there_is_gone_again() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("plugins");
        let snapshot = Snapshot::take(&root, KEPT).unwrap();
        fs::create_dir_all(root.join("lib/python")).unwrap();
        snapshot.restore().unwrap();
        assert!(!root.exists());
    }

    #[test]
    fn what_a_killed_change_left_is_put_back() {
        let folder = environment();
        let root = folder.path();
        let before = content(root);
        // Killed while the copy was made.
        fs::create_dir_all(root.join(UNFINISHED).join("lib")).unwrap();
        assert!(!recover(root, KEPT).unwrap());
        assert_eq!(content(root), before);
        // Killed during the change.
        let _forgotten = Snapshot::take(root, KEPT).unwrap();
        change(root);
        assert!(recover(root, KEPT).unwrap());
        assert_eq!(content(root), before);
        // Killed while it was put back: one entry is in its place already.
        let _forgotten = Snapshot::take(root, KEPT).unwrap();
        change(root);
        fs::remove_file(root.join("added")).unwrap();
        fs::rename(root.join(BEFORE), root.join(RESTORING)).unwrap();
        fs::rename(root.join(RESTORING).join("lib64"), root.join("lib64")).unwrap();
        assert!(recover(root, KEPT).unwrap());
        assert_eq!(content(root), before);
    }
}
