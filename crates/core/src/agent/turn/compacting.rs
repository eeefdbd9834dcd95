//! The conversation while a summary is asked for: why, and what comes after it.
//!
//! Owns when a compaction begins by itself, the limit on those that fail, and that a failure or
//! an abort leaves the history as it was.

use super::messages::show;
use super::{Effect, Machine, Phase, Stamp};
use crate::compaction::{
    Keep, SummaryRequest, border, compaction_message, context_tokens, estimate_message,
    estimate_tokens, is_full,
};
use crate::model::Answer;
use letscode_wire::{CompactResult, Event, Message, text_of};
use std::sync::Arc;

/// After how many failures in a row no compaction begins by itself.
const MAX_FAILURES: u32 = 2;

/// A compaction under way.
pub(super) struct Compacting {
    /// How many of the oldest messages it is about.
    border: usize,
    then: Then,
}

/// What a compaction is for.
enum Then {
    /// A turn begins, with this message of the user's.
    Turn(Option<Arc<Message>>),
    /// The turn's request was too long and is made again. Holds what the provider said.
    Request(String),
    /// The user asked for it.
    Rest,
}

impl Machine {
    /// Returns whether there is something to compact, and no run is active.
    pub(crate) fn can_compact(&self) -> bool {
        self.is_idle() && border(&self.transcript, Keep::Last).is_some()
    }

    /// Returns how many tokens the next request takes.
    pub(crate) fn context_tokens(&self) -> u64 {
        context_tokens(&self.transcript, self.limits.overhead)
    }

    /// Returns where to compact before a turn, if the conversation fills the window.
    pub(super) fn automatic_border(&self, opening: Option<&Message>) -> Option<usize> {
        let window = self.window()?;
        let tokens = self.context_tokens() + opening.map_or(0, estimate_message);
        if self.failed_compactions >= MAX_FAILURES || !is_full(tokens, window) {
            return None;
        }
        border(&self.transcript, Keep::Share { window })
    }

    pub(super) fn compact_for_turn(
        &mut self,
        border: usize,
        opening: Option<Arc<Message>>,
        effects: &mut Vec<Effect>,
    ) {
        let budget = self.summary_room();
        self.begin_compaction(border, None, budget, Then::Turn(opening), effects);
    }

    /// Begins the compaction for a request that was too long. Returns whether there is anything
    /// to win by it.
    pub(super) fn compact_for_request(&mut self, error: &str, effects: &mut Vec<Effect>) -> bool {
        if self.was_too_long || self.failed_compactions >= MAX_FAILURES {
            return false;
        }
        let Some(border) = border(&self.transcript, Keep::Last) else { return false };
        self.was_too_long = true;
        // The provider has just said that our measure is wrong: stay well below it.
        let half = (self.limits.overhead + estimate_tokens(&self.transcript)) / 2;
        let half = half.saturating_sub(self.limits.overhead);
        let budget = self.summary_room().map_or(half, |budget| budget.min(half));
        let then = Then::Request(error.to_owned());
        self.begin_compaction(border, None, Some(budget), then, effects);
        true
    }

    pub(super) fn compact(&mut self, bias: Option<String>, effects: &mut Vec<Effect>) {
        if !self.is_idle() {
            return;
        }
        let Some(border) = border(&self.transcript, Keep::Last) else { return };
        self.failed_compactions = 0;
        let budget = self.summary_room();
        self.begin_compaction(border, bias, budget, Then::Rest, effects);
    }

    fn begin_compaction(
        &mut self,
        border: usize,
        bias: Option<String>,
        budget: Option<u64>,
        then: Then,
        effects: &mut Vec<Effect>,
    ) {
        self.phase = Phase::Compacting(Compacting { border, then });
        effects.push(Effect::Summarise(SummaryRequest { border, bias, budget }));
    }

    /// Takes the answer to a request for a summary in. Calls in it are not run.
    pub(super) fn summarised(&mut self, answer: &Answer, effects: &mut Vec<Effect>) {
        let text = text_of(&answer.content);
        let summary = text.trim();
        if summary.is_empty() {
            self.compaction_failed("the model gave an empty summary", effects);
            return;
        }
        let Some(Compacting { border, then }) = self.end_compacting() else { return };
        self.failed_compactions = 0;
        let Stamp { id, timestamp } = self.stamps.next();
        let kept = self.transcript.split_off(border);
        let collapsed_count = self.transcript.len();
        let Some(first_kept) = kept.first() else { return };
        let message = Arc::new(compaction_message(
            (id, timestamp),
            &self.transcript,
            first_kept.id(),
            summary,
            answer.usage,
        ));
        self.transcript = std::iter::once(Arc::clone(&message)).chain(kept).collect();
        show(&message, effects);
        match then {
            Then::Turn(opening) => {
                self.begin_turn(opening, effects);
                self.ask(effects);
            }
            Then::Request(_) => {
                self.phase = Phase::Answering { begun: None };
                self.ask(effects);
            }
            Then::Rest => {
                let result = CompactResult { collapsed_count, error: None, aborted: false };
                effects.push(Effect::Compacted(result));
            }
        }
    }

    pub(super) fn compaction_failed(&mut self, reason: &str, effects: &mut Vec<Effect>) {
        let Some(Compacting { then, .. }) = self.end_compacting() else { return };
        self.failed_compactions += 1;
        let mut error = format!("could not compact the conversation: {reason}");
        if self.failed_compactions >= MAX_FAILURES {
            error.push_str("; not trying again by itself: use compact or reset");
        }
        match then {
            Then::Turn(opening) => {
                self.keep_opening(opening, effects);
                self.end_failed(error, effects);
            }
            Then::Request(overflow) => {
                let overflow = self.too_long(&overflow);
                self.end_failed(format!("{overflow}; {error}"), effects);
            }
            Then::Rest => {
                let event = Event::Error { error: error.clone(), recoverable: true };
                effects.push(Effect::Emit(event));
                let result =
                    CompactResult { collapsed_count: 0, error: Some(error), aborted: false };
                effects.push(Effect::Compacted(result));
            }
        }
    }

    pub(super) fn stop_compacting(&mut self, effects: &mut Vec<Effect>) {
        let Some(Compacting { then, .. }) = self.end_compacting() else { return };
        match then {
            Then::Turn(opening) => {
                self.keep_opening(opening, effects);
                self.end_aborted(effects);
            }
            Then::Request(_) => self.end_aborted(effects),
            Then::Rest => {
                let result = CompactResult { collapsed_count: 0, error: None, aborted: true };
                effects.push(Effect::Compacted(result));
            }
        }
    }

    /// Leaves the phase; what comes next sets its own.
    fn end_compacting(&mut self) -> Option<Compacting> {
        match std::mem::replace(&mut self.phase, Phase::Idle) {
            Phase::Compacting(compacting) => Some(compacting),
            other => {
                self.phase = other;
                None
            }
        }
    }

    /// Begins the turn that will not be: what the user said is not lost with it.
    fn keep_opening(&mut self, opening: Option<Arc<Message>>, effects: &mut Vec<Effect>) {
        if opening.is_some() {
            self.begin_turn(opening, effects);
        }
    }
}
