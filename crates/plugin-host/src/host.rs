//! All plugins that run in processes of their own.
//!
//! Owns which of them run: started together in the background, kept over a reload, ended with the
//! program. Must not know where they were found.

use crate::proxy::{PluginState as State, Proxy, ProxyPlugin};
use crate::settings::{PluginSpec, Surroundings};
use crate::supervisor::supervise;
use letscode_core::hooks::Plugin;
use letscode_wire::CarriedPlugin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::watch;
use tokio::task::JoinHandle;

pub use crate::proxy::PluginState;

/// Runs plugins. Cheap to clone.
#[derive(Clone, Default)]
pub struct PluginHost {
    running: Arc<Mutex<Vec<Running>>>,
}

struct Running {
    plugin: Arc<Proxy>,
    stop: watch::Sender<bool>,
    task: JoinHandle<()>,
}

/// What lists show of a plugin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PluginStatus {
    /// Its name.
    pub name: String,
    /// Its version; empty where it is not known.
    pub version: String,
    /// Where it comes from.
    pub origin: String,
    /// What it is doing.
    pub state: PluginState,
    /// What went wrong last.
    pub last_error: Option<String>,
    /// The plugins that it carries, where it is a host of several.
    pub carried: Vec<CarriedPlugin>,
}

impl PluginHost {
    /// Makes these the plugins that run, and returns them in this order. They start in the
    /// background, all at once; one that runs already, with the same settings, goes on; others are
    /// told to end. Must be called inside a runtime.
    pub fn run(&self, specs: Vec<PluginSpec>, surroundings: &Surroundings) -> Vec<Arc<dyn Plugin>> {
        let mut running = self.running();
        let mut before = std::mem::take(&mut *running);
        for spec in specs {
            let known = before.iter().position(|other| {
                other.plugin.spec == spec && other.plugin.shown().state != State::Failed
            });
            running.push(match known {
                Some(place) => before.swap_remove(place),
                None => start(spec, surroundings),
            });
        }
        for ended in before {
            ended.stop.send_replace(true);
        }
        for one in &*running {
            one.plugin.limit_calls(surroundings.call_limit, surroundings.command_limit);
        }
        running
            .iter()
            .map(|one| Arc::new(ProxyPlugin(Arc::clone(&one.plugin))) as Arc<dyn Plugin>)
            .collect()
    }

    /// Returns what lists show, in the order of registration.
    pub fn list(&self) -> Vec<PluginStatus> {
        self.running()
            .iter()
            .map(|one| {
                let shown = one.plugin.shown();
                PluginStatus {
                    name: one.plugin.spec.name.clone(),
                    version: shown.version,
                    origin: one.plugin.spec.origin.clone(),
                    state: shown.state,
                    last_error: shown.last_error,
                    carried: shown.carried,
                }
            })
            .collect()
    }

    /// Tells those to end that have yet to come to run: nothing waits for them any more.
    pub fn end_starting(&self) {
        for one in self.running().iter() {
            if one.plugin.shown().state == State::Starting {
                one.stop.send_replace(true);
            }
        }
    }

    /// Tells all plugins to end, and waits until they have or were killed.
    pub async fn shut_down(&self) {
        let running = std::mem::take(&mut *self.running());
        for one in &running {
            one.stop.send_replace(true);
        }
        for one in running {
            // A fault of ours in there must not keep the program from ending.
            drop(one.task.await);
        }
    }

    fn running(&self) -> MutexGuard<'_, Vec<Running>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn start(spec: PluginSpec, surroundings: &Surroundings) -> Running {
    let plugin = Arc::new(Proxy::new(spec));
    let (stop, stopped) = watch::channel(false);
    let task = tokio::spawn(supervise(Arc::clone(&plugin), surroundings.clone(), stopped));
    Running { plugin, stop, task }
}
