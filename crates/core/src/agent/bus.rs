//! The way from the agent to its clients: ordered batches of what they should hear.
//!
//! Owns batching (a burst of deltas costs one wake-up) and the measure of how far a client lags,
//! so that a host that stops reading slows the model's stream down instead of filling memory.
//! Must not wait for a client.

use letscode_wire::{Control, Event};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::sync::{Notify, mpsc};

/// How many outputs may lie with a client before the model's stream is paused.
const MAX_LAG: usize = 4096;

/// One thing that a client hears.
#[derive(Debug, Clone, PartialEq)]
pub enum Output {
    /// What happened in a run.
    Event(Arc<Event>),
    /// A reply to a command.
    Control(Control),
    /// A line for the user that is no part of the protocol: a warning, a note.
    Notice(String),
}

/// A client's end.
#[derive(Debug)]
pub struct Subscription {
    batches: mpsc::UnboundedReceiver<Vec<Output>>,
    lag: Arc<Lag>,
}

/// The agent's end.
#[derive(Debug)]
pub(crate) struct Bus {
    pending: Vec<Output>,
    subscribers: Vec<Subscriber>,
    lag: Arc<Lag>,
}

#[derive(Debug)]
pub(crate) struct Subscriber {
    batches: mpsc::UnboundedSender<Vec<Output>>,
}

/// How many outputs all clients together have not taken yet.
#[derive(Debug, Default)]
pub(crate) struct Lag {
    outputs: AtomicUsize,
    less: Notify,
}

impl Subscription {
    /// Returns a client's and an agent's end.
    pub(crate) fn new(lag: Arc<Lag>) -> (Self, Subscriber) {
        let (sender, batches) = mpsc::unbounded_channel();
        (Self { batches, lag }, Subscriber { batches: sender })
    }

    /// Waits for the next outputs; `None` once the agent has ended.
    pub async fn recv(&mut self) -> Option<Vec<Output>> {
        let batch = self.batches.recv().await;
        self.took(batch)
    }

    /// Waits for the next outputs on a thread outside the runtime.
    pub fn blocking_recv(&mut self) -> Option<Vec<Output>> {
        let batch = self.batches.blocking_recv();
        self.took(batch)
    }

    /// Returns outputs that are there already.
    pub fn try_recv(&mut self) -> Option<Vec<Output>> {
        let batch = self.batches.try_recv().ok();
        self.took(batch)
    }

    fn took(&self, batch: Option<Vec<Output>>) -> Option<Vec<Output>> {
        self.lag.subtract(batch.as_ref().map_or(0, Vec::len));
        batch
    }
}

impl Drop for Subscription {
    /// Counts what was never taken as taken: a client that left must not pause the agent.
    fn drop(&mut self) {
        self.batches.close();
        while self.try_recv().is_some() {}
    }
}

impl Bus {
    pub(crate) fn new(lag: Arc<Lag>) -> Self {
        Self { pending: Vec::new(), subscribers: Vec::new(), lag }
    }

    pub(crate) fn subscribe(&mut self, subscriber: Subscriber) {
        self.flush();
        self.subscribers.push(subscriber);
    }

    /// Adds an output to the coming batch.
    pub(crate) fn push(&mut self, output: Output) {
        self.pending.push(output);
    }

    /// Hands the batch out. Called before every wait.
    pub(crate) fn flush(&mut self) {
        if self.pending.is_empty() {
            return;
        }
        let batch = std::mem::take(&mut self.pending);
        self.lag.add(batch.len() * self.subscribers.len());
        let mut left = Vec::new();
        let Some((last, others)) = self.subscribers.split_last() else { return };
        for (index, subscriber) in others.iter().enumerate() {
            if subscriber.batches.send(batch.clone()).is_err() {
                left.push(index);
            }
        }
        let length = batch.len();
        if last.batches.send(batch).is_err() {
            left.push(others.len());
        }
        for index in left.into_iter().rev() {
            self.subscribers.swap_remove(index);
            self.lag.subtract(length);
        }
    }

    pub(crate) fn has_room(&self) -> bool {
        self.lag.outputs.load(Ordering::Relaxed) < MAX_LAG
    }
}

impl Lag {
    /// Waits until clients have caught up somewhat.
    pub(crate) async fn less(&self) {
        self.less.notified().await;
    }

    fn add(&self, count: usize) {
        self.outputs.fetch_add(count, Ordering::Relaxed);
    }

    fn subtract(&self, count: usize) {
        if count > 0 && self.outputs.fetch_sub(count, Ordering::Relaxed) >= MAX_LAG {
            self.less.notify_one();
        }
    }
}
