//! Many paths in little memory, and those among them that fit a query best.
//!
//! Owns the ranking. Must not know where the paths come from.

use nucleo_matcher::pattern::{AtomKind, CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};
use std::cmp::{Ordering, Reverse};
use std::num::NonZero;
use std::thread;

/// How much of a query is looked at, in characters.
const LONGEST_QUERY: usize = 200;

/// From so many paths on several threads look through them.
const MANY: usize = 20_000;

/// So many threads at most.
const MOST_THREADS: usize = 4;

/// Paths, one behind the other in one text.
#[derive(Debug, Default)]
pub(super) struct Paths {
    text: String,
    /// Where each path ends; it begins where the one before ends.
    ends: Vec<u32>,
}

/// What is looked for.
struct Wanted<'a> {
    query: &'a str,
    pattern: Pattern,
    limit: usize,
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
        let pattern =
            Pattern::new(query, CaseMatching::Smart, Normalization::Smart, AtomKind::Fuzzy);
        let wanted = Wanted { query, pattern, limit };
        let mut matches = self.matches(&wanted);
        matches.sort_unstable_by(Match::order);
        matches.truncate(limit);
        matches.into_iter().map(|found| found.path.to_owned()).collect()
    }

    /// Returns the best matches, in any order: of many paths by several threads, as a key waits for them.
    fn matches(&self, wanted: &Wanted<'_>) -> Vec<Match<'_>> {
        let threads = thread::available_parallelism().map_or(1, NonZero::get).min(MOST_THREADS);
        if self.len() < MANY || threads == 1 {
            return wanted.best_of(self.range(0, self.len()));
        }
        let part = self.len().div_ceil(threads);
        thread::scope(|scope| {
            let parts = (0..threads).map(|number| {
                let paths = self.range(number * part, part);
                scope.spawn(move || wanted.best_of(paths))
            });
            let running: Vec<_> = parts.collect();
            running.into_iter().filter_map(|part| part.join().ok()).flatten().collect()
        })
    }

    fn iter(&self) -> impl Iterator<Item = &str> {
        self.range(0, self.len())
    }

    /// Returns `count` paths from the one with the number `first` on, or as many as there are.
    fn range(&self, first: usize, count: usize) -> impl Iterator<Item = &str> + Send {
        let before = first.checked_sub(1).and_then(|before| self.ends.get(before));
        let mut start = before.map_or(0, |end| *end as usize);
        self.ends.iter().skip(first).take(count).map(move |end| {
            let end = *end as usize;
            let path = self.text.get(start..end).unwrap_or_default();
            start = end;
            path
        })
    }
}

impl Match<'_> {
    /// Tells which one is better; that one is less.
    fn order(&self, other: &Self) -> Ordering {
        let worth = |found: &Self| (Reverse(found.score), found.rank);
        worth(self).cmp(&worth(other)).then_with(|| self.path.cmp(other.path))
    }
}

impl Wanted<'_> {
    /// Returns at most `limit` of the paths that fit, the best ones, in any order.
    fn best_of<'p>(&self, paths: impl Iterator<Item = &'p str>) -> Vec<Match<'p>> {
        let takes_hidden = is_hidden(self.query);
        let mut matcher = Matcher::new(Config::DEFAULT.match_paths());
        let mut characters = Vec::new();
        let mut matches: Vec<Match<'_>> = Vec::new();
        for path in paths.filter(|path| takes_hidden || !is_hidden(path)) {
            let text = Utf32Str::new(path, &mut characters);
            let Some(score) = self.pattern.score(text, &mut matcher) else { continue };
            let rank = if self.query.is_empty() { depth(path) } else { path.len() };
            matches.push(Match { score, rank, path });
        }
        if self.limit < matches.len() {
            matches.select_nth_unstable_by(self.limit, Match::order);
            matches.truncate(self.limit);
        }
        matches
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
