//! One HTTP exchange: a body posted, and its response read to the end as it comes.
//!
//! Owns the limits of silence and the tell-tale first bytes of what is no stream. Must not decide
//! what to do about a failure.

use super::Shared;
use super::body::{Body, Next};
use super::outlet::Outlet;
use crate::assemble::{Assembler, AssemblyContext, Feed, Finished, StreamFault};
use crate::error::{self, Failure, Scene};
use crate::http::SendError;
use crate::sse::{DEFAULT_EVENT_CAP, SseDecoder};
use futures_util::FutureExt;
use letscode_core::model::{ModelErrorKind, ModelEvent, ModelRequest};
use letscode_wire::{Message, StreamEvent};
use memchr::memmem;
use reqwest::Url;
use reqwest::header::CONTENT_ENCODING;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// How much of an error's body is read, and how long that may take.
const ERROR_BODY_LIMIT: usize = 64 * 1024;
const ERROR_BODY_TIME: Duration = Duration::from_secs(10);
/// How much of an answer that comes in one piece is read.
const WHOLE_BODY_LIMIT: usize = DEFAULT_EVENT_CAP;
/// How long the rest of a finished response may take, so that its connection can be kept.
const REST_TIME: Duration = Duration::from_secs(2);

/// What one exchange is about.
#[derive(Clone, Copy)]
pub(super) struct Exchange<'a> {
    pub(super) shared: &'a Shared,
    pub(super) scene: &'a Scene,
    pub(super) url: &'a Url,
    pub(super) request: &'a Arc<ModelRequest>,
    pub(super) outlet: &'a Outlet,
}

/// A response that may be an answer, with the bytes read so far.
pub(super) struct Opened {
    body: Body,
    first: Vec<u8>,
    format: Format,
    /// When the request went out.
    began: Instant,
}

/// Why no answer came.
pub(super) struct Broken {
    pub(super) failure: Failure,
    /// Whether something of it was shown already.
    pub(super) shown: bool,
}

/// What a body is, by its first byte that is no space.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Format {
    Events,
    Whole,
}

/// Posts `json` and waits for the first bytes of a successful response.
pub(super) async fn open(exchange: Exchange<'_>, json: Vec<u8>) -> Result<Opened, Failure> {
    let Exchange { shared, scene, .. } = exchange;
    let limit = shared.config.timeout;
    let began = Instant::now();
    tracing::debug!(url = scene.url, model = scene.model, bytes = json.len(), "request");
    let posted = shared.http.post(exchange.url, json);
    let response = match within(limit, posted).await {
        Some(Ok(response)) => response,
        Some(Err(error)) => return Err(send_failure(exchange, &error)),
        None => return Err(stalled(exchange, /*alive*/ false)),
    };
    let status = response.status();
    tracing::debug!(status = status.as_u16(), elapsed = ?began.elapsed(), "response");
    if !status.is_success() {
        let headers = response.headers().clone();
        let mut body = Body::new(response, limit);
        let mut text = Vec::new();
        // An error whose body does not end is still an error.
        let read = body.read_into(&mut text, ERROR_BODY_LIMIT);
        let _ = tokio::time::timeout(ERROR_BODY_TIME, read).await;
        shared.http.note_kept_connection();
        return Err(error::from_response(scene, status, &headers, &text));
    }
    if let Some(encoding) = response.headers().get(CONTENT_ENCODING) {
        let encoding = scene.clean(&String::from_utf8_lossy(encoding.as_bytes()));
        if !encoding.eq_ignore_ascii_case("identity") {
            let what = format!("the server compresses its answer with {encoding}, unasked");
            return Err(scene.failure(ModelErrorKind::NotAnEndpoint, &what, ""));
        }
    }
    let mut body = Body::new(response, limit);
    let mut first = Vec::new();
    let start = loop {
        match body.next(|bytes| first.extend_from_slice(bytes)).await {
            Next::More => {}
            Next::End => break None,
            Next::Broken(cause) => return Err(broken_off(exchange, &cause)),
            Next::Stalled => return Err(stalled(exchange, /*alive*/ false)),
        }
        let mark = first.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&first);
        if let Some(start) = mark.trim_ascii_start().first() {
            break Some(*start);
        }
    };
    tracing::debug!(elapsed = ?began.elapsed(), "first byte of the answer");
    let format = match start {
        Some(b'<') => {
            body.read_into(&mut first, ERROR_BODY_LIMIT).await;
            return Err(error::from_page(scene, &first));
        }
        Some(b'{' | b'[') => Format::Whole,
        Some(_) | None => Format::Events,
    };
    Ok(Opened { body, first, format, began })
}

/// Reads an answer to its end, passing it on as it comes.
pub(super) async fn read(exchange: Exchange<'_>, opened: Opened) -> Result<Finished, Broken> {
    let Opened { mut body, first, format, began } = opened;
    let mut assembler = Assembler::new(assembly_context(exchange.request));
    let mut pieces = Vec::new();
    let ended = match format {
        Format::Events => {
            read_events(exchange, &mut body, &first, &mut assembler, &mut pieces).await
        }
        Format::Whole => read_whole(exchange, &mut body, first, &mut assembler, &mut pieces).await,
    };
    tracing::debug!(elapsed = ?began.elapsed(), "end of the answer");
    let shown = assembler.has_output();
    if let Ended::Failed(failure) = ended {
        return Err(Broken { failure, shown });
    }
    let finished = assembler.finish(&mut pieces);
    let finished = finished.map_err(|fault| Broken {
        shown,
        failure: match ended {
            Ended::Whole | Ended::Failed(_) => fault_failure(exchange, fault),
            Ended::Broken(cause) => broken_off(exchange, &cause),
            Ended::Stalled => stalled(exchange, body.is_alive()),
        },
    })?;
    if matches!(format, Format::Events) {
        keep_connection(exchange.shared, body);
    }
    pass_on(exchange, &mut pieces);
    Ok(finished)
}

/// How the bytes of an answer ended.
enum Ended {
    /// By `[DONE]` or the end of the response.
    Whole,
    /// The connection broke.
    Broken(String),
    /// Nothing came for too long.
    Stalled,
    /// They are no answer.
    Failed(Failure),
}

async fn read_events(
    exchange: Exchange<'_>,
    body: &mut Body,
    first: &[u8],
    assembler: &mut Assembler,
    pieces: &mut Vec<StreamEvent>,
) -> Ended {
    let mut decoder = SseDecoder::new(DEFAULT_EVENT_CAP);
    decoder.push(first);
    loop {
        // All that one piece of network brought is passed on together.
        while let Some(event) = decoder.next_event() {
            body.note_event();
            let fed = match event {
                Ok(event) => assembler.feed(event, pieces),
                Err(_) => Err(StreamFault::TooLong),
            };
            match fed {
                Ok(Feed::More) => {}
                Ok(Feed::Done) => return Ended::Whole,
                Err(fault) => return Ended::Failed(fault_failure(exchange, fault)),
            }
        }
        pass_on(exchange, pieces);
        exchange.outlet.flush().await;
        match body.next(|bytes| decoder.push(bytes)).await {
            Next::More => {}
            Next::Broken(cause) => return Ended::Broken(cause),
            Next::Stalled => return Ended::Stalled,
            Next::End => {
                let last = decoder.finish().map(|event| assembler.feed(event, pieces));
                return match last {
                    Some(Err(fault)) => Ended::Failed(fault_failure(exchange, fault)),
                    Some(Ok(_)) | None => Ended::Whole,
                };
            }
        }
    }
}

/// Reads an answer that comes in one piece, from a server that does not stream.
async fn read_whole(
    exchange: Exchange<'_>,
    body: &mut Body,
    mut first: Vec<u8>,
    assembler: &mut Assembler,
    pieces: &mut Vec<StreamEvent>,
) -> Ended {
    match body.read_into(&mut first, WHOLE_BODY_LIMIT).await {
        Next::End => {}
        Next::More => {
            return Ended::Failed(fault_failure(exchange, StreamFault::TooLong));
        }
        Next::Broken(cause) => return Ended::Broken(cause),
        Next::Stalled => return Ended::Stalled,
    }
    exchange.shared.http.note_kept_connection();
    match assembler.feed_whole(&first, pieces) {
        Ok(()) if memmem::find(&first, b"\"choices\"").is_none() => {
            Ended::Failed(error::from_other_json(exchange.scene, &first))
        }
        Ok(()) => Ended::Whole,
        Err(StreamFault::Garbage) => {
            Ended::Failed(error::from_error_object(exchange.scene, &first))
        }
        Err(fault) => Ended::Failed(fault_failure(exchange, fault)),
    }
}

fn pass_on(exchange: Exchange<'_>, pieces: &mut Vec<StreamEvent>) {
    if pieces.is_empty() {
        return;
    }
    exchange.outlet.extend(pieces.drain(..).map(|mut piece| {
        if let StreamEvent::Usage { usage } = &mut piece {
            exchange.shared.price(usage);
        }
        Ok(ModelEvent::Stream(piece))
    }));
}

fn assembly_context(request: &Arc<ModelRequest>) -> AssemblyContext {
    let tool_names = request.tools.iter().map(|tool| tool.name.clone()).collect();
    let request = Arc::clone(request);
    let used_call_ids = Box::new(move || {
        let assistants =
            request.messages.iter().filter_map(|message: &Arc<Message>| message.as_assistant());
        assistants.flat_map(|message| &message.tool_calls).map(|call| call.id.clone()).collect()
    });
    AssemblyContext { tool_names, used_call_ids }
}

/// Reads what is left of a finished response, so that its connection serves the next request.
/// What is not there at once is waited for behind the scenes, for a short while.
fn keep_connection(shared: &Shared, mut body: Body) {
    if body.skip_rest().now_or_never().is_none() {
        tokio::spawn(tokio::time::timeout(REST_TIME, async move { body.skip_rest().await }));
    }
    shared.http.note_kept_connection();
}

fn send_failure(exchange: Exchange<'_>, error: &SendError) -> Failure {
    let scene = exchange.scene;
    match error {
        SendError::Transport { error, roots_problem } => {
            let proxy = exchange.shared.http.proxy_name();
            error::from_transport(scene, error, proxy, roots_problem.as_deref())
        }
        SendError::Setup(error) => {
            scene.failure(ModelErrorKind::Tls, &format!("cannot set up TLS: {error}"), "")
        }
    }
}

fn broken_off(exchange: Exchange<'_>, cause: &str) -> Failure {
    let cause = exchange.scene.clean(cause);
    let what = format!("the connection broke within the answer: {cause}");
    exchange.scene.failure(ModelErrorKind::BrokenStream, &what, "")
}

/// `alive` tells whether bytes came that said nothing.
fn stalled(exchange: Exchange<'_>, alive: bool) -> Failure {
    let limit = exchange.shared.config.timeout.as_secs_f64();
    let what = if alive {
        format!("the server sent nothing but signs of life for {limit} s")
    } else {
        format!("the server sent nothing for {limit} s")
    };
    exchange.scene.failure(ModelErrorKind::Stalled, &what, "a longer time-out may help")
}

fn fault_failure(exchange: Exchange<'_>, fault: StreamFault) -> Failure {
    let scene = exchange.scene;
    let failure = |kind, what: &str| scene.failure(kind, what, "");
    match fault {
        StreamFault::ErrorObject { body, .. } => error::from_error_object(scene, &body),
        StreamFault::Incomplete => {
            failure(ModelErrorKind::BrokenStream, "the stream ended before the answer was complete")
        }
        StreamFault::EmptyAnswer { finish_reason } => {
            let what = match finish_reason {
                Some(reason) => {
                    format!("the model's answer is empty (finish reason {})", scene.clean(&reason))
                }
                None => "the model's answer is empty".to_owned(),
            };
            failure(ModelErrorKind::EmptyAnswer, &what)
        }
        StreamFault::RetryableFinish { reason } => {
            let what = format!("the server ended the answer with {}", scene.clean(&reason));
            failure(ModelErrorKind::Server, &what)
        }
        StreamFault::Filtered { reason } => {
            let what = format!("the provider withheld the answer ({})", scene.clean(&reason));
            failure(ModelErrorKind::Filtered, &what)
        }
        StreamFault::Garbage => {
            failure(ModelErrorKind::BrokenStream, "the server's answer cannot be read")
        }
        StreamFault::TooLong => {
            // Another try would bring as much again.
            failure(ModelErrorKind::NotAnEndpoint, "the server's answer is larger than any may be")
        }
    }
}

/// Waits for `future`, for `limit` at the most; zero is no limit.
async fn within<F: Future>(limit: Duration, future: F) -> Option<F::Output> {
    if limit.is_zero() {
        return Some(future.await);
    }
    tokio::time::timeout(limit, future).await.ok()
}
