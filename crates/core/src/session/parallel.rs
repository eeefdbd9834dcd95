//! Work on many files by as many threads as there are processors, in bounded number.
//!
//! Owns the threads and the order of the results. Must not know what the work is.

use std::num::NonZeroUsize;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// The most threads: the disk is one, and each may hold a line in memory.
const MOST_THREADS: usize = 4;

/// The fewest items that are worth another thread.
const WORTH_A_THREAD: usize = 64;

/// Returns what `work` makes of each item, in the order of the items.
pub(super) fn map_in_order<T: Send, R: Send>(
    items: Vec<T>,
    work: impl Fn(T) -> R + Sync,
) -> Vec<R> {
    let threads = thread_count().min(items.len() / WORTH_A_THREAD);
    if threads < 2 {
        return items.into_iter().map(work).collect();
    }
    let size = items.len().div_ceil(threads);
    let mut items = items.into_iter();
    let work = &work;
    thread::scope(|scope| {
        let shares = (0..threads).map(|_| items.by_ref().take(size).collect::<Vec<T>>());
        let workers: Vec<_> = shares
            .map(|share| scope.spawn(move || share.into_iter().map(work).collect::<Vec<R>>()))
            .collect();
        let results = workers.into_iter().map(|worker| worker.join());
        results
            .flat_map(|share| share.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    })
}

/// Calls `work` with items in their order until it has returned `enough` in sum, and returns the
/// results. They are those of the first items without a gap; several may be more than enough.
pub(super) fn take_until<T: Sync, R: Send>(
    items: &[T],
    enough: usize,
    work: impl Fn(&T) -> (usize, R) + Sync,
) -> Vec<R> {
    let (next, sum) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let results = Mutex::new(Vec::new());
    let run = || {
        while sum.load(Ordering::Acquire) < enough {
            let place = next.fetch_add(1, Ordering::AcqRel);
            let Some(item) = items.get(place) else { break };
            let (count, result) = work(item);
            sum.fetch_add(count, Ordering::AcqRel);
            results.lock().unwrap_or_else(PoisonError::into_inner).push((place, result));
        }
    };
    thread::scope(|scope| {
        for _ in 1..thread_count().min(items.len()) {
            scope.spawn(run);
        }
        run();
    });
    let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.sort_unstable_by_key(|(place, _)| *place);
    results.into_iter().map(|(_, result)| result).collect()
}

fn thread_count() -> usize {
    thread::available_parallelism().map_or(1, NonZeroUsize::get).min(MOST_THREADS)
}

#[cfg(test)]
mod tests;
