//! The way of a command's output from the pipe to its sink.
//!
//! Owns how much is read at a time, and how long is listened after the command's end.

use crate::env::OutputSink;
use std::io;
use std::pin::pin;
use std::time::Duration;
use tokio::net::unix::pipe::Receiver;
use tokio::time::sleep;

/// After the shell's exit: how long a background process may go on to be heard.
const DRAIN_LIMIT: Duration = Duration::from_millis(250);
/// After the shell's exit: how much silence means that nothing more will come.
const DRAIN_SILENCE: Duration = Duration::from_millis(100);
/// How much may stand in a pipe, so how much the command itself may have left in it.
const PIPE_LIMIT: usize = 1024 * 1024;
/// How much is read at a time: what a pipe holds by default.
const PIECE: usize = 64 * 1024;

/// Brings the command's output to its sink.
pub(super) struct Pump<'a> {
    pipe: Receiver,
    piece: Vec<u8>,
    open: bool,
    output: &'a mut dyn OutputSink,
}

impl<'a> Pump<'a> {
    pub(super) fn new(pipe: Receiver, output: &'a mut dyn OutputSink) -> Self {
        Self { pipe, piece: vec![0; PIECE], open: true, output }
    }

    /// Returns whether anything still holds the other end.
    pub(super) fn is_open(&self) -> bool {
        self.open
    }

    /// Waits until something can be read. May be dropped at any time.
    pub(super) async fn ready(&mut self) {
        // An error shows up again when the pipe is read.
        let _ = self.pipe.readable().await;
    }

    /// Takes one piece, if there is one; returns its length.
    pub(super) async fn take(&mut self) -> usize {
        let length = match self.pipe.try_read(&mut self.piece) {
            Ok(length) => length,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return 0,
            Err(_) => 0,
        };
        self.open = length > 0;
        if let Some(piece) = self.piece.get(..length).filter(|piece| !piece.is_empty()) {
            self.output.take(piece).await;
            // A command may write faster than all else can be done: let the others run.
            tokio::task::yield_now().await;
        }
        length
    }

    /// Takes what the command left behind, and what comes from the background within a short
    /// grace. Returns whether something still holds the pipe.
    pub(super) async fn drain(&mut self) -> bool {
        self.take_rest().await;
        let mut limit = pin!(sleep(DRAIN_LIMIT));
        while self.open {
            tokio::select! {
                biased;
                () = &mut limit => break,
                () = self.ready() => { self.take().await; }
                () = sleep(DRAIN_SILENCE) => break,
            }
        }
        self.open
    }

    /// Takes what stands in the pipe now, however slowly it is taken.
    async fn take_rest(&mut self) {
        let mut taken = 0;
        while self.open && taken < PIPE_LIMIT {
            match self.take().await {
                0 => break,
                length => taken += length,
            }
        }
    }
}
