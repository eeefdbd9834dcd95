//! Where the entries of a session file are, how they hang together, and which are active.
//!
//! Owns the first pass over a file, which keeps some bytes an entry and no message or id: a huge
//! file costs little memory, however much of it is on other branches or compacted away.

use super::codec::{CompactionPayload, Head, HeadKind, Parent, Role};
use super::lines::{Line, Lines};
use super::records::{Span, Tail, each_record};
use letscode_wire::EntryId;
use std::collections::HashMap;
use std::hash::{BuildHasher as _, RandomState};
use std::io::{self, Read, Seek};
use std::num::NonZeroU32;

/// A file's entries in the order of its lines.
#[derive(Debug, Default)]
pub(super) struct Index {
    pub(super) entries: Vec<Entry>,
    /// The id of the last entry.
    pub(super) last_id: Option<EntryId>,
    /// The lines that hold something and no record.
    pub(super) broken: Vec<usize>,
    /// How many entries name one as their parent that the file does not have before them.
    pub(super) orphans: usize,
    /// What a crash left behind the last entry.
    pub(super) tail: Option<Tail>,
    /// The file's length when it was read.
    pub(super) length: u64,
}

/// One entry. A file may have a million, so each is as small as can be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) span: Span,
    /// What it means beside being a message; most mean nothing more.
    special: Option<Box<EntryKind>>,
    /// The number, from 1, of the entry that it follows; always a smaller one than its own.
    parent: Option<NonZeroU32>,
    pub(super) role: Role,
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

impl Entry {
    pub(super) fn new(span: Span, role: Role, parent: Option<usize>, kind: EntryKind) -> Self {
        let special = (kind != EntryKind::Message).then(|| Box::new(kind));
        Self { span, special, parent: parent.and_then(number), role }
    }

    /// Returns the position of the entry that it follows.
    pub(super) fn parent(&self) -> Option<usize> {
        self.parent.map(|number| number.get() as usize - 1)
    }

    /// Returns what it means to the replay.
    pub(super) fn kind(&self) -> &EntryKind {
        self.special.as_deref().unwrap_or(&EntryKind::Message)
    }
}

impl Index {
    /// Reads a file to its end.
    pub(super) fn read(lines: &mut Lines<impl Read + Seek>) -> io::Result<Self> {
        let mut builder = Builder::default();
        while let Some(line) = lines.next_line()? {
            builder.take_line(line);
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
        let parent = |position: &usize| self.entries.get(*position)?.parent();
        let mut branch: Vec<usize> = std::iter::successors(last, parent).collect();
        branch.reverse();
        branch
    }
}

#[derive(Default)]
struct Builder {
    index: Index,
    /// A digest of each entry's id: by a key of this process, so nobody can make two alike, and
    /// long enough that no two of a file are by chance.
    ids: Vec<u64>,
    digests: RandomState,
    /// The mentions of earlier entries that are to be looked up, in the order of the lines. Most
    /// entries follow the line before and have none.
    mentions: Vec<Mention>,
    /// Whether any line names a parent. Where none does, the file is a chain.
    linked: bool,
}

/// An entry names an earlier one.
struct Mention {
    position: usize,
    /// The digest of the id that it names.
    id: u64,
    what: Mentioned,
}

#[derive(Clone, Copy)]
enum Mentioned {
    Parent,
    FirstKept,
}

impl Builder {
    fn take_line(&mut self, line: Line<'_>) {
        let number = line.number;
        let rest = each_record(line, |record, head| self.take_record(record.span, head));
        self.index.tail = rest.tail.or(self.index.tail);
        if rest.is_broken {
            self.index.broken.push(number);
        }
    }

    /// Adds an entry.
    fn take_record(&mut self, span: Span, head: Head) {
        let position = self.index.entries.len();
        // A parent that is not there was on a broken line.
        let line_before = position.checked_sub(1);
        let parent = match head.parent {
            Parent::LineBefore => line_before,
            Parent::Nothing => None,
            Parent::Entry(id) => {
                self.linked = true;
                if self.index.last_id.as_ref() != Some(&id) {
                    self.mention(position, &id, Mentioned::Parent);
                }
                line_before
            }
        };
        let kind = self.kind(position, head.kind);
        self.index.entries.push(Entry::new(span, head.role, parent, kind));
        self.ids.push(self.digests.hash_one(&head.id));
        self.index.last_id = Some(head.id);
    }

    fn kind(&mut self, position: usize, kind: HeadKind) -> EntryKind {
        match kind {
            HeadKind::Message => EntryKind::Message,
            HeadKind::ModelChange(model) => EntryKind::ModelChange(model),
            HeadKind::Reset => EntryKind::Reset,
            HeadKind::GoTo => EntryKind::GoTo,
            HeadKind::Compaction(CompactionPayload { first_kept_id, collapsed_count }) => {
                if let Some(id) = first_kept_id {
                    self.mention(position, &id, Mentioned::FirstKept);
                }
                EntryKind::Compaction { first_kept: None, collapsed_count }
            }
        }
    }

    fn mention(&mut self, position: usize, id: &EntryId, what: Mentioned) {
        let id = self.digests.hash_one(id);
        self.mentions.push(Mention { position, id, what });
    }

    fn finish(mut self) -> Index {
        self.look_up();
        if !self.linked {
            for (position, entry) in self.index.entries.iter_mut().enumerate() {
                entry.parent = position.checked_sub(1).and_then(number);
            }
        }
        self.index
    }

    /// Looks up what entries mention, in one walk over the ids, and keeps no id but those.
    fn look_up(&mut self) {
        if self.mentions.is_empty() {
            return;
        }
        let wanted = self.mentions.iter().map(|mention| (mention.id, None));
        let mut latest: HashMap<u64, Option<usize>> = wanted.collect();
        let mut mentions = self.mentions.drain(..).peekable();
        for (position, id) in self.ids.iter().enumerate() {
            while let Some(mention) = mentions.next_if(|mention| mention.position == position) {
                let found = latest.get(&mention.id).copied().flatten();
                let is_orphan = found.is_none() && matches!(mention.what, Mentioned::Parent);
                self.index.orphans += usize::from(is_orphan);
                if let (Some(found), Some(entry)) = (found, self.index.entries.get_mut(position)) {
                    entry.settle(mention.what, found);
                }
            }
            if let Some(place) = latest.get_mut(id) {
                *place = Some(position);
            }
        }
    }
}

impl Entry {
    /// Notes the position of an entry that it mentions.
    fn settle(&mut self, what: Mentioned, found: usize) {
        match (what, self.special.as_deref_mut()) {
            (Mentioned::Parent, _) => self.parent = number(found),
            (Mentioned::FirstKept, Some(EntryKind::Compaction { first_kept, .. })) => {
                *first_kept = Some(found);
            }
            (Mentioned::FirstKept, _) => {}
        }
    }
}

/// Returns the number of the entry at a position.
fn number(position: usize) -> Option<NonZeroU32> {
    NonZeroU32::MIN.checked_add(u32::try_from(position).ok()?)
}

#[cfg(test)]
mod tests;
