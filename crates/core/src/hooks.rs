//! The in-process plugin trait: eleven hooks, each with a default that does nothing.
//!
//! Owns the trait and the set of what plugins register. The built-in tools come through it like
//! anybody's; a plugin in another process is one implementation of it. Must not know what a hook's
//! answer is used for.

mod access;
mod delivery;
mod dispatch;
mod faults;
mod standing;

pub(crate) use access::{AccessAnswer, Wanted};
pub use access::{AccessError, AccessInbox, AgentAccess, CustomNote, access};

pub use dispatch::{HookTimeouts, Hooks, Registered};
pub use faults::HookFault;

use crate::tools::ToolRegistry;
use crate::ui::Ui;
use futures_util::future::BoxFuture;
use letscode_wire::{
    AfterToolCall, AfterToolCallReply, BeforeToolCall, BeforeToolCallReply, CommandSpec,
    CustomMessage, Event, FrontendSpec, HookName, Message, RunCommandReply, RunFrontendReply,
    SkillSpec, SystemPromptContext, Transcript,
};
use std::sync::Arc;

/// An extension of the agent. Called by the dispatch in [`Hooks`], which guards each call with a
/// time limit and keeps a panic from spreading.
///
/// Only the hooks that it [`wants`](Self::wants) are called; one that is still starting may want
/// others later. A hook must not block its thread:
/// the whole program waits for it. A hook that asks the user through its [`Ui`] may take as long as
/// the user does: its clock stands still meanwhile.
pub trait Plugin: Send + Sync {
    /// Returns the plugin's name, for lists and messages.
    fn name(&self) -> &str;

    /// Returns whether the plugin wants to be called for a hook.
    fn wants(&self, hook: HookName) -> bool;

    /// Returns whether the plugin wants to see this event. One that it does not want takes no place
    /// among those that wait for it.
    fn wants_event(&self, _event: &Event) -> bool {
        true
    }

    /// Returns whether a run waits before it ends, until [`before_end`](Self::before_end) is done.
    fn holds_end(&self) -> bool {
        false
    }

    /// Returns whether tool calls are refused when this plugin cannot judge them.
    fn fail_closed(&self) -> bool {
        false
    }

    /// Returns a number that changes whenever what the plugin registers does, or `None` while it is
    /// still starting. All plugins register again where it changed.
    fn revision(&self) -> Option<u64> {
        Some(0)
    }

    /// Waits until the plugin is not starting any more. Must end by itself: requests wait for it.
    fn started(&self) -> BoxFuture<'_, ()> {
        Box::pin(async {})
    }

    /// Hears that it was silent too often and is asked no more.
    fn left_out(&self) {}

    /// Adds tools. Called at the start, and when the revision changed.
    fn register_tools(&self, _tools: &mut ToolRegistry) {}

    /// Adds slash commands. Called at the start, and when the revision changed.
    fn register_commands(&self, _commands: &mut Vec<CommandSpec>) {}

    /// Adds skills. Called at the start, and when the revision changed.
    fn register_skills(&self, _skills: &mut Vec<SkillSpec>) {}

    /// Adds front ends. Called at the start, and when the revision changed.
    fn register_frontends(&self, _frontends: &mut Vec<FrontendSpec>) {}

    /// Runs a slash command that the plugin added. Must end by itself.
    ///
    /// # Errors
    /// When it cannot be carried out; the text is for the user.
    fn run_command<'a>(
        &'a self,
        name: &'a str,
        _arguments: &'a str,
        _ui: &'a Ui,
    ) -> BoxFuture<'a, Result<RunCommandReply, PluginError>> {
        let message = format!("the plugin {} cannot run /{name}", self.name());
        Box::pin(async { Err(PluginError { message }) })
    }

    /// Gives the terminal to a front end that the plugin added, until that has ended. Nothing limits
    /// its time.
    ///
    /// # Errors
    /// When it cannot be run, or ends without an answer; the text is for the user.
    fn run_frontend<'a>(
        &'a self,
        name: &'a str,
    ) -> BoxFuture<'a, Result<RunFrontendReply, PluginError>> {
        let message = format!("the plugin {} cannot run the front end {name}", self.name());
        Box::pin(async { Err(PluginError { message }) })
    }

    /// Returns the first part of the system prompt, or `None` to leave it to others. Called where
    /// the agent waits for it, so there is no asking the user here.
    fn system_prompt<'a>(
        &'a self,
        _context: &'a SystemPromptContext,
    ) -> BoxFuture<'a, Option<String>> {
        Box::pin(async { None })
    }

    /// May block a tool call or rewrite its arguments.
    fn before_tool_call<'a>(
        &'a self,
        _context: &'a BeforeToolCall,
        _ui: &'a Ui,
    ) -> BoxFuture<'a, BeforeToolCallReply> {
        Box::pin(async { BeforeToolCallReply::default() })
    }

    /// May override a tool call's result.
    fn after_tool_call<'a>(
        &'a self,
        _context: &'a AfterToolCall,
        _ui: &'a Ui,
    ) -> BoxFuture<'a, AfterToolCallReply> {
        Box::pin(async { AfterToolCallReply::default() })
    }

    /// Returns changed messages for the next request, or `None` to leave them.
    fn transform_context<'a>(
        &'a self,
        _messages: &'a Transcript,
        _ui: &'a Ui,
    ) -> BoxFuture<'a, Option<Transcript>> {
        Box::pin(async { None })
    }

    /// Returns the messages that the model sees instead of the default conversion, or `None`.
    fn convert_to_llm<'a>(
        &'a self,
        _messages: &'a Transcript,
        _ui: &'a Ui,
    ) -> BoxFuture<'a, Option<Transcript>> {
        Box::pin(async { None })
    }

    /// Returns the form in which the model sees a custom message, or `None`.
    fn render_custom_message<'a>(
        &'a self,
        _message: &'a CustomMessage,
        _ui: &'a Ui,
    ) -> BoxFuture<'a, Option<Message>> {
        Box::pin(async { None })
    }

    /// Sees every event, in order, some time after it happened.
    fn on_event<'a>(&'a self, _event: &'a Arc<Event>, _ui: &'a Ui) -> BoxFuture<'a, ()> {
        Box::pin(async {})
    }

    /// Sees the `turn_end` at which the run would end, in place of [`on_event`](Self::on_event) and
    /// in order with it. The run waits: what is queued meanwhile goes on with it. Called where the
    /// plugin [`holds_end`](Self::holds_end), whatever hooks it wants.
    fn before_end<'a>(&'a self, event: &'a Arc<Event>, ui: &'a Ui) -> BoxFuture<'a, ()> {
        self.on_event(event, ui)
    }
}

/// Why a plugin could not do what was asked, in one line for the user.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct PluginError {
    /// What happened.
    pub message: String,
}
