//! The lines of a text that are most like one that was not found, and what differs.
//!
//! Owns the measure of likeness. For error messages only: nothing is ever replaced here.

use super::fold::{Fold, Folded};
use std::collections::HashMap;

/// How many lines of the wanted text are compared.
const COMPARED_LINES: usize = 200;
/// How many bytes of a line are compared for likeness.
const COMPARED_BYTES: usize = 300;
/// How many lines of the file are compared for likeness.
const LIKELY_LINES: usize = 100_000;
/// How many lines are shown.
const SHOWN_LINES: usize = 12;
/// Lines less alike than this are not shown.
const LEAST_LIKENESS: f64 = 0.5;
/// A shorter line (a brace, a blank) is no sign of the place.
const TELLING_LENGTH: usize = 3;

/// The lines of a text that are most like the wanted ones.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::tools) struct Near {
    /// The number, from 1, of the first line.
    pub(in crate::tools) first_line: usize,
    /// The lines without their endings, decoded lossily.
    pub(in crate::tools) lines: Vec<String>,
    /// The first line that differs.
    pub(in crate::tools) difference: Option<(usize, Difference)>,
}

/// What differs between a line of the file and a wanted one.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::tools) enum Difference {
    /// The blanks in front: those of the file, those of the wanted line.
    Indentation(String, String),
    /// The blanks at the end.
    TrailingWhitespace,
    /// Quotes, dashes or spaces that look alike.
    Typography,
    /// Upper and lower case.
    Case,
    /// The blanks between words.
    InnerWhitespace,
    /// Anything else; this is the wanted line.
    Text(String),
}

/// Returns the lines of `text` that are most like `wanted`, if any are like it at all.
pub(in crate::tools) fn nearest(text: &[u8], wanted: &str) -> Option<Near> {
    let wanted_lines: Vec<&str> = wanted.lines().take(COMPARED_LINES).collect();
    let lax = Fold { trailing: true, typography: true };
    let folded = Folded::of_file(text, lax);
    let wanted_folded: Vec<Folded> =
        wanted_lines.iter().map(|line| Folded::of_wanted(line, lax)).collect();
    let wanted_keys: Vec<&[u8]> =
        wanted_folded.iter().map(|line| line.bytes.trim_ascii()).collect();

    let file_keys = || folded.bytes.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    let first = by_equal_lines(file_keys(), &wanted_keys)
        .or_else(|| by_likeness(file_keys(), &wanted_keys))?;

    let lines: Vec<String> = text
        .split(|byte| *byte == b'\n')
        .skip(first)
        .take(wanted_lines.len())
        .map(|line| String::from_utf8_lossy(line.strip_suffix(b"\r").unwrap_or(line)).into_owned())
        .collect();
    let last = wanted_lines.len() - 1;
    let mut pairs = lines.iter().zip(&wanted_lines).enumerate();
    let difference = pairs.find_map(|(index, (line, wanted))| {
        let is_equal = match (index == 0, index == last) {
            (true, true) => line.contains(wanted),
            (true, false) => line.ends_with(wanted),
            (false, true) => line.starts_with(wanted),
            (false, false) => line == wanted,
        };
        (!is_equal).then(|| (index, difference(line, wanted)))
    });
    // The line that differs is always among those that are shown.
    let skipped =
        difference.as_ref().map_or(0, |(index, _)| (index + 1).saturating_sub(SHOWN_LINES));
    Some(Near {
        first_line: first + skipped + 1,
        lines: lines.into_iter().skip(skipped).take(SHOWN_LINES).collect(),
        difference: difference.map(|(index, difference)| (first + index + 1, difference)),
    })
}

/// Returns the first line of the place where most lines are the wanted ones, blanks around them
/// and typography aside.
fn by_equal_lines<'a>(file: impl Iterator<Item = &'a [u8]>, wanted: &[&[u8]]) -> Option<usize> {
    let mut places: HashMap<&[u8], Vec<usize>> = HashMap::new();
    for (index, key) in wanted.iter().enumerate().filter(|(_, key)| key.len() >= TELLING_LENGTH) {
        places.entry(key).or_default().push(index);
    }
    let mut votes: HashMap<usize, usize> = HashMap::new();
    for (line, key) in file.enumerate() {
        for index in places.get(key).into_iter().flatten() {
            if let Some(first) = line.checked_sub(*index) {
                *votes.entry(first).or_default() += 1;
            }
        }
    }
    let most = votes.values().copied().max()?;
    votes.into_iter().filter(|(_, count)| *count == most).map(|(first, _)| first).min()
}

/// Returns the first line of the place where a line is most like the longest wanted one.
fn by_likeness<'a>(file: impl Iterator<Item = &'a [u8]>, wanted: &[&[u8]]) -> Option<usize> {
    let (index, longest) = wanted.iter().enumerate().max_by_key(|(_, key)| key.len())?;
    let wanted_pairs = Pairs::of(longest);
    let mut best: Option<(usize, f64)> = None;
    for (line, key) in file.take(LIKELY_LINES).enumerate() {
        let likeness = likeness(&wanted_pairs, key);
        if likeness >= best.map_or(LEAST_LIKENESS, |(_, best)| best + f64::EPSILON) {
            best = Some((line, likeness));
        }
    }
    best.map(|(line, _)| line.saturating_sub(index))
}

/// Returns which part of their pairs of neighbouring bytes two lines share, from 0 to 1.
fn likeness(wanted: &Pairs, key: &[u8]) -> f64 {
    let total = wanted.total + key.len().clamp(1, COMPARED_BYTES) - 1;
    let limit = 2 * wanted.total.min(total - wanted.total);
    // Too short or too long to be alike, whatever it holds: most lines end here.
    if total == 0 || ratio(limit, total) < LEAST_LIKENESS {
        return 0.0;
    }
    let counts = Pairs::of(key).counts;
    let common: usize =
        counts.iter().filter_map(|(pair, count)| Some(*count.min(wanted.counts.get(pair)?))).sum();
    ratio(2 * common, total)
}

#[expect(clippy::cast_precision_loss, reason = "both are below a thousand")]
fn ratio(part: usize, whole: usize) -> f64 {
    part as f64 / whole as f64
}

/// How often each pair of neighbouring bytes is in a line, case aside.
struct Pairs {
    counts: HashMap<(u8, u8), usize>,
    total: usize,
}

impl Pairs {
    fn of(line: &[u8]) -> Self {
        let line = line.get(..COMPARED_BYTES).unwrap_or(line).to_ascii_lowercase();
        let mut counts = HashMap::new();
        for pair in line.iter().copied().zip(line.iter().copied().skip(1)) {
            *counts.entry(pair).or_default() += 1;
        }
        Self { counts, total: line.len().saturating_sub(1) }
    }
}

fn difference(line: &str, wanted: &str) -> Difference {
    let folded = |text: &str| {
        Folded::of_wanted(text.trim(), Fold { trailing: true, typography: true }).bytes
    };
    let squeezed = |text: &str| text.split_whitespace().collect::<String>();
    if line.trim_end() == wanted.trim_end() {
        Difference::TrailingWhitespace
    } else if line.trim() == wanted.trim() {
        Difference::Indentation(indentation(line), indentation(wanted))
    } else if folded(line) == folded(wanted) {
        Difference::Typography
    } else if line.trim().to_lowercase() == wanted.trim().to_lowercase() {
        Difference::Case
    } else if squeezed(line) == squeezed(wanted) {
        Difference::InnerWhitespace
    } else {
        Difference::Text(wanted.to_owned())
    }
}

fn indentation(line: &str) -> String {
    line.chars().take_while(|character| character.is_whitespace()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, wanted: &str) -> (usize, usize, Difference) {
        let near = nearest(text.as_bytes(), wanted).unwrap();
        let (line, difference) = near.difference.unwrap();
        (near.first_line, line, difference)
    }

    #[test]
    fn a17_the_difference_is_named() {
        let text = "fn main() {\n\tlet a = 1;\n    call(“x”, a);\n}\n";
        let indented = Difference::Indentation("\t".to_owned(), "  ".to_owned());
        assert_eq!(check(text, "  let a = 1;\n  other();"), (2, 2, indented));
        assert_eq!(check(text, "let A = 1;"), (2, 2, Difference::Case));
        assert_eq!(check(text, "let a=1;"), (2, 2, Difference::InnerWhitespace));
        assert_eq!(check(text, "call(\"x\", a);\n]"), (3, 3, Difference::Typography));
        let other = Difference::Text("let a = 2;".to_owned());
        assert_eq!(check(text, "let a = 2;"), (2, 2, other));
        assert_eq!(check("a b c \nd\n", "a b c\ne").2, Difference::TrailingWhitespace);
    }

    #[test]
    fn a17_the_place_with_most_equal_lines_wins() {
        let text = "one\nx\nthree\n\none\ntwo\nthree\n";
        let other = Difference::Text("zzz".to_owned());
        let near = nearest(text.as_bytes(), "one\ntwo\nthree\nzzz").unwrap();
        assert_eq!((near.first_line, near.difference), (5, Some((8, other))));
    }

    #[test]
    fn a17_the_line_that_differs_is_shown_however_late_it_comes() {
        let text: String = (0..100).map(|number| format!("line {number}\n")).collect();
        let wanted = text.replace("line 60\n", "line sixty\n");
        let near = nearest(text.as_bytes(), &wanted).unwrap();
        let other = Difference::Text("line sixty".to_owned());
        assert_eq!((near.first_line, near.difference), (50, Some((61, other))));
        assert_eq!((near.lines.len(), near.lines.last().unwrap().as_str()), (12, "line 60"));
    }

    #[test]
    fn nothing_alike_is_nothing() {
        for (text, wanted) in [("", "abc"), ("\n\n", "abc"), ("abc\n", "zzz"), ("abc", "\n")] {
            assert_eq!(nearest(text.as_bytes(), wanted), None, "{text:?} {wanted:?}");
        }
    }
}
