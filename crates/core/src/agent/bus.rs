//! The way from the agent to its clients: ordered batches of what they should hear.
//!
//! Owns batching (a burst of deltas costs one wake-up) and the measure of how far a client lags,
//! so that a host that stops reading slows the model's stream and its own commands down instead of
//! filling memory.
//! Must not wait for a client.

use letscode_wire::{Control, Event};
use serde_json::Value;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::sync::{Notify, mpsc};

/// How many outputs may lie with a client before the model's stream is paused; a large reply counts
/// as several.
const MAX_LAG: usize = 4096;

/// How many bytes of a reply count as an output.
const OUTPUT_BYTES: usize = 4096;

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
    batches: mpsc::UnboundedReceiver<Batch>,
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
    batches: mpsc::UnboundedSender<Batch>,
}

/// Outputs with their weight, of which the lag is the sum.
#[derive(Debug, Clone)]
struct Batch {
    outputs: Vec<Output>,
    weight: usize,
}

/// How many outputs all clients together have not taken yet.
#[derive(Debug, Default)]
pub(crate) struct Lag {
    outputs: AtomicUsize,
    /// Wakes the agent.
    less: Notify,
    /// Wakes whoever hands commands in.
    room: Notify,
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

    fn took(&self, batch: Option<Batch>) -> Option<Vec<Output>> {
        let Batch { outputs, weight } = batch?;
        self.lag.subtract(weight);
        Some(outputs)
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
        let outputs = std::mem::take(&mut self.pending);
        let weight = outputs.iter().map(weight).sum();
        let batch = Batch { outputs, weight };
        self.lag.add(weight * self.subscribers.len());
        let mut left = Vec::new();
        let Some((last, others)) = self.subscribers.split_last() else { return };
        for (index, subscriber) in others.iter().enumerate() {
            if subscriber.batches.send(batch.clone()).is_err() {
                left.push(index);
            }
        }
        if last.batches.send(batch).is_err() {
            left.push(others.len());
        }
        for index in left.into_iter().rev() {
            self.subscribers.swap_remove(index);
            self.lag.subtract(weight);
        }
    }

    pub(crate) fn has_room(&self) -> bool {
        self.lag.has_room()
    }
}

impl Lag {
    /// Waits until clients have caught up somewhat.
    pub(crate) async fn less(&self) {
        self.less.notified().await;
    }

    pub(crate) fn has_room(&self) -> bool {
        self.outputs.load(Ordering::Relaxed) < MAX_LAG
    }

    /// Waits until clients have caught up enough for further commands.
    pub(crate) async fn room(&self) {
        while !self.has_room() {
            self.room.notified().await;
        }
    }

    fn add(&self, count: usize) {
        self.outputs.fetch_add(count, Ordering::Relaxed);
    }

    fn subtract(&self, count: usize) {
        if count > 0 && self.outputs.fetch_sub(count, Ordering::Relaxed) >= MAX_LAG {
            self.less.notify_one();
            self.room.notify_one();
        }
    }
}

/// Returns as how many outputs one counts. Events share what they carry with the conversation.
fn weight(output: &Output) -> usize {
    match output {
        Output::Control(Control::Done { result: Some(result), .. }) => {
            1 + size(result) / OUTPUT_BYTES
        }
        Output::Event(_) | Output::Control(_) | Output::Notice(_) => 1,
    }
}

/// Returns about how many bytes a value takes.
fn size(value: &Value) -> usize {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => 16,
        Value::String(text) => 16 + text.len(),
        Value::Array(items) => 16 + items.iter().map(size).sum::<usize>(),
        Value::Object(members) => {
            16 + members.iter().map(|(name, value)| name.len() + size(value)).sum::<usize>()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use letscode_wire::RequestId;
    use serde_json::json;

    fn reply(text: &str) -> Output {
        let result = Some(json!({ "text": text }));
        Output::Control(Control::Done { id: RequestId::default(), result })
    }

    #[tokio::test]
    async fn a_client_that_does_not_read_leaves_no_room_by_number_or_by_size() {
        for (count, length, has_room) in
            [(MAX_LAG - 1, 1, true), (MAX_LAG, 1, false), (16, 1 << 20, false), (3, 1 << 20, true)]
        {
            let lag = Arc::new(Lag::default());
            let (mut subscription, subscriber) = Subscription::new(Arc::clone(&lag));
            let mut bus = Bus::new(Arc::clone(&lag));
            bus.subscribe(subscriber);
            let text = "x".repeat(length);
            for _ in 0..count {
                bus.push(reply(&text));
                bus.flush();
            }
            assert_eq!(bus.has_room(), has_room, "{count} of {length}");
            let waiting = tokio::spawn(async move { lag.room().await });
            while subscription.try_recv().is_some() {}
            waiting.await.unwrap();
            assert!(bus.has_room());
        }
    }
}
