//! The turn while the model answers: pieces, the whole answer, failure.
//!
//! Owns what follows an answer with tool calls, and a failure.

use super::messages::start_of_answer;
use super::working::Work;
use super::{Effect, Machine, Phase};
use crate::model::{Answer, ModelError, ModelErrorKind};
use letscode_wire::{AssistantMessage, Event, Message, StreamEvent, ToolCall};
use std::sync::Arc;

impl Machine {
    pub(super) fn piece(&mut self, piece: StreamEvent, effects: &mut Vec<Effect>) {
        if let StreamEvent::Retry(notice) = piece {
            match &mut self.phase {
                Phase::Idle | Phase::Working(_) | Phase::Settling => return,
                Phase::Answering { begun } => *begun = None,
                Phase::Compacting(_) => {}
            }
            effects.push(Effect::Emit(Event::Retry(notice)));
            return;
        }
        let Phase::Answering { begun } = &mut self.phase else { return };
        if begun.is_none() {
            let stamp = self.stamps.next();
            effects.push(start_of_answer(&stamp));
            *begun = Some(stamp);
        }
        effects.push(Effect::Emit(Event::MessageUpdate { message: None, stream_event: piece }));
    }

    pub(super) fn answered(&mut self, answer: Answer, effects: &mut Vec<Effect>) {
        if matches!(self.phase, Phase::Compacting(_)) {
            self.summarised(&answer, effects);
            return;
        }
        let Phase::Answering { begun } = &mut self.phase else { return };
        let stamp = begun.take().unwrap_or_else(|| {
            let stamp = self.stamps.next();
            effects.push(start_of_answer(&stamp));
            stamp
        });
        let rejected = rejections(&answer);
        let message = Arc::new(Message::Assistant(AssistantMessage {
            id: stamp.id,
            content: answer.content,
            tool_calls: answer.tool_calls,
            timestamp: stamp.timestamp,
            stop_reason: answer.stop_reason,
            usage: answer.usage,
            meta: answer.meta,
        }));
        self.finalise(&message, effects);
        let calls = message.as_assistant().map(|m| m.tool_calls.clone()).unwrap_or_default();
        if calls.is_empty() {
            self.answered_without_calls(message, effects);
            return;
        }
        for call in &calls {
            effects.push(Effect::Emit(Event::ToolExecutionStart {
                tool_call_id: call.id.clone(),
                tool_name: call.name.clone(),
                arguments: call.arguments.clone(),
            }));
        }
        self.phase = Phase::Working(Work {
            answer: message,
            results: vec![None; calls.len()],
            refused: 0,
            terminate: false,
            aborting: false,
        });
        effects.push(Effect::RunTools { calls, rejected });
    }

    pub(super) fn failed(&mut self, error: &ModelError, effects: &mut Vec<Effect>) {
        match self.phase {
            Phase::Idle | Phase::Working(_) | Phase::Settling => {}
            Phase::Compacting(_) => self.compaction_failed(&error.message, effects),
            Phase::Answering { .. } => {
                let is_too_long = error.kind == ModelErrorKind::ContextOverflow;
                if !is_too_long {
                    self.end_failed(error.message.clone(), effects);
                } else if !self.compact_for_request(&error.message, effects)
                    && !self.shorten_for_request(effects)
                {
                    let error = self.too_long(&error.message);
                    self.end_failed(error, effects);
                }
            }
        }
    }

    /// Adds a message whose `message_start` is out.
    fn finalise(&mut self, message: &Arc<Message>, effects: &mut Vec<Effect>) {
        self.transcript.push(Arc::clone(message));
        effects.push(Effect::Keep(Arc::clone(message)));
        effects.push(Effect::Emit(Event::MessageEnd { message: Arc::clone(message) }));
    }
}

/// Returns, for each call of the answer, why it must not run.
fn rejections(answer: &Answer) -> Vec<Option<String>> {
    let reason = |call: &ToolCall| {
        let rejected = answer.rejected.iter().find(|rejected| rejected.id == call.id);
        rejected.map(|rejected| rejected.reason.clone())
    };
    answer.tool_calls.iter().map(reason).collect()
}
