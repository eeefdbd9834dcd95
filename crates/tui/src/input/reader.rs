//! The thread that waits for the terminal.
//!
//! Owns reading it: never while it is paused, so that an editor gets every key. Waits for nothing
//! else, so a key is told at once whatever the rest of the program does.

use super::Decoder;
use crate::keys::InputEvent;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use std::io::{self, PipeReader, PipeWriter, Read as _, Write as _};
use std::os::fd::{AsFd as _, OwnedFd};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

/// How long after an escape its sequence goes on at the latest.
const SILENCE: Timespec = Timespec { tv_sec: 0, tv_nsec: 30_000_000 };
/// The most that one read takes.
const READ_SIZE: usize = 64 * 1024;

/// Reads the terminal until it is dropped.
#[derive(Debug)]
pub struct Reader {
    shared: Arc<Shared>,
    /// Wakes the thread while it waits for the terminal.
    wake: PipeWriter,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct Shared {
    /// Held while the thread reads: who holds it knows that no byte is being taken.
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Running,
    Paused,
    Stopped,
}

impl Reader {
    /// Starts to read stdin. `on_event` is called with what came, in order, and must not block;
    /// [`InputEvent::Closed`] is the last.
    ///
    /// # Errors
    /// When the system gives no pipe or thread.
    pub fn start(on_event: impl FnMut(Vec<InputEvent>) + Send + 'static) -> io::Result<Self> {
        let stdin = io::stdin().as_fd().try_clone_to_owned()?;
        Self::of(stdin, Decoder::new(), on_event)
    }

    /// Starts to read another source, or with another decoder.
    ///
    /// # Errors
    /// As [`start`](Self::start).
    pub fn of(
        source: OwnedFd,
        decoder: Decoder,
        on_event: impl FnMut(Vec<InputEvent>) + Send + 'static,
    ) -> io::Result<Self> {
        let (woken, wake) = io::pipe()?;
        let shared =
            Arc::new(Shared { state: Mutex::new(State::Running), changed: Condvar::new() });
        let reading = Arc::clone(&shared);
        let thread = thread::Builder::new().name("terminal input".into()).spawn(move || {
            read(&source, woken, &reading, decoder, on_event);
        })?;
        Ok(Self { shared, wake, thread: Some(thread) })
    }

    /// Leaves the terminal to others: once this returns no byte is taken until
    /// [`resume`](Self::resume).
    pub fn pause(&self) {
        self.change(State::Paused);
    }

    /// Reads on.
    pub fn resume(&self) {
        self.change(State::Running);
    }

    fn change(&self, to: State) {
        *self.shared.lock() = to;
        self.shared.changed.notify_all();
        // A full pipe wakes as well, and a thread that has ended needs no waking.
        let _ = (&self.wake).write(&[0]);
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        self.change(State::Stopped);
        if let Some(thread) = self.thread.take() {
            // Its panic has been told already.
            let _ = thread.join();
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits out pauses. Returns whether to go on.
    fn wait_until_running(&self) -> bool {
        let paused = |state: &mut State| *state == State::Paused;
        let state = self.changed.wait_while(self.lock(), paused);
        *state.unwrap_or_else(PoisonError::into_inner) != State::Stopped
    }
}

fn read(
    source: &OwnedFd,
    mut woken: PipeReader,
    shared: &Shared,
    mut decoder: Decoder,
    mut on_event: impl FnMut(Vec<InputEvent>),
) {
    let mut buffer = vec![0; READ_SIZE];
    let mut events = Vec::new();
    while shared.wait_until_running() {
        let silence = decoder.pending().then_some(&SILENCE);
        let mut waited = [PollFd::new(source, PollFlags::IN), PollFd::new(&woken, PollFlags::IN)];
        let is_over = match poll(&mut waited, silence) {
            Ok(0) => {
                decoder.timed_out(&mut events);
                false
            }
            Ok(_) => {
                let [from_source, from_pipe] = waited.map(|one| !one.revents().is_empty());
                if from_pipe {
                    // The pipe never ends while its other end is ours.
                    let _ = woken.read(&mut [0; 64]);
                }
                from_source && !take(source, shared, &mut buffer, &mut decoder, &mut events)
            }
            Err(Errno::INTR) => false,
            Err(_) => true,
        };
        if is_over {
            events.push(InputEvent::Closed);
        }
        if !events.is_empty() {
            on_event(std::mem::take(&mut events));
        }
        if is_over {
            return;
        }
    }
}

/// Takes what has come, unless the terminal is another's by now. Returns whether there is more to
/// expect.
fn take(
    source: &OwnedFd,
    shared: &Shared,
    buffer: &mut [u8],
    decoder: &mut Decoder,
    events: &mut Vec<InputEvent>,
) -> bool {
    let state = shared.lock();
    if *state != State::Running {
        return true;
    }
    let result = rustix::io::read(source, &mut *buffer);
    drop(state);
    match result {
        Ok(0) => false,
        Ok(count) => {
            decoder.decode(buffer.get(..count).unwrap_or_default(), events);
            true
        }
        Err(Errno::INTR | Errno::AGAIN) => true,
        Err(_) => false,
    }
}

#[cfg(test)]
mod tests;
