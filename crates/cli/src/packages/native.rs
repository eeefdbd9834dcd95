//! Plugins that are not Python: a folder each, with the program and a `plugin.toml` about it.
//!
//! Owns those folders: made whole or not at all, listed, removed. Must not start a plugin.
#![expect(clippy::disallowed_methods, reason = "this file keeps the folders of plugins")]

use super::PackageError;
use super::handshake;
use super::spec::Spec;
use super::workshop::{Step, Workshop, arguments};
use crate::args::Keeping;
use crate::files;
use crate::plugins;
use crate::programs::is_program;
use crate::python_environment::distribution::{Distribution, normal};
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use toml::{Table, Value};

/// The file that says how a plugin is started.
const MANIFEST: &str = "plugin.toml";

/// The folder of a plugin's programs.
const PROGRAMS: &str = "bin";

/// How the folder of a plugin begins that is not whole yet.
const UNFINISHED: &str = ".installing-";

/// A plugin in a folder of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NativePlugin {
    /// Its name.
    pub(crate) name: String,
    /// Its version; empty where it is not known.
    pub(crate) version: String,
    /// Where it was installed from; empty where it is not known.
    pub(crate) source: String,
    /// What is wrong with it, if it cannot be started.
    pub(crate) fault: Option<String>,
    /// Its folder.
    pub(crate) folder: PathBuf,
}

/// What cargo recorded about a crate that it installed.
struct Installed {
    name: String,
    version: String,
    programs: Vec<String>,
}

/// Installs a crate or an executable in a folder of its own below `root`, where `beside` are the
/// plugins in Python.
///
/// # Errors
/// When anything fails, or the name is taken; then all is as it was.
pub(super) async fn install(
    workshop: &mut Workshop,
    spec: &Spec,
    root: &Path,
    beside: &[Distribution],
    keeping: Keeping,
) -> Result<NativePlugin, PackageError> {
    let source = spec.to_string();
    let name = match spec {
        Spec::Crate(path) => crate_name(path),
        Spec::Executable(path) => program_name(path),
        Spec::Registry(text) => text.split('@').next().map(str::to_owned),
        Spec::Package { .. } | Spec::Repository(_) | Spec::Python(_) => None,
    };
    let name = name.ok_or(PackageError::NoName)?;
    if plugins::is_reserved(&name) {
        return Err(PackageError::Reserved { name });
    }
    if let Some(taken) = find(root, &name) {
        return Err(PackageError::Taken { name, origin: taken.source });
    }
    if let Some(taken) = beside.iter().find(|plugin| normal(&plugin.name) == normal(&name)) {
        return Err(PackageError::Taken { name, origin: taken.origin.to_string() });
    }
    let made = missing_folders(root);
    let built = async {
        fs::create_dir_all(root).map_err(|source| PackageError::io(root, source))?;
        remove_unfinished(root);
        let folder = tempfile::Builder::new().prefix(UNFINISHED).tempdir_in(root);
        let folder = folder.map_err(|source| PackageError::io(root, source))?;
        let (version, program) = match spec {
            Spec::Executable(path) => (None, put(path, folder.path(), keeping)?),
            _ if keeping == Keeping::Link => return Err(PackageError::NoLink),
            _ => build(workshop, spec, folder.path()).await?,
        };
        let path = folder.path().join(PROGRAMS).join(&program);
        let told = handshake::version(workshop, &path, &name).await;
        let told = told.map_err(|why| PackageError::NoProtocol { name: name.clone(), why })?;
        let version = version.unwrap_or(told);
        write_manifest(folder.path(), &name, &version, &program, &source)?;
        let place = root.join(&name);
        open_to_readers(folder.path()).map_err(|source| PackageError::io(&place, source))?;
        fs::rename(folder.path(), &place).map_err(|source| PackageError::io(&place, source))?;
        // It is in its place: there is nothing to remove any more.
        let _ = folder.keep();
        Ok(NativePlugin { name, version, source, fault: None, folder: place })
    };
    let built = built.await;
    if built.is_err() {
        for folder in made {
            let _ = fs::remove_dir(folder);
        }
    }
    built
}

/// Returns the plugins below a folder, by name.
pub(crate) fn plugins_in(root: &Path) -> Vec<NativePlugin> {
    let Ok(entries) = root.read_dir() else { return Vec::new() };
    let folders = entries.flatten().map(|entry| entry.path());
    let whole = folders.filter(|folder| !is_unfinished(folder));
    let mut plugins: Vec<_> = whole.filter_map(|folder| read(&folder)).collect();
    plugins.sort_by(|a, b| a.name.cmp(&b.name));
    plugins
}

/// Returns the plugin of that name below a folder.
pub(crate) fn find(root: &Path, name: &str) -> Option<NativePlugin> {
    plugins_in(root).into_iter().find(|plugin| plugin.name == name)
}

/// Removes a plugin and all that is in its folder.
///
/// # Errors
/// When the system refuses.
pub(super) fn uninstall(plugin: &NativePlugin) -> Result<(), PackageError> {
    let folder = &plugin.folder;
    let failed = |source| PackageError::io(folder, source);
    let is_link = folder.symlink_metadata().map_err(failed)?.is_symlink();
    if is_link { fs::remove_file(folder) } else { fs::remove_dir_all(folder) }.map_err(failed)
}

/// Returns the names of the programs that a plugin ships, sorted.
pub(crate) fn tools(plugin: &NativePlugin) -> Vec<String> {
    let Ok(entries) = plugin.folder.join(PROGRAMS).read_dir() else { return Vec::new() };
    let programs = entries.flatten().filter(|entry| is_program(&entry.path()));
    let mut names: Vec<String> =
        programs.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort();
    names
}

/// Returns where a plugin's program is.
pub(crate) fn tool(plugin: &NativePlugin, name: &str) -> PathBuf {
    plugin.folder.join(PROGRAMS).join(name)
}

/// Reads a plugin's folder; `None` where there is no plugin in it.
fn read(folder: &Path) -> Option<NativePlugin> {
    let name = folder.file_name()?.to_string_lossy().into_owned();
    let unnamed = |fault| NativePlugin {
        name: name.clone(),
        version: String::new(),
        source: String::new(),
        fault: Some(fault),
        folder: folder.to_owned(),
    };
    let table: Table = match files::read_text(&folder.join(MANIFEST)) {
        Ok(None) => return None,
        Ok(Some(text)) => match text.parse() {
            Ok(table) => table,
            Err(_) => return Some(unnamed(format!("{MANIFEST} is not TOML"))),
        },
        Err(error) => return Some(unnamed(error.to_string())),
    };
    let text = |key: &str| table.get(key).and_then(Value::as_str).map(str::to_owned);
    let command = match table.get("command") {
        Some(Value::Array(words)) => words.first().and_then(Value::as_str),
        Some(Value::String(program)) => Some(program.as_str()),
        _ => None,
    };
    let fault = match command {
        None => Some(format!("{MANIFEST} names no command")),
        Some(program) => {
            let path = program.strip_prefix("./").map(|rest| folder.join(rest));
            let is_gone = path.as_ref().is_some_and(|path| !is_program(path));
            is_gone.then(|| format!("its program {program} is gone"))
        }
    };
    Some(NativePlugin {
        name: text("name").unwrap_or(name),
        version: text("version").unwrap_or_default(),
        source: text("source").unwrap_or_default(),
        fault,
        folder: folder.to_owned(),
    })
}

/// Has cargo build a crate into `folder`, and returns its version and the name of its program.
async fn build(
    workshop: &mut Workshop,
    spec: &Spec,
    folder: &Path,
) -> Result<(Option<String>, OsString), PackageError> {
    let cargo = workshop.find("cargo").ok_or(PackageError::NoCargo)?;
    let mut words = arguments(["install", "--root"]);
    words.push(folder.into());
    let working_dir = match spec {
        Spec::Crate(path) => {
            if path.join("Cargo.lock").is_file() {
                words.push("--locked".into());
            }
            words.extend(["--path".into(), path.into()]);
            // The crate may say which toolchain builds it.
            Some(path.as_path())
        }
        Spec::Registry(text) => {
            words.extend(["--locked".into(), text.into()]);
            None
        }
        _ => None,
    };
    // Otherwise cargo warns that the programs are not on the path.
    let path = workshop.search_path_with(&folder.join(PROGRAMS));
    let variables = path.into_iter().map(|path| ("PATH", path)).collect();
    let step = Step { working_dir, variables, ..Step::new(&cargo, "cargo", words) };
    workshop.run(step).await?;
    let installed = record(folder).ok_or(PackageError::NoPrograms)?;
    for file in [".crates.toml", ".crates2.json"] {
        let _ = fs::remove_file(folder.join(file));
    }
    let own = format!("{}{}", installed.name, std::env::consts::EXE_SUFFIX);
    let program = match &installed.programs[..] {
        [only] => only.clone(),
        several if several.contains(&own) => own,
        _ => return Err(PackageError::ManyPrograms { name: installed.name }),
    };
    Ok((Some(installed.version), program.into()))
}

/// Reads what cargo recorded: `"NAME VERSION (SOURCE)" = ["PROGRAM"]`.
fn record(folder: &Path) -> Option<Installed> {
    let table: Table = files::read_text(&folder.join(".crates.toml")).ok()??.parse().ok()?;
    let (key, programs) = table.get("v1")?.as_table()?.iter().next()?;
    let mut words = key.split(' ');
    let programs = programs.as_array()?.iter().filter_map(Value::as_str).map(str::to_owned);
    Some(Installed {
        name: words.next()?.to_owned(),
        version: words.next()?.to_owned(),
        programs: programs.collect(),
    })
}

/// Puts an executable, or a link to it, into a plugin's folder, and returns its name there.
fn put(program: &Path, folder: &Path, keeping: Keeping) -> Result<OsString, PackageError> {
    let name = program.file_name().unwrap_or_default().to_owned();
    let programs = folder.join(PROGRAMS);
    let place = programs.join(&name);
    fs::create_dir(&programs).map_err(|source| PackageError::io(&programs, source))?;
    match keeping {
        Keeping::Copy => fs::copy(program, &place).map(drop),
        Keeping::Link => link(program, &place),
    }
    .map_err(|source| PackageError::io(program, source))?;
    Ok(name)
}

#[cfg(unix)]
fn link(program: &Path, place: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(program, place)
}

#[cfg(not(unix))]
fn link(_program: &Path, _place: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

fn write_manifest(
    folder: &Path,
    name: &str,
    version: &str,
    program: &OsString,
    source: &str,
) -> Result<(), PackageError> {
    let program = program.to_str().ok_or(PackageError::NoName)?;
    let mut table = Table::new();
    table.insert("name".to_owned(), name.into());
    if !version.is_empty() {
        table.insert("version".to_owned(), version.into());
    }
    let command = format!("./{PROGRAMS}/{program}");
    table.insert("command".to_owned(), Value::Array(vec![command.into()]));
    table.insert("source".to_owned(), source.into());
    let path = folder.join(MANIFEST);
    fs::write(&path, table.to_string()).map_err(|source| PackageError::io(&path, source))
}

/// Gives a folder the rights of any other: temporary ones are closed.
#[cfg(unix)]
fn open_to_readers(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(folder, fs::Permissions::from_mode(0o755))
}

#[cfg(not(unix))]
fn open_to_readers(_folder: &Path) -> io::Result<()> {
    Ok(())
}

fn crate_name(folder: &Path) -> Option<String> {
    let table: Table = files::read_text(&folder.join("Cargo.toml")).ok()??.parse().ok()?;
    let name = table.get("package")?.get("name")?.as_str()?;
    is_name(name).then(|| name.to_owned())
}

/// Returns the name of a program without the ending that tells its language.
fn program_name(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_str()?;
    let is_ending =
        |end: &str| end.len() <= 4 && end.starts_with(|c: char| c.is_ascii_alphabetic());
    let stem = match name.rsplit_once('.') {
        Some((stem, ending)) if !stem.is_empty() && !stem.ends_with('.') && is_ending(ending) => {
            stem
        }
        _ => name,
    };
    is_name(stem).then(|| stem.to_owned())
}

fn is_name(name: &str) -> bool {
    let is_good = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && name.chars().all(is_good)
        && !name.ends_with('.')
}

/// Returns the folders that have to be made for `root`, the deepest first.
fn missing_folders(root: &Path) -> Vec<PathBuf> {
    let missing = root.ancestors().take_while(|folder| folder.symlink_metadata().is_err());
    missing.map(Path::to_owned).collect()
}

/// Removes what an installation that was killed left half done.
fn remove_unfinished(root: &Path) {
    let Ok(entries) = root.read_dir() else { return };
    for folder in entries.flatten().map(|entry| entry.path()).filter(|path| is_unfinished(path)) {
        let _ = fs::remove_dir_all(folder);
    }
}

fn is_unfinished(folder: &Path) -> bool {
    folder
        .file_name()
        .is_some_and(|name| name.as_encoded_bytes().starts_with(UNFINISHED.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_named_without_the_ending_of_its_language() {
        for (path, expected) in [
            ("/x/echo.py", Some("echo")),
            ("/x/guard", Some("guard")),
            ("/x/guard-1.2", Some("guard-1.2")),
            ("/x/a.b.sh", Some("a.b")),
            ("/x/a..b", Some("a..b")),
            ("/x/a...sh", Some("a...sh")),
            ("/x/a.", None),
            ("/x/.hidden", None),
            ("/x/two words", None),
        ] {
            assert_eq!(program_name(Path::new(path)).as_deref(), expected, "{path}");
        }
    }

    #[test]
    fn a_broken_plugin_is_listed_with_what_is_wrong() {
        let root = tempfile::tempdir().unwrap();
        for (name, text) in [
            ("a", "not toml"),
            ("b", "name = 'other'\nversion = '1'"),
            ("c", "command = ['./bin/c']"),
            ("d", "command = 'python3'"),
            (".installing-x", "command = 'x'"),
        ] {
            fs::create_dir(root.path().join(name)).unwrap();
            fs::write(root.path().join(name).join(MANIFEST), text).unwrap();
        }
        fs::create_dir(root.path().join("e")).unwrap();
        let plugins = plugins_in(root.path());
        let shown: Vec<_> =
            plugins.iter().map(|plugin| (plugin.name.as_str(), plugin.fault.as_deref())).collect();
        let expected = [
            ("a", Some("plugin.toml is not TOML")),
            ("c", Some("its program ./bin/c is gone")),
            ("d", None),
            ("other", Some("plugin.toml names no command")),
        ];
        assert_eq!(shown, expected);
    }
}
