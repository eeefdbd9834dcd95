//! The commands that run, and those that left something running.
//!
//! Owns the promise that no command outlives its run, nor the program. Must not start anything.

use super::tree::ProcessTree;
use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;
use uuid::Uuid;

/// All commands that are, or left, alive.
#[derive(Debug, Default)]
pub(super) struct LiveCommands {
    entries: Mutex<Vec<Entry>>,
}

#[derive(Debug)]
struct Entry {
    id: Uuid,
    tree: ProcessTree,
    /// Whether its shell still runs; else only what it put into the background.
    running: bool,
}

impl LiveCommands {
    /// Notes that a command runs.
    pub(super) fn begin(self: &Arc<Self>, tree: ProcessTree) -> LiveCommand {
        let id = Uuid::new_v4();
        let mut entries = self.entries();
        entries.retain(|entry| entry.running || entry.tree.group_exists());
        entries.push(Entry { id, tree: tree.clone(), running: true });
        LiveCommand { all: Arc::clone(self), id, tree, over: false }
    }

    /// Ends the running ones together, each within `grace`, and hangs up on the others. Blocks.
    pub(super) fn end_all(&self, grace: Duration) {
        let entries = mem::take(&mut *self.entries());
        thread::scope(|scope| {
            for Entry { tree, running, .. } in &entries {
                if *running {
                    scope.spawn(move || tree.end(grace));
                } else {
                    tree.hang_up();
                }
            }
        });
    }

    fn remove(&self, id: Uuid) {
        self.entries().retain(|entry| entry.id != id);
    }

    /// A panic elsewhere leaves the list as it was: each change of it is one step.
    fn entries(&self) -> MutexGuard<'_, Vec<Entry>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A command that runs. Dropped before it is over, its tree is killed.
pub(super) struct LiveCommand {
    all: Arc<LiveCommands>,
    id: Uuid,
    tree: ProcessTree,
    over: bool,
}

impl LiveCommand {
    pub(super) fn tree(&self) -> &ProcessTree {
        &self.tree
    }

    /// Notes that the shell has ended and its exit was taken.
    pub(super) fn over(mut self) {
        self.over = true;
        if self.tree.group_exists() {
            let mut entries = self.all.entries();
            for entry in entries.iter_mut().filter(|entry| entry.id == self.id) {
                entry.running = false;
            }
        } else {
            self.all.remove(self.id);
        }
    }
}

impl Drop for LiveCommand {
    fn drop(&mut self) {
        if !self.over {
            self.tree.kill();
            self.all.remove(self.id);
        }
    }
}
