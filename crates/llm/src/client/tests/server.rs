//! A loopback server that replies with scripted bytes, one reply a request.

use serde_json::Value;
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;

pub(crate) struct Server {
    port: u16,
    state: Arc<State>,
    task: tokio::task::JoinHandle<()>,
}

#[derive(Default)]
struct State {
    replies: Mutex<VecDeque<Reply>>,
    received: Mutex<Vec<Received>>,
    /// Notified when a peer closes a connection that a reply holds open.
    closed: Notify,
    /// Notified by the test to let replies that wait go on.
    go_on: Notify,
}

/// A request as it came.
#[derive(Debug, Clone)]
pub(crate) struct Received {
    pub(crate) target: String,
    pub(crate) headers: HashMap<String, String>,
    pub(crate) body: Value,
    /// Counts from 0.
    pub(crate) connection: usize,
    pub(crate) at: std::time::Instant,
}

/// What the server does with one request.
#[derive(Debug, Clone)]
pub(crate) struct Reply(Vec<Step>);

#[derive(Debug, Clone)]
enum Step {
    Bytes(Vec<u8>),
    /// Wait until the test says so.
    Wait,
    /// Send these bytes again and again until the peer is gone.
    Repeat(Vec<u8>),
    /// Keep the connection open and silent until the peer is gone.
    Hang,
    Close,
}

impl Server {
    pub(crate) async fn start(replies: impl IntoIterator<Item = Reply>) -> Self {
        Self::listen(replies, /*is_socks*/ false).await
    }

    /// Starts a SOCKS 5 proxy that answers in the place of whatever it is asked to connect to.
    pub(crate) async fn start_socks(replies: impl IntoIterator<Item = Reply>) -> Self {
        Self::listen(replies, /*is_socks*/ true).await
    }

    async fn listen(replies: impl IntoIterator<Item = Reply>, is_socks: bool) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let state = Arc::new(State {
            replies: Mutex::new(replies.into_iter().collect()),
            ..State::default()
        });
        let shared = Arc::clone(&state);
        let task = tokio::spawn(async move {
            for connection in 0.. {
                let (stream, _) = listener.accept().await.unwrap();
                tokio::spawn(serve(stream, connection, is_socks, Arc::clone(&shared)));
            }
        });
        Self { port, state, task }
    }

    pub(crate) fn base(&self) -> String {
        format!("http://127.0.0.1:{}/v1", self.port)
    }

    pub(crate) fn origin(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    pub(crate) fn host(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    pub(crate) fn received(&self) -> Vec<Received> {
        self.state.received.lock().unwrap().clone()
    }

    pub(crate) fn bodies(&self) -> Vec<Value> {
        self.received().into_iter().map(|request| request.body).collect()
    }

    /// Waits until the peer has closed a connection that a reply held open.
    pub(crate) async fn peer_gone(&self) {
        self.state.closed.notified().await;
    }

    pub(crate) fn go_on(&self) {
        self.state.go_on.notify_one();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Reply {
    /// A response with a body of known length.
    pub(crate) fn status(status: u16, headers: &[(&str, &str)], body: &str) -> Self {
        let mut head = format!("HTTP/1.1 {status} X\r\ncontent-length: {}\r\n", body.len());
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        Self(vec![Step::Bytes(format!("{head}\r\n{body}").into_bytes())])
    }

    /// A JSON error.
    pub(crate) fn error(status: u16, body: &str) -> Self {
        Self::status(status, &[("content-type", "application/json")], body)
    }

    /// A whole stream of events, each in its own chunk, with `[DONE]` at its end.
    pub(crate) fn stream(events: &[Value]) -> Self {
        Self::open_stream(events).chunk("data: [DONE]\n\n").end()
    }

    /// The beginning of a stream of events.
    pub(crate) fn open_stream(events: &[Value]) -> Self {
        let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\
                    transfer-encoding: chunked\r\n\r\n";
        let start = Self(vec![Step::Bytes(head.into())]);
        events.iter().fold(start, |reply, event| reply.chunk(&format!("data: {event}\n\n")))
    }

    /// A good answer of one word.
    pub(crate) fn word(word: &str) -> Self {
        Self::stream(&[chunk(word), finish()])
    }

    pub(crate) fn raw(bytes: impl Into<Vec<u8>>) -> Self {
        Self(vec![Step::Bytes(bytes.into())])
    }

    pub(crate) fn chunk(self, data: &str) -> Self {
        self.then(Step::Bytes(format!("{:x}\r\n{data}\r\n", data.len()).into_bytes()))
    }

    pub(crate) fn end(self) -> Self {
        self.then(Step::Bytes(b"0\r\n\r\n".to_vec()))
    }

    pub(crate) fn wait(self) -> Self {
        self.then(Step::Wait)
    }

    pub(crate) fn repeat(self, data: &str) -> Self {
        self.then(Step::Repeat(format!("{:x}\r\n{data}\r\n", data.len()).into_bytes()))
    }

    pub(crate) fn hang(self) -> Self {
        self.then(Step::Hang)
    }

    pub(crate) fn close(self) -> Self {
        self.then(Step::Close)
    }

    fn then(mut self, step: Step) -> Self {
        self.0.push(step);
        self
    }
}

/// A chunk with this piece of the answer.
pub(crate) fn chunk(content: &str) -> Value {
    serde_json::json!({"choices": [{"index": 0, "delta": {"content": content}}]})
}

/// The chunk that ends the answer.
pub(crate) fn finish() -> Value {
    serde_json::json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
}

async fn serve(mut stream: TcpStream, connection: usize, is_socks: bool, state: Arc<State>) {
    stream.set_nodelay(true).unwrap();
    if is_socks && socks_handshake(&mut stream).await.is_none() {
        return;
    }
    while let Some(request) = receive(&mut stream, connection).await {
        state.received.lock().unwrap().push(request);
        let reply = state.replies.lock().unwrap().pop_front();
        let reply = reply.unwrap_or_else(|| Reply::status(418, &[], "the script is over"));
        for step in reply.0 {
            match step {
                Step::Bytes(bytes) => {
                    if stream.write_all(&bytes).await.is_err() {
                        return;
                    }
                }
                Step::Wait => state.go_on.notified().await,
                Step::Repeat(bytes) => {
                    // The peer's end shows when a write fails, so the pace does not matter.
                    while stream.write_all(&bytes).await.is_ok() {
                        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
                    }
                    return state.closed.notify_one();
                }
                Step::Hang => {
                    let _ = stream.read(&mut [0]).await;
                    return state.closed.notify_one();
                }
                Step::Close => return,
            }
        }
    }
}

async fn receive(stream: &mut TcpStream, connection: usize) -> Option<Received> {
    let mut bytes = Vec::new();
    let head_end = loop {
        if let Some(at) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break at;
        }
        read_some(stream, &mut bytes).await?;
    };
    let head = String::from_utf8(bytes[..head_end].to_vec()).unwrap();
    let mut lines = head.lines();
    let target = lines.next().unwrap().split(' ').nth(1).unwrap().to_owned();
    let headers: HashMap<String, String> = lines
        .map(|line| line.split_once(": ").unwrap())
        .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
        .collect();
    let length: usize = headers.get("content-length").map_or(0, |it| it.parse().unwrap());
    while bytes.len() < head_end + 4 + length {
        read_some(stream, &mut bytes).await?;
    }
    let body = serde_json::from_slice(&bytes[head_end + 4..]).unwrap_or(Value::Null);
    Some(Received { target, headers, body, connection, at: std::time::Instant::now() })
}

async fn read_some(stream: &mut TcpStream, bytes: &mut Vec<u8>) -> Option<()> {
    let read = stream.read_buf(bytes).await.ok()?;
    (read > 0).then_some(())
}

/// Takes any connection that needs no password.
async fn socks_handshake(stream: &mut TcpStream) -> Option<()> {
    let mut greeting = [0; 2];
    stream.read_exact(&mut greeting).await.ok()?;
    stream.read_exact(&mut vec![0; greeting[1].into()]).await.ok()?;
    stream.write_all(&[5, 0]).await.ok()?;
    let mut head = [0; 4];
    stream.read_exact(&mut head).await.ok()?;
    let length = match head[3] {
        1 => 4,
        3 => usize::from(stream.read_u8().await.ok()?),
        _ => return None,
    };
    stream.read_exact(&mut vec![0; length + 2]).await.ok()?;
    stream.write_all(&[5, 0, 0, 1, 0, 0, 0, 0, 0, 0]).await.ok()?;
    Some(())
}
