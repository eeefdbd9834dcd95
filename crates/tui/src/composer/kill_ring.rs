//! What was cut, to be put back.
//!
//! Owns the ring and which cuts become one. Must not know where text comes from.

use std::ops::Range;

/// How many cuts are kept.
const CAPACITY: usize = 60;

/// The cuts, with what the last thing done was.
#[derive(Debug, Clone, Default)]
pub(crate) struct KillRing {
    /// The oldest first.
    cuts: Vec<String>,
    last: Last,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
enum Last {
    #[default]
    Other,
    Cut,
    /// A cut was put back: which one, counted from the newest, and where it stands now.
    Put(usize, Range<usize>),
}

/// On which side of the caret a cut was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Before,
    Behind,
}

impl KillRing {
    /// Keeps a cut; one right after another grows it.
    pub(crate) fn cut(&mut self, text: &str, side: Side) {
        if text.is_empty() {
            return;
        }
        match self.cuts.last_mut().filter(|_| self.last == Last::Cut) {
            Some(cut) if side == Side::Before => cut.insert_str(0, text),
            Some(cut) => cut.push_str(text),
            None => {
                if self.cuts.len() == CAPACITY {
                    self.cuts.remove(0);
                }
                self.cuts.push(text.to_owned());
            }
        }
        self.last = Last::Cut;
    }

    /// Returns the newest cut.
    pub(crate) fn newest(&self) -> Option<&str> {
        self.cuts.last().map(String::as_str)
    }

    /// Returns, after a cut was put back, where it stands and the one before it.
    pub(crate) fn before_last_put(&self) -> Option<(Range<usize>, usize, &str)> {
        let Last::Put(number, place) = &self.last else { return None };
        let number = (number + 1) % self.cuts.len().max(1);
        let cut = self.cuts.iter().rev().nth(number)?;
        Some((place.clone(), number, cut))
    }

    /// Notes where a cut was put back, `number` counted from the newest.
    pub(crate) fn note_put(&mut self, number: usize, place: Range<usize>) {
        self.last = Last::Put(number, place);
    }

    /// Notes that something else was done.
    pub(crate) fn note_other(&mut self) {
        self.last = Last::Other;
    }

    /// Returns all cuts.
    pub(crate) fn cuts(&self) -> &[String] {
        &self.cuts
    }
}
