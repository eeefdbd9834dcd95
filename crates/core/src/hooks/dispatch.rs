//! Dispatch of hooks: order, time limits, isolation, and how several answers become one.
//!
//! Owns the rules. The plugin registered last is asked first. A plugin that panics is left out
//! from then on, one that is too slow is left out of that answer, and for good after
//! [`MOST_SILENCES`] in a row; all is reported in one line.
//! A guard (`fail_closed`) that cannot judge a call blocks it. Must not know what is done with
//! the answers.

mod frontends;

use super::{Plugin, PluginError};
use crate::tools::ToolRegistry;
use crate::ui::{Clock, Ui};
use futures_util::future::BoxFuture;
use letscode_wire::{
    AfterToolCall, AfterToolCallReply, BeforeToolCall, BeforeToolCallReply, CommandSpec,
    CustomMessage, Event, FrontendSpec, HookName, Message, RunCommandReply, SkillSpec,
    SystemPromptContext, Transcript,
};
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

/// How many events may wait for a plugin before it misses some.
const EVENT_QUEUE: usize = 1024;

/// How many hooks in a row a plugin may leave without an answer.
const MOST_SILENCES: u32 = 3;

type Faults = Arc<Mutex<Vec<HookFault>>>;

/// All plugins, ready to be asked.
#[derive(Clone)]
pub struct Hooks {
    inner: Arc<Inner>,
}

struct Inner {
    /// In the order in which they are asked: registered last, first.
    slots: Vec<Slot>,
    timeouts: HookTimeouts,
    ui: Ui,
    faults: Faults,
}

struct Slot {
    plugin: Arc<dyn Plugin>,
    gone: Arc<AtomicBool>,
    /// How many hooks in a row it did not answer in time.
    silences: AtomicU32,
    /// Its queue of events, from the first one that it wants.
    events: OnceLock<mpsc::Sender<Arc<Event>>>,
}

/// How long hooks may take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookTimeouts {
    /// For every hook that is not named in `each`.
    pub default: Duration,
    /// For single hooks.
    pub each: HashMap<HookName, Duration>,
}

/// A plugin that was left out, and why.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum HookFault {
    /// It did not answer in time.
    #[error("plugin {plugin}: no answer to {hook:?} within {seconds} s; going on without it")]
    TooSlow {
        /// The plugin.
        plugin: String,
        /// The hook.
        hook: HookName,
        /// The limit.
        seconds: f64,
    },
    /// It did not answer several times in a row.
    #[error("plugin {plugin}: no answer {times} times in a row; it is left out from now on")]
    Silent {
        /// The plugin.
        plugin: String,
        /// How often.
        times: u32,
    },
    /// It panicked.
    #[error("plugin {plugin}: crashed in {hook:?}; it is left out from now on")]
    Crashed {
        /// The plugin.
        plugin: String,
        /// The hook.
        hook: HookName,
    },
}

/// What all plugins registered.
#[derive(Default)]
pub struct Registered {
    /// The tools.
    pub tools: ToolRegistry,
    /// The slash commands.
    pub commands: Vec<CommandSpec>,
    /// The skills.
    pub skills: Vec<SkillSpec>,
    /// The front ends.
    pub frontends: Vec<FrontendSpec>,
}

impl Default for HookTimeouts {
    fn default() -> Self {
        Self { default: Duration::from_secs(10), each: HashMap::new() }
    }
}

impl HookTimeouts {
    fn of(&self, hook: HookName) -> Duration {
        self.each.get(&hook).copied().unwrap_or(self.default)
    }
}

impl Hooks {
    /// Returns a dispatch over `plugins`, given in the order of registration. `ui` is their way to
    /// the user.
    pub fn new(plugins: Vec<Arc<dyn Plugin>>, timeouts: HookTimeouts, ui: Ui) -> Self {
        let slots = plugins.into_iter().rev().map(Slot::new).collect();
        let faults = Faults::default();
        Self { inner: Arc::new(Inner { slots, timeouts, ui, faults }) }
    }

    /// Lets every plugin register what it adds, in the order of registration.
    pub fn register(&self) -> Registered {
        let mut registered = Registered::default();
        for slot in self.inner.slots.iter().rev() {
            let plugin = &slot.plugin;
            for hook in plugin.hooks() {
                let run = AssertUnwindSafe(|| match hook {
                    HookName::RegisterTools => plugin.register_tools(&mut registered.tools),
                    HookName::RegisterCommands => {
                        plugin.register_commands(&mut registered.commands);
                    }
                    HookName::RegisterSkills => plugin.register_skills(&mut registered.skills),
                    HookName::RegisterFrontends => {
                        plugin.register_frontends(&mut registered.frontends);
                    }
                    HookName::SystemPrompt
                    | HookName::BeforeToolCall
                    | HookName::AfterToolCall
                    | HookName::TransformContext
                    | HookName::ConvertToLlm
                    | HookName::RenderCustomMessage
                    | HookName::OnEvent => {}
                });
                if catch_unwind(run).is_err() {
                    self.crashed(slot, *hook);
                }
            }
        }
        registered
    }

    /// Returns a number that changes whenever what plugins register does, or `None` while one of them
    /// is still starting.
    pub fn revision(&self) -> Option<u64> {
        self.inner.slots.iter().map(|slot| slot.plugin.revision()).sum()
    }

    /// Waits until no plugin is starting any more.
    pub async fn started(&self) {
        for slot in &self.inner.slots {
            slot.plugin.started().await;
        }
    }

    /// Returns the slash commands of all plugins, in the order of registration.
    pub fn commands(&self) -> Vec<CommandSpec> {
        let mut commands: Vec<CommandSpec> = Vec::new();
        for slot in self.inner.slots.iter().rev() {
            for command in slot.commands() {
                match commands.iter_mut().find(|known| known.name == command.name) {
                    Some(known) => *known = command,
                    None => commands.push(command),
                }
            }
        }
        commands
    }

    /// Runs a plugin's slash command; `None` where no plugin has it. It may take its time.
    pub async fn run_command(
        &self,
        name: &str,
        arguments: &str,
    ) -> Option<Result<RunCommandReply, PluginError>> {
        let has_it = |slot: &&Slot| slot.commands().iter().any(|command| command.name == name);
        let slot = self.inner.slots.iter().find(has_it)?;
        let (plugin, ui) = (Arc::clone(&slot.plugin), self.inner.ui.clone());
        let (name, arguments) = (name.to_owned(), arguments.to_owned());
        // A set of one: its task ends with it, and keeps a panic to itself.
        let mut task = JoinSet::new();
        task.spawn(async move { plugin.run_command(&name, &arguments, &ui).await });
        Some(match task.join_next().await {
            Some(Ok(answer)) => answer,
            _ => {
                let message = format!("the plugin {} crashed in it", slot.plugin.name());
                Err(PluginError { message })
            }
        })
    }

    /// Returns whether any plugin wants `hook`; false costs nothing more.
    pub fn wants(&self, hook: HookName) -> bool {
        self.inner.slots.iter().any(|slot| slot.wants(hook))
    }

    /// Returns the reports on plugins that were left out since the last call.
    pub fn take_faults(&self) -> Vec<HookFault> {
        std::mem::take(&mut self.inner.faults.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns the first part of the system prompt, from the first plugin that has one.
    pub async fn system_prompt(&self, context: &SystemPromptContext) -> Option<String> {
        for slot in self.asked(HookName::SystemPrompt) {
            let context = context.clone();
            let call = |plugin: Arc<dyn Plugin>, _: Ui| -> BoxFuture<'static, _> {
                Box::pin(async move { plugin.system_prompt(&context).await })
            };
            if let Ok(Some(text)) = self.ask(slot, HookName::SystemPrompt, call).await {
                return Some(text);
            }
        }
        None
    }

    /// Asks whether a call may run. The first block wins; rewrites are chained.
    pub async fn before_tool_call(&self, mut context: BeforeToolCall) -> BeforeToolCallReply {
        let mut arguments = None;
        for slot in self.inner.slots.iter().filter(|slot| slot.named(HookName::BeforeToolCall)) {
            let asked = context.clone();
            let call = |plugin: Arc<dyn Plugin>, ui: Ui| -> BoxFuture<'static, _> {
                Box::pin(async move { plugin.before_tool_call(&asked, &ui).await })
            };
            let answer = if slot.is_gone() {
                Err(Unanswered)
            } else {
                self.ask(slot, HookName::BeforeToolCall, call).await
            };
            match answer {
                Ok(BeforeToolCallReply { block: Some(reason), .. }) => {
                    return BeforeToolCallReply { block: Some(reason), arguments: None };
                }
                Ok(BeforeToolCallReply { block: None, arguments: Some(rewritten) }) => {
                    context.tool_call.arguments.clone_from(&rewritten);
                    arguments = Some(rewritten);
                }
                Ok(BeforeToolCallReply { block: None, arguments: None }) => {}
                Err(Unanswered) if slot.plugin.fail_closed() => {
                    let reason = format!(
                        "the guard {} cannot judge this call, so it is not run",
                        slot.plugin.name()
                    );
                    return BeforeToolCallReply { block: Some(reason), arguments: None };
                }
                Err(Unanswered) => {}
            }
        }
        BeforeToolCallReply { block: None, arguments }
    }

    /// Shows a result to all; a later answer wins field by field.
    pub async fn after_tool_call(&self, context: &AfterToolCall) -> AfterToolCallReply {
        let mut merged = AfterToolCallReply::default();
        for slot in self.asked(HookName::AfterToolCall) {
            let context = context.clone();
            let call = |plugin: Arc<dyn Plugin>, ui: Ui| -> BoxFuture<'static, _> {
                Box::pin(async move { plugin.after_tool_call(&context, &ui).await })
            };
            if let Ok(reply) = self.ask(slot, HookName::AfterToolCall, call).await {
                merged.content = reply.content.or(merged.content);
                merged.details = reply.details.or(merged.details);
                merged.is_error = reply.is_error.or(merged.is_error);
                merged.terminate = reply.terminate.or(merged.terminate);
            }
        }
        merged
    }

    /// Chains all changes to the messages of the next request.
    pub async fn transform_context(&self, mut messages: Transcript) -> Transcript {
        for slot in self.asked(HookName::TransformContext) {
            let given = messages.clone();
            let call = |plugin: Arc<dyn Plugin>, ui: Ui| -> BoxFuture<'static, _> {
                Box::pin(async move { plugin.transform_context(&given, &ui).await })
            };
            if let Ok(Some(changed)) = self.ask(slot, HookName::TransformContext, call).await {
                messages = changed;
            }
        }
        messages
    }

    /// Returns a plugin's own conversion of the messages, from the first that has one.
    pub async fn convert_to_llm(&self, messages: &Transcript) -> Option<Transcript> {
        for slot in self.asked(HookName::ConvertToLlm) {
            let given = messages.clone();
            let call = |plugin: Arc<dyn Plugin>, ui: Ui| -> BoxFuture<'static, _> {
                Box::pin(async move { plugin.convert_to_llm(&given, &ui).await })
            };
            if let Ok(Some(converted)) = self.ask(slot, HookName::ConvertToLlm, call).await {
                return Some(converted);
            }
        }
        None
    }

    /// Returns the model's view of a custom message, from the first plugin that has one.
    pub async fn render_custom_message(&self, message: &CustomMessage) -> Option<Message> {
        for slot in self.asked(HookName::RenderCustomMessage) {
            let given = message.clone();
            let call = |plugin: Arc<dyn Plugin>, ui: Ui| -> BoxFuture<'static, _> {
                Box::pin(async move { plugin.render_custom_message(&given, &ui).await })
            };
            if let Ok(Some(rendered)) = self.ask(slot, HookName::RenderCustomMessage, call).await {
                return Some(rendered);
            }
        }
        None
    }

    /// Hands an event to all that want it. Never waits: a plugin whose queue is full misses it. Must
    /// be called inside a tokio runtime when one of them wants events.
    pub fn on_event(&self, event: &Arc<Event>) {
        for slot in self.asked(HookName::OnEvent) {
            let sender = slot.events.get_or_init(|| self.deliver_to(slot));
            // A full queue or an ended task means the plugin cannot keep up or is gone: the run
            // must not wait for it.
            drop(sender.try_send(Arc::clone(event)));
        }
    }

    /// Begins to feed a plugin its events.
    fn deliver_to(&self, slot: &Slot) -> mpsc::Sender<Arc<Event>> {
        let (sender, receiver) = mpsc::channel(EVENT_QUEUE);
        let delivery = Delivery {
            plugin: Arc::clone(&slot.plugin),
            limit: self.inner.timeouts.of(HookName::OnEvent),
            ui: self.inner.ui.clone(),
            gone: Arc::clone(&slot.gone),
            faults: Arc::clone(&self.inner.faults),
        };
        tokio::spawn(delivery.run(receiver));
        sender
    }

    fn asked(&self, hook: HookName) -> impl Iterator<Item = &Slot> {
        self.inner.slots.iter().filter(move |slot| slot.wants(hook))
    }

    /// Calls one hook in a task of its own, so that neither a panic nor slowness spreads. Whoever
    /// does not wait for the answer any more ends the call, and with it what it asks the user.
    async fn ask<T: Send + 'static>(
        &self,
        slot: &Slot,
        hook: HookName,
        call: impl FnOnce(Arc<dyn Plugin>, Ui) -> BoxFuture<'static, T>,
    ) -> Result<T, Unanswered> {
        let limit = self.inner.timeouts.of(hook);
        let clock = Arc::new(Clock::new());
        let ui = self.inner.ui.timed_by(&clock);
        // A set of one: its task ends with it.
        let mut task = JoinSet::new();
        task.spawn(call(Arc::clone(&slot.plugin), ui));
        match clock.limit(limit, task.join_next()).await {
            Some(Some(Ok(answer))) => {
                slot.silences.store(0, Ordering::Relaxed);
                return Ok(answer);
            }
            Some(_) => self.crashed(slot, hook),
            None => self.silent(slot, hook, limit),
        }
        Err(Unanswered)
    }

    fn silent(&self, slot: &Slot, hook: HookName, limit: Duration) {
        let plugin = slot.plugin.name().to_owned();
        self.report(HookFault::TooSlow { plugin, hook, seconds: limit.as_secs_f64() });
        let times = slot.silences.fetch_add(1, Ordering::Relaxed) + 1;
        if times >= MOST_SILENCES && !slot.gone.swap(true, Ordering::Relaxed) {
            self.report(HookFault::Silent { plugin: slot.plugin.name().to_owned(), times });
            slot.plugin.left_out();
        }
    }

    fn crashed(&self, slot: &Slot, hook: HookName) {
        slot.gone.store(true, Ordering::Relaxed);
        self.report(HookFault::Crashed { plugin: slot.plugin.name().to_owned(), hook });
    }

    fn report(&self, fault: HookFault) {
        report(&self.inner.faults, fault);
    }
}

fn report(faults: &Faults, fault: HookFault) {
    tracing::debug!(%fault, "a plugin failed");
    faults.lock().unwrap_or_else(PoisonError::into_inner).push(fault);
}

/// The plugin gave no answer; why was reported.
struct Unanswered;

impl Slot {
    fn new(plugin: Arc<dyn Plugin>) -> Self {
        let gone = Arc::new(AtomicBool::new(false));
        Self { plugin, gone, silences: AtomicU32::new(0), events: OnceLock::new() }
    }

    fn commands(&self) -> Vec<CommandSpec> {
        let mut commands = Vec::new();
        if self.wants(HookName::RegisterCommands) {
            self.plugin.register_commands(&mut commands);
        }
        commands
    }

    fn named(&self, hook: HookName) -> bool {
        self.plugin.hooks().contains(&hook)
    }

    fn is_gone(&self) -> bool {
        self.gone.load(Ordering::Relaxed)
    }

    fn wants(&self, hook: HookName) -> bool {
        self.named(hook) && !self.is_gone()
    }
}

/// Feeds one plugin its events, in order, each within the limit.
struct Delivery {
    plugin: Arc<dyn Plugin>,
    limit: Duration,
    ui: Ui,
    gone: Arc<AtomicBool>,
    faults: Faults,
}

impl Delivery {
    async fn run(self, mut events: mpsc::Receiver<Arc<Event>>) {
        let hook = HookName::OnEvent;
        while let Some(event) = events.recv().await {
            // What it misses while it starts it gets then.
            self.plugin.started().await;
            let plugin = Arc::clone(&self.plugin);
            let name = || self.plugin.name().to_owned();
            let clock = Arc::new(Clock::new());
            let ui = self.ui.timed_by(&clock);
            let mut task = JoinSet::new();
            task.spawn(async move { plugin.on_event(&event, &ui).await });
            match clock.limit(self.limit, task.join_next()).await {
                Some(Some(Ok(()))) => {}
                Some(_) => {
                    self.gone.store(true, Ordering::Relaxed);
                    report(&self.faults, HookFault::Crashed { plugin: name(), hook });
                    return;
                }
                None => {
                    let seconds = self.limit.as_secs_f64();
                    report(&self.faults, HookFault::TooSlow { plugin: name(), hook, seconds });
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
