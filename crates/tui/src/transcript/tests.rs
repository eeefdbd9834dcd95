//! Conversations as rows: the scene that the tests below play in.

mod conversation;

mod answers;

mod thinking;

mod tool_calls;

mod entries;

mod recap;

mod foreign;

use super::*;
use letscode_wire::{
    AssistantMessage, CustomMessage, Meta, Partial, RetryNotice, ToolCall, ToolMessage,
};
use serde_json::{Map, Value, json};
use std::sync::Arc;
use std::time::Duration;

/// A conversation whose clock the test moves.
struct Scene {
    transcript: Transcript,
    now: Instant,
}

impl Scene {
    fn new() -> Self {
        let mut scene = Self { transcript: Transcript::new(), now: Instant::now() };
        scene.event(Event::AgentStart { messages: Vec::new() });
        scene
    }

    #[expect(clippy::needless_pass_by_value, reason = "reads better at the many calls")]
    fn event(&mut self, event: Event) {
        self.transcript.event(&event, self.now);
    }

    fn wait(&mut self, seconds: u64) {
        self.now += Duration::from_secs(seconds);
    }

    fn message(&mut self, message: Message) {
        let message = Arc::new(message);
        self.event(Event::MessageStart { message: Arc::clone(&message) });
        self.event(Event::MessageEnd { message });
    }

    fn piece(&mut self, stream_event: StreamEvent) {
        self.event(Event::MessageUpdate { message: None, stream_event });
    }

    fn begin_answer(&mut self) {
        self.event(Event::MessageStart { message: Arc::new(answer("", None)) });
    }

    fn says(&mut self, text: &str) {
        self.begin_answer();
        for piece in text.split_inclusive(' ') {
            self.piece(StreamEvent::TextDelta { delta: piece.to_owned() });
        }
        self.event(Event::MessageEnd {
            message: Arc::new(answer(text, Some(StopReason::EndTurn))),
        });
    }

    fn thinks(&mut self, text: &str) {
        self.piece(StreamEvent::ThinkingDelta { delta: text.to_owned() });
    }

    fn calls(&mut self, id: &str, name: &str, arguments: Value) {
        let Value::Object(arguments) = arguments else { panic!("no object") };
        let tool_name = name.to_owned();
        self.event(Event::ToolExecutionStart { tool_call_id: id.into(), tool_name, arguments });
    }

    fn gives(&mut self, id: &str, text: &str, is_error: bool, details: Value) {
        let result = Arc::new(result(id, text, is_error, details));
        self.event(Event::ToolExecutionEnd { tool_call_id: id.into(), result });
    }

    fn ends(&mut self, error: Option<&str>, aborted: bool) {
        let error = error.map(str::to_owned);
        self.event(Event::AgentEnd { messages: Vec::new(), error, aborted });
    }

    fn rows(&mut self, columns: usize) -> String {
        self.transcript.take_finished(columns).iter().map(|row| row.text() + "\n").collect()
    }

    fn live(&self, columns: usize, max_rows: usize) -> String {
        let rows = self.transcript.live(columns, max_rows, self.now);
        rows.iter().map(|row| row.text() + "\n").collect()
    }
}

fn user(text: &str) -> Message {
    let content = vec![ContentPart::text(text)];
    Message::User(UserMessage { id: "u".into(), content, timestamp: 0.0, meta: Meta::new() })
}

fn answer(text: &str, stop_reason: Option<StopReason>) -> Message {
    Message::Assistant(AssistantMessage {
        id: "a".into(),
        content: if text.is_empty() { Vec::new() } else { vec![ContentPart::text(text)] },
        tool_calls: Vec::new(),
        timestamp: 0.0,
        stop_reason,
        usage: None,
        meta: Meta::new(),
    })
}

fn result(id: &str, text: &str, is_error: bool, details: Value) -> Message {
    let Value::Object(details) = details else { panic!("no object") };
    Message::Tool(ToolMessage {
        id: "t".into(),
        tool_call_id: id.into(),
        content: vec![ContentPart::text(text)],
        is_error,
        timestamp: 0.0,
        details,
    })
}

fn custom(kind: &str, payload: Value) -> Message {
    let Value::Object(payload) = payload else { panic!("no object") };
    let kind = kind.to_owned();
    Message::Custom(CustomMessage {
        id: "c".into(),
        kind,
        payload,
        timestamp: 0.0,
        meta: Map::new(),
    })
}

fn numbered(count: usize) -> String {
    (1..=count).map(|number| format!("line {number}\n")).collect()
}

const DIFF: &str = "--- a.rs\n+++ a.rs\n@@ -9,3 +9,3 @@\n one\n-two\n+2\n three\n";
