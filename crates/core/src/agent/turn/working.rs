//! The turn while tools run: their output, their results, and what follows the last of these.
//!
//! Owns the results until all are there, so that they enter the transcript in source order.

use super::messages::show;
use super::{Effect, Machine, Outcome, Phase};
use letscode_wire::{Event, Message, Partial, ToolCall, Transcript};
use std::sync::Arc;

/// How many turns in a row may hold nothing but calls that cannot run.
pub(super) const MAX_REFUSED_TURNS: u32 = 8;

pub(super) struct Work {
    pub(super) answer: Arc<Message>,
    pub(super) results: Vec<Option<Arc<Message>>>,
    pub(super) refused: usize,
    pub(super) terminate: bool,
    pub(super) aborting: bool,
}

impl Machine {
    pub(super) fn shown(&self, index: usize, partial: Partial, effects: &mut Vec<Effect>) {
        let Phase::Working(work) = &self.phase else { return };
        let is_open = work.results.get(index).is_some_and(Option::is_none);
        if let Some(call) = work.call(index).filter(|_| is_open) {
            effects.push(Effect::Emit(Event::ToolExecutionUpdate {
                tool_call_id: call.id.clone(),
                partial,
            }));
        }
    }

    pub(super) fn finished(&mut self, index: usize, outcome: Outcome, effects: &mut Vec<Effect>) {
        let Phase::Working(work) = &self.phase else { return };
        let Some(call) = work.call(index).cloned() else { return };
        if work.results.get(index).is_none_or(Option::is_some) {
            return;
        }
        let (refused, terminate) = (outcome.refused, outcome.terminate);
        let result = self.tool_message(&call, outcome);
        effects.push(Effect::Emit(Event::ToolExecutionEnd {
            tool_call_id: call.id,
            result: Arc::clone(&result),
        }));
        let Phase::Working(work) = &mut self.phase else { return };
        work.refused += usize::from(refused);
        work.terminate |= terminate;
        if let Some(place) = work.results.get_mut(index) {
            *place = Some(result);
        }
        if work.results.iter().all(Option::is_some) {
            self.all_finished(effects);
        }
    }

    fn all_finished(&mut self, effects: &mut Vec<Effect>) {
        let Phase::Working(work) = std::mem::replace(&mut self.phase, Phase::Idle) else { return };
        let all_refused = work.refused == work.results.len();
        let results: Transcript = work.results.into_iter().flatten().collect();
        for result in &results {
            self.transcript.push(Arc::clone(result));
            show(result, effects);
        }
        for note in std::mem::take(&mut self.waiting_notes) {
            self.save(note, effects);
        }
        self.end_turn(work.answer, results, effects);
        self.refused_turns = if all_refused { self.refused_turns + 1 } else { 0 };
        if work.aborting {
            self.end_aborted(effects);
        } else if work.terminate {
            self.end_run(None, effects);
        } else if self.refused_turns >= MAX_REFUSED_TURNS {
            let error = format!(
                "the model made {MAX_REFUSED_TURNS} turns in a row of nothing but invalid tool calls; \
                 try another prompt or another model"
            );
            self.end_failed(error, effects);
        } else {
            self.open_turn(None, effects);
        }
    }
}

impl Work {
    fn call(&self, index: usize) -> Option<&ToolCall> {
        self.answer.as_assistant()?.tool_calls.get(index)
    }
}
