//! Python packages that are installed, read from the records that every installer leaves.
//!
//! Owns the reading of `*.dist-info` and `*.egg-info` folders. Must not start Python.
#![expect(clippy::disallowed_methods, reason = "this file reads what is installed")]

use crate::files::read_text;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use url::Url;

/// The group of entry points by which a package says that it is a plugin.
pub(crate) const ENTRY_POINT_GROUP: &str = "letscode";

/// The group of the tools that a package ships.
const TOOL_GROUP: &str = "console_scripts";

/// A plugin that is installed as a Python package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Distribution {
    /// Its name, as it writes it.
    pub(crate) name: String,
    /// Its version.
    pub(crate) version: String,
    /// Where it came from.
    pub(crate) origin: Origin,
    /// The names of its plugins: those of their entry points.
    pub(crate) plugins: Vec<String>,
    /// The names of its tools, sorted.
    pub(crate) tools: Vec<String>,
    /// What it requires, but for what only some extras need.
    pub(crate) requires: Vec<Requirement>,
}

/// A package that another one requires.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Requirement {
    /// Its name, as the other one writes it.
    pub(crate) name: String,
    /// The versions that will do: `>=1,<2`; empty where all do.
    pub(crate) versions: String,
}

/// Where an installed package came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Origin {
    /// The package index.
    Index,
    /// A folder or an archive; `linked` where it is used where it lies.
    Path {
        /// The folder or archive.
        path: PathBuf,
        /// Whether it is used where it lies.
        linked: bool,
    },
    /// A repository or another address, without a login.
    Address(String),
}

impl std::fmt::Display for Origin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Index => f.write_str("package index"),
            Self::Path { path, linked: false } => write!(f, "{}", path.display()),
            Self::Path { path, linked: true } => write!(f, "{} (linked)", path.display()),
            Self::Address(address) => f.write_str(address),
        }
    }
}

/// Returns the plugins in a folder of packages, by name. What is not readable is left out.
pub(crate) fn plugins_in(site_packages: &Path) -> Vec<Distribution> {
    let mut plugins: Vec<_> = records_in(site_packages).iter().filter_map(|at| read(at)).collect();
    plugins.sort_by_cached_key(|plugin| normal(&plugin.name));
    plugins
}

/// Returns the names of the plugins in a folder of packages. Reads of each package no more than it
/// takes.
pub(crate) fn plugin_names_in(site_packages: &Path) -> Vec<String> {
    let records = records_in(site_packages);
    let names = records.iter().filter_map(|record| entry_points(record)?.remove(ENTRY_POINT_GROUP));
    names.flatten().collect()
}

/// Returns whether a package of that name is in a folder of packages, plugin or not.
pub(crate) fn has_package(site_packages: &Path, name: &str) -> bool {
    let wanted = normal(name);
    let mut records = records_in(site_packages).into_iter();
    records.any(|record| name_of_record(&record).is_some_and(|name| normal(name) == wanted))
}

/// Returns a package's name in the form in which names are compared.
pub(crate) fn normal(name: &str) -> String {
    let words = name.split(['-', '_', '.']).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("-").to_lowercase()
}

/// Returns the folders of records.
fn records_in(site_packages: &Path) -> Vec<PathBuf> {
    let Ok(entries) = site_packages.read_dir() else { return Vec::new() };
    let paths = entries.flatten().map(|entry| entry.path());
    paths
        .filter(|path| path.extension().is_some_and(|end| end == "dist-info" || end == "egg-info"))
        .collect()
}

/// Returns the name in the name of a folder of records: `NAME-VERSION.dist-info`.
fn name_of_record(record: &Path) -> Option<&str> {
    record.file_stem()?.to_str()?.split('-').next()
}

/// Reads one record; `None` where it is no plugin's.
fn read(record: &Path) -> Option<Distribution> {
    // Most packages are no plugins: nothing else of them is read.
    let mut groups = entry_points(record)?;
    let plugins = groups.remove(ENTRY_POINT_GROUP)?;
    let text = |name: &str| text_of(record, name);
    let metadata = text("METADATA").or_else(|| text("PKG-INFO")).unwrap_or_default();
    let name = field(&metadata, "Name").or_else(|| name_of_record(record))?;
    let mut tools = groups.remove(TOOL_GROUP).unwrap_or_default();
    tools.sort();
    Some(Distribution {
        name: name.to_owned(),
        version: field(&metadata, "Version").unwrap_or("?").to_owned(),
        origin: text("direct_url.json").and_then(|text| origin(&text)).unwrap_or(Origin::Index),
        plugins,
        tools,
        requires: fields(&metadata, "Requires-Dist").filter_map(requirement).collect(),
    })
}

/// Returns the names of a package's entry points by group; `None` where it has none.
fn entry_points(record: &Path) -> Option<BTreeMap<String, Vec<String>>> {
    Some(groups(&text_of(record, "entry_points.txt")?))
}

/// Reads a file of a record. Most are looked for in vain at the start of the program, which costs one
/// look.
fn text_of(record: &Path, name: &str) -> Option<String> {
    read_text(&record.join(name)).ok().flatten()
}

/// Returns whether an entry point leads into the package `letscode` itself, which is no plugin.
fn is_our_own(target: &str) -> bool {
    target.trim().split(['.', ':']).next() == Some("letscode")
}

/// Returns the names of entry points by group.
fn groups(text: &str) -> BTreeMap<String, Vec<String>> {
    let mut groups: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut group = String::new();
    for line in text.lines().map(str::trim) {
        if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            name.trim().clone_into(&mut group);
        } else if let Some((name, target)) = line.split_once('=')
            && !line.starts_with(['#', ';'])
            && !is_our_own(target)
        {
            groups.entry(group.clone()).or_default().push(name.trim().to_owned());
        }
    }
    groups
}

/// Returns a field of the head of a record.
fn field<'a>(metadata: &'a str, name: &str) -> Option<&'a str> {
    fields(metadata, name).next()
}

/// Returns all fields of a name in the head of a record.
fn fields<'a>(metadata: &'a str, name: &str) -> impl Iterator<Item = &'a str> {
    let head = metadata.lines().take_while(|line| !line.trim().is_empty());
    let fields = head.filter_map(|line| line.split_once(':'));
    fields.filter(move |(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim())
}

/// Reads a requirement; `None` where it depends on a condition.
fn requirement(text: &str) -> Option<Requirement> {
    if text.contains(';') {
        return None;
    }
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let (name, rest) = text.split_at_checked(text.find(|c| !is_name(c)).unwrap_or(text.len()))?;
    let versions = rest.rsplit(']').next().unwrap_or(rest);
    let versions = versions.chars().filter(|c| !matches!(c, ' ' | '(' | ')')).collect();
    Some(Requirement { name: name.to_owned(), versions })
}

/// Reads `direct_url.json`, which installers write where a package is not from an index.
fn origin(text: &str) -> Option<Origin> {
    let json: Value = serde_json::from_str(text).ok()?;
    let mut url = Url::parse(json.get("url")?.as_str()?).ok()?;
    let part = |of: &Value, name: &str| of.get(name).and_then(Value::as_str).map(str::to_owned);
    if let Some(vcs) = json.get("vcs_info") {
        let _ = url.set_username("").and_then(|()| url.set_password(None));
        let kind = part(vcs, "vcs")?;
        let revision = part(vcs, "requested_revision").map(|name| format!("@{name}"));
        let folder = part(&json, "subdirectory").map(|path| format!("#subdirectory={path}"));
        let (revision, folder) = (revision.unwrap_or_default(), folder.unwrap_or_default());
        return Some(Origin::Address(format!("{kind}+{url}{revision}{folder}")));
    }
    if let Ok(path) = url.to_file_path() {
        let linked = json.get("dir_info").and_then(|info| info.get("editable"));
        return Some(Origin::Path { path, linked: linked == Some(&Value::Bool(true)) });
    }
    let _ = url.set_username("").and_then(|()| url.set_password(None));
    Some(Origin::Address(url.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn package(root: &Path, record: &str, files: &[(&str, &str)]) {
        let record = root.join(record);
        fs::create_dir_all(&record).unwrap();
        for (name, text) in files {
            fs::write(record.join(name), text).unwrap();
        }
    }

    #[test]
    fn plugins_are_told_by_their_entry_points() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let metadata = "Metadata-Version: 2.1\nName: Letscode_Memory\nVersion: 0.1.0\n\
                        Requires-Dist: letscode[x] (>=0.2, <1)\nRequires-Dist: a; extra == 'b'\n\nName: no";
        let entry_points =
            "[console_scripts]\nremember = a:b\nforget=a:c\n\n[letscode]\nmemory = a";
        package(
            root,
            "letscode_memory-0.1.0.dist-info",
            &[("METADATA", metadata), ("entry_points.txt", entry_points)],
        );
        package(
            root,
            "old-2.egg-info",
            &[
                ("PKG-INFO", "Name: old\nVersion: 2"),
                ("entry_points.txt", "[letscode]\r\na = b\r\n"),
            ],
        );
        for (record, text) in [
            ("pytest-9.dist-info", "[console_scripts]\npytest = p:q\n"),
            ("near-1.dist-info", "[letscode.skills]\nx = y\n# [letscode]\n"),
            ("hollow-1.dist-info", "[letscode]\n"),
            ("letscode-0.9.dist-info", "[letscode]\nbasic = letscode.frontends.basic\n"),
        ] {
            package(root, record, &[("entry_points.txt", text)]);
        }
        package(root, "plain-1.dist-info", &[]);
        fs::write(root.join("file.dist-info"), "").unwrap();
        let found = plugins_in(root);
        let memory = Distribution {
            name: "Letscode_Memory".to_owned(),
            version: "0.1.0".to_owned(),
            origin: Origin::Index,
            plugins: vec!["memory".to_owned()],
            tools: vec!["forget".to_owned(), "remember".to_owned()],
            requires: vec![Requirement {
                name: "letscode".to_owned(),
                versions: ">=0.2,<1".to_owned(),
            }],
        };
        assert_eq!(found.len(), 2, "{found:?}");
        assert_eq!(found[0], memory);
        assert_eq!((found[1].name.as_str(), found[1].version.as_str()), ("old", "2"));
        assert!(has_package(root, "PyTest") && has_package(root, "letscode-memory"));
        assert!(!has_package(root, "letscode-goal") && plugins_in(&root.join("none")).is_empty());
    }

    #[test]
    fn a_record_says_where_a_package_came_from() {
        for (text, expected) in [
            (r#"{"url":"file:///a%20b","dir_info":{}}"#, "/a b"),
            (r#"{"url":"file:///a","dir_info":{"editable":true}}"#, "/a (linked)"),
            (
                r#"{"url":"https://me:token@h/r.git","vcs_info":{"vcs":"git","commit_id":"0","requested_revision":"v1"},"subdirectory":"p/q"}"#,
                "git+https://h/r.git@v1#subdirectory=p/q",
            ),
            (r#"{"url":"https://u:p@h/a.whl","archive_info":{}}"#, "https://h/a.whl"),
        ] {
            assert_eq!(origin(text).unwrap().to_string(), expected);
        }
        assert_eq!(origin("{}"), None);
        assert_eq!(origin("no json"), None);
    }
}
