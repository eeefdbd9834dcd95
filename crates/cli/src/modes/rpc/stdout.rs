//! The lines to the host, written on a thread of their own.
//!
//! Owns stdout in RPC mode: a host that stops reading holds up this thread, never the agent.
//! Each batch of outputs is one write where it is small. Must not reorder anything.

use super::encode::{Encoder, UpdateStyle};
use crate::messages;
use letscode_core::agent::{Output, Subscription};
use letscode_wire::{Control, encode_line};
use std::io::{StdoutLock, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use tokio::sync::watch;
use tokio::time::{Duration, Instant};

/// From this size on a line is written at once instead of being gathered with others.
const GATHER: usize = 32 * 1024;

/// The writing thread, as the connection sees it.
pub(super) struct Writer {
    began: Instant,
    /// Milliseconds from `began` to the last output.
    last_output: AtomicU64,
    delta: AtomicBool,
    end: watch::Receiver<Option<WriterEnd>>,
}

/// How the writing ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WriterEnd {
    /// Everything was written: the agent has no more to say.
    AllWritten,
    /// Nothing can be written any more: the host closed its end.
    HostGone,
}

impl Writer {
    /// Starts to write all that `subscription` gives.
    pub(super) fn start(subscription: Subscription) -> Arc<Self> {
        let (ended, end) = watch::channel(None);
        let writer = Arc::new(Self {
            began: Instant::now(),
            last_output: AtomicU64::new(0),
            delta: AtomicBool::new(false),
            end,
        });
        let shared = Arc::clone(&writer);
        thread::spawn(move || {
            ended.send_replace(Some(shared.write_all(subscription)));
        });
        writer
    }

    /// Sets what later `message_update` lines carry.
    pub(super) fn set_style(&self, style: UpdateStyle) {
        self.delta.store(style == UpdateStyle::Delta, Ordering::Relaxed);
    }

    /// Returns when the agent last had something to say.
    pub(super) fn last_output(&self) -> Instant {
        self.began + Duration::from_millis(self.last_output.load(Ordering::Relaxed))
    }

    /// Waits until everything is written, or nothing can be written any more.
    pub(super) async fn finished(&self) {
        let mut end = self.end.clone();
        // An error means that the thread is gone, which is as finished as it gets.
        drop(end.wait_for(Option::is_some).await);
    }

    /// Waits until the host has closed its end; for ever where it does not.
    pub(super) async fn host_gone(&self) {
        let mut end = self.end.clone();
        if end.wait_for(|end| *end == Some(WriterEnd::HostGone)).await.is_err() {
            std::future::pending::<()>().await;
        }
    }

    fn write_all(&self, mut subscription: Subscription) -> WriterEnd {
        let mut encoder = Encoder::default();
        let mut gathered = Vec::new();
        while let Some(batch) = subscription.blocking_recv() {
            let elapsed = u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX);
            self.last_output.store(elapsed, Ordering::Relaxed);
            // Locked for each batch, so that the last words after the end can be written too.
            let mut stdout = std::io::stdout().lock();
            for output in batch {
                if self.write(&output, &mut encoder, &mut gathered, &mut stdout).is_err() {
                    return WriterEnd::HostGone;
                }
            }
            if flush(&mut gathered, &mut stdout).is_err() {
                return WriterEnd::HostGone;
            }
        }
        WriterEnd::AllWritten
    }

    fn write(
        &self,
        output: &Output,
        encoder: &mut Encoder,
        gathered: &mut Vec<u8>,
        stdout: &mut StdoutLock<'_>,
    ) -> std::io::Result<()> {
        let style = if self.delta.load(Ordering::Relaxed) {
            UpdateStyle::Delta
        } else {
            UpdateStyle::Snapshot
        };
        let line = match output {
            Output::Event(event) => encoder.event(event, style)?,
            Output::Control(control) => encoder.control(control)?,
            Output::Notice(text) => {
                messages::note(text);
                return Ok(());
            }
        };
        if line.len() >= GATHER {
            flush(gathered, stdout)?;
            stdout.write_all(line)?;
            return stdout.flush();
        }
        gathered.extend_from_slice(line);
        if gathered.len() >= GATHER { flush(gathered, stdout) } else { Ok(()) }
    }
}

/// Writes one control message at once.
pub(super) fn write_line(control: &Control) -> std::io::Result<()> {
    let mut line = Vec::new();
    encode_line(control, &mut line)?;
    let mut stdout = std::io::stdout().lock();
    stdout.write_all(&line)?;
    stdout.flush()
}

fn flush(gathered: &mut Vec<u8>, stdout: &mut StdoutLock<'_>) -> std::io::Result<()> {
    if gathered.is_empty() {
        return Ok(());
    }
    let written = stdout.write_all(gathered).and_then(|()| stdout.flush());
    gathered.clear();
    written
}
