//! Patterns in which `*` stands for any text.
//!
//! Owns the comparison, also with texts of which a part is not known. Must not know what they name.

/// Stands in a text for what is not known: no text, or any. No pattern holds it.
pub(crate) const UNKNOWN: char = '\0';

/// Stands in a text for a word that may be there, the space before it included, or not.
pub(crate) const OPTIONAL: char = '\u{1}';

/// Returns whether the whole of `text` is surely what the pattern describes: what is not known must
/// be where the pattern takes any text. `x *` describes `x` too.
pub(crate) fn matches(pattern: &str, text: &str) -> bool {
    let reaches = |text: &str| {
        is_reached(pattern, text, false)
            || shorter(pattern).is_some_and(|pattern| is_reached(pattern, text, false))
    };
    if !text.contains(OPTIONAL) {
        return reaches(text);
    }
    reaches(&with_words(text)) && reaches(&text.replace(OPTIONAL, ""))
}

/// Returns whether `text` may be what the pattern describes, whatever stands for what is not known.
pub(crate) fn may_match(pattern: &str, text: &str) -> bool {
    is_reached(pattern, text, true)
        || shorter(pattern).is_some_and(|pattern| is_reached(pattern, text, true))
}

/// Returns a text with all words that may be there.
pub(crate) fn with_words(text: &str) -> String {
    text.replace(OPTIONAL, &format!(" {UNKNOWN}"))
}

fn shorter(pattern: &str) -> Option<&str> {
    pattern.strip_suffix(" *").filter(|rest| !rest.is_empty())
}

/// Walks through the text with all places of the pattern that are reached so far. Takes time in
/// proportion to the text and to the pattern, whatever they are.
fn is_reached(pattern: &str, text: &str, unknown_is_any: bool) -> bool {
    if begins_otherwise(pattern, text) {
        return false;
    }
    let pattern: Vec<char> = pattern.chars().collect();
    let mut places = vec![false; pattern.len() + 1];
    if let Some(first) = places.first_mut() {
        *first = true;
    }
    let mut next = places.clone();
    skip_stars(&pattern, &mut places);
    for letter in text.chars() {
        if !places.contains(&true) {
            return false;
        }
        if matches!(letter, UNKNOWN | OPTIONAL) && unknown_is_any {
            let first = places.iter().position(|is_there| *is_there).unwrap_or_default();
            places.iter_mut().skip(first).for_each(|is_there| *is_there = true);
            continue;
        }
        next.fill(false);
        for (place, wanted) in pattern.iter().enumerate() {
            let to = if *wanted == '*' { place } else { place + 1 };
            if places.get(place) == Some(&true)
                && (*wanted == '*' || *wanted == letter)
                && let Some(to) = next.get_mut(to)
            {
                *to = true;
            }
        }
        skip_stars(&pattern, &mut next);
        std::mem::swap(&mut places, &mut next);
    }
    places.last() == Some(&true)
}

/// Returns whether the first letters say that there is no match, as they mostly do.
fn begins_otherwise(pattern: &str, text: &str) -> bool {
    let mut pairs = pattern.chars().zip(text.chars());
    let odd = pairs.find(|(wanted, letter)| {
        *wanted == '*' || matches!(*letter, UNKNOWN | OPTIONAL) || wanted != letter
    });
    odd.is_some_and(|(wanted, letter)| wanted != '*' && !matches!(letter, UNKNOWN | OPTIONAL))
}

/// A star may stand for nothing.
fn skip_stars(pattern: &[char], places: &mut [bool]) {
    for (place, wanted) in pattern.iter().enumerate() {
        if *wanted == '*'
            && places.get(place) == Some(&true)
            && let Some(behind) = places.get_mut(place + 1)
        {
            *behind = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_star_stands_for_any_text() {
        for (pattern, text, expected) in [
            ("", "", true),
            ("", "a", false),
            ("*", "", true),
            ("*", "a/b c", true),
            ("git status", "git status", true),
            ("git status", "git status -s", false),
            ("git status *", "git status", true),
            ("git status *", "git status -s", true),
            ("git status *", "git statusx", false),
            ("git status*", "git statusx", true),
            (" *", "", false),
            ("*.rs", "a.rs", true),
            ("*.rs", "a.rs.bak", false),
            ("a*b*c", "a-b-b-c", true),
            ("a*b*c", "a-c-b", false),
            ("mcp_*", "mcp_x", true),
            ("?", "a", false),
        ] {
            assert_eq!(matches(pattern, text), expected, "{pattern} {text}");
            assert_eq!(may_match(pattern, text), expected, "{pattern} {text}");
        }
    }

    #[test]
    fn what_is_not_known_may_be_anything_and_surely_is_nothing() {
        for (pattern, text, surely, perhaps) in [
            ("git push *", "git \0", false, true),
            ("git push *", "git pus\0", false, true),
            ("git push *", "git push \0", true, true),
            ("git push", "git pus\0h", false, true),
            ("rm *", "git \0", false, false),
            ("*.env", "cat \0", false, true),
            ("a \0", "a \0", true, true),
            ("git push", "git push\u{1}", false, true),
            ("git push *", "git push\u{1}", true, true),
            ("git push *", "git\u{1} push", false, true),
            ("git * push", "git\u{1} push", false, true),
            ("git *", "git\u{1} push", true, true),
            ("rm *", "git\u{1} push", false, false),
        ] {
            assert_eq!(matches(pattern, text), surely, "{pattern:?} {text:?}");
            assert_eq!(may_match(pattern, text), perhaps, "{pattern:?} {text:?}");
        }
    }

    proptest! {
        #[test]
        fn any_text_in_place_of_a_star_or_of_what_is_not_known_matches(
            head in "[a-c ]{0,4}", filling in "[a-c *\n]{0,6}", tail in "[a-c ]{0,4}",
        ) {
            let whole = format!("{head}{filling}{tail}");
            let pattern = format!("{head}*{tail}");
            let text = format!("{head}{UNKNOWN}{tail}");
            prop_assert!(matches(&pattern, &whole));
            prop_assert!(matches(&pattern, &text));
            if !whole.contains('*') {
                prop_assert!(may_match(&whole, &text));
            }
        }

        #[test]
        fn what_surely_matches_matches_whatever_is_filled_in(
            pattern in "[ab* ]{0,6}", text in "[ab \0]{0,8}", filling in "[ab ]{0,3}",
        ) {
            let filled = text.replace(UNKNOWN, &filling);
            if matches(&pattern, &text) {
                prop_assert!(matches(&pattern, &filled));
            }
            if matches(&pattern, &filled) {
                prop_assert!(may_match(&pattern, &text));
            }
        }
    }
}
