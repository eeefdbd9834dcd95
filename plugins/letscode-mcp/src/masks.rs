//! Secrets of the configuration, masked in whatever text leaves this plugin.
//!
//! Owns which values count as secret. Must not keep a text that it masked.

/// Shorter values are everyday words more often than keys.
const SHORTEST: usize = 8;

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
        let secret = match value.split_once(' ') {
            Some(("Bearer" | "bearer" | "Basic" | "Token" | "token", secret)) => secret.trim(),
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
}
