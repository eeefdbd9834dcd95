//! Where the entries of a session file are, how they hang together, and which are active.
//!
//! Owns the first pass over a file, which keeps some bytes an entry and no message: a huge file
//! costs little memory, however much of it is on other branches or compacted away.

use super::codec::{self, CompactionPayload, Head, HeadKind, Parent, Role};
use super::lines::{Line, Lines};
use letscode_wire::EntryId;
use std::collections::HashMap;
use std::io::{self, Read};

/// A file's entries in the order of its lines.
#[derive(Debug, Default)]
pub(super) struct Index {
    pub(super) entries: Vec<Entry>,
    /// The id of the last entry.
    pub(super) last_id: Option<EntryId>,
    /// The lines that hold something and no record.
    pub(super) broken: Vec<usize>,
    /// What a crash left behind the last entry.
    pub(super) tail: Option<Tail>,
    /// The file's length when it was read.
    pub(super) length: u64,
}

/// One entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    /// The position of the entry that it follows; always a smaller one.
    pub(super) parent: Option<usize>,
    pub(super) span: Span,
    pub(super) role: Role,
    pub(super) kind: EntryKind,
}

/// Where an entry's record is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) offset: u64,
    pub(super) length: usize,
    /// The number of its line, from 1.
    pub(super) line: usize,
}

/// What an entry means to the replay.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum EntryKind {
    /// A message like any other.
    Message,
    /// A switch to this model.
    ModelChange(Option<String>),
    /// A summary that stands for older messages.
    Compaction {
        /// The position of the oldest message that stays, where the file has it.
        first_kept: Option<usize>,
        /// How many messages it stands for.
        collapsed_count: Option<usize>,
    },
    /// The end of all that came before.
    Reset,
    /// A mark that the conversation went on behind its parent.
    GoTo,
}

/// An unfinished last line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Tail {
    /// Where it begins.
    pub(super) offset: u64,
    /// Whether it holds anything but zeros.
    pub(super) has_text: bool,
}

impl Index {
    /// Reads a file to its end.
    pub(super) fn read(lines: &mut Lines<impl Read>) -> io::Result<Self> {
        let mut builder = Builder::default();
        while let Some(line) = lines.next_line()? {
            builder.take_line(&line);
        }
        let mut index = builder.finish();
        index.length = lines.offset();
        Ok(index)
    }

    /// Returns the positions of the active branch, oldest first: from the last entry back
    /// through the parents.
    pub(super) fn branch(&self) -> Vec<usize> {
        self.branch_to(self.entries.len().checked_sub(1))
    }

    /// Returns the positions of the branch that ends with the entry at `last`, oldest first.
    pub(super) fn branch_to(&self, last: Option<usize>) -> Vec<usize> {
        let parent = |position: &usize| self.entries.get(*position)?.parent;
        let mut branch: Vec<usize> = std::iter::successors(last, parent).collect();
        branch.reverse();
        branch
    }
}

#[derive(Default)]
struct Builder {
    index: Index,
    positions: HashMap<EntryId, usize>,
    /// Whether any line names a parent. Where none does, the file is a chain.
    linked: bool,
}

impl Builder {
    fn take_line(&mut self, line: &Line<'_>) {
        let record = codec::trim(line.bytes);
        if record.is_empty() {
            let has_zeros = line.bytes.contains(&0);
            if !line.terminated && has_zeros {
                self.index.tail = Some(Tail { offset: line.offset, has_text: false });
            } else if has_zeros {
                self.index.broken.push(line.number);
            }
            return;
        }
        if let Some(head) = codec::decode_head(record) {
            self.take_record(line, record, head);
        } else {
            self.take_damaged(line);
        }
    }

    /// Saves the good records of a damaged line. What is left over is broken, or, at the end of
    /// a line that the file ends in, torn.
    fn take_damaged(&mut self, line: &Line<'_>) {
        let starts = codec::record_starts(line.bytes);
        let ends = starts.iter().skip(1).copied().chain([line.bytes.len()]);
        let mut is_broken = false;
        for (start, end) in starts.iter().copied().zip(ends) {
            let record = codec::trim(line.bytes.get(start..end).unwrap_or_default());
            if let Some(head) = codec::decode_head(record) {
                self.take_record(line, record, head);
            } else if end == line.bytes.len() && !line.terminated {
                let offset = line.offset + start as u64;
                self.index.tail = Some(Tail { offset, has_text: true });
            } else {
                is_broken = true;
            }
        }
        if is_broken {
            self.index.broken.push(line.number);
        }
    }

    /// Adds an entry. `record` is a part of the line's bytes.
    fn take_record(&mut self, line: &Line<'_>, record: &[u8], head: Head) {
        let position = self.index.entries.len();
        let line_before = position.checked_sub(1);
        let parent = match head.parent {
            Parent::LineBefore => line_before,
            Parent::Nothing => None,
            Parent::Entry(id) => {
                self.linked = true;
                // A parent that is not there was on a broken line.
                self.positions.get(&id).copied().or(line_before)
            }
        };
        let within = record.as_ptr().addr() - line.bytes.as_ptr().addr();
        let span =
            Span { offset: line.offset + within as u64, length: record.len(), line: line.number };
        let (role, kind) = (head.role, self.kind(head.kind));
        self.index.entries.push(Entry { parent, span, role, kind });
        self.positions.insert(head.id.clone(), position);
        self.index.last_id = Some(head.id);
    }

    fn kind(&self, kind: HeadKind) -> EntryKind {
        match kind {
            HeadKind::Message => EntryKind::Message,
            HeadKind::ModelChange(model) => EntryKind::ModelChange(model),
            HeadKind::Reset => EntryKind::Reset,
            HeadKind::GoTo => EntryKind::GoTo,
            HeadKind::Compaction(CompactionPayload { first_kept_id, collapsed_count }) => {
                let first_kept = first_kept_id.and_then(|id| self.positions.get(&id).copied());
                EntryKind::Compaction { first_kept, collapsed_count }
            }
        }
    }

    fn finish(mut self) -> Index {
        if !self.linked {
            for (position, entry) in self.index.entries.iter_mut().enumerate() {
                entry.parent = position.checked_sub(1);
            }
        }
        self.index
    }
}

#[cfg(test)]
mod tests;
