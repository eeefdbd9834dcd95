//! Fuzzy matching of rows against what a person types.
//!
//! Owns the matcher and how matched letters look. Must not know lists.

use crate::text::{Line, Span, Style};
use crate::theme;
use nucleo_matcher::pattern::{AtomKind, CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};
use unicode_segmentation::UnicodeSegmentation as _;

/// A query with what it takes to match texts against it. Words of the query may match in any order;
/// a capital letter makes its word mind case.
pub(crate) struct Fuzzy {
    matcher: Matcher,
    pattern: Pattern,
    characters: Vec<char>,
}

impl Fuzzy {
    /// Returns a matcher for names and prose.
    pub(crate) fn new() -> Self {
        Self::with(Config::DEFAULT)
    }

    /// Returns a matcher that prefers beginnings of the parts of paths.
    pub(crate) fn for_paths() -> Self {
        Self::with(Config::DEFAULT.match_paths())
    }

    fn with(config: Config) -> Self {
        Self { matcher: Matcher::new(config), pattern: Pattern::default(), characters: Vec::new() }
    }

    /// Changes the query; an empty one matches everything.
    pub(crate) fn set_query(&mut self, query: &str) {
        let (case, accents) = (CaseMatching::Smart, Normalization::Smart);
        self.pattern = Pattern::new(query, case, accents, AtomKind::Fuzzy);
    }

    /// Returns how well a text matches, more being better; none where it does not.
    pub(crate) fn score(&mut self, text: &str) -> Option<u32> {
        let haystack = Utf32Str::new(text, &mut self.characters);
        self.pattern.score(haystack, &mut self.matcher)
    }

    /// Returns which characters of a clean text match, counted as a user sees them, in order.
    pub(crate) fn matched(&mut self, text: &str) -> Vec<usize> {
        let mut indices = Vec::new();
        let haystack = Utf32Str::new(text, &mut self.characters);
        if self.pattern.indices(haystack, &mut self.matcher, &mut indices).is_none() {
            return Vec::new();
        }
        indices.sort_unstable();
        indices.dedup();
        indices.into_iter().filter_map(|index| usize::try_from(index).ok()).collect()
    }
}

/// Adds a clean text to a line, with the characters in `matched` in the look of a match. `first` is
/// the number that its first character has there.
pub(crate) fn push_matched(
    line: &mut Line,
    text: &str,
    style: Style,
    matched: &[usize],
    first: usize,
) {
    if matched.is_empty() {
        line.push(Span::new(text.to_owned(), style));
        return;
    }
    for (number, grapheme) in text.graphemes(true).enumerate() {
        let hit = matched.binary_search(&(first + number)).is_ok();
        let style = if hit { style.with(theme::MATCH) } else { style };
        line.push(Span::new(grapheme.to_owned(), style));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_match_in_order_with_gaps_and_are_told() {
        let mut fuzzy = Fuzzy::new();
        for (query, text, expected) in [
            ("", "anything", Some(vec![])),
            ("mod", "model", Some(vec![0, 1, 2])),
            ("ml", "model", Some(vec![0, 4])),
            ("el mo", "model", Some(vec![0, 1, 3, 4])),
            ("é", "cafe\u{301}", None),
            ("gr", "größer", Some(vec![0, 1])),
            ("o", "größer", Some(vec![2])),
            ("M", "model", None),
            ("xyz", "model", None),
        ] {
            fuzzy.set_query(query);
            assert_eq!(fuzzy.score(text).is_some(), expected.is_some(), "{query} {text}");
            assert_eq!(fuzzy.matched(text), expected.unwrap_or_default(), "{query} {text}");
        }
    }

    #[test]
    fn matched_letters_look_like_it() {
        let mut line = Line::empty();
        push_matched(&mut line, "漢a", Style::PLAIN, &[4], 3);
        assert_eq!(
            line.spans,
            [Span::plain("漢"), Span::new("a", Style::PLAIN.with(theme::MATCH))]
        );
    }
}
