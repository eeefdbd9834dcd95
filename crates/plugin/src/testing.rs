//! The program's side of the protocol in memory, for the tests of a plugin.
//!
//! Owns the pipes and the calls. Answers to what the plugin asks come from the test. Must not take a
//! process or a file.

use crate::error::Error;
use crate::plugin::Plugin;
use crate::serve;
use letscode_wire::{
    AfterToolCall, AfterToolCallReply, BeforeToolCall, BeforeToolCallReply, Capabilities,
    CustomMessage, Event, FromPlugin, Message, PLUGIN_PROTOCOL, Partial, Registrations,
    RenderCustomMessage, RunCommandReply, SystemPromptContext, ToPlugin, ToolCall, ToolCallId,
    ToolOutput, Transcript, TransformContext, encode_line,
};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::io::{BufRead as _, BufReader, PipeReader, PipeWriter, Write as _, pipe};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

type Answer = Box<dyn Fn(&FromPlugin) -> Result<Value, String> + Send>;

/// A program that a plugin speaks with in a test. Dropped, it says goodbye.
pub struct Peer {
    shared: Arc<Shared>,
    plugin: Option<JoinHandle<()>>,
}

struct Shared {
    output: Mutex<Option<PipeWriter>>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    last: u64,
    waiting: HashMap<u64, Sender<Result<Value, String>>>,
    capabilities: Capabilities,
    registrations: Registrations,
    partials: Vec<Partial>,
    shown: Vec<FromPlugin>,
}

impl Peer {
    /// Starts a plugin without configuration; whatever it asks is declined.
    pub fn start(plugin: Plugin) -> Self {
        Self::start_with(plugin, Map::new(), |_| Ok(Value::Null))
    }

    /// Starts a plugin with its table of the configuration. `answer` answers what it asks: questions
    /// to the user, commands, and so on.
    ///
    /// # Panics
    /// When the system has no pipe left, or the plugin does not say hello.
    #[expect(clippy::expect_used, reason = "a test that cannot begin has failed")]
    pub fn start_with(
        plugin: Plugin,
        config: Map<String, Value>,
        answer: impl Fn(&FromPlugin) -> Result<Value, String> + Send + 'static,
    ) -> Self {
        let (to_plugin, output) = pipe().expect("a pipe");
        let (input, from_plugin) = pipe().expect("a pipe");
        let plugin = thread::spawn(move || {
            serve::serve(plugin, BufReader::new(to_plugin), from_plugin);
        });
        let shared = Arc::new(Shared { output: Mutex::new(Some(output)), state: Mutex::default() });
        shared.send(&ToPlugin::Hello {
            protocol: PLUGIN_PROTOCOL.to_owned(),
            letscode: env!("CARGO_PKG_VERSION").to_owned(),
            name: "plugin".to_owned(),
            cwd: "/project".to_owned(),
            config,
        });
        let (greeted, hello) = channel();
        let reader = Arc::clone(&shared);
        thread::spawn(move || read(&reader, input, &greeted, &(Box::new(answer) as Answer)));
        hello.recv().expect("the plugin says hello");
        Self { shared, plugin: Some(plugin) }
    }

    /// Returns what the plugin wants to be told, as far as it has said.
    pub fn capabilities(&self) -> Capabilities {
        self.shared.state().capabilities.clone()
    }

    /// Returns what the plugin adds, as far as it has said.
    pub fn registrations(&self) -> Registrations {
        self.shared.state().registrations.clone()
    }

    /// Returns what tool calls have shown so far.
    pub fn partials(&self) -> Vec<Partial> {
        self.shared.state().partials.clone()
    }

    /// Returns the lines with which the plugin showed the user something.
    pub fn shown(&self) -> Vec<FromPlugin> {
        self.shared.state().shown.clone()
    }

    /// Calls a tool.
    ///
    /// # Errors
    /// When the plugin says that it failed, or ended.
    pub fn call_tool(&self, name: &str, arguments: Value) -> Result<ToolOutput, Error> {
        let Value::Object(arguments) = arguments else {
            return Err(Error::new("arguments are an object"));
        };
        let name = name.to_owned();
        self.call(|call| ToPlugin::CallTool {
            call,
            tool_call_id: ToolCallId::from("call"),
            name,
            arguments,
        })
    }

    /// Runs a slash command.
    ///
    /// # Errors
    /// When the plugin says that it failed, or ended.
    pub fn run_command(&self, name: &str, args: &str) -> Result<RunCommandReply, Error> {
        let (name, args) = (name.to_owned(), args.to_owned());
        self.call(|call| ToPlugin::RunCommand { call, name, args })
    }

    /// Asks for the first part of the system prompt.
    ///
    /// # Errors
    /// When the plugin says that it failed, or ended.
    pub fn system_prompt(&self, context: SystemPromptContext) -> Result<Option<String>, Error> {
        self.call(|call| ToPlugin::SystemPrompt { call, context })
    }

    /// Asks whether a tool call may run.
    ///
    /// # Errors
    /// When the plugin says that it failed, or ended.
    pub fn before_tool_call(&self, tool_call: ToolCall) -> Result<BeforeToolCallReply, Error> {
        let context = BeforeToolCall { tool_call };
        self.call(|call| ToPlugin::BeforeToolCall { call, context })
    }

    /// Shows a tool call's result.
    ///
    /// # Errors
    /// When the plugin says that it failed, or ended.
    pub fn after_tool_call(&self, context: AfterToolCall) -> Result<AfterToolCallReply, Error> {
        self.call(|call| ToPlugin::AfterToolCall { call, context })
    }

    /// Offers messages for a change.
    ///
    /// # Errors
    /// When the plugin says that it failed, or ended.
    pub fn transform_context(&self, messages: Transcript) -> Result<Option<Transcript>, Error> {
        let context = TransformContext { messages };
        self.call(|call| ToPlugin::TransformContext { call, context })
    }

    /// Asks for the model's view of a custom message.
    ///
    /// # Errors
    /// When the plugin says that it failed, or ended.
    pub fn render_custom_message(&self, message: CustomMessage) -> Result<Option<Message>, Error> {
        let context = RenderCustomMessage { message };
        self.call(|call| ToPlugin::RenderCustomMessage { call, context })
    }

    /// Tells an event.
    pub fn tell(&self, event: Event) {
        self.shared.send(&ToPlugin::Event { call: None, event });
    }

    /// Tells the event at which a run would end, and waits until the plugin has seen it: what it asked
    /// of the agent before that goes on with the run.
    ///
    /// # Errors
    /// When the plugin ended.
    pub fn tell_last_turn(&self, event: Event) -> Result<(), Error> {
        let _: Value = self.call(|call| ToPlugin::Event { call: Some(call), event })?;
        Ok(())
    }

    /// Says goodbye, and waits until the plugin has ended.
    pub fn goodbye(mut self) {
        self.end();
    }

    fn call<T: DeserializeOwned>(&self, line: impl FnOnce(u64) -> ToPlugin) -> Result<T, Error> {
        let (answer, answered): (_, Receiver<Result<Value, String>>) = channel();
        let call = {
            let mut state = self.shared.state();
            state.last += 1;
            let call = state.last;
            state.waiting.insert(call, answer);
            call
        };
        self.shared.send(&line(call));
        let result = answered.recv().map_err(|_| Error::new("the plugin ended"))?;
        Ok(serde_json::from_value(result.map_err(Error::new)?)?)
    }

    fn end(&mut self) {
        self.shared.send(&ToPlugin::Goodbye);
        self.shared.output.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(plugin) = self.plugin.take() {
            // What panicked has told so.
            drop(plugin.join());
        }
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        self.end();
    }
}

impl Shared {
    fn send(&self, line: &ToPlugin) {
        let mut bytes = Vec::new();
        let mut output = self.output.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(output) = output.as_mut()
            && encode_line(line, &mut bytes).is_ok()
        {
            // A plugin that ended is noticed by its silence.
            drop(output.write_all(&bytes));
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Reads the plugin's lines until there are no more.
fn read(shared: &Shared, input: PipeReader, greeted: &Sender<()>, answer: &Answer) {
    let lines = BufReader::new(input).split(b'\n').map_while(Result::ok);
    for line in lines.filter_map(|line| serde_json::from_slice::<FromPlugin>(&line).ok()) {
        match line {
            FromPlugin::Hello { capabilities, registrations, .. } => {
                let mut state = shared.state();
                state.registrations = registrations;
                state.capabilities = capabilities;
                // The test may have given up.
                greeted.send(()).unwrap_or_default();
            }
            FromPlugin::Register { registrations, capabilities } => {
                let mut state = shared.state();
                state.registrations = registrations;
                if let Some(capabilities) = capabilities {
                    state.capabilities = capabilities;
                }
            }
            FromPlugin::Reply { call, result, error } => {
                let waiting = shared.state().waiting.remove(&call);
                if let Some(waiting) = waiting {
                    drop(waiting.send(error.map_or(Ok(result), Err)));
                }
            }
            FromPlugin::Progress { partial, .. } => shared.state().partials.push(partial),
            FromPlugin::Ui { request, .. } if !request.is_question() => {
                shared.state().shown.push(FromPlugin::Ui { call: 0, request });
            }
            FromPlugin::Cancel { .. } | FromPlugin::Goodbye => {}
            line => {
                let (result, error) = match answer(&line) {
                    Ok(result) => (result, None),
                    Err(error) => (Value::Null, Some(error)),
                };
                if let Some(call) = number_of(&line) {
                    shared.send(&ToPlugin::Reply { call, result, error });
                }
            }
        }
    }
    shared.state().waiting.clear();
}

fn number_of(line: &FromPlugin) -> Option<u64> {
    match line {
        FromPlugin::Ui { call, .. }
        | FromPlugin::Command { call, .. }
        | FromPlugin::SaveMessage { call, .. }
        | FromPlugin::Config { call, .. }
        | FromPlugin::SubagentEnv { call } => Some(*call),
        _ => None,
    }
}
