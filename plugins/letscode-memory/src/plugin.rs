//! The memories as a plugin: three slash commands, and what goes to the model with each request.
//!
//! Owns the words that the user and the model read. Must not touch files: the store does.

#[cfg(test)]
mod tests;

use crate::relevance::relevant;
use crate::settings::Settings;
use crate::store::{Memory, Store};
use jiff::Timestamp;
use letscode_plugin::{
    ContentPart, Context, CustomMessage, Error, Message, Meta, Plugin, Transcript, UserMessage,
    text_of, warn,
};
use serde_json::{Map, Value, json};
use std::path::Path;
use std::process::ExitCode;
use std::sync::{Arc, OnceLock};

/// The kind of the custom message that carries memories, and the key of their texts in it.
const KIND: &str = "memory";
const BODIES: &str = "bodies";

/// How many characters of a memory a list shows.
const MOST_SHOWN: usize = 100;

const INTRODUCTION: &str = "Notes that I kept from earlier conversations, for you to know. Where one \
                            of them contradicts what I say in this conversation, follow what I say.";

/// Speaks with the program over stdin and stdout until it is over.
#[expect(clippy::disallowed_methods, reason = "the home directory is looked up here, once")]
pub fn serve() -> ExitCode {
    match std::env::home_dir().filter(|home| home.is_absolute()) {
        Some(home) => plugin(&home).serve(),
        None => {
            warn("no home directory is known, so nothing can be remembered; set HOME");
            ExitCode::FAILURE
        }
    }
}

/// Returns the plugin for the user with this home directory.
fn plugin(home: &Path) -> Plugin {
    let store = Arc::new(Store::of_home(home));
    let [saving, listing, forgetting, injecting] = std::array::from_fn(|_| Arc::clone(&store));
    let settings = OnceLock::new();
    Plugin::new("memory", env!("CARGO_PKG_VERSION"))
        .command("remember", "TEXT", "Keep a note for later conversations", move |text, _| {
            remember(&saving, text)
        })
        .command("memories", "", "List what is remembered", move |_, _| list(&listing))
        .command("forget", "ID", "Remove something that is remembered", move |id, _| {
            forget(&forgetting, id)
        })
        .transform_context(move |messages, context| {
            let settings = settings.get_or_init(|| settings_of(context));
            Ok(with_memories(messages, &injecting, settings))
        })
        .render_custom_message(&[KIND], |message, _| Ok(rendered(message)))
}

/// Returns what the program's configuration says; the defaults, with a warning, where that makes no
/// sense.
fn settings_of(context: &Context) -> Settings {
    context.config().unwrap_or_else(|error| {
        warn(&format!("[memory] is left out: {error}"));
        Settings::default()
    })
}

fn remember(store: &Store, text: &str) -> Result<String, Error> {
    if text.trim().is_empty() {
        return Err(Error::new("say what to remember: /remember TEXT"));
    }
    let id = store.save(text, Timestamp::now())?;
    Ok(format!("Remembered as {id}."))
}

fn list(store: &Store) -> Result<String, Error> {
    let mut lines: Vec<String> = store.memories()?.map(|memory| line(&memory)).collect();
    if lines.is_empty() {
        return Ok("Nothing is remembered yet; /remember TEXT keeps something.".to_owned());
    }
    lines.push("/forget ID removes one.".to_owned());
    Ok(lines.join("\n"))
}

fn line(Memory { id, text }: &Memory) -> String {
    match text {
        Ok(text) => {
            let first = text.lines().next().unwrap_or_default();
            let shown: String = first.chars().take(MOST_SHOWN).collect();
            let more = if shown.len() < text.len() { " …" } else { "" };
            format!("{id}  {shown}{more}")
        }
        Err(reason) => format!("{id}  (left out: {reason})"),
    }
}

fn forget(store: &Store, id: &str) -> Result<String, Error> {
    let id = id.trim();
    if id.is_empty() {
        return Err(Error::new("say which: /forget ID; /memories lists them"));
    }
    store.forget(id)?;
    Ok(format!("Forgot {id}."))
}

/// Returns the messages with the memories among them; `None` where there are none to add.
///
/// All memories stand in front, where they stay the same from request to request and providers
/// can keep what they have computed. A choice by relevance changes with the user's message, so it
/// stands right before that one, and what is older stays as it was.
fn with_memories(
    mut messages: Transcript,
    store: &Store,
    settings: &Settings,
) -> Option<Transcript> {
    // A folder that cannot be read must not fail a turn; `/memories` tells of it.
    let texts = store.memories().ok()?.filter_map(|memory| memory.text.ok());
    let newest: Vec<String> = texts.take(settings.inject_limit).collect();
    if newest.is_empty() {
        return None;
    }
    let (place, bodies) = if settings.relevance {
        let (place, question) = newest_question(&messages)?;
        (place, relevant(newest, &question, settings.relevance_top_n))
    } else {
        (0, newest)
    };
    let message = carrier(&bodies);
    // Another plugin that reads the same folder may have been first.
    let is_there = messages.iter().filter_map(|message| message.as_custom()).any(|other| {
        other.kind == message.kind && other.payload.get(BODIES) == message.payload.get(BODIES)
    });
    if bodies.is_empty() || is_there {
        return None;
    }
    messages.insert(place, Arc::new(Message::Custom(message)));
    Some(messages)
}

/// Returns the newest message of the user's, and its place.
fn newest_question(messages: &Transcript) -> Option<(usize, String)> {
    messages.iter().enumerate().rev().find_map(|(place, message)| match &**message {
        Message::User(user) => Some((place, text_of(&user.content))),
        Message::Assistant(_) | Message::Tool(_) | Message::Custom(_) => None,
    })
}

fn carrier(bodies: &[String]) -> CustomMessage {
    let now = Timestamp::now().as_millisecond() as f64 / 1000.0;
    CustomMessage {
        id: "memory".into(),
        kind: KIND.to_owned(),
        payload: Map::from_iter([(BODIES.to_owned(), json!(bodies))]),
        timestamp: now,
        meta: Meta::from_iter([("source".to_owned(), json!("letscode-memory"))]),
    }
}

/// Returns what the model reads in place of a custom message with memories.
fn rendered(message: CustomMessage) -> Option<Message> {
    let bodies = message.payload.get(BODIES).and_then(Value::as_array)?;
    let mut text = format!("{INTRODUCTION}\n");
    for body in bodies.iter().filter_map(Value::as_str) {
        // Further lines of a memory stay within its item.
        text.push_str(&format!("\n- {}", body.replace('\n', "\n  ")));
    }
    Some(Message::User(UserMessage {
        id: message.id,
        content: vec![ContentPart::text(text)],
        timestamp: message.timestamp,
        meta: message.meta,
    }))
}
