//! Resources that the user's messages name, put behind these messages.
//!
//! Owns what was read: a message keeps what it was first given, so that what the model has seen
//! stays the same. Must not change the transcript itself.

use super::Bridge;
use crate::content;
use crate::mentions::{self, Mention};
use letscode_wire::{ContentPart, Message, MessageId, Transcript, UserMessage, text_of};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How many messages' resources are kept.
const MOST_MESSAGES: usize = 200;

/// The program waits ten seconds for all that a request needs.
const READ_LIMIT: Duration = Duration::from_secs(8);

/// What was read for messages that are still in the transcript.
#[derive(Default)]
pub(super) struct Mentioned {
    read: Mutex<BTreeMap<MessageId, Vec<ContentPart>>>,
}

impl Bridge {
    /// Returns the transcript with the resources that it names; `None` where it names none.
    pub(crate) async fn with_resources(&self, transcript: &Transcript) -> Option<Transcript> {
        let mut changed: Option<Transcript> = None;
        for (at, message) in transcript.iter().enumerate() {
            let Message::User(user) = message.as_ref() else { continue };
            let found = mentions::find(&text_of(&user.content), |name| self.server(name).is_some());
            if found.is_empty() {
                continue;
            }
            let parts = self.read_once(user, &found).await;
            let mut with = user.clone();
            with.content.extend(parts);
            let changed = changed.get_or_insert_with(|| transcript.clone());
            if let Some(place) = changed.get_mut(at) {
                *place = Arc::new(Message::User(with));
            }
        }
        changed
    }

    async fn read_once(&self, user: &UserMessage, found: &[Mention]) -> Vec<ContentPart> {
        let known = {
            let read = self.mentioned.read.lock().unwrap_or_else(PoisonError::into_inner);
            read.get(&user.id).cloned()
        };
        if let Some(parts) = known {
            return parts;
        }
        let mut parts = Vec::new();
        for mention in found {
            let reading = self.read_resource(mention);
            let read = tokio::time::timeout(READ_LIMIT, reading).await;
            parts.extend(read.unwrap_or_else(|_| unread(mention, "no answer in time")));
        }
        let mut read = self.mentioned.read.lock().unwrap_or_else(PoisonError::into_inner);
        if read.len() >= MOST_MESSAGES {
            read.pop_first();
        }
        read.insert(user.id.clone(), parts.clone());
        parts
    }

    async fn read_resource(&self, mention: &Mention) -> Vec<ContentPart> {
        let Mention { server, uri } = mention;
        let note = |reason: &str| unread(mention, reason);
        let Some(server) = self.server(server) else { return note("there is no such server") };
        let link = match server.link().await {
            Ok(link) => link,
            Err(reason) => return note(&reason),
        };
        match link.read_resource(uri).await {
            Ok(result) => {
                let parts = result.contents.into_iter().map(content::resource_part).collect();
                content::bounded(parts, &server.settings().masks)
            }
            Err(error) => note(&server.words(&error)),
        }
    }
}

fn unread(mention: &Mention, reason: &str) -> Vec<ContentPart> {
    let Mention { server, uri } = mention;
    vec![ContentPart::text(format!("[resource {server}:{uri} cannot be read: {reason}]"))]
}
