//! Plugins as packages: installing, removing and listing them, and running the tools they ship.
//!
//! Owns what the four subcommands do and the one line in which each fails. Must not load a plugin:
//! that is for the host of plugins, at the next start.
#![expect(clippy::disallowed_methods, reason = "the lock among installations is a file of ours")]

mod handshake;
mod listing;
mod native;
mod places;
mod python;
mod run_tool;
mod snapshot;
mod spec;
mod version_bound;
mod workshop;

use crate::api_keys;
use crate::args::{Keeping, PackageCommand, Place};
use crate::catalog::Catalog;
use crate::environment::Environment;
use crate::files;
use crate::messages::{self, Exit};
use crate::python_environment::{EnvironmentFault, PythonEnvironment, distribution};
use handshake::HandshakeError;
use letscode_core::secrets::Secrets;
use places::Places;
use spec::{Spec, SpecError};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use workshop::{NoPython, StepError, Workshop};

/// Why something about plugins was not done. Each is one line.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PackageError {
    /// What to install makes no sense.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// There is no place for the user's plugins.
    #[error("no home directory is known, so there is no place for plugins; set HOME")]
    NoHome,
    /// `--project` without an environment.
    #[error(
        "--project needs an active Python environment: activate one, so that VIRTUAL_ENV is set, \
         or leave --project out"
    )]
    NoActiveEnvironment,
    /// `--project` in the home.
    #[error("the home directory is no project: go to one, or leave --project out")]
    NoProject,
    /// A folder that should be an environment.
    #[error("{}: is no Python environment (it has no pyvenv.cfg)", .0.display())]
    NotAnEnvironment(PathBuf),
    /// An environment that plugins cannot run in.
    #[error("{}: {fault}; make the environment anew: remove bin, lib and pyvenv.cfg there, then install again", root.display())]
    Unusable {
        /// The environment.
        root: PathBuf,
        /// Why.
        fault: EnvironmentFault,
    },
    /// Nothing to run Python plugins with.
    #[error(transparent)]
    NoPython(#[from] NoPython),
    /// An environment without pip, which cannot be added.
    #[error("{}: has no pip, and its Python cannot add it: install uv", root.display())]
    NoPip {
        /// The environment.
        root: PathBuf,
    },
    /// No cargo for a crate.
    #[error("a Rust crate needs cargo, which is not on the PATH: https://rustup.rs")]
    NoCargo,
    /// A program failed.
    #[error(transparent)]
    Step(#[from] StepError),
    /// A program failed to install something.
    #[error("{spec} was not installed: {step}")]
    Install {
        /// What was to be installed, as the user wrote it.
        spec: String,
        /// What failed.
        step: StepError,
    },
    /// The package is something else.
    #[error(
        "{0} is no plugin of letscode (it has no entry point in the group \"letscode\"), so it was \
         taken out again"
    )]
    NotAPlugin(String),
    /// A plugin for another version of this program.
    #[error("{plugin} needs letscode{versions}, and this is {own}", own = env!("CARGO_PKG_VERSION"))]
    OtherVersion {
        /// The plugin.
        plugin: String,
        /// What it asks for.
        versions: String,
    },
    /// The program is something else.
    #[error("{name} is no plugin: {why}")]
    NoProtocol {
        /// What its name would be.
        name: String,
        /// Why it is none.
        why: HandshakeError,
    },
    /// Not for this way of installing.
    #[error("it is no Python package")]
    NotPython,
    /// A link to something that must be built or fetched.
    #[error("--link is for a Python package in a folder, or an executable")]
    NoLink,
    /// A crate without a program.
    #[error("the crate has no program")]
    NoPrograms,
    /// A crate with several, of which none has its name.
    #[error("the crate {name} has several programs, and none is named {name}")]
    ManyPrograms {
        /// The crate.
        name: String,
    },
    /// Nothing that could be a plugin's name.
    #[error(
        "its name cannot be a plugin's: that has letters, digits, `-`, `_` and `.`, and begins \
         with a letter or digit"
    )]
    NoName,
    /// The configuration means something else by it.
    #[error("no plugin can be named {name}: the program has that name for something of its own")]
    Reserved {
        /// The name.
        name: String,
    },
    /// There is one already.
    #[error(
        "{name} is installed already, from {origin}: to replace it, letscode uninstall {name} first"
    )]
    Taken {
        /// The plugin.
        name: String,
        /// Where that one came from.
        origin: String,
    },
    /// Nothing to remove.
    #[error("no plugin {name} is installed there; {there}")]
    NotInstalled {
        /// The name.
        name: String,
        /// What is installed, in words.
        there: String,
    },
    /// A package, but none that was asked for.
    #[error("{0} is a package that plugins use, and no plugin")]
    OnlyUsed(String),
    /// The state before cannot be kept.
    #[error("{}: what is there cannot be kept safe for the installation: {source}", root.display())]
    Snapshot {
        /// The environment.
        root: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The state before cannot be put back.
    #[error(
        "{failure}; and what was there before cannot be put back ({source}): the next \
         installation into {} tries again", root.display()
    )]
    Restore {
        /// Why it was to be put back.
        failure: Box<Self>,
        /// The environment.
        root: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// Another one is at work.
    #[error("another letscode is just installing or removing a plugin: wait for it to end")]
    Busy,
    /// A file or folder.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// A tool that is not there.
    #[error("no plugin ships a tool {name}; {there}")]
    NoTool {
        /// The tool.
        name: String,
        /// What there is, in words.
        there: String,
    },
    /// A tool of a stranger's.
    #[error(
        "{} is not trusted, so none of its plugins' tools is run: letscode trust lets it", .0.display()
    )]
    Untrusted(PathBuf),
}

impl PackageError {
    fn io(path: &Path, source: io::Error) -> Self {
        Self::Io { path: path.to_owned(), source }
    }
}

/// Does what a subcommand about plugins asks for.
pub(crate) fn carry_out(command: PackageCommand, environment: &Environment) -> ExitCode {
    let places = Places::of(environment);
    let done = match command {
        PackageCommand::List => {
            let config = places.config();
            for warning in &config.warnings {
                messages::note(warning);
            }
            let overview = listing::overview(&places, &config.whole);
            messages::print(&letscode_tui::harmless(&overview));
            return Exit::Success.into();
        }
        PackageCommand::RunTool { tool: None, place, .. } => run_tool::list(&places, place),
        PackageCommand::RunTool { tool: Some(tool), arguments, place } => {
            match run_tool::run(&places, place, &tool, &arguments) {
                Ok(code) => return code,
                Err(error) => Err(error),
            }
        }
        PackageCommand::Install { spec, place, keeping } => {
            in_runtime(environment, &places, async |workshop| {
                let done = install(workshop, &spec, place, keeping, &places, environment).await;
                done.map_err(|error| match error {
                    PackageError::Step(step) if !matches!(step, StepError::Stopped(_)) => {
                        PackageError::Install { spec, step }
                    }
                    error => error,
                })
            })
        }
        PackageCommand::Uninstall { name, place } => {
            in_runtime(environment, &places, async |workshop| {
                uninstall(workshop, &name, place, &places).await
            })
        }
    };
    match done {
        Ok(text) => {
            messages::print(&format!("{}\n", letscode_tui::harmless(&text)));
            Exit::Success.into()
        }
        Err(PackageError::Step(StepError::Stopped(signal))) => signal.exit_code(),
        Err(error) => {
            messages::error(error.to_string().replace(['\n', '\r'], " "), &Secrets::default());
            exit(&error).into()
        }
    }
}

/// Runs work that starts other programs; one at a time for each user.
fn in_runtime(
    environment: &Environment,
    places: &Places,
    work: impl AsyncFnOnce(&mut Workshop) -> Result<String, PackageError>,
) -> Result<String, PackageError> {
    let _lock = lock(places)?;
    // What is installed may run code of its own: it gets no keys.
    let catalog = Catalog::load(places.user(), &mut Vec::new());
    let hidden = api_keys::collect(&catalog, environment, None).variables();
    let failed = |source| PackageError::io(environment.working_dir(), source);
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(failed)?;
    runtime.block_on(async {
        let temporary = environment.temporary_dir();
        let mut workshop = Workshop::open(environment, hidden)
            .map_err(|source| PackageError::io(&temporary, source))?;
        work(&mut workshop).await
    })
}

/// Waits for nobody: two installations at once would undo each other.
fn lock(places: &Places) -> Result<Option<File>, PackageError> {
    let Some(user) = places.user() else { return Ok(None) };
    let folder = user.cache();
    let path = folder.join("plugins.lock");
    let failed = |source| PackageError::io(&path, source);
    files::create_private_directory(&folder).map_err(failed)?;
    let file = File::options().create(true).append(true).open(&path).map_err(failed)?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(std::fs::TryLockError::WouldBlock) => Err(PackageError::Busy),
        // A disk without locks: the user sees what happens.
        Err(std::fs::TryLockError::Error(_)) => Ok(None),
    }
}

async fn install(
    workshop: &mut Workshop,
    text: &str,
    place: Place,
    keeping: Keeping,
    places: &Places,
    environment: &Environment,
) -> Result<String, PackageError> {
    let spec = Spec::read(text, environment.working_dir(), environment.home())?;
    match spec {
        Spec::Package { .. } | Spec::Repository(_) | Spec::Python(_) => {
            let root = places.python(place)?;
            let native = places.native(place).ok();
            let plugin =
                python::install(workshop, &spec, &root, native.as_deref(), place, keeping).await?;
            let mut text = format!(
                "installed {} {} in {}; it is there at the next start",
                plugin.name,
                plugin.version,
                places.shown(&root)
            );
            if let [first, ..] = &plugin.tools[..] {
                text.push_str(&format!(
                    "\nits tools: {} (letscode run {first})",
                    plugin.tools.join(", ")
                ));
            }
            Ok(text)
        }
        Spec::Crate(_) | Spec::Executable(_) | Spec::Registry(_) => {
            let root = places.native(place)?;
            let beside = places.python(place).ok().and_then(|root| PythonEnvironment::at(&root));
            let beside = beside.map(|environment| environment.plugins()).unwrap_or_default();
            let plugin = native::install(workshop, &spec, &root, &beside, keeping).await?;
            let version = if plugin.version.is_empty() { "" } else { " " };
            let mut text = format!(
                "installed {}{version}{} in {}; it is there at the next start",
                plugin.name,
                plugin.version,
                places.shown(&plugin.folder)
            );
            if place == Place::Project {
                text.push_str("\na project's plugins run only where it is trusted: letscode trust");
            }
            Ok(text)
        }
    }
}

async fn uninstall(
    workshop: &mut Workshop,
    name: &str,
    place: Place,
    places: &Places,
) -> Result<String, PackageError> {
    // Without an active environment, a project may still have plugins that are not Python.
    let python = places.python(place).ok().and_then(|root| PythonEnvironment::at(&root));
    let native_root = places.native(place);
    let native_root = if python.is_none() { Some(native_root?) } else { native_root.ok() };
    let mut removed = Vec::new();
    if let Some(root) = &native_root
        && let Some(plugin) = native::find(root, name)
    {
        native::uninstall(&plugin)?;
        removed.push(format!("removed {} from {}", plugin.name, places.shown(root)));
    }
    if let Some(environment) = &python {
        let wanted = distribution::normal(name);
        let plugins = environment.plugins();
        let plugin = plugins.iter().find(|plugin| distribution::normal(&plugin.name) == wanted);
        if let Some(plugin) = plugin {
            python::uninstall(workshop, environment, &plugin.name).await?;
            let root = places.shown(environment.root());
            removed.push(format!("removed {} {} from {root}", plugin.name, plugin.version));
        } else if removed.is_empty() && environment.has_package(name) {
            return Err(PackageError::OnlyUsed(name.to_owned()));
        }
    }
    if !removed.is_empty() {
        return Ok(removed.join("\n"));
    }
    let mut names: Vec<String> = native_root
        .iter()
        .flat_map(|root| native::plugins_in(root))
        .map(|plugin| plugin.name)
        .collect();
    names.extend(python.iter().flat_map(PythonEnvironment::plugins).map(|plugin| plugin.name));
    let there = if names.is_empty() {
        "there is none at all".to_owned()
    } else {
        format!("there are: {}", names.join(", "))
    };
    Err(PackageError::NotInstalled { name: name.to_owned(), there })
}

/// Returns how the program ends: what the user wrote was wrong, or it did not work out.
fn exit(error: &PackageError) -> Exit {
    match error {
        PackageError::Spec(_)
        | PackageError::NoHome
        | PackageError::NoActiveEnvironment
        | PackageError::NoProject
        | PackageError::NotAnEnvironment(_)
        | PackageError::NotPython
        | PackageError::NoLink
        | PackageError::NoName
        | PackageError::Reserved { .. }
        | PackageError::Taken { .. }
        | PackageError::NotInstalled { .. }
        | PackageError::OnlyUsed(_)
        | PackageError::NoTool { .. }
        | PackageError::Untrusted(_) => Exit::Usage,
        PackageError::Unusable { .. }
        | PackageError::NoPython(_)
        | PackageError::NoPip { .. }
        | PackageError::NoCargo
        | PackageError::Step(_)
        | PackageError::Install { .. }
        | PackageError::NotAPlugin(_)
        | PackageError::OtherVersion { .. }
        | PackageError::NoProtocol { .. }
        | PackageError::NoPrograms
        | PackageError::ManyPrograms { .. }
        | PackageError::Snapshot { .. }
        | PackageError::Restore { .. }
        | PackageError::Busy
        | PackageError::Io { .. } => Exit::Failed,
    }
}
