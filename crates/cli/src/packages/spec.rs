//! What to install, as the user names it.
//!
//! Owns the forms of a specification, and which kind of plugin lies at a path. Must not install
//! anything.
#![expect(clippy::disallowed_methods, reason = "this file looks at what the user wants installed")]

use crate::files;
use std::fmt;
use std::path::{Path, PathBuf};
use toml::Table;
use url::Url;

/// A plugin to install.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Spec {
    /// A package of the Python package index.
    Package {
        /// The whole requirement: name, extras, versions.
        requirement: String,
        /// Its name.
        name: String,
    },
    /// A Python package in a repository: the address with `git+`.
    Repository(String),
    /// A Python package in a folder or an archive.
    Python(PathBuf),
    /// A Rust crate in a folder.
    Crate(PathBuf),
    /// A program that speaks the plugin protocol.
    Executable(PathBuf),
    /// A Rust crate of the registry: `NAME` or `NAME@VERSION`.
    Registry(String),
}

impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Package { requirement: text, .. } | Self::Repository(text) => f.write_str(text),
            Self::Python(path) | Self::Crate(path) | Self::Executable(path) => {
                write!(f, "{}", path.display())
            }
            Self::Registry(text) => write!(f, "cargo:{text}"),
        }
    }
}

/// Why something cannot be installed at all.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SpecError {
    /// None of the forms.
    #[error(
        "{0:?} is nothing that can be installed: give the name of a package, ./PATH, \
         git+https://... or cargo:NAME"
    )]
    Unknown(String),
    /// An address of the web.
    #[error("{0} is an address: for a package in a repository write git+{0}")]
    PlainAddress(String),
    /// No such path.
    #[error("{}: there is no such file or folder", .0.display())]
    Missing(PathBuf),
    /// A folder that is neither kind of package.
    #[error(
        "{}: has neither a Python package (pyproject.toml) nor a Rust crate (Cargo.toml with [package]); \
         of a plugin in another language give the executable",
        .0.display()
    )]
    NoPackage(PathBuf),
    /// What says that a folder is a package makes no sense.
    #[error("{}: {reason}", .path.display())]
    Unreadable {
        /// The file that says it.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A file that cannot be run.
    #[error(
        "{path}: is neither an executable nor a wheel or source archive; if it is a program, run \
         chmod +x {path} first", path = .0.display()
    )]
    NotExecutable(PathBuf),
    /// There is no home for `~`.
    #[error("{0}: no home directory is known; write the whole path")]
    NoHome(String),
}

impl Spec {
    /// Reads a specification; paths are relative to `working_dir`. What has no `/`, and does not
    /// begin with `.` or `~`, is never a path: what lies in a folder must not stand in for the
    /// package of that name.
    ///
    /// # Errors
    /// When it is of no known form, or nothing that can be installed lies at the path.
    pub(crate) fn read(
        text: &str,
        working_dir: &Path,
        home: Option<&Path>,
    ) -> Result<Self, SpecError> {
        let unknown = || SpecError::Unknown(text.to_owned());
        if let Some(name) = text.strip_prefix("cargo:") {
            return is_crate(name).then(|| Self::Registry(name.to_owned())).ok_or_else(unknown);
        }
        if let Some(address) = text.strip_prefix("git+") {
            let is_address = Url::parse(address)
                .is_ok_and(|url| ["https", "http", "ssh", "file", "git"].contains(&url.scheme()));
            let is_one_word = !text.contains(|c: char| c.is_whitespace() || c.is_control());
            return (is_address && is_one_word)
                .then(|| Self::Repository(text.to_owned()))
                .ok_or_else(unknown);
        }
        if text.contains("://") {
            return Err(SpecError::PlainAddress(text.to_owned()));
        }
        if let Some(rest) = text.strip_prefix("~/") {
            let home = home.ok_or_else(|| SpecError::NoHome(text.to_owned()))?;
            return at_path(&home.join(rest));
        }
        if text.starts_with('.') || text.contains(std::path::is_separator) {
            return at_path(&working_dir.join(text));
        }
        let name = requirement_name(text).ok_or_else(unknown)?;
        Ok(Self::Package { requirement: text.to_owned(), name: name.to_owned() })
    }
}

/// Returns the name that a Python package in a folder gives itself, where that is plain to see.
pub(crate) fn project_name(folder: &Path) -> Option<String> {
    let table = table(&folder.join("pyproject.toml"))?;
    let name = table.get("project")?.get("name")?.as_str()?;
    requirement_name(name).filter(|whole| *whole == name).map(str::to_owned)
}

/// Returns what lies at a path.
fn at_path(path: &Path) -> Result<Spec, SpecError> {
    let Ok(path) = path.canonicalize() else { return Err(SpecError::Missing(path.to_owned())) };
    if path.is_dir() {
        if is_python(&path) {
            return Ok(Spec::Python(path));
        }
        let manifest = table(&path.join("Cargo.toml"));
        if manifest.is_some_and(|table| table.contains_key("package")) {
            return Ok(Spec::Crate(path));
        }
        return Err(unreadable(&path).unwrap_or(SpecError::NoPackage(path)));
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    if [".whl", ".tar.gz", ".zip"].iter().any(|ending| name.ends_with(ending)) {
        return Ok(Spec::Python(path));
    }
    if crate::programs::is_program(&path) {
        return Ok(Spec::Executable(path));
    }
    Err(SpecError::NotExecutable(path))
}

/// Returns whether a folder is a Python package. Many projects have a `pyproject.toml` only for
/// the settings of tools.
fn is_python(folder: &Path) -> bool {
    let Some(table) = table(&folder.join("pyproject.toml")) else {
        return folder.join("setup.py").is_file();
    };
    let is_poetry = table.get("tool").is_some_and(|tool| tool.get("poetry").is_some());
    table.contains_key("project") || table.contains_key("build-system") || is_poetry
}

/// Returns which of the files that describe a package cannot be read, and why.
fn unreadable(folder: &Path) -> Option<SpecError> {
    ["pyproject.toml", "Cargo.toml"].iter().find_map(|name| {
        let path = folder.join(name);
        let fault = files::read_text(&path).ok()??.parse::<Table>().err()?;
        Some(SpecError::Unreadable { path, reason: fault.message().replace('\n', " ") })
    })
}

fn table(path: &Path) -> Option<Table> {
    files::read_text(path).ok()??.parse().ok()
}

/// Returns the name of a requirement; `None` where it is none.
fn requirement_name(text: &str) -> Option<&str> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let end = text.find(|c| !is_part(c)).unwrap_or(text.len());
    let (name, mut rest) = text.split_at_checked(end)?;
    let is_edge = |c: char| c.is_ascii_alphanumeric();
    if !name.starts_with(is_edge) || !name.ends_with(is_edge) {
        return None;
    }
    rest = rest.trim_start();
    if let Some(extras) = rest.strip_prefix('[') {
        let (extras, behind) = extras.split_once(']')?;
        if !extras.chars().all(|c| is_part(c) || c == ',' || c == ' ') {
            return None;
        }
        rest = behind.trim_start();
    }
    let is_version = |c: char| is_part(c) || "*+!=<>~, ".contains(c);
    let is_bounded = rest.is_empty() || rest.starts_with(['=', '<', '>', '!', '~']);
    (is_bounded && rest.chars().all(is_version)).then_some(name)
}

/// Returns whether a text is the name of a crate, with a version or without.
fn is_crate(text: &str) -> bool {
    let (name, version) = text.split_once('@').unwrap_or((text, "0"));
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(is_word)
        && version.starts_with(|c: char| c.is_ascii_digit())
        && version.chars().all(|c| is_word(c) || c == '.' || c == '+')
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn read(text: &str) -> Result<Spec, String> {
        Spec::read(text, Path::new("/nowhere"), None).map_err(|error| error.to_string())
    }

    #[test]
    fn names_addresses_and_crates_are_told_apart() {
        for (text, name) in [
            ("letscode-memory", "letscode-memory"),
            ("Foo_Bar.baz", "Foo_Bar.baz"),
            ("a[b,c]", "a"),
            ("a[b]>=1.2,<2", "a"),
            ("a == 1.*", "a"),
            ("a~=1.4", "a"),
        ] {
            let package = Spec::Package { requirement: text.to_owned(), name: name.to_owned() };
            assert_eq!(read(text), Ok(package));
        }
        for text in [
            "git+https://h/r.git",
            "git+https://h/r@v1#subdirectory=plugins/a",
            "git+ssh://git@h/r.git",
            "git+file:///r",
        ] {
            assert_eq!(read(text), Ok(Spec::Repository(text.to_owned())));
        }
        assert_eq!(read("cargo:guard"), Ok(Spec::Registry("guard".to_owned())));
        assert_eq!(read("cargo:guard@1.2.3-a"), Ok(Spec::Registry("guard@1.2.3-a".to_owned())));
    }

    #[test]
    fn what_is_none_of_these_says_what_would_be() {
        for (text, part) in [
            ("what?", "nothing that can be installed"),
            ("a b", "nothing that can be installed"),
            ("a; python_version > '3'", "nothing that can be installed"),
            ("a[b", "nothing that can be installed"),
            ("a-", "nothing that can be installed"),
            ("git+nothing", "nothing that can be installed"),
            ("git+https://h/r --upgrade", "nothing that can be installed"),
            ("git+ext::sh -c x", "nothing that can be installed"),
            ("cargo:", "nothing that can be installed"),
            ("cargo:--git=x", "nothing that can be installed"),
            ("cargo:a@--git", "nothing that can be installed"),
            ("https://h/r.git", "write git+https://h/r.git"),
            ("./missing", "no such file or folder"),
            ("~/x", "no home directory"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.contains(part) && !error.contains('\n'), "{text}: {error}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_path_is_what_lies_there() {
        use crate::programs::fakes::script;
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for (file, text) in [
            ("python/pyproject.toml", "[project]\nname = 'x'"),
            ("mixed/pyproject.toml", "[build-system]"),
            ("mixed/Cargo.toml", "[package]\nname = 'x'"),
            ("settings/pyproject.toml", "[tool.ruff]"),
            ("settings/Cargo.toml", "[package]\nname = 'x'"),
            ("old/setup.py", ""),
            ("workspace/Cargo.toml", "[workspace]"),
            ("empty/README.md", ""),
            ("x-1.0-py3-none-any.whl", ""),
            ("plain.py", ""),
            ("broken/pyproject.toml", "[project\nname = 'x'"),
        ] {
            let path = root.join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        script(&root, "echo.py", "true");
        let read = |text: &str| Spec::read(text, &root, Some(&root)).map_err(|e| e.to_string());
        for (text, expected) in [
            ("./python", Spec::Python(root.join("python"))),
            ("~/python", Spec::Python(root.join("python"))),
            ("./mixed/", Spec::Python(root.join("mixed"))),
            ("./old", Spec::Python(root.join("old"))),
            ("./settings", Spec::Crate(root.join("settings"))),
            ("./x-1.0-py3-none-any.whl", Spec::Python(root.join("x-1.0-py3-none-any.whl"))),
            ("empty/../echo.py", Spec::Executable(root.join("echo.py"))),
        ] {
            assert_eq!(read(text), Ok(expected), "{text}");
        }
        for (text, part) in [
            ("./workspace", "neither a Python package"),
            ("./empty", "neither a Python package"),
            ("./plain.py", "chmod +x"),
            ("./broken", "broken/pyproject.toml: "),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.contains(part) && !error.contains('\n'), "{text}: {error}");
        }
        // A folder here is not the package of that name.
        assert!(matches!(read("python"), Ok(Spec::Package { .. })));
    }

    #[test]
    fn the_name_of_a_project_is_seen_where_it_is_plain() {
        let folder = tempfile::tempdir().unwrap();
        for (text, expected) in [
            ("[project]\nname = 'letscode-x'", Some("letscode-x")),
            ("[project]\nname = '--pre'", None),
            ("[project]\nname = 'a>=1'", None),
            ("[project]\ndynamic = ['name']", None),
            ("not toml", None),
        ] {
            fs::write(folder.path().join("pyproject.toml"), text).unwrap();
            assert_eq!(project_name(folder.path()).as_deref(), expected, "{text}");
        }
    }
}
