//! Answers of a script, as a test writes them.
//!
//! Owns the steps and their names. Must not give the answer: [`telling`](super::telling) does.

use super::gate::Gate;
use letscode_core::model::{ModelError, ModelErrorKind, RejectedCall};
use letscode_wire::{Meta, RetryNotice, StopReason, ToolCall, Usage};
use serde_json::Value;
use std::collections::VecDeque;

/// One answer of the script, built step by step.
///
/// Its pieces are sent as they are added. Unless it fails or hangs, the end follows by itself:
/// the ends of the calls, the stop reason, the usage, and the whole answer.
#[derive(Default)]
pub struct ScriptedAnswer {
    pub(super) steps: VecDeque<Step>,
}

/// One step of an answer.
pub(super) enum Step {
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
