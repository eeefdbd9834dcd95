//! What fits: the window that requests keep to, and what becomes of a message that is too large.
//!
//! Owns the window that refusals teach where nobody tells one, and the words about size. Must not
//! cut anything: `compaction` does, in copies.

use super::{Effect, Limits, Machine, Phase};
use crate::compaction::{ANSWER_PER_CENT, estimate_tokens};

/// The smallest room that is tried for messages, in tokens.
const SMALLEST_ROOM: u64 = 1000;

/// The share of the window that a message must take to be refused for its size: the system prompt
/// may fill a small window by itself.
const LARGE_PER_CENT: u64 = 5;

/// What a person is told when the longest texts will be cut.
const SHORTENED: &str = "from now on the longest texts go to the model without their middle: \
                         retry, or say it in parts";

/// Returns why a message of so many tokens cannot be sent, if it cannot.
pub(crate) fn refuse_size(tokens: u64, limits: Limits) -> Option<String> {
    let window = limits.window?;
    let room = room(window, limits.overhead);
    let is_large = tokens >= window.saturating_mul(LARGE_PER_CENT) / 100;
    (tokens > room && is_large).then(|| {
        format!(
            "the message is too large: it takes about {tokens} tokens, and the model's window of \
             {window} has room for about {room} beside the system prompt, the tools and an answer; \
             shorten it, or name a file that the model can read in parts"
        )
    })
}

/// Returns how many tokens of a window are left for messages.
fn room(window: u64, overhead: u64) -> u64 {
    let share = window.saturating_mul(100 - ANSWER_PER_CENT) / 100;
    share.saturating_sub(overhead)
}

impl Machine {
    /// Returns the window that requests keep to, where one is known or was learned.
    pub(super) fn window(&self) -> Option<u64> {
        self.limits.window.into_iter().chain(self.learned_window).min()
    }

    /// Returns how many tokens the messages of a request may take, where they take more: their
    /// longest texts must be cut.
    pub(crate) fn bound(&self) -> Option<u64> {
        let room = room(self.window()?, self.limits.overhead);
        let mut tokens = self.context_tokens().saturating_sub(self.limits.overhead);
        if self.learned_window.is_some() {
            // The refusal has shown that counts of earlier requests say little.
            tokens = tokens.max(estimate_tokens(&self.transcript));
        }
        (tokens > room).then_some(room)
    }

    /// Returns how many tokens the messages of a request for a summary may take.
    pub(super) fn summary_room(&self) -> Option<u64> {
        self.window().map(|window| room(window, self.limits.overhead))
    }

    /// Asks the model to go on.
    pub(super) fn ask(&mut self, effects: &mut Vec<Effect>) {
        self.asked_within = self.window();
        effects.push(Effect::Request);
    }

    /// Makes a request that was too long again, with shorter texts: where the person was told of
    /// that before, or what is too long are results. Returns whether that may help.
    pub(super) fn shorten_for_request(&mut self, effects: &mut Vec<Effect>) -> bool {
        let may_go_on = self.learned_window.is_some() || self.is_on_results();
        if !may_go_on || !self.learn_window() {
            return false;
        }
        self.phase = Phase::Answering { begun: None };
        self.ask(effects);
        true
    }

    /// Returns the error of a request that was too long, with what the person can do.
    pub(super) fn too_long(&mut self, error: &str) -> String {
        if self.learn_window() { format!("{error}; {SHORTENED}") } else { error.to_owned() }
    }

    /// Takes a refusal for its size as a bound of what the next request may have. Returns `false`
    /// where nothing more can be cut.
    fn learn_window(&mut self) -> bool {
        let whole = self.limits.overhead + estimate_tokens(&self.transcript);
        let sent = self.asked_within.map_or(whole, |window| window.min(whole));
        // The refusal itself may have told the window.
        if self.window().is_some_and(|window| window < sent) {
            return true;
        }
        let smaller = (sent / 2).max(self.limits.overhead * 2 + SMALLEST_ROOM);
        if smaller >= sent {
            return false;
        }
        self.learned_window = Some(smaller);
        true
    }
}
