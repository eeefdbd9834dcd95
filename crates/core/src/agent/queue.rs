//! What the user said while the agent was busy.
//!
//! Owns the two queues: steering goes in at the next answer without calls, a follow-up when the
//! run would end. Must not know when that is.

use letscode_wire::ContentPart;
use std::collections::VecDeque;

/// The two queues, oldest first.
#[derive(Debug, Default)]
pub(crate) struct Queues {
    steering: VecDeque<Vec<ContentPart>>,
    follow_ups: VecDeque<Vec<ContentPart>>,
}

impl Queues {
    pub(crate) fn steer(&mut self, content: Vec<ContentPart>) {
        self.steering.push_back(content);
    }

    pub(crate) fn follow_up(&mut self, content: Vec<ContentPart>) {
        self.follow_ups.push_back(content);
    }

    /// Takes the oldest steering message out.
    pub(crate) fn next_steering(&mut self) -> Option<Vec<ContentPart>> {
        self.steering.pop_front()
    }

    /// Takes the oldest follow-up out.
    pub(crate) fn next_follow_up(&mut self) -> Option<Vec<ContentPart>> {
        self.follow_ups.pop_front()
    }
}
