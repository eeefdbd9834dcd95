//! The order among the tool calls of one message.
//!
//! Owns the rules: calls that change something wait for each other in source order, calls on the
//! same file keep their order when one of them changes it, a sequential call runs alone. All
//! others run together; a read never waits for a command. Must not run anything.

use std::path::PathBuf;

/// What matters of a call for the order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct CallClass {
    /// Runs alone.
    pub(crate) sequential: bool,
    /// May change something.
    pub(crate) changes: bool,
    /// The file it works on.
    pub(crate) path: Option<PathBuf>,
}

/// Tells which calls may start, as others end.
#[derive(Debug)]
pub(crate) struct Schedule {
    /// For each call, how many it still waits for; `None` once it was given out.
    waiting: Vec<Option<usize>>,
    /// For each call, those that wait for it.
    dependents: Vec<Vec<usize>>,
}

impl Schedule {
    /// Returns the schedule of calls in source order.
    pub(crate) fn new(classes: &[CallClass]) -> Self {
        let mut waiting = Vec::with_capacity(classes.len());
        let mut dependents = vec![Vec::new(); classes.len()];
        for (index, class) in classes.iter().enumerate() {
            let mut count = 0;
            for (earlier, dependents) in classes.iter().zip(&mut dependents).take(index) {
                if must_wait(class, earlier) {
                    dependents.push(index);
                    count += 1;
                }
            }
            waiting.push(Some(count));
        }
        Self { waiting, dependents }
    }

    /// Returns the calls that may start now and were not given out before.
    pub(crate) fn take_ready(&mut self) -> Vec<usize> {
        let mut ready = Vec::new();
        for (index, waiting) in self.waiting.iter_mut().enumerate() {
            if *waiting == Some(0) {
                *waiting = None;
                ready.push(index);
            }
        }
        ready
    }

    /// Notes that a call is over.
    pub(crate) fn finish(&mut self, index: usize) {
        let dependents = self.dependents.get_mut(index).map(std::mem::take).unwrap_or_default();
        for dependent in dependents {
            if let Some(Some(count)) = self.waiting.get_mut(dependent) {
                *count = count.saturating_sub(1);
            }
        }
    }
}

fn must_wait(call: &CallClass, earlier: &CallClass) -> bool {
    let same_file = call.path.is_some() && call.path == earlier.path;
    call.sequential
        || earlier.sequential
        || (call.changes && earlier.changes)
        || (same_file && (call.changes || earlier.changes))
}

#[cfg(test)]
mod tests;
