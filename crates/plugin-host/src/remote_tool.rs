//! A tool that a plugin in another process runs.
//!
//! Owns one call of it: its output so far, its time limit, its abort, its reply. Must not know the plugin's process.

use crate::proxy::Proxy;
use letscode_core::BoxFuture;
use letscode_core::tools::{Progress, Tool, ToolContext, ToolError};
use letscode_core::ui::Clock;
use letscode_wire::{ToPlugin, ToolOutput, ToolSpec};
use serde_json::{Map, Value};
use std::sync::Arc;
use std::time::Duration;

pub(crate) struct RemoteTool {
    spec: ToolSpec,
    plugin: Arc<Proxy>,
}

impl RemoteTool {
    pub(crate) fn new(spec: ToolSpec, plugin: Arc<Proxy>) -> Self {
        Self { spec, plugin }
    }
}

impl Tool for RemoteTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn time_limit(&self, _arguments: &Map<String, Value>) -> Option<Duration> {
        Some(self.plugin.call_limit())
    }

    fn run<'a>(
        &'a self,
        arguments: Map<String, Value>,
        context: ToolContext,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        Box::pin(async move {
            let plugin = &self.plugin.spec.name;
            let failed = |what: &str| ToolError::new(format!("{}: {what}", self.spec.name));
            let Some(connection) = self.plugin.connection() else {
                return Err(failed(&format!("the plugin {plugin} is not running")));
            };
            let name = self.spec.name.clone();
            let tool_call_id = context.call_id.clone();
            let line = |call| ToPlugin::CallTool { call, tool_call_id, name, arguments };
            let (clock, limit) = (Arc::new(Clock::default()), self.plugin.call_limit());
            let ui = context.ui.timed_by(&clock);
            let progress = restarting(&clock, context.progress);
            let called = clock.limit(limit, connection.call(ui, Some(progress), line));
            // Letting go of the call takes it back.
            let Some(called) = context.cancel.run_until_cancelled(called).await else {
                return Err(failed("interrupted by the user"));
            };
            let Some(result) = called else {
                let seconds = limit.as_secs_f64();
                return Err(failed(&format!(
                    "the plugin {plugin} gave no sign of life within {seconds} s, so the call was \
                     taken back"
                )));
            };
            let result = result.map_err(|fault| failed(&fault.to_string()))?;
            serde_json::from_value(result)
                .map_err(|error| failed(&format!("the plugin's result cannot be read: {error}")))
        })
    }
}

/// Returns a progress that is a sign of life.
fn restarting(clock: &Arc<Clock>, progress: Progress) -> Progress {
    let clock = Arc::clone(clock);
    Progress::new(move |partial| {
        clock.begin_anew();
        progress.send(partial);
    })
}
