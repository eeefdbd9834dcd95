//! Matching of lines: complete and in order, with gaps.
//!
//! Owns `"..."` (any number of lines) and `{"$many": M}` (one or more lines that fit M). All ways
//! to read the gaps are followed at once, so no choice has to be taken back and the work is at
//! most matchers times lines.

use super::matcher::{Mismatch, matches};
use super::pattern::Shown;
use serde_json::Value;

/// Why lines do not fit.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LinesMismatch {
    /// No line can be what this matcher wants.
    #[error(
        "matcher {matcher} {wanted} fits no line from line {from} on; nearest, line {line}: {mismatch}"
    )]
    NoLine {
        /// Counts from 1.
        matcher: usize,
        /// The matcher, shortened.
        wanted: String,
        /// The first line that it may fit.
        from: usize,
        /// The line that comes nearest.
        line: usize,
        /// Why that one does not fit.
        mismatch: Mismatch,
    },
    /// The lines ended first.
    #[error("the output ended after {lines} lines; matcher {matcher} wants {wanted}")]
    Ended {
        /// How many lines there are.
        lines: usize,
        /// Counts from 1.
        matcher: usize,
        /// The matcher, shortened.
        wanted: String,
    },
    /// All matchers are used up before the end.
    #[error("line {line} is more than expected: {text}")]
    TooMany {
        /// Counts from 1.
        line: usize,
        /// The line, shortened.
        text: String,
    },
}

/// Checks that `lines` fit `matchers`, all of them and in order.
///
/// # Errors
/// When they do not; the error tells the first matcher that nothing fits.
pub fn match_lines(matchers: &[Value], lines: &[Value]) -> Result<(), LinesMismatch> {
    // Where the next line may be, over all ways to read what came before; ascending.
    let mut places = vec![0];
    for (index, matcher) in matchers.iter().enumerate() {
        let first = places.first().copied().unwrap_or_default();
        places = if matcher == "..." {
            (first..=lines.len()).collect()
        } else {
            step(matcher, lines, &places).map_err(|nearest| match nearest {
                Some((line, mismatch)) => LinesMismatch::NoLine {
                    matcher: index + 1,
                    wanted: Shown(matcher).to_string(),
                    from: first + 1,
                    line: line + 1,
                    mismatch,
                },
                None => LinesMismatch::Ended {
                    lines: lines.len(),
                    matcher: index + 1,
                    wanted: Shown(matcher).to_string(),
                },
            })?
        };
    }
    match places.last().and_then(|&place| lines.get(place).map(|line| (place, line))) {
        Some((place, line)) => {
            Err(LinesMismatch::TooMany { line: place + 1, text: Shown(line).to_string() })
        }
        None => Ok(()),
    }
}

/// Returns where the next line may be after a matcher that takes one line, or with `$many` more.
/// Where it takes none, the error is the line that came nearest.
fn step(
    matcher: &Value,
    lines: &[Value],
    places: &[usize],
) -> Result<Vec<usize>, Option<(usize, Mismatch)>> {
    let many = matcher.as_object().filter(|object| object.len() == 1);
    let many = many.and_then(|object| object.get("$many"));
    let wanted = many.unwrap_or(matcher);
    let mut nearest: Option<(usize, Mismatch)> = None;
    let mut next = Vec::new();
    // With `$many`, the line behind one that fits may follow it.
    let mut follows = false;
    for (place, line) in lines.iter().enumerate() {
        if !follows && places.binary_search(&place).is_err() {
            continue;
        }
        follows = false;
        match matches(wanted, line) {
            Ok(()) => {
                next.push(place + 1);
                follows = many.is_some();
            }
            // The deepest place tells most.
            Err(mismatch) => {
                let depth = mismatch.at.len();
                if nearest.as_ref().is_none_or(|(_, best)| depth > best.at.len()) {
                    nearest = Some((place, mismatch));
                }
            }
        }
    }
    if next.is_empty() { Err(nearest) } else { Ok(next) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn fit(matchers: &[Value], lines: &[Value]) -> Option<String> {
        match_lines(matchers, lines).err().map(|error| error.to_string())
    }

    #[test]
    fn gaps_and_runs() {
        let lines: Vec<Value> = [1, 2, 2, 2, 3].into_iter().map(|n| json!({ "n": n })).collect();
        let (one, two, three) = (json!({"n": 1}), json!({"n": 2}), json!({"n": 3}));
        let (gap, twos) = (json!("..."), json!({"$many": {"n": 2}}));
        let good: &[&[&Value]] = &[
            &[&one, &twos, &three],
            &[&one, &two, &two, &two, &three],
            &[&one, &twos, &two, &three],
            &[&gap],
            &[&gap, &three],
            &[&one, &gap, &two, &three],
            &[&gap, &one, &gap, &two, &gap, &two, &gap],
        ];
        let matchers = |all: &[&Value]| all.iter().copied().cloned().collect::<Vec<_>>();
        for good in good {
            assert_eq!(fit(&matchers(good), &lines), None, "{good:?}");
        }
        let bad: &[&[&Value]] = &[
            &[&twos, &gap, &three],
            &[&one, &two, &three],
            &[&one, &twos],
            &[&gap, &three, &gap, &two],
        ];
        for bad in bad {
            assert!(fit(&matchers(bad), &lines).is_some(), "{bad:?}");
        }
    }

    #[test]
    fn messages_name_the_first_matcher_that_nothing_fits() {
        let lines = [json!({"t": "a", "x": {"y": 1}}), json!({"t": "b"})];
        assert_eq!(
            fit(&[json!("..."), json!({"t": "a", "x": {"y": 2}})], &lines).unwrap(),
            "matcher 2 {\"t\": \"a\", \"x\": {\"y\": 2}} fits no line from line 1 on; \
             nearest, line 1: $.x.y: 1, want 2"
        );
        assert_eq!(
            fit(&[json!({"t": "a"}), json!({"t": "b"}), json!({"t": "c"})], &lines).unwrap(),
            "the output ended after 2 lines; matcher 3 wants {\"t\": \"c\"}"
        );
        assert_eq!(
            fit(&[json!({"t": "a"})], &lines).unwrap(),
            "line 2 is more than expected: {\"t\": \"b\"}"
        );
        assert_eq!(fit(&[json!("$any"), json!("..."), json!("$any"), json!("...")], &lines), None);
        assert_eq!(fit(&[], &[]), None);
    }

    /// The plain meaning, without any thrift.
    fn naive(matchers: &[Value], lines: &[Value]) -> bool {
        let Some((matcher, rest)) = matchers.split_first() else { return lines.is_empty() };
        if matcher == "..." {
            return (0..=lines.len()).any(|skipped| naive(rest, &lines[skipped..]));
        }
        let many = matcher.get("$many");
        let wanted = many.unwrap_or(matcher);
        let fitting = lines.iter().take_while(|line| matches(wanted, line).is_ok()).count();
        let longest = if many.is_some() { fitting } else { fitting.min(1) };
        (1..=longest).any(|taken| naive(rest, &lines[taken..]))
    }

    fn any_matcher() -> impl Strategy<Value = Value> {
        prop_oneof![
            2 => (0..3).prop_map(|n| json!({ "n": n })),
            1 => (0..3).prop_map(|n| json!({"$many": {"n": n}})),
            1 => Just(json!({"$many": "$any"})),
            2 => Just(json!("...")),
        ]
    }

    proptest! {
        #[test]
        fn every_way_to_read_the_gaps_is_followed(
            matchers in proptest::collection::vec(any_matcher(), 0..6),
            lines in proptest::collection::vec((0..3).prop_map(|n| json!({ "n": n })), 0..8),
        ) {
            prop_assert_eq!(match_lines(&matchers, &lines).is_ok(), naive(&matchers, &lines));
        }
    }
}
