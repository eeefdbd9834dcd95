//! An answer of a script on its way to the agent.
//!
//! Owns the order of events and the assembly of the whole answer. Must not look at the request.

use super::Shared;
use super::answer::{ScriptedAnswer, Step};
use futures_util::stream;
use letscode_core::model::{Answer, ModelError, ModelEvent, ModelStream};
use letscode_wire::{ContentPart, StopReason, StreamEvent};
use serde_json::Value;
use std::collections::VecDeque;
use std::sync::Arc;

/// Returns the stream of an answer.
pub(super) fn tell(answer: ScriptedAnswer, shared: Arc<Shared>) -> ModelStream {
    let telling = Telling {
        steps: answer.steps,
        pending: VecDeque::new(),
        answer: Answer::default(),
        phase: Phase::Steps,
        shared,
    };
    Box::pin(stream::unfold(telling, |mut telling| async {
        let event = telling.next().await?;
        Some((event, telling))
    }))
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
