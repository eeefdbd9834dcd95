//! The turn behind an answer without tool calls: what is queued, or the end of the run.
//!
//! Owns the order: a message for the next answer goes before one for the end. Where plugins act
//! before a run ends, it waits for them, and looks at what is queued again.

use super::{Effect, Machine, Phase};
use letscode_wire::{Event, Message, Transcript};
use std::sync::Arc;

impl Machine {
    pub(super) fn answered_without_calls(
        &mut self,
        message: Arc<Message>,
        effects: &mut Vec<Effect>,
    ) {
        let tool_results = Transcript::new();
        if self.holds_end && self.queues.is_empty() {
            self.phase = Phase::Settling;
            let turn = self.turn;
            effects.push(Effect::Settle(Event::TurnEnd { turn, message, tool_results }));
        } else {
            self.end_turn(message, tool_results, effects);
            self.go_on_or_end(effects);
        }
    }

    pub(super) fn settled(&mut self, effects: &mut Vec<Effect>) {
        if matches!(self.phase, Phase::Settling) {
            self.go_on_or_end(effects);
        }
    }

    /// Goes on with a queued message, or ends the run.
    fn go_on_or_end(&mut self, effects: &mut Vec<Effect>) {
        let next = self.queues.next_steering();
        let Some(said) = next.or_else(|| self.queues.next_follow_up()) else {
            self.end_run(None, effects);
            return;
        };
        self.refused_turns = 0;
        let message = self.user_message(said);
        self.open_turn(Some(message), effects);
    }
}
