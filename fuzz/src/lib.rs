//! What the fuzz targets share.
//!
//! Owns the ways in which a target cuts its input. Must not know what the input means.

use futures_util::FutureExt as _;
use std::future::Future;

/// Returns how wide the pieces are into which a target cuts `data`: told by its last byte, so
/// that an input is otherwise the very bytes that a program would read.
pub fn piece_width(data: &[u8]) -> usize {
    1 + usize::from(data.last().copied().unwrap_or_default()) % 61
}

/// Returns the result of a future that has nothing to wait for.
///
/// # Panics
/// When the future waits.
pub fn at_once<T>(future: impl Future<Output = T>) -> T {
    future.now_or_never().expect("a future over memory is ready at once")
}
