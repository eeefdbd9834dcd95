//! The table of all keys that a config file may hold.
//!
//! Owns each key's name, kind, default and who may set it. Must not read files.

use crate::thinking::ThinkingLevel;
use std::time::Duration;
use toml::Value;

/// One key of a config file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Key {
    /// Its name.
    pub(crate) name: &'static str,
    /// What its value is.
    pub(crate) kind: Kind,
    /// Who may set it.
    pub(crate) reach: Reach,
}

/// What a value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Text; empty text is as good as no value.
    Text,
    /// A list of names, or text with commas between them.
    Names,
    /// Yes or no.
    Flag,
    /// A positive number of seconds.
    Seconds,
    /// A thinking level.
    Level,
    /// A table.
    Table,
}

/// Who may set a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    /// Every config file.
    Everyone,
    /// The user's file and that of a trusted project; any other project only to allow less.
    Narrows,
    /// The user's file and that of a trusted project: it runs code or moves secrets.
    Trusted,
    /// The user's file alone: it is about the program, or it is what a project must not grant itself.
    User,
}

/// All keys, in the order of the help and of the file that `--init` writes. A table of another
/// name is a plugin's, with [`Reach::Trusted`].
pub(crate) const KEYS: [Key; 16] = [
    Key { name: "model", kind: Kind::Text, reach: Reach::Everyone },
    Key { name: "base_url", kind: Kind::Text, reach: Reach::Trusted },
    Key { name: "thinking", kind: Kind::Level, reach: Reach::Everyone },
    Key { name: "timeout", kind: Kind::Seconds, reach: Reach::Everyone },
    Key { name: "tools", kind: Kind::Names, reach: Reach::Narrows },
    Key { name: "no_tools", kind: Kind::Flag, reach: Reach::Narrows },
    Key { name: "keep_env", kind: Kind::Names, reach: Reach::Trusted },
    Key { name: "no_context_files", kind: Kind::Flag, reach: Reach::Everyone },
    Key { name: "frontend", kind: Kind::Text, reach: Reach::Trusted },
    Key { name: "verbose", kind: Kind::Flag, reach: Reach::Everyone },
    Key { name: "footer", kind: Kind::Flag, reach: Reach::Everyone },
    Key { name: "vi", kind: Kind::Flag, reach: Reach::Everyone },
    Key { name: "update_url", kind: Kind::Text, reach: Reach::User },
    Key { name: "keys", kind: Kind::Table, reach: Reach::Trusted },
    Key { name: "plugins", kind: Kind::Table, reach: Reach::Trusted },
    Key { name: "permissions", kind: Kind::Table, reach: Reach::User },
];

/// Returns the key of that name.
pub(crate) fn key(name: &str) -> Option<&'static Key> {
    KEYS.iter().find(|key| key.name == name)
}

impl Kind {
    /// Returns whether a value is of this kind.
    pub(crate) fn admits(self, value: &Value) -> bool {
        match self {
            Self::Text => value.is_str(),
            Self::Names => names(value).is_some(),
            Self::Flag => value.is_bool(),
            Self::Seconds => seconds(value).is_some(),
            Self::Level => level(value).is_some(),
            Self::Table => value.is_table(),
        }
    }

    /// Returns what a value of this kind looks like, for a warning.
    pub(crate) fn description(self) -> &'static str {
        match self {
            Self::Text => "text in quotes",
            Self::Names => "a list of names",
            Self::Flag => "true or false",
            Self::Seconds => "a positive number of seconds",
            Self::Level => "one of off, minimal, low, medium, high, xhigh",
            Self::Table => "a table",
        }
    }
}

/// Returns a value's text, trimmed; `None` where it is empty or no text.
pub(crate) fn text(value: &Value) -> Option<String> {
    let text = value.as_str()?.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// Returns the keys of each action in a table: a text is one key, a list several. What is neither
/// counts as a key that nobody knows, so that it is told.
pub(crate) fn bindings(value: &Value) -> Vec<(String, Vec<String>)> {
    let key = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let table = value.as_table().into_iter().flatten();
    let binding = |(action, keys): (&String, &Value)| {
        let keys = match keys {
            Value::Array(keys) => keys.iter().map(key).collect(),
            one => vec![key(one)],
        };
        (action.clone(), keys)
    };
    table.map(binding).collect()
}

/// Returns the names in a list, or between the commas of a text.
pub(crate) fn names(value: &Value) -> Option<Vec<String>> {
    match value {
        Value::String(text) => Some(split_names(text)),
        Value::Array(items) => {
            let items: Option<Vec<&str>> = items.iter().map(Value::as_str).collect();
            Some(split_names(&items?.join(",")))
        }
        Value::Integer(_)
        | Value::Float(_)
        | Value::Boolean(_)
        | Value::Datetime(_)
        | Value::Table(_) => None,
    }
}

/// Returns the names between commas, each once, without the space around them.
pub(crate) fn split_names(text: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for name in text.split(',').map(str::trim).filter(|name| !name.is_empty()) {
        if !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    }
    names
}

/// Returns a positive number of seconds.
pub(crate) fn seconds(value: &Value) -> Option<Duration> {
    #[expect(clippy::cast_precision_loss, reason = "a time of 2^53 seconds needs no precision")]
    let seconds = value.as_float().or_else(|| value.as_integer().map(|whole| whole as f64))?;
    Duration::try_from_secs_f64(seconds).ok().filter(|duration| !duration.is_zero())
}

/// Returns the thinking level that a text names.
pub(crate) fn level(value: &Value) -> Option<ThinkingLevel> {
    value.as_str()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Value {
        let mut table: toml::Table = toml::from_str(&format!("x = {text}")).unwrap();
        table.remove("x").unwrap()
    }

    #[test]
    fn every_kind_admits_its_own_values_only() {
        for (kind, good, bad) in [
            (Kind::Text, &["'x'", "''"][..], &["1", "true", "['x']"][..]),
            (Kind::Names, &["'a, b'", "['a']", "[]", "''"], &["1", "[1]", "{}"]),
            (Kind::Flag, &["true", "false"], &["1", "'true'"]),
            (Kind::Seconds, &["1", "0.5", "600.0"], &["0", "-1", "nan", "inf", "1e300", "'1'"]),
            (Kind::Level, &["'off'", "'High'"], &["'bogus'", "1", "''"]),
            (Kind::Table, &["{}", "{ a = 1 }"], &["1", "[]"]),
        ] {
            for text in good {
                assert!(kind.admits(&value(text)), "{kind:?} {text}");
            }
            for text in bad {
                assert!(!kind.admits(&value(text)), "{kind:?} {text}");
            }
        }
    }

    #[test]
    fn names_are_trimmed_and_come_once() {
        for text in ["'read, bash,,read'", "['read', 'bash ', 'read']", "['read,bash']"] {
            assert_eq!(names(&value(text)), Some(vec!["read".to_owned(), "bash".to_owned()]));
        }
        assert_eq!(names(&value("[]")), Some(vec![]));
    }
}
