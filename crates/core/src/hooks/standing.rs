//! How one plugin stands: whether it is still asked, and one guarded call of it.
//!
//! Owns the time limit and the isolation of a call. A plugin that panics is left out from then on,
//! one that is too slow is left out of that answer, and for good after [`MOST_SILENCES`] in a row.
//! Must not know what is asked.

use super::Plugin;
use super::faults::{Faults, HookFault};
use crate::ui::{Clock, Ui};
use futures_util::future::BoxFuture;
use letscode_wire::HookName;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;
use tokio::task::JoinSet;

/// How many hooks in a row a plugin may leave without an answer.
const MOST_SILENCES: u32 = 3;

/// A plugin, and whether it is asked.
pub(super) struct Standing {
    pub(super) plugin: Arc<dyn Plugin>,
    gone: AtomicBool,
    /// How many hooks in a row it did not answer in time.
    silences: AtomicU32,
    ui: Ui,
    faults: Faults,
}

/// What a plugin is asked, and how long it may take.
#[derive(Debug, Clone, Copy)]
pub(super) struct Question {
    pub(super) hook: HookName,
    pub(super) limit: Duration,
    /// Whether a run ends when it was answered.
    pub(super) holds_end: bool,
}

/// The plugin gave no answer; why was reported.
pub(super) struct Unanswered;

impl Standing {
    pub(super) fn new(plugin: Arc<dyn Plugin>, ui: Ui, faults: Faults) -> Self {
        let (gone, silences) = (AtomicBool::new(false), AtomicU32::new(0));
        Self { plugin, gone, silences, ui, faults }
    }

    pub(super) fn is_gone(&self) -> bool {
        self.gone.load(Ordering::Relaxed)
    }

    /// Calls one hook in a task of its own, so that neither a panic nor slowness spreads. Whoever
    /// does not wait for the answer any more ends the call, and with it what it asks the user.
    pub(super) async fn ask<T: Send + 'static>(
        &self,
        question: Question,
        call: impl FnOnce(Arc<dyn Plugin>, Ui) -> BoxFuture<'static, T>,
    ) -> Result<T, Unanswered> {
        let clock = Arc::new(Clock::default());
        let ui = self.ui.timed_by(&clock);
        // A set of one: its task ends with it.
        let mut task = JoinSet::new();
        task.spawn(call(Arc::clone(&self.plugin), ui));
        match clock.limit(question.limit, task.join_next()).await {
            Some(Some(Ok(answer))) => {
                self.silences.store(0, Ordering::Relaxed);
                return Ok(answer);
            }
            Some(_) => self.crashed(question.hook),
            None => self.silent(question),
        }
        Err(Unanswered)
    }

    pub(super) fn crashed(&self, hook: HookName) {
        self.gone.store(true, Ordering::Relaxed);
        self.faults.report(HookFault::Crashed {
            plugin: self.name(),
            hook,
            is_guard: self.plugin.fail_closed(),
        });
    }

    fn silent(&self, question: Question) {
        let (plugin, seconds) = (self.name(), question.limit.as_secs_f64());
        let (hook, is_guard) = (question.hook, self.plugin.fail_closed());
        self.faults.report(if question.holds_end {
            HookFault::HeldTooLong { plugin, seconds }
        } else if is_guard && hook == HookName::BeforeToolCall {
            HookFault::Unjudged { plugin, hook, seconds }
        } else {
            HookFault::TooSlow { plugin, hook, seconds }
        });
        let times = self.silences.fetch_add(1, Ordering::Relaxed) + 1;
        if times >= MOST_SILENCES && !self.gone.swap(true, Ordering::Relaxed) {
            self.faults.report(HookFault::Silent { plugin: self.name(), times, is_guard });
            self.plugin.left_out();
        }
    }

    fn name(&self) -> String {
        self.plugin.name().to_owned()
    }
}
