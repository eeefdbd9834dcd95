//! Other conversations and other models: what the agent goes on with.
//!
//! Owns the switch: session file, transcript, known files and model change together, or nothing
//! does. Must not know how sessions are kept or models reached.

use super::Actor;
use crate::agent::KeptSession;
use crate::agent::bus::Output;
use crate::agent::turn::Input;
use crate::model::BoundModel;
use crate::session::{Branch, OpenSession, SessionError};
use letscode_wire::{Command, Message, ModelResult, RequestId, SessionResult, Transcript};
use std::sync::Arc;

/// What the conversation goes on with.
enum Change {
    /// Another session.
    Session(OpenSession),
    /// An earlier entry of the same session.
    Branch(Branch),
    /// What is open already.
    Nothing,
}

impl Actor {
    pub(super) async fn change_session(&mut self, id: RequestId, command: Command) {
        if self.sessions.is_none() {
            return self.refuse_without_sessions(id);
        }
        if let Some(reason) = self.reason_to_stay().await {
            return self.refuse(id, reason);
        }
        let Some(kept) = &self.sessions else { return };
        match find_change(kept, &command).await {
            Ok(Change::Session(session)) => {
                self.ack(&id);
                self.open_session(session, &command).await;
            }
            Ok(Change::Branch(branch)) => {
                self.ack(&id);
                if let Some(store) = &self.store {
                    store.continue_behind(branch.last_id);
                }
                self.know_files_of(&branch.transcript);
                self.step(Input::GoTo(branch.transcript)).await;
                self.follow_model(branch.model.as_deref());
            }
            Ok(Change::Nothing) => self.ack(&id),
            Err(error) => return self.refuse(id, error.to_string()),
        }
        let Some(kept) = &self.sessions else { return };
        let result = SessionResult {
            session: kept.manager.describe(&kept.path).await,
            message_count: self.machine.transcript().len(),
            model: self.model.info().name,
        };
        self.done(id, &result);
    }

    async fn open_session(&mut self, session: OpenSession, command: &Command) {
        for warning in session.warnings {
            self.bus.push(Output::Notice(warning));
        }
        if let Some(kept) = &mut self.sessions {
            kept.path = session.path;
        }
        self.store = Some(session.store);
        self.store_failed = false;
        self.know_files_of(&session.transcript);
        self.step(Input::Load(session.transcript)).await;
        self.owed = None;
        if matches!(command, Command::New) {
            self.owe_model();
        } else {
            self.follow_model(session.model.as_deref());
        }
    }

    /// A new session goes on with the model in use, and so it does when it is resumed. It is not
    /// written before there is a message: a session without one must not be left behind.
    fn owe_model(&mut self) {
        self.owed = self.model_to_note();
    }

    /// Returns the message that says which model is in use, unless a session is continued with that
    /// anyway.
    pub(super) fn model_to_note(&mut self) -> Option<Arc<Message>> {
        let name = self.model.info().name;
        let is_noted = self.models.as_ref().is_none_or(|models| models.choose(None) == name);
        (!is_noted).then(|| self.machine.model_change(name))
    }

    fn know_files_of(&self, transcript: &Transcript) {
        self.runner.files.restore(transcript);
    }

    /// Goes on with the model that the session would be continued with.
    fn follow_model(&mut self, session: Option<&str>) {
        let Some(models) = self.models.clone() else { return };
        let name = models.choose(session);
        let current = self.model.info().name;
        if name == current {
            return;
        }
        match models.bind(&name, self.chosen_thinking.as_deref()) {
            Ok(bound) => self.use_model(bound),
            Err(error) => {
                let text = format!("{error}; going on with {current}");
                let text = self.secrets().mask(text).into_owned();
                self.bus.push(Output::Notice(text));
            }
        }
    }

    pub(super) async fn set_model(&mut self, id: RequestId, name: String) {
        if name.trim().is_empty() || name.chars().any(char::is_control) {
            return self.refuse(id, format!("{name:?} cannot be a model's name"));
        }
        let Some(models) = self.models.clone() else { return self.refuse_switch(id) };
        match models.bind(&name, self.chosen_thinking.as_deref()) {
            Ok(bound) => {
                self.ack(&id);
                let is_switch = self.model.info().name != name;
                self.use_model(bound);
                if is_switch {
                    self.step(Input::SwitchModel(name)).await;
                }
                self.done(id, &self.model_result());
            }
            Err(error) => self.refuse(id, error.to_string()),
        }
    }

    pub(super) fn set_thinking(&mut self, id: RequestId, level: String) {
        let Some(models) = self.models.clone() else { return self.refuse_switch(id) };
        match models.bind(&self.model.info().name, Some(&level)) {
            Ok(bound) => {
                self.use_model(bound);
                self.chosen_thinking = Some(level);
                self.answer(id, Ok::<_, String>(self.model_result()));
            }
            Err(error) => self.refuse(id, error.to_string()),
        }
    }

    fn refuse_switch(&mut self, id: RequestId) {
        self.refuse(id, "the model cannot be changed here".to_owned());
    }

    pub(super) fn use_model(&mut self, bound: BoundModel) {
        self.model = Arc::clone(&bound.model);
        self.thinking = bound.thinking;
    }

    fn model_result(&self) -> ModelResult {
        ModelResult { model: self.model.info().name, thinking: self.thinking.clone() }
    }
}

/// Returns what a command goes on with.
async fn find_change(kept: &KeptSession, command: &Command) -> Result<Change, SessionError> {
    let manager = &kept.manager;
    match command {
        Command::New => Ok(Change::Session(manager.create())),
        Command::Fork { entry } => manager.fork(&kept.path, *entry).await.map(Change::Session),
        Command::Clone => manager.fork(&kept.path, None).await.map(Change::Session),
        Command::GoTo { entry } => manager.branch(&kept.path, *entry).await.map(Change::Branch),
        Command::Resume { session } => {
            let path = manager.find(session).await?;
            if path == kept.path {
                return Ok(Change::Nothing);
            }
            manager.resume(&path).await.map(Change::Session)
        }
        _ => Ok(Change::Nothing),
    }
}
