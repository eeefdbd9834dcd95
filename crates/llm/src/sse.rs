//! Byte-level decoder of server-sent events, without I/O.
//!
//! Owns line ends (`\n`, `\r\n`, `\r`), comments, event names and multi-line data, over any split
//! of the bytes. Must not parse JSON.

/// How long one event may be, in bytes, unless told otherwise.
pub(crate) const DEFAULT_EVENT_CAP: usize = 64 * 1024 * 1024;

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// Turns pushed bytes into events. Pull all events after each push.
#[derive(Debug)]
pub(crate) struct SseDecoder {
    cap: usize,
    buffer: Vec<u8>,
    /// Where the first line that was not taken yet begins.
    line_start: usize,
    /// No line ends between `line_start` and here.
    searched: usize,
    /// The last line ended with `\r`: a `\n` that comes next belongs to it.
    after_carriage_return: bool,
    at_first_line: bool,
    event: EventFields,
    state: State,
}

/// One event. Borrowed from the decoder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SseEvent<'a> {
    /// What stood behind `event:`; empty for none.
    pub(crate) name: &'a [u8],
    /// What stood behind `data:`, several lines joined by a newline. Empty for an event that has
    /// only a name.
    pub(crate) data: &'a [u8],
}

/// Why a stream cannot be decoded further.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum SseError {
    /// One event, or one line, is longer than the cap.
    #[error("one event of the stream is longer than {cap} bytes")]
    EventTooLong {
        /// The cap in bytes.
        cap: usize,
    },
}

impl SseDecoder {
    /// Returns a decoder that takes events of up to `cap` bytes.
    pub(crate) fn new(cap: usize) -> Self {
        Self {
            cap,
            buffer: Vec::new(),
            line_start: 0,
            searched: 0,
            after_carriage_return: false,
            at_first_line: true,
            event: EventFields::default(),
            state: State::Gathering,
        }
    }

    /// Takes the next bytes of the stream, cut anywhere.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        if self.state == State::Failed {
            return;
        }
        // Only the line that is still open is moved, and only once.
        self.buffer.drain(..self.line_start);
        self.searched -= self.line_start;
        self.line_start = 0;
        self.buffer.extend_from_slice(bytes);
    }

    /// Returns the next whole event, or `None` until more bytes are pushed.
    ///
    /// # Errors
    /// Gives an error once, when an event is longer than the cap; nothing comes after it.
    pub(crate) fn next_event(&mut self) -> Option<Result<SseEvent<'_>, SseError>> {
        match self.advance() {
            Step::Event => Some(Ok(self.event.view())),
            Step::TooLong => Some(Err(SseError::EventTooLong { cap: self.cap })),
            Step::NeedsBytes => None,
        }
    }

    /// Returns the last event of a stream that ended without the blank line after it. Call it
    /// when the bytes are at their end and [`next_event`](Self::next_event) gives nothing more.
    pub(crate) fn finish(&mut self) -> Option<SseEvent<'_>> {
        if self.state == State::Failed {
            return None;
        }
        self.forget_event_handed_out();
        let rest = self.buffer.get(self.line_start..).unwrap_or_default();
        self.event.take_line(without_mark(rest, self.at_first_line));
        self.buffer.clear();
        self.line_start = 0;
        self.searched = 0;
        self.state = State::HandedOut;
        self.event.is_worth_telling().then(|| self.event.view())
    }

    fn advance(&mut self) -> Step {
        if self.state == State::Failed {
            return Step::NeedsBytes;
        }
        self.forget_event_handed_out();
        loop {
            self.skip_line_feed_of_pair();
            let unsearched = self.buffer.get(self.searched..).unwrap_or_default();
            let Some(offset) = memchr::memchr2(b'\n', b'\r', unsearched) else {
                self.searched = self.buffer.len();
                let open_line = self.buffer.len() - self.line_start;
                return self.fail_if_longer(open_line).unwrap_or(Step::NeedsBytes);
            };
            let end = self.searched + offset;
            let ends_with_carriage_return = unsearched.get(offset) == Some(&b'\r');
            if let Some(step) = self.fail_if_longer(end - self.line_start) {
                return step;
            }
            let line = self.buffer.get(self.line_start..end).unwrap_or_default();
            let is_end_of_event = self.event.take_line(without_mark(line, self.at_first_line));
            self.at_first_line = false;
            self.after_carriage_return = ends_with_carriage_return;
            self.line_start = end + 1;
            self.searched = end + 1;
            if is_end_of_event {
                if self.event.is_worth_telling() {
                    self.state = State::HandedOut;
                    return Step::Event;
                }
                self.event.clear();
            }
        }
    }

    fn skip_line_feed_of_pair(&mut self) {
        if self.after_carriage_return
            && let Some(&next) = self.buffer.get(self.line_start)
        {
            self.after_carriage_return = false;
            if next == b'\n' {
                self.line_start += 1;
                self.searched = self.searched.max(self.line_start);
            }
        }
    }

    fn fail_if_longer(&mut self, line_length: usize) -> Option<Step> {
        if self.event.data.len().saturating_add(line_length) <= self.cap {
            return None;
        }
        self.state = State::Failed;
        self.buffer = Vec::new();
        self.line_start = 0;
        self.searched = 0;
        self.event = EventFields::default();
        Some(Step::TooLong)
    }

    /// The fields of an event live until the next call, since the caller borrows them.
    fn forget_event_handed_out(&mut self) {
        if self.state == State::HandedOut {
            self.event.clear();
            self.state = State::Gathering;
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Gathering,
    HandedOut,
    Failed,
}

enum Step {
    Event,
    NeedsBytes,
    TooLong,
}

/// The event that is being gathered.
#[derive(Debug, Default)]
struct EventFields {
    name: Vec<u8>,
    data: Vec<u8>,
    has_data: bool,
}

impl EventFields {
    /// Takes one line and returns whether it is the blank one that ends an event.
    fn take_line(&mut self, line: &[u8]) -> bool {
        if line.is_empty() {
            return true;
        }
        let (field, value) = match memchr::memchr(b':', line) {
            Some(colon) => line.split_at(colon),
            None => (line, &b":"[..]),
        };
        let value = value.get(1..).unwrap_or_default();
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match field {
            b"data" => {
                if self.has_data {
                    self.data.push(b'\n');
                }
                self.data.extend_from_slice(value);
                self.has_data = true;
            }
            b"event" => {
                self.name.clear();
                self.name.extend_from_slice(value);
            }
            // A comment (no field name), `id`, `retry`, or what nobody knows.
            _ => {}
        }
        false
    }

    /// An event without data still counts when it has a name: `event: error` alone is an error.
    fn is_worth_telling(&self) -> bool {
        self.has_data || !self.name.is_empty()
    }

    fn view(&self) -> SseEvent<'_> {
        SseEvent { name: &self.name, data: &self.data }
    }

    fn clear(&mut self) {
        self.name.clear();
        self.data.clear();
        self.has_data = false;
    }
}

fn without_mark(line: &[u8], is_first: bool) -> &[u8] {
    if is_first { line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line) } else { line }
}

#[cfg(test)]
mod tests;
