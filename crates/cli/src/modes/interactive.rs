//! Interactive mode: the terminal front end, joined to the agent.
//!
//! Owns the loop that takes in keys, events, signals and time, and the terminal itself: when it is
//! ours and when another program's. What is shown and what a key means is the front end's. Must not
//! hold anything of the conversation.

mod attention;
mod editor;
mod painter;

use crate::clipboard::{self, PictureError};
use crate::compose::Built;
use crate::environment::Environment;
use crate::messages;
use crate::settings::Settings;
use crate::signals::{JobSignal, JobSignals, Signals, StopSignal};
use futures_util::future::LocalBoxFuture;
use letscode_core::agent::{Agent, Output, Subscription};
use letscode_core::commands;
use letscode_core::secrets::Secrets;
use letscode_tui::app::{AgentOutput, App, Effect, Msg, Options};
use letscode_tui::input::Reader;
use letscode_tui::keymap::Keymap;
use letscode_tui::keys::InputEvent;
use letscode_tui::terminal::{Abilities, Terminal};
use letscode_wire::ImageData;
use painter::Painter;
use serde_json::Value;
use std::io;
use std::mem::take;
use std::pin::pin;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Notify, mpsc};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep_until, timeout};

/// How long an interrupted run may take to end its commands and note it.
const LAST_WORDS: Duration = Duration::from_secs(3);

/// How late a signal is told that was sent before the end of another program.
const LATE_SIGNAL: Duration = Duration::from_millis(20);

/// Returns what the front end starts with.
pub(super) fn options(settings: &Settings, environment: &Environment, built: &Built) -> Options {
    let config = &settings.terminal;
    let (keymap, notices) = Keymap::new(&config.keys);
    let welcome = format!(
        "letscode {} · {} · /help shows commands and keys",
        env!("CARGO_PKG_VERSION"),
        built.parts.model.info().name,
    );
    Options {
        footer: config.footer.unwrap_or(true),
        verbose: config.verbose.unwrap_or(false),
        vi: config.vi.unwrap_or(false),
        is_plain: false,
        keymap: Arc::new(keymap),
        commands: commands::list(),
        conversation: built.parts.transcript.clone(),
        trust_question: settings.left_out.as_ref().map(ToString::to_string),
        welcome,
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
    let options = Options { is_plain: abilities.is_dumb(), ..options };
    // Listened to first, so that no change of the size is missed.
    let jobs = JobSignals::listen()?;
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
        jobs,
        continues: false,
        terminal: &terminal,
        reader,
        input,
        painter,
        picture: None,
        environment,
        secrets,
    };
    let code = session.serve().await;
    session.leave().await;
    terminal.leave();
    drop(timeout(LAST_WORDS, task).await);
    // What cannot be saved is told at the very end.
    while let Some(batch) = session.outputs.try_recv() {
        for output in batch {
            if let Output::Notice(text) = output {
                messages::note(&text);
            }
        }
    }
    Ok(code)
}

type Picture = Result<ImageData, PictureError>;

struct Session<'a> {
    app: App,
    agent: Agent,
    outputs: Subscription,
    signals: Signals,
    jobs: JobSignals,
    /// Whether a signal to go on is still to come, which was waited for.
    continues: bool,
    terminal: &'a Terminal,
    reader: Reader,
    input: mpsc::UnboundedReceiver<Vec<InputEvent>>,
    painter: Painter,
    /// The clipboard's picture, while it is being read.
    picture: Option<LocalBoxFuture<'a, Picture>>,
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
            // A part of the program may have told of a fault in itself, and the rest goes on.
            if !self.terminal.is_entered() {
                self.painter.abandon();
                self.come_back();
            }
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
                    if events.contains(&InputEvent::Closed) {
                        return StopSignal::HangUp.exit_code();
                    }
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
                picture = wait_for_picture(&mut self.picture) => {
                    self.painter.now();
                    self.update([Msg::Picture(picture.map_err(|error| error.to_string()))])
                }
                job = self.jobs.received() => match job {
                    JobSignal::Resized => {
                        let (columns, rows) = self.terminal.size();
                        self.painter.resized(columns, rows);
                        continue;
                    }
                    JobSignal::Stop => vec![Effect::Suspend],
                    JobSignal::Continue => {
                        self.continued();
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
                    let edited = match self.edit(&text).await {
                        Ok(edited) => edited,
                        Err(signal) => return Some(signal.exit_code()),
                    };
                    drop(self.update([edited]));
                }
                Effect::Suspend => {
                    self.let_go().await;
                    self.continues |= stop(self.terminal);
                    self.come_back();
                }
                Effect::Redraw => self.painter.redraw(),
                Effect::Attract(words) => {
                    let bytes = attention::bytes(words, |name| self.environment.text(name));
                    self.painter.send(&bytes);
                }
                Effect::PastePicture => {
                    // One at a time; the programs that hold the clipboard may take theirs.
                    if self.picture.is_none() {
                        let picture = clipboard::picture(self.environment, self.secrets);
                        self.picture = Some(Box::pin(picture));
                    }
                }
                Effect::Exit => return Some(ExitCode::SUCCESS),
                Effect::ExitInterrupted => return Some(StopSignal::Interrupt.exit_code()),
            }
        }
        None
    }

    /// Has the user edit a text. Gives back the signal that ended it.
    async fn edit(&mut self, text: &str) -> Result<Msg, StopSignal> {
        self.let_go().await;
        let mut ended_by = None;
        let over = Notify::new();
        let mut editing = pin!(editor::edit(text, self.environment, &over));
        let edited = loop {
            tokio::select! {
                edited = &mut editing => break edited,
                signal = self.signals.received() => match signal {
                    // A key of the editor's: the terminal sends it to us as well.
                    StopSignal::Interrupt => {}
                    StopSignal::Terminate | StopSignal::HangUp | StopSignal::Other(_) => {
                        ended_by = Some(signal);
                        over.notify_one();
                    }
                },
                job = self.jobs.received() => match job {
                    // An editor that is suspended means us too.
                    JobSignal::Stop => self.continues |= stop(self.terminal),
                    JobSignal::Continue => self.continues = false,
                    JobSignal::Resized => {}
                },
            }
        };
        // The signal of a key that ended the editor may come in behind its end.
        while let Ok(signal) = timeout(LATE_SIGNAL, self.signals.received()).await {
            if signal != StopSignal::Interrupt {
                ended_by = Some(signal);
                break;
            }
        }
        if let Some(signal) = ended_by {
            self.agent.abort();
            return Err(signal);
        }
        self.come_back();
        Ok(Msg::Edited(edited.map_err(|error| error.to_string())))
    }

    /// Gives the terminal to another program.
    async fn let_go(&mut self) {
        self.reader.pause();
        self.painter.release(&mut self.app).await;
        self.terminal.leave();
    }

    /// Goes on after a stop. One by a signal that nobody can listen to left the terminal as it was,
    /// and the shell has changed it.
    fn continued(&mut self) {
        if take(&mut self.continues) {
            return;
        }
        if let Err(error) = self.terminal.renew() {
            tracing::debug!("the terminal cannot be set again: {error}");
        }
        self.painter.abandon();
        let (columns, rows) = self.terminal.size();
        self.painter.resized(columns, rows);
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
        self.painter.end(&mut self.app).await;
    }
}

fn agent_output(output: Output) -> AgentOutput {
    match output {
        Output::Event(event) => AgentOutput::Event(event),
        Output::Control(control) => AgentOutput::Control(control),
        Output::Notice(text) => AgentOutput::Notice(text),
    }
}

async fn wait_for_picture(picture: &mut Option<LocalBoxFuture<'_, Picture>>) -> Picture {
    let Some(reading) = picture else { return std::future::pending().await };
    let read = reading.await;
    *picture = None;
    read
}

/// Leaves the terminal and stops. Returns whether the signal to go on came.
fn stop(terminal: &Terminal) -> bool {
    match terminal.stop() {
        Ok(stopped) => stopped,
        Err(error) => {
            tracing::debug!("the program cannot be stopped: {error}");
            false
        }
    }
}

async fn wait_for(instant: Option<Instant>) {
    match instant {
        Some(instant) => sleep_until(instant).await,
        None => std::future::pending().await,
    }
}
