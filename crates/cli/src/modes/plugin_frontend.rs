//! The terminal in the hands of a plugin's front end.
//!
//! Owns the wait for that front end, what is kept from the terminal meanwhile, and the terminal's
//! way back however it ends. The front end drives the agent through its plugin. Must not show or
//! read anything while it runs.

use super::{LAST_WORDS, StartError};
use crate::environment::Environment;
use crate::messages::{self, Exit};
use crate::settings::{DEFAULT_FRONTEND, PluginFrontend, Settings};
use crate::signals::{JobSignals, Signals, StopSignal};
use crate::trust;
use letscode_core::agent::{Agent, Output, Subscription};
use letscode_core::hooks::{Hooks, PluginError};
use letscode_plugin_host::PluginHost;
use letscode_tui::terminal::{Abilities, Lent};
use letscode_wire::RunFrontendReply;
use std::collections::VecDeque;
use std::io::{self, Write as _};
use std::pin::pin;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout};

/// How long plugins may start before the user is told what is waited for.
const PATIENCE: Duration = Duration::from_secs(2);

/// How soon after one that stopped a run another Ctrl+C ends the front end.
const TWICE: Duration = Duration::from_secs(2);

/// How many lines are kept for the end, and how many characters of each.
const MOST_KEPT: usize = 200;
const LONGEST_KEPT: usize = 2000;

/// No plugin has a front end of that name.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("no front end is named {name:?}; there {}", there_are(.others))]
pub(super) struct UnknownFrontend {
    name: String,
    /// Those that plugins have.
    others: Vec<String>,
}

/// What a front end runs on.
pub(super) struct Running<'a> {
    pub(super) agent: &'a Agent,
    /// The agent's task.
    pub(super) task: &'a mut JoinHandle<()>,
    pub(super) signals: &'a mut Signals,
    pub(super) hooks: &'a Hooks,
    pub(super) plugins: &'a PluginHost,
}

/// What came of the wait for a front end.
enum Waited {
    IsThere,
    IsNotThere,
    Stopped(StopSignal),
}

/// How a front end ended.
enum End {
    Answered(Result<RunFrontendReply, PluginError>),
    /// The agent is gone, which only a fault in it brings.
    WithoutAgent,
    Stopped(StopSignal),
}

/// Asks at the terminal about what the project sets without trust, and returns the settings that hold
/// then. A front end of a plugin's cannot ask that.
pub(super) fn ask_for_trust(settings: &Arc<Settings>, environment: &Environment) -> Arc<Settings> {
    let unchanged = || Arc::clone(settings);
    let Some(left_out) = &settings.left_out else { return unchanged() };
    messages::note(&left_out.to_string());
    let _ = write!(io::stderr().lock(), "letscode: trust this project? [y/N] ");
    let mut answer = String::new();
    let is_yes = io::stdin().read_line(&mut answer).is_ok()
        && matches!(answer.trim().to_lowercase().as_str(), "y" | "yes");
    if !is_yes {
        messages::note("going on without it");
        return unchanged();
    }
    if let Err(error) = trust::record(settings.user.as_ref(), environment.working_dir()) {
        messages::warning(error, &settings.secrets);
        return unchanged();
    }
    match settings.read_again(environment) {
        Ok(resolved) => {
            for warning in &resolved.warnings {
                messages::warning(warning, &settings.secrets);
            }
            Arc::new(resolved.settings)
        }
        Err(error) => {
            messages::warning(error, &settings.secrets);
            unchanged()
        }
    }
}

/// Gives the terminal to the chosen front end until that has ended. Returns `None` where a config file
/// names one that no plugin has: our own goes on in its place.
///
/// # Errors
/// When the command line names one that no plugin has, or the terminal cannot be used.
pub(super) async fn run(
    chosen: &PluginFrontend,
    mut running: Running<'_>,
    settings: &Settings,
    environment: &Environment,
) -> Result<Option<ExitCode>, StartError> {
    let mut outputs = running.agent.subscribe();
    match wait(&chosen.name, &mut running, &mut outputs).await {
        Waited::IsThere => {}
        Waited::Stopped(signal) => return Ok(Some(signal.exit_code())),
        Waited::IsNotThere => {
            let (name, others) = (chosen.name.clone(), running.hooks.frontends());
            let unknown = UnknownFrontend { name, others };
            if chosen.is_asked {
                return Err(unknown.into());
            }
            let text = format!("frontend is left out: {unknown}; going on with {DEFAULT_FRONTEND}");
            messages::warning(text, &settings.secrets);
            return Ok(None);
        }
    }
    let lookup = |name: &str| environment.text(name).map(str::to_owned);
    let lent = Lent::lend(Abilities::from_environment(lookup)).map_err(StartError::Terminal)?;
    let mut kept = Kept::default();
    let end = until_ended(&chosen.name, &mut running, &mut outputs, &mut kept).await?;
    running.agent.abort();
    running.agent.shut_down();
    if matches!(end, End::Answered(Ok(_))) {
        lent.take_back();
        drop(timeout(LAST_WORDS, running.task).await);
    } else {
        drop(timeout(LAST_WORDS, running.task).await);
        // It may yet write to the terminal.
        running.plugins.shut_down().await;
        lent.take_away();
    }
    while let Some(batch) = outputs.try_recv() {
        kept.take(batch);
    }
    kept.tell();
    Ok(Some(match end {
        End::Answered(Ok(reply)) => exit_code(&chosen.name, &reply, settings),
        End::Answered(Err(error)) => {
            let text = format!("the front end {} failed: {error}", chosen.name);
            messages::error(text, &settings.secrets);
            Exit::Failed.into()
        }
        End::WithoutAgent => Exit::Failed.into(),
        End::Stopped(signal) => signal.exit_code(),
    }))
}

/// Returns the exit code that a front end chose; one that no program can have is told.
fn exit_code(name: &str, reply: &RunFrontendReply, settings: &Settings) -> ExitCode {
    match u8::try_from(reply.exit_code) {
        Ok(code) => code.into(),
        Err(_) => {
            let code = reply.exit_code;
            let text = format!("the front end {name} ended with {code}: an exit code is 0 to 255");
            messages::error(text, &settings.secrets);
            Exit::Failed.into()
        }
    }
}

/// Waits until the front end is there, or cannot come any more. What plugins say meanwhile is told.
async fn wait(name: &str, running: &mut Running<'_>, outputs: &mut Subscription) -> Waited {
    let mut found = pin!(running.hooks.has_frontend(name));
    let mut patience = pin!(sleep(PATIENCE));
    let mut is_told = false;
    let is_there = loop {
        tokio::select! {
            is_there = &mut found => break is_there,
            batch = outputs.recv() => match batch {
                Some(batch) => tell(&batch),
                // The agent ends only with the program.
                None => break false,
            },
            signal = running.signals.received() => return Waited::Stopped(signal),
            () = &mut patience, if !is_told => {
                is_told = true;
                messages::note(&format!("waiting for plugins, one of which may have the front end {name}"));
            }
        }
    };
    // Why a plugin did not start is on its way through the agent.
    tokio::task::yield_now().await;
    while let Some(batch) = outputs.try_recv() {
        tell(&batch);
    }
    if is_there { Waited::IsThere } else { Waited::IsNotThere }
}

/// Has the front end run. Dropping this takes the terminal back from it.
async fn until_ended(
    name: &str,
    running: &mut Running<'_>,
    outputs: &mut Subscription,
    kept: &mut Kept,
) -> io::Result<End> {
    let mut jobs = JobSignals::listen()?;
    let mut shown = pin!(running.hooks.run_frontend(name));
    let mut stopped_run: Option<Instant> = None;
    loop {
        tokio::select! {
            answer = &mut shown => {
                let message = "its plugin has ended".to_owned();
                return Ok(End::Answered(answer.unwrap_or(Err(PluginError { message }))));
            }
            batch = outputs.recv() => match batch {
                Some(batch) => kept.take(batch),
                None => return Ok(End::WithoutAgent),
            },
            signal = running.signals.received() => {
                // A front end that does not read keys one by one leaves Ctrl+C to the terminal, which
                // tells us alone.
                let is_second = stopped_run.is_some_and(|first| first.elapsed() < TWICE);
                if signal != StopSignal::Interrupt || is_second || !running.agent.status().busy {
                    return Ok(End::Stopped(signal));
                }
                stopped_run = Some(Instant::now());
                running.agent.abort();
            }
            // A front end has no shell that could have it go on, so nothing stops; it looks for the
            // size by itself.
            _ = jobs.received() => {}
        }
    }
}

/// What the user is to be told once the terminal is ours again: the last lines of it.
#[derive(Default)]
struct Kept {
    lines: VecDeque<String>,
    lost: usize,
}

impl Kept {
    fn take(&mut self, batch: Vec<Output>) {
        for mut text in batch.into_iter().filter_map(notice) {
            if let Some((cut, _)) = text.char_indices().nth(LONGEST_KEPT) {
                text.truncate(cut);
                text.push('…');
            }
            if self.lines.len() == MOST_KEPT {
                self.lines.pop_front();
                self.lost += 1;
            }
            self.lines.push_back(text);
        }
    }

    fn tell(self) {
        if self.lost > 0 {
            messages::note(&format!("{} earlier lines are not shown", self.lost));
        }
        self.lines.iter().for_each(|line| messages::note(line));
    }
}

fn tell(batch: &[Output]) {
    batch.iter().cloned().filter_map(notice).for_each(|text| messages::note(&text));
}

fn notice(output: Output) -> Option<String> {
    match output {
        Output::Notice(text) => Some(text),
        Output::Event(_) | Output::Control(_) => None,
    }
}

fn there_are(others: &[String]) -> String {
    match others {
        [] => format!("is {DEFAULT_FRONTEND}"),
        others => format!("are {DEFAULT_FRONTEND}, {}", others.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_front_end_names_those_that_there_are() {
        for (others, expected) in [
            (&[][..], "no front end is named \"x\"; there is basic"),
            (&["one", "two"], "no front end is named \"x\"; there are basic, one, two"),
        ] {
            let others = others.iter().map(|&name| name.to_owned()).collect();
            assert_eq!(UnknownFrontend { name: "x".to_owned(), others }.to_string(), expected);
        }
    }

    #[test]
    fn the_last_lines_are_kept_and_of_a_long_one_the_beginning() {
        let mut kept = Kept::default();
        kept.take((0..MOST_KEPT + 2).map(|number| Output::Notice(number.to_string())).collect());
        kept.take(vec![Output::Notice("é".repeat(1 << 20))]);
        assert_eq!(kept.lost, 3);
        assert_eq!(kept.lines.len(), MOST_KEPT);
        assert_eq!(kept.lines.front().map(String::as_str), Some("3"));
        let last = kept.lines.back().map(|line| line.chars().count());
        assert_eq!(last, Some(LONGEST_KEPT + 1));
    }
}
