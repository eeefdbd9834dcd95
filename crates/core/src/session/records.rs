//! The records of one line: one as a rule, several or none where a crash has left damage.
//!
//! Owns what is saved of a damaged line. Must not know other lines.

use super::codec::{self, Head};
use super::lines::Line;

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

/// Calls `take` with each record of a line, a part of its bytes, and returns what is left over.
pub(super) fn each_record<'a>(line: &Line<'a>, mut take: impl FnMut(&'a [u8], Head)) -> Rest {
    let record = codec::trim(line.bytes);
    if record.is_empty() {
        let has_zeros = line.bytes.contains(&0);
        let is_tail = has_zeros && !line.terminated;
        let tail = is_tail.then_some(Tail { offset: line.offset, has_text: false });
        return Rest { is_broken: has_zeros && !is_tail, tail };
    }
    match codec::decode_head(record) {
        Some(head) => {
            take(record, head);
            Rest::default()
        }
        None => records_of_damaged(line, take),
    }
}

/// Saves the good records of a damaged line. What is left over is broken, or, at the end of the
/// file, unfinished.
fn records_of_damaged<'a>(line: &Line<'a>, mut take: impl FnMut(&'a [u8], Head)) -> Rest {
    let mut rest = Rest::default();
    let starts = codec::record_starts(line.bytes);
    let ends = starts.iter().skip(1).copied().chain([line.bytes.len()]);
    for (start, end) in starts.iter().copied().zip(ends) {
        let record = codec::trim(line.bytes.get(start..end).unwrap_or_default());
        if let Some(head) = codec::decode_head(record) {
            take(record, head);
        } else if end == line.bytes.len() && !line.terminated {
            let offset = line.offset + start as u64;
            rest.tail = Some(Tail { offset, has_text: true });
        } else {
            rest.is_broken = true;
        }
    }
    rest
}
