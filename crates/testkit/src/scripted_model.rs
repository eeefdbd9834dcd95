//! A model that answers from a script: the stand-in behind core's `Model` port.
//!
//! Owns the script, the record of requests, and the check of each one ([`violations`]). Must not
//! use a clock: where an answer is to wait, it waits at a [`Gate`] that the test opens.

mod transcript;

pub use transcript::violations;

use futures_util::stream;
use letscode_core::model::{
    Answer, Model, ModelError, ModelErrorKind, ModelEvent, ModelInfo, ModelRequest, ModelStream,
    RejectedCall,
};
use letscode_wire::{ContentPart, Meta, RetryNotice, StopReason, StreamEvent, ToolCall, Usage};
use serde_json::Value;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::Semaphore;

/// A model that gives its answers in order.
///
/// # Panics
/// Dropping it panics when a request broke a rule, or came after the last answer, and nobody took
/// the violations.
pub struct ScriptedModel {
    info: ModelInfo,
    shared: Arc<Shared>,
}

/// One answer of the script, built step by step.
///
/// Its pieces are sent as they are added. Unless it fails or hangs, the end follows by itself:
/// the ends of the calls, the stop reason, the usage, and the whole answer.
#[derive(Default)]
pub struct ScriptedAnswer {
    steps: VecDeque<Step>,
}

/// A point in an answer where the model waits for the test. Clones are the same gate.
#[derive(Debug, Clone)]
pub struct Gate(Arc<GateState>);

#[derive(Debug)]
struct GateState {
    arrived: Semaphore,
    opened: Semaphore,
}

enum Step {
    Text(String),
    Thinking(String),
    ToolCall(ToolCall),
    Rejected(RejectedCall),
    Meta(Meta),
    Usage(Usage),
    StopReason(StopReason),
    Notice(String),
    Retry(RetryNotice),
    Wait(Gate),
    Hang,
    Fail(ModelError),
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
    fn info(&self) -> &ModelInfo {
        &self.info
    }

    fn stream(&self, request: ModelRequest) -> ModelStream {
        let answer = self.shared.receive(request);
        let telling = Telling {
            steps: answer.steps,
            pending: VecDeque::new(),
            answer: Answer::default(),
            phase: Phase::Steps,
            shared: Arc::clone(&self.shared),
        };
        Box::pin(stream::unfold(telling, |mut telling| async {
            let event = telling.next().await?;
            Some((event, telling))
        }))
    }
}

impl Drop for ScriptedModel {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            self.assert_valid();
        }
    }
}

impl ScriptedAnswer {
    /// Returns an answer without any step.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns an answer of one text in one piece.
    pub fn of_text(text: &str) -> Self {
        Self::new().text(text)
    }

    /// Returns an answer that fails at once.
    pub fn of_error(kind: ModelErrorKind, message: &str) -> Self {
        Self::new().fail(kind, message)
    }

    /// Adds a piece of text.
    #[must_use]
    pub fn text(self, piece: &str) -> Self {
        self.step(Step::Text(piece.to_owned()))
    }

    /// Adds a piece of reasoning.
    #[must_use]
    pub fn thinking(self, piece: &str) -> Self {
        self.step(Step::Thinking(piece.to_owned()))
    }

    /// Adds a tool call.
    ///
    /// # Panics
    /// When the arguments are no object.
    #[must_use]
    pub fn tool_call(self, id: &str, name: &str, arguments: Value) -> Self {
        let Value::Object(arguments) = arguments else {
            unreachable!("the arguments of the scripted call {id} are no object");
        };
        self.step(Step::ToolCall(ToolCall { id: id.into(), name: name.to_owned(), arguments }))
    }

    /// Adds a tool call that must not run, such as one whose arguments were cut off.
    #[must_use]
    pub fn rejected_call(self, id: &str, name: &str, reason: &str) -> Self {
        let rejected = RejectedCall { id: id.into(), reason: reason.to_owned() };
        self.tool_call(id, name, Value::Object(Meta::new())).step(Step::Rejected(rejected))
    }

    /// Adds what the provider needs back.
    #[must_use]
    pub fn meta(self, meta: Meta) -> Self {
        self.step(Step::Meta(meta))
    }

    /// Sets what the answer costs.
    #[must_use]
    pub fn usage(self, usage: Usage) -> Self {
        self.step(Step::Usage(usage))
    }

    /// Sets another stop reason than the one that fits the calls.
    #[must_use]
    pub fn stop_reason(self, reason: StopReason) -> Self {
        self.step(Step::StopReason(reason))
    }

    /// Adds a notice for the user.
    #[must_use]
    pub fn notice(self, line: &str) -> Self {
        self.step(Step::Notice(line.to_owned()))
    }

    /// Announces another attempt; what came before is void.
    #[must_use]
    pub fn retry(self, notice: RetryNotice) -> Self {
        self.step(Step::Retry(notice))
    }

    /// Waits until the gate is opened.
    #[must_use]
    pub fn wait(self, gate: &Gate) -> Self {
        self.step(Step::Wait(gate.clone()))
    }

    /// Ends here without an end: nothing more comes.
    #[must_use]
    pub fn hang(self) -> Self {
        self.step(Step::Hang)
    }

    /// Ends here with an error.
    #[must_use]
    pub fn fail(self, kind: ModelErrorKind, message: &str) -> Self {
        self.step(Step::Fail(ModelError { kind, message: message.to_owned() }))
    }

    fn step(mut self, step: Step) -> Self {
        self.steps.push_back(step);
        self
    }
}

impl Gate {
    /// Returns a closed gate.
    pub fn new() -> Self {
        Self(Arc::new(GateState { arrived: Semaphore::new(0), opened: Semaphore::new(0) }))
    }

    /// Waits until the model stands at the gate; each arrival counts once.
    pub async fn reached(&self) {
        take_permit(&self.0.arrived).await;
    }

    /// Lets the model pass once, now or when it comes.
    pub fn open(&self) {
        self.0.opened.add_permits(1);
    }

    /// Stands at the gate until it is opened. A scripted tool may use it too.
    pub async fn pass(&self) {
        self.0.arrived.add_permits(1);
        take_permit(&self.0.opened).await;
    }
}

impl Default for Gate {
    fn default() -> Self {
        Self::new()
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

/// An answer that is being given.
struct Telling {
    steps: VecDeque<Step>,
    /// Events that are due before the next step.
    pending: VecDeque<ModelEvent>,
    answer: Answer,
    phase: Phase,
    shared: Arc<Shared>,
}

#[derive(PartialEq)]
enum Phase {
    /// Steps are left, or the end is.
    Steps,
    /// The end is among the pending events.
    End,
    /// All is said.
    Over,
}

impl Telling {
    async fn next(&mut self) -> Option<Result<ModelEvent, ModelError>> {
        loop {
            if let Some(event) = self.pending.pop_front() {
                if self.phase == Phase::End && self.pending.is_empty() {
                    self.phase = Phase::Over;
                }
                return Some(Ok(event));
            }
            if self.phase == Phase::Over {
                return None;
            }
            match self.steps.pop_front() {
                None => self.end(),
                Some(Step::Wait(gate)) => gate.pass().await,
                Some(Step::Hang) => std::future::pending().await,
                Some(Step::Fail(error)) => {
                    self.phase = Phase::Over;
                    return Some(Err(error));
                }
                Some(step) => self.apply(step),
            }
        }
    }

    /// Takes a step that neither waits nor ends the answer.
    fn apply(&mut self, step: Step) {
        match step {
            Step::Text(delta) => {
                match self.answer.content.last_mut() {
                    Some(ContentPart::Text { text }) => text.push_str(&delta),
                    Some(ContentPart::Image { .. }) | None => {
                        self.answer.content.push(ContentPart::text(delta.clone()));
                    }
                }
                self.send(StreamEvent::TextDelta { delta });
            }
            Step::Thinking(delta) => self.send(StreamEvent::ThinkingDelta { delta }),
            Step::ToolCall(call) => {
                let tool_call_id = call.id.clone();
                self.send(StreamEvent::ToolCallStart {
                    tool_call_id: tool_call_id.clone(),
                    name: call.name.clone(),
                });
                let delta = Value::Object(call.arguments.clone()).to_string();
                self.send(StreamEvent::ToolCallArgsDelta { tool_call_id, delta });
                self.answer.tool_calls.push(call);
            }
            Step::Rejected(rejected) => self.answer.rejected.push(rejected),
            Step::Meta(meta) => self.answer.meta.extend(meta),
            Step::Usage(usage) => self.answer.usage = Some(usage),
            Step::StopReason(reason) => self.answer.stop_reason = Some(reason),
            Step::Notice(line) => self.pending.push_back(ModelEvent::Notice(line)),
            Step::Retry(notice) => {
                self.answer = Answer::default();
                self.send(StreamEvent::Retry(notice));
            }
            Step::Wait(_) | Step::Hang | Step::Fail(_) => {}
        }
    }

    fn end(&mut self) {
        self.phase = Phase::End;
        let mut answer = std::mem::take(&mut self.answer);
        let fitting =
            if answer.tool_calls.is_empty() { StopReason::EndTurn } else { StopReason::ToolCalls };
        let reason = *answer.stop_reason.get_or_insert(fitting);
        for call in &answer.tool_calls {
            self.send(StreamEvent::ToolCallEnd { tool_call_id: call.id.clone() });
        }
        self.send(StreamEvent::Stop { reason });
        if let Some(usage) = answer.usage {
            self.send(StreamEvent::Usage { usage });
        }
        self.pending.push_back(ModelEvent::Done(Box::new(answer)));
    }

    fn send(&mut self, event: StreamEvent) {
        self.pending.push_back(ModelEvent::Stream(event));
    }
}

impl Drop for Telling {
    fn drop(&mut self) {
        if self.phase != Phase::Over {
            self.shared.state().abandoned += 1;
        }
    }
}

async fn take_permit(semaphore: &Semaphore) {
    semaphore.acquire().await.expect("the semaphore is never closed").forget();
}

#[cfg(test)]
mod tests;
