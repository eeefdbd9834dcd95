//! The plugin's side of the protocol: lines in, handlers called, lines out.
//!
//! Owns who does what: one thread reads, one hands out events, others answer calls. Must not hold
//! anything of a particular plugin.

use crate::context::{Context, Link};
use crate::error::Error;
use crate::plugin::{Handlers, Plugin};
use crate::threads::Threads;
use letscode_wire::{Event, FromPlugin, PLUGIN_PROTOCOL, ToPlugin};
use serde::Serialize;
use serde_json::Value;
use std::collections::HashMap;
use std::io::{BufRead, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

/// The calls under way, and whether each was taken back.
type Open = Arc<Mutex<HashMap<u64, Arc<AtomicBool>>>>;

/// Speaks with the program until it says goodbye or is gone.
pub(crate) fn serve(plugin: Plugin, input: impl BufRead, output: impl Write + Send + 'static) {
    let mut lines = lines(input);
    let Some(ToPlugin::Hello { cwd, config, .. }) = lines.next() else { return };
    let link = Arc::new(Link::new(output, PathBuf::from(cwd), config));
    link.send(&FromPlugin::Hello {
        protocol: PLUGIN_PROTOCOL.to_owned(),
        name: plugin.name,
        version: plugin.version,
        capabilities: plugin.capabilities,
        registrations: plugin.registrations,
        registers_later: plugin.registers_later,
    });
    if let Some(start) = plugin.start {
        let context = context(&link, None);
        thread::spawn(move || start(context));
    }
    let handlers = Arc::new(plugin.handlers);
    let open = Open::default();
    let threads = Threads::default();
    let events = deliver_events(&handlers, &open);
    for line in lines {
        match line {
            ToPlugin::Goodbye => break,
            ToPlugin::Event { call, event } => {
                let context = match call {
                    Some(call) => begin(call, &link, &open),
                    None => context(&link, None),
                };
                // The thread ends only with us.
                drop(events.send((event, context)));
            }
            ToPlugin::Reply { call, result, error } => {
                link.replied(call, error.map_or(Ok(result), Err));
            }
            ToPlugin::Cancel { call } => {
                let taken_back = locked(&open).remove(&call);
                if let Some(cancelled) = taken_back {
                    cancelled.store(true, Ordering::Release);
                    link.withdraw_questions(call);
                }
            }
            ToPlugin::Hello { .. } => {}
            line => answer(line, &handlers, &link, &open, &threads),
        }
    }
    link.close();
    if let Some(last) = plugin.end {
        last();
    }
}

/// Returns the lines that can be understood; those of a kind that is not known are skipped.
fn lines(input: impl BufRead) -> impl Iterator<Item = ToPlugin> {
    let lines = input.split(b'\n').map_while(Result::ok);
    lines.filter_map(|line| serde_json::from_slice(&line).ok())
}

/// Hands out events, one after the other; one that is a call is answered after its handler.
fn deliver_events(handlers: &Arc<Handlers>, open: &Open) -> Sender<(Event, Context)> {
    let (sender, events) = channel::<(Event, Context)>();
    let (handlers, open) = (Arc::clone(handlers), Arc::clone(open));
    thread::spawn(move || {
        for (event, context) in events {
            if let Some(hook) = &handlers.on_event {
                // What panicked has told so on stderr.
                drop(catch_unwind(AssertUnwindSafe(|| hook(event, &context))));
            }
            end(Ok(Value::Null), &context, &open);
        }
    });
    sender
}

/// Answers a call, on a thread of its own.
fn answer(
    line: ToPlugin,
    handlers: &Arc<Handlers>,
    link: &Arc<Link>,
    open: &Open,
    threads: &Threads,
) {
    let Some(call) = number_of(&line) else { return };
    let context = begin(call, link, open);
    let (handlers, open) = (Arc::clone(handlers), Arc::clone(open));
    threads.run(move || {
        let outcome = catch_unwind(AssertUnwindSafe(|| run(line, &handlers, &context)));
        let outcome = outcome.unwrap_or_else(|_| Err(Error::new("the plugin panicked in it")));
        end(outcome, &context, &open);
    });
}

/// Notes a call that is to be answered.
fn begin(call: u64, link: &Arc<Link>, open: &Open) -> Context {
    let cancelled = Arc::new(AtomicBool::new(false));
    locked(open).insert(call, Arc::clone(&cancelled));
    Context::new(Arc::clone(link), Some(call), cancelled)
}

/// Sends the answer of a call, unless it was taken back.
fn end(outcome: Result<Value, Error>, context: &Context, open: &Open) {
    let Some(call) = context.call else { return };
    if locked(open).remove(&call).is_none() {
        return;
    }
    let (result, error) = match outcome {
        Ok(result) => (result, None),
        Err(error) => (Value::Null, Some(error.to_string())),
    };
    context.link.send(&FromPlugin::Reply { call, result, error });
}

fn number_of(line: &ToPlugin) -> Option<u64> {
    match line {
        ToPlugin::CallTool { call, .. }
        | ToPlugin::RunCommand { call, .. }
        | ToPlugin::RunFrontend { call, .. }
        | ToPlugin::SystemPrompt { call, .. }
        | ToPlugin::BeforeToolCall { call, .. }
        | ToPlugin::AfterToolCall { call, .. }
        | ToPlugin::TransformContext { call, .. }
        | ToPlugin::ConvertToLlm { call, .. }
        | ToPlugin::RenderCustomMessage { call, .. } => Some(*call),
        ToPlugin::Hello { .. }
        | ToPlugin::Event { .. }
        | ToPlugin::Cancel { .. }
        | ToPlugin::Reply { .. }
        | ToPlugin::Goodbye => None,
    }
}

/// Calls the handler that a line is for.
fn run(line: ToPlugin, handlers: &Handlers, context: &Context) -> Result<Value, Error> {
    match line {
        ToPlugin::CallTool { name, arguments, .. } => {
            let output = match (handlers.tools.get(&name), &handlers.other_tools) {
                (Some(run), _) => run(arguments, context),
                (None, Some(run)) => run(&name, arguments, context),
                (None, None) => Err(Error::new(format!("there is no tool {name:?}"))),
            };
            value(&output?)
        }
        ToPlugin::RunCommand { name, args, .. } => {
            let reply = match (handlers.commands.get(&name), &handlers.other_commands) {
                (Some(run), _) => run(&args, context),
                (None, Some(run)) => run(&name, &args, context),
                (None, None) => Err(Error::new(format!("there is no command {name:?}"))),
            };
            value(&reply?)
        }
        ToPlugin::SystemPrompt { context: told, .. } => {
            hook(&handlers.system_prompt, told, context)
        }
        ToPlugin::BeforeToolCall { context: told, .. } => {
            hook(&handlers.before_tool_call, told, context)
        }
        ToPlugin::AfterToolCall { context: told, .. } => {
            hook(&handlers.after_tool_call, told, context)
        }
        ToPlugin::TransformContext { context: told, .. } => {
            hook(&handlers.transform_context, told.messages, context)
        }
        ToPlugin::ConvertToLlm { context: told, .. } => {
            hook(&handlers.convert_to_llm, told.messages, context)
        }
        ToPlugin::RenderCustomMessage { context: told, .. } => {
            hook(&handlers.render_custom_message, told.message, context)
        }
        _ => Err(Error::new("the plugin has no such thing")),
    }
}

type Hook<A, R> = Option<Box<dyn Fn(A, &Context) -> Result<R, Error> + Send + Sync>>;

fn hook<A, R: Serialize>(hook: &Hook<A, R>, told: A, context: &Context) -> Result<Value, Error> {
    hook.as_ref().map_or(Ok(Value::Null), |hook| value(&hook(told, context)?))
}

fn value(result: &impl Serialize) -> Result<Value, Error> {
    Ok(serde_json::to_value(result)?)
}

fn context(link: &Arc<Link>, call: Option<u64>) -> Context {
    Context::new(Arc::clone(link), call, Arc::default())
}

fn locked(open: &Open) -> std::sync::MutexGuard<'_, HashMap<u64, Arc<AtomicBool>>> {
    open.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::io::{BufReader, PipeReader, pipe};

    fn next(lines: &mut BufReader<PipeReader>) -> Value {
        let mut line = String::new();
        lines.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap()
    }

    #[test]
    fn a_call_that_is_taken_back_takes_its_question_along_and_asks_no_more() {
        let (told, tells) = channel();
        let ask = move |_: &str, context: &Context| -> Result<(), Error> {
            let answers = [context.confirm("", "sure?"), context.confirm("", "really?")];
            told.send((answers, context.is_cancelled())).unwrap();
            Ok(())
        };
        let plugin = Plugin::new("asker", "1").command("ask", "", "Ask", ask);
        let (input, mut program) = pipe().unwrap();
        let (lines, output) = pipe().unwrap();
        let mut lines = BufReader::new(lines);
        let plugin = thread::spawn(move || serve(plugin, BufReader::new(input), output));
        let mut say = |line: Value| program.write_all(format!("{line}\n").as_bytes()).unwrap();
        say(json!({"type": "hello", "protocol": PLUGIN_PROTOCOL, "letscode": "1", "cwd": "/"}));
        assert_eq!(next(&mut lines)["type"], "hello");
        say(json!({"type": "run_command", "call": 7, "name": "ask", "args": ""}));
        let question = next(&mut lines);
        assert_eq!(question["request"]["text"], "sure?");
        say(json!({"type": "cancel", "call": 7}));
        assert_eq!(next(&mut lines), json!({"type": "cancel", "call": question["call"]}));
        assert_eq!(tells.recv().unwrap(), ([None, None], true));
        // The next line answers the next call: neither a question nor a reply came between.
        say(json!({"type": "run_command", "call": 8, "name": "none", "args": ""}));
        assert_eq!(next(&mut lines)["call"], 8);
        say(json!({"type": "goodbye"}));
        plugin.join().unwrap();
    }
}
