//! A scripted OpenAI-compatible server on loopback, down to the bytes.
//!
//! Owns the server's thread, the record of what it was asked, and the check of every request.
//! Must not be mistaken for a model: it answers from a [`Scenario`], whatever is asked.
//!
//! It runs on a thread and a runtime of its own, so that tests of any flavour, and processes, can
//! use it. `POST /chat/completions` and `GET /models` exist, with and without `/v1` before them;
//! anything else is 404. Every chat request is checked against the rules that all servers share
//! ([`violations`]); what is broken fails the test when the server is dropped.

mod scenario;

mod answer;

mod validity;

mod strict;

mod connection;
mod http;

pub use answer::AnswerError;
pub use scenario::{Scenario, ScenarioError};
pub use strict::StrictRule;
pub use validity::violations;

use answer::Answer;
use serde_json::{Value, json};
use std::net::TcpListener;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::thread::{self, JoinHandle};
use std::time::Duration;
use tokio::runtime::{Builder, Handle};
use tokio::sync::{Semaphore, watch};
use tokio_util::sync::CancellationToken;

/// A running server; it ends when this is dropped.
///
/// # Panics
/// Dropping it panics when a request broke a rule and nobody took the violations.
pub struct SseServer {
    port: u16,
    shared: Arc<Shared>,
    runtime: Handle,
    stop: CancellationToken,
    thread: Option<JoinHandle<()>>,
}

/// A request as it came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// For example `POST`.
    pub method: String,
    /// Path and query, as sent.
    pub target: String,
    /// Names in lower case, in the order of sending.
    pub headers: Vec<(String, String)>,
    /// The body without its framing.
    pub body: Vec<u8>,
}

/// What has happened so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Progress {
    /// Connections that were opened.
    pub connections: usize,
    /// Requests that arrived, to any path.
    pub requests: usize,
    /// Answers that the client did not wait for: it closed the connection before their end.
    pub abandoned: usize,
    /// Answers that have come to their `pause_after`.
    pub paused: usize,
}

impl SseServer {
    /// Starts a server that answers from a scenario (see [`Scenario`] for its JSON).
    ///
    /// # Panics
    /// When the scenario is none, or the system gives no port or thread.
    pub fn start(scenario: Value) -> Self {
        let scenario = Scenario::from_json(scenario).expect("the scenario is valid");
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("loopback has a free port");
        listener.set_nonblocking(true).expect("a listener can be made non-blocking");
        let port = listener.local_addr().expect("a bound listener has an address").port();
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = runtime.expect("a runtime can be made");
        let handle = runtime.handle().clone();
        let shared = Arc::new(Shared::new(scenario));
        let stop = CancellationToken::new();
        let (task_shared, task_stop) = (Arc::clone(&shared), stop.clone());
        let thread = thread::Builder::new().name("sse-server".to_owned()).spawn(move || {
            runtime.block_on(task_stop.run_until_cancelled(accept(listener, task_shared)));
        });
        let thread = Some(thread.expect("a thread can be started"));
        Self { port, shared, runtime: handle, stop, thread }
    }

    /// Returns the port on 127.0.0.1.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Returns the base URL for clients: `http://127.0.0.1:PORT/v1`.
    pub fn base_url(&self) -> String {
        format!("http://127.0.0.1:{}/v1", self.port)
    }

    /// Answers from another scenario from now on. The record is kept.
    ///
    /// # Panics
    /// When the scenario is none.
    pub fn load(&self, scenario: Value) {
        let scenario = Scenario::from_json(scenario).expect("the scenario is valid");
        self.shared.state().scenario = scenario;
    }

    /// Refuses from now on what servers with these rules refuse, instead of answering. A refused
    /// request uses up no answer.
    pub fn be_strict(&self, rules: &[StrictRule]) {
        self.shared.state().strict = rules.to_vec();
    }

    /// Lets one answer that stands at its `pause_after`, or the next that comes there, go on.
    pub fn resume(&self) {
        self.shared.resume.add_permits(1);
    }

    /// Returns all requests so far, to any path, in the order of their arrival.
    pub fn requests(&self) -> Vec<Request> {
        self.shared.state().requests.clone()
    }

    /// Returns the bodies of the chat requests so far.
    ///
    /// # Panics
    /// When one is not JSON.
    pub fn chat_bodies(&self) -> Vec<Value> {
        let state = self.shared.state();
        state.requests.iter().filter(|request| request.is_chat()).map(Request::json).collect()
    }

    /// Returns what has happened so far.
    pub fn progress(&self) -> Progress {
        *self.shared.progress.borrow()
    }

    /// Waits until `condition` holds, without blocking the caller's thread.
    pub async fn until(&self, condition: impl FnMut(&Progress) -> bool) {
        let mut progress = self.shared.progress.subscribe();
        progress.wait_for(condition).await.expect("the sender lives as long as the server");
    }

    /// Blocks the thread until `condition` holds, at most for `limit`; returns whether it does.
    pub fn wait_until(
        &self,
        limit: Duration,
        condition: impl FnMut(&Progress) -> bool + Send + 'static,
    ) -> bool {
        let mut progress = self.shared.progress.subscribe();
        let (sender, receiver) = mpsc::channel();
        self.runtime.spawn(async move {
            if progress.wait_for(condition).await.is_ok() {
                // Nobody listens any more once the limit has passed.
                let _ = sender.send(());
            }
        });
        receiver.recv_timeout(limit).is_ok()
    }

    /// Returns the violations so far and forgets them, for a test that provokes them.
    pub fn take_violations(&self) -> Vec<String> {
        std::mem::take(&mut self.shared.state().violations)
    }

    /// Checks that no request broke a rule.
    ///
    /// # Panics
    /// When one did.
    #[track_caller]
    pub fn assert_valid(&self) {
        let violations = self.take_violations();
        assert!(violations.is_empty(), "invalid requests:\n{}", violations.join("\n"));
    }
}

impl Drop for SseServer {
    fn drop(&mut self) {
        self.stop.cancel();
        if let Some(thread) = self.thread.take() {
            let ended = thread.join();
            assert!(ended.is_ok() || thread::panicking(), "the server's thread panicked");
        }
        if !thread::panicking() {
            self.assert_valid();
        }
    }
}

impl Request {
    /// Returns the path without the query.
    pub fn path(&self) -> &str {
        self.target.split('?').next().unwrap_or_default()
    }

    /// Returns the first value of a header, by its name in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        http::find_header(&self.headers, name)
    }

    /// Returns the body as JSON.
    ///
    /// # Panics
    /// When it is none.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).expect("the request's body is JSON")
    }

    /// Returns whether this asks for a chat completion.
    pub fn is_chat(&self) -> bool {
        self.method == "POST" && self.endpoint() == "/chat/completions"
    }

    /// Returns the path without `/v1`.
    fn endpoint(&self) -> &str {
        let path = self.path();
        path.strip_prefix("/v1").filter(|rest| rest.starts_with('/')).unwrap_or(path)
    }
}

/// What the server's handle and its connections share.
struct Shared {
    state: Mutex<State>,
    progress: watch::Sender<Progress>,
    resume: Semaphore,
}

struct State {
    scenario: Scenario,
    strict: Vec<StrictRule>,
    requests: Vec<Request>,
    violations: Vec<String>,
}

/// What a request gets.
enum Reply {
    Scripted(Arc<Answer>),
    Fixed(Vec<u8>),
}

impl Shared {
    fn new(scenario: Scenario) -> Self {
        let state = State { scenario, strict: vec![], requests: vec![], violations: vec![] };
        Self {
            state: Mutex::new(state),
            progress: watch::Sender::new(Progress::default()),
            resume: Semaphore::new(0),
        }
    }

    /// Returns the state. It is whole after every statement, so a panic elsewhere does not matter.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records a request, checks it, and returns what it gets.
    fn receive(&self, request: Request) -> Reply {
        let mut state = self.state();
        let reply = state.reply(&request);
        state.requests.push(request);
        drop(state);
        self.progress.send_modify(|progress| progress.requests += 1);
        reply
    }

    fn violation(&self, violation: String) {
        self.state().violations.push(violation);
    }

    fn abandoned(&self) {
        self.progress.send_modify(|progress| progress.abandoned += 1);
    }

    async fn wait_for_resume(&self) {
        self.progress.send_modify(|progress| progress.paused += 1);
        self.resume.acquire().await.expect("the semaphore is never closed").forget();
    }
}

impl State {
    fn reply(&mut self, request: &Request) -> Reply {
        if request.is_chat() {
            return self.reply_to_chat(request);
        }
        if request.method == "GET" && request.endpoint() == "/models" {
            let model = json!({"id": "mock-model", "object": "model", "owned_by": "mock"});
            return fixed(200, &json!({"object": "list", "data": [model]}));
        }
        let message = format!("no route {} {}", request.method, request.path());
        fixed(404, &json!({"error": {"message": message}}))
    }

    fn reply_to_chat(&mut self, request: &Request) -> Reply {
        let number = self.requests.iter().filter(|request| request.is_chat()).count() + 1;
        let found = match serde_json::from_slice(&request.body) {
            Err(error) => vec![format!("the body is not JSON: {error}")],
            Ok(body) => {
                let refusal = self.strict.iter().find_map(|rule| rule.refusal(&body));
                if let Some((status, error)) = refusal {
                    return fixed(status, &error);
                }
                violations(&body)
            }
        };
        self.violations.extend(found.iter().map(|text| format!("chat request {number}: {text}")));
        Reply::Scripted(self.scenario.pick(&request.body))
    }
}

async fn accept(listener: TcpListener, shared: Arc<Shared>) {
    let listener = tokio::net::TcpListener::from_std(listener);
    let listener = listener.expect("a non-blocking listener fits the runtime");
    loop {
        // A connection that is gone before it is accepted is the client's affair.
        let Ok((stream, _)) = listener.accept().await else { continue };
        shared.progress.send_modify(|progress| progress.connections += 1);
        let shared = Arc::clone(&shared);
        tokio::spawn(async move { connection::serve(stream, &shared).await });
    }
}

fn fixed(status: u16, body: &Value) -> Reply {
    let body = body.to_string();
    let headers = serde_json::Map::new();
    Reply::Fixed(http::response(status, "application/json", &headers, body.as_bytes()))
}

#[cfg(test)]
mod tests;
