//! Many paths in little memory, and those among them that fit a query best.
//!
//! Owns the ranking. Must not know where the paths come from.

use nucleo_matcher::pattern::{AtomKind, CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};
use std::cmp::Reverse;

/// How much of a query is looked at, in characters.
const LONGEST_QUERY: usize = 200;

/// Paths, one behind the other in one text.
#[derive(Debug, Default)]
pub(super) struct Paths {
    text: String,
    /// Where each path ends; it begins where the one before ends.
    ends: Vec<u32>,
}

/// A path that fits a query.
struct Match<'a> {
    score: u32,
    /// Of two with the same score, the one that has less of this is better.
    rank: usize,
    path: &'a str,
}

impl Paths {
    /// Adds a path. There must not be 4 GiB of them.
    pub(super) fn push(&mut self, path: &str) {
        self.text.push_str(path);
        self.ends.push(u32::try_from(self.text.len()).unwrap_or(u32::MAX));
    }

    /// Adds the paths of another list.
    pub(super) fn append(&mut self, other: &Self) {
        other.iter().for_each(|path| self.push(path));
    }

    /// Returns how many paths there are.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns at most `limit` paths that have the characters of `query` in their order, the
    /// best first; of an empty query those nearest to the top.
    pub(super) fn best(&self, query: &str, limit: usize) -> Vec<String> {
        let query = query.trim_start_matches("./");
        let end = query.char_indices().nth(LONGEST_QUERY).map_or(query.len(), |(end, _)| end);
        let query = query.get(..end).unwrap_or_default();
        let takes_hidden = is_hidden(query);
        let pattern =
            Pattern::new(query, CaseMatching::Smart, Normalization::Smart, AtomKind::Fuzzy);
        let mut matcher = Matcher::new(Config::DEFAULT.match_paths());
        let mut characters = Vec::new();
        let mut matches: Vec<Match<'_>> = Vec::new();
        for path in self.iter().filter(|path| takes_hidden || !is_hidden(path)) {
            let text = Utf32Str::new(path, &mut characters);
            let Some(score) = pattern.score(text, &mut matcher) else { continue };
            let rank = if query.is_empty() { depth(path) } else { path.len() };
            matches.push(Match { score, rank, path });
        }
        let by_worth = |one: &Match<'_>, other: &Match<'_>| one.worth().cmp(&other.worth());
        if limit < matches.len() {
            matches.select_nth_unstable_by(limit, by_worth);
            matches.truncate(limit);
        }
        matches.sort_unstable_by(by_worth);
        matches.into_iter().map(|found| found.path.to_owned()).collect()
    }

    fn iter(&self) -> impl Iterator<Item = &str> {
        let mut start = 0;
        self.ends.iter().map(move |end| {
            let end = *end as usize;
            let path = self.text.get(start..end).unwrap_or_default();
            start = end;
            path
        })
    }
}

impl Match<'_> {
    /// Returns what the order goes by; less is better.
    fn worth(&self) -> (Reverse<u32>, usize, &str) {
        (Reverse(self.score), self.rank, self.path)
    }
}

/// Returns whether a part of the path begins with a dot.
fn is_hidden(path: &str) -> bool {
    path.starts_with('.') || path.contains("/.")
}

/// Returns how many folders a path is below.
fn depth(path: &str) -> usize {
    path.trim_end_matches('/').bytes().filter(|byte| *byte == b'/').count()
}
