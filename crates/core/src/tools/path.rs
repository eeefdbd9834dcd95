//! From the path that a model writes to the path that the environment gets.
//!
//! Owns `~/`, `file://`, a leading `@`, relative paths, and the normal form under which calls
//! and the ledger name a file. Must not open files.

use crate::env::ExecutionEnv;
use std::path::{Component, Path, PathBuf};

/// Returns the absolute path that `given` means.
///
/// A leading `@`, which models copy from the user's message, is dropped unless something of that
/// name is there.
pub(crate) async fn resolve(given: &str, home: Option<&Path>, env: &dyn ExecutionEnv) -> PathBuf {
    let literal = absolute(given, home, env.working_dir());
    let Some(stripped) = given.strip_prefix('@').filter(|rest| !rest.is_empty()) else {
        return literal;
    };
    let first_name = Path::new(given).components().next();
    let first = first_name.map(|name| env.working_dir().join(name));
    if let Some(first) = first
        && env.metadata(&first).await.is_ok()
    {
        return literal;
    }
    let stripped = absolute(stripped, home, env.working_dir());
    match stripped.parent() {
        Some(parent) if env.metadata(parent).await.is_err() => literal,
        Some(_) | None => stripped,
    }
}

/// Returns the name under which calls on the same file wait for each other. It may join names
/// that are two files (`@a` and `a`), never the other way round for one spelling.
pub(super) fn access_key(given: &str, home: Option<&Path>, working_dir: &Path) -> PathBuf {
    let given = given.strip_prefix('@').unwrap_or(given);
    normal_form(&absolute(given, home, working_dir))
}

/// Returns `path` without `.` and with `..` taken off by name alone. Only for comparing: where
/// links are involved the system may see another file.
pub(super) fn normal_form(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                normal.pop();
            }
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => {
                normal.push(component);
            }
        }
    }
    normal
}

fn absolute(given: &str, home: Option<&Path>, working_dir: &Path) -> PathBuf {
    if let Some(url_path) = given.strip_prefix("file://") {
        let url_path = url_path.strip_prefix("localhost").unwrap_or(url_path);
        return working_dir.join(percent_decoded(url_path));
    }
    match (home, given.strip_prefix('~')) {
        (Some(home), Some("")) => home.to_owned(),
        (Some(home), Some(rest)) if rest.starts_with('/') => {
            home.join(rest.trim_start_matches('/'))
        }
        _ => working_dir.join(given),
    }
}

/// Returns `text` with its `%XX` decoded; unchanged where that gives no UTF-8.
fn percent_decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, tail)) = rest.split_first() {
        rest = tail;
        let decoded = tail
            .get(..2)
            .filter(|_| byte == b'%')
            .and_then(|digits| std::str::from_utf8(digits).ok())
            .filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()))
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        if let Some(decoded) = decoded {
            bytes.push(decoded);
            rest = tail.get(2..).unwrap_or_default();
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relative_home_and_url_paths_become_absolute() {
        let home = Path::new("/home/u");
        let cases = [
            ("a/b.rs", "/w/a/b.rs"),
            ("./a", "/w/a"),
            ("/etc/hosts", "/etc/hosts"),
            ("~", "/home/u"),
            ("~/x y", "/home/u/x y"),
            ("~user/x", "/w/~user/x"),
            ("file:///tmp/a%20b%2f", "/tmp/a b/"),
            ("file://localhost/tmp/%zz", "/tmp/%zz"),
            ("file:///tmp/%ff", "/tmp/%ff"),
            ("@a", "/w/@a"),
        ];
        for (given, expected) in cases {
            assert_eq!(
                absolute(given, Some(home), Path::new("/w")),
                Path::new(expected),
                "{given}"
            );
        }
        assert_eq!(absolute("~/x", None, Path::new("/w")), Path::new("/w/~/x"));
    }

    #[test]
    fn one_file_has_one_key() {
        for given in ["a/b", "./a/b", "a/../a/b", "@a/b", "/w/a/b", "file:///w/a//b", "../w/a/b"] {
            assert_eq!(access_key(given, None, Path::new("/w")), Path::new("/w/a/b"), "{given}");
        }
    }
}
