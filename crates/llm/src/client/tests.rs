//! Tests of the client against a server on the loopback.

use super::*;
use crate::config::Secret;
use futures_util::StreamExt;
use letscode_core::model::{Answer, ModelError, ModelErrorKind, ModelEvent};
use letscode_wire::{
    AssistantMessage, ContentPart, Message, Meta, RetryNotice, StreamEvent, ToolCall, ToolMessage,
    ToolSpec, UserMessage, text_of,
};
use serde_json::{Value, json};
use server::{Reply, Server, chunk, finish};
use std::time::Duration;

mod connections;
mod faults;
mod paths;
mod refusals;
mod retries;
pub(crate) mod server;
mod streams;
mod tls;

/// Long enough for any machine; only what hangs runs into it.
const LIMIT: Duration = Duration::from_secs(30);

/// All that a stream gave.
#[derive(Debug, Default)]
struct Outcome {
    pieces: Vec<StreamEvent>,
    notices: Vec<String>,
    answer: Option<Answer>,
    error: Option<ModelError>,
}

impl Outcome {
    fn retries(&self) -> Vec<&RetryNotice> {
        let retries = self.pieces.iter().filter_map(|piece| match piece {
            StreamEvent::Retry(notice) => Some(notice),
            _ => None,
        });
        retries.collect()
    }

    fn text(&self) -> String {
        text_of(&self.answer.as_ref().expect("an answer").content)
    }

    fn error(&self) -> (ModelErrorKind, &str) {
        assert!(self.answer.is_none());
        let error = self.error.as_ref().expect("an error");
        assert!(!error.message.contains('\n'), "{error}");
        (error.kind, &error.message)
    }
}

/// Settings that leave the clock alone, for tests that pause it.
fn config(base_url: &str) -> ClientConfig {
    let mut config = ClientConfig::new(base_url, "m");
    config.api_key = Some(Secret::new("sk-0123456789"));
    config.timeout = Duration::ZERO;
    config
}

fn client(server: &Server) -> Client {
    Client::new(config(&server.base())).unwrap()
}

fn client_with(server: &Server, change: impl FnOnce(&mut ClientConfig)) -> Client {
    let mut config = config(&server.base());
    change(&mut config);
    Client::new(config).unwrap()
}

fn request() -> ModelRequest {
    ModelRequest { system: "sys".into(), messages: vec![user("hi")], tools: Vec::new().into() }
}

/// A request whose history has a finished tool loop by the model at `host`.
fn request_with_loop(host: &str) -> ModelRequest {
    let meta = json!({
        "provider": host,
        "model": "m",
        "reasoning": {"field": "reasoning_content", "text": "plan"},
    });
    let assistant = Message::Assistant(AssistantMessage {
        id: "a".into(),
        content: Vec::new(),
        tool_calls: vec![ToolCall { id: "c1".into(), name: "ls".into(), arguments: Meta::new() }],
        timestamp: 0.0,
        stop_reason: None,
        usage: None,
        meta: meta.as_object().unwrap().clone(),
    });
    let tool = Message::Tool(ToolMessage {
        id: "t".into(),
        tool_call_id: "c1".into(),
        content: vec![ContentPart::text("R")],
        is_error: false,
        timestamp: 0.0,
        details: Meta::new(),
    });
    let tools = vec![ToolSpec {
        name: "ls".into(),
        description: "lists".into(),
        parameters: json!({"type": "object", "properties": {"path": {"type": "string"}}}),
        execution_mode: Default::default(),
    }];
    ModelRequest {
        system: "sys".into(),
        messages: vec![user("hi"), Arc::new(assistant), Arc::new(tool)],
        tools: tools.into(),
    }
}

fn user(text: &str) -> Arc<Message> {
    Arc::new(Message::User(UserMessage {
        id: "u".into(),
        content: vec![ContentPart::text(text)],
        timestamp: 0.0,
        meta: Meta::new(),
    }))
}

async fn run(client: &Client) -> Outcome {
    run_request(client, request()).await
}

async fn run_request(client: &Client, request: ModelRequest) -> Outcome {
    let mut outcome = Outcome::default();
    let mut stream = client.stream(request);
    while let Some(item) = stream.next().await {
        assert!(outcome.answer.is_none() && outcome.error.is_none(), "nothing after the end");
        match item {
            Ok(ModelEvent::Stream(piece)) => outcome.pieces.push(piece),
            Ok(ModelEvent::Notice(notice)) => outcome.notices.push(notice),
            Ok(ModelEvent::Done(answer)) => outcome.answer = Some(*answer),
            Err(error) => outcome.error = Some(error),
        }
    }
    assert!(outcome.answer.is_some() || outcome.error.is_some(), "the stream just ended");
    outcome
}
