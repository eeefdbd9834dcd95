//! The label beside a session: one line by which a person knows it again.
//!
//! Owns the `.name` file: reading it, and writing it once. Must not decide what to show for a
//! session without one.
#![expect(clippy::disallowed_methods, reason = "this file owns the labels of sessions on disk")]

use super::load::open_regular;
use super::store::folder_builder;
use letscode_wire::{ContentPart, Message, UserMessage};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// The longest label that is made of a message, in characters.
const LABEL_LENGTH: usize = 60;

/// How much of a `.name` file is read, in bytes.
const LABEL_FILE_CAP: u64 = 1024;

/// Returns the label that was given to a session, if there is one.
pub(super) fn read_label(session: &Path) -> Option<String> {
    let file = open_regular(&label_path(session)).ok()?;
    let mut bytes = Vec::new();
    file.take(LABEL_FILE_CAP).read_to_end(&mut bytes).ok()?;
    first_words(&String::from_utf8_lossy(&bytes))
}

/// Returns the label that a user's message makes: the first words of what was typed.
pub(super) fn label_of(message: &Message) -> Option<String> {
    let Message::User(message) = message else { return None };
    message.typed().and_then(first_words).or_else(|| first_text(message))
}

fn first_text(message: &UserMessage) -> Option<String> {
    message.content.iter().find_map(|part| match part {
        ContentPart::Text { text } => first_words(text),
        ContentPart::Image { .. } => None,
    })
}

/// Gives a session its label, unless it has one. A reader sees all of it or nothing.
pub(super) fn write_label_once(session: &Path, label: &str) -> io::Result<()> {
    let path = label_path(session);
    if path.exists() {
        return Ok(());
    }
    let mut file = NamedTempFile::new_in(session.parent().unwrap_or(Path::new(".")))?;
    file.write_all(label.as_bytes())?;
    match file.persist_noclobber(&path) {
        Ok(_) => Ok(()),
        Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error.error),
    }
}

/// Gives a session another label and returns what is kept of it, or `None` if there is no word
/// in `text`. A reader sees all of the old one or of the new.
pub(super) fn write_label(session: &Path, text: &str) -> io::Result<Option<String>> {
    let Some(label) = first_words(text) else { return Ok(None) };
    let folder = session.parent().unwrap_or(Path::new("."));
    folder_builder().create(folder)?;
    let mut file = NamedTempFile::new_in(folder)?;
    file.write_all(label.as_bytes())?;
    file.persist(label_path(session)).map_err(|error| error.error)?;
    Ok(Some(label))
}

pub(super) fn label_path(session: &Path) -> PathBuf {
    session.with_extension("name")
}

/// Returns as many whole words as a label may have, on one line; of a first word that is too
/// long, its beginning. `None` if there is no word.
fn first_words(text: &str) -> Option<String> {
    let mut label = String::new();
    let mut length = 0;
    for word in text.split(|c: char| c.is_whitespace() || c.is_control()) {
        let word_length = word.chars().take(LABEL_LENGTH + 1).count();
        if word_length == 0 {
            continue;
        }
        if length == 0 {
            label.extend(word.chars().take(LABEL_LENGTH));
            length = word_length.min(LABEL_LENGTH);
        } else if length + 1 + word_length <= LABEL_LENGTH {
            label.push(' ');
            label.push_str(word);
            length += 1 + word_length;
        } else {
            break;
        }
    }
    (length > 0).then_some(label)
}

#[cfg(test)]
mod tests;
