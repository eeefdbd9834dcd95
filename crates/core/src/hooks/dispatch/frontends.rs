//! Front ends of plugins: which there are, and one of them run.
//!
//! Owns the choice among plugins that have one of the same name: the one registered last. Must not
//! touch the terminal.

use super::{Hooks, Slot};
use crate::hooks::PluginError;
use futures_util::stream::{FuturesUnordered, StreamExt as _};
use letscode_wire::{FrontendSpec, HookName, RunFrontendReply};
use std::sync::Arc;

impl Hooks {
    /// Returns the names of the front ends that are there by now, each once, in the order of
    /// registration.
    pub fn frontends(&self) -> Vec<String> {
        let mut names = Vec::new();
        for spec in self.inner.slots.iter().rev().flat_map(Slot::frontends) {
            if !names.contains(&spec.name) {
                names.push(spec.name);
            }
        }
        names
    }

    /// Waits until a plugin has registered a front end of that name, or none is starting any more.
    /// Returns whether it is there.
    pub async fn has_frontend(&self, name: &str) -> bool {
        let mut starting: FuturesUnordered<_> =
            self.inner.slots.iter().map(|slot| slot.plugin().started()).collect();
        loop {
            if self.frontends().iter().any(|known| known == name) {
                return true;
            }
            if starting.next().await.is_none() {
                return false;
            }
        }
    }

    /// Gives the terminal to a plugin's front end until that has ended; `None` where no plugin has it.
    /// Dropping the future takes the terminal back from a front end that listens to that.
    pub async fn run_frontend(&self, name: &str) -> Option<Result<RunFrontendReply, PluginError>> {
        let has_it = |slot: &&Slot| slot.frontends().iter().any(|spec| spec.name == name);
        let slot = self.inner.slots.iter().find(has_it)?;
        let (plugin, name) = (Arc::clone(slot.plugin()), name.to_owned());
        Some(slot.run_alone(async move { plugin.run_frontend(&name).await }).await)
    }
}

impl Slot {
    fn frontends(&self) -> Vec<FrontendSpec> {
        let mut frontends = Vec::new();
        if self.wants(HookName::RegisterFrontends) {
            self.plugin().register_frontends(&mut frontends);
        }
        frontends
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hooks::{HookTimeouts, Plugin};
    use crate::ui::Ui;
    use futures_util::future::BoxFuture;
    use tokio::sync::watch;

    /// Has a front end that answers with its number, once it has started.
    struct Shows {
        number: i64,
        frontend: &'static str,
        started: watch::Receiver<bool>,
    }

    impl Plugin for Shows {
        fn name(&self) -> &'static str {
            "shows"
        }

        fn wants(&self, hook: HookName) -> bool {
            *self.started.borrow() && hook == HookName::RegisterFrontends
        }

        fn started(&self) -> BoxFuture<'_, ()> {
            let mut started = self.started.clone();
            Box::pin(async move { drop(started.wait_for(|started| *started).await) })
        }

        fn register_frontends(&self, frontends: &mut Vec<FrontendSpec>) {
            frontends.push(FrontendSpec { name: self.frontend.to_owned() });
        }

        fn run_frontend<'a>(
            &'a self,
            name: &'a str,
        ) -> BoxFuture<'a, Result<RunFrontendReply, PluginError>> {
            assert_ne!(name, "panics");
            Box::pin(async { Ok(RunFrontendReply { exit_code: self.number }) })
        }
    }

    fn hooks(frontends: &[&'static str]) -> (Hooks, Vec<watch::Sender<bool>>) {
        let (mut plugins, mut starts) = (Vec::<Arc<dyn Plugin>>::new(), Vec::new());
        for (number, frontend) in (1..).zip(frontends) {
            let (start, started) = watch::channel(false);
            plugins.push(Arc::new(Shows { number, frontend, started }));
            starts.push(start);
        }
        (Hooks::new(plugins, HookTimeouts::default(), Ui::declining()), starts)
    }

    #[tokio::test]
    async fn a_front_end_is_waited_for_until_it_is_there_or_cannot_come() {
        let (hooks, starts) = hooks(&["one", "two"]);
        assert!(hooks.frontends().is_empty());
        let wanted = |name: &'static str| {
            let hooks = hooks.clone();
            tokio::spawn(async move { hooks.has_frontend(name).await })
        };
        let (two, three) = (wanted("two"), wanted("three"));
        tokio::task::yield_now().await;
        assert!(!two.is_finished());
        starts[1].send_replace(true);
        assert!(two.await.unwrap());
        // The other plugin may yet bring it.
        assert!(!three.is_finished());
        starts[0].send_replace(true);
        assert!(!three.await.unwrap());
    }

    #[tokio::test]
    async fn the_plugin_registered_last_runs_a_front_end_and_a_panic_is_told() {
        let (hooks, starts) = hooks(&["one", "two", "one", "panics"]);
        for start in &starts {
            start.send_replace(true);
        }
        assert_eq!(hooks.frontends(), ["one", "two", "panics"]);
        assert_eq!(hooks.run_frontend("one").await.unwrap().unwrap().exit_code, 3);
        let error = hooks.run_frontend("panics").await.unwrap().unwrap_err();
        assert_eq!(error.message, "the plugin shows crashed in it");
        assert!(hooks.run_frontend("none").await.is_none());
    }
}
