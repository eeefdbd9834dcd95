//! What goes to the session's file, and what becomes of messages that do not get there.
//!
//! Owns the words about a disk that refuses, and the restoring of a session that others deleted.
//! While messages are unsaved no command may leave their session. Must not know files.

use super::Actor;
use crate::agent::bus::Output;
use crate::secrets::Secrets;
use crate::session::SessionError;
use letscode_wire::{Message, Transcript};
use std::sync::Arc;

impl Actor {
    pub(super) async fn keep(&mut self, message: Arc<Message>) {
        self.know_attached(&message);
        if let Some(owed) = self.owed.take() {
            self.append(owed).await;
        }
        self.append(message).await;
    }

    async fn append(&mut self, message: Arc<Message>) {
        let message = without_keys(message, self.secrets());
        let Some(store) = &self.store else { return };
        match store.append(message).await {
            Ok(()) => self.store_failed = false,
            // The conversation is whole only when the step is over.
            Err(SessionError::Lost { .. }) => self.session_lost = true,
            Err(error) => self.note_failure(&error),
        }
    }

    /// Writes the conversation anew where an append found that the session was lost.
    pub(super) async fn restore_where_lost(&mut self) {
        if !std::mem::take(&mut self.session_lost) {
            return;
        }
        if let Err(error) = self.restore().await {
            self.note_failure(&error);
        }
    }

    /// Returns why the session cannot be left now: it has messages that cannot be saved.
    pub(super) async fn reason_to_stay(&mut self) -> Option<String> {
        let error = self.save().await.err()?;
        let (count, verb) = counted(self.unsaved())?;
        let reason = short(&error);
        Some(format!(
            "{count} of the open session {verb} not saved ({reason}): free space and try again, or \
             end the program, which tries once more"
        ))
    }

    /// Tries once more to write what is not on disk, and says what is lost with the program.
    pub(super) async fn save_at_the_end(&mut self) {
        if self.unsaved() == 0 {
            return;
        }
        let Err(error) = self.save().await else { return };
        let Some((count, verb)) = counted(self.unsaved()) else { return };
        let id = self.sessions.as_ref().and_then(|kept| kept.path.file_stem());
        let id = id.unwrap_or_default().to_string_lossy();
        let text = format!("{count} of session {id} {verb} not saved: {}", short(&error));
        self.bus.push(Output::Notice(text));
        self.bus.flush();
    }

    /// Returns how many messages are not on disk.
    pub(super) fn unsaved(&self) -> usize {
        self.store.as_ref().map_or(0, |store| store.unsaved())
    }

    async fn save(&mut self) -> Result<(), SessionError> {
        let Some(store) = &self.store else { return Ok(()) };
        match store.save().await {
            Ok(()) => self.store_failed = false,
            Err(SessionError::Lost { .. }) => return self.restore().await,
            Err(error) => return Err(error),
        }
        Ok(())
    }

    async fn restore(&mut self) -> Result<(), SessionError> {
        let model = self.model_to_note();
        let messages = model.into_iter().chain(self.machine.transcript().iter().cloned());
        let conversation: Transcript =
            messages.map(|message| without_keys(message, self.secrets())).collect();
        let Some(store) = &self.store else { return Ok(()) };
        store.restore(conversation).await?;
        self.store_failed = false;
        let text = "the session's file was deleted, cut or replaced by somebody else; \
                    the conversation was written to it anew";
        self.bus.push(Output::Notice(text.to_owned()));
        Ok(())
    }

    /// Says that the session cannot be written, once there is nothing else to take in: where the
    /// program is about to end there is a last word on it instead.
    pub(super) fn tell_store_failure(&mut self) {
        if !self.inbox.is_empty() {
            return;
        }
        if let Some(text) = self.store_failure.take().filter(|_| !self.closing) {
            self.bus.push(Output::Notice(text));
        }
    }

    /// Notes a failure that is to be told once.
    fn note_failure(&mut self, error: &SessionError) {
        if !std::mem::replace(&mut self.store_failed, true) {
            self.store_failure = Some(format!("{error}; going on, and trying again later"));
        }
    }
}

/// Returns a number of messages in words and the verb that goes with it; nothing for none.
fn counted(count: usize) -> Option<(String, &'static str)> {
    match count {
        0 => None,
        1 => Some(("1 message".to_owned(), "is")),
        _ => Some((format!("{count} messages"), "are")),
    }
}

/// Returns what the system says, where it is the system that refuses.
fn short(error: &SessionError) -> String {
    match error {
        SessionError::Io { source, .. } => source.to_string(),
        other => other.to_string(),
    }
}

/// Returns the message with keys masked; the same one where it holds none.
fn without_keys(message: Arc<Message>, secrets: &Secrets) -> Arc<Message> {
    let Ok(text) = serde_json::to_vec(&*message) else { return message };
    if !secrets.are_in(&text) {
        return message;
    }
    let Ok(mut value) = serde_json::to_value(&*message) else { return message };
    secrets.mask_value(&mut value);
    serde_json::from_value(value).map_or(message, Arc::new)
}
