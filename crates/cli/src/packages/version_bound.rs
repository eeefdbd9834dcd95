//! Whether a version is one that a Python package asks for.
//!
//! Owns the reading of bounds such as `>=0.6,<1`. Must not refuse what it does not understand: the
//! installers are the judges of everything but our own version.

use std::cmp::Ordering;

/// Returns whether all bounds admit a version of plain numbers.
pub(super) fn admits(bounds: &str, version: &str) -> bool {
    bounds.split(',').all(|bound| admits_one(bound.trim(), version))
}

fn admits_one(bound: &str, version: &str) -> bool {
    let end = bound.find(|c| !"<>=!~".contains(c)).unwrap_or(bound.len());
    let Some((operator, wanted)) = bound.split_at_checked(end) else { return true };
    let (wanted, is_prefix) = match wanted.trim().strip_suffix(".*") {
        Some(prefix) => (prefix, true),
        None => (wanted.trim(), false),
    };
    let (Some(wanted), Some(version)) = (numbers(wanted), numbers(version)) else { return true };
    let order = compare(&version, &wanted);
    let begins = |with: &[u64]| {
        let padded = |index: usize| version.get(index).copied().unwrap_or_default();
        with.iter().enumerate().all(|(index, number)| padded(index) == *number)
    };
    match operator {
        ">=" => order != Ordering::Less,
        ">" => order == Ordering::Greater,
        "<=" => order != Ordering::Greater,
        "<" => order == Ordering::Less,
        "==" if is_prefix => begins(&wanted),
        "!=" if is_prefix => !begins(&wanted),
        "==" => order == Ordering::Equal,
        "!=" => order != Ordering::Equal,
        "~=" => {
            let series = wanted.split_last().map(|(_, series)| series).unwrap_or_default();
            order != Ordering::Less && begins(series)
        }
        _ => true,
    }
}

/// Compares numbers one by one; missing ones count as 0.
fn compare(a: &[u64], b: &[u64]) -> Ordering {
    let at = |numbers: &[u64], index: usize| numbers.get(index).copied().unwrap_or_default();
    let pairs = (0..a.len().max(b.len())).map(|index| at(a, index).cmp(&at(b, index)));
    pairs.fold(Ordering::Equal, Ordering::then)
}

fn numbers(version: &str) -> Option<Vec<u64>> {
    version.split('.').map(|part| part.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_admit_versions() {
        for (bounds, expected) in [
            ("", true),
            (">=0.2", true),
            (">=0.8.0", true),
            (">=0.8.1", false),
            (">=0.3,<0.8", false),
            (">=0.3,<1", true),
            (">0.8", false),
            ("<=0.8", true),
            ("<=0.7.9", false),
            ("==0.8", true),
            ("==0.8.*", true),
            ("==0.7.*", false),
            ("!=0.8.*", false),
            ("!=0.7", true),
            ("~=0.7", true),
            ("~=0.7.1", false),
            ("~=1.0", false),
            (">=0.9rc1", true),
            ("===what", true),
        ] {
            assert_eq!(admits(bounds, "0.8.0"), expected, "{bounds}");
        }
    }
}
