//! Going on with what plugins have registered: tools, system prompt and skills made anew.
//!
//! Owns the wait of a request for it. Nothing waits where nothing changed, and nothing but requests
//! ever does. Must not make any of it itself: the program around the agent does.

use super::Actor;
use crate::agent::bus::Output;
use crate::agent::runner::ToolRunner;
use crate::commands::Equipped;
use crate::compaction::{SummaryRequest, estimate_overhead};
use futures_util::future::BoxFuture;
use std::sync::Arc;

/// What is being made, and what waits for it.
pub(super) struct Equipping {
    work: BoxFuture<'static, Made>,
    pending: Pending,
}

/// What was made.
pub(super) struct Made {
    /// What the plugins had registered.
    revision: Option<u64>,
    equipped: Option<Equipped>,
}

/// A request that waits.
pub(super) enum Pending {
    Request,
    Summary(SummaryRequest),
}

impl Equipping {
    pub(super) async fn made(&mut self) -> Made {
        (&mut self.work).await
    }
}

impl Actor {
    /// Sends a request, after plugins that are still starting, or have something new, were heard.
    pub(super) fn when_equipped(&mut self, pending: Pending) {
        let hooks = self.runner.hooks.clone();
        if hooks.revision() == self.equipped {
            return self.send_pending(pending);
        }
        let host = Arc::clone(&self.host);
        let work = Box::pin(async move {
            hooks.started().await;
            let revision = hooks.revision();
            Made { revision, equipped: host.equip(hooks).await }
        });
        self.equipping = Some(Equipping { work, pending });
    }

    pub(super) fn equipped(&mut self, made: Made) {
        let Some(Equipping { pending, .. }) = self.equipping.take() else { return };
        self.equipped = made.revision;
        if let Some(equipped) = made.equipped {
            self.use_equipment(equipped);
        }
        self.send_pending(pending);
    }

    fn use_equipment(&mut self, equipped: Equipped) {
        self.specs = equipped.tools.specs();
        self.overhead = estimate_overhead(&equipped.system, &self.specs);
        self.system = equipped.system;
        self.runner = Arc::new(ToolRunner {
            tools: equipped.tools,
            hooks: self.runner.hooks.clone(),
            env: Arc::clone(&self.runner.env),
            files: Arc::clone(&self.runner.files),
            secrets: Arc::clone(&self.runner.secrets),
            ui: self.runner.ui.clone(),
        });
        self.typing.skills = equipped.skills;
        for warning in equipped.warnings {
            let warning = self.secrets().mask(warning).into_owned();
            self.bus.push(Output::Notice(warning));
        }
    }

    fn send_pending(&mut self, pending: Pending) {
        match pending {
            Pending::Request => self.request(),
            Pending::Summary(request) => self.summarise(request),
        }
    }
}
