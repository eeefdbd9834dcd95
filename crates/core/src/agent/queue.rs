//! What the user said while the agent was busy.
//!
//! Owns the two queues: steering goes in at the next answer without calls, a follow-up when the
//! run would end. Must not know when that is.

use letscode_wire::ContentPart;
use std::collections::VecDeque;

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
    content: Vec<ContentPart>,
}

impl Queues {
    pub(crate) fn steer(&mut self, content: Vec<ContentPart>) {
        let queued = self.number(content);
        self.steering.push_back(queued);
    }

    pub(crate) fn follow_up(&mut self, content: Vec<ContentPart>) {
        let queued = self.number(content);
        self.follow_ups.push_back(queued);
    }

    /// Takes the oldest steering message out.
    pub(crate) fn next_steering(&mut self) -> Option<Vec<ContentPart>> {
        self.steering.pop_front().map(|queued| queued.content)
    }

    /// Takes the oldest follow-up out.
    pub(crate) fn next_follow_up(&mut self) -> Option<Vec<ContentPart>> {
        self.follow_ups.pop_front().map(|queued| queued.content)
    }

    /// Takes the newest message of both out.
    pub(crate) fn take_last(&mut self) -> Option<Vec<ContentPart>> {
        let newest = |queue: &VecDeque<Queued>| queue.back().map(|queued| queued.number);
        let queue = if newest(&self.steering) > newest(&self.follow_ups) {
            &mut self.steering
        } else {
            &mut self.follow_ups
        };
        queue.pop_back().map(|queued| queued.content)
    }

    /// Returns the steering messages.
    pub(crate) fn steering(&self) -> impl Iterator<Item = &[ContentPart]> {
        self.steering.iter().map(|queued| queued.content.as_slice())
    }

    /// Returns the follow-ups.
    pub(crate) fn follow_ups(&self) -> impl Iterator<Item = &[ContentPart]> {
        self.follow_ups.iter().map(|queued| queued.content.as_slice())
    }

    fn number(&mut self, content: Vec<ContentPart>) -> Queued {
        self.count += 1;
        Queued { number: self.count, content }
    }
}
