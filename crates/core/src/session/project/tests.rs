//! The sessions of a project over a folder of files.

use super::*;
use crate::session::SessionStore;
use crate::session::tests::{chain, user};
use letscode_wire::{ContentPart, CustomKind, Message};
use std::sync::Arc;
use tempfile::TempDir;

fn texts(transcript: &[Arc<Message>]) -> Vec<String> {
    transcript.iter().map(|message| letscode_wire::text_of(message.content())).collect()
}

fn message(id: &str, text: &str) -> Arc<Message> {
    let mut message = user(id);
    if let Message::User(user) = &mut message {
        user.content = vec![ContentPart::text(text)];
    }
    Arc::new(message)
}

async fn session_of(project: &ProjectSessions, said: &[(&str, &str)]) -> OpenSession {
    let session = project.create();
    for (id, text) in said {
        session.store.append(message(id, text)).await.unwrap();
    }
    session
}
