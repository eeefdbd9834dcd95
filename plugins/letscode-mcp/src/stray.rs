//! What a server writes to its stdout that is no message: the usual reason why it is never ready.
//!
//! Owns the notes about it. Must not change what is read.

use crate::journal::Journal;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncRead, ReadBuf};

/// How many bytes of such a line are noted.
const LONGEST_LINE: usize = 500;

/// A stream of messages, one a line; what is none is noted.
pub(crate) struct Noting<R> {
    inner: R,
    journal: Journal,
    line: Line,
}

/// What is known of the line that is being read.
enum Line {
    /// Nothing yet.
    Begins,
    /// It is a message.
    Message,
    /// It is none; how it begins.
    Stray(Vec<u8>),
}

impl<R> Noting<R> {
    pub(crate) fn new(inner: R, journal: Journal) -> Self {
        Self { inner, journal, line: Line::Begins }
    }

    fn look(&mut self, bytes: &[u8]) {
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            if matches!(self.line, Line::Begins) {
                match piece.iter().find(|byte| !byte.is_ascii_whitespace()) {
                    Some(b'{' | b'[') => self.line = Line::Message,
                    Some(_) => self.line = Line::Stray(Vec::new()),
                    None => {}
                }
            }
            if let Line::Stray(begin) = &mut self.line {
                let room = LONGEST_LINE.saturating_sub(begin.len());
                begin.extend(piece.iter().take(room));
            }
            if piece.ends_with(b"\n")
                && let Line::Stray(begin) = std::mem::replace(&mut self.line, Line::Begins)
            {
                let text = String::from_utf8_lossy(&begin);
                self.journal.add(&format!("(stdout, but no message) {text}"));
            }
        }
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for Noting<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.inner).poll_read(context, buffer))?;
        self.look(buffer.filled().get(before..).unwrap_or_default());
        Poll::Ready(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::masks::Masks;
    use proptest::prelude::*;

    /// Reads `text` in pieces of `size`, and returns the notes.
    fn noted(text: &str, size: usize) -> Vec<String> {
        let journal = Journal::new(Masks::default());
        let mut noting = Noting::new((), journal.clone());
        text.as_bytes().chunks(size).for_each(|piece| noting.look(piece));
        journal.newest(100)
    }

    #[test]
    fn only_what_is_no_message_is_noted() {
        let long = "x".repeat(5_000);
        let text = format!("{{\"id\": 1}}\n\n  [1]\nhello world\r\n \t{{}}\n{long}\nunfinished");
        let notes = noted(&text, 7);
        assert_eq!(notes.len(), 2, "{notes:?}");
        assert_eq!(notes[0], "(stdout, but no message) hello world");
        assert!(notes[1].len() <= LONGEST_LINE + 30);
    }

    proptest! {
        #[test]
        fn notes_do_not_depend_on_how_the_stream_is_cut(text in "[{\\[ a\n]{0,40}", size in 1_usize..9) {
            prop_assert_eq!(noted(&text, size), noted(&text, 1_000));
        }
    }
}
