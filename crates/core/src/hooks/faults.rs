//! Plugins that were left out, and why: kept until the agent tells it.
//!
//! Owns the words. Must not judge a plugin.

use letscode_wire::HookName;
use std::sync::{Arc, Mutex, PoisonError};

/// A plugin that was left out, and why.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum HookFault {
    /// It did not answer in time.
    #[error("plugin {plugin}: no answer to {hook} within {seconds} s; going on without it")]
    TooSlow {
        /// The plugin.
        plugin: String,
        /// The hook.
        hook: HookName,
        /// The limit.
        seconds: f64,
    },
    /// It is a guard and did not judge a call in time.
    #[error("guard {plugin}: no answer to {hook} within {seconds} s; the call is not run")]
    Unjudged {
        /// The plugin.
        plugin: String,
        /// The hook.
        hook: HookName,
        /// The limit.
        seconds: f64,
    },
    /// It held the end of a run for too long.
    #[error("plugin {plugin}: no answer to turn_end within {seconds} s; the run ends without it")]
    HeldTooLong {
        /// The plugin.
        plugin: String,
        /// The limit.
        seconds: f64,
    },
    /// It did not answer several times in a row.
    #[error("plugin {plugin}: no answer {times} times in a row; {}", from_now_on(*.is_guard))]
    Silent {
        /// The plugin.
        plugin: String,
        /// How often.
        times: u32,
        /// Whether no call runs without it.
        is_guard: bool,
    },
    /// It panicked.
    #[error("plugin {plugin}: crashed in {hook}; {}", from_now_on(*.is_guard))]
    Crashed {
        /// The plugin.
        plugin: String,
        /// The hook.
        hook: HookName,
        /// Whether no call runs without it.
        is_guard: bool,
    },
}

fn from_now_on(is_guard: bool) -> &'static str {
    if is_guard {
        "it is a guard: no call is run from now on"
    } else {
        "it is left out from now on"
    }
}

/// The faults that nobody was told yet. Cheap to clone; all clones hold the same.
#[derive(Clone, Default)]
pub(super) struct Faults(Arc<Mutex<Vec<HookFault>>>);

impl Faults {
    pub(super) fn report(&self, fault: HookFault) {
        tracing::debug!(%fault, "a plugin failed");
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(fault);
    }

    pub(super) fn take(&self) -> Vec<HookFault> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
