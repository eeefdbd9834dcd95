//! What vi's operators do to the text that a motion takes.
//!
//! Owns how much of the text that is, and how what was cut is put back. Must not know keys or modes.

use super::motion::{self, Motion, Takes};
use crate::composer::buffer::Buffer;
use crate::composer::kill_ring::{KillRing, Side};
use crate::composer::undo::Kind;
use std::ops::Range;

/// The most bytes that a count puts back.
const MAX_PUT: usize = 10_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operator {
    Delete,
    Change,
    Yank,
}

/// Does what an operator does to what a motion takes; the caret goes to its beginning.
pub(super) fn operate(
    operator: Operator,
    motion: Motion,
    buffer: &mut Buffer,
    kill_ring: &mut KillRing,
) {
    let caret = buffer.caret();
    let (start, end) = (caret.min(motion.to), caret.max(motion.to));
    if motion.takes == Takes::Lines {
        operate_lines(operator, start, end, buffer, kill_ring);
        return;
    }
    let end = match motion.takes {
        Takes::Including => buffer.behind(end),
        Takes::Between | Takes::Lines => end,
    };
    kill_ring.cut(buffer.slice(start..end), Side::Behind);
    buffer.move_to(start);
    if operator != Operator::Yank {
        buffer.replace(start..end, "", Kind::Alone);
    }
}

/// Returns what an operator makes of a motion: a word that is changed keeps the blanks behind it,
/// and the last word of a line keeps its newline.
pub(super) fn as_operand(
    letter: char,
    operator: Operator,
    motion: Motion,
    buffer: &Buffer,
) -> Motion {
    if !matches!(letter, 'w' | 'W') {
        return motion;
    }
    let caret = buffer.caret();
    let on_word = !buffer.slice(caret..buffer.behind(caret)).trim().is_empty();
    if operator == Operator::Change && on_word {
        let end = buffer.slice(caret..motion.to).trim_end();
        return Motion { to: caret + end.len(), takes: Takes::Between };
    }
    let taken = buffer.slice(caret..motion.to);
    match taken.rfind('\n') {
        Some(newline) if taken.get(newline..).is_some_and(|rest| rest.trim().is_empty()) => {
            Motion { to: caret + newline, takes: Takes::Between }
        }
        _ => motion,
    }
}

/// Puts what was cut last behind the caret, or before it; whole lines below or above its line.
pub(super) fn put(behind: bool, times: usize, buffer: &mut Buffer, kill_ring: &KillRing) {
    let Some(cut) = kill_ring.newest() else { return };
    let caret = buffer.caret();
    let text = cut.repeat(times.min(MAX_PUT / cut.len().max(1) + 1));
    match text.strip_suffix('\n') {
        Some(lines) if behind => {
            let end = buffer.line_end(caret);
            buffer.replace(end..end, &format!("\n{lines}"), Kind::Alone);
            buffer.move_to(motion::first_letter(buffer, end + 1));
        }
        Some(_) => {
            let start = buffer.line_start(caret);
            buffer.replace(start..start, &text, Kind::Alone);
            buffer.move_to(motion::first_letter(buffer, start));
        }
        None => {
            let at = if behind { buffer.behind(caret).min(buffer.line_end(caret)) } else { caret };
            buffer.replace(at..at, &text, Kind::Alone);
            buffer.move_to(buffer.before(buffer.caret()));
        }
    }
}

fn operate_lines(
    operator: Operator,
    start: usize,
    end: usize,
    buffer: &mut Buffer,
    kill_ring: &mut KillRing,
) {
    let (start, end) = (buffer.line_start(start), buffer.line_end(end));
    // What ends with a newline is put back as lines.
    kill_ring.cut(&format!("{}\n", buffer.slice(start..end)), Side::Behind);
    match operator {
        Operator::Yank => buffer.move_to(start),
        Operator::Change => buffer.replace(start..end, "", Kind::Alone),
        Operator::Delete => {
            let whole = whole_lines(start..end, buffer);
            buffer.replace(whole, "", Kind::Alone);
            buffer.move_to(motion::first_letter(buffer, buffer.caret()));
        }
    }
}

/// Returns lines with the newline that goes with them.
fn whole_lines(lines: Range<usize>, buffer: &Buffer) -> Range<usize> {
    if lines.end < buffer.text().len() {
        lines.start..lines.end + 1
    } else {
        lines.start.saturating_sub(1)..lines.end
    }
}
