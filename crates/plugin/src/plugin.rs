//! A plugin as its author describes it.
//!
//! Owns the builder and the handlers it collects. Must not speak the protocol: `serve` does.

use crate::context::Context;
use crate::error::Error;
use crate::reply::{IntoCommandReply, IntoToolOutput};
use crate::{schema, serve};
use letscode_wire::{
    AfterToolCall, AfterToolCallReply, BeforeToolCall, BeforeToolCallReply, Capabilities,
    CommandSpec, CustomMessage, Event, ExecutionMode, HookName, Message, Registrations,
    RunCommandReply, SkillSpec, SystemPromptContext, ToolOutput, ToolSpec, Transcript,
};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::io;
use std::process::ExitCode;

type ToolHandler =
    Box<dyn Fn(Map<String, Value>, &Context) -> Result<ToolOutput, Error> + Send + Sync>;
type CommandHandler = Box<dyn Fn(&str, &Context) -> Result<RunCommandReply, Error> + Send + Sync>;
type NamedToolHandler =
    Box<dyn Fn(&str, Map<String, Value>, &Context) -> Result<ToolOutput, Error> + Send + Sync>;
type NamedCommandHandler =
    Box<dyn Fn(&str, &str, &Context) -> Result<RunCommandReply, Error> + Send + Sync>;
type EventHandler = Box<dyn Fn(Event, &Context) + Send + Sync>;
type Hook<A, R> = Option<Box<dyn Fn(A, &Context) -> Result<R, Error> + Send + Sync>>;

/// A plugin: what it adds and what it wants to be told.
///
/// Handlers run on a thread each, so that a slow one keeps nobody waiting; events come one after the
/// other. What handlers share, they share as any threads do, in an `Arc<Mutex<…>>` for example. A
/// panic in a handler is an error like any other. Nothing but the protocol may go to stdout; what
/// goes to stderr is shown to the user.
pub struct Plugin {
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) capabilities: Capabilities,
    pub(crate) registrations: Registrations,
    pub(crate) registers_later: bool,
    pub(crate) start: Option<Box<dyn FnOnce(Context) + Send>>,
    pub(crate) end: Option<Box<dyn FnOnce() + Send>>,
    pub(crate) handlers: Handlers,
}

/// All that is called.
#[derive(Default)]
pub(crate) struct Handlers {
    pub(crate) tools: HashMap<String, ToolHandler>,
    pub(crate) commands: HashMap<String, CommandHandler>,
    pub(crate) other_tools: Option<NamedToolHandler>,
    pub(crate) other_commands: Option<NamedCommandHandler>,
    pub(crate) system_prompt: Hook<SystemPromptContext, Option<String>>,
    pub(crate) before_tool_call: Hook<BeforeToolCall, BeforeToolCallReply>,
    pub(crate) after_tool_call: Hook<AfterToolCall, AfterToolCallReply>,
    pub(crate) transform_context: Hook<Transcript, Option<Transcript>>,
    pub(crate) convert_to_llm: Hook<Transcript, Option<Transcript>>,
    pub(crate) render_custom_message: Hook<CustomMessage, Option<Message>>,
    pub(crate) on_event: Option<EventHandler>,
}

impl Plugin {
    /// Returns a plugin that adds nothing yet.
    pub fn new(name: impl Into<String>, version: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            version: version.into(),
            capabilities: Capabilities::default(),
            registrations: Registrations::default(),
            registers_later: false,
            start: None,
            end: None,
            handlers: Handlers::default(),
        }
    }

    /// Adds a tool. Its schema is that of the type of its arguments, whose doc comments the model
    /// reads. An error is shown to the model as a failed call.
    #[must_use]
    pub fn tool<A, R>(
        self,
        name: &str,
        description: &str,
        run: impl Fn(A, &Context) -> Result<R, Error> + Send + Sync + 'static,
    ) -> Self
    where
        A: DeserializeOwned + JsonSchema,
        R: IntoToolOutput,
    {
        let spec = ToolSpec {
            name: name.to_owned(),
            description: description.to_owned(),
            parameters: schema::of::<A>(),
            execution_mode: ExecutionMode::Parallel,
        };
        self.tool_with_spec(spec, move |arguments, context| {
            let arguments = serde_json::from_value(Value::Object(arguments))?;
            run(arguments, context).map(IntoToolOutput::into_tool_output)
        })
    }

    /// Adds a tool with a declaration of its own, for a schema that is no type's or for calls that
    /// must run alone.
    #[must_use]
    pub fn tool_with_spec(
        mut self,
        spec: ToolSpec,
        run: impl Fn(Map<String, Value>, &Context) -> Result<ToolOutput, Error> + Send + Sync + 'static,
    ) -> Self {
        self.handlers.tools.insert(spec.name.clone(), Box::new(run));
        self.registrations.tools.push(spec);
        self
    }

    /// Adds a slash command. `usage` shows its arguments, `[NAME]` for example. The handler gets what
    /// was typed behind its name.
    #[must_use]
    pub fn command<R: IntoCommandReply>(
        mut self,
        name: &str,
        usage: &str,
        description: &str,
        run: impl Fn(&str, &Context) -> Result<R, Error> + Send + Sync + 'static,
    ) -> Self {
        let run = move |arguments: &str, context: &Context| {
            run(arguments, context).map(IntoCommandReply::into_command_reply)
        };
        self.handlers.commands.insert(name.to_owned(), Box::new(run));
        self.registrations.commands.push(CommandSpec {
            name: name.to_owned(),
            description: description.to_owned(),
            usage: usage.to_owned(),
        });
        self
    }

    /// Adds a skill.
    #[must_use]
    pub fn skill(mut self, name: &str, description: &str, body: &str) -> Self {
        self.registrations.skills.push(SkillSpec {
            name: name.to_owned(),
            description: description.to_owned(),
            body: body.to_owned(),
        });
        self
    }

    /// Runs tools that were registered by [`Context::register`]; the handler gets the name first.
    #[must_use]
    pub fn other_tools(
        mut self,
        run: impl Fn(&str, Map<String, Value>, &Context) -> Result<ToolOutput, Error>
        + Send
        + Sync
        + 'static,
    ) -> Self {
        self.handlers.other_tools = Some(Box::new(run));
        self
    }

    /// Runs slash commands that were registered by [`Context::register`]; the handler gets the name
    /// first.
    #[must_use]
    pub fn other_commands(
        mut self,
        run: impl Fn(&str, &str, &Context) -> Result<RunCommandReply, Error> + Send + Sync + 'static,
    ) -> Self {
        self.handlers.other_commands = Some(Box::new(run));
        self
    }

    /// Says that what the plugin adds is known later: the first request to the model waits until
    /// [`Context::register`] was called.
    #[must_use]
    pub fn registers_later(mut self) -> Self {
        self.registers_later = true;
        self
    }

    /// Runs `start` on a thread of its own once the program said hello.
    #[must_use]
    pub fn on_start(mut self, start: impl FnOnce(Context) + Send + 'static) -> Self {
        self.start = Some(Box::new(start));
        self
    }

    /// Runs `end` when the program says goodbye or is gone; the process ends after it, within two
    /// seconds in any case.
    #[must_use]
    pub fn on_end(mut self, end: impl FnOnce() + Send + 'static) -> Self {
        self.end = Some(Box::new(end));
        self
    }

    /// Makes the plugin a guard: when it is gone or silent, tool calls are refused.
    #[must_use]
    pub fn fail_closed(mut self) -> Self {
        self.capabilities.fail_closed = true;
        self
    }

    /// Lets a run end only when the event handler has seen the `turn_end` at which it would: a
    /// [`follow_up`](Context::follow_up) or [`steer`](Context::steer) made in the handler before it
    /// returns goes on with the run. Takes effect with [`on_event`](Self::on_event), which gets that
    /// `turn_end` whatever names it was given. The handler has two minutes, or what the user has set.
    #[must_use]
    pub fn holds_end(mut self) -> Self {
        self.capabilities.holds_end = true;
        self
    }

    /// Gives the first part of the system prompt, or leaves it to others with `None`.
    #[must_use]
    pub fn system_prompt(
        mut self,
        hook: impl Fn(SystemPromptContext, &Context) -> Result<Option<String>, Error>
        + Send
        + Sync
        + 'static,
    ) -> Self {
        self.wants(HookName::SystemPrompt);
        self.handlers.system_prompt = Some(Box::new(hook));
        self
    }

    /// Is asked before each tool call: may block it or rewrite its arguments.
    #[must_use]
    pub fn before_tool_call(
        mut self,
        hook: impl Fn(BeforeToolCall, &Context) -> Result<BeforeToolCallReply, Error>
        + Send
        + Sync
        + 'static,
    ) -> Self {
        self.wants(HookName::BeforeToolCall);
        self.handlers.before_tool_call = Some(Box::new(hook));
        self
    }

    /// Sees each tool call's result: may override parts of it.
    #[must_use]
    pub fn after_tool_call(
        mut self,
        hook: impl Fn(AfterToolCall, &Context) -> Result<AfterToolCallReply, Error>
        + Send
        + Sync
        + 'static,
    ) -> Self {
        self.wants(HookName::AfterToolCall);
        self.handlers.after_tool_call = Some(Box::new(hook));
        self
    }

    /// Changes the messages of a request, or leaves them with `None`.
    #[must_use]
    pub fn transform_context(
        mut self,
        hook: impl Fn(Transcript, &Context) -> Result<Option<Transcript>, Error> + Send + Sync + 'static,
    ) -> Self {
        self.wants(HookName::TransformContext);
        self.handlers.transform_context = Some(Box::new(hook));
        self
    }

    /// Converts the messages for the model, or leaves that to others with `None`.
    #[must_use]
    pub fn convert_to_llm(
        mut self,
        hook: impl Fn(Transcript, &Context) -> Result<Option<Transcript>, Error> + Send + Sync + 'static,
    ) -> Self {
        self.wants(HookName::ConvertToLlm);
        self.handlers.convert_to_llm = Some(Box::new(hook));
        self
    }

    /// Gives custom messages of these kinds the form in which the model sees them.
    #[must_use]
    pub fn render_custom_message(
        mut self,
        kinds: &[&str],
        hook: impl Fn(CustomMessage, &Context) -> Result<Option<Message>, Error> + Send + Sync + 'static,
    ) -> Self {
        self.wants(HookName::RenderCustomMessage);
        self.capabilities.kinds = kinds.iter().map(|kind| (*kind).to_owned()).collect();
        self.handlers.render_custom_message = Some(Box::new(hook));
        self
    }

    /// Sees events of these `type` names, in order; of all but `message_update` where none is named.
    #[must_use]
    pub fn on_event(
        mut self,
        names: &[&str],
        hook: impl Fn(Event, &Context) + Send + Sync + 'static,
    ) -> Self {
        self.wants(HookName::OnEvent);
        self.capabilities.events = names.iter().map(|name| (*name).to_owned()).collect();
        self.handlers.on_event = Some(Box::new(hook));
        self
    }

    /// Speaks with the program over stdin and stdout until it is over.
    pub fn serve(self) -> ExitCode {
        serve::serve(self, io::stdin().lock(), io::stdout());
        ExitCode::SUCCESS
    }

    fn wants(&mut self, hook: HookName) {
        if !self.capabilities.hooks.contains(&hook) {
            self.capabilities.hooks.push(hook);
        }
    }
}
