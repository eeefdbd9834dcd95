//! A model that answers from a script: the stand-in behind core's `Model` port.
//!
//! Owns the script, the record of requests, and the check of each one ([`violations`]). Must not
//! use a clock: where an answer is to wait, it waits at a [`Gate`] that the test opens.

mod answer;

mod gate;

mod transcript;

mod telling;

pub use answer::ScriptedAnswer;
pub use gate::Gate;
pub use transcript::violations;

use letscode_core::model::{Model, ModelErrorKind, ModelInfo, ModelRequest, ModelStream};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use telling::tell;

/// A model that gives its answers in order.
///
/// # Panics
/// Dropping it panics when a request broke a rule, or came after the last answer, and nobody took
/// the violations.
pub struct ScriptedModel {
    info: ModelInfo,
    shared: Arc<Shared>,
}

impl ScriptedModel {
    /// Returns a model of the name `scripted`, of unknown window and blind, with these answers.
    pub fn new(answers: impl IntoIterator<Item = ScriptedAnswer>) -> Self {
        let info = ModelInfo { name: "scripted".to_owned(), context_window: None, vision: false };
        let state = State { answers: answers.into_iter().collect(), ..State::default() };
        Self { info, shared: Arc::new(Shared { state: Mutex::new(state) }) }
    }

    /// Returns the model with other facts about itself.
    #[must_use]
    pub fn with_info(mut self, info: ModelInfo) -> Self {
        self.info = info;
        self
    }

    /// Adds an answer behind the last one.
    pub fn push(&self, answer: ScriptedAnswer) {
        self.shared.state().answers.push_back(answer);
    }

    /// Returns the requests so far.
    pub fn requests(&self) -> Vec<ModelRequest> {
        self.shared.state().requests.clone()
    }

    /// Returns how many answers were dropped before their end.
    pub fn abandoned(&self) -> usize {
        self.shared.state().abandoned
    }

    /// Returns how many answers of the script are left.
    pub fn answers_left(&self) -> usize {
        self.shared.state().answers.len()
    }

    /// Returns the violations so far and forgets them, for a test that provokes them.
    pub fn take_violations(&self) -> Vec<String> {
        std::mem::take(&mut self.shared.state().violations)
    }

    /// Checks that no request broke a rule.
    ///
    /// # Panics
    /// When one did.
    #[track_caller]
    pub fn assert_valid(&self) {
        let violations = self.take_violations();
        assert!(violations.is_empty(), "invalid requests:\n{}", violations.join("\n"));
    }
}

impl Model for ScriptedModel {
    fn info(&self) -> ModelInfo {
        self.info.clone()
    }

    fn stream(&self, request: ModelRequest) -> ModelStream {
        let answer = self.shared.receive(request);
        tell(answer, Arc::clone(&self.shared))
    }
}

impl Drop for ScriptedModel {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            self.assert_valid();
        }
    }
}

/// What the model's handle and its running answers share.
struct Shared {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    answers: VecDeque<ScriptedAnswer>,
    requests: Vec<ModelRequest>,
    violations: Vec<String>,
    abandoned: usize,
}

impl Shared {
    /// Returns the state. It is whole after every statement, so a panic elsewhere does not matter.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records a request, checks it, and returns its answer.
    fn receive(&self, request: ModelRequest) -> ScriptedAnswer {
        let mut state = self.state();
        let number = state.requests.len() + 1;
        let found = violations(&request.messages);
        state.violations.extend(found.iter().map(|text| format!("request {number}: {text}")));
        state.requests.push(request);
        state.answers.pop_front().unwrap_or_else(|| {
            let text = format!("request {number}: the script has no answer left");
            state.violations.push(text.clone());
            ScriptedAnswer::of_error(ModelErrorKind::Rejected, &text)
        })
    }
}

#[cfg(test)]
mod tests;
