//! The actions that edit a text.
//!
//! Owns what each does to a buffer and the kill ring, for every place where text is typed. Must not
//! know keys, rows, history or sending.

use super::buffer::Buffer;
use super::kill_ring::{KillRing, Side};
use super::undo::Kind;
use crate::keymap::Action;
use std::ops::Range;

/// Types a character.
pub(crate) fn type_text(buffer: &mut Buffer, kill_ring: &mut KillRing, text: &str) {
    kill_ring.note_other();
    buffer.insert(text, Kind::Typed);
}

/// Does an action, and returns whether it is one that edits or moves.
pub(crate) fn apply(buffer: &mut Buffer, kill_ring: &mut KillRing, action: Action) -> bool {
    let caret = buffer.caret();
    match action {
        Action::Left => buffer.move_to(buffer.before(caret)),
        Action::Right => buffer.move_to(buffer.behind(caret)),
        Action::WordLeft => buffer.move_to(buffer.word_before(caret)),
        Action::WordRight => buffer.move_to(buffer.word_behind(caret)),
        Action::LineStart => buffer.move_to(buffer.line_start(caret)),
        Action::LineEnd => buffer.move_to(buffer.line_end(caret)),
        Action::TextStart => buffer.move_to(0),
        Action::TextEnd => buffer.move_to(buffer.text().len()),
        Action::Newline => buffer.insert("\n", Kind::Alone),
        Action::DeleteBack => buffer.replace(buffer.before(caret)..caret, "", Kind::Erased),
        Action::DeleteForward => buffer.replace(caret..buffer.behind(caret), "", Kind::Erased),
        Action::KillToEnd => {
            let end = buffer.line_end(caret);
            // At the end of a line, the newline itself.
            let end = if end == caret { buffer.behind(caret) } else { end };
            return kill(buffer, kill_ring, caret..end, Side::Behind);
        }
        Action::KillToStart => {
            let start = buffer.line_start(caret);
            let start = if start == caret { buffer.before(caret) } else { start };
            return kill(buffer, kill_ring, start..caret, Side::Before);
        }
        Action::KillWordBack => {
            return kill(buffer, kill_ring, buffer.word_before(caret)..caret, Side::Before);
        }
        Action::KillWordForward => {
            return kill(buffer, kill_ring, caret..buffer.word_behind(caret), Side::Behind);
        }
        Action::Yank => {
            if let Some(cut) = kill_ring.newest().map(str::to_owned) {
                put(buffer, kill_ring, caret..caret, 0, &cut);
            }
            return true;
        }
        Action::YankPop => {
            if let Some((place, number, cut)) = kill_ring.before_last_put() {
                let cut = cut.to_owned();
                put(buffer, kill_ring, place, number, &cut);
            }
            return true;
        }
        Action::Undo => {
            buffer.undo();
        }
        Action::Redo => {
            buffer.redo();
        }
        _ => return false,
    }
    kill_ring.note_other();
    true
}

fn kill(buffer: &mut Buffer, kill_ring: &mut KillRing, range: Range<usize>, side: Side) -> bool {
    kill_ring.cut(buffer.slice(range.clone()), side);
    buffer.replace(range, "", Kind::Alone);
    true
}

fn put(
    buffer: &mut Buffer,
    kill_ring: &mut KillRing,
    place: Range<usize>,
    number: usize,
    cut: &str,
) {
    let start = place.start;
    buffer.replace(place, cut, Kind::Alone);
    kill_ring.note_put(number, start..start + cut.len());
}
