//! The stages of the search, from exact to lax.
//!
//! Owns what each stage looks for and when its finds count. A stage that finds nothing lets the
//! next one look; one that finds too much ends the search.

use super::fold::{Fold, Folded};
use super::{COUNT_LIMIT, Count, Forgiven, Found, Miss, Replacement, endings, indent};
use memchr::memmem::{self, Finder};
use std::ops::Range;

/// A text that is searched.
pub(super) struct Search<'a> {
    pub(super) text: &'a [u8],
    pub(super) is_utf8: bool,
}

/// What a stage found.
struct Stage {
    spans: Vec<Range<usize>>,
    forgiven: Vec<Forgiven>,
    replacement: Replacement,
}

impl Search<'_> {
    /// Returns where `old` is: as many places as `count` wants where it is there exactly, one
    /// place where something must be forgiven.
    pub(super) fn find(&self, old: &str, new: &str, count: Count) -> Result<Option<Found>, Miss> {
        if let Some(found) = self.settle(old, self.literal(old, new, count), count)? {
            return Ok(Some(found));
        }
        if let Some(found) = self.settle(old, self.with_any_endings(old, new, count), count)? {
            return Ok(Some(found));
        }
        if old.trim().is_empty() {
            return Ok(None);
        }
        let folds = || Fold::ALL.into_iter().filter(|fold| self.is_utf8 || !fold.typography);
        for fold in folds().filter(|fold| *fold != Fold::ENDINGS) {
            if let Some(found) = self.settle(old, self.folded(old, new, fold), Count::One)? {
                return Ok(Some(found));
            }
        }
        for fold in folds() {
            if let Some(found) = self.settle(old, self.indented(old, new, fold), Count::One)? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// Returns whether `span` is whole lines, and begins at line `first` if that is given.
    pub(super) fn is_whole_lines(&self, span: &Range<usize>, first: Option<usize>) -> bool {
        let before = span.start.checked_sub(1).and_then(|index| self.text.get(index));
        let after = self.text.get(span.end..).unwrap_or_default();
        let inside = self.text.get(span.clone()).unwrap_or_default();
        before.is_none_or(|byte| *byte == b'\n')
            && (inside.ends_with(b"\n") || is_blank_to_line_end(after))
            && first.is_none_or(|first| self.lines_of(std::slice::from_ref(span)) == [first])
    }

    /// Looks for the very bytes of `old`. Not where that would tell CRLF from LF, which the
    /// model cannot see, unless it wrote a CR itself.
    fn literal(&self, old: &str, new: &str, count: Count) -> Option<Stage> {
        let has_cr = old.contains('\r');
        if !has_cr && old.contains('\n') && self.has_crlf() {
            return None;
        }
        let starts = starts(self.text, old.as_bytes(), count);
        let spans = starts.into_iter().map(|start| start..start + old.len()).collect();
        let replacement = Replacement { text: new.to_owned(), shared: endings::shared(old, new) };
        Some(Stage { spans, forgiven: Vec::new(), replacement })
    }

    /// Looks for `old` with CRLF and LF alike.
    fn with_any_endings(&self, old: &str, new: &str, count: Count) -> Option<Stage> {
        if !old.contains('\n') || !(old.contains("\r\n") || self.has_crlf()) {
            return None;
        }
        let folded = Folded::of_file(self.text, Fold::ENDINGS);
        let wanted = Folded::of_wanted(old, Fold::ENDINGS).bytes;
        let starts = starts(&folded.bytes, &wanted, count);
        let spans = starts.into_iter().map(|start| folded.span(&(start..start + wanted.len())));
        Some(Stage { spans: spans.collect(), forgiven: Vec::new(), replacement: fitted(old, new) })
    }

    /// Looks for `old` with the differences of `fold` evened out.
    fn folded(&self, old: &str, new: &str, fold: Fold) -> Option<Stage> {
        let folded = Folded::of_file(self.text, fold);
        let wanted = Folded::of_wanted(old, fold);
        let is_line_end = |place: usize| folded.bytes.get(place).is_none_or(|byte| *byte == b'\n');
        let is_line_start = |place: usize| {
            place.checked_sub(1).is_none_or(|before| folded.bytes.get(before) == Some(&b'\n'))
        };
        // Blanks that were dropped from the ends of `old` stood at the ends of lines.
        let ranges: Vec<Range<usize>> = starts(&folded.bytes, &wanted.bytes, Count::One)
            .into_iter()
            .map(|start| start..start + wanted.bytes.len())
            .filter(|range| !wanted.end_dropped || is_line_end(range.end))
            .filter(|range| !wanted.first_line_dropped || is_line_start(range.start))
            .collect();
        let end = ranges.first()?.end;
        Some(Stage {
            spans: ranges.iter().map(|range| folded.span(range)).collect(),
            forgiven: forgiven(fold),
            replacement: unended(&folded, end, old, new),
        })
    }

    /// Looks for the lines of `old` as a block that is indented otherwise.
    fn indented(&self, old: &str, new: &str, fold: Fold) -> Option<Stage> {
        let folded = Folded::of_file(self.text, fold);
        let wanted = Folded::of_wanted(old, fold).bytes;
        let blocks = indent::find(&folded.bytes, &wanted, COUNT_LIMIT + 1);
        let (range, shift) = blocks.first()?;
        let mut replacement = unended(&folded, range.end, old, new);
        replacement.text = indent::moved(&replacement.text, shift);
        let mut forgiven = forgiven(fold);
        forgiven.push(Forgiven::Indentation);
        let spans = blocks.iter().map(|(range, _)| folded.span(range)).collect();
        Some(Stage { spans, forgiven, replacement })
    }

    /// Decides on what a stage found: nothing lets the next stage look.
    fn settle(&self, old: &str, stage: Option<Stage>, count: Count) -> Result<Option<Found>, Miss> {
        let Some(Stage { mut spans, mut forgiven, replacement }) = stage else { return Ok(None) };
        if spans.is_empty() {
            return Ok(None);
        }
        if !self.is_utf8 {
            let (inside, outside): (Vec<_>, Vec<_>) =
                spans.into_iter().partition(|span| self.may_begin_inside_character(span.start));
            if outside.is_empty() {
                return Err(Miss::InsideCharacter { lines: self.lines_of(&inside) });
            }
            spans = outside;
        }
        if spans.iter().any(|span| self.endings_differ(span, old)) {
            forgiven.insert(0, Forgiven::LineEndings);
        }
        if count == Count::One && spans.len() > 1 {
            return Err(Miss::Several { lines: self.lines_of(&spans), forgiven });
        }
        Ok(Some(Found { spans, forgiven, replacement }))
    }

    /// In the multi-byte encodings of East Asia the second byte of a character may look like
    /// ASCII.
    fn may_begin_inside_character(&self, start: usize) -> bool {
        let before = start.checked_sub(1).and_then(|index| self.text.get(index));
        before.is_some_and(|byte| !byte.is_ascii())
            && self.text.get(start).is_some_and(|byte| *byte >= b'0')
    }

    fn endings_differ(&self, span: &Range<usize>, old: &str) -> bool {
        let there = self.text.get(span.clone()).unwrap_or_default();
        let (there, wanted) = (endings::endings_in(there), endings::endings_in(old.as_bytes()));
        there.iter().zip(&wanted).any(|(there, wanted)| there != wanted)
    }

    /// Returns the lines where spans begin; they are in order, so that the text is read once.
    fn lines_of(&self, spans: &[Range<usize>]) -> Vec<usize> {
        let (mut line, mut counted) = (1, 0);
        let lines = spans.iter().map(|span| {
            let between = self.text.get(counted..span.start).unwrap_or_default();
            line += memchr::memchr_iter(b'\n', between).count();
            counted = span.start;
            line
        });
        lines.collect()
    }

    fn has_crlf(&self) -> bool {
        has_crlf(self.text)
    }
}

/// Returns the replacement for a match that ends at `end` of `folded`. Where the file lacks the
/// final newline that was matched, it goes on lacking it.
fn unended(folded: &Folded, end: usize, old: &str, new: &str) -> Replacement {
    let matches_added_newline = folded.newline_added && end == folded.bytes.len();
    match (without_newline(old), without_newline(new)) {
        (Some(old), Some(new)) if matches_added_newline => fitted(old, new),
        _ => fitted(old, new),
    }
}

/// Returns a replacement whose lines end as their neighbours do.
fn fitted(old: &str, new: &str) -> Replacement {
    let shared = endings::shared(old, new);
    let text = if old.contains('\r') { new.replace("\r\n", "\n") } else { new.to_owned() };
    Replacement { text, shared }
}

fn without_newline(text: &str) -> Option<&str> {
    text.strip_suffix("\r\n").or_else(|| text.strip_suffix('\n'))
}

fn forgiven(fold: Fold) -> Vec<Forgiven> {
    let trailing = fold.trailing.then_some(Forgiven::TrailingWhitespace);
    let typography = fold.typography.then_some(Forgiven::Typography);
    trailing.into_iter().chain(typography).collect()
}

/// Returns where `wanted` begins: for [`Count::One`] every place, overlapping ones too, up to
/// one more than are counted; for [`Count::All`] those that can be replaced.
fn starts(text: &[u8], wanted: &[u8], count: Count) -> Vec<usize> {
    match count {
        Count::All => memmem::find_iter(text, wanted).collect(),
        Count::One => {
            let finder = Finder::new(wanted);
            let mut from = 0;
            let next = || {
                let start = from + finder.find(text.get(from..)?)?;
                from = start + 1;
                Some(start)
            };
            std::iter::from_fn(next).take(COUNT_LIMIT + 1).collect()
        }
    }
}

fn is_blank_to_line_end(text: &[u8]) -> bool {
    let end = memchr::memchr(b'\n', text).unwrap_or(text.len());
    text.get(..end).unwrap_or_default().trim_ascii().is_empty()
}

fn has_crlf(text: &[u8]) -> bool {
    memmem::find(text, b"\r\n").is_some()
}
