//! Where vi's motions lead.
//!
//! Owns the classes of characters and each motion as a pure function of text and place. Must not
//! change anything.

use crate::composer::buffer::{Buffer, is_word};
use unicode_segmentation::UnicodeSegmentation as _;

/// Where a motion leads, and what an operator takes on the way there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Motion {
    /// The place.
    pub(super) to: usize,
    /// What an operator takes.
    pub(super) takes: Takes,
}

/// What an operator takes between two places.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Takes {
    /// What is between them.
    Between,
    /// The character at the later one, too.
    Including,
    /// Whole lines.
    Lines,
}

/// A search for a character in the line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Find {
    pub(super) character: char,
    pub(super) forward: bool,
    /// Whether to stop next to it.
    pub(super) till: bool,
}

/// Returns where a motion of one letter leads; none where the letter is no motion.
pub(super) fn motion(letter: char, count: Option<usize>, buffer: &Buffer) -> Option<Motion> {
    let from = buffer.caret();
    let times = count.unwrap_or(1);
    let repeat = |step: &dyn Fn(usize) -> usize| (0..times).fold(from, |at, _| step(at));
    let (to, takes) = match letter {
        'h' => {
            let start = buffer.line_start(from);
            (repeat(&|at| buffer.before(at).max(start)), Takes::Between)
        }
        'l' => {
            let end = buffer.line_end(from);
            (repeat(&|at| buffer.behind(at).min(end)), Takes::Between)
        }
        'w' | 'W' => (repeat(&|at| next_word(buffer, at, letter == 'W')), Takes::Between),
        'b' | 'B' => (repeat(&|at| word_start(buffer, at, letter == 'B')), Takes::Between),
        'e' | 'E' => (repeat(&|at| word_end(buffer, at, letter == 'E')), Takes::Including),
        '0' => (buffer.line_start(from), Takes::Between),
        '^' => (first_letter(buffer, from), Takes::Between),
        '$' => {
            let down = (1..times).fold(from, |at, _| line_below(buffer, at));
            (buffer.line_end(down), Takes::Between)
        }
        'j' => ((0..times).fold(from, |at, _| line_below(buffer, at)), Takes::Lines),
        'k' => ((0..times).fold(from, |at, _| line_above(buffer, at)), Takes::Lines),
        'G' => (line(buffer, count), Takes::Lines),
        _ => return None,
    };
    Some(Motion { to, takes })
}

/// Returns where the line with a number begins, from 1; the last one without a number.
pub(super) fn line(buffer: &Buffer, number: Option<usize>) -> usize {
    let Some(number) = number else { return buffer.line_start(buffer.text().len()) };
    let start = (1..number).fold(0, |at, _| line_below(buffer, at));
    first_letter(buffer, start)
}

/// Returns where the search for a character leads; none where the line has no such one.
pub(super) fn find(find: Find, count: usize, buffer: &Buffer) -> Option<Motion> {
    let from = buffer.caret();
    let mut at = from;
    for _ in 0..count {
        at = if find.forward {
            let start = buffer.behind(at);
            start + buffer.slice(start..buffer.line_end(from)).find(find.character)?
        } else {
            let start = buffer.line_start(from);
            start + buffer.slice(start..at).rfind(find.character)?
        };
    }
    let to = match (find.till, find.forward) {
        (false, _) => at,
        (true, true) => buffer.before(at),
        (true, false) => buffer.behind(at),
    };
    let takes = if find.forward { Takes::Including } else { Takes::Between };
    Some(Motion { to: buffer.border(to), takes })
}

/// Returns the first place of the line around `at` with something to see.
pub(super) fn first_letter(buffer: &Buffer, at: usize) -> usize {
    let start = buffer.line_start(at);
    let line = buffer.slice(start..buffer.line_end(at));
    start + (line.len() - line.trim_start().len())
}

fn line_below(buffer: &Buffer, at: usize) -> usize {
    let end = buffer.line_end(at);
    if end == buffer.text().len() { at } else { end + 1 }
}

fn line_above(buffer: &Buffer, at: usize) -> usize {
    match buffer.line_start(at) {
        0 => at,
        start => buffer.line_start(start - 1),
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Blank,
    Word,
    Mark,
}

fn class(grapheme: &str, big: bool) -> Class {
    if grapheme.chars().all(char::is_whitespace) {
        Class::Blank
    } else if big || is_word(grapheme) {
        Class::Word
    } else {
        Class::Mark
    }
}

fn next_word(buffer: &Buffer, at: usize, big: bool) -> usize {
    let rest = buffer.slice(at..buffer.text().len());
    let mut last = None;
    for (start, grapheme) in rest.grapheme_indices(true) {
        let class = class(grapheme, big);
        let begins = class != Class::Blank && last.is_some_and(|last| last != class);
        // An empty line counts as a word.
        let empty_line = grapheme == "\n" && start > 0 && rest.get(..start).is_some_and(ends_line);
        if begins || empty_line {
            return at + start;
        }
        last = Some(class);
    }
    buffer.text().len()
}

fn ends_line(text: &str) -> bool {
    text.ends_with('\n')
}

fn word_start(buffer: &Buffer, at: usize, big: bool) -> usize {
    let mut inside: Option<Class> = None;
    for (start, grapheme) in buffer.slice(0..at).grapheme_indices(true).rev() {
        let class = class(grapheme, big);
        match inside {
            Some(inside) if inside != class => return start + grapheme.len(),
            None if class != Class::Blank => inside = Some(class),
            _ => {}
        }
    }
    0
}

fn word_end(buffer: &Buffer, at: usize, big: bool) -> usize {
    let start = buffer.behind(at);
    let rest = buffer.slice(start..buffer.text().len());
    let mut inside: Option<(Class, usize)> = None;
    for (offset, grapheme) in rest.grapheme_indices(true) {
        let class = class(grapheme, big);
        match inside {
            Some((inside, last)) if inside != class => return start + last,
            None if class == Class::Blank => {}
            _ => inside = Some((class, offset)),
        }
    }
    inside.map_or(at, |(_, last)| start + last)
}
