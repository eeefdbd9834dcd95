//! The servers as a plugin: calls of the program's in, answers out.
//!
//! Owns the seam between the plugin's threads and the runtime of the servers. Must not know servers
//! one by one.

#[cfg(test)]
mod tests;

use crate::bridge::Bridge;
use crate::content;
use crate::environment::Environment;
use crate::front::{BoxFuture, Front};
use letscode_plugin::{Context, Error, Plugin, Registrations, warn};
use letscode_wire::UiRequest;
use serde_json::{Map, Value};
use std::process::ExitCode;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;
use tokio::runtime::{Builder, Handle};

/// How often a call looks whether it was taken back.
const LOOK: Duration = Duration::from_millis(20);

/// How long the program gives a plugin to end, less what it needs itself.
const END_LIMIT: Duration = Duration::from_millis(1_900);

/// Speaks with the program over stdin and stdout until it is over.
pub fn serve() -> ExitCode {
    plugin_on(&Arc::new(Hub::default()), Environment::capture()).serve()
}

/// Returns the plugin, with these variables for servers.
fn plugin_on(hub: &Arc<Hub>, environment: Environment) -> Plugin {
    let [starting, tools, commands, messages, ending] = std::array::from_fn(|_| Arc::clone(hub));
    Plugin::new("mcp", env!("CARGO_PKG_VERSION"))
        .registers_later()
        .on_start(move |context| run(&starting, &environment, context))
        .other_tools(move |name, arguments, context| {
            let (name, shown) = (name.to_owned(), context.clone());
            let call = async move |bridge: Arc<Bridge>| {
                let progress = move |line: String| shown.progress(line);
                bridge.call_tool(&name, arguments, &progress).await
            };
            Ok(tools.wait(call, context)?.unwrap_or_else(|| content::failure("it was cancelled")))
        })
        .other_commands(move |name, typed, context| {
            let (name, typed) = (name.to_owned(), typed.to_owned());
            let run = async move |bridge: Arc<Bridge>| bridge.run_command(&name, &typed).await;
            let reply = commands.wait(run, context)?;
            reply.ok_or_else(|| Error::new("it was cancelled"))?.map_err(Error::new)
        })
        .transform_context(move |transcript, context| {
            let read = async move |bridge: Arc<Bridge>| bridge.with_resources(&transcript).await;
            Ok(messages.wait(read, context)?.flatten())
        })
        .on_end(move || ending.end())
}

/// Runs the servers on this thread until the plugin ends.
fn run(hub: &Hub, environment: &Environment, context: Context) {
    let runtime = match Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            warn(&format!("no MCP servers: {error}"));
            context.register(Registrations::default());
            return hub.set(Work::Over);
        }
    };
    let config: Map<String, Value> = context.config().unwrap_or_default();
    let working_dir = context.working_dir().to_owned();
    let front = Arc::new(Program(context));
    let bridge = Arc::new(Bridge::new(&config, &working_dir, environment, front));
    hub.set(Work::Running(runtime.handle().clone(), Arc::clone(&bridge)));
    runtime.block_on(bridge.run());
    hub.set(Work::Over);
    // A question that is still open must not hold up the end.
    runtime.shutdown_background();
}

/// Where the plugin's threads find the runtime and the servers.
#[derive(Default)]
struct Hub {
    work: Mutex<Work>,
    changed: Condvar,
}

#[derive(Default, Clone)]
enum Work {
    #[default]
    Coming,
    Running(Handle, Arc<Bridge>),
    Over,
}

impl Hub {
    fn set(&self, work: Work) {
        *self.work.lock().unwrap_or_else(PoisonError::into_inner) = work;
        self.changed.notify_all();
    }

    /// Runs `work` among the servers and waits for it; `None` where the call was taken back, which
    /// drops it.
    fn wait<T, F, W>(&self, work: W, context: &Context) -> Result<Option<T>, Error>
    where
        T: Send + 'static,
        F: Future<Output = T> + Send + 'static,
        W: FnOnce(Arc<Bridge>) -> F,
    {
        let Some((handle, bridge)) = self.running() else {
            return Err(Error::new("the MCP servers have ended"));
        };
        let (answer, answered) = sync_channel(1);
        let future = work(bridge);
        let task = handle.spawn(async move { drop(answer.send(future.await)) });
        let outcome = answer_or_cancel(&answered, context);
        if matches!(outcome, Ok(None)) {
            task.abort();
        }
        outcome
    }

    fn running(&self) -> Option<(Handle, Arc<Bridge>)> {
        let mut work = self.work.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            match &*work {
                Work::Coming => {
                    work = self.changed.wait(work).unwrap_or_else(PoisonError::into_inner);
                }
                Work::Running(handle, bridge) => return Some((handle.clone(), Arc::clone(bridge))),
                Work::Over => return None,
            }
        }
    }

    /// Ends the servers, and waits until they have ended, though not for long.
    fn end(&self) {
        if let Some((_, bridge)) = self.running() {
            bridge.stop();
        }
        let work = self.work.lock().unwrap_or_else(PoisonError::into_inner);
        let still_running = |work: &mut Work| !matches!(work, Work::Over);
        drop(self.changed.wait_timeout_while(work, END_LIMIT, still_running));
    }
}

fn answer_or_cancel<T>(answered: &Receiver<T>, context: &Context) -> Result<Option<T>, Error> {
    loop {
        match answered.recv_timeout(LOOK) {
            Ok(answer) => return Ok(Some(answer)),
            Err(RecvTimeoutError::Timeout) if context.is_cancelled() => return Ok(None),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                return Err(Error::new("the MCP servers have ended"));
            }
        }
    }
}

/// The program, reached through the plugin's context.
struct Program(Context);

impl Front for Program {
    fn ask(&self, request: UiRequest) -> BoxFuture<Option<Value>> {
        let context = self.0.clone();
        // The context waits for the answer; that must not keep the servers waiting.
        let asked = tokio::task::spawn_blocking(move || match request {
            UiRequest::Confirm { title, text } => context.confirm(title, text).map(Value::from),
            UiRequest::Select { text, options } => context.select(text, options).map(Value::from),
            UiRequest::Input { text, placeholder, default } => {
                context.input(text, placeholder, default).map(Value::from)
            }
            UiRequest::Notify { .. } | UiRequest::Status { .. } => None,
        });
        Box::pin(async move { asked.await.ok().flatten() })
    }

    fn register(&self, registrations: Registrations) {
        self.0.register(registrations);
    }

    fn warn(&self, line: &str) {
        warn(line);
    }
}
