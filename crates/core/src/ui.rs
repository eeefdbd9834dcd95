//! The way from tools and plugins to the user: notices, questions, a line of status.
//!
//! Owns the handle [`Ui`] and the clocks that stop while a question waits. The agent takes the
//! requests in, hands them to clients that can answer, and declines where there are none. Must not
//! know who answers, or how anything is shown.

mod clock;

pub use clock::{Clock, ClockHold};

use letscode_wire::{UiLevel, UiRequest};
use serde_json::Value;
use std::sync::Arc;
use tokio::sync::{mpsc, oneshot};

/// How many requests may wait until the agent looks at them. Notices beyond that are dropped.
const QUEUE: usize = 256;

/// Shows the user something, or asks. Cheap to clone.
///
/// Every question is answered by `None` where the user declines, where nobody can answer (print
/// mode, a host that did not say that it does), and where the run is aborted meanwhile. Dropping
/// the future of a question takes the question back. The time limit of a hook stands still while
/// it waits for an answer.
#[derive(Clone, Default)]
pub struct Ui {
    requests: Option<mpsc::Sender<Asked>>,
    clock: Option<Arc<Clock>>,
}

/// The agent's end of all handles.
pub struct UiInbox(pub(crate) mpsc::Receiver<Asked>);

/// One request on its way.
pub(crate) struct Asked {
    pub(crate) request: UiRequest,
    /// Takes the answer; dropped without one, the user declined.
    pub(crate) answer: oneshot::Sender<Value>,
}

/// Returns a handle and the agent's end of it. A question waits until an agent has that end.
pub fn channel() -> (Ui, UiInbox) {
    let (sender, receiver) = mpsc::channel(QUEUE);
    (Ui { requests: Some(sender), clock: None }, UiInbox(receiver))
}

impl Ui {
    /// Returns a handle with nobody behind it: every question is declined, notices go nowhere.
    pub fn declining() -> Self {
        Self::default()
    }

    /// Shows a line. Never waits; dropped where too many wait already.
    pub fn notify(&self, text: impl Into<String>, level: UiLevel) {
        self.show(UiRequest::Notify { text: text.into(), level });
    }

    /// Sets a line of status, or clears it. `key` tells several lines apart. Never waits.
    pub fn status(&self, key: impl Into<String>, text: Option<String>) {
        self.show(UiRequest::Status { key: key.into(), text });
    }

    /// Asks yes or no. `title` is a few words above the question, empty for none.
    pub async fn confirm(&self, title: impl Into<String>, text: impl Into<String>) -> Option<bool> {
        let request = UiRequest::Confirm { title: title.into(), text: text.into() };
        self.ask(request).await?.as_bool()
    }

    /// Asks for one of `options` and returns its place among them.
    pub async fn select(&self, text: impl Into<String>, options: Vec<String>) -> Option<usize> {
        let request = UiRequest::Select { text: text.into(), options };
        self.ask(request).await?.as_u64().and_then(|place| usize::try_from(place).ok())
    }

    /// Asks for a line of text. `placeholder` is an example, `default` what the field holds at
    /// first.
    pub async fn input(
        &self,
        text: impl Into<String>,
        placeholder: Option<String>,
        default: Option<String>,
    ) -> Option<String> {
        match self.ask(UiRequest::Input { text: text.into(), placeholder, default }).await? {
            Value::String(text) => Some(text),
            _ => None,
        }
    }

    /// Makes any request, for those that pass on another's, and returns the answer in the form that
    /// [`UiRequest`] names. What is only shown is answered by `None` at once.
    pub async fn ask(&self, request: UiRequest) -> Option<Value> {
        if !request.is_question() {
            self.show(request);
            return None;
        }
        let requests = self.requests.as_ref()?;
        let _hold = self.hold_clock();
        let (answer, answered) = oneshot::channel();
        requests.send(Asked { request, answer }).await.ok()?;
        answered.await.ok()
    }

    /// Stops the clock of the call that this handle was given to, until the hold is dropped:
    /// for one that waits for somebody else's question. Other handles have no clock.
    pub fn hold_clock(&self) -> Option<ClockHold> {
        self.clock.clone().map(ClockHold::new)
    }

    /// Returns the handle for one call whose time limit is counted by `clock`.
    pub fn timed_by(&self, clock: &Arc<Clock>) -> Self {
        Self { requests: self.requests.clone(), clock: Some(Arc::clone(clock)) }
    }

    fn show(&self, request: UiRequest) {
        if let Some(requests) = &self.requests {
            let (answer, _) = oneshot::channel();
            // Whoever floods the user loses lines, and never waits.
            drop(requests.try_send(Asked { request, answer }));
        }
    }
}

#[cfg(test)]
mod tests;
