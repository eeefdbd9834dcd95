//! Going on with what plugins have registered: tools, system prompt and skills made anew.
//!
//! Owns the wait of a request for it. Nothing waits where nothing changed, and nothing but requests,
//! and who asks for the tools, ever does. Must not make any of it itself: the program around the agent does.

use super::Actor;
use crate::agent::bus::Output;
use crate::agent::runner::ToolRunner;
use crate::commands::Equipped;
use crate::compaction::{SummaryRequest, estimate_overhead};
use futures_util::future::BoxFuture;
use letscode_wire::RequestId;
use std::sync::Arc;

/// What is being made, and what waits for it.
pub(super) struct Equipping {
    work: BoxFuture<'static, Made>,
    pending: Vec<Pending>,
}

/// What was made.
pub(super) struct Made {
    /// What the plugins had registered.
    revision: Option<u64>,
    equipped: Option<Equipped>,
}

/// What waits.
pub(super) enum Pending {
    /// A request to the model.
    Request,
    /// A request for a summary.
    Summary(SummaryRequest),
    /// A client's command that names the tools.
    Tools(RequestId),
}

impl Equipping {
    pub(super) async fn made(&mut self) -> Made {
        (&mut self.work).await
    }
}

impl Actor {
    /// Goes on with `pending`, after plugins that are still starting, or have something new, were heard.
    pub(super) fn when_equipped(&mut self, pending: Pending) {
        let hooks = self.runner.hooks.clone();
        if let Some(equipping) = &mut self.equipping {
            equipping.pending.push(pending);
            return;
        }
        if hooks.revision() == self.equipped {
            return self.go_on(pending);
        }
        let host = Arc::clone(&self.host);
        let work = Box::pin(async move {
            hooks.started().await;
            let revision = hooks.revision();
            Made { revision, equipped: host.equip(hooks).await }
        });
        self.equipping = Some(Equipping { work, pending: vec![pending] });
    }

    /// Lets no request wait any more.
    pub(super) fn stop_waiting(&mut self) {
        if let Some(equipping) = &mut self.equipping {
            equipping.pending.retain(|pending| matches!(pending, Pending::Tools(_)));
        }
    }

    pub(super) fn equipped(&mut self, made: Made) {
        let Some(Equipping { pending, .. }) = self.equipping.take() else { return };
        self.equipped = made.revision;
        if let Some(equipped) = made.equipped {
            self.use_equipment(equipped);
        }
        for pending in pending {
            self.go_on(pending);
        }
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

    fn go_on(&mut self, pending: Pending) {
        match pending {
            Pending::Request => self.request(),
            Pending::Summary(request) => self.summarise(request),
            Pending::Tools(id) => self.list_tools(id),
        }
    }
}
