//! What was changed in a text, to take it back and to do it again.
//!
//! Owns which changes belong together. Must not hold the text itself.

/// A change: at a place, a text was taken out and another put in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Edit {
    pub(crate) at: usize,
    pub(crate) removed: String,
    pub(crate) inserted: String,
    /// Where the caret was before.
    pub(crate) caret_before: usize,
    /// Where the caret was behind it.
    pub(crate) caret_after: usize,
}

/// What kind of change an edit is: like ones that follow each other are taken back together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Characters were typed: a word with the blanks behind it is one step.
    Typed,
    /// Characters were taken away one by one.
    Erased,
    /// Something that stands alone.
    Alone,
}

/// The changes so far.
#[derive(Debug, Clone, Default)]
pub(crate) struct Undo {
    done: Vec<Edit>,
    undone: Vec<Edit>,
    /// What the last change may grow by.
    open: Option<Kind>,
}

impl Undo {
    /// Notes a change that was made.
    pub(crate) fn note(&mut self, edit: Edit, kind: Kind) {
        self.undone.clear();
        let grows = self.open == Some(kind)
            && self.done.last_mut().is_some_and(|last| grow(last, &edit, kind));
        if !grows {
            self.done.push(edit);
        }
        self.open = Some(kind).filter(|kind| *kind != Kind::Alone);
    }

    /// Says that the caret moved: the next change is a step of its own.
    pub(crate) fn close(&mut self) {
        self.open = None;
    }

    /// Returns the change to take back.
    pub(crate) fn undo(&mut self) -> Option<Edit> {
        self.close();
        let edit = self.done.pop()?;
        self.undone.push(edit.clone());
        Some(edit)
    }

    /// Returns the change to make again.
    pub(crate) fn redo(&mut self) -> Option<Edit> {
        self.close();
        let edit = self.undone.pop()?;
        self.done.push(edit.clone());
        Some(edit)
    }
}

/// Adds a change to the last one where they belong together, and returns whether they did.
fn grow(last: &mut Edit, edit: &Edit, kind: Kind) -> bool {
    match kind {
        Kind::Typed => {
            let follows = edit.removed.is_empty() && edit.at == last.at + last.inserted.len();
            let begins_word = last.inserted.ends_with(char::is_whitespace)
                && !edit.inserted.starts_with(char::is_whitespace);
            if !follows || begins_word {
                return false;
            }
            last.inserted.push_str(&edit.inserted);
        }
        Kind::Erased => {
            if !edit.inserted.is_empty() || !last.inserted.is_empty() {
                return false;
            }
            if edit.at + edit.removed.len() == last.at {
                last.removed.insert_str(0, &edit.removed);
                last.at = edit.at;
            } else if edit.at == last.at {
                last.removed.push_str(&edit.removed);
            } else {
                return false;
            }
        }
        Kind::Alone => return false,
    }
    last.caret_after = edit.caret_after;
    true
}
