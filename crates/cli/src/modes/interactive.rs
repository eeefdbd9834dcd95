//! Interactive mode: the terminal front end, joined to the agent.
//!
//! Owns the loop that takes in keys, events, signals and time, and the terminal itself: when it is
//! ours and when another program's. What is shown and what a key means is the front end's. Must not
//! hold anything of the conversation.

mod editor;
mod painter;

use crate::clipboard;
use crate::compose::Built;
use crate::environment::Environment;
use crate::settings::Settings;
use crate::signals::{JobSignal, JobSignals, Signals, StopSignal};
use letscode_core::agent::{Agent, Output, Subscription};
use letscode_core::commands;
use letscode_core::secrets::Secrets;
use letscode_tui::app::{AgentOutput, App, Effect, Msg, Options};
use letscode_tui::input::Reader;
use letscode_tui::keymap::Keymap;
use letscode_tui::keys::InputEvent;
use letscode_tui::terminal::{Abilities, Terminal};
use painter::Painter;
use serde_json::Value;
use std::io;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep_until, timeout};

/// How long an interrupted run may take to end its commands and note it.
const LAST_WORDS: Duration = Duration::from_secs(3);

/// Draws attention to the window.
const BELL: &[u8] = b"\x07";

/// Returns what the front end starts with.
pub(super) fn options(settings: &Settings, environment: &Environment, built: &Built) -> Options {
    let config = &settings.terminal;
    let (keymap, notices) = Keymap::new(&config.keys);
    Options {
        footer: config.footer.unwrap_or(true),
        verbose: config.verbose.unwrap_or(false),
        vi: config.vi.unwrap_or(false),
        keymap: Arc::new(keymap),
        commands: commands::list().commands,
        conversation: built.parts.transcript.clone(),
        trust_question: settings.left_out.as_ref().map(ToString::to_string),
        seconds_since_epoch: environment.seconds_since_epoch() as f64,
        notices,
    }
}

/// Serves the user until they leave.
///
/// # Errors
/// When the terminal cannot be used.
pub(super) async fn run(
    agent: Agent,
    task: JoinHandle<()>,
    signals: Signals,
    options: Options,
    environment: &Environment,
    secrets: &Secrets,
) -> io::Result<ExitCode> {
    let outputs = agent.subscribe();
    let lookup = |name: &str| environment.text(name).map(str::to_owned);
    let abilities = Abilities::from_environment(lookup);
    let terminal = Terminal::enter(abilities)?;
    let (sender, input) = mpsc::unbounded_channel();
    let reader = Reader::start(move |events| drop(sender.send(events)))?;
    let (columns, rows) = terminal.size();
    let screen = abilities.screen(columns, rows);
    let painter = Painter::new(screen)?;
    let mut session = Session {
        app: App::new(options),
        agent,
        outputs,
        signals,
        jobs: JobSignals::listen()?,
        terminal: &terminal,
        reader,
        input,
        painter,
        environment,
        secrets,
    };
    let code = session.serve().await;
    session.leave().await;
    terminal.leave();
    drop(timeout(LAST_WORDS, task).await);
    Ok(code)
}

struct Session<'a> {
    app: App,
    agent: Agent,
    outputs: Subscription,
    signals: Signals,
    jobs: JobSignals,
    terminal: &'a Terminal,
    reader: Reader,
    input: mpsc::UnboundedReceiver<Vec<InputEvent>>,
    painter: Painter,
    environment: &'a Environment,
    secrets: &'a Secrets,
}

impl Session<'_> {
    async fn serve(&mut self) -> ExitCode {
        let started = self.app.start();
        if let Some(code) = self.carry_out(started).await {
            return code;
        }
        loop {
            let now = Instant::now();
            if self.painter.deadline().is_some_and(|due| due <= now) {
                self.painter.paint(&mut self.app, now);
            }
            if self.painter.is_lost() {
                return StopSignal::HangUp.exit_code();
            }
            let paint = self.painter.deadline();
            let tick = self.app.wakes_at(now.into_std()).map(Instant::from_std);
            let next = [paint, tick].into_iter().flatten().min();
            let effects = tokio::select! {
                biased;
                events = self.input.recv() => {
                    let Some(events) = events else { return StopSignal::HangUp.exit_code() };
                    self.painter.now();
                    self.update(events.into_iter().map(Msg::Input))
                }
                signal = self.signals.received() => {
                    self.agent.abort();
                    return signal.exit_code();
                }
                batch = self.outputs.recv() => {
                    // The agent ends only with the program.
                    let Some(batch) = batch else { return ExitCode::from(1) };
                    self.painter.soon();
                    self.update(batch.into_iter().map(|output| Msg::Agent(agent_output(output))))
                }
                job = self.jobs.received() => match job {
                    JobSignal::Resized => {
                        let (columns, rows) = self.terminal.size();
                        self.painter.resized(columns, rows);
                        continue;
                    }
                    JobSignal::Stop => vec![Effect::Suspend],
                    JobSignal::Continue => {
                        self.come_back();
                        continue;
                    }
                },
                () = self.painter.written() => continue,
                () = wait_for(next) => {
                    if tick.is_some_and(|tick| tick <= Instant::now()) {
                        self.painter.soon();
                        self.update([Msg::Tick])
                    } else {
                        continue;
                    }
                }
            };
            if let Some(code) = self.carry_out(effects).await {
                return code;
            }
        }
    }

    fn update(&mut self, happened: impl IntoIterator<Item = Msg>) -> Vec<Effect> {
        let now = Instant::now().into_std();
        happened.into_iter().flat_map(|msg| self.app.update(msg, now)).collect()
    }

    /// Does what the front end asks for. Returns the exit code where it asks to leave.
    async fn carry_out(&mut self, effects: Vec<Effect>) -> Option<ExitCode> {
        for effect in effects {
            match effect {
                Effect::Send { id, command } => self.agent.send(Value::from(id).into(), command),
                Effect::Edit(text) => {
                    let edited = self.edit(&text).await;
                    drop(self.update([edited]));
                }
                Effect::Suspend => {
                    self.let_go().await;
                    if let Err(error) = self.terminal.suspend() {
                        tracing::debug!("the program cannot be stopped: {error}");
                    }
                    self.come_back();
                }
                Effect::Redraw => self.painter.redraw(),
                Effect::Attract => self.painter.send(BELL),
                Effect::PastePicture => {
                    let picture = clipboard::picture(self.environment, self.secrets).await;
                    drop(self.update([Msg::Picture(picture.map_err(|error| error.to_string()))]));
                }
                Effect::Exit => return Some(ExitCode::SUCCESS),
            }
        }
        None
    }

    async fn edit(&mut self, text: &str) -> Msg {
        self.let_go().await;
        let edited = editor::edit(text, self.environment).await;
        self.come_back();
        Msg::Edited(edited.map_err(|error| error.to_string()))
    }

    /// Gives the terminal to another program.
    async fn let_go(&mut self) {
        self.reader.pause();
        self.painter.release(&mut self.app).await;
        self.terminal.leave();
    }

    /// Takes the terminal back.
    fn come_back(&mut self) {
        if let Err(error) = self.terminal.reenter() {
            tracing::debug!("the terminal cannot be taken back: {error}");
        }
        let (columns, rows) = self.terminal.size();
        self.painter.resized(columns, rows);
        self.painter.redraw();
        self.reader.resume();
    }

    async fn leave(&mut self) {
        self.agent.abort();
        self.agent.shut_down();
        self.reader.pause();
        self.painter.release(&mut self.app).await;
    }
}

fn agent_output(output: Output) -> AgentOutput {
    match output {
        Output::Event(event) => AgentOutput::Event(event),
        Output::Control(control) => AgentOutput::Control(control),
        Output::Notice(text) => AgentOutput::Notice(text),
    }
}

async fn wait_for(instant: Option<Instant>) {
    match instant {
        Some(instant) => sleep_until(instant).await,
        None => std::future::pending().await,
    }
}
