//! Commands: what is refused, what is done at once, what begins a run.
//!
//! Owns the replies. A command that cannot be carried out is answered by one `error`, without an
//! `ack` before it. Must not wait for a model, a tool or, while a run is active, for the disk.

use super::equipping::Pending;
use super::typed::Purpose;
use super::{Actor, words};
use crate::agent::bus::Output;
use crate::agent::turn::{Input, refuse_size};
use crate::commands::{self, Conversation};
use crate::compaction::estimate_prompt;
use crate::session::{Scope, SessionError};
use futures_util::future::BoxFuture;
use letscode_wire::{
    Command, ContentPart, Control, DeleteResult, MessagesResult, NameResult, QueueResult,
    RequestId, RunCommandResult, SessionsResult, StateResult, ToolInfo, ToolSpec, ToolsResult,
    UnqueueResult, text_of,
};
use serde::Serialize;
use serde_json::Value;
use std::fmt::Display;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// What came of a command.
pub(super) struct Reply {
    pub(super) id: RequestId,
    pub(super) outcome: Result<Value, String>,
}

/// A slash command whose result a person reads.
pub(super) struct Called {
    pub(super) id: RequestId,
    pub(super) name: String,
    pub(super) command: Command,
}

const BUSY: &str = "a run is active: wait for its end, or stop it";
const EXPANDING: &str = "an earlier message is still being read: wait for its reply, or stop it";
const NOT_IN_A_COMMAND: &str = "a slash command cannot run another";
const NO_IMAGES: &str = "a slash command takes no images";
const NOTHING_TO_RETRY: &str = "there is nothing to retry: no message waits for an answer";
const NOTHING_TO_COMPACT: &str =
    "there is nothing to compact: the conversation has no more than its newest messages";

impl Actor {
    pub(super) async fn command(&mut self, id: RequestId, command: Command) {
        let text = match command {
            Command::RunCommand { text } => text,
            Command::Prompt { text, images, expand: true } if commands::is_call(&text) => {
                if !images.is_empty() {
                    return self.refuse(id, NO_IMAGES.to_owned());
                }
                text
            }
            Command::Prompt { text, images, expand: true }
                if images.is_empty() && text.starts_with('/') && self.is_plugin_call(&text) =>
            {
                text
            }
            other => return self.carry_out_command(id, other).await,
        };
        self.call(id, &text).await;
    }

    pub(super) async fn carry_out_command(&mut self, id: RequestId, command: Command) {
        if let Some(reason) = self.refusal(&command) {
            return self.refuse(id, reason);
        }
        match command {
            Command::Prompt { text, images, expand: true } => {
                self.expand(id, text, Purpose::Prompt(images));
            }
            Command::Steer { text, expand: true } => self.expand(id, text, Purpose::Steer),
            Command::FollowUp { text, expand: true } => self.expand(id, text, Purpose::FollowUp),
            Command::Prompt { text, images, expand: false } => {
                let typed = self.typing.typed.take();
                let said = self.said(words::content(text, images), typed);
                self.begin(id, Input::Prompt(said)).await;
            }
            Command::Retry => self.begin(id, Input::Retry).await,
            Command::Compact { bias } => self.begin(id, Input::Compact(bias)).await,
            Command::Steer { text, expand: false } => {
                self.apply(id, Input::Steer(vec![ContentPart::text(text)].into())).await;
            }
            Command::FollowUp { text, expand: false } => {
                self.apply(id, Input::FollowUp(vec![ContentPart::text(text)].into())).await;
            }
            Command::Abort => {
                self.stop_expansions();
                self.apply(id, Input::Abort).await;
            }
            Command::Reset => {
                self.runner.files.restore(&[]);
                self.attached.clear();
                self.apply(id, Input::Reset).await;
            }
            // The rest of it is the connection's own business: whoever owns it acts on it.
            Command::Hello { ui, .. } => {
                self.ack(&id);
                if let Some(is_answered) = ui {
                    self.expect_answers(is_answered);
                }
                self.finish(id, None);
            }
            Command::Bye => {
                self.ack(&id);
                self.finish(id, None);
            }
            Command::Commands => self.list_names(id),
            Command::Models
            | Command::Skills
            | Command::Plugins
            | Command::Export { .. }
            | Command::Copy
            | Command::Share
            | Command::Files { .. }
            | Command::History { .. } => self.ask_host(id, command),
            Command::Trust { .. } => self.trust(id, command).await,
            Command::Reload => self.reload(id).await,
            Command::UiResponse { request_id, value } => {
                self.take_answer(id, &request_id, value.unwrap_or_default());
            }
            // Read above; no slash command is another one's name.
            Command::RunCommand { .. } => self.refuse(id, NOT_IN_A_COMMAND.to_owned()),
            Command::State => self.state(id),
            Command::Messages { last } => {
                let transcript = self.machine.transcript();
                let skipped = last.map_or(0, |last| transcript.len().saturating_sub(last));
                let messages = transcript.iter().skip(skipped).cloned().collect();
                self.answer(id, Ok::<_, String>(MessagesResult { messages }));
            }
            Command::Queue => {
                let queues = self.machine.queues();
                let steering = queues.steering().map(text_of).collect();
                let follow_ups = queues.follow_ups().map(text_of).collect();
                self.answer(id, Ok::<_, String>(QueueResult { steering, follow_ups }));
            }
            Command::Unqueue => {
                let content = self.machine.unqueue();
                if let Some(content) = &content {
                    self.take_attached(content);
                }
                let message = content.map(|content| text_of(&content));
                self.answer(id, Ok::<_, String>(UnqueueResult { message }));
            }
            Command::Tools => self.when_equipped(Pending::Tools(id)),
            Command::Usage => self.usage(id),
            Command::Name { .. }
            | Command::Tree
            | Command::Sessions { .. }
            | Command::Search { .. }
            | Command::Rename { .. }
            | Command::Delete { .. } => self.look_up(id, command).await,
            Command::Fork { .. }
            | Command::Clone
            | Command::New
            | Command::Resume { .. }
            | Command::GoTo { .. } => self.change_session(id, command).await,
            Command::SetModel { model } => self.set_model(id, model).await,
            Command::SetThinking { level } => self.set_thinking(id, level),
        }
    }

    /// Returns why a command cannot be carried out now.
    fn refusal(&self, command: &Command) -> Option<String> {
        match command {
            Command::Prompt { .. }
            | Command::Reset
            | Command::Retry
            | Command::Compact { .. }
            | Command::Fork { .. }
            | Command::Clone
            | Command::New
            | Command::Resume { .. }
            | Command::GoTo { .. }
            | Command::SetModel { .. }
            | Command::SetThinking { .. }
            | Command::Reload
                if self.is_busy() =>
            {
                Some(self.busy_reason())
            }
            // What is expanded is measured then.
            Command::Prompt { text, images, expand } => words::fault(text, images)
                .or_else(|| self.refuse_size(text, images.len()).filter(|_| !expand)),
            Command::Steer { text, expand } | Command::FollowUp { text, expand } => {
                words::fault(text, &[]).or_else(|| self.refuse_size(text, 0).filter(|_| !expand))
            }
            Command::Retry if !self.machine.can_retry() => Some(NOTHING_TO_RETRY.to_owned()),
            Command::Compact { .. } if !self.machine.can_compact() => {
                Some(NOTHING_TO_COMPACT.to_owned())
            }
            _ => None,
        }
    }

    /// Returns what keeps a command waiting.
    pub(super) fn busy_reason(&self) -> String {
        if self.machine.is_idle() { EXPANDING.to_owned() } else { BUSY.to_owned() }
    }

    /// Returns why a message is too large for the model's window, if it is.
    pub(super) fn refuse_size(&self, text: &str, images: usize) -> Option<String> {
        refuse_size(estimate_prompt(text, images), self.limits())
    }

    /// Begins what goes on until the machine says that it is over.
    pub(super) async fn begin(&mut self, id: RequestId, input: Input) {
        self.ack(&id);
        self.run_id = Some(id);
        // An abort of an earlier run says nothing about this one.
        self.cancel_tools = CancellationToken::new();
        self.step(input).await;
    }

    /// Does what is done at once.
    pub(super) async fn apply(&mut self, id: RequestId, input: Input) {
        self.ack(&id);
        self.step(input).await;
        self.finish(id, None);
    }

    /// Lets the program around the agent carry a command out. A run goes on meanwhile.
    fn ask_host(&mut self, id: RequestId, command: Command) {
        let host = Arc::clone(&self.host);
        // Who types looks for files and earlier prompts at every key: that reads no session.
        let is_about_it = !matches!(command, Command::Files { .. } | Command::History { .. });
        let session = self.sessions.as_ref().filter(|_| is_about_it);
        let session = session.map(|kept| kept.manager.describe(&kept.path));
        let mut conversation = self.conversation();
        // A plugin that is still starting has yet to say what there is to list.
        let hooks = matches!(command, Command::Plugins | Command::Skills);
        let hooks = hooks.then(|| self.runner.hooks.clone());
        self.defer(id, async move {
            if let Some(hooks) = hooks {
                hooks.started().await;
            }
            if let Some(session) = session {
                conversation.session = Some(session.await);
            }
            host.run(command, conversation).await
        });
    }

    /// Lets the program show or change trust. While no run is active the agent waits for it: a
    /// reload that stands behind it finds it done.
    async fn trust(&mut self, id: RequestId, command: Command) {
        let work = self.host.run(command, self.conversation());
        if self.machine.is_idle() {
            let result = work.await;
            self.answer(id, result);
        } else {
            self.defer(id, work);
        }
    }

    /// Returns what the program is told, but for the session.
    fn conversation(&self) -> Conversation {
        Conversation {
            transcript: self.machine.transcript().clone(),
            session: None,
            model: self.model.info().name,
            usage: self.spent.usage,
        }
    }

    fn state(&mut self, id: RequestId) {
        self.update_limits();
        let info = self.model.info();
        let queues = self.machine.queues();
        let mut state = StateResult {
            busy: self.is_busy(),
            model: info.name,
            thinking: self.thinking.clone(),
            session: None,
            message_count: self.machine.transcript().len(),
            steering: queues.steering().count(),
            follow_ups: queues.follow_ups().count(),
            context_tokens: self.machine.context_tokens(),
            context_window: info.context_window,
            unsaved: self.unsaved(),
        };
        let Some(kept) = &self.sessions else { return self.answer(id, Ok::<_, String>(state)) };
        let session = kept.manager.describe(&kept.path);
        self.defer(id, async move {
            state.session = Some(session.await);
            Ok::<_, SessionError>(state)
        });
    }

    pub(super) fn list_tools(&mut self, id: RequestId) {
        let tool = |spec: &ToolSpec| ToolInfo {
            name: spec.name.clone(),
            description: spec.description.clone(),
        };
        let tools = self.specs.iter().map(tool).collect();
        self.answer(id, Ok::<_, String>(ToolsResult { tools }));
    }

    fn usage(&mut self, id: RequestId) {
        match &self.sessions {
            None => {
                let spent = self.spent.clone();
                self.answer(id, Ok::<_, String>(spent));
            }
            Some(kept) => {
                let usage = kept.manager.usage(&kept.path);
                self.defer(id, usage);
            }
        }
    }

    /// Answers what only the disk knows. A run goes on meanwhile. Which session a number means is
    /// found out before that, since a later command may change the list.
    async fn look_up(&mut self, id: RequestId, command: Command) {
        let Some(kept) = &self.sessions else { return self.refuse_without_sessions(id) };
        let manager = Arc::clone(&kept.manager);
        let open = kept.path.clone();
        match command {
            Command::Name { text: None } => self.defer(id, async move {
                let label = manager.describe(&open).await.label;
                Ok::<_, SessionError>(NameResult { label })
            }),
            Command::Name { text: Some(text) } => self.defer(id, async move {
                let label = manager.label(&open, &text).await?;
                Ok::<_, SessionError>(NameResult { label: Some(label) })
            }),
            Command::Rename { session, text } => match manager.find(&session).await {
                Ok(path) => self.defer(id, async move {
                    let label = manager.label(&path, &text).await?;
                    Ok::<_, SessionError>(NameResult { label: Some(label) })
                }),
                Err(error) => self.refuse(id, error.to_string()),
            },
            Command::Sessions { all } => self.defer(id, async move {
                let sessions = manager.list(Scope::of(all), Some(&open)).await?;
                Ok::<_, SessionError>(SessionsResult { sessions })
            }),
            Command::Search { query, all } => {
                self.defer(id, async move { manager.search(Scope::of(all), &query).await });
            }
            Command::Delete { session } => match manager.find(&session).await {
                Ok(path) if path == open => self.refuse(id, SessionError::IsOpen.to_string()),
                Ok(path) => self.defer(id, async move {
                    let trash = manager.delete(&path).await?.display().to_string();
                    Ok::<_, SessionError>(DeleteResult { trash })
                }),
                Err(error) => self.refuse(id, error.to_string()),
            },
            // Of those that come here, the tree is left.
            _ => self.defer(id, async move { manager.tree(&open).await }),
        }
    }

    pub(super) fn refuse_without_sessions(&mut self, id: RequestId) {
        let reason = "no session is kept (--no-session, or there is no home directory)";
        self.refuse(id, reason.to_owned());
    }

    /// Answers a command when `work` is done.
    pub(super) fn defer<T: Serialize, E: Display>(
        &mut self,
        id: RequestId,
        work: impl Future<Output = Result<T, E>> + Send + 'static,
    ) {
        let reply: BoxFuture<'static, Reply> = Box::pin(async move {
            let result = work.await;
            Reply { id, outcome: result.map(|r| to_value(&r)).map_err(|error| error.to_string()) }
        });
        self.lookups.push(reply);
    }

    /// Answers a command now.
    pub(super) fn answer<T: Serialize, E: Display>(&mut self, id: RequestId, result: Result<T, E>) {
        let outcome = result.map(|r| to_value(&r)).map_err(|error| error.to_string());
        self.reply(Reply { id, outcome });
    }

    pub(super) fn reply(&mut self, reply: Reply) {
        match reply.outcome {
            Ok(result) => {
                self.ack(&reply.id);
                self.finish(reply.id, Some(result));
            }
            Err(error) => self.refuse(reply.id, error),
        }
    }

    /// Ends a command that was acknowledged before.
    pub(super) fn done(&mut self, id: RequestId, result: &impl Serialize) {
        self.finish(id, Some(to_value(result)));
    }

    /// Tells that a command's work is complete; of a slash command, in words.
    pub(super) fn finish(&mut self, id: RequestId, result: Option<Value>) {
        let result = match self.forget_call(&id) {
            Some(Called { name, command, .. }) => {
                let text = commands::render(&command, &result.unwrap_or_default());
                Some(to_value(&RunCommandResult::new(name, text)))
            }
            None => result,
        };
        match self.plugin_behind(&id) {
            // One that does not wait any more needs no answer.
            Some(answer) => drop(answer.send(Ok(result.unwrap_or_default()))),
            None => self.bus.push(Output::Control(Control::Done { id, result })),
        }
    }

    fn forget_call(&mut self, id: &RequestId) -> Option<Called> {
        let place = self.called.iter().position(|called| called.id == *id)?;
        Some(self.called.remove(place))
    }

    pub(super) fn ack(&mut self, id: &RequestId) {
        if self.is_of_plugin(id) {
            return;
        }
        self.bus.push(Output::Control(Control::Ack { id: id.clone() }));
    }

    pub(super) fn refuse(&mut self, id: RequestId, error: String) {
        self.forget_call(&id);
        let error = self.secrets().mask(error).into_owned();
        match self.plugin_behind(&id) {
            Some(answer) => drop(answer.send(Err(error))),
            None => {
                let refusal = Control::Error { id, error, recoverable: true, fatal: false };
                self.bus.push(Output::Control(refusal));
            }
        }
    }
}

/// Results are plain data with text keys: they can always be written.
fn to_value(result: &impl Serialize) -> Value {
    serde_json::to_value(result).unwrap_or_default()
}
