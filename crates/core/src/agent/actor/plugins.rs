//! What plugins ask of the agent, and their slash commands.
//!
//! Owns whose command it is: a plugin's is answered to the plugin alone, and refused where only a
//! person may give it. Must not wait for a plugin.

use super::Actor;
use super::words;
use crate::agent::turn::Input;
use crate::commands::{self, Shown, SlashError};
use crate::hooks::{AccessAnswer, Hooks, PluginError, Wanted};
use letscode_wire::{
    Command, CommandInfo, CommandKind, CommandSpec, ContentPart, Message, MessageId, RequestId,
    RunCommandReply, RunCommandResult,
};
use std::sync::Arc;

const STOPPED: &str = "stopped";
const BUSY: &str = "its message cannot be sent: a run is active";

const TRUST: &str = "only the user trusts a project: a plugin cannot, unless its front end is open";
const EXPAND: &str = "only what a person typed is expanded: leave expand out, unless the plugin's \
                      front end is open";
const CALL: &str = "a plugin can run the program's own slash commands only, unless its front end is \
                    open";

/// A slash command of a plugin that is over.
pub(super) struct PluginCall {
    id: RequestId,
    name: String,
    /// What was typed.
    line: String,
    /// `None` where an abort came before its end.
    outcome: Option<Result<RunCommandReply, CallError>>,
}

/// Why a slash command was not carried out.
#[derive(Debug, thiserror::Error)]
enum CallError {
    /// No plugin has it either.
    #[error(transparent)]
    Unknown(#[from] SlashError),
    /// The plugin cannot.
    #[error("/{name}: {source}")]
    Failed { name: String, source: PluginError },
}

impl Actor {
    pub(super) async fn wanted(&mut self, wanted: Wanted) {
        match wanted {
            Wanted::Command { command, is_typed, answer } => {
                if let Some(reason) = persons_own(&command).filter(|_| !is_typed) {
                    // One that does not wait any more needs no answer.
                    drop(answer.send(Err(reason.to_owned())));
                    return;
                }
                // No client can have chosen the same.
                let id = RequestId::from(MessageId::random().as_str());
                self.asked_by_plugins.push((id.clone(), answer));
                self.command(id, command).await;
            }
            Wanted::Save { note, answer } => {
                let message = self.machine.plugin_message(note);
                // One that does not wait any more needs no answer.
                drop(answer.send(message.clone()));
                self.step(Input::Save(Arc::new(Message::Custom(message)))).await;
            }
        }
    }

    pub(super) fn is_of_plugin(&self, id: &RequestId) -> bool {
        self.asked_by_plugins.iter().any(|(known, _)| known == id)
    }

    /// Returns where the end of a command is told, if a plugin asked for it.
    pub(super) fn plugin_behind(&mut self, id: &RequestId) -> Option<AccessAnswer> {
        let place = self.asked_by_plugins.iter().position(|(known, _)| known == id)?;
        Some(self.asked_by_plugins.remove(place).1)
    }

    /// Returns whether a line calls for a slash command that a plugin has registered.
    pub(super) fn is_plugin_call(&self, line: &str) -> bool {
        let name = commands::name_in(line);
        self.runner.hooks.commands().iter().any(|spec| spec.name == name)
    }

    /// Returns whether a line may call for one, as far as plugins have started.
    pub(super) fn may_be_plugin_call(&self, line: &str) -> bool {
        self.runner.hooks.revision().is_none() || self.is_plugin_call(line)
    }

    /// Begins a plugin's slash command. Whatever else goes on goes on meanwhile.
    pub(super) fn call_plugin(&mut self, id: RequestId, line: &str) {
        let hooks = self.runner.hooks.clone();
        let (name, arguments) = commands::split_line(line);
        let line = line.to_owned();
        let (name, arguments) = (name.to_owned(), arguments.trim().to_owned());
        let cancel = self.stop_expansions.clone();
        self.plugin_calls.push(Box::pin(async move {
            let outcome = cancel.run_until_cancelled(run(&hooks, &name, &arguments)).await;
            PluginCall { id, name, line, outcome }
        }));
    }

    pub(super) async fn plugin_called(&mut self, call: PluginCall) {
        let PluginCall { id, name, line, outcome } = call;
        let reply = match outcome {
            None => return self.refuse(id, STOPPED.to_owned()),
            // All have registered by now, and none has it.
            Some(Err(CallError::Unknown(_))) => return self.call_template_or_skill(id, &line),
            Some(Err(error)) => return self.refuse(id, error.to_string()),
            Some(Ok(reply)) => reply,
        };
        let Shown { plain, styled } = Shown::read(&self.secrets().mask(reply.text));
        let Some(prompt) = reply.prompt else {
            self.ack(&id);
            let exit = reply.exit;
            let result = RunCommandResult { styled, exit, ..RunCommandResult::new(name, plain) };
            return self.done(id, &result);
        };
        if self.is_busy() {
            return self.refuse(id, BUSY.to_owned());
        }
        if let Some(reason) = words::fault(&prompt, &[]) {
            return self.refuse(id, reason);
        }
        self.tell_all(Some(plain).filter(|text| !text.is_empty()));
        let said = self.said(vec![ContentPart::text(prompt)], None);
        self.begin(id, Input::Prompt(said)).await;
    }
}

/// Returns why a command is refused that nobody but a person may give.
fn persons_own(command: &Command) -> Option<&'static str> {
    match command {
        Command::Trust { .. } => Some(TRUST),
        Command::Prompt { expand: true, .. }
        | Command::Steer { expand: true, .. }
        | Command::FollowUp { expand: true, .. } => Some(EXPAND),
        Command::RunCommand { text } => match commands::read_line(text) {
            Ok(meant) => persons_own(&meant),
            // One that cannot be read is refused with its usage.
            Err(_) if commands::is_command(commands::name_in(text)) => None,
            Err(_) => Some(CALL),
        },
        _ => None,
    }
}

async fn run(hooks: &Hooks, name: &str, arguments: &str) -> Result<RunCommandReply, CallError> {
    hooks.started().await;
    match hooks.run_command(name, arguments).await {
        Some(Ok(reply)) => Ok(reply),
        Some(Err(source)) => Err(CallError::Failed { name: name.to_owned(), source }),
        None => Err(commands::unknown(name).into()),
    }
}

/// Returns the slash commands of plugins that no command of the program hides.
pub(super) fn commands_of(hooks: &Hooks) -> impl Iterator<Item = CommandInfo> {
    let visible = |spec: &CommandSpec| !commands::is_command(&spec.name);
    hooks.commands().into_iter().filter(visible).map(|spec| CommandInfo {
        name: spec.name,
        arguments: spec.usage,
        help: spec.description,
        kind: CommandKind::Command,
    })
}
