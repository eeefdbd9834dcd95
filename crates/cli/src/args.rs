//! The command line.
//!
//! Owns the options, the subcommands' names, and the one-line errors about them. Must not look
//! at files or the environment.

mod packages;
#[cfg(test)]
mod tests;
mod values;

pub(crate) use packages::{Keeping, PackageCommand, Place};
pub(crate) use values::{Mode, ToolNames};

use crate::thinking::ThinkingLevel;
use clap::ValueEnum as _;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory as _, FromArgMatches as _, Parser};
use clap_complete::Shell;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// What the program is asked to do.
#[derive(PartialEq)]
#[cfg_attr(test, derive(Debug))]
pub(crate) enum Invocation {
    /// Print this help.
    Help(String),
    /// Print the version.
    Version,
    /// Write a config file to fill in.
    Init,
    /// Trust the project at or above the directory, the working directory where there is none.
    Trust(Option<PathBuf>),
    /// Take that trust back.
    Untrust(Option<PathBuf>),
    /// Print the script that lets this shell complete the command line.
    Completions(Shell),
    /// Switch a plugin on or off.
    SwitchPlugin {
        /// Its name.
        name: String,
        /// Whether it is to run.
        is_on: bool,
    },
    /// Be one of the plugins that the program carries, on stdin and stdout.
    PluginRun(String),
    /// Show, change or try servers of the Model Context Protocol.
    Mcp(letscode_mcp::cli::Request),
    /// Do something with installed plugins.
    Packages(PackageCommand),
    /// Run the agent.
    Run(Box<Args>),
}

/// A command line that makes no sense: one line, and what to do.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(crate) struct UsageError(String);

/// The options and the message. Debug output would show `--api-key`; it is for tests.
#[derive(Clone, Parser, PartialEq)]
#[cfg_attr(test, derive(Debug))]
#[command(
    name = "letscode",
    version,
    about = "A coding agent for the terminal. Talks to any OpenAI-compatible model.",
    override_usage = "letscode [MESSAGE]... [OPTIONS]\n       letscode install SPEC | uninstall NAME | run TOOL [ARGUMENT]...\n       letscode plugins [enable|disable NAME]\n       letscode mcp list|add|remove|test\n       letscode trust|untrust [DIR]\n       letscode completions SHELL",
    after_help = AFTER_HELP,
    help_template = "{about}\n\n{usage-heading} {usage}\n\n{all-args}{after-help}",
    args_override_self = true,
    max_term_width = 100
)]
pub(crate) struct Args {
    /// What to do
    #[arg(value_name = "MESSAGE", allow_negative_numbers = true)]
    pub(crate) message: Vec<String>,

    /// Use this model
    #[arg(short, long, value_name = "NAME", value_parser = values::text, help_heading = "Model")]
    pub(crate) model: Option<String>,
    /// Send requests to this address, whatever the model's provider is
    #[arg(long, value_name = "URL", value_parser = values::text, help_heading = "Model")]
    pub(crate) base_url: Option<String>,
    /// Use this key; a variable keeps it out of the list of processes
    #[arg(long, value_name = "KEY", value_parser = values::text, help_heading = "Model")]
    pub(crate) api_key: Option<String>,
    /// Think this hard: off, minimal, low, medium, high or xhigh
    #[arg(long, value_name = "LEVEL", help_heading = "Model")]
    pub(crate) thinking: Option<ThinkingLevel>,
    /// Give up on a request when the server is silent for this long
    #[arg(
        long,
        value_name = "SECONDS",
        value_parser = values::positive_seconds,
        allow_negative_numbers = true,
        help_heading = "Model"
    )]
    pub(crate) timeout: Option<Duration>,

    /// Print the answer and nothing else; text piped in joins the message
    #[arg(short, long, help_heading = "Input and output")]
    pub(crate) print: bool,
    /// Talk to a person (chat) or to a program, in JSON lines (rpc)
    #[arg(long, value_name = "chat|rpc", help_heading = "Input and output")]
    pub(crate) mode: Option<Mode>,
    /// In a terminal, use the front end of this name, which a plugin has
    #[arg(long, value_name = "NAME", value_parser = values::text, help_heading = "Input and output")]
    pub(crate) frontend: Option<String>,
    /// In rpc mode, take a run for hung after this long without an event
    #[arg(
        long,
        value_name = "SECONDS",
        value_parser = values::seconds,
        allow_negative_numbers = true,
        help_heading = "Input and output"
    )]
    pub(crate) shutdown_grace: Option<Duration>,

    /// Go on with this folder's latest session
    #[arg(short, long = "continue", conflicts_with = "resume", help_heading = "Session")]
    pub(crate) continue_session: bool,
    /// Go on with the session of this id, or this number in the list
    #[arg(long, value_name = "ID|N", value_parser = values::text, help_heading = "Session")]
    pub(crate) resume: Option<String>,
    /// Keep nothing on disk
    #[arg(long, help_heading = "Session")]
    pub(crate) no_session: bool,

    /// Offer only these tools, with commas between them
    #[arg(long, value_name = "LIST", help_heading = "Tools and instructions")]
    pub(crate) tools: Option<ToolNames>,
    /// Offer no tools; wins over --tools
    #[arg(long, help_heading = "Tools and instructions")]
    pub(crate) no_tools: bool,
    /// Replace the first part of the system prompt
    #[arg(long, value_name = "TEXT", help_heading = "Tools and instructions")]
    pub(crate) system: Option<String>,
    /// Leave AGENTS.md and CLAUDE.md out of the system prompt
    #[arg(long, help_heading = "Tools and instructions")]
    pub(crate) no_context_files: bool,
    /// Trust this project's settings and plugins for this run
    #[arg(long, help_heading = "Tools and instructions")]
    pub(crate) trust: bool,
    /// Leave out the plugins in ~/.letscode/plugins
    #[arg(long, help_heading = "Tools and instructions")]
    pub(crate) isolated: bool,

    /// Write ~/.letscode/config.toml to fill in, unless there is one
    #[arg(long, help_heading = "Other")]
    pub(crate) init: bool,
    /// Log what happens to stderr
    #[arg(long, help_heading = "Other")]
    pub(crate) debug: bool,
}

const AFTER_HELP: &str = "\
Examples:
  letscode \"what does fib.py do?\"
  git diff | letscode -p review this
  letscode -m deepseek-chat explain this folder
  letscode -- trust me, run the tests        (a message that begins with a command's name)

Keys come from the environment: OPENAI_API_KEY, or the variable of the model's provider.
Settings: flag > environment > .letscode/config.toml > ~/.letscode/config.toml > default.
Exit codes: 0 done, 1 the provider failed, 2 wrong usage, 130 Ctrl+C.";

/// Names that are a subcommand where they are the very first argument.
pub(crate) const SUBCOMMANDS: [&str; 8] =
    ["install", "uninstall", "run", "plugins", "trust", "untrust", "mcp", "completions"];

/// Reads the arguments, without the program's name.
///
/// # Errors
/// When they make no sense.
pub(crate) fn parse(arguments: &[OsString]) -> Result<Invocation, UsageError> {
    let first = arguments.first().and_then(|word| word.to_str());
    match (first, arguments) {
        // Asked for by scripts and at every start of some shells: no parser is built.
        (Some("--version" | "-V"), [_]) => Ok(Invocation::Version),
        // How the program starts itself; of no use to anybody else.
        (Some("plugin-run"), [_, name]) => {
            Ok(Invocation::PluginRun(name.to_string_lossy().into_owned()))
        }
        (Some(name), [_, rest @ ..]) if SUBCOMMANDS.contains(&name) => subcommand(name, rest),
        _ => options(arguments),
    }
}

/// Reads a subcommand's arguments.
fn subcommand(name: &str, arguments: &[OsString]) -> Result<Invocation, UsageError> {
    let as_message = format!("for a message that begins with that word: letscode -- {name} ...");
    if let Some(parsed) = packages::parse(name, arguments, &as_message) {
        return parsed;
    }
    let make = match name {
        "trust" => Invocation::Trust,
        "untrust" => Invocation::Untrust,
        "completions" => return completions(arguments, &as_message),
        "plugins" => return plugins(arguments, &as_message),
        "mcp" => return mcp(arguments, &as_message),
        _ => {
            return Err(UsageError(format!("this build has no {name} command yet; {as_message}")));
        }
    };
    match arguments {
        [] => Ok(make(None)),
        [word] if word == "--help" || word == "-h" => Ok(Invocation::Help(
            "Usage: letscode trust [DIR]\n       letscode untrust [DIR]\n\n\
             Lets the project at or above DIR (default: the working directory) set what runs code or\n\
             moves secrets, until its settings or plugins change; or takes that back.\n"
                .to_owned(),
        )),
        [word] if !word.as_encoded_bytes().starts_with(b"-") => Ok(make(Some(word.into()))),
        _ => Err(UsageError(format!("{name} takes one directory at most; {as_message}"))),
    }
}

/// Reads which plugin is switched on or off.
fn plugins(arguments: &[OsString], as_message: &str) -> Result<Invocation, UsageError> {
    let words: Vec<&str> = arguments.iter().filter_map(|word| word.to_str()).collect();
    match words.as_slice() {
        [verb @ ("enable" | "disable"), name] if !name.starts_with('-') => {
            Ok(Invocation::SwitchPlugin { name: (*name).to_owned(), is_on: *verb == "enable" })
        }
        _ => Err(UsageError(format!("enable and disable take the name of a plugin; {as_message}"))),
    }
}

/// Reads what is to be done with servers of the Model Context Protocol.
fn mcp(arguments: &[OsString], as_message: &str) -> Result<Invocation, UsageError> {
    let words: Vec<String> =
        arguments.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    match letscode_mcp::cli::parse(&words) {
        Ok(letscode_mcp::cli::Request::Help) => {
            Ok(Invocation::Help(letscode_mcp::cli::HELP.to_owned()))
        }
        Ok(request) => Ok(Invocation::Mcp(request)),
        Err(problem) => Err(UsageError(format!("{problem}; {as_message}"))),
    }
}

/// Reads the shell that a script is wanted for.
fn completions(arguments: &[OsString], as_message: &str) -> Result<Invocation, UsageError> {
    let names: Vec<String> = Shell::value_variants().iter().map(ToString::to_string).collect();
    let shell = match arguments {
        [word] if word == "--help" || word == "-h" => {
            return Ok(Invocation::Help(format!(
                "Usage: letscode completions {}\n\n\
             Prints a script that lets the shell complete the command line; source it, or put it\n\
             where the shell looks for such scripts.\n",
                names.join("|")
            )));
        }
        [word] => word.to_str().and_then(|name| Shell::from_str(name, true).ok()),
        _ => None,
    };
    shell.map(Invocation::Completions).ok_or_else(|| {
        let names = names.join(", ");
        UsageError(format!("completions takes one shell of {names}; {as_message}"))
    })
}

/// Reads options and message.
fn options(arguments: &[OsString]) -> Result<Invocation, UsageError> {
    let command = Args::command().no_binary_name(true);
    let parsed = command
        .try_get_matches_from(arguments)
        .and_then(|matches| Args::from_arg_matches(&matches));
    match parsed {
        Ok(args) if args.init => Ok(Invocation::Init),
        Ok(args) => Ok(Invocation::Run(Box::new(args))),
        Err(error) => match error.kind() {
            ErrorKind::DisplayHelp => Ok(Invocation::Help(error.render().to_string())),
            ErrorKind::DisplayVersion => Ok(Invocation::Version),
            _ => Err(UsageError(one_line(&error))),
        },
    }
}

/// Returns what a parser's error says, in one line.
fn one_line(error: &clap::Error) -> String {
    let text = error.render().to_string();
    let first = text.lines().next().unwrap_or_default();
    let first = first.strip_prefix("error: ").unwrap_or(first);
    match error.get(ContextKind::SuggestedArg) {
        Some(ContextValue::String(near)) => format!("{first}; did you mean {near}? (try --help)"),
        _ => format!("{first} (try --help)"),
    }
}
