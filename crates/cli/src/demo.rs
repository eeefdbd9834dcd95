//! The built-in demo model: a scripted guide that needs no network and no key.
//!
//! Owns the script. It really calls the tools, so that a newcomer, a test or a recording sees the
//! whole program at work, and it says that it is a demo. Must not touch anything itself, and
//! writes only below the system's folder for temporary files.

use futures_util::stream;
use letscode_core::model::{Answer, Model, ModelEvent, ModelInfo, ModelRequest, ModelStream};
use letscode_wire::{
    ContentPart, Message, Meta, StopReason, StreamEvent, ToolCall, ToolCallId, Transcript, text_of,
};
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};

/// The name that `--model` takes.
pub(crate) const DEMO_MODEL: &str = "demo";

/// The files that the guide likes to read, best first.
const WELCOME_FILES: [&str; 5] =
    ["README.md", "README", "Cargo.toml", "package.json", "pyproject.toml"];

/// The scripted guide.
pub(crate) struct DemoModel {
    info: ModelInfo,
    scratch: PathBuf,
}

impl DemoModel {
    /// Returns a guide that edits its scratch file in a folder of its own below `temporary`.
    pub(crate) fn new(temporary: &Path) -> Self {
        let folder = format!("letscode-demo-{}", uuid::Uuid::new_v4().simple());
        let info = ModelInfo { name: DEMO_MODEL.to_owned(), context_window: None, vision: false };
        Self { info, scratch: temporary.join(folder).join("notes.txt") }
    }

    /// Returns what the guide says and does after `done` steps of this run.
    fn step(&self, done: usize, request: &ModelRequest) -> (String, Option<(&'static str, Value)>) {
        let scratch = self.scratch.display().to_string();
        let has = |name: &str| request.tools.iter().any(|tool| tool.name == name);
        if !["bash", "read", "write", "edit"].into_iter().all(has) {
            let text = "This is the demo model of letscode. It shows the tools at work, and some of \
                        them are switched off here, so there is nothing more to show.";
            return (text.to_owned(), None);
        }
        match done {
            0 => (
                "This is the demo model of letscode: a script, not an intelligence. It needs no key \
                 and no network, but the tools it calls are real. First, what is in this folder?"
                    .to_owned(),
                Some(("bash", json!({ "command": "ls" }))),
            ),
            1 => match welcome_file(&last_result(&request.messages)) {
                Some(name) => (
                    format!("Let me look into {name}."),
                    Some(("read", json!({ "path": name, "limit": 12 }))),
                ),
                None => (
                    "No file here that I would know how to introduce. Let me see where we are."
                        .to_owned(),
                    Some(("bash", json!({ "command": "pwd" }))),
                ),
            },
            2 => (
                "Now a scratch file in the folder for temporary files, so that nothing of yours is \
                 touched."
                    .to_owned(),
                Some(("write", json!({ "path": scratch, "content": "one\ntwo\n" }))),
            ),
            3 => (
                "A small edit in it:".to_owned(),
                Some((
                    "edit",
                    json!({ "path": scratch, "old_string": "two", "new_string": "2, edited" }),
                )),
            ),
            4 => {
                let folder = self.scratch.parent().unwrap_or(&self.scratch).display().to_string();
                let command =
                    format!("cat {} && rm -r {}", shell_quoted(&scratch), shell_quoted(&folder));
                ("And a command that shows it and cleans up:".to_owned(), Some(("bash", json!({ "command": command }))))
            }
            _ => (
                "That was the whole tour of the demo: list, read, write, edit, run. With a real model, give it a \
                 task instead: set a provider's key (or the base URL of a local server) and name a \
                 model with --model."
                    .to_owned(),
                None,
            ),
        }
    }
}

impl Model for DemoModel {
    fn info(&self) -> ModelInfo {
        self.info.clone()
    }

    fn stream(&self, request: ModelRequest) -> ModelStream {
        let done = steps_since_prompt(&request.messages);
        let (text, call) = self.step(done, &request);
        let mut events: Vec<StreamEvent> = text
            .split_inclusive(' ')
            .map(|word| StreamEvent::TextDelta { delta: word.to_owned() })
            .collect();
        let stop = if call.is_some() { StopReason::ToolCalls } else { StopReason::EndTurn };
        let tool_calls: Vec<ToolCall> = call
            .map(|(name, arguments)| demo_call(request.messages.len(), name, arguments))
            .into_iter()
            .collect();
        for call in &tool_calls {
            let tool_call_id = call.id.clone();
            let delta = Value::Object(call.arguments.clone()).to_string();
            events.push(StreamEvent::ToolCallStart {
                tool_call_id: tool_call_id.clone(),
                name: call.name.clone(),
            });
            events
                .push(StreamEvent::ToolCallArgsDelta { tool_call_id: tool_call_id.clone(), delta });
            events.push(StreamEvent::ToolCallEnd { tool_call_id });
        }
        events.push(StreamEvent::Stop { reason: stop });
        let answer = Answer {
            content: vec![ContentPart::text(text)],
            tool_calls,
            rejected: Vec::new(),
            stop_reason: Some(stop),
            usage: None,
            meta: Meta::new(),
        };
        let done = std::iter::once(ModelEvent::Done(Box::new(answer)));
        Box::pin(stream::iter(events.into_iter().map(ModelEvent::Stream).chain(done).map(Ok)))
    }
}

fn demo_call(place: usize, name: &str, arguments: Value) -> ToolCall {
    let arguments = match arguments {
        Value::Object(arguments) => arguments,
        _ => Map::new(),
    };
    // The place in the conversation makes the id unique in it.
    ToolCall { id: ToolCallId::from(format!("demo_{place}")), name: name.to_owned(), arguments }
}

/// Returns how many answers the guide gave since the user's last message.
fn steps_since_prompt(messages: &Transcript) -> usize {
    let run = messages.iter().rev().take_while(|message| !matches!(***message, Message::User(_)));
    run.filter(|message| message.as_assistant().is_some()).count()
}

fn last_result(messages: &Transcript) -> String {
    messages.iter().rev().find_map(|m| m.as_tool()).map(|r| text_of(&r.content)).unwrap_or_default()
}

/// Returns the file of a listing that is best read first.
fn welcome_file(listing: &str) -> Option<&str> {
    let is_listed = |name: &str| listing.lines().any(|line| line == name);
    let known = WELCOME_FILES.into_iter().find(|name| is_listed(name));
    let is_text = |name: &&str| {
        [".md", ".txt", ".toml", ".py", ".rs", ".js", ".json"].iter().any(|end| name.ends_with(end))
    };
    known.or_else(|| listing.lines().find(is_text))
}

fn shell_quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}
