//! The host's lines, read on a thread of their own.
//!
//! Owns stdin in RPC mode. A thread, because a read of stdin cannot be cancelled and must not
//! hold up the end of the program. Must not parse lines.

use letscode_wire::{Decoder, LineError};
use std::io::Read as _;
use std::thread;
use tokio::sync::mpsc;

/// How many lines may wait to be acted on before the host has to wait.
const QUEUE: usize = 64;

const CHUNK: usize = 64 * 1024;

/// What came in.
pub(super) enum Line {
    /// A line, without its newline.
    Complete(Vec<u8>),
    /// A line that was skipped.
    Bad(LineError),
}

/// Returns the lines of stdin; the channel closes at its end.
pub(super) fn lines() -> mpsc::Receiver<Line> {
    let (sender, receiver) = mpsc::channel(QUEUE);
    thread::spawn(move || read(&sender));
    receiver
}

fn read(sender: &mpsc::Sender<Line>) {
    let mut stdin = std::io::stdin().lock();
    let mut decoder = Decoder::default();
    let mut chunk = vec![0; CHUNK];
    loop {
        let count = match stdin.read(&mut chunk) {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(_) => break,
        };
        decoder.push(chunk.get(..count).unwrap_or_default());
        while let Some(line) = decoder.next_line() {
            let line = match line {
                Ok(line) => Line::Complete(line.to_vec()),
                Err(error) => Line::Bad(error),
            };
            if sender.blocking_send(line).is_err() {
                return;
            }
        }
    }
    let rest = match decoder.finish() {
        Some(Ok(line)) => Line::Complete(line),
        Some(Err(error)) => Line::Bad(error),
        None => return,
    };
    // A closed channel means that the program is ending already.
    drop(sender.blocking_send(rest));
}
