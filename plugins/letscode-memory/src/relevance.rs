//! Which memories have to do with what the user just said.
//!
//! Owns the comparison by words: cheap, and the same on every machine. Must not know where memories
//! come from.

use std::cmp::Reverse;
use std::collections::HashSet;

/// Shorter words say too little to compare by.
const SHORTEST_WORD: usize = 3;

/// Words that stand in any sentence.
const COMMON: [&str; 44] = [
    "about", "after", "all", "also", "and", "any", "are", "because", "been", "but", "can", "could",
    "did", "does", "for", "from", "had", "has", "have", "how", "into", "its", "just", "more",
    "not", "our", "out", "should", "some", "than", "that", "the", "them", "then", "there", "they",
    "this", "was", "what", "when", "will", "with", "would", "you",
];

/// Returns the memories that share words with `message`, those that share the most first and at
/// most `most` of them. Of two that share as many the earlier in the list comes first.
pub(crate) fn relevant(memories: Vec<String>, message: &str, most: usize) -> Vec<String> {
    let asked = words(message);
    let shared = |memory: &String| words(memory).intersection(&asked).count();
    let mut scored: Vec<(usize, String)> = memories
        .into_iter()
        .map(|memory| (shared(&memory), memory))
        .filter(|(score, _)| *score > 0)
        .collect();
    scored.sort_by_key(|(score, _)| Reverse(*score));
    scored.into_iter().map(|(_, memory)| memory).take(most).collect()
}

fn words(text: &str) -> HashSet<String> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| word.chars().count() >= SHORTEST_WORD)
        .map(str::to_lowercase)
        .filter(|word| !COMMON.contains(&word.as_str()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(message: &str, most: usize, expected: &[&str]) {
        let memories = [
            "Tests run with pytest, never with unittest.",
            "The user likes short answers.",
            "Run the tests before each commit.",
            "Größe heißt hier Höhe.",
        ];
        let memories = memories.map(str::to_owned).to_vec();
        assert_eq!(relevant(memories, message, most), expected, "{message:?} {most}");
    }

    #[test]
    fn those_that_share_the_most_words_come_first() {
        let [pytest, short, commit, height] = [
            "Tests run with pytest, never with unittest.",
            "The user likes short answers.",
            "Run the tests before each commit.",
            "Größe heißt hier Höhe.",
        ];
        check("RUN the tests, then commit", 5, &[commit, pytest]);
        check("run the tests", 5, &[pytest, commit]);
        check("run the tests", 1, &[pytest]);
        check("run the tests", 0, &[]);
        check("a short one", 5, &[short]);
        check("welche HÖHE?", 5, &[height]);
        for nothing in ["", "and what is there?", "deploy it", "is in on at"] {
            check(nothing, 5, &[]);
        }
    }
}
