//! The records of one line: one as a rule, several or none where a crash has left damage.
//!
//! Owns what is saved of a damaged line. Must not know other lines.

use super::codec::{self, Head};
use super::lines::{Line, Walked};

/// A record of a line.
#[derive(Debug, Clone, Copy)]
pub(super) struct Record<'a> {
    /// What it holds, unless it is too long for that.
    pub(super) bytes: Option<&'a [u8]>,
    pub(super) span: Span,
}

/// Where a record is in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) offset: u64,
    pub(super) length: u32,
    /// The number of its line, from 1.
    pub(super) line: u32,
}

/// What of a line is no record.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Rest {
    /// Whether there is something that cannot be read.
    pub(super) is_broken: bool,
    /// What a crash left at the end of the file.
    pub(super) tail: Option<Tail>,
}

/// An unfinished last line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Tail {
    /// Where it begins.
    pub(super) offset: u64,
    /// Whether it holds anything but zeros.
    pub(super) has_text: bool,
}

/// Calls `take` with each record of a line and returns what is left over.
pub(super) fn each_record<'a>(line: Line<'a>, mut take: impl FnMut(Record<'a>, Head)) -> Rest {
    if let Some(Walked { head, length }) = line.walked {
        let span = Span::new(line.offset, length, line.number);
        take(Record { bytes: None, span }, head);
        return Rest::default();
    }
    let record = codec::trim(line.bytes);
    if record.is_empty() {
        let has_zeros = line.bytes.contains(&0);
        let is_tail = has_zeros && !line.terminated;
        let tail = is_tail.then_some(Tail { offset: line.offset, has_text: false });
        return Rest { is_broken: has_zeros && !is_tail, tail };
    }
    match codec::decode_head(record) {
        Some(head) => {
            take(Record::within(&line, record), head);
            Rest::default()
        }
        None => records_of_damaged(&line, take),
    }
}

/// Saves the good records of a damaged line. What is left over is broken, or, at the end of the
/// file, unfinished.
fn records_of_damaged<'a>(line: &Line<'a>, mut take: impl FnMut(Record<'a>, Head)) -> Rest {
    let mut rest = Rest::default();
    let starts = codec::record_starts(line.bytes);
    let ends = starts.iter().skip(1).copied().chain([line.bytes.len()]);
    for (start, end) in starts.iter().copied().zip(ends) {
        let record = codec::trim(line.bytes.get(start..end).unwrap_or_default());
        if let Some(head) = codec::decode_head(record) {
            take(Record::within(line, record), head);
        } else if end == line.bytes.len() && !line.terminated {
            let offset = line.offset + start as u64;
            rest.tail = Some(Tail { offset, has_text: true });
        } else {
            rest.is_broken = true;
        }
    }
    rest
}

impl<'a> Record<'a> {
    /// Returns the record that is a part of the line's bytes.
    fn within(line: &Line<'_>, bytes: &'a [u8]) -> Self {
        let place = bytes.as_ptr().addr() - line.bytes.as_ptr().addr();
        let span = Span::new(line.offset + place as u64, bytes.len() as u64, line.number);
        Self { bytes: Some(bytes), span }
    }
}

impl Span {
    fn new(offset: u64, length: u64, line: usize) -> Self {
        // Lines have a cap that is far from these bounds.
        let length = u32::try_from(length).unwrap_or(u32::MAX);
        Self { offset, length, line: u32::try_from(line).unwrap_or(u32::MAX) }
    }
}
