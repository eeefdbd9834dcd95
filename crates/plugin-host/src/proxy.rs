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
use letscode_core::ui::{Clock, Ui};
use letscode_wire::{
    AfterToolCall, AfterToolCallReply, BeforeToolCall, BeforeToolCallReply, Capabilities,
    CarriedPlugin, CommandSpec, ConvertToLlm, CustomMessage, Event, FrontendSpec, HookName,
    Message, Registrations, RenderCustomMessage, RunCommandReply, RunFrontendReply, SkillSpec,
    SystemPromptContext, ToPlugin, Transcript, TransformContext, UiLevel,
};
use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::Value;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::Duration;
use tokio::sync::watch;

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
    /// What it wants to be told, as it said last.
    wants: RwLock<Arc<Capabilities>>,
    known: Mutex<Known>,
    revision: AtomicU64,
    is_started: watch::Sender<bool>,
    /// Set when the core asks it no more.
    is_left_out: watch::Sender<bool>,
}

struct Known {
    state: PluginState,
    version: String,
    last_error: Option<String>,
    registrations: Registrations,
    connection: Option<Connection>,
    call_limit: Duration,
    command_limit: Duration,
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
            call_limit: Duration::MAX,
            command_limit: Duration::MAX,
        };
        Self {
            spec,
            wants: RwLock::default(),
            known: Mutex::new(known),
            revision: AtomicU64::new(0),
            is_started: watch::Sender::new(false),
            is_left_out: watch::Sender::new(false),
        }
    }

    /// Notes what the plugin's hello says.
    pub(crate) fn greeted(&self, version: String, capabilities: Capabilities) {
        self.wants_from_now_on(capabilities);
        if !version.is_empty() {
            self.known().version = version;
        }
    }

    /// Notes what the plugin wants to be told from now on.
    pub(crate) fn wants_from_now_on(&self, capabilities: Capabilities) {
        *self.wants.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(capabilities);
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

    /// Sets how long a tool call may take without a sign of life, and how long a slash command.
    pub(crate) fn limit_calls(&self, call_limit: Duration, command_limit: Duration) {
        let mut known = self.known();
        (known.call_limit, known.command_limit) = (call_limit, command_limit);
    }

    pub(crate) fn call_limit(&self) -> Duration {
        self.known().call_limit
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
        self.spec.fail_closed || self.wants().fail_closed
    }

    fn wants(&self) -> Arc<Capabilities> {
        Arc::clone(&self.wants.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn is_started(&self) -> bool {
        *self.is_started.borrow()
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Plugin for ProxyPlugin {
    fn name(&self) -> &str {
        &self.0.spec.name
    }

    fn wants(&self, hook: HookName) -> bool {
        match hook {
            HookName::RegisterTools
            | HookName::RegisterCommands
            | HookName::RegisterSkills
            | HookName::RegisterFrontends => true,
            // What it wants it may have yet to say: until then events wait for it.
            HookName::OnEvent if !self.0.is_started() => true,
            // A guard that is not there guards everything.
            HookName::BeforeToolCall if self.0.is_guard() && self.0.connection().is_none() => true,
            _ => self.0.wants().hooks.contains(&hook),
        }
    }

    fn wants_event(&self, event: &Event) -> bool {
        // Until it has said what it wants, all wait for it.
        !self.0.is_started() || is_wanted(event, &self.0.wants().events)
    }

    fn holds_end(&self) -> bool {
        self.0.wants().holds_end && self.0.connection().is_some()
    }

    fn fail_closed(&self) -> bool {
        self.0.is_guard()
    }

    fn revision(&self) -> Option<u64> {
        self.0.is_started().then(|| self.0.revision.load(Ordering::Acquire))
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
            let connection = self.0.connection().ok_or_else(|| self.gone())?;
            let (name, args) = (name.to_owned(), arguments.to_owned());
            let line = |call| ToPlugin::RunCommand { call, name, args };
            let (clock, limit) = (Arc::new(Clock::default()), self.0.known().command_limit);
            let called = connection.call(ui.timed_by(&clock), None, line);
            let Some(result) = clock.limit(limit, called).await else {
                let (name, seconds) = (self.name(), limit.as_secs_f64());
                let message = format!("the plugin {name} did not answer within {seconds} s");
                return Err(PluginError { message });
            };
            read_reply(result)
        })
    }

    fn run_frontend<'a>(
        &'a self,
        name: &'a str,
    ) -> BoxFuture<'a, Result<RunFrontendReply, PluginError>> {
        Box::pin(async move {
            let connection = self.0.connection().ok_or_else(|| self.gone())?;
            let name = name.to_owned();
            let line = |call| ToPlugin::RunFrontend { call, name };
            read_reply(connection.call(Ui::declining(), None, line).await)
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
            let wants = self.0.wants();
            if !wants.kinds.is_empty() && !wants.kinds.contains(&message.kind) {
                return None;
            }
            let context = RenderCustomMessage { message: message.clone() };
            self.0.ask(ui, |call| ToPlugin::RenderCustomMessage { call, context }).await?
        })
    }

    fn on_event<'a>(&'a self, event: &'a Arc<Event>, _ui: &'a Ui) -> BoxFuture<'a, ()> {
        let wants = self.0.wants();
        if wants.hooks.contains(&HookName::OnEvent)
            && is_wanted(event, &wants.events)
            && let Some(connection) = self.0.connection()
        {
            connection.tell(event);
        }
        Box::pin(async {})
    }

    fn before_end<'a>(&'a self, event: &'a Arc<Event>, ui: &'a Ui) -> BoxFuture<'a, ()> {
        Box::pin(async move {
            let event = Event::clone(event);
            let line = |call| ToPlugin::Event { call: Some(call), event };
            // Whatever it answers: what it wants, it has asked for by now.
            let _: Option<IgnoredAny> = self.0.ask(ui, line).await;
        })
    }
}

impl ProxyPlugin {
    fn gone(&self) -> PluginError {
        PluginError { message: format!("the plugin {} is not running", self.name()) }
    }
}

/// Returns what a plugin answered; `null` stands for nothing special.
fn read_reply<T: DeserializeOwned + Default>(
    result: Result<Value, CallFault>,
) -> Result<T, PluginError> {
    match result.map_err(|fault| PluginError { message: fault.to_string() })? {
        Value::Null => Ok(T::default()),
        result => serde_json::from_value(result)
            .map_err(|error| PluginError { message: format!("its reply cannot be read: {error}") }),
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
