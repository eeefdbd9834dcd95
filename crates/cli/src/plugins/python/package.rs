//! The Python package that the program carries, and its unpacking.
//!
//! Owns the list of its files. Must not know who uses them.
#![expect(clippy::disallowed_methods, reason = "this file unpacks the Python package")]

use sha2::{Digest as _, Sha256};
use std::path::{Path, PathBuf};
use std::{fs, io};

/// Makes the table of the package's files, each with its text.
macro_rules! files {
    ($($path:literal,)*) => {
        [$(($path, include_str!(concat!("../../../../../python/", $path)))),*]
    };
}

/// The files, with their paths below the folder that goes onto Python's path.
const FILES: &[(&str, &str)] = &files![
    "letscode/__init__.py",
    "letscode/_program.py",
    "letscode/agent/__init__.py",
    "letscode/agent/agent.py",
    "letscode/agent/events.py",
    "letscode/agent/execution_env.py",
    "letscode/agent/hookspecs.py",
    "letscode/agent/messages.py",
    "letscode/agent/state.py",
    "letscode/agent/subagent.py",
    "letscode/agent/tools.py",
    "letscode/commands/__init__.py",
    "letscode/commands/dispatch.py",
    "letscode/config.py",
    "letscode/frontends/__init__.py",
    "letscode/frontends/basic/__init__.py",
    "letscode/frontends/basic/tui.py",
    "letscode/frontends/protocol.py",
    "letscode/host/__init__.py",
    "letscode/host/__main__.py",
    "letscode/host/arguments.py",
    "letscode/host/calls.py",
    "letscode/host/channel.py",
    "letscode/host/commands.py",
    "letscode/host/delivery.py",
    "letscode/host/frontends.py",
    "letscode/host/hooks.py",
    "letscode/host/mirror.py",
    "letscode/host/plain.py",
    "letscode/host/program.py",
    "letscode/host/run.py",
    "letscode/host/streams.py",
    "letscode/host/terminal.py",
    "letscode/host/tools.py",
    "letscode/llm/__init__.py",
    "letscode/llm/types.py",
    "letscode/log.py",
    "letscode/plugins/__init__.py",
    "letscode/plugins/manager.py",
    "letscode/plugins/registries.py",
    "letscode/plugins/wrappers.py",
    "letscode/py.typed",
    "letscode/session/__init__.py",
    "letscode/session/store.py",
    "letscode/skills/__init__.py",
    "letscode/skills/loader.py",
];

/// What makes the package a distribution, so that its version is known and no installer looks for
/// another one.
const METADATA: [(&str, &str); 2] = [
    ("METADATA", include_str!("../../../../../python/letscode-0.8.0.dist-info/METADATA")),
    ("INSTALLER", include_str!("../../../../../python/letscode-0.8.0.dist-info/INSTALLER")),
];

/// Returns the folder below `cache` in which the package is, after it was written there if need be.
///
/// # Errors
/// When it cannot be written.
pub(super) fn unpacked(cache: &Path) -> io::Result<PathBuf> {
    let places = cache.join("python-host");
    let place = places.join(format!("{}-{}", env!("CARGO_PKG_VERSION"), digest()));
    if place.is_dir() {
        return Ok(place);
    }
    fs::create_dir_all(&places)?;
    // Whole or not at all, also where two programs start at once.
    let scratch = tempfile::tempdir_in(&places)?;
    for (path, text) in all() {
        let path = scratch.path().join(path);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(path, text)?;
    }
    match fs::rename(scratch.path(), &place) {
        Err(error) if !place.is_dir() => Err(error),
        _ => Ok(place),
    }
}

/// Returns every file with its path and text.
fn all() -> impl Iterator<Item = (PathBuf, &'static str)> {
    let info = PathBuf::from(concat!("letscode-", env!("CARGO_PKG_VERSION"), ".dist-info"));
    let metadata = METADATA.iter().map(move |(name, text)| (info.join(name), *text));
    FILES.iter().map(|(path, text)| (PathBuf::from(path), *text)).chain(metadata)
}

/// Tells packages of one version apart, while the program is being worked on.
fn digest() -> String {
    let mut digest = Sha256::new();
    for (path, text) in all() {
        digest.update(path.as_os_str().as_encoded_bytes());
        digest.update(text);
    }
    digest.finalize().iter().take(4).map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn files_below(folder: &Path, found: &mut BTreeSet<PathBuf>) {
        for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
            let path = entry.path();
            if path.is_dir() && entry.file_name() != "__pycache__" {
                files_below(&path, found);
            } else if path.is_file() {
                found.insert(path);
            }
        }
    }

    #[test]
    fn every_file_of_the_package_is_carried() {
        let python = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../python");
        let mut there = BTreeSet::new();
        files_below(&python.join("letscode"), &mut there);
        files_below(
            &python.join(concat!("letscode-", env!("CARGO_PKG_VERSION"), ".dist-info")),
            &mut there,
        );
        let carried: BTreeSet<PathBuf> = all().map(|(path, _)| python.join(path)).collect();
        assert_eq!(carried, there);
    }

    #[test]
    fn the_package_is_unpacked_once_and_leaves_nothing_beside_it() {
        let cache = tempfile::tempdir().unwrap();
        let place = unpacked(cache.path()).unwrap();
        assert!(place.join("letscode/host/__main__.py").is_file());
        fs::write(place.join("mark"), "").unwrap();
        assert_eq!(unpacked(cache.path()).unwrap(), place);
        assert!(place.join("mark").is_file());
        assert_eq!(fs::read_dir(cache.path().join("python-host")).unwrap().count(), 1);
    }
}
