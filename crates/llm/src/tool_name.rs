//! Names of tools as servers take them back in a history.
//!
//! Owns which names are legal, and what becomes of others: a model may make one up, a session file
//! may hold anything. Must not know which tools there are.

use std::borrow::Cow;

/// How long a name may be, in bytes.
pub(crate) const NAME_CAP: usize = 128;

/// What stands for no name at all.
const NAMELESS: &str = "unnamed";

/// Returns whether servers take a call of that name back.
pub(crate) fn is_legal(name: &str) -> bool {
    !name.is_empty() && name.len() <= NAME_CAP && name.chars().all(is_legal_in_name)
}

/// Returns the name itself, or one that a server takes back.
pub(crate) fn legal_form(name: &str) -> Cow<'_, str> {
    if is_legal(name) {
        return Cow::Borrowed(name);
    }
    if name.is_empty() {
        return Cow::Borrowed(NAMELESS);
    }
    let legal = |character| if is_legal_in_name(character) { character } else { '_' };
    Cow::Owned(name.chars().take(NAME_CAP).map(legal).collect())
}

fn is_legal_in_name(character: char) -> bool {
    character.is_ascii_alphanumeric() || matches!(character, '_' | '.' | ':' | '-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_name_has_a_legal_form_and_a_legal_one_stays() {
        let long = "n".repeat(NAME_CAP + 1);
        let cases = [
            ("read", "read"),
            ("mcp:server.tool-1_b", "mcp:server.tool-1_b"),
            ("", "unnamed"),
            ("re ad\n", "re_ad_"),
            ("é", "_"),
            (&long, &long[..NAME_CAP]),
        ];
        for (name, expected) in cases {
            assert_eq!(legal_form(name), expected);
            assert!(is_legal(&legal_form(name)), "{name:?}");
            assert_eq!(is_legal(name), name == expected, "{name:?}");
        }
    }
}
