//! Frames to the terminal: when one is due, and the thread that writes it.
//!
//! A terminal may take its time (a slow line, a stopped one). The agent and the keys never wait for
//! it: frames are made only when the one before has been written, so none piles up and nothing that
//! is final is lost. Must not know what is shown.

use letscode_tui::app::App;
use letscode_tui::screen::{Frame, Screen};
use letscode_tui::terminal;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, SyncSender};
use std::thread;
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::Instant;

/// The shortest time between two frames that no key asked for.
const FRAME: Duration = Duration::from_millis(16);

/// Draws the app's frames.
pub(super) struct Painter {
    screen: Screen,
    writer: Writer,
    /// When the next frame is due; `None` where nothing has changed.
    due: Option<Instant>,
    last: Instant,
}

impl Painter {
    pub(super) fn new(screen: Screen) -> io::Result<Self> {
        let now = Instant::now();
        Ok(Self { screen, writer: Writer::start()?, due: Some(now), last: now })
    }

    /// Something has changed that can wait for the next frame.
    pub(super) fn soon(&mut self) {
        self.due.get_or_insert(self.last + FRAME);
    }

    /// A key was pressed: its effect is shown at once.
    pub(super) fn now(&mut self) {
        self.due = Some(Instant::now());
    }

    /// The terminal may show something else in place of the live region.
    pub(super) fn redraw(&mut self) {
        self.screen.refresh();
        self.now();
    }

    /// Somebody has written below the live region, which stays there as it is.
    pub(super) fn abandon(&mut self) {
        self.screen.abandon();
        self.now();
    }

    /// Takes over a new size of the terminal.
    pub(super) fn resized(&mut self, columns: usize, rows: usize) {
        self.screen.resized(columns, rows);
        self.soon();
    }

    /// Returns when [`paint`](Self::paint) should be called; `None` while nothing is to be shown or the
    /// terminal has not taken the last frame.
    pub(super) fn deadline(&self) -> Option<Instant> {
        self.due.filter(|_| self.writer.is_idle())
    }

    /// Waits until the terminal has taken the last frame.
    pub(super) async fn written(&self) {
        self.writer.state.idle.notified().await;
    }

    /// Returns whether the terminal takes no more.
    pub(super) fn is_lost(&self) -> bool {
        self.writer.state.lost.load(Ordering::Acquire)
    }

    /// Draws the app as it is now.
    pub(super) fn paint(&mut self, app: &mut App, now: Instant) {
        self.due = None;
        self.last = now;
        let mut bytes = Vec::new();
        let (columns, rows) = self.screen.size();
        self.screen.draw(app.view(columns, rows, now.into_std()), &mut bytes);
        self.writer.write(bytes);
    }

    /// Takes the live region away for another program, which gets a row of its own below what is
    /// final. Waits until the terminal has it, but not for a terminal that takes nothing.
    pub(super) async fn release(&mut self, app: &mut App) {
        let (columns, rows) = self.screen.size();
        let finished = app.view(columns, rows, Instant::now().into_std()).finished;
        self.release_below(Frame { finished, ..Frame::default() }).await;
    }

    /// Draws the last frame of all, as [`release`](Self::release) does.
    pub(super) async fn end(&mut self, app: &mut App) {
        let (columns, rows) = self.screen.size();
        let frame = app.last_view(columns, rows, Instant::now().into_std());
        self.release_below(frame).await;
    }

    async fn release_below(&mut self, frame: Frame) {
        self.drain().await;
        let mut bytes = Vec::new();
        self.screen.draw(frame, &mut bytes);
        self.screen.release(&mut bytes);
        self.writer.write(bytes);
        self.drain().await;
        self.due = Some(Instant::now());
    }

    /// Has the terminal do something beside the frames, such as ring its bell.
    pub(super) fn send(&mut self, bytes: &[u8]) {
        self.writer.write(bytes.to_vec());
    }

    async fn drain(&self) {
        let drained = async {
            while !self.writer.is_idle() {
                self.written().await;
            }
        };
        drop(tokio::time::timeout(Duration::from_secs(1), drained).await);
    }
}

/// The thread that writes, so that nobody else waits for the terminal.
struct Writer {
    frames: SyncSender<Vec<u8>>,
    state: Arc<State>,
}

#[derive(Default)]
struct State {
    is_busy: AtomicBool,
    lost: AtomicBool,
    idle: Notify,
}

impl Writer {
    fn start() -> io::Result<Self> {
        // A frame and the bell behind it.
        let (frames, next) = mpsc::sync_channel::<Vec<u8>>(2);
        let state = Arc::new(State::default());
        let shared = Arc::clone(&state);
        thread::Builder::new().name("terminal".to_owned()).spawn(move || {
            while let Ok(frame) = next.recv() {
                if terminal::write(&frame).is_err() {
                    shared.lost.store(true, Ordering::Release);
                }
                shared.is_busy.store(false, Ordering::Release);
                shared.idle.notify_one();
            }
        })?;
        Ok(Self { frames, state })
    }

    fn is_idle(&self) -> bool {
        !self.state.is_busy.load(Ordering::Acquire)
    }

    fn write(&self, bytes: Vec<u8>) {
        if bytes.is_empty() {
            return;
        }
        self.state.is_busy.store(true, Ordering::Release);
        // Full only where the terminal takes nothing: then there is nobody to see it.
        if self.frames.try_send(bytes).is_err() {
            tracing::debug!("a frame was left out");
        }
    }
}
