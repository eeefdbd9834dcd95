//! What a session's branch means to the next request: what the model last saw.
//!
//! Owns the effect of `reset`, `compaction` and `model_change` entries. Works on positions, so
//! that messages which no longer count are never even read. Must not read files.
//!
//! A compaction that names its first kept message replaces everything before that message. The
//! files of the Python program have only a count, and that program counts in two ways:
//!
//! - Within one run it counts what the model saw: an earlier compaction, which has taken the
//!   place of what it stands for, is one message, and `model_change` lines are none.
//! - A run that continued a file took the file's lines as they stand, compacted ones and
//!   `model_change` lines included, and its counts run over these.
//!
//! The second kind is told by a count that would leave nothing over, though an earlier
//! compaction hides lines: the program always keeps some of the newest messages. Where the two
//! cannot be told apart nothing is compacted yet, and both come to the same but for
//! `model_change` lines.

use super::index::{Entry, EntryKind};

/// What of a branch still counts.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Replay {
    /// The positions of the messages, in the order in which the model gets them: a compaction
    /// stands where the messages stood that it replaces.
    pub(super) kept: Vec<usize>,
    /// The model of the last switch. A reset does not undo it.
    pub(super) model: Option<String>,
    /// Whether a compaction did not say what it replaces; everything was kept then.
    pub(super) has_unclear_compaction: bool,
}

/// Replays `branch`, positions in `entries`, oldest first.
pub(super) fn replay(entries: &[Entry], branch: &[usize]) -> Replay {
    let mut replay = Replay::default();
    let mut since_reset = 0;
    let is_no_message = |position: usize| {
        let kind = entries.get(position).map(Entry::kind);
        matches!(kind, Some(EntryKind::ModelChange(_) | EntryKind::GoTo))
    };
    for (place, &position) in branch.iter().enumerate() {
        let Some(entry) = entries.get(position) else { continue };
        match entry.kind() {
            // A mark stays among the kept until the end: a compaction may name it as the first.
            EntryKind::Message | EntryKind::GoTo => replay.kept.push(position),
            EntryKind::ModelChange(model) => {
                replay.kept.push(position);
                if model.is_some() {
                    replay.model.clone_from(model);
                }
            }
            EntryKind::Reset => {
                replay.kept.clear();
                since_reset = place + 1;
            }
            EntryKind::Compaction { first_kept, collapsed_count } => {
                let by_name = first_kept.and_then(|first| from_position(&replay.kept, first));
                let remaining = by_name.or_else(|| {
                    let count = (*collapsed_count)?;
                    let lines = branch.get(since_reset..place).unwrap_or_default();
                    Some(from_count(&replay.kept, lines, count, is_no_message))
                });
                match remaining {
                    Some(remaining) => {
                        replay.kept = [position].into_iter().chain(remaining).collect();
                    }
                    None => {
                        replay.has_unclear_compaction = true;
                        replay.kept.insert(0, position);
                    }
                }
            }
        }
    }
    replay.kept.retain(|position| !is_no_message(*position));
    replay
}

/// Returns `kept` from the message at position `first` on, if that is among them.
fn from_position(kept: &[usize], first: usize) -> Option<Vec<usize>> {
    let start = kept.iter().position(|position| *position == first)?;
    Some(kept.get(start..)?.to_vec())
}

/// Returns what `count` collapsed messages leave over; `lines` is the branch as it stands in
/// the file.
fn from_count(
    kept: &[usize],
    lines: &[usize],
    count: usize,
    is_no_message: impl Fn(usize) -> bool,
) -> Vec<usize> {
    let messages = kept.iter().filter(|position| !is_no_message(**position)).count();
    let has_earlier_compaction = kept.first() != lines.first();
    if has_earlier_compaction && count >= messages {
        return lines.get(count..).unwrap_or_default().to_vec();
    }
    let mut left = count;
    let collapsed = kept.iter().take_while(|position| {
        let is_message = !is_no_message(**position);
        let is_collapsed = left > 0;
        left -= usize::from(is_message && is_collapsed);
        is_collapsed
    });
    let collapsed = collapsed.count();
    kept.get(collapsed..).unwrap_or_default().to_vec()
}

#[cfg(test)]
mod tests;
