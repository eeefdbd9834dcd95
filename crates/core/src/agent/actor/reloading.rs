//! Going on with what the files say now.
//!
//! Owns what a reload changes: tools, plugins, system prompt, models, the program's own answers; the
//! conversation, its session and the name of the model stay. Must not read anything itself.

use super::Actor;
use crate::agent::runner::ToolRunner;
use crate::commands::Reloaded;
use crate::compaction::estimate_overhead;
use letscode_wire::{ReloadResult, RequestId};
use std::sync::Arc;

impl Actor {
    pub(super) async fn reload(&mut self, id: RequestId) {
        let host = Arc::clone(&self.host);
        match host.reload().await {
            Ok(reloaded) => {
                self.ack(&id);
                let result = self.go_on_with(reloaded);
                self.done(id, &result);
            }
            Err(error) => self.refuse(id, error.to_string()),
        }
    }

    fn go_on_with(&mut self, reloaded: Reloaded) -> ReloadResult {
        // What the plugins from before have to report must not go with them.
        self.warn_of_faults();
        self.specs = reloaded.tools.specs();
        self.overhead = estimate_overhead(&reloaded.system, &self.specs);
        self.system = reloaded.system;
        self.runner = Arc::new(ToolRunner {
            tools: reloaded.tools,
            hooks: reloaded.hooks,
            env: Arc::clone(&self.runner.env),
            files: Arc::clone(&self.runner.files),
            secrets: Arc::clone(&self.runner.secrets),
            ui: self.runner.ui.clone(),
        });
        self.equipped = Some(0);
        self.host = reloaded.host;
        self.typing.skills = reloaded.skills;
        let mut warnings = reloaded.warnings;
        if let Some(models) = reloaded.models {
            let name = self.model.info().name;
            match models.bind(&name, self.chosen_thinking.as_deref()) {
                Ok(bound) => self.use_model(bound),
                Err(error) => {
                    warnings.push(format!("{error}; going on with {name} as it was"));
                }
            }
            self.models = Some(models);
        }
        let mask = |text: String| self.secrets().mask(text).into_owned();
        ReloadResult {
            tools: self.specs.len(),
            skills: self.typing.skills.len(),
            templates: reloaded.templates,
            context_files: reloaded.context_files,
            model: self.model.info().name,
            thinking: self.thinking.clone(),
            warnings: warnings.into_iter().map(mask).collect(),
        }
    }
}
