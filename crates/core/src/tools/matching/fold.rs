//! Texts in a folded form: differences that do not count are evened out, and every place of the
//! folded form leads back to the bytes that it came from.
//!
//! Owns what each difference is. The folded form is for searching only: it is never written.

use std::ops::Range;

/// The differences to even out. CRLF and LF are always alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Fold {
    /// Blanks at the end of lines, and a missing final newline.
    pub(super) trailing: bool,
    /// Typographic quotes, dashes and spaces.
    pub(super) typography: bool,
}

impl Fold {
    /// Nothing but line endings.
    pub(super) const ENDINGS: Self = Self { trailing: false, typography: false };

    /// From strict to lax.
    pub(super) const ALL: [Self; 4] = [
        Self::ENDINGS,
        Self { trailing: true, typography: false },
        Self { trailing: false, typography: true },
        Self { trailing: true, typography: true },
    ];
}

/// A text in folded form.
#[derive(Debug)]
pub(super) struct Folded {
    /// The folded text. Each line ends in LF.
    pub(super) bytes: Vec<u8>,
    /// Whether blanks at the very end were dropped.
    pub(super) end_dropped: bool,
    /// Whether the first line was nothing but blanks, which were dropped.
    pub(super) first_line_dropped: bool,
    /// Whether `bytes` ends in a newline that the text lacks.
    pub(super) newline_added: bool,
    shifts: Vec<Shift>,
}

/// From this place on, folded and original places differ by another amount than before.
#[derive(Debug, Clone, Copy)]
struct Shift {
    folded: usize,
    /// Where, in the original, that ends which is left of the place.
    left: usize,
    /// Where, in the original, that begins which is right of the place.
    right: usize,
}

impl Folded {
    /// Returns the folded form of a file's text. With trailing blanks, its last line counts as
    /// ended.
    pub(super) fn of_file(text: &[u8], fold: Fold) -> Self {
        let mut folded = Self::new(text, fold);
        let is_open = folded.bytes.last().is_some_and(|last| *last != b'\n');
        if fold.trailing && is_open {
            folded.bytes.push(b'\n');
            folded.shift(text.len(), text.len());
            folded.newline_added = true;
        }
        folded
    }

    /// Returns the folded form of a text that is searched for.
    pub(super) fn of_wanted(text: &str, fold: Fold) -> Self {
        Self::new(text.as_bytes(), fold)
    }

    /// Returns the bytes of the original that `range` of the folded text came from.
    pub(super) fn span(&self, range: &Range<usize>) -> Range<usize> {
        self.start_of(range.start)..self.end_of(range.end)
    }

    fn start_of(&self, place: usize) -> usize {
        self.shift_before(place).map_or(place, |shift| shift.right + (place - shift.folded))
    }

    fn end_of(&self, place: usize) -> usize {
        match self.shift_before(place) {
            Some(shift) if shift.folded == place => shift.left,
            Some(shift) => shift.right + (place - shift.folded),
            None => place,
        }
    }

    fn new(text: &[u8], fold: Fold) -> Self {
        let mut folded = Self {
            bytes: Vec::with_capacity(text.len() + 1),
            end_dropped: false,
            first_line_dropped: false,
            newline_added: false,
            shifts: Vec::new(),
        };
        let mut place = 0;
        while let Some(rest) = text.get(place..).filter(|rest| !rest.is_empty()) {
            let (byte, length) = token(rest, fold);
            if byte == b'\n' && fold.trailing {
                let dropped = folded.drop_blanks(place);
                folded.first_line_dropped |= dropped && folded.bytes.is_empty();
            }
            folded.bytes.push(byte);
            place += length;
            if length > 1 {
                folded.shift(place, place);
            }
        }
        if fold.trailing {
            folded.end_dropped = folded.drop_blanks(text.len());
        }
        folded
    }

    /// Takes the blanks off the end; `place` is how far the original is read.
    fn drop_blanks(&mut self, place: usize) -> bool {
        let kept = length_without_blanks(&self.bytes);
        if kept == self.bytes.len() {
            return false;
        }
        let left = self.end_of(kept);
        self.bytes.truncate(kept);
        while self.shifts.last().is_some_and(|shift| shift.folded >= kept) {
            self.shifts.pop();
        }
        self.shift(left, place);
        true
    }

    fn shift(&mut self, left: usize, right: usize) {
        self.shifts.push(Shift { folded: self.bytes.len(), left, right });
    }

    fn shift_before(&self, place: usize) -> Option<&Shift> {
        let after = self.shifts.partition_point(|shift| shift.folded <= place);
        after.checked_sub(1).and_then(|index| self.shifts.get(index))
    }
}

/// Returns the length of `text` without spaces and tabs at its end.
fn length_without_blanks(text: &[u8]) -> usize {
    text.iter().rposition(|byte| !matches!(byte, b' ' | b'\t')).map_or(0, |last| last + 1)
}

/// Returns the folded form of what `rest` begins with, and how many bytes that is.
fn token(rest: &[u8], fold: Fold) -> (u8, usize) {
    match rest {
        [b'\r', b'\n', ..] => (b'\n', 2),
        [0xC2, 0xA0, ..] if fold.typography => (b' ', 2),
        [first @ (0xE2 | 0xE3), second, third, ..] if fold.typography => {
            match plain_form([*first, *second, *third]) {
                Some(plain) => (plain, 3),
                None => (*first, 1),
            }
        }
        [byte, ..] => (*byte, 1),
        [] => (0, 0),
    }
}

/// Returns the ASCII character that a typographic one stands for.
fn plain_form(encoded: [u8; 3]) -> Option<u8> {
    let character = std::str::from_utf8(&encoded).ok()?.chars().next()?;
    match character {
        '\u{2018}'..='\u{201B}' | '\u{2032}' => Some(b'\''),
        '\u{201C}'..='\u{201F}' | '\u{2033}' => Some(b'"'),
        '\u{2010}'..='\u{2015}' | '\u{2212}' => Some(b'-'),
        '\u{2000}'..='\u{200A}' | '\u{202F}' | '\u{205F}' | '\u{3000}' => Some(b' '),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const LAX: Fold = Fold { trailing: true, typography: true };

    #[test]
    fn a09_folding_evens_out_what_does_not_count() {
        let folded = Folded::of_file("a  \r\n“b”\u{a0}\n \nc—d\t".as_bytes(), LAX);
        assert_eq!(folded.bytes, b"a\n\"b\"\n\nc-d\n");
        assert!(folded.newline_added && folded.end_dropped && !folded.first_line_dropped);
        let wanted = Folded::of_wanted("  \nx", LAX);
        assert_eq!(wanted.bytes, b"\nx");
        assert!(wanted.first_line_dropped && !wanted.newline_added);
    }

    #[test]
    fn a09_places_lead_back_to_the_original() {
        let text = "a  \r\n“b”\u{a0}\nc";
        let folded = Folded::of_file(text.as_bytes(), LAX);
        let back = |wanted: &str| {
            let start = memchr::memmem::find(&folded.bytes, wanted.as_bytes()).unwrap();
            &text[folded.span(&(start..start + wanted.len()))]
        };
        assert_eq!(back("a"), "a");
        assert_eq!(back("a\n"), "a  \r\n");
        assert_eq!(back("\n\"b\""), "\r\n“b”");
        assert_eq!(back("b"), "b");
        assert_eq!(back("\"\nc"), "”\u{a0}\nc");
        assert_eq!(back("c\n"), "c");
    }

    proptest! {
        /// Folding any span that leads back to the original gives the folded span again.
        #[test]
        fn a09_a_span_and_its_original_fold_alike(
            text in r#"[ab “’–\u{a0}\t\r\n]{0,24}"#,
            from in 0usize..24,
            length in 1usize..24,
        ) {
            for fold in Fold::ALL {
                let folded = Folded::of_file(text.as_bytes(), fold);
                let to = from + length;
                let Some(span) = folded.bytes.get(from..to) else { continue };
                let Range { start, end } = folded.span(&(from..to));
                prop_assert!(start <= end && end <= text.len());
                let again = Folded::new(text.as_bytes().get(start..end).unwrap(), fold);
                let ended = folded.newline_added && to == folded.bytes.len();
                let expected = if ended { &span[..span.len() - 1] } else { span };
                // A span that stops before the newline may end in blanks that were no line's end.
                let expected = if fold.trailing {
                    &expected[..length_without_blanks(expected)]
                } else {
                    expected
                };
                prop_assert_eq!(again.bytes.as_slice(), expected);
            }
        }
    }
}
