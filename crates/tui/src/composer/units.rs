//! Folds: long pastes and images that stand in the text as one character each.
//!
//! Owns what is folded, what stands for it, and what is sent. A fold's character is one that ends
//! every character as a user sees it, that no text holds (it is unassigned and invisible) and that
//! [`clean`] takes out of what is typed or pasted. Must not know where folds stand.

use letscode_wire::ImageData;
use std::borrow::Cow;
use std::sync::Arc;

/// A paste of more lines than this is folded.
const MAX_LINES: usize = 10;
/// A paste of more characters than this is folded.
const MAX_CHARACTERS: usize = 1_000;
/// A text of more bytes than this is folded, however it came: it could not be laid out at each key.
const MAX_BYTES: usize = 100_000;

const FIRST: u32 = 0xE_01F0;
const LAST: u32 = 0xE_0FFF;

/// What a fold holds.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Unit {
    /// A text, and how long it is in words.
    Paste(Arc<str>, String),
    /// An image.
    Image(ImageData),
}

/// What is sent.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Submission {
    /// The text, with pastes in full; an image's place says `[image 1]`.
    pub text: String,
    /// The images in the order in which the text names them.
    pub images: Vec<ImageData>,
}

/// The folds of a composer.
#[derive(Debug, Clone, Default)]
pub(crate) struct Units {
    units: Vec<Option<Unit>>,
}

impl Units {
    /// Returns pasted text as it goes into the text: a fold where it is long.
    pub(crate) fn fold_paste(&mut self, text: String) -> String {
        let lines = text.lines().count();
        let long = text.chars().nth(MAX_CHARACTERS).is_some();
        if lines > MAX_LINES || long { self.fold(text, lines) } else { text }
    }

    /// Returns other text as it goes into the text: a fold only where it is too long to be edited.
    pub(crate) fn fold_huge(&mut self, text: String) -> String {
        if text.len() <= MAX_BYTES {
            return text;
        }
        let lines = text.lines().count();
        self.fold(text, lines)
    }

    fn fold(&mut self, text: String, lines: usize) -> String {
        match self.next() {
            Some(character) => {
                let size = match lines {
                    0 | 1 => format!("{} characters", text.chars().count()),
                    lines => format!("{lines} lines"),
                };
                self.units.push(Some(Unit::Paste(text.into(), size)));
                character.to_string()
            }
            // Thousands of folds in one message: the text itself is as good.
            None => text,
        }
    }

    /// Returns an image as it goes into the text; none where there are too many.
    pub(crate) fn image(&mut self, image: ImageData) -> Option<char> {
        let character = self.next()?;
        self.units.push(Some(Unit::Image(image)));
        Some(character)
    }

    /// Returns text with images in place of the words that stand for them; an image that the text
    /// does not name goes to its end.
    pub(crate) fn with_images(
        &mut self,
        text: &str,
        images: impl IntoIterator<Item = (String, ImageData)>,
    ) -> String {
        let mut text = text.to_owned();
        for (label, image) in images {
            let Some(character) = self.image(image) else { break };
            match text.find(&label) {
                Some(at) => {
                    let character = character.to_string();
                    text.replace_range(at..at + label.len(), &character);
                }
                None => text.push(character),
            }
        }
        text
    }

    /// Returns a text with its folds opened.
    pub(crate) fn submission(&self, text: &str) -> Submission {
        let mut submission = Submission::default();
        for character in text.chars() {
            match self.get(character) {
                Some(Unit::Paste(paste, _)) => submission.text.push_str(paste),
                Some(Unit::Image(image)) => {
                    submission.images.push(image.clone());
                    submission.text.push_str(&image_label(submission.images.len()));
                }
                None if is_unit(character) => {}
                None => submission.text.push(character),
            }
        }
        submission
    }

    /// Returns the images of a text, in order.
    pub(crate) fn images(&self, text: &str) -> Vec<ImageData> {
        let of = |character| match self.get(character) {
            Some(Unit::Image(image)) => Some(image.clone()),
            _ => None,
        };
        text.chars().filter(|character| is_unit(*character)).filter_map(of).collect()
    }

    /// Returns what a fold is.
    pub(crate) fn get(&self, character: char) -> Option<&Unit> {
        let number = u32::from(character).checked_sub(FIRST)?;
        self.units.get(usize::try_from(number).ok()?)?.as_ref()
    }

    /// Lets go of all folds that none of `texts` holds.
    pub(crate) fn keep_those_in<'a>(&mut self, texts: impl Iterator<Item = &'a str>) {
        let mut kept = vec![false; self.units.len()];
        for character in texts.flat_map(str::chars).filter(|character| is_unit(*character)) {
            let number = usize::try_from(u32::from(character) - FIRST).unwrap_or(usize::MAX);
            if let Some(kept) = kept.get_mut(number) {
                *kept = true;
            }
        }
        for (unit, kept) in self.units.iter_mut().zip(&kept) {
            if !kept {
                *unit = None;
            }
        }
        let last = kept.iter().rposition(|kept| *kept);
        self.units.truncate(last.map_or(0, |last| last + 1));
    }

    fn next(&self) -> Option<char> {
        let number = FIRST + u32::try_from(self.units.len()).ok()?;
        char::from_u32(number).filter(|_| number <= LAST)
    }
}

/// Counts folds from the beginning of a text on, for what they are called.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Numbers {
    pastes: usize,
    images: usize,
}

impl Numbers {
    /// Returns what the next fold of the text is called.
    pub(crate) fn label(&mut self, unit: Option<&Unit>) -> String {
        match unit {
            Some(Unit::Paste(_, size)) => {
                self.pastes += 1;
                format!("[paste {}: {size}]", self.pastes)
            }
            Some(Unit::Image(_)) => {
                self.images += 1;
                image_label(self.images)
            }
            None => String::new(),
        }
    }
}

/// Returns whether a character stands for a fold.
pub(crate) fn is_unit(character: char) -> bool {
    (FIRST..=LAST).contains(&u32::from(character))
}

/// Returns what is typed, pasted or read as text can hold it: lines end with `\n`, and there is no
/// other control character but the tab.
pub(crate) fn clean(text: &str) -> Cow<'_, str> {
    let is_bad = |character: char| {
        (character.is_control() && !matches!(character, '\n' | '\t')) || is_unit(character)
    };
    if !text.contains(is_bad) {
        return Cow::Borrowed(text);
    }
    let lines = text.replace("\r\n", "\n").replace('\r', "\n");
    Cow::Owned(lines.replace(is_bad, ""))
}

/// Returns what stands for an image in what is sent.
pub(crate) fn image_label(number: usize) -> String {
    format!("[image {number}]")
}
