//! Events on their way to one plugin, in order.
//!
//! Owns the queue, from the first event that the plugin wants, and the waiting at the end of a run.
//! Must not decide which events a plugin gets.

use super::Plugin;
use super::standing::{Question, Standing};
use crate::ui::Ui;
use futures_util::future::BoxFuture;
use letscode_wire::{Event, HookName};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};

/// How many events may wait for a plugin before it misses some.
const EVENT_QUEUE: usize = 1024;

/// The way of events to one plugin.
#[derive(Default)]
pub(super) struct Events(OnceLock<mpsc::Sender<Told>>);

/// How long a plugin may take over an event.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    pub(super) event: Duration,
    /// Over the one at which a run would end, where the plugin holds it.
    pub(super) last_turn: Duration,
}

/// One event on its way.
struct Told {
    event: Arc<Event>,
    /// Dropped when the plugin has done what it wants to do before the run ends.
    held: Option<oneshot::Sender<()>>,
}

impl Events {
    /// Hands an event to the plugin. Never waits: a plugin whose queue is full misses it.
    pub(super) fn tell(&self, event: &Arc<Event>, standing: &Arc<Standing>, limits: Limits) {
        self.send(Told { event: Arc::clone(event), held: None }, standing, limits);
    }

    /// Hands the event at which a run would end to the plugin. What is returned ends when the plugin
    /// has done what it wants to do before that; dropped, it stops the plugin's work.
    pub(super) fn tell_last(
        &self,
        event: &Arc<Event>,
        standing: &Arc<Standing>,
        limits: Limits,
    ) -> oneshot::Receiver<()> {
        let (held, let_go) = oneshot::channel();
        self.send(Told { event: Arc::clone(event), held: Some(held) }, standing, limits);
        let_go
    }

    fn send(&self, told: Told, standing: &Arc<Standing>, limits: Limits) {
        let queue = self.0.get_or_init(|| {
            let (sender, receiver) = mpsc::channel(EVENT_QUEUE);
            tokio::spawn(deliver(receiver, Arc::clone(standing), limits));
            sender
        });
        // A full queue or an ended task means the plugin cannot keep up or is gone: the run must not
        // wait for it.
        drop(queue.try_send(told));
    }
}

/// Feeds one plugin its events, in order, each within its limit, until it is asked no more.
async fn deliver(mut queue: mpsc::Receiver<Told>, standing: Arc<Standing>, limits: Limits) {
    let hook = HookName::OnEvent;
    let any = Question { hook, limit: limits.event, holds_end: false };
    let last = Question { hook, limit: limits.last_turn, holds_end: true };
    while let Some(Told { event, held }) = queue.recv().await {
        match held.filter(|held| !held.is_closed()) {
            Some(mut held) => tokio::select! {
                () = see(&standing, event, last) => {}
                // The run was aborted.
                () = held.closed() => {}
            },
            None => see(&standing, event, any).await,
        }
        if standing.is_gone() {
            return;
        }
    }
}

async fn see(standing: &Standing, event: Arc<Event>, question: Question) {
    let call = |plugin: Arc<dyn Plugin>, ui: Ui| -> BoxFuture<'static, ()> {
        Box::pin(async move {
            if question.holds_end {
                plugin.before_end(&event, &ui).await;
            } else {
                plugin.on_event(&event, &ui).await;
            }
        })
    };
    // What it misses while it starts it gets then.
    standing.plugin.started().await;
    // What went wrong was reported.
    drop(standing.ask(question, call).await);
}
