//! The program `letscode`.
//!
//! Owns the way from the command line to a mode: read the arguments, put the settings together,
//! hand over. Must not hold rules of its own.
#![cfg_attr(
    test,
    allow(clippy::disallowed_methods, reason = "tests prepare and look at real files")
)]

mod args;
mod completions;

mod environment;
mod files;
mod paths;
mod thinking;

mod trust;

mod config;
mod init;

mod catalog;
mod router;

mod local_servers;

mod endpoint;

mod api_keys;

mod python_environment;

mod plugins;

mod settings;

mod log;
mod messages;
mod panics;

mod demo;
mod input;
mod signals;

mod model_list;

mod update_notice;

mod history;

mod project_files;

mod programs;

mod clipboard;

mod export;

mod share;

mod trust_status;

mod mcp;

mod reload;

mod host;

mod unavailable;

mod packages;

mod compose;

mod modes;

use args::{Args, Invocation, Mode};
use environment::Environment;
use init::Initialized;
use letscode_core::secrets::Secrets;
use messages::Exit;
use paths::UserPaths;
use std::ffi::OsString;
use std::fmt::Display;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

#[expect(clippy::disallowed_methods, reason = "the arguments are read here, once")]
fn main() -> ExitCode {
    panics::tell_in_a_line();
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    let exit = match args::parse(&arguments) {
        Ok(Invocation::Version) => {
            messages::print(concat!("letscode ", env!("CARGO_PKG_VERSION"), "\n"));
            Exit::Success
        }
        Ok(Invocation::Help(text)) => {
            messages::print(&text);
            Exit::Success
        }
        Ok(Invocation::Completions(shell)) => {
            messages::print(&completions::script(shell));
            Exit::Success
        }
        Ok(Invocation::PluginRun(name)) => match plugins::serve(&name) {
            Some(code) => return code,
            None => usage(format_args!("no plugin of the program is named {name:?}")),
        },
        Ok(invocation) => match Environment::capture() {
            Ok(environment) => return carry_out(invocation, &environment),
            Err(error) => cannot_start(
                mode_of(&invocation),
                format_args!(
                    "the working directory cannot be used ({error}): go to one that exists, as \
                     with `cd ~`, and start again"
                ),
            ),
        },
        Err(error) => usage(error),
    };
    exit.into()
}

/// Does what needs the environment.
fn carry_out(invocation: Invocation, environment: &Environment) -> ExitCode {
    let user = UserPaths::of(environment);
    let exit = match invocation {
        // They need no environment and are done.
        Invocation::Help(_)
        | Invocation::Version
        | Invocation::Completions(_)
        | Invocation::PluginRun(_) => Exit::Success,
        Invocation::Init => match init::initialize(user.as_ref()) {
            Ok(Initialized::Written(path)) => done(format_args!("wrote {}", path.display())),
            Ok(Initialized::Kept(path)) => {
                done(format_args!("{} is there already and stays as it is", path.display()))
            }
            Err(error) => usage(error),
        },
        Invocation::Trust(directory) => {
            match trust::record(user.as_ref(), &in_working_dir(directory, environment)) {
                Ok(root) => done(format_args!(
                    "trusted {root}: its settings and plugins take effect until they change"
                )),
                Err(error) => usage(error),
            }
        }
        Invocation::Untrust(directory) => {
            let directory = in_working_dir(directory, environment);
            match trust::forget(user.as_ref(), &directory) {
                Ok(Some(root)) => done(format_args!("{root} is not trusted any more")),
                Ok(None) => done(format_args!("{} was not trusted", directory.display())),
                Err(error) => usage(error),
            }
        }
        Invocation::SwitchPlugin { name, is_on } => {
            match plugins::switch(user.as_ref(), &name, is_on) {
                Ok(path) => {
                    let what = if is_on { "runs" } else { "does not run" };
                    done(format_args!("{name} {what} from the next start on ({})", path.display()))
                }
                Err(error) => usage(error),
            }
        }
        Invocation::Mcp(request) => match mcp::carry_out(request, user.as_ref(), environment) {
            Ok(outcome) if outcome.success => done(outcome.text),
            Ok(outcome) => {
                done(outcome.text);
                Exit::ProviderError
            }
            Err(error) => usage(error),
        },
        Invocation::Packages(command) => return packages::carry_out(command, environment),
        Invocation::Run(args) => return run(*args, environment),
    };
    exit.into()
}

/// Puts the settings together and hands over to the mode.
fn run(args: Args, environment: &Environment) -> ExitCode {
    let (debug, mode) = (args.debug, args.mode.unwrap_or_default());
    let resolved = settings::resolve(args, environment);
    let settings = Arc::new(resolved.settings);
    if debug {
        log::start(Arc::clone(&settings.secrets));
    }
    for warning in &resolved.warnings {
        messages::warning(warning, &settings.secrets);
    }
    if !modes::asks_for_trust(&settings) {
        modes::warn_of_left_out(&settings);
    }
    if let Err(error) = signals::check_descriptors() {
        return cannot_start(
            mode,
            format_args!("cannot start: {error}: allow more open files, as with `ulimit -n 256`"),
        )
        .into();
    }
    modes::run(&settings, environment)
}

/// Returns the directory that a subcommand is about.
fn in_working_dir(directory: Option<PathBuf>, environment: &Environment) -> PathBuf {
    let working_dir = environment.working_dir();
    directory.map_or_else(|| working_dir.to_owned(), |directory| working_dir.join(directory))
}

/// Says what was done.
fn done(text: impl Display) -> Exit {
    messages::print(&format!("{}\n", letscode_tui::harmless(&text.to_string())));
    Exit::Success
}

/// Returns whom the program was to talk to.
fn mode_of(invocation: &Invocation) -> Mode {
    match invocation {
        Invocation::Run(args) => args.mode.unwrap_or_default(),
        _ => Mode::default(),
    }
}

/// Says why a run cannot start, to a host on stdout too.
fn cannot_start(mode: Mode, error: impl Display) -> Exit {
    let error = error.to_string();
    if mode == Mode::Rpc {
        modes::announce_failure(&error);
    }
    usage(error)
}

/// Says what was wrong with how the program was used.
fn usage(error: impl Display) -> Exit {
    messages::error(error, &Secrets::default());
    Exit::Usage
}
