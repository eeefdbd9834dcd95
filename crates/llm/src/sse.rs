//! Byte-level decoder of server-sent events, without I/O.
//!
//! Owns line ends (`\n`, `\r\n`, `\r`), comments, event names and multi-line data, over any split
//! of the bytes. Must not parse JSON.

/// One event. Borrowed from the decoder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SseEvent<'a> {
    /// What stood behind `event:`; empty for none.
    pub(crate) name: &'a [u8],
    /// What stood behind `data:`, several lines joined by a newline.
    pub(crate) data: &'a [u8],
}
