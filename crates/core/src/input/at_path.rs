//! `@path` in typed text.
//!
//! Owns where such a word begins and how far it may reach. Must not look at the disk: whether a
//! path names anything is found out later, and what names nothing stays plain text.

/// How many are looked at: pasted text may be full of them.
pub(super) const MENTION_LIMIT: usize = 100;
/// How many marks at the end of a word may not belong to it.
const ENDING_LIMIT: usize = 6;

/// A place that may name a file.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Mention<'a> {
    /// The paths that may be meant, the longest first.
    pub(super) candidates: Vec<&'a str>,
}

/// Returns the mentions in a text, one more than the limit where there are more than that. What
/// stands in a fenced block of code is code.
pub(super) fn mentions(text: &str) -> Vec<Mention<'_>> {
    let mut found = Vec::new();
    let mut fence: Option<&str> = None;
    for line in text.lines() {
        let start = line.trim_start();
        let mark = ["```", "~~~"].into_iter().find(|mark| start.starts_with(mark));
        match (fence, mark) {
            (None, Some(mark)) => fence = Some(mark),
            (Some(open), Some(mark)) if open == mark => fence = None,
            (None, None) => mentions_in_line(line, &mut found),
            (Some(_), _) => {}
        }
        if found.len() > MENTION_LIMIT {
            found.truncate(MENTION_LIMIT + 1);
            break;
        }
    }
    found
}

fn mentions_in_line<'a>(line: &'a str, found: &mut Vec<Mention<'a>>) {
    let mut before = None;
    for (at, character) in line.char_indices() {
        if character == '@' && is_boundary(before) {
            let rest = line.get(at + 1..).unwrap_or_default();
            let candidates = quoted(rest).map_or_else(|| endings(rest), |path| vec![path]);
            if !candidates.is_empty() {
                found.push(Mention { candidates });
            }
        }
        before = Some(character);
    }
}

/// Returns whether a word begins behind this character: `a@b.c` is no path.
fn is_boundary(before: Option<char>) -> bool {
    before.is_none_or(|character| {
        character.is_whitespace()
            || matches!(character, '(' | '[' | '{' | '<' | '"' | '\'' | '“' | '‘' | '«' | '„')
    })
}

/// Returns what is between quotes, where `rest` begins with one that is closed.
fn quoted(rest: &str) -> Option<&str> {
    let quote = rest.chars().next().filter(|first| matches!(first, '"' | '\''))?;
    let (inside, _) = rest.strip_prefix(quote)?.split_once(quote)?;
    (!inside.trim().is_empty()).then_some(inside)
}

/// Returns the word at the start of `rest`, and the same with ever less of the marks at its end.
fn endings(rest: &str) -> Vec<&str> {
    let mut word = rest.split(char::is_whitespace).next().unwrap_or_default();
    let mut candidates = vec![word];
    while let Some(shorter) = word.strip_suffix(is_ending)
        && candidates.len() <= ENDING_LIMIT
    {
        word = shorter;
        candidates.push(word);
    }
    // Dots alone are a directory only where that is all of the word.
    let is_path = |path: &&str| !path.chars().all(|c| c == '.');
    let whole = candidates.first().copied().filter(|word| matches!(*word, "." | ".."));
    candidates.retain(|path| is_path(path) || whole == Some(path));
    candidates
}

fn is_ending(character: char) -> bool {
    matches!(
        character,
        '.' | ','
            | ';'
            | ':'
            | '!'
            | '?'
            | ')'
            | ']'
            | '}'
            | '>'
            | '"'
            | '\''
            | '…'
            | '”'
            | '’'
            | '»'
    )
}
