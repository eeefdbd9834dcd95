//! One-shot mode on a terminal: a prompt's answer and tools as the interactive mode shows them, with
//! nothing to type.
//!
//! Owns the loop that takes in events, signals and time. The rows are the transcript's. Must not take
//! the terminal over: it stays as it is, and the keys belong to whoever comes next.

use super::{LAST_WORDS, lost_stdout};
use crate::environment::Environment;
use crate::messages::Exit;
use crate::settings::Settings;
use crate::signals::{JobSignal, JobSignals, Signals};
use letscode_core::agent::{Agent, Output};
use letscode_tui::screen::{Frame, Screen};
use letscode_tui::terminal::{self, Abilities};
use letscode_tui::text::Cursor;
use letscode_tui::transcript::Transcript;
use letscode_wire::{Command, Control, Event, Message, RequestId};
use std::io::{self, Write as _};
use std::process::ExitCode;
use std::time::Duration;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep_until, timeout};

/// The shortest time between two frames.
const FRAME: Duration = Duration::from_millis(16);
/// How often what moves by itself is drawn.
const STEP: Duration = Duration::from_millis(100);

/// Runs one prompt and shows what comes of it.
///
/// # Errors
/// When signals cannot be listened for.
pub(super) async fn run(
    agent: Agent,
    task: JoinHandle<()>,
    mut signals: Signals,
    command: Command,
    settings: &Settings,
    environment: &Environment,
) -> io::Result<ExitCode> {
    let mut jobs = JobSignals::listen()?;
    let mut outputs = agent.subscribe();
    let mut view = View::new(settings, environment);
    agent.send(RequestId::default(), command);
    agent.shut_down();
    let mut last = Instant::now();
    let mut due = Some(last);
    let failure = loop {
        let now = Instant::now();
        if due.take_if(|due| *due <= now).is_some() {
            last = now;
            if let Err(error) = view.draw(now) {
                break error;
            }
        }
        let step = view.transcript.is_animated().then(|| last + STEP);
        let next = [due, step].into_iter().flatten().min();
        tokio::select! {
            batch = outputs.recv() => match batch {
                Some(batch) => {
                    batch.iter().for_each(|output| view.show(output, now));
                    due.get_or_insert(last + FRAME);
                }
                None => match view.end(now) {
                    Ok(()) => return Ok(view.exit.into()),
                    Err(error) => break error,
                },
            },
            signal = signals.received() => {
                agent.abort();
                view.stopped(now);
                // A terminal that hung up shows nothing.
                drop(view.end(now));
                drop(timeout(LAST_WORDS, task).await);
                return Ok(signal.exit_code());
            }
            job = jobs.received() => {
                let handled = match job {
                    JobSignal::Resized => {
                        view.resized();
                        Ok(())
                    }
                    JobSignal::Stop => {
                        let released = view.release();
                        if let Err(error) = terminal::stop_process() {
                            tracing::debug!("the program cannot be stopped: {error}");
                        }
                        released
                    }
                    JobSignal::Continue => {
                        view.begin_anew();
                        Ok(())
                    }
                };
                if let Err(error) = handled {
                    break error;
                }
                due = Some(now);
            }
            () = wait_for(next) => due = Some(Instant::now()),
        }
    };
    agent.abort();
    drop(timeout(LAST_WORDS, task).await);
    Ok(lost_stdout(&failure))
}

/// What is shown so far, and how the run ended.
struct View {
    transcript: Transcript,
    screen: Screen,
    abilities: Abilities,
    exit: Exit,
}

impl View {
    fn new(settings: &Settings, environment: &Environment) -> Self {
        let lookup = |name: &str| environment.text(name).map(str::to_owned);
        let abilities = Abilities::from_environment(lookup);
        let (columns, rows) = terminal::size();
        let mut transcript = Transcript::new();
        transcript.without_keys();
        transcript.set_verbose(settings.terminal.verbose.unwrap_or(false));
        Self {
            transcript,
            screen: abilities.screen(columns, rows),
            abilities,
            exit: Exit::ProviderError,
        }
    }

    fn show(&mut self, output: &Output, now: Instant) {
        match output {
            Output::Event(event) => {
                if let Event::AgentEnd { error, aborted, .. } = &**event {
                    let ended_well = error.is_none() && !aborted;
                    self.exit = if ended_well { Exit::Success } else { Exit::ProviderError };
                }
                // What the user said stands on the command line.
                let is_users = matches!(&**event, Event::MessageStart { message }
                    if matches!(**message, Message::User(_)));
                if !is_users {
                    self.transcript.event(event, now.into_std());
                }
            }
            Output::Notice(text) => self.transcript.notice(text),
            Output::Control(Control::Error { error, .. }) => {
                self.transcript.failure(error);
                self.exit = Exit::Usage;
            }
            Output::Control(_) => {}
        }
    }

    /// Notes that the user has stopped the run.
    fn stopped(&mut self, now: Instant) {
        let event = Event::AgentEnd { messages: Vec::new(), error: None, aborted: true };
        self.transcript.event(&event, now.into_std());
    }

    fn resized(&mut self) {
        let (columns, rows) = terminal::size();
        self.screen.resized(columns, rows);
    }

    /// Goes on below whatever others wrote meanwhile.
    fn begin_anew(&mut self) {
        let (columns, rows) = terminal::size();
        self.screen = self.abilities.screen(columns, rows);
    }

    fn draw(&mut self, now: Instant) -> io::Result<()> {
        let (columns, rows) = self.screen.size();
        let finished = self.transcript.take_finished(columns);
        let live = self.transcript.live(columns, rows.saturating_sub(1), now.into_std());
        // Behind what came last, and never hidden: nothing is to be restored, however this ends.
        let row = live.len().saturating_sub(1);
        let column = live.last().map_or(0, |line| line.width().min(columns - 1));
        let cursor = (!self.abilities.is_dumb()).then_some(Cursor { row, column });
        let mut bytes = Vec::new();
        self.screen.draw(Frame { finished, live, cursor }, &mut bytes);
        write(&bytes)
    }

    /// Takes what moves away, for the shell.
    fn release(&mut self) -> io::Result<()> {
        let mut bytes = Vec::new();
        self.screen.release(&mut bytes);
        write(&bytes)
    }

    fn end(&mut self, now: Instant) -> io::Result<()> {
        self.draw(now)?;
        self.release()
    }
}

fn write(bytes: &[u8]) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(bytes)?;
    stdout.flush()
}

async fn wait_for(instant: Option<Instant>) {
    match instant {
        Some(instant) => sleep_until(instant).await,
        None => std::future::pending().await,
    }
}
