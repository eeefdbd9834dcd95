//! The faces of the program: interactive, a plugin's front end, print, one-shot and RPC.
//!
//! Owns the choice among them and the runtime that they run in. All are clients of the agent's
//! commands and events.

mod expansion;
mod interactive;
mod one_shot;
mod plugin_frontend;
mod print;
mod rpc;

pub(crate) use rpc::announce_failure;

use crate::args::Mode;
use crate::compose::{self, Blueprint, Built, ComposeError, ModelNeed};
use crate::endpoint::{EndpointError, no_key_help};
use crate::environment::Environment;
use crate::input::{self, Input};
use crate::local_servers::{LOCAL_SERVERS, listening};
use crate::messages::{self, Exit};
use crate::settings::{PluginFrontend, Settings};
use crate::signals::Signals;
use crate::update_notice;
use expansion::{Asked, ExpansionError};
use letscode_core::agent;
use letscode_tui::terminal;
use plugin_frontend::{Running, UnknownFrontend};
use print::Style;
use std::io;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};

/// How many threads may wait for the disk at once.
const DISK_THREADS: usize = 16;

/// How long an interrupted run may take to end its commands and note it.
const LAST_WORDS: Duration = Duration::from_secs(3);

/// Prompts come through stdin; one that is dropped without a word would look like a hang.
const NO_MESSAGE_IN_RPC: &str =
    "--mode rpc takes no message and no -p: send a prompt command through stdin (see docs/rpc.md)";

/// Runs the mode that the settings ask for.
pub(crate) fn run(settings: &Arc<Settings>, environment: &Environment) -> ExitCode {
    match settings.mode {
        Mode::Rpc => run_rpc(settings, environment),
        Mode::Chat => run_prompt(settings, environment),
    }
}

/// Returns whether the user is asked at the start about what the project sets without trust.
pub(crate) fn asks_for_trust(settings: &Settings) -> bool {
    let is_chat = matches!(settings.mode, Mode::Chat);
    is_chat && settings.message.is_none() && !settings.print && terminal::is_interactive()
}

/// Says what of the project is left out for want of trust.
pub(crate) fn warn_of_left_out(settings: &Settings) {
    if let Some(left_out) = &settings.left_out {
        messages::warning(left_out, &settings.secrets);
    }
}

fn run_prompt(settings: &Arc<Settings>, environment: &Environment) -> ExitCode {
    let prompt = match input::gather(settings.message.clone(), settings.print) {
        Ok(Input::Prompt(prompt)) => prompt,
        Ok(Input::Nothing) => {
            return run_interactive(settings, environment);
        }
        Ok(Input::Missing) => {
            return fail_without_words(
                settings,
                "no message: give one, or pipe text in (try --help)",
            );
        }
        Err(error) => return fail(settings, error),
    };
    let style =
        if settings.print || prompt.typed.is_none() { Style::Answer } else { Style::one_shot() };
    let is_command = prompt.typed.as_deref();
    let is_command = is_command.is_some_and(|typed| expansion::may_need_no_model(typed, settings));
    let need = if is_command { ModelNeed::Perhaps } else { ModelNeed::Always };
    let blueprint = match compose::blueprint(settings, environment, need) {
        Ok(blueprint) => blueprint,
        Err(error) => return fail(settings, explain(&error, settings, environment)),
    };
    in_runtime(settings, blueprint, async |blueprint| {
        let mut signals = Signals::listen()?;
        if style != Style::Answer
            && let Some(line) = update_notice::notice(settings, environment)
        {
            messages::note(&line);
        }
        let plugins = blueprint.plugins();
        let mut built = build(blueprint, settings, environment).await?;
        let expanded = tokio::select! {
            expanded = expansion::expand(&prompt, &mut built, settings) => expanded?,
            // A command that was typed dies with the expansion.
            signal = signals.received() => return Ok(signal.exit_code()),
        };
        let (command, style) = match expanded {
            Asked::Answer(command) => (command, style),
            Asked::Words(command) => (command, Style::Answer),
            Asked::Shown(text) => return Ok(print::show(&text)),
        };
        let is_shown = style == Style::Terminal;
        let (agent, task) = agent::start(built.parts);
        if is_shown {
            return one_shot::run(agent, task, signals, command, settings, environment)
                .await
                .map_err(StartError::Signals);
        }
        let secrets = Arc::clone(&settings.secrets);
        Ok(print::run(agent, task, signals, command, style, secrets, &plugins).await)
    })
}

fn run_interactive(settings: &Arc<Settings>, environment: &Environment) -> ExitCode {
    if !terminal::is_interactive() {
        return fail_without_words(
            settings,
            "no message, and no terminal to ask for one: give a message (try --help)",
        );
    }
    let asked;
    let settings = match &settings.frontend {
        Some(_) => {
            asked = plugin_frontend::ask_for_trust(settings, environment);
            &asked
        }
        None => settings,
    };
    let blueprint = match compose::blueprint(settings, environment, ModelNeed::Always) {
        Ok(blueprint) => blueprint,
        Err(error) => {
            // It may be what is missing, and the question is not reached.
            warn_of_left_out(settings);
            return fail(settings, explain(&error, settings, environment));
        }
    };
    in_runtime(settings, blueprint, async |blueprint| {
        let mut signals = Signals::listen()?;
        if let Some(line) = update_notice::notice(settings, environment) {
            messages::note(&line);
        }
        let plugins = blueprint.plugins();
        let built = tokio::select! {
            built = build(blueprint, settings, environment) => {
                built.inspect_err(|_| warn_of_left_out(settings))?
            }
            // A plugin may take its time to start.
            signal = signals.received() => return Ok(signal.exit_code()),
        };
        let mut options = interactive::options(settings, environment, &built);
        let hooks = built.parts.hooks.clone();
        let (agent, mut task) = agent::start(built.parts);
        if let Some(chosen) = &settings.frontend {
            let running = Running {
                agent: &agent,
                task: &mut task,
                signals: &mut signals,
                hooks: &hooks,
                plugins: &plugins,
            };
            if let Some(code) = plugin_frontend::run(chosen, running, settings, environment).await?
            {
                return Ok(code);
            }
            // It was asked before.
            options.trust_question = None;
        }
        interactive::run(agent, task, signals, options, environment, &settings.secrets)
            .await
            .map_err(StartError::Terminal)
    })
}

fn run_rpc(settings: &Arc<Settings>, environment: &Environment) -> ExitCode {
    if settings.message.is_some() || settings.print {
        announce_failure(NO_MESSAGE_IN_RPC);
        return fail(settings, NO_MESSAGE_IN_RPC);
    }
    let blueprint = match compose::blueprint(settings, environment, ModelNeed::Always) {
        Ok(blueprint) => blueprint,
        Err(error) => {
            announce_failure(&settings.secrets.mask(error.to_string()));
            return fail(settings, explain(&error, settings, environment));
        }
    };
    in_runtime(settings, blueprint, async |blueprint| {
        let signals = Signals::listen()?;
        let (agent, task) = match build(blueprint, settings, environment).await {
            Ok(built) => agent::start(built.parts),
            Err(error) => {
                announce_failure(&settings.secrets.mask(error.to_string()));
                return Err(error);
            }
        };
        Ok(rpc::run(agent, task, signals, settings.shutdown_grace).await)
    })
}

/// Why a mode could not begin inside the runtime.
#[derive(Debug, thiserror::Error)]
enum StartError {
    #[error(transparent)]
    Compose(#[from] ComposeError),
    #[error(transparent)]
    Expansion(#[from] ExpansionError),
    #[error(transparent)]
    Frontend(#[from] UnknownFrontend),
    #[error("cannot listen for signals: {0}")]
    Signals(#[from] io::Error),
    #[error("the terminal cannot be used: {0}")]
    Terminal(#[source] io::Error),
}

/// Builds what the agent is started with, and says what is odd about it.
async fn build(
    blueprint: Blueprint,
    settings: &Arc<Settings>,
    environment: &Environment,
) -> Result<Built, StartError> {
    let built = blueprint.build(settings, environment).await?;
    for warning in &built.warnings {
        messages::warning(warning, &settings.secrets);
    }
    Ok(built)
}

/// Runs `mode` in a runtime, and ends every command that the agent started, whatever happened.
fn in_runtime(
    settings: &Settings,
    blueprint: Blueprint,
    mode: impl AsyncFnOnce(Blueprint) -> Result<ExitCode, StartError>,
) -> ExitCode {
    let runtime = match runtime() {
        Ok(runtime) => runtime,
        Err(error) => return fail(settings, format_args!("cannot start: {error}")),
    };
    let (env, plugins) = (blueprint.env(), blueprint.plugins());
    let code = runtime.block_on(async {
        let code = mode(blueprint).await;
        plugins.shut_down().await;
        code
    });
    env.end_all_commands();
    // A read of the disk that hangs must not hold up the end.
    runtime.shutdown_background();
    code.unwrap_or_else(|error| fail(settings, error))
}

fn runtime() -> io::Result<Runtime> {
    Builder::new_current_thread().enable_all().max_blocking_threads(DISK_THREADS).build()
}

/// Returns the error's text, with advice where the key is missing.
fn explain(error: &ComposeError, settings: &Settings, environment: &Environment) -> String {
    match error {
        ComposeError::Endpoint(EndpointError::MissingKey(missing)) => {
            no_key_help(missing, &settings.catalog, environment, &listening(&LOCAL_SERVERS))
        }
        other => other.to_string(),
    }
}

/// Says that stdout takes no more. A reader that closed its end, as `head` does, wants none: that is
/// no failure.
fn lost_stdout(error: &io::Error) -> ExitCode {
    if error.kind() == io::ErrorKind::BrokenPipe {
        return ExitCode::SUCCESS;
    }
    messages::failure(&format!("cannot write the answer to stdout: {error}"));
    Exit::ProviderError.into()
}

/// Says that there is nothing to do, as `reason` has it; or why not, to who asked for a front end.
fn fail_without_words(settings: &Settings, reason: &str) -> ExitCode {
    match &settings.frontend {
        Some(PluginFrontend { name, is_asked: true }) if !settings.print => {
            let text = format!("the front end {name} needs a terminal for its stdin and stdout");
            fail(settings, text)
        }
        _ => fail(settings, reason),
    }
}

fn fail(settings: &Settings, error: impl std::fmt::Display) -> ExitCode {
    messages::error(error, &settings.secrets);
    Exit::Usage.into()
}
