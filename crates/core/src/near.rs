//! Names that may be meant by one that does not exist.
//!
//! Owns how alike two names are. Must not know what they name.

/// Of a longer name only the beginning is looked at, in characters.
const LOOKED_AT: usize = 100;

/// Returns how alike two names are, from 0 to 1: the share of their characters that they have in
/// common, in the same order.
pub(crate) fn likeness(one: &str, other: &str) -> f32 {
    let other: Vec<char> = other.chars().take(LOOKED_AT).collect();
    let one: Vec<char> = one.chars().take(LOOKED_AT).collect();
    let length = one.len() + other.len();
    if length == 0 {
        return 1.0;
    }
    2.0 * common(&one, &other) as f32 / length as f32
}

/// Returns at most `limit` of the names that are at least so much like `name`, the most alike first.
pub(crate) fn nearest<'a>(
    name: &str,
    names: &[&'a str],
    limit: usize,
    at_least: f32,
) -> Vec<&'a str> {
    let likeness = |known: &&'a str| (likeness(name, known), *known);
    let mut near: Vec<(f32, &str)> =
        names.iter().map(likeness).filter(|(likeness, _)| *likeness >= at_least).collect();
    near.sort_by(|one, other| other.0.total_cmp(&one.0).then_with(|| one.1.cmp(other.1)));
    near.into_iter().take(limit).map(|(_, known)| known).collect()
}

/// Returns the length of the longest sequence of characters that both have.
fn common(one: &[char], other: &[char]) -> usize {
    // What the part of `one` that was looked at has in common with the first characters of `other`.
    let mut lengths = vec![0; other.len()];
    for character in one {
        let (mut before, mut left) = (0, 0);
        for (length, wanted) in lengths.iter_mut().zip(other) {
            let above = *length;
            *length = if wanted == character { before + 1 } else { above.max(left) };
            (before, left) = (above, *length);
        }
    }
    lengths.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn likeness_is_the_share_of_what_both_have_in_order() {
        let cases = [
            ("", "", 1.0),
            ("a", "", 0.0),
            ("abc", "abc", 1.0),
            ("abcd", "dcba", 0.25),
            ("confg", "config", 10.0 / 11.0),
            ("über", "ubér", 0.5),
        ];
        for (one, other, expected) in cases {
            assert!((likeness(one, other) - expected).abs() < 1e-6, "{one} {other}");
            assert!((likeness(other, one) - expected).abs() < 1e-6, "{other} {one}");
        }
        let long = "x".repeat(100_000);
        assert!((likeness(&long, &long) - 1.0).abs() < 1e-6);
    }

    #[test]
    fn the_most_alike_come_first_and_of_equals_the_first_in_the_alphabet() {
        let names = ["modal", "models", "mode", "model", "tree"];
        assert_eq!(nearest("model", &names, 3, 0.6), ["model", "models", "mode"]);
        assert_eq!(nearest("x", &["yx", "xy", "zx"], 9, 0.5), ["xy", "yx", "zx"]);
        assert!(nearest("zebra", &names, 3, 0.6).is_empty());
    }
}
