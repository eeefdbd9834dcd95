//! A plugin in another process, seen by the core as one like any other.
//!
//! Owns what is known of the plugin (hooks, registrations, state) and the hooks as calls over its
//! connection. Must not start or end it: the supervisor does.

use crate::connection::{CallFault, Connection};
use crate::remote_tool::RemoteTool;
use crate::settings::PluginSpec;
use letscode_core::BoxFuture;
use letscode_core::hooks::{Plugin, PluginError};
use letscode_core::tools::ToolRegistry;
use letscode_core::ui::Ui;
use letscode_wire::{
    AfterToolCall, AfterToolCallReply, BeforeToolCall, BeforeToolCallReply, Capabilities,
    CarriedPlugin, CommandSpec, ConvertToLlm, CustomMessage, Event, FrontendSpec, HookName,
    Message, Registrations, RenderCustomMessage, RunCommandReply, RunFrontendReply, SkillSpec,
    SystemPromptContext, ToPlugin, Transcript, TransformContext, UiLevel,
};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use tokio::sync::watch;

/// What a plugin is asked while it starts: events wait for it.
const WHILE_STARTING: &[HookName] = &[HookName::OnEvent];

/// What every plugin is asked.
const ALWAYS: [HookName; 4] = [
    HookName::RegisterTools,
    HookName::RegisterCommands,
    HookName::RegisterSkills,
    HookName::RegisterFrontends,
];

/// What a plugin is doing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PluginState {
    /// It has not said hello, or has yet to register.
    Starting,
    /// It runs.
    Running,
    /// It ended and is started once more.
    Restarting,
    /// It said goodbye.
    Ended,
    /// It is left out.
    Failed,
}

/// What is known of a plugin.
pub(crate) struct Proxy {
    pub(crate) spec: PluginSpec,
    /// What it wants to be told; known from its first hello on, or from its failure.
    wants: OnceLock<Wants>,
    known: Mutex<Known>,
    revision: AtomicU64,
    is_started: watch::Sender<bool>,
    /// Set when the core asks it no more.
    is_left_out: watch::Sender<bool>,
}

struct Wants {
    hooks: Vec<HookName>,
    capabilities: Capabilities,
}

struct Known {
    state: PluginState,
    version: String,
    last_error: Option<String>,
    registrations: Registrations,
    connection: Option<Connection>,
}

/// What lists show.
pub(crate) struct Shown {
    pub(crate) state: PluginState,
    pub(crate) version: String,
    pub(crate) last_error: Option<String>,
    pub(crate) carried: Vec<CarriedPlugin>,
}

/// The plugin, for the core.
pub(crate) struct ProxyPlugin(pub(crate) Arc<Proxy>);

impl Proxy {
    pub(crate) fn new(spec: PluginSpec) -> Self {
        let known = Known {
            state: PluginState::Starting,
            version: spec.version.clone(),
            last_error: None,
            registrations: Registrations::default(),
            connection: None,
        };
        Self {
            spec,
            wants: OnceLock::new(),
            known: Mutex::new(known),
            revision: AtomicU64::new(0),
            is_started: watch::Sender::new(false),
            is_left_out: watch::Sender::new(false),
        }
    }

    /// Notes what the plugin's hello says. Its first one counts for what it wants to be told.
    pub(crate) fn greeted(&self, version: String, capabilities: Capabilities) {
        self.wants.get_or_init(|| {
            let named = capabilities.hooks.iter().copied().filter(|hook| !ALWAYS.contains(hook));
            Wants { hooks: ALWAYS.into_iter().chain(named).collect(), capabilities }
        });
        if !version.is_empty() {
            self.known().version = version;
        }
    }

    /// Notes what the plugin adds from now on, and that it runs.
    pub(crate) fn registered(&self, registrations: Registrations, connection: &Connection) {
        let mut known = self.known();
        known.state = PluginState::Running;
        known.connection = Some(connection.clone());
        let is_new = known.registrations != registrations || !*self.is_started.borrow();
        known.registrations = registrations;
        drop(known);
        if is_new {
            self.revision.fetch_add(1, Ordering::Release);
        }
        self.is_started.send_replace(true);
    }

    /// Notes that the plugin ended and is started again. What it adds stays: a call of it fails.
    pub(crate) fn restarts(&self, reason: &str) {
        let mut known = self.known();
        known.state = PluginState::Restarting;
        known.last_error = Some(reason.to_owned());
        known.connection = None;
    }

    /// Notes that the plugin is there no more. What it added goes with it.
    pub(crate) fn left(&self, state: PluginState, reason: Option<String>) {
        let mut known = self.known();
        known.state = state;
        known.last_error = reason.or(known.last_error.take());
        known.connection = None;
        known.registrations = Registrations::default();
        drop(known);
        // A guard that never came to say what it guards guards everything.
        let hooks = if self.spec.fail_closed { vec![HookName::BeforeToolCall] } else { Vec::new() };
        self.wants.get_or_init(|| Wants { hooks, capabilities: Capabilities::default() });
        self.revision.fetch_add(1, Ordering::Release);
        self.is_started.send_replace(true);
    }

    pub(crate) fn shown(&self) -> Shown {
        let known = self.known();
        Shown {
            state: known.state.clone(),
            version: known.version.clone(),
            last_error: known.last_error.clone(),
            carried: known.registrations.plugins.clone(),
        }
    }

    /// Waits until the core asks it no more.
    pub(crate) async fn left_out(&self) {
        // The sender lives as long as the plugin.
        drop(self.is_left_out.subscribe().wait_for(|is_left_out| *is_left_out).await);
    }

    /// Returns the way to the plugin, where it runs.
    pub(crate) fn connection(&self) -> Option<Connection> {
        self.known().connection.clone()
    }

    /// Calls a hook; `None` where the plugin is gone or its reply cannot be read, which is told.
    async fn ask<T: DeserializeOwned>(
        &self,
        ui: &Ui,
        line: impl FnOnce(u64) -> ToPlugin,
    ) -> Option<T> {
        let connection = self.connection()?;
        let fault = match connection.call(ui.clone(), None, line).await {
            Ok(result) => match serde_json::from_value(result) {
                Ok(reply) => return Some(reply),
                Err(error) => format!("its reply cannot be read: {error}"),
            },
            // Whoever watches the process tells that.
            Err(CallFault::Gone) => return None,
            Err(CallFault::Refused(error)) => error,
        };
        let text = format!("plugin {}: {fault}; going on without its answer", self.spec.name);
        self.known().last_error = Some(fault);
        ui.notify(text, UiLevel::Warning);
        None
    }

    fn is_guard(&self) -> bool {
        let says_so = |wants: &Wants| wants.capabilities.fail_closed;
        self.spec.fail_closed || self.wants.get().is_some_and(says_so)
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Plugin for ProxyPlugin {
    fn name(&self) -> &str {
        &self.0.spec.name
    }

    fn hooks(&self) -> &[HookName] {
        self.0.wants.get().map_or(WHILE_STARTING, |wants| &wants.hooks)
    }

    fn fail_closed(&self) -> bool {
        self.0.is_guard()
    }

    fn revision(&self) -> Option<u64> {
        let is_started = *self.0.is_started.borrow();
        is_started.then(|| self.0.revision.load(Ordering::Acquire))
    }

    fn started(&self) -> BoxFuture<'_, ()> {
        let mut is_started = self.0.is_started.subscribe();
        Box::pin(async move {
            // The sender lives as long as the plugin.
            drop(is_started.wait_for(|is_started| *is_started).await);
        })
    }

    fn left_out(&self) {
        self.0.is_left_out.send_replace(true);
    }

    fn register_tools(&self, tools: &mut ToolRegistry) {
        for spec in &self.0.known().registrations.tools {
            tools.add(Arc::new(RemoteTool::new(spec.clone(), Arc::clone(&self.0))));
        }
    }

    fn register_commands(&self, commands: &mut Vec<CommandSpec>) {
        commands.extend(self.0.known().registrations.commands.iter().cloned());
    }

    fn register_skills(&self, skills: &mut Vec<SkillSpec>) {
        skills.extend(self.0.known().registrations.skills.iter().cloned());
    }

    fn register_frontends(&self, frontends: &mut Vec<FrontendSpec>) {
        frontends.extend(self.0.known().registrations.frontends.iter().cloned());
    }

    fn run_command<'a>(
        &'a self,
        name: &'a str,
        arguments: &'a str,
        ui: &'a Ui,
    ) -> BoxFuture<'a, Result<RunCommandReply, PluginError>> {
        Box::pin(async move {
            let failed = |message: String| PluginError { message };
            let gone = || failed(format!("the plugin {} is not running", self.name()));
            let connection = self.0.connection().ok_or_else(gone)?;
            let (name, args) = (name.to_owned(), arguments.to_owned());
            let line = |call| ToPlugin::RunCommand { call, name, args };
            let result = connection.call(ui.clone(), None, line).await;
            match result.map_err(|fault| failed(fault.to_string()))? {
                Value::Null => Ok(RunCommandReply::default()),
                result => serde_json::from_value(result)
                    .map_err(|error| failed(format!("its reply cannot be read: {error}"))),
            }
        })
    }

    fn run_frontend<'a>(
        &'a self,
        name: &'a str,
    ) -> BoxFuture<'a, Result<RunFrontendReply, PluginError>> {
        Box::pin(async move {
            let failed = |message: String| PluginError { message };
            let gone = || failed(format!("the plugin {} is not running", self.name()));
            let connection = self.0.connection().ok_or_else(gone)?;
            let name = name.to_owned();
            let line = |call| ToPlugin::RunFrontend { call, name };
            let result = connection.call(Ui::declining(), None, line).await;
            match result.map_err(|fault| failed(fault.to_string()))? {
                Value::Null => Ok(RunFrontendReply::default()),
                result => serde_json::from_value(result)
                    .map_err(|error| failed(format!("its reply cannot be read: {error}"))),
            }
        })
    }

    fn system_prompt<'a>(
        &'a self,
        context: &'a SystemPromptContext,
    ) -> BoxFuture<'a, Option<String>> {
        let ui = Ui::declining();
        Box::pin(async move {
            let context = context.clone();
            self.0.ask(&ui, |call| ToPlugin::SystemPrompt { call, context }).await?
        })
    }

    fn before_tool_call<'a>(
        &'a self,
        context: &'a BeforeToolCall,
        ui: &'a Ui,
    ) -> BoxFuture<'a, BeforeToolCallReply> {
        Box::pin(async move {
            let context = context.clone();
            let asked: Option<Option<_>> =
                self.0.ask(ui, |call| ToPlugin::BeforeToolCall { call, context }).await;
            match asked {
                Some(reply) => reply.unwrap_or_default(),
                None if self.0.is_guard() => {
                    let name = self.name();
                    let reason = format!("the guard {name} is not there, so no call is run");
                    BeforeToolCallReply { block: Some(reason), arguments: None }
                }
                None => BeforeToolCallReply::default(),
            }
        })
    }

    fn after_tool_call<'a>(
        &'a self,
        context: &'a AfterToolCall,
        ui: &'a Ui,
    ) -> BoxFuture<'a, AfterToolCallReply> {
        Box::pin(async move {
            let context = context.clone();
            let asked: Option<Option<_>> =
                self.0.ask(ui, |call| ToPlugin::AfterToolCall { call, context }).await;
            asked.flatten().unwrap_or_default()
        })
    }

    fn transform_context<'a>(
        &'a self,
        messages: &'a Transcript,
        ui: &'a Ui,
    ) -> BoxFuture<'a, Option<Transcript>> {
        Box::pin(async move {
            let context = TransformContext { messages: messages.clone() };
            self.0.ask(ui, |call| ToPlugin::TransformContext { call, context }).await?
        })
    }

    fn convert_to_llm<'a>(
        &'a self,
        messages: &'a Transcript,
        ui: &'a Ui,
    ) -> BoxFuture<'a, Option<Transcript>> {
        Box::pin(async move {
            let context = ConvertToLlm { messages: messages.clone() };
            self.0.ask(ui, |call| ToPlugin::ConvertToLlm { call, context }).await?
        })
    }

    fn render_custom_message<'a>(
        &'a self,
        message: &'a CustomMessage,
        ui: &'a Ui,
    ) -> BoxFuture<'a, Option<Message>> {
        Box::pin(async move {
            let kinds = &self.0.wants.get()?.capabilities.kinds;
            if !kinds.is_empty() && !kinds.contains(&message.kind) {
                return None;
            }
            let context = RenderCustomMessage { message: message.clone() };
            self.0.ask(ui, |call| ToPlugin::RenderCustomMessage { call, context }).await?
        })
    }

    fn on_event<'a>(&'a self, event: &'a Arc<Event>, _ui: &'a Ui) -> BoxFuture<'a, ()> {
        let wants = self.0.wants.get().filter(|wants| wants.hooks.contains(&HookName::OnEvent));
        if let Some(wants) = wants
            && is_wanted(event, &wants.capabilities.events)
            && let Some(connection) = self.0.connection()
        {
            connection.tell(event);
        }
        Box::pin(async {})
    }
}

/// Returns whether an event goes to a plugin that named these.
fn is_wanted(event: &Event, named: &[String]) -> bool {
    let name = event.name();
    if named.is_empty() {
        name != "message_update"
    } else {
        named.iter().any(|known| known == name)
    }
}
