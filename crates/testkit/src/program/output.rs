//! The output of a running program, captured as it comes.
//!
//! Owns the two reader threads. Must not interpret the bytes beyond line ends.

use std::io::Read;
use std::process::{ChildStderr, ChildStdout};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Which of the two streams.
#[derive(Debug, Clone, Copy)]
enum Stream {
    Out,
    Err,
}

/// What a program has printed so far.
#[derive(Debug, Default)]
pub(super) struct Output {
    state: Mutex<State>,
    news: Condvar,
}

#[derive(Debug, Default)]
struct State {
    stdout: Captured,
    stderr: Captured,
    /// Where the first line begins that no wait has looked at.
    looked_at: usize,
}

#[derive(Debug, Default)]
struct Captured {
    bytes: Vec<u8>,
    ended: bool,
}

impl Output {
    /// Starts to read both streams.
    pub(super) fn capture(stdout: Option<ChildStdout>, stderr: Option<ChildStderr>) -> Arc<Self> {
        let output = Arc::new(Self::default());
        let (out, err) = (Arc::clone(&output), Arc::clone(&output));
        thread::spawn(move || out.read(stdout, Stream::Out));
        thread::spawn(move || err.read(stderr, Stream::Err));
        output
    }

    /// Waits for a line of stdout that `wanted` accepts. The output's last line may lack its end.
    pub(super) fn wait_for_line(
        &self,
        end: Instant,
        mut wanted: impl FnMut(&[u8]) -> bool,
    ) -> bool {
        let mut state = self.state();
        loop {
            while let Some(line) = state.next_line() {
                if wanted(&line) {
                    return true;
                }
            }
            if state.stdout.ended {
                return false;
            }
            let Some(left) = end.checked_duration_since(Instant::now()) else { return false };
            let woken = self.news.wait_timeout(state, left);
            state = woken.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Waits until something comes or ends, at most for `limit`.
    pub(super) fn wait_for_news(&self, limit: Duration) {
        // Whatever woke us, the caller looks for itself.
        drop(self.news.wait_timeout(self.state(), limit));
    }

    /// Waits for the end of both streams, at most until `end`, and returns what came.
    pub(super) fn finish(&self, end: Instant) -> (Vec<u8>, Vec<u8>) {
        let mut state = self.state();
        while !(state.stdout.ended && state.stderr.ended) {
            let Some(left) = end.checked_duration_since(Instant::now()) else { break };
            let woken = self.news.wait_timeout(state, left);
            state = woken.unwrap_or_else(PoisonError::into_inner).0;
        }
        (state.stdout.bytes.clone(), state.stderr.bytes.clone())
    }

    fn read(&self, input: Option<impl Read>, stream: Stream) {
        let mut piece = [0; 8192];
        let Some(mut input) = input else { return self.take(stream, &[]) };
        loop {
            match input.read(&mut piece) {
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Ok(0) | Err(_) => return self.take(stream, &[]),
                Ok(count) => self.take(stream, piece.get(..count).unwrap_or_default()),
            }
        }
    }

    /// Adds a piece; an empty one is the end.
    fn take(&self, stream: Stream, piece: &[u8]) {
        let mut state = self.state();
        let captured = match stream {
            Stream::Out => &mut state.stdout,
            Stream::Err => &mut state.stderr,
        };
        captured.bytes.extend_from_slice(piece);
        captured.ended |= piece.is_empty();
        drop(state);
        self.news.notify_all();
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Returns the next line of stdout that is complete, without its end.
    fn next_line(&mut self) -> Option<Vec<u8>> {
        let rest = self.stdout.bytes.get(self.looked_at..)?;
        let line = match rest.iter().position(|&byte| byte == b'\n') {
            Some(end) => {
                self.looked_at += end + 1;
                rest.get(..end)?
            }
            None if self.stdout.ended && !rest.is_empty() => {
                self.looked_at += rest.len();
                rest
            }
            None => return None,
        };
        Some(line.to_vec())
    }
}
