//! The command lines about installed plugins: `install`, `uninstall`, `plugins` and `run`.
//!
//! Owns their options, their help and the one-line errors about them. Must not look at what is
//! installed.

use super::{Invocation, UsageError};
use std::ffi::{OsStr, OsString};

/// What to do with installed plugins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PackageCommand {
    /// Install one.
    Install {
        /// What to install, as the user wrote it.
        spec: String,
        /// Where to.
        place: Place,
        /// Whether it stays where it is.
        keeping: Keeping,
    },
    /// Remove one.
    Uninstall {
        /// Its name.
        name: String,
        /// Where from.
        place: Place,
    },
    /// List all.
    List,
    /// Run a tool that a plugin ships, or list the tools where none is named.
    RunTool {
        /// The name of the tool.
        tool: Option<OsString>,
        /// What it is given.
        arguments: Vec<OsString>,
        /// Whose tools.
        place: Place,
    },
}

/// Whose plugins are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// Those that all projects of the user share.
    User,
    /// Those of the active environment, and of this project.
    Project,
}

/// Whether a plugin is copied to its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keeping {
    /// It is, and the original may go.
    Copy,
    /// It is used where it lies, so that changes of it count at once.
    Link,
}

const INSTALL_HELP: &str = "\
Usage: letscode install SPEC [--project] [--link]

Installs a plugin. SPEC is one of
  NAME, NAME[EXTRA], NAME>=1.2       a Python package of the package index
  git+https://HOST/REPO.git          a Python package in a repository; @BRANCH and
                                     #subdirectory=FOLDER may follow
  ./PATH                             a Python package, a Rust crate, or an executable that speaks
                                     the plugin protocol; ~/PATH and /PATH alike
  cargo:NAME, cargo:NAME@1.2.3       a Rust crate of the crate registry

  --project  into the active environment (VIRTUAL_ENV) instead of ~/.letscode/plugins, which all
             projects share; what is not Python goes to the project's .letscode/plugins/native
  --link     use a Python package or an executable where it lies, so that its changes count

Python packages need uv, or Python 3.12 or newer with pip. Where something fails, everything is as
it was before. A name that is installed already is brought up to date, if it is Python.
";

const UNINSTALL_HELP: &str = "\
Usage: letscode uninstall NAME [--project]

Removes a plugin that `letscode plugins` lists; --project: from the active environment, or from the
project's .letscode/plugins/native.
";

const PLUGINS_HELP: &str = "\
Usage: letscode plugins
       letscode plugins enable|disable NAME

Lists the plugins that are installed: where, in which version and from where, and which of them
cannot be used or stand behind another of the same name. Starts none of them; letscode /plugins
lists those that are loaded. Or switches one on or off in ~/.letscode/config.toml.
";

const RUN_HELP: &str = "\
Usage: letscode run [--project] TOOL [ARGUMENT]...
       letscode run --list

Runs a tool that an installed plugin ships. Everything behind TOOL is the tool's own, as are input,
output and exit code. --list names the tools; --project looks into the active environment and the
project instead of the plugins that all projects share.
";

/// Reads the arguments of one subcommand; `None` where they make no sense.
type Reader = fn(&[OsString]) -> Option<PackageCommand>;

/// Returns whether `plugins` is about switching one, which is no matter of what is installed.
fn is_switch(arguments: &[OsString]) -> bool {
    arguments.first().is_some_and(|word| word == "enable" || word == "disable")
}

/// Returns what a subcommand about plugins asks for; `None` where the name is no such subcommand.
pub(super) fn parse(
    name: &str,
    arguments: &[OsString],
    as_message: &str,
) -> Option<Result<Invocation, UsageError>> {
    let (help, takes, read): (_, _, Reader) = match name {
        "install" => (INSTALL_HELP, "one SPEC, --project and --link", install),
        "uninstall" => (UNINSTALL_HELP, "one NAME and --project", uninstall),
        "plugins" if is_switch(arguments) => return None,
        "plugins" => (PLUGINS_HELP, "no arguments, or enable or disable and a name", list),
        "run" => (RUN_HELP, "--project or --list, then a tool and what is the tool's", run),
        _ => return None,
    };
    if let [word] = arguments
        && (word == "--help" || word == "-h")
    {
        return Some(Ok(Invocation::Help(help.to_owned())));
    }
    let command = read(arguments).map(Invocation::Packages);
    Some(command.ok_or_else(|| {
        UsageError(format!("{name} takes {takes} (try letscode {name} --help); {as_message}"))
    }))
}

fn install(arguments: &[OsString]) -> Option<PackageCommand> {
    let [spec] = &words(arguments, &["--project", "--link"])?[..] else { return None };
    let keeping = if has(arguments, "--link") { Keeping::Link } else { Keeping::Copy };
    Some(PackageCommand::Install { spec: spec.clone(), place: place(arguments), keeping })
}

fn uninstall(arguments: &[OsString]) -> Option<PackageCommand> {
    let [name] = &words(arguments, &["--project"])?[..] else { return None };
    Some(PackageCommand::Uninstall { name: name.clone(), place: place(arguments) })
}

fn list(arguments: &[OsString]) -> Option<PackageCommand> {
    arguments.is_empty().then_some(PackageCommand::List)
}

/// Reads options up to the tool's name; what follows is the tool's.
fn run(arguments: &[OsString]) -> Option<PackageCommand> {
    let is_option = |word: &&OsString| word.as_encoded_bytes().starts_with(b"-");
    let split = arguments.iter().take_while(is_option).count();
    let (options, rest) = arguments.split_at_checked(split)?;
    if !options.iter().all(|word| word == "--project" || word == "--list" || word == "--") {
        return None;
    }
    let (tool, arguments) = match rest {
        [tool, arguments @ ..] if !has(options, "--list") => (Some(tool.clone()), arguments),
        [] => (None, &[][..]),
        _ => return None,
    };
    Some(PackageCommand::RunTool { tool, arguments: arguments.to_vec(), place: place(options) })
}

/// Returns the words that are no option; `None` where an option is not among `known`, or a word
/// is empty or no UTF-8.
fn words(arguments: &[OsString], known: &[&str]) -> Option<Vec<String>> {
    let mut words = Vec::new();
    for argument in arguments {
        let word = argument.to_str()?;
        if word.is_empty() || (word.starts_with('-') && !known.contains(&word)) {
            return None;
        }
        if !word.starts_with('-') {
            words.push(word.to_owned());
        }
    }
    Some(words)
}

fn has(arguments: &[OsString], option: &str) -> bool {
    arguments.iter().any(|word| word == OsStr::new(option))
}

fn place(arguments: &[OsString]) -> Place {
    if has(arguments, "--project") { Place::Project } else { Place::User }
}
