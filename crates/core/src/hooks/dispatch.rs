//! Dispatch of hooks: order, time limits, and how several answers become one.
//!
//! Owns the rules. The plugin registered last is asked first. A guard (`fail_closed`) that cannot
//! judge a call blocks it, and its slash commands are its own. Must not know what is done with the answers, or how a call is guarded:
//! `standing` does.

mod frontends;

use super::delivery::{Events, Limits};
use super::faults::{Faults, HookFault};
use super::standing::{Question, Standing, Unanswered};
use super::{Plugin, PluginError};
use crate::tools::ToolRegistry;
use crate::ui::Ui;
use futures_util::future::BoxFuture;
use letscode_wire::{
    AfterToolCall, AfterToolCallReply, BeforeToolCall, BeforeToolCallReply, CommandSpec,
    CustomMessage, Event, FrontendSpec, HOOKS, HookName, Message, RunCommandReply, SkillSpec,
    SystemPromptContext, Transcript,
};
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinSet;

/// How long a plugin may hold the end of a run: it may ask a model whether the work is done.
const TURN_END: Duration = Duration::from_secs(120);

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
    standing: Arc<Standing>,
    events: Events,
}

/// How long hooks may take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookTimeouts {
    /// For every hook that is not named in `each`.
    pub default: Duration,
    /// For single hooks.
    pub each: HashMap<HookName, Duration>,
    /// For a plugin that holds the end of a run.
    pub turn_end: Duration,
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
        Self { default: Duration::from_secs(10), each: HashMap::new(), turn_end: TURN_END }
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
        let faults = Faults::default();
        let slot = |plugin| Slot {
            standing: Arc::new(Standing::new(plugin, ui.clone(), faults.clone())),
            events: Events::default(),
        };
        let slots = plugins.into_iter().rev().map(slot).collect();
        Self { inner: Arc::new(Inner { slots, timeouts, ui, faults }) }
    }

    /// Lets every plugin register what it adds, in the order of registration.
    pub fn register(&self) -> Registered {
        let mut registered = Registered::default();
        for slot in self.inner.slots.iter().rev() {
            let plugin = slot.plugin();
            for hook in HOOKS.iter().map(|info| info.name).filter(|hook| plugin.wants(*hook)) {
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
                    slot.standing.crashed(hook);
                }
            }
        }
        registered
    }

    /// Returns a number that changes whenever what plugins register does, or `None` while one of them
    /// is still starting.
    pub fn revision(&self) -> Option<u64> {
        self.inner.slots.iter().map(|slot| slot.plugin().revision()).sum()
    }

    /// Waits until no plugin is starting any more.
    pub async fn started(&self) {
        for slot in &self.inner.slots {
            slot.plugin().started().await;
        }
    }

    /// Returns the slash commands of all plugins, in the order of registration.
    pub fn commands(&self) -> Vec<CommandSpec> {
        let mut commands: Vec<(CommandSpec, bool)> = Vec::new();
        for slot in self.inner.slots.iter().rev() {
            let is_guard = slot.plugin().fail_closed();
            for command in slot.commands() {
                match commands.iter_mut().find(|(known, _)| known.name == command.name) {
                    Some((_, true)) => {}
                    Some(known) => *known = (command, is_guard),
                    None => commands.push((command, is_guard)),
                }
            }
        }
        commands.into_iter().map(|(command, _)| command).collect()
    }

    /// Runs a plugin's slash command; `None` where no plugin has it. It may take its time. Of several
    /// that have it, the guard registered first runs it, else the plugin registered last.
    pub async fn run_command(
        &self,
        name: &str,
        arguments: &str,
    ) -> Option<Result<RunCommandReply, PluginError>> {
        let has_it = |slot: &&Slot| slot.commands().iter().any(|command| command.name == name);
        let mut slots = self.inner.slots.iter();
        let guard = slots.clone().rev().find(|slot| slot.plugin().fail_closed() && has_it(slot));
        let slot = guard.or_else(|| slots.find(has_it))?;
        let (plugin, ui) = (Arc::clone(slot.plugin()), self.inner.ui.clone());
        let (name, arguments) = (name.to_owned(), arguments.to_owned());
        let run = async move { plugin.run_command(&name, &arguments, &ui).await };
        Some(slot.run_alone(run).await)
    }

    /// Returns whether any plugin wants `hook`; false costs nothing more.
    pub fn wants(&self, hook: HookName) -> bool {
        self.inner.slots.iter().any(|slot| slot.wants(hook))
    }

    /// Returns the reports on plugins that were left out since the last call.
    pub fn take_faults(&self) -> Vec<HookFault> {
        self.inner.faults.take()
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
        for slot in
            self.inner.slots.iter().filter(|slot| slot.plugin().wants(HookName::BeforeToolCall))
        {
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
                Err(Unanswered) if slot.plugin().fail_closed() => {
                    let reason = format!(
                        "the guard {} cannot judge this call, so it is not run",
                        slot.plugin().name()
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
        for slot in self.asked(HookName::OnEvent).filter(|slot| slot.plugin().wants_event(event)) {
            slot.events.tell(event, &slot.standing, self.event_limits());
        }
    }

    /// Returns whether a plugin wants to act before a run ends.
    pub fn hold_end(&self) -> bool {
        self.inner.slots.iter().any(Slot::holds_end)
    }

    /// Returns how long one may take over that.
    pub fn end_limit(&self) -> Duration {
        self.inner.timeouts.turn_end
    }

    /// Hands the event at which a run would end to all that want it, and returns what waits until
    /// those that hold the end have done what they want to do before it. Dropped, it stops them.
    pub fn before_end(&self, event: &Arc<Event>) -> BoxFuture<'static, ()> {
        let mut held = Vec::new();
        for slot in &self.inner.slots {
            if slot.holds_end() {
                held.push(slot.events.tell_last(event, &slot.standing, self.event_limits()));
            } else if slot.wants(HookName::OnEvent) {
                slot.events.tell(event, &slot.standing, self.event_limits());
            }
        }
        Box::pin(async move {
            for let_go in held {
                // It ends by being dropped.
                drop(let_go.await);
            }
        })
    }

    fn asked(&self, hook: HookName) -> impl Iterator<Item = &Slot> {
        self.inner.slots.iter().filter(move |slot| slot.wants(hook))
    }

    async fn ask<T: Send + 'static>(
        &self,
        slot: &Slot,
        hook: HookName,
        call: impl FnOnce(Arc<dyn Plugin>, Ui) -> BoxFuture<'static, T>,
    ) -> Result<T, Unanswered> {
        let limit = self.inner.timeouts.of(hook);
        slot.standing.ask(Question { hook, limit, holds_end: false }, call).await
    }

    fn event_limits(&self) -> Limits {
        let timeouts = &self.inner.timeouts;
        Limits { event: timeouts.of(HookName::OnEvent), last_turn: timeouts.turn_end }
    }
}

impl Slot {
    fn plugin(&self) -> &Arc<dyn Plugin> {
        &self.standing.plugin
    }

    /// Does a plugin's work in a task that ends with the future and keeps a panic to itself.
    async fn run_alone<T: Send + 'static>(
        &self,
        work: impl Future<Output = Result<T, PluginError>> + Send + 'static,
    ) -> Result<T, PluginError> {
        // A set of one: its task ends with it.
        let mut task = JoinSet::new();
        task.spawn(work);
        match task.join_next().await {
            Some(Ok(answer)) => answer,
            _ => {
                let message = format!("the plugin {} crashed in it", self.plugin().name());
                Err(PluginError { message })
            }
        }
    }

    fn commands(&self) -> Vec<CommandSpec> {
        let mut commands = Vec::new();
        if self.wants(HookName::RegisterCommands) {
            self.plugin().register_commands(&mut commands);
        }
        commands
    }

    fn is_gone(&self) -> bool {
        self.standing.is_gone()
    }

    fn wants(&self, hook: HookName) -> bool {
        self.plugin().wants(hook) && !self.is_gone()
    }

    fn holds_end(&self) -> bool {
        self.plugin().holds_end() && !self.is_gone()
    }
}

#[cfg(test)]
mod tests;
