//! The `[permissions]` table of the user's configuration.
//!
//! Owns its keys, and the warnings about what cannot be used. Must not judge calls.

use crate::rule::Rule;
use serde_json::{Map, Value};

/// What the configuration says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Settings {
    /// What is not run.
    pub(crate) deny: Vec<Rule>,
    /// What is asked about each time.
    pub(crate) ask: Vec<Rule>,
    /// What is run.
    pub(crate) allow: Vec<Rule>,
    /// What becomes of all else.
    pub(crate) default: Otherwise,
    /// Whether something in it cannot be used. A rule that was meant to forbid may be missing then,
    /// so nothing is run unasked.
    pub(crate) is_broken: bool,
}

/// What becomes of a call that no rule is about.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Otherwise {
    /// The user is asked.
    #[default]
    Ask,
    /// It is run.
    Allow,
    /// It is not run.
    Deny,
}

impl Otherwise {
    /// Returns the word for it.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Ask => "ask",
            Self::Allow => "allow",
            Self::Deny => "deny",
        }
    }
}

impl Settings {
    /// Reads the table. Returns one warning for each thing in it that cannot be used.
    pub(crate) fn read(table: &Map<String, Value>) -> (Self, Vec<String>) {
        let mut settings = Self::default();
        let mut warnings = Vec::new();
        for (key, value) in table {
            match key.as_str() {
                "deny" => settings.deny = rules(key, value, &mut warnings),
                "ask" => settings.ask = rules(key, value, &mut warnings),
                "allow" => settings.allow = rules(key, value, &mut warnings),
                "default" => match value.as_str() {
                    Some("ask") => settings.default = Otherwise::Ask,
                    Some("allow") => settings.default = Otherwise::Allow,
                    Some("deny") => settings.default = Otherwise::Deny,
                    _ => warnings.push("default must be ask, allow or deny".to_owned()),
                },
                other => warnings.push(format!("there is no key {other:?}")),
            }
        }
        settings.is_broken = !warnings.is_empty();
        for warning in &mut warnings {
            *warning = format!(
                "[permissions]: {warning}; until that is put right, nothing is run unasked"
            );
        }
        (settings, warnings)
    }
}

fn rules(key: &str, value: &Value, warnings: &mut Vec<String>) -> Vec<Rule> {
    let Some(items) = value.as_array() else {
        warnings.push(format!("{key} must be a list of rules"));
        return Vec::new();
    };
    let mut rules = Vec::new();
    for item in items {
        match item.as_str().map(Rule::parse) {
            Some(Ok(rule)) => rules.push(rule),
            Some(Err(error)) => warnings.push(format!("{key}: {error}")),
            None => warnings.push(format!("{key}: {item} is no text")),
        }
    }
    rules
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(table: Value) -> (Settings, Vec<String>) {
        Settings::read(table.as_object().unwrap())
    }

    #[test]
    fn a_good_table_is_read_without_a_warning() {
        let (settings, warnings) = read(json!({
            "allow": ["read", "bash:cargo *"],
            "ask": ["bash:git push *"],
            "deny": ["mcp_*"],
            "default": "deny",
        }));
        assert_eq!(warnings, [""; 0]);
        let lists = [&settings.allow, &settings.ask, &settings.deny].map(Vec::len);
        assert_eq!(
            (lists, settings.default, settings.is_broken),
            ([2, 1, 1], Otherwise::Deny, false)
        );
        assert_eq!(read(json!({})), (Settings::default(), Vec::new()));
    }

    #[test]
    fn whatever_cannot_be_used_is_a_warning_and_breaks_the_table() {
        for (table, part) in [
            (json!({"alow": []}), "no key \"alow\""),
            (json!({"deny": "bash"}), "deny must be a list"),
            (json!({"deny": [1]}), "1 is no text"),
            (json!({"deny": [""]}), "no tool's name"),
            (json!({"deny": [":rm *"]}), "no tool's name"),
            (json!({"deny": ["bash rm *"]}), "no tool's name"),
            (json!({"deny": ["bash:"]}), "ends where a pattern should be"),
            (json!({"deny": ["mcp_x:y"]}), "only bash, read, write and edit"),
            (json!({"allow": ["*:y"]}), "only bash, read, write and edit"),
            (json!({"default": "yes"}), "must be ask, allow or deny"),
            (json!({"default": true}), "must be ask, allow or deny"),
        ] {
            let (settings, warnings) = read(table.clone());
            assert!(settings.is_broken, "{table}");
            assert_eq!(warnings.len(), 1, "{table}");
            assert!(warnings[0].contains(part), "{warnings:?}");
            assert!(warnings[0].contains("nothing is run unasked") && !warnings[0].contains('\n'));
        }
    }
}
