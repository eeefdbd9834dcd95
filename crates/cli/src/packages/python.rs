//! Python packages: brought into an environment and removed from it by uv, else by pip.
//!
//! Owns their command lines, and that a failed installation leaves no trace. Must not ask the
//! package index anything itself.
#![expect(clippy::disallowed_methods, reason = "this file writes what uv and pip are given")]

use super::PackageError;
use super::native;
use super::places::NATIVE;
use super::snapshot::{self, Snapshot};
use super::spec::{Spec, project_name};
use super::version_bound;
use super::workshop::{Python, Step, StepError, Workshop, arguments};
use crate::args::{Keeping, Place};
use crate::python_environment::distribution::{Distribution, Origin, normal};
use crate::python_environment::{OLDEST_PYTHON, PythonEnvironment};
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use url::Url;

/// The distribution that plugins require and that the program brings itself. Another program has
/// that name on the package index: it must not be fetched from there.
const OWN_DISTRIBUTION: &str = "letscode";

/// What our own distribution requires.
const OWN_REQUIREMENTS: [&str; 3] = ["pydantic>=2.7", "pluggy>=1.5", "rich>=13"];

/// What the environment's folder also holds and no installer touches.
const LEFT_ALONE: &[&str] = &[NATIVE];

/// What installs packages.
#[derive(Debug)]
enum Installer {
    /// uv, which also finds or fetches a Python.
    Uv(PathBuf),
    /// The environment's own pip; the Python makes the environment where there is none.
    Pip(Option<Python>),
}

/// Installs a Python package in the environment at `root`, which is made where it is the user's
/// and not there yet, and returns the plugin that it is. What is not Python is in `native`.
///
/// # Errors
/// When anything fails, the package is no plugin, or its name is taken in `native`; then all is as it was.
pub(super) async fn install(
    workshop: &mut Workshop,
    spec: &Spec,
    root: &Path,
    native: Option<&Path>,
    place: Place,
    keeping: Keeping,
) -> Result<Distribution, PackageError> {
    recover(root)?;
    let environment = PythonEnvironment::at(root);
    match &environment {
        Some(environment) => check(environment)?,
        None if place == Place::Project => {
            return Err(PackageError::NotAnEnvironment(root.to_owned()));
        }
        None => {}
    }
    let installer = match workshop.find("uv") {
        Some(uv) => Installer::Uv(uv),
        None if environment.is_some() => Installer::Pip(None),
        None => Installer::Pip(Some(workshop.find_python().await?)),
    };
    let before = environment.as_ref().map(PythonEnvironment::plugins).unwrap_or_default();
    let copying = |source| PackageError::Snapshot { root: root.to_owned(), source };
    let snapshot = Snapshot::take(root, LEFT_ALONE).map_err(copying)?;
    let change = async {
        if environment.is_none() {
            make_environment(workshop, &installer, root).await?;
        }
        let environment = PythonEnvironment::at(root)
            .ok_or_else(|| PackageError::NotAnEnvironment(root.to_owned()))?;
        check(&environment)?;
        add_package(workshop, &installer, &environment, spec, &before, keeping).await?;
        let plugin = installed_plugin(&environment, spec, &before)?;
        match native.and_then(|folder| native::find(folder, &plugin.name)) {
            Some(taken) => Err(PackageError::Taken { name: taken.name, origin: taken.source }),
            None => Ok(plugin),
        }
    };
    match change.await {
        Ok(plugin) => {
            snapshot.discard().map_err(copying)?;
            Ok(plugin)
        }
        Err(error) => match snapshot.restore() {
            Ok(()) => Err(error),
            Err(source) => Err(PackageError::Restore {
                failure: Box::new(error),
                root: root.to_owned(),
                source,
            }),
        },
    }
}

/// Removes a plugin from an environment.
///
/// # Errors
/// When uv or pip fails.
pub(super) async fn uninstall(
    workshop: &mut Workshop,
    environment: &PythonEnvironment,
    name: &str,
) -> Result<(), PackageError> {
    recover(environment.root())?;
    check(environment)?;
    let interpreter = environment.interpreter();
    let (program, program_name, words) = match workshop.find("uv") {
        Some(uv) => {
            let mut words = arguments(["pip", "uninstall", "--python"]);
            words.extend([interpreter.into_os_string(), name.into()]);
            (uv, "uv", words)
        }
        None => {
            ensure_pip(workshop, environment).await?;
            let words = ["-m", "pip", "uninstall", "--yes", "--disable-pip-version-check", name];
            (interpreter, "pip", arguments(words))
        }
    };
    Ok(workshop.run(Step::new(&program, program_name, words)).await?)
}

/// Puts back what an installation that was killed left half done.
fn recover(root: &Path) -> Result<(), PackageError> {
    let recovered = snapshot::recover(root, LEFT_ALONE);
    recovered.map(drop).map_err(|source| PackageError::Snapshot { root: root.to_owned(), source })
}

fn check(environment: &PythonEnvironment) -> Result<(), PackageError> {
    let root = environment.root().to_owned();
    environment.check().map_err(|fault| PackageError::Unusable { root, fault })
}

async fn make_environment(
    workshop: &mut Workshop,
    installer: &Installer,
    root: &Path,
) -> Result<(), PackageError> {
    let (program, name, mut words) = match installer {
        Installer::Uv(uv) => {
            let wanted = format!(">={OLDEST_PYTHON}");
            // What is not Python may already lie in the folder.
            let words = ["venv", "--allow-existing", "--no-project", "--python", &wanted];
            (uv.as_path(), "uv", arguments(words))
        }
        Installer::Pip(python) => {
            let python = python.as_ref().ok_or(super::workshop::NoPython::None)?;
            (python.program.as_path(), "python", arguments(["-m", "venv"]))
        }
    };
    words.push(root.into());
    Ok(workshop.run(Step::new(program, name, words)).await?)
}

async fn add_package(
    workshop: &mut Workshop,
    installer: &Installer,
    environment: &PythonEnvironment,
    spec: &Spec,
    before: &[Distribution],
    keeping: Keeping,
) -> Result<(), PackageError> {
    let named = match spec {
        Spec::Package { name, .. } => Some(name.clone()),
        Spec::Python(path) => project_name(path),
        _ => None,
    };
    let known = before.iter().find(|plugin| is_from(plugin, spec)).map(|plugin| &plugin.name);
    let again = named.as_ref().or(known);
    let mut requirement = match (spec, keeping) {
        (Spec::Python(_), Keeping::Link) => arguments(["--editable"]),
        (_, Keeping::Link) => return Err(PackageError::NoLink),
        (_, Keeping::Copy) => Vec::new(),
    };
    requirement.push(match spec {
        Spec::Package { requirement, .. } => requirement.into(),
        Spec::Repository(address) => address.into(),
        Spec::Python(path) => path.into(),
        Spec::Crate(_) | Spec::Executable(_) | Spec::Registry(_) => {
            return Err(PackageError::NotPython);
        }
    });
    let interpreter = environment.interpreter();
    match installer {
        Installer::Uv(uv) => {
            let overrides = workshop.folder().join("overrides.txt");
            // A requirement under a condition that never holds is one that is left out.
            write(&overrides, &format!("{OWN_DISTRIBUTION} ; python_version < '0'\n"))?;
            let mut words = arguments(["pip", "install", "--python"]);
            words.extend([interpreter.into(), "--overrides".into(), overrides.into()]);
            if let Some(name) = again {
                let option = if matches!(spec, Spec::Package { .. }) {
                    "--upgrade-package"
                } else {
                    // Otherwise it takes a folder that it has seen for unchanged.
                    "--reinstall-package"
                };
                words.extend([option.into(), name.into()]);
            }
            words.extend(OWN_REQUIREMENTS.map(OsString::from));
            words.extend(requirement);
            workshop.run(Step::new(uv, "uv", words)).await?;
        }
        Installer::Pip(_) => {
            ensure_pip(workshop, environment).await?;
            let words = [
                "-m",
                "pip",
                "install",
                "--no-input",
                "--disable-pip-version-check",
                "--retries=2",
                "--upgrade",
                "--constraint",
            ];
            let mut words = arguments(words);
            words.push(own_constraint(workshop.folder())?.into());
            if matches!(spec, Spec::Repository(_)) && known.is_some() {
                words.push("--force-reinstall".into());
            }
            // Those that are there stay as they are, as long as plugins can live with them.
            let missing = OWN_REQUIREMENTS.into_iter().filter(|requirement| {
                let name = requirement.split('>').next().unwrap_or_default();
                !environment.has_package(name)
            });
            words.extend(missing.map(OsString::from));
            words.extend(requirement);
            let variables = vec![
                ("PYTHONPATH", own_record(workshop.folder())?.into_os_string()),
                ("PIP_USER", "0".into()),
            ];
            let step = Step { variables, ..Step::new(&interpreter, "pip", words) };
            workshop.run(step).await?;
        }
    }
    Ok(())
}

/// Brings pip into an environment that was made without.
async fn ensure_pip(
    workshop: &mut Workshop,
    environment: &PythonEnvironment,
) -> Result<(), PackageError> {
    if environment.has_package("pip") {
        return Ok(());
    }
    let interpreter = environment.interpreter();
    let step = Step::new(&interpreter, "ensurepip", arguments(["-m", "ensurepip"]));
    match workshop.run(step).await {
        Err(StepError::Failed { .. }) => {
            Err(PackageError::NoPip { root: environment.root().to_owned() })
        }
        done => Ok(done?),
    }
}

/// Writes a record by which pip takes our own distribution as installed, and returns the folder
/// to put on the path. The packages themselves are not there: only pip looks at it.
fn own_record(folder: &Path) -> Result<PathBuf, PackageError> {
    let version = env!("CARGO_PKG_VERSION");
    let path = folder.join("own");
    let mut metadata =
        format!("Metadata-Version: 2.1\nName: {OWN_DISTRIBUTION}\nVersion: {version}\n");
    for requirement in OWN_REQUIREMENTS {
        metadata.push_str(&format!("Requires-Dist: {requirement}\n"));
    }
    let record = path.join(format!("{OWN_DISTRIBUTION}-{version}.dist-info"));
    std::fs::create_dir_all(&record).map_err(|source| PackageError::io(&record, source))?;
    write(&record.join("METADATA"), &metadata)?;
    Ok(path)
}

/// Writes the constraint by which pip never fetches another version of our own distribution.
fn own_constraint(folder: &Path) -> Result<PathBuf, PackageError> {
    let path = folder.join("constraints.txt");
    write(&path, &format!("{OWN_DISTRIBUTION}=={}\n", env!("CARGO_PKG_VERSION")))?;
    Ok(path)
}

fn write(path: &Path, text: &str) -> Result<(), PackageError> {
    std::fs::write(path, text).map_err(|source: io::Error| PackageError::io(path, source))
}

/// Returns the plugin that was installed.
fn installed_plugin(
    environment: &PythonEnvironment,
    spec: &Spec,
    before: &[Distribution],
) -> Result<Distribution, PackageError> {
    let after = environment.plugins();
    let found = after.iter().find(|plugin| is_from(plugin, spec));
    let new = || {
        let is_named = matches!(spec, Spec::Package { .. });
        after.iter().find(|plugin| !is_named && !before.contains(plugin))
    };
    let plugin = found.or_else(new);
    let plugin = plugin.cloned().ok_or_else(|| PackageError::NotAPlugin(spec.to_string()))?;
    // uv was told to leave our own distribution out of account.
    let mut bounds = plugin.requires.iter().filter(|requirement| {
        !version_bound::admits(&requirement.versions, env!("CARGO_PKG_VERSION"))
            && normal(&requirement.name) == OWN_DISTRIBUTION
    });
    match bounds.next() {
        Some(bound) => Err(PackageError::OtherVersion {
            plugin: plugin.name.clone(),
            versions: bound.versions.clone(),
        }),
        None => Ok(plugin),
    }
}

/// Returns whether a plugin is what a specification names.
fn is_from(plugin: &Distribution, spec: &Spec) -> bool {
    match (spec, &plugin.origin) {
        (Spec::Package { name, .. }, _) => normal(&plugin.name) == normal(name),
        (Spec::Python(wanted), Origin::Path { path, .. }) => wanted == path,
        (Spec::Repository(wanted), Origin::Address(address)) => {
            without_login(wanted) == without_login(address)
        }
        _ => false,
    }
}

fn without_login(address: &str) -> Option<String> {
    let mut url = Url::parse(address.strip_prefix("git+")?).ok()?;
    let _ = url.set_username("").and_then(|()| url.set_password(None));
    Some(url.to_string().trim_end_matches('/').to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_requirements_are_those_of_the_package_that_the_program_brings() {
        let metadata = include_str!("../../../../python/letscode-0.8.0.dist-info/METADATA");
        let required: Vec<&str> =
            metadata.lines().filter_map(|line| line.strip_prefix("Requires-Dist: ")).collect();
        assert_eq!(required, OWN_REQUIREMENTS);
    }
}
