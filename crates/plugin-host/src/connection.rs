//! The lines between the program and one running plugin.
//!
//! Owns the two pipes, the queue of what is to be written, and the table of calls that wait for a
//! reply. Must not know what a call means.

use letscode_core::tools::Progress;
use letscode_core::ui::{ClockHold, Ui};
use letscode_wire::{Decoder, Event, FromPlugin, LineError, ToPlugin, encode_line};
use serde::Serialize;
use serde_json::Value;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::sync::{mpsc, oneshot};

/// How many lines may wait for a plugin to read them.
const OUTBOX: usize = 256;

/// How much is read at a time.
const CHUNK: usize = 64 * 1024;

/// How much of a line that is none is shown.
const SHOWN: usize = 80;

/// The names of the lines that a plugin may write.
const NAMES: [&str; 11] = [
    "hello",
    "reply",
    "progress",
    "ui",
    "command",
    "save_message",
    "config",
    "subagent_env",
    "cancel",
    "register",
    "goodbye",
];

/// The program's end. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Connection {
    outbox: mpsc::Sender<Outgoing>,
    calls: Arc<Calls>,
}

/// Something to be written.
enum Outgoing {
    Line(Box<ToPlugin>),
    Event(Arc<Event>),
}

/// The calls that wait for a reply.
#[derive(Default)]
struct Calls {
    last: AtomicU64,
    is_closed: AtomicBool,
    open: Mutex<HashMap<u64, OpenCall>>,
}

struct OpenCall {
    answer: oneshot::Sender<Result<Value, String>>,
    progress: Option<Progress>,
    /// Whose clock stands still while the plugin asks the user.
    ui: Ui,
    /// Whether it gives the plugin's front end the terminal.
    is_frontend: bool,
}

/// Why a call has no result.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum CallFault {
    /// The plugin says that it cannot.
    #[error("{0}")]
    Refused(String),
    /// The plugin is gone.
    #[error("the plugin ended before it answered")]
    Gone,
}

/// Why a plugin's output cannot be read on.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ReadFault {
    /// It ended.
    #[error("it ended")]
    Ended,
    /// It is no line of the protocol.
    #[error("it wrote what is no line of the protocol: {0}")]
    NotALine(String),
    /// It is too long.
    #[error(transparent)]
    TooLong(#[from] LineError),
}

/// The plugin's lines, one after the other.
pub(crate) struct Lines<R> {
    input: R,
    decoder: Decoder,
    chunk: Vec<u8>,
}

/// A call under way: dropped without an answer, it is taken back.
struct Guard<'a> {
    connection: &'a Connection,
    call: u64,
    is_answered: bool,
}

impl Connection {
    /// Returns the program's end; what is sent through it is written to `output`, in a task of its
    /// own. Must be called inside a runtime.
    pub(crate) fn new(output: impl AsyncWrite + Send + Unpin + 'static) -> Self {
        let (outbox, lines) = mpsc::channel(OUTBOX);
        tokio::spawn(write(lines, output));
        Self { outbox, calls: Arc::default() }
    }

    /// Sends a call that `line` makes of its number, and waits for the reply. A plugin that does not
    /// read keeps it waiting.
    ///
    /// # Errors
    /// When the plugin cannot, or is gone.
    pub(crate) async fn call(
        &self,
        ui: Ui,
        progress: Option<Progress>,
        line: impl FnOnce(u64) -> ToPlugin,
    ) -> Result<Value, CallFault> {
        let call = self.calls.last.fetch_add(1, Ordering::Relaxed) + 1;
        let (answer, answered) = oneshot::channel();
        let line = line(call);
        let is_frontend = matches!(line, ToPlugin::RunFrontend { .. });
        self.calls.lock().insert(call, OpenCall { answer, progress, ui, is_frontend });
        let mut guard = Guard { connection: self, call, is_answered: false };
        if self.calls.is_closed.load(Ordering::Acquire) {
            return Err(CallFault::Gone);
        }
        self.send(line).await?;
        let result = answered.await;
        guard.is_answered = true;
        match result {
            Ok(Ok(value)) => Ok(value),
            Ok(Err(error)) => Err(CallFault::Refused(error)),
            Err(_) => Err(CallFault::Gone),
        }
    }

    /// Sends a line, when there is room for it.
    ///
    /// # Errors
    /// When the plugin is gone.
    pub(crate) async fn send(&self, line: ToPlugin) -> Result<(), CallFault> {
        self.outbox.send(Outgoing::Line(Box::new(line))).await.map_err(|_| CallFault::Gone)
    }

    /// Sends an event, unless the plugin reads too slowly.
    pub(crate) fn tell(&self, event: &Arc<Event>) {
        if self.outbox.try_send(Outgoing::Event(Arc::clone(event))).is_err() {
            tracing::debug!("a plugin reads too slowly and misses an event");
        }
    }

    /// Takes a reply. One that nobody waits for any more does no harm.
    pub(crate) fn reply(&self, call: u64, result: Value, error: Option<String>) {
        let open = self.calls.lock().remove(&call);
        if let Some(open) = open {
            drop(open.answer.send(error.map_or(Ok(result), Err)));
        }
    }

    /// Returns who is shown what a call has so far.
    pub(crate) fn progress_of(&self, call: u64) -> Option<Progress> {
        self.calls.lock().get(&call).and_then(|open| open.progress.clone())
    }

    /// Returns whether a front end of the plugin has the terminal.
    pub(crate) fn has_frontend(&self) -> bool {
        self.calls.lock().values().any(|open| open.is_frontend)
    }

    /// Stops the clocks of all calls under way.
    pub(crate) fn hold_clocks(&self) -> Vec<ClockHold> {
        self.calls.lock().values().filter_map(|open| open.ui.hold_clock()).collect()
    }

    /// Answers all calls under way, and every later one, with [`CallFault::Gone`].
    pub(crate) fn close(&self) {
        self.calls.is_closed.store(true, Ordering::Release);
        self.calls.lock().clear();
    }
}

impl Calls {
    fn lock(&self) -> MutexGuard<'_, HashMap<u64, OpenCall>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        let is_open = self.connection.calls.lock().remove(&self.call).is_some();
        if is_open && !self.is_answered {
            let line = Outgoing::Line(Box::new(ToPlugin::Cancel { call: self.call }));
            // A plugin that does not read would not hear it anyhow.
            drop(self.connection.outbox.try_send(line));
        }
    }
}

impl<R: AsyncRead + Unpin> Lines<R> {
    pub(crate) fn new(input: R) -> Self {
        Self { input, decoder: Decoder::default(), chunk: vec![0; CHUNK] }
    }

    /// Returns the next line; those of a kind that is not known are skipped.
    ///
    /// # Errors
    /// When there is none, or what comes is no line of the protocol.
    pub(crate) async fn next(&mut self) -> Result<FromPlugin, ReadFault> {
        loop {
            while let Some(line) = self.decoder.next_line() {
                if let Some(line) = parse(line?)? {
                    return Ok(line);
                }
            }
            let read = self.input.read(&mut self.chunk).await.unwrap_or(0);
            if read == 0 {
                return Err(ReadFault::Ended);
            }
            self.decoder.push(self.chunk.get(..read).unwrap_or_default());
        }
    }
}

/// Reads one line; `None` for one of a kind that is not known.
fn parse(line: &[u8]) -> Result<Option<FromPlugin>, ReadFault> {
    let error = match serde_json::from_slice(line) {
        Ok(line) => return Ok(Some(line)),
        Err(error) => error,
    };
    let value: Option<Value> = serde_json::from_slice(line).ok();
    match value.as_ref().and_then(|value| value.get("type")?.as_str()) {
        Some(name) if !NAMES.contains(&name) => Ok(None),
        Some(name) => Err(ReadFault::NotALine(format!("{name}: {error}"))),
        None => {
            let text = String::from_utf8_lossy(line);
            let text: String = text.chars().take(SHOWN).collect();
            Err(ReadFault::NotALine(format!("{text:?}")))
        }
    }
}

/// Writes what is sent, until nobody can send any more or the plugin takes nothing.
async fn write(mut lines: mpsc::Receiver<Outgoing>, mut output: impl AsyncWrite + Unpin) {
    let mut buffer = Vec::new();
    while let Some(line) = lines.recv().await {
        buffer.clear();
        encode(&line, &mut buffer);
        // Many small lines, such as events, go out together.
        while buffer.len() < CHUNK
            && let Ok(line) = lines.try_recv()
        {
            encode(&line, &mut buffer);
        }
        if output.write_all(&buffer).await.is_err() || output.flush().await.is_err() {
            return;
        }
    }
}

fn encode(line: &Outgoing, buffer: &mut Vec<u8>) {
    #[derive(Serialize)]
    struct EventLine<'a> {
        r#type: &'static str,
        event: &'a Event,
    }
    let before = buffer.len();
    let encoded = match line {
        Outgoing::Line(line) => encode_line(line, buffer),
        Outgoing::Event(event) => encode_line(&EventLine { r#type: "event", event }, buffer),
    };
    if encoded.is_err() {
        buffer.truncate(before);
    }
}

#[cfg(test)]
mod tests;
