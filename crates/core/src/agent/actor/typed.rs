//! What a person typed, expanded beside whatever else goes on.
//!
//! Owns the expansions under way and what becomes of each: a run, a queued message, or nothing
//! more. Replies come when an expansion is over, in the order in which the texts came; an abort
//! ends them all at once. Must not read the notations: `input` does.

use super::{Actor, words};
use crate::agent::bus::Output;
use crate::agent::queue::Said;
use crate::agent::turn::Input;
use crate::commands::COMMANDS;
use crate::input::{Context, Expanded, InputError, ShownFile, expand_call, expand_with_templates};
use crate::tools::TYPED_TIMEOUT;
use letscode_wire::{ContentPart, ImageData, Message, RequestId, RunCommandResult, text_of};
use std::sync::Arc;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

const STOPPED: &str = "stopped before it was sent";
const NOT_QUEUED: &str = "a slash command cannot be queued: send it by itself";

/// What a typed text is for.
pub(super) enum Purpose {
    /// It begins a run, with these pictures.
    Prompt(Vec<ImageData>),
    /// It names a template or a skill, which begins a run.
    Call,
    /// It waits for the next answer without calls.
    Steer,
    /// It waits for the end of the run.
    FollowUp,
}

/// A message with files, on its way to the conversation.
pub(super) struct Attached {
    /// The message's text, which holds theirs.
    text: String,
    files: Vec<ShownFile>,
}

/// An expansion that is over.
pub(super) struct Expansion {
    id: RequestId,
    purpose: Purpose,
    /// What was typed.
    typed: String,
    /// `None` where an abort came before its end.
    outcome: Option<Result<Expanded, InputError>>,
    /// What is wrong with the templates, a line each.
    warnings: Vec<String>,
    /// Tells an abort that came since.
    stop: CancellationToken,
}

impl Actor {
    /// Begins to expand a text. The agent is busy until that is over.
    pub(super) fn expand(&mut self, id: RequestId, text: String, purpose: Purpose) {
        if text.starts_with('!') {
            // A command that was typed may be silent for as long as a tool's.
            let until = Instant::now() + TYPED_TIMEOUT;
            self.status.send_modify(|status| {
                status.silent_until = status.silent_until.max(Some(until));
            });
        }
        let env = Arc::clone(&self.runner.env);
        let aids = self.typing.clone();
        let vision = self.model.info().vision;
        let cancel = self.stop_expansions.clone();
        let hooks = self.runner.hooks.clone();
        self.expansions.push_back(Box::pin(async move {
            if text.starts_with('/') {
                // Whether a name is a plugin's is known when all have registered.
                let _ = cancel.run_until_cancelled(hooks.started()).await;
            }
            let of_plugins = hooks.commands();
            let own = COMMANDS.iter().map(|command| command.name);
            let names: Vec<&str> =
                own.chain(of_plugins.iter().map(|command| command.name.as_str())).collect();
            let context = Context {
                env: &env,
                home: aids.home.as_deref(),
                commands: &names,
                skills: &aids.skills,
                templates: &[],
                vision,
                cancel: cancel.clone(),
            };
            // Letting go of a command ends it; a read of the disk may hang, and is left to itself.
            let expanding = async {
                match purpose {
                    Purpose::Call => expand_call(&text, context).await,
                    Purpose::Prompt(_) | Purpose::Steer | Purpose::FollowUp => {
                        expand_with_templates(&text, context).await
                    }
                }
            };
            let expanded = cancel.run_until_cancelled(expanding).await;
            let (outcome, warnings) = match expanded {
                Some((outcome, warnings)) => (Some(outcome), warnings),
                None => (None, Vec::new()),
            };
            Expansion { id, purpose, typed: text, outcome, warnings, stop: cancel }
        }));
        self.tell_status();
    }

    /// Ends all expansions under way.
    pub(super) fn stop_expansions(&mut self) {
        std::mem::replace(&mut self.stop_expansions, CancellationToken::new()).cancel();
    }

    /// Goes on with what a typed text turned out to be.
    pub(super) async fn expanded(&mut self, expansion: Expansion) {
        let Expansion { id, purpose, typed, outcome, warnings, stop } = expansion;
        self.warn_once(warnings);
        // A command that was ended has an output like any other: it must not be sent.
        match outcome.filter(|_| !stop.is_cancelled()) {
            None => self.refuse(id, STOPPED.to_owned()),
            Some(Err(error)) => self.refuse(id, error.to_string()),
            Some(Ok(Expanded::Command { name, arguments }))
                if matches!(purpose, Purpose::Prompt(_)) =>
            {
                self.call_plugin(id, &format!("{name} {arguments}"));
            }
            Some(Ok(Expanded::Command { .. })) => self.refuse(id, NOT_QUEUED.to_owned()),
            Some(Ok(Expanded::Silent { command, output, exit_code })) => {
                let mask = |text: String| self.secrets().mask(text).into_owned();
                let (command, text) = (mask(command), mask(output));
                self.answer(
                    id,
                    Ok::<_, String>(RunCommandResult {
                        exit_code,
                        ..RunCommandResult::new(command, text)
                    }),
                );
            }
            Some(Ok(Expanded::Prompt { content, notices, files })) => {
                self.tell_all(notices);
                let content = self.content_without_keys(content);
                let said = self.said(content, Some(typed));
                self.send_expanded(id, said, files, purpose).await;
            }
        }
        self.tell_status();
    }

    async fn send_expanded(
        &mut self,
        id: RequestId,
        said: Said,
        files: Vec<ShownFile>,
        purpose: Purpose,
    ) {
        let text = text_of(&said.content);
        // A template may be empty.
        if let Some(reason) = words::fault(&text, &[]) {
            return self.refuse(id, reason);
        }
        let given = if let Purpose::Prompt(images) = &purpose { images.len() } else { 0 };
        let is_picture = |part: &&ContentPart| matches!(part, ContentPart::Image { .. });
        let pictures = given + said.content.iter().filter(is_picture).count();
        if let Some(reason) = self.refuse_size(&text, pictures) {
            return self.refuse(id, reason);
        }
        if !files.is_empty() {
            self.attached.push(Attached { text, files });
        }
        match purpose {
            // Not asked before: an unknown name is told at any time.
            Purpose::Call if !self.machine.is_idle() => {
                self.take_attached(&said.content);
                self.refuse(id, self.busy_reason());
            }
            Purpose::Call => self.begin(id, Input::Prompt(said)).await,
            Purpose::Prompt(images) => {
                let content = said.content.into_iter().chain(words::pictures(images)).collect();
                self.begin(id, Input::Prompt(Said { content, ..said })).await;
            }
            Purpose::Steer => self.apply(id, Input::Steer(said)).await,
            Purpose::FollowUp => self.apply(id, Input::FollowUp(said)).await,
        }
    }

    /// Lets the files that go with a message of the user's count as read: the model sees them from
    /// now on, and not before, since the message may have been queued.
    pub(super) fn know_attached(&mut self, message: &Message) {
        let Message::User(message) = message else { return };
        let Some(attached) = self.take_attached(&message.content) else { return };
        for file in attached.files {
            self.runner.files.record(&file.path, file.fingerprint);
        }
    }

    /// Takes out what goes with a message that is on its way no more.
    pub(super) fn take_attached(&mut self, content: &[ContentPart]) -> Option<Attached> {
        if self.attached.is_empty() {
            return None;
        }
        let text = text_of(content);
        let place = self.attached.iter().position(|attached| attached.text == text)?;
        Some(self.attached.swap_remove(place))
    }

    /// Tells what is wrong with templates, each thing once.
    pub(super) fn warn_once(&mut self, warnings: Vec<String>) {
        let new = |warning: &String| self.warned.insert(warning.clone());
        let warnings = warnings.into_iter().filter(new).collect::<Vec<_>>();
        self.tell_all(warnings);
    }

    /// Tells the clients what the person should know.
    pub(super) fn tell_all(&mut self, notices: impl IntoIterator<Item = String>) {
        for notice in notices {
            let notice = self.secrets().mask(notice).into_owned();
            self.bus.push(Output::Notice(notice));
        }
    }

    /// Returns what the user says. What was typed goes with it only where something became of it.
    pub(super) fn said(&self, content: Vec<ContentPart>, typed: Option<String>) -> Said {
        let text = text_of(&content);
        let typed = typed.filter(|typed| typed.trim() != text.trim());
        let typed = typed.map(|typed| self.secrets().mask(typed).into_owned());
        Said { content, typed }
    }

    /// Masks keys: what a file or a command says goes to the model as the results of tools do.
    fn content_without_keys(&self, content: Vec<ContentPart>) -> Vec<ContentPart> {
        let masked = content.into_iter().map(|part| match part {
            ContentPart::Text { text } => ContentPart::text(self.secrets().mask(text).into_owned()),
            image @ ContentPart::Image { .. } => image,
        });
        masked.collect()
    }
}
