//! Secrets of the configuration, masked in whatever text leaves this plugin.
//!
//! Owns which values count as secret. Must not keep a text that it masked.

use serde_json::Value;

/// Shorter values are everyday words more often than keys.
const SHORTEST: usize = 8;

/// The longest word before a key in a header, such as `Bearer`.
const LONGEST_SCHEME: usize = 12;

const MASK: &str = "[masked]";

/// Values that must not be shown.
#[derive(Clone, Default, PartialEq, Eq)]
#[cfg_attr(test, derive(Debug))]
pub(crate) struct Masks {
    values: Vec<String>,
}

impl Masks {
    /// Notes a value. Paths and short words are no secrets.
    pub(crate) fn add(&mut self, value: &str) {
        let secret = match value.trim().split_once(' ') {
            Some((scheme, secret)) if is_scheme(scheme) && !secret.trim().contains(' ') => {
                secret.trim()
            }
            _ => value.trim(),
        };
        let is_path = secret.starts_with(['/', '~', '.']);
        if secret.len() < SHORTEST || is_path || self.values.iter().any(|known| known == secret) {
            return;
        }
        self.values.push(secret.to_owned());
        // A secret that holds another must be masked as a whole.
        self.values.sort_by_key(|value| std::cmp::Reverse(value.len()));
    }

    /// Returns `text` without the secrets.
    pub(crate) fn apply(&self, text: &str) -> String {
        let mut masked = text.to_owned();
        for value in &self.values {
            if masked.contains(value.as_str()) {
                masked = masked.replace(value.as_str(), MASK);
            }
        }
        masked
    }

    /// Returns `value` without the secrets, wherever they stand in it.
    pub(crate) fn apply_to(&self, value: Value) -> Value {
        let text = value.to_string();
        let masked = self.apply(&text);
        if masked == text { value } else { serde_json::from_str(&masked).unwrap_or(Value::Null) }
    }
}

fn is_scheme(word: &str) -> bool {
    word.len() <= LONGEST_SCHEME && word.chars().all(|c| c.is_ascii_alphabetic() || c == '-')
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_key_is_masked_with_and_without_the_word_before_it() {
        for value in ["tok-1234567890", "Bearer tok-1234567890", "ApiKey tok-1234567890 "] {
            let mut masks = Masks::default();
            masks.add(value);
            assert_eq!(masks.apply("it is tok-1234567890."), "it is [masked].", "{value}");
        }
        let mut masks = Masks::default();
        masks.add("three words here");
        assert_eq!(masks.apply("three words"), "three words");
        assert_eq!(masks.apply("three words here"), "[masked]");
    }

    #[test]
    fn short_values_and_paths_are_no_secrets() {
        let mut masks = Masks::default();
        for value in ["debug", "/usr/lib/node", "~/data/files", "./data/files"] {
            masks.add(value);
            assert_eq!(masks.apply(value), value);
        }
    }

    #[test]
    fn values_are_masked_in_documents() {
        let mut masks = Masks::default();
        masks.add("tok-1234567890");
        let masked = masks.apply_to(json!({"a": ["tok-1234567890", 1], "tok-1234567890": true}));
        assert_eq!(masked, json!({"a": ["[masked]", 1], "[masked]": true}));
        assert_eq!(masks.apply_to(json!({"a": 1})), json!({"a": 1}));
    }
}
