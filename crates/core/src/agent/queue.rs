//! What the user said while the agent was busy.
//!
//! Owns the two queues: steering goes in at the next answer without calls, a follow-up when the
//! run would end. Must not know when that is.

use letscode_wire::ContentPart;
use std::collections::VecDeque;

/// What the user says.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Said {
    /// What the model reads.
    pub(crate) content: Vec<ContentPart>,
    /// What was typed, where the content is what became of it.
    pub(crate) typed: Option<String>,
}

/// The two queues, oldest first.
#[derive(Debug, Default)]
pub(crate) struct Queues {
    steering: VecDeque<Queued>,
    follow_ups: VecDeque<Queued>,
    /// How many were queued ever.
    count: u64,
}

#[derive(Debug)]
struct Queued {
    number: u64,
    said: Said,
}

impl From<Vec<ContentPart>> for Said {
    fn from(content: Vec<ContentPart>) -> Self {
        Self { content, typed: None }
    }
}

impl Queues {
    pub(crate) fn steer(&mut self, said: Said) {
        let queued = self.number(said);
        self.steering.push_back(queued);
    }

    pub(crate) fn follow_up(&mut self, said: Said) {
        let queued = self.number(said);
        self.follow_ups.push_back(queued);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.steering.is_empty() && self.follow_ups.is_empty()
    }

    /// Takes the oldest steering message out.
    pub(crate) fn next_steering(&mut self) -> Option<Said> {
        self.steering.pop_front().map(|queued| queued.said)
    }

    /// Takes the oldest follow-up out.
    pub(crate) fn next_follow_up(&mut self) -> Option<Said> {
        self.follow_ups.pop_front().map(|queued| queued.said)
    }

    /// Takes the newest message of both out.
    pub(crate) fn take_last(&mut self) -> Option<Said> {
        let newest = |queue: &VecDeque<Queued>| queue.back().map(|queued| queued.number);
        let queue = if newest(&self.steering) > newest(&self.follow_ups) {
            &mut self.steering
        } else {
            &mut self.follow_ups
        };
        queue.pop_back().map(|queued| queued.said)
    }

    /// Returns the steering messages.
    pub(crate) fn steering(&self) -> impl Iterator<Item = &[ContentPart]> {
        self.steering.iter().map(|queued| queued.said.content.as_slice())
    }

    /// Returns the follow-ups.
    pub(crate) fn follow_ups(&self) -> impl Iterator<Item = &[ContentPart]> {
        self.follow_ups.iter().map(|queued| queued.said.content.as_slice())
    }

    fn number(&mut self, said: Said) -> Queued {
        self.count += 1;
        Queued { number: self.count, said }
    }
}
