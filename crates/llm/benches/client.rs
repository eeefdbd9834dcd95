//! How long the client takes for a long answer and for a long history.
//!
//! Owns a server on loopback whose bytes are made beforehand, so that what is measured is the
//! client: reading, assembling, writing. Numbers of one machine; they are compared, not judged.

#![expect(clippy::unwrap_used, reason = "a bench that cannot run ends")]

use divan::Bencher;
use divan::counter::ItemsCount;
use futures_util::StreamExt;
use letscode_core::model::{Model, ModelEvent, ModelRequest};
use letscode_llm::{Client, ClientConfig};
use letscode_wire::{
    AssistantMessage, ContentPart, Message, Meta, ToolCall, ToolMessage, Transcript, UserMessage,
};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;
use tokio::runtime::{Builder, Runtime};

const DELTAS: usize = 20_000;
const MESSAGES: usize = 5_000;

fn main() {
    divan::main();
}

/// Reads an answer of 20,000 pieces of text: the event stream and its assembly.
#[divan::bench(sample_count = 20)]
fn answer_of_20_000_deltas(bencher: Bencher<'_, '_>) {
    let bench = Bench::new(&answer(DELTAS));
    let request = request(Vec::new());
    bencher.counter(ItemsCount::new(DELTAS)).bench_local(|| {
        assert!(bench.pieces(&request) >= DELTAS);
    });
}

/// Writes the body of a request of 5,000 messages, most of them of tool loops.
#[divan::bench(sample_count = 20)]
fn request_of_5_000_messages(bencher: Bencher<'_, '_>) {
    let bench = Bench::new(&answer(1));
    let request = request(history(MESSAGES));
    bencher.counter(ItemsCount::new(MESSAGES)).bench_local(|| bench.pieces(&request));
}

/// The least that a request and its answer cost: what the others have on top of their own.
#[divan::bench(sample_count = 20)]
fn smallest_request_and_answer(bencher: Bencher<'_, '_>) {
    let bench = Bench::new(&answer(1));
    let request = request(Vec::new());
    bencher.bench_local(|| bench.pieces(&request));
}

struct Bench {
    runtime: Runtime,
    client: Client,
}

impl Bench {
    /// Starts a server that sends `response` to every request.
    fn new(response: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let base = format!("http://{}/v1", listener.local_addr().unwrap());
        let response: Arc<str> = response.into();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let response = Arc::clone(&response);
                thread::spawn(move || serve(stream, &response));
            }
        });
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        Self { runtime, client: Client::new(ClientConfig::new(base, "bench")).unwrap() }
    }

    /// Sends a request and returns how many pieces its answer had.
    fn pieces(&self, request: &ModelRequest) -> usize {
        self.runtime.block_on(async {
            let mut stream = self.client.stream(request.clone());
            let mut pieces = 0;
            while let Some(event) = stream.next().await {
                pieces += usize::from(matches!(event.unwrap(), ModelEvent::Stream(_)));
            }
            pieces
        })
    }
}

/// Answers requests on one connection until it is closed.
fn serve(stream: TcpStream, response: &str) -> Option<()> {
    stream.set_nodelay(true).ok()?;
    let mut writer = stream.try_clone().ok()?;
    let mut reader = BufReader::new(stream);
    loop {
        let mut length = 0;
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).ok().filter(|length| *length > 0)?;
            if line == "\r\n" {
                break;
            }
            let lower = line.to_ascii_lowercase();
            if let Some(value) = lower.strip_prefix("content-length:") {
                length = value.trim().parse().ok()?;
            }
        }
        std::io::copy(&mut (&mut reader).take(length), &mut std::io::sink()).ok()?;
        writer.write_all(response.as_bytes()).ok()?;
    }
}

/// Returns a response with an answer of that many pieces of text.
fn answer(deltas: usize) -> String {
    let event = |delta: &str, finish: &str| {
        format!(
            "data: {{\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"created\":1,\
             \"model\":\"bench\",\"choices\":[{{\"index\":0,\"delta\":{delta},\
             \"finish_reason\":{finish}}}]}}\n\n"
        )
    };
    let mut body = event("{\"content\":\"some words \"}", "null").repeat(deltas);
    body.push_str(&event("{}", "\"stop\""));
    body.push_str("data: [DONE]\n\n");
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length:";
    format!("{head} {}\r\n\r\n{body}", body.len())
}

fn request(messages: Transcript) -> ModelRequest {
    ModelRequest { system: "Be brief.".into(), messages, tools: Vec::new().into() }
}

/// Returns prompts, each with calls of a tool and their results.
fn history(messages: usize) -> Transcript {
    (0..messages).map(|number| Arc::new(message(number))).collect()
}

fn message(number: usize) -> Message {
    let content =
        vec![ContentPart::text("A line of some words that says this and that. ".repeat(8))];
    let (id, call) = (format!("m{number}").into(), |number: usize| format!("call_{number}").into());
    match number % 4 {
        0 => Message::User(UserMessage { id, content, timestamp: 1.0, meta: Meta::new() }),
        2 => Message::Tool(ToolMessage {
            id,
            tool_call_id: call(number - 1),
            content,
            is_error: false,
            timestamp: 1.0,
            details: Meta::new(),
        }),
        step => {
            let mut arguments = Meta::new();
            arguments.insert("path".to_owned(), "src/main.rs".into());
            let tool_call = ToolCall { id: call(number), name: "read".to_owned(), arguments };
            Message::Assistant(AssistantMessage {
                id,
                content,
                tool_calls: if step == 1 { vec![tool_call] } else { Vec::new() },
                timestamp: 1.0,
                stop_reason: None,
                usage: None,
                meta: Meta::new(),
            })
        }
    }
}
