//! RPC mode: newline-delimited JSON over stdio, for editors and other programs.
//!
//! Owns the connection: handshake, end of input, signals, the grace time of a run that hangs.
//! Commands go to the agent and everything it says goes to stdout, in order. Must not expand or
//! interpret a prompt's text.

mod encode;
mod hearing;
mod stdin;
mod stdout;

use crate::signals::{Signals, StopSignal};
use encode::UpdateStyle;
use hearing::Hearing;
use letscode_core::agent::Agent;
use letscode_wire::{
    Command, CommandLine, Control, LineError, RPC_PROTOCOL, RequestId, UpdateMode,
    protocol_major_matches,
};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;
use stdin::Line;
use stdout::Writer;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep_until, timeout};

/// How long the end of an aborted run, and of the writing to the host, may take.
const LAST_WORDS: Duration = Duration::from_secs(5);

/// A second Ctrl+C within this time ends the program.
const SECOND_INTERRUPT: Duration = Duration::from_secs(2);

/// Announces that the program takes commands. The first line of all.
fn announce_ready() -> std::io::Result<()> {
    stdout::write_line(&Control::Ready {
        protocol: RPC_PROTOCOL.to_owned(),
        letscode: env!("CARGO_PKG_VERSION").to_owned(),
        features: FEATURES.iter().map(|&feature| feature.to_owned()).collect(),
    })
}

/// The additive extensions that this build has.
const FEATURES: [&str; 19] = [
    "updates_delta",
    "prompt_images",
    "agent_end_aborted",
    "compact",
    "retry",
    "inspect",
    "queue",
    "sessions",
    "tree",
    "set_model",
    "commands",
    "lists",
    "export",
    "expand",
    "files",
    "history",
    "reload",
    "trust",
    "ui",
];

/// Tells the host that the program cannot start.
pub(crate) fn announce_failure(error: &str) {
    // Where the host does not listen there is nobody to tell; stderr has it too.
    drop(stdout::write_line(&fatal(RequestId::default(), error.to_owned())));
}

/// Serves the host until it leaves.
pub(crate) async fn run(
    agent: Agent,
    task: JoinHandle<()>,
    signals: Signals,
    grace: Duration,
) -> ExitCode {
    if announce_ready().is_err() {
        return ExitCode::SUCCESS;
    }
    let writer = Writer::start(agent.subscribe());
    let interrupts = Interrupts::default();
    let connection = Connection {
        agent,
        writer: Arc::clone(&writer),
        hearing: Hearing::watch(),
        grace,
        signals,
        interrupts,
        task,
    };
    let end = connection.serve().await;
    // The agent has ended, so the writer comes to its end too, if the host reads.
    let all_written = timeout(LAST_WORDS, writer.finished()).await.is_ok();
    match end {
        End::Bye => {
            // A host that does not read has the writer stand in a write, with stdout locked: a
            // last word would wait for it without end.
            if all_written {
                drop(stdout::write_line(&Control::Bye));
            }
            ExitCode::SUCCESS
        }
        End::Fatal => ExitCode::from(2),
        End::Interrupted => ExitCode::from(130),
        End::HostGone => ExitCode::SUCCESS,
    }
}

/// How a connection ends.
enum End {
    /// In good order: the last line is `bye`.
    Bye,
    /// After a fatal error: no `bye`.
    Fatal,
    /// By two interrupts.
    Interrupted,
    /// The host closed our output.
    HostGone,
}

struct Connection {
    agent: Agent,
    writer: Arc<Writer>,
    hearing: Hearing,
    grace: Duration,
    signals: Signals,
    interrupts: Interrupts,
    task: JoinHandle<()>,
}

/// Tells a second Ctrl+C from a first.
#[derive(Default)]
struct Interrupts {
    last: Option<Instant>,
}

impl Interrupts {
    /// Notes an interrupt and returns whether another came shortly before.
    fn again(&mut self) -> bool {
        let last = self.last.replace(Instant::now());
        last.is_some_and(|last| last.elapsed() < SECOND_INTERRUPT)
    }
}

impl Connection {
    async fn serve(mut self) -> End {
        let mut lines = stdin::lines();
        loop {
            tokio::select! {
                // A host that does not read what it asked for has to wait.
                line = async { self.agent.room().await; lines.recv().await } => match line {
                    Some(Line::Complete(line)) => match self.line(&line) {
                        Next::More => {}
                        Next::WindDown => return self.wind_down().await,
                        Next::Fatal => {
                            self.agent.abort();
                            return match self.wind_down().await {
                                End::Bye => End::Fatal,
                                other => other,
                            };
                        }
                    },
                    Some(Line::Bad(error)) => self.refuse(RequestId::default(), bad_line(error)),
                    None => return self.wind_down().await,
                },
                signal = self.signals.received() => {
                    self.agent.abort();
                    match signal {
                        StopSignal::Interrupt if self.interrupts.again() => return End::Interrupted,
                        StopSignal::Interrupt => {}
                        StopSignal::Terminate | StopSignal::HangUp | StopSignal::Other(_) => {
                            return self.wind_down().await;
                        }
                    }
                }
                () = self.writer.host_gone() => return self.leave().await,
                () = self.hearing.lost() => return self.leave().await,
            }
        }
    }

    /// Acts on one line of the host's.
    fn line(&self, line: &[u8]) -> Next {
        let CommandLine { id, command } = match CommandLine::parse(line) {
            Ok(command) => command,
            Err(error) => {
                self.refuse(error.id.clone(), error.reason);
                return Next::More;
            }
        };
        match &command {
            Command::Hello { protocol: Some(protocol), .. }
                if !protocol_major_matches(protocol, RPC_PROTOCOL) =>
            {
                let error = format!("this program speaks {RPC_PROTOCOL}, the host {protocol:?}");
                self.agent.say(fatal(id, error));
                Next::Fatal
            }
            Command::Hello { updates, .. } => {
                if let Some(updates) = updates {
                    self.writer.set_style(match updates {
                        UpdateMode::Full => UpdateStyle::Snapshot,
                        UpdateMode::Delta => UpdateStyle::Delta,
                    });
                }
                self.agent.send(id, command);
                Next::More
            }
            Command::Bye => {
                self.accept(id);
                Next::WindDown
            }
            // The rest is the agent's, and so is what a host says that it answers.
            _ => {
                self.agent.send(id, command);
                Next::More
            }
        }
    }

    fn accept(&self, id: RequestId) {
        self.agent.say(Control::Ack { id: id.clone() });
        self.agent.say(Control::Done { id, result: None });
    }

    fn refuse(&self, id: RequestId, error: String) {
        self.agent.say(Control::Error { id, error, recoverable: true, fatal: false });
    }

    /// Takes no more commands and lets the run come to its end; one that hangs is aborted.
    async fn wind_down(mut self) -> End {
        let began = Instant::now();
        let mut aborted_at: Option<Instant> = None;
        self.agent.shut_down();
        loop {
            let deadline = match aborted_at {
                Some(aborted) => aborted + LAST_WORDS,
                None => self.hung_at(began),
            };
            tokio::select! {
                _ = &mut self.task => return End::Bye,
                () = sleep_until(deadline) => {
                    if aborted_at.is_some() {
                        // Not even the abort came to an end: leave without it.
                        return End::Bye;
                    }
                    if Instant::now() >= self.hung_at(began) {
                        self.agent.abort();
                        aborted_at = Some(Instant::now());
                    }
                }
                signal = self.signals.received() => {
                    self.agent.abort();
                    aborted_at = aborted_at.or_else(|| Some(Instant::now()));
                    if signal == StopSignal::Interrupt && self.interrupts.again() {
                        return End::Interrupted;
                    }
                }
                () = self.writer.host_gone() => return self.leave().await,
                () = self.hearing.lost() => return self.leave().await,
            }
        }
    }

    /// Returns when the run counts as hung if nothing more happens: the grace time after the last
    /// sign of life, or when what may be silent has used its own time up.
    fn hung_at(&self, began: Instant) -> Instant {
        let silent = began.max(self.writer.last_output()) + self.grace;
        let allowed = self.agent.status().silent_until.map(|until| until + LAST_WORDS);
        allowed.map_or(silent, |until| silent.max(until))
    }

    /// Ends the run when the host has closed our output: nobody hears what it would say.
    async fn leave(mut self) -> End {
        self.agent.abort();
        self.agent.shut_down();
        drop(timeout(LAST_WORDS, &mut self.task).await);
        End::HostGone
    }
}

/// What follows a line.
enum Next {
    More,
    WindDown,
    Fatal,
}

fn fatal(id: RequestId, error: String) -> Control {
    Control::Error { id, error, recoverable: false, fatal: true }
}

fn bad_line(error: LineError) -> String {
    error.to_string()
}
