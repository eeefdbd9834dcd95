//! A tool that a plugin in another process runs.
//!
//! Owns one call of it: its output so far, its time limit, its abort, its reply. Must not know the
//! plugin's process.

use crate::connection::{CallFault, Connection};
use crate::proxy::Proxy;
use letscode_core::BoxFuture;
use letscode_core::tools::{Progress, Tool, ToolContext, ToolError};
use letscode_core::ui::{Clock, Ui};
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
            let limit = self.plugin.call_limit();
            let called = call(&connection, &context.ui, context.progress, limit, line);
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

/// Calls, and gives up (`None`) when the plugin has given no sign of life for `limit` while nobody was
/// asked anything.
async fn call(
    connection: &Connection,
    ui: &Ui,
    progress: Progress,
    limit: Duration,
    line: impl FnOnce(u64) -> ToPlugin,
) -> Option<Result<Value, CallFault>> {
    let clock = Arc::new(Clock::default());
    let restarted = Arc::clone(&clock);
    let progress = Progress::new(move |partial| {
        restarted.begin_anew();
        progress.send(partial);
    });
    clock.limit(limit, connection.call(ui.timed_by(&clock), Some(progress), line)).await
}

#[cfg(test)]
mod tests {
    use super::*;
    use letscode_wire::Partial;
    use serde_json::json;
    use tokio::io::{AsyncBufReadExt as _, BufReader, duplex};
    use tokio::time::{Instant, sleep};

    const LIMIT: Duration = Duration::from_secs(10);

    fn line(call: u64) -> ToPlugin {
        ToPlugin::RunCommand { call, name: "c".to_owned(), args: String::new() }
    }

    #[tokio::test(start_paused = true)]
    async fn a_call_ends_when_its_plugin_gives_no_sign_of_life_and_is_taken_back() {
        let (ours, theirs) = duplex(1024 * 1024);
        let connection = Connection::new(ours);
        let mut plugin = BufReader::new(theirs).lines();
        let began = Instant::now();
        let called = async {
            let shown = Progress::new(|_| {});
            call(&connection, &Ui::declining(), shown, LIMIT, line).await
        };
        let (answer, ()) = tokio::join!(called, async {
            plugin.next_line().await.unwrap();
            // Three times it shows something, just in time; then it asks the user, who is slow.
            for _ in 0..3 {
                sleep(Duration::from_secs(9)).await;
                let partial = Partial { content: Vec::new(), details: Map::new() };
                connection.progress_of(1).unwrap().send(partial);
            }
            let holds = connection.hold_clocks();
            sleep(Duration::from_secs(3600)).await;
            drop(holds);
        });
        assert_eq!(answer, None);
        assert_eq!(began.elapsed().as_secs(), 27 + 3600 + 10);
        let cancel = plugin.next_line().await.unwrap().unwrap();
        let cancel: Value = serde_json::from_str(&cancel).unwrap();
        assert_eq!(cancel, json!({"type": "cancel", "call": 1}));
    }
}
