//! The body of a response, read piece by piece, with a limit on silence.
//!
//! Owns the timer. Events count as life, not bytes: some servers send comments for hours while
//! nothing happens. Must not know what the bytes mean.

use reqwest::Response;
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::task::Poll;
use std::time::Duration;
use tokio::time::{Instant, Sleep};

pub(super) struct Body {
    response: Response,
    limit: Duration,
    /// Set anew only when it fires, so that a piece of an answer costs no timer; `None` for no
    /// limit.
    sleep: Option<Pin<Box<Sleep>>>,
    last_event: Instant,
    bytes_since_event: bool,
}

/// What came next.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// More bytes, which were handed over.
    More,
    /// The end.
    End,
    /// The connection broke, for this reason.
    Broken(String),
    /// Nothing that counts came within the limit.
    Stalled,
}

impl Body {
    /// Returns the body of `response`. It may be silent for `limit`; zero is no limit.
    pub(super) fn new(response: Response, limit: Duration) -> Self {
        let sleep = (!limit.is_zero()).then(|| Box::pin(tokio::time::sleep(limit)));
        Self { response, limit, sleep, last_event: Instant::now(), bytes_since_event: false }
    }

    /// Hands the next bytes to `take`.
    pub(super) async fn next(&mut self, take: impl FnOnce(&[u8])) -> Next {
        let Self { response, limit, sleep, last_event, bytes_since_event } = self;
        let mut chunk = pin!(response.chunk());
        let next = poll_fn(|context| {
            if let Poll::Ready(chunk) = chunk.as_mut().poll(context) {
                return Poll::Ready(Some(chunk));
            }
            let Some(sleep) = sleep else { return Poll::Pending };
            while sleep.as_mut().poll(context).is_ready() {
                let end = *last_event + *limit;
                if end <= Instant::now() {
                    return Poll::Ready(None);
                }
                sleep.as_mut().reset(end);
            }
            Poll::Pending
        });
        match next.await {
            Some(Ok(Some(bytes))) => {
                *bytes_since_event = true;
                take(&bytes);
                Next::More
            }
            Some(Ok(None)) => Next::End,
            Some(Err(error)) => Next::Broken(letscode_http::root_cause(&error)),
            None => Next::Stalled,
        }
    }

    /// Notes that something came that counts.
    pub(super) fn note_event(&mut self) {
        self.last_event = Instant::now();
        self.bytes_since_event = false;
    }

    /// Returns whether bytes came that made no event.
    pub(super) fn is_alive(&self) -> bool {
        self.bytes_since_event
    }

    /// Adds the rest to `out`, whose bytes count as events. Stops with [`Next::More`] when `out`
    /// is longer than `limit`.
    pub(super) async fn read_into(&mut self, out: &mut Vec<u8>, limit: usize) -> Next {
        loop {
            if out.len() > limit {
                return Next::More;
            }
            match self.next(|bytes| out.extend_from_slice(bytes)).await {
                Next::More => self.note_event(),
                end => return end,
            }
        }
    }

    /// Reads to the end and forgets what comes.
    pub(super) async fn skip_rest(&mut self) {
        self.sleep = None;
        while self.next(|_| {}).await == Next::More {}
    }
}
