//! A stream that a plain async function fills.
//!
//! Owns the queue between the two. The function runs only while the stream is polled and its
//! queue is empty, so nothing is sent ahead, and dropping the stream drops the function and with
//! it the connection. Must not know what flows.

use futures_util::Stream;
use letscode_core::model::{ModelError, ModelEvent, ModelStream};
use std::collections::VecDeque;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

type Item = Result<ModelEvent, ModelError>;

/// Where the function puts what the stream is to give.
pub(super) struct Outlet {
    queue: Arc<Mutex<VecDeque<Item>>>,
}

impl Outlet {
    /// Adds an item; the stream gives it at the next [`flush`](Self::flush) or at the end.
    pub(super) fn push(&self, item: Item) {
        lock(&self.queue).push_back(item);
    }

    /// Adds many items, as [`push`](Self::push) does.
    pub(super) fn extend(&self, items: impl Iterator<Item = Item>) {
        lock(&self.queue).extend(items);
    }

    /// Waits until the stream has given all that was pushed.
    pub(super) async fn flush(&self) {
        // Nobody needs to be woken: the stream itself goes on when its queue is empty.
        poll_fn(|_| if lock(&self.queue).is_empty() { Poll::Ready(()) } else { Poll::Pending })
            .await;
    }
}

/// Returns the stream that the function returned by `start` fills.
pub(super) fn stream<F>(start: impl FnOnce(Outlet) -> F) -> ModelStream
where
    F: Future<Output = ()> + Send + 'static,
{
    let queue = Arc::default();
    let driver = start(Outlet { queue: Arc::clone(&queue) });
    Box::pin(Events { queue, ready: VecDeque::new(), driver: Some(Box::pin(driver)) })
}

struct Events {
    queue: Arc<Mutex<VecDeque<Item>>>,
    /// What was taken from the queue at once and not given yet.
    ready: VecDeque<Item>,
    /// `None` when it is over.
    driver: Option<Pin<Box<dyn Future<Output = ()> + Send>>>,
}

impl Stream for Events {
    type Item = Item;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Item>> {
        let this = &mut *self;
        if let Some(item) = this.ready.pop_front() {
            return Poll::Ready(Some(item));
        }
        let Some(driver) = &mut this.driver else { return Poll::Ready(None) };
        let is_over = driver.as_mut().poll(context).is_ready();
        if is_over {
            this.driver = None;
        }
        std::mem::swap(&mut this.ready, &mut *lock(&this.queue));
        match this.ready.pop_front() {
            Some(item) => Poll::Ready(Some(item)),
            None if is_over => Poll::Ready(None),
            None => Poll::Pending,
        }
    }
}

fn lock(queue: &Mutex<VecDeque<Item>>) -> MutexGuard<'_, VecDeque<Item>> {
    queue.lock().unwrap_or_else(PoisonError::into_inner)
}
