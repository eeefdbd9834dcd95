//! The life of one plugin: start, hello, lines, end, and one more start.
//!
//! Owns the time limits and what is told of a plugin that fails. Must not hold up anything but that
//! plugin.

use crate::connection::{Connection, Lines, ReadFault};
use crate::process::{self, Pipes, Process};
use crate::proxy::{PluginState, Proxy};
use crate::requests::Requests;
use crate::settings::Surroundings;
use letscode_wire::{
    Capabilities, FromPlugin, PLUGIN_PROTOCOL, Registrations, ToPlugin, ToolSpec, UiLevel,
    protocol_major_matches,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, BufReader};
use tokio::process::{ChildStderr, ChildStdout};
use tokio::sync::watch;
use tokio::time::{Instant, sleep, timeout_at};

/// How long a plugin that ended rests before it is started again.
const REST: Duration = Duration::from_secs(1);

/// How long a plugin may take to end after the last line to it.
pub(crate) const GOODBYE: Duration = Duration::from_secs(2);

/// How long a plugin whose stdout ended may take to end.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// How many lines of a plugin's log are shown, and how long one may be.
const MOST_LOG_LINES: usize = 200;
const LONGEST_LOG_LINE: u64 = 2000;

const SILENT: &str = "it did not answer several times in a row";

/// How one life of a plugin ended.
enum End {
    /// The program says goodbye.
    Stopped,
    /// The plugin said goodbye.
    Goodbye,
    /// It never came to run: it would not the next time either.
    Unfit(String),
    /// It is asked no more, which was told.
    LeftOut,
    /// It ran, and failed.
    Died(String),
}

/// Runs a plugin until it is over, or `stop` says so.
pub(crate) async fn supervise(
    plugin: Arc<Proxy>,
    surroundings: Surroundings,
    mut stop: watch::Receiver<bool>,
) {
    let name = plugin.spec.name.clone();
    let warn = |text: String| {
        tracing::debug!(plugin = name, text, "a plugin failed");
        surroundings.ui.notify(format!("plugin {name}: {text}"), UiLevel::Warning);
    };
    let mut is_second = false;
    loop {
        let (end, calls) = live(&plugin, &surroundings, &mut stop).await;
        match end {
            End::Stopped | End::Goodbye => return plugin.left(PluginState::Ended, None),
            End::LeftOut => return plugin.left(PluginState::Failed, Some(SILENT.to_owned())),
            End::Died(reason) if !is_second => {
                is_second = true;
                warn(format!("{reason}; starting it again"));
                plugin.restarts(&reason);
                drop(calls);
                tokio::select! {
                    () = sleep(REST) => {}
                    _ = stop.wait_for(|stop| *stop) => {
                        return plugin.left(PluginState::Ended, None);
                    }
                }
            }
            End::Unfit(reason) | End::Died(reason) => {
                warn(format!("{reason}; it is left out"));
                return plugin.left(PluginState::Failed, Some(reason));
            }
        }
    }
}

/// The calls of a plugin that ended: answered when this goes, so that why it ended is told before
/// what came of it.
struct OpenCalls(Connection);

impl Drop for OpenCalls {
    fn drop(&mut self) {
        self.0.close();
    }
}

/// Runs a plugin once.
async fn live(
    plugin: &Arc<Proxy>,
    surroundings: &Surroundings,
    stop: &mut watch::Receiver<bool>,
) -> (End, Option<OpenCalls>) {
    let (process, Pipes { stdin, stdout, stderr }) =
        match process::start(&plugin.spec, surroundings).await {
            Ok(started) => started,
            Err(error) => {
                let program = plugin.spec.command.first().map(|word| word.display().to_string());
                let program = program.unwrap_or_default();
                return (End::Unfit(format!("{program} cannot be started: {error}")), None);
            }
        };
    let log = tokio::spawn(show_log(stderr, plugin.spec.name.clone(), surroundings.clone()));
    let connection = Connection::new(stdin);
    let has_greeted = AtomicBool::new(false);
    let end = tokio::select! {
        end = converse(plugin, surroundings, &connection, stdout, &has_greeted) => end,
        () = plugin.left_out() => End::LeftOut,
        _ = stop.wait_for(|stop| *stop) => End::Stopped,
    };
    let end = finish(end, &connection, process, has_greeted.into_inner()).await;
    // What it said last says why; what it started may hold the pipe open.
    drop(tokio::time::timeout(LAST_WORDS, log).await);
    (end, Some(OpenCalls(connection)))
}

/// Ends the process, and says how it ended where that tells more.
async fn finish(end: End, connection: &Connection, process: Process, has_greeted: bool) -> End {
    match end {
        // It was asked for nothing yet, so there is nothing that it could have to bring to an end.
        End::Stopped if !has_greeted => {
            process.end(Duration::ZERO).await;
            End::Stopped
        }
        End::Stopped => {
            let goodbye = async {
                // One that does not read is killed all the same.
                drop(connection.send(ToPlugin::Goodbye).await);
            };
            drop(tokio::time::timeout(GOODBYE, goodbye).await);
            process.end(GOODBYE).await;
            End::Stopped
        }
        End::Goodbye => {
            process.end(GOODBYE).await;
            End::Goodbye
        }
        End::LeftOut => {
            process.end(Duration::ZERO).await;
            End::LeftOut
        }
        End::Died(reason) => End::Died(with_status(reason, process.end(LAST_WORDS).await)),
        End::Unfit(reason) => End::Unfit(with_status(reason, process.end(LAST_WORDS).await)),
    }
}

fn with_status(reason: String, status: Option<String>) -> String {
    match status {
        Some(status) => format!("{reason} ({status})"),
        None => reason,
    }
}

/// Says hello, hears what the plugin wants, and reads its lines until there are no more.
async fn converse(
    plugin: &Arc<Proxy>,
    surroundings: &Surroundings,
    connection: &Connection,
    stdout: ChildStdout,
    has_greeted: &AtomicBool,
) -> End {
    let mut lines = Lines::new(stdout);
    let hello = ToPlugin::Hello {
        protocol: PLUGIN_PROTOCOL.to_owned(),
        letscode: surroundings.version.clone(),
        name: plugin.spec.name.clone(),
        cwd: surroundings.working_dir.display().to_string(),
        config: plugin.spec.config.clone(),
    };
    if connection.send(hello).await.is_err() {
        return End::Unfit("it takes no line".to_owned());
    }
    let mut requests = Requests::new(connection.clone(), surroundings.clone());
    let deadline = Instant::now() + surroundings.hello_limit;
    let greeting = timeout_at(deadline, greet(plugin, &mut lines)).await;
    has_greeted.store(matches!(greeting, Ok(Ok(_))), Ordering::Relaxed);
    match greeting {
        Err(_) => {
            let seconds = surroundings.hello_limit.as_secs_f64();
            return End::Unfit(format!("no hello within {seconds} s"));
        }
        Ok(Err(reason)) => return End::Unfit(reason),
        Ok(Ok(Some(registrations))) => accept(plugin, registrations, connection, surroundings),
        Ok(Ok(None)) => {
            let deadline = Instant::now() + surroundings.register_limit;
            let registered = until_registered(plugin, &mut lines, connection, &mut requests);
            match timeout_at(deadline, registered).await {
                Err(_) => {
                    let seconds = surroundings.register_limit.as_secs_f64();
                    return End::Unfit(format!("it registered nothing within {seconds} s"));
                }
                Ok(Err(end)) => return end,
                Ok(Ok((registrations, capabilities))) => {
                    capabilities.into_iter().for_each(|said| plugin.wants_from_now_on(said));
                    accept(plugin, registrations, connection, surroundings);
                }
            }
        }
    }
    loop {
        match lines.next().await {
            Ok(FromPlugin::Register { registrations, capabilities }) => {
                capabilities.into_iter().for_each(|said| plugin.wants_from_now_on(said));
                accept(plugin, registrations, connection, surroundings);
            }
            Ok(FromPlugin::Goodbye) => return End::Goodbye,
            Ok(line) => take(line, connection, &mut requests).await,
            Err(fault) => return End::Died(fault.to_string()),
        }
        // A plugin that never stops writing must not keep everybody else waiting.
        tokio::task::consume_budget().await;
    }
}

/// Reads the plugin's hello; returns its registrations, `None` where they follow later.
async fn greet(
    plugin: &Proxy,
    lines: &mut Lines<ChildStdout>,
) -> Result<Option<Registrations>, String> {
    match lines.next().await {
        Ok(FromPlugin::Hello {
            protocol,
            name: _,
            version,
            capabilities,
            registrations,
            registers_later,
        }) => {
            if !protocol_major_matches(&protocol, PLUGIN_PROTOCOL) {
                return Err(format!("it speaks {protocol:?}, not {PLUGIN_PROTOCOL}"));
            }
            plugin.greeted(version, capabilities);
            Ok((!registers_later).then_some(registrations))
        }
        Ok(_) => Err("its first line is no hello".to_owned()),
        Err(ReadFault::Ended) => Err("it ended before it said hello".to_owned()),
        Err(fault) => Err(fault.to_string()),
    }
}

/// Reads lines up to the registrations, and what the plugin wants to be told where that comes with
/// them.
async fn until_registered(
    plugin: &Proxy,
    lines: &mut Lines<ChildStdout>,
    connection: &Connection,
    requests: &mut Requests,
) -> Result<(Registrations, Option<Capabilities>), End> {
    loop {
        match lines.next().await {
            Ok(FromPlugin::Register { registrations, capabilities }) => {
                return Ok((registrations, capabilities));
            }
            Ok(FromPlugin::Goodbye) => return Err(End::Goodbye),
            Ok(line) => take(line, connection, requests).await,
            Err(fault) => {
                tracing::debug!(plugin = plugin.spec.name, %fault, "ended while it registered");
                return Err(End::Unfit(fault.to_string()));
            }
        }
    }
}

async fn take(line: FromPlugin, connection: &Connection, requests: &mut Requests) {
    match line {
        FromPlugin::Reply { call, result, error } => connection.reply(call, result, error),
        FromPlugin::Progress { call, partial } => {
            if let Some(progress) = connection.progress_of(call) {
                progress.send(partial);
            }
        }
        line => requests.take(line).await,
    }
}

/// Notes what the plugin adds, but for tools that no request could carry.
fn accept(
    plugin: &Proxy,
    mut registrations: Registrations,
    connection: &Connection,
    surroundings: &Surroundings,
) {
    registrations.tools.retain(|tool| {
        let fault = fault_of(tool);
        if let Some(fault) = fault {
            let text =
                format!("plugin {}: tool {:?} left out: {fault}", plugin.spec.name, tool.name);
            surroundings.ui.notify(text, UiLevel::Warning);
        }
        fault.is_none()
    });
    plugin.registered(registrations, connection);
}

fn fault_of(tool: &ToolSpec) -> Option<&'static str> {
    let is_good = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | ':');
    if tool.name.is_empty() || !tool.name.chars().all(is_good) {
        return Some("a name has letters, digits, `_`, `-`, `.` and `:`");
    }
    (!tool.parameters.is_object()).then_some("its parameters are no JSON Schema")
}

/// Shows what a plugin writes to stderr, a line each, up to a limit.
async fn show_log(stderr: ChildStderr, name: String, surroundings: Surroundings) {
    let mut input = BufReader::new(stderr);
    let mut shown = 0;
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = (&mut input).take(LONGEST_LOG_LINE).read_until(b'\n', &mut line).await;
        if !matches!(read, Ok(1..)) {
            return;
        }
        let text = String::from_utf8_lossy(&line);
        let text = text.trim();
        if text.is_empty() || shown > MOST_LOG_LINES {
            continue;
        }
        shown += 1;
        let text = if shown > MOST_LOG_LINES { "it writes more, which is not shown" } else { text };
        tracing::debug!(plugin = name, text, "a plugin's log");
        surroundings.ui.notify(format!("{name}: {text}"), UiLevel::Warning);
    }
}
