//! Which lines of a session file can hold a text at all, told from their bytes.
//!
//! Owns the reason for skipping a line unread: every way to write the text in JSON leaves a mark
//! that is missing. Errs on the side of reading, so whoever asks looks at the decoded text then.
//! Must not decode.
//!
//! A text is found without regard to case, so bytes tell something only of characters that one or
//! two spellings come down to. The longest stretch of these in the query must be in the line, or
//! there is something that makes spelling free: an escape by number, a character that becomes an
//! ASCII letter in lower case, or several texts that are read as one.

use memchr::memmem;

/// The characters beyond ASCII that are an ASCII letter, and maybe a mark, in lower case.
const ASCII_IN_LOWER_CASE: [(char, char); 2] = [('k', '\u{212A}'), ('i', '\u{130}')];

/// The mark behind the letter there.
const DOT_ABOVE: char = '\u{307}';

/// How often a text part's line has this: as the kind of the part and as the key of its text.
const TEXT: &[u8] = br#""text""#;
const TEXTS_OF_ONE_PART: usize = 2;

/// The bytes that are frequent in prose and programs, the most frequent first.
const FREQUENT: &[u8] = b" etaoinsrlducmpfhg_.,(){}=;:-bwyv10k2xj'345q6789z";

/// What a line must have, so that it may hold a query.
pub(super) struct Needle {
    /// In lower case; empty if the query has nothing that bytes tell of.
    stretch: Vec<u8>,
    /// The place of its rarest byte.
    rarest: usize,
    number_escape: memmem::Finder<'static>,
    text: memmem::Finder<'static>,
    /// What becomes a letter of the stretch.
    free: Vec<memmem::Finder<'static>>,
}

impl Needle {
    /// Returns the needle of a query, which is in lower case.
    pub(super) fn new(query: &str) -> Self {
        let stretches = query.split(|c: char| !is_telling(c));
        let stretch = stretches.max_by_key(|stretch| stretch.len()).unwrap_or_default();
        let free = ASCII_IN_LOWER_CASE.iter().filter(|(letter, _)| stretch.contains(*letter));
        let free = free.map(|(_, other)| memmem::Finder::new(&other.to_string()).into_owned());
        let rareness = |byte: u8| FREQUENT.iter().position(|frequent| *frequent == byte);
        let ranks = stretch.bytes().map(|byte| rareness(byte).unwrap_or(FREQUENT.len()));
        let rarest = ranks.enumerate().max_by_key(|(_, rank)| *rank).map_or(0, |(place, _)| place);
        Self {
            stretch: stretch.as_bytes().to_vec(),
            rarest,
            number_escape: memmem::Finder::new(br"\u"),
            text: memmem::Finder::new(TEXT),
            free: free.collect(),
        }
    }

    /// Returns whether the query may be in a line; false is certain.
    pub(super) fn may_be_in(&self, line: &[u8]) -> bool {
        self.has_stretch(line)
            || self.number_escape.find(line).is_some()
            || self.free.iter().any(|free| free.find(line).is_some())
            || self.text.find_iter(line).nth(TEXTS_OF_ONE_PART).is_some()
    }

    fn has_stretch(&self, line: &[u8]) -> bool {
        let Some(&rarest) = self.stretch.get(self.rarest) else { return true };
        // Any other byte is its own upper case, so it is looked for twice at once.
        memchr::memchr2_iter(rarest, rarest.to_ascii_uppercase(), line).any(|place| {
            let start = place.checked_sub(self.rarest);
            let found = start.and_then(|start| line.get(start..start + self.stretch.len()));
            found.is_some_and(|found| found.eq_ignore_ascii_case(&self.stretch))
        })
    }
}

/// Returns whether a character of a query is in a line's bytes as itself or, if it is an ASCII
/// letter, in upper case, unless something makes spelling free.
fn is_telling(c: char) -> bool {
    if c.is_ascii() {
        // The others have escapes of their own.
        return !matches!(c, '"' | '\\' | '/') && !c.is_ascii_control();
    }
    let has_no_case = c.to_uppercase().eq([c]) && c.to_lowercase().eq([c]);
    // What is no Unicode is read as replacement characters.
    has_no_case && c != DOT_ABOVE && c != char::REPLACEMENT_CHARACTER
}

#[cfg(test)]
mod tests;
