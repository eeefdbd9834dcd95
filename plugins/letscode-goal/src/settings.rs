//! `[goal]` of the configuration and the variables `LETSCODE_GOAL_…`.
//!
//! Owns their names and defaults; a variable counts before the table. Must not read a file or a
//! variable: both are handed over.

use serde::Deserialize;
use std::collections::HashMap;

/// After how many judgements a goal is given up.
const MOST_ROUNDS: u32 = 20;

/// The variables that lead another process of the program to a model.
const MODEL: &str = "LETSCODE_MODEL";
const BASE_URL: &str = "OPENAI_BASE_URL";
const API_KEY: &str = "OPENAI_API_KEY";

/// The table. A key has no place in it.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Table {
    model: Option<String>,
    base_url: Option<String>,
    max_iterations: Option<u32>,
}

/// Who judges, and how often.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Settings {
    model: Option<String>,
    base_url: Option<String>,
    api_key: Option<String>,
    /// After how many judgements a goal is given up.
    pub(crate) most_rounds: u32,
}

impl Settings {
    /// Puts the settings together. A number that is none is left out and told in `warnings`.
    pub(crate) fn new(
        table: Table,
        variable: impl Fn(&str) -> Option<String>,
        warnings: &mut Vec<String>,
    ) -> Self {
        let set = |name: &str| {
            let value = variable(name)?.trim().to_owned();
            (!value.is_empty()).then_some(value)
        };
        let name = "LETSCODE_GOAL_MAX_ITERATIONS";
        let rounds = set(name).and_then(|value| {
            let number: Option<u32> = value.parse().ok();
            if number.is_none() {
                warnings.push(format!("{name} is left out: {value:?} is no whole number"));
            }
            number
        });
        Self {
            model: set("LETSCODE_GOAL_MODEL").or(table.model),
            base_url: set("LETSCODE_GOAL_BASE_URL").or(table.base_url),
            api_key: set("LETSCODE_GOAL_API_KEY"),
            most_rounds: rounds.or(table.max_iterations).unwrap_or(MOST_ROUNDS).max(1),
        }
    }

    /// Turns the variables that lead to the agent's model into those that lead to the evaluator's.
    /// The agent's key goes to no address but the agent's own.
    pub(crate) fn redirect(&self, variables: &mut HashMap<String, String>) {
        let own = variables.get(BASE_URL);
        if self.base_url.is_some() && self.base_url.as_ref() != own {
            variables.remove(API_KEY);
        }
        for (name, value) in
            [(MODEL, &self.model), (BASE_URL, &self.base_url), (API_KEY, &self.api_key)]
        {
            if let Some(value) = value {
                variables.insert(name.to_owned(), value.clone());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn settings(table: serde_json::Value, variables: &[(&str, &str)]) -> (Settings, Vec<String>) {
        let table = serde_json::from_value(table).unwrap();
        let variable = |name: &str| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        let mut warnings = Vec::new();
        (Settings::new(table, variable, &mut warnings), warnings)
    }

    #[test]
    fn a_variable_counts_before_the_table_and_at_least_one_round_is_left() {
        for (table, variable, rounds, is_warned) in [
            (json!({}), "", 20, false),
            (json!({"max_iterations": 3, "mine": 1}), "", 3, false),
            (json!({"max_iterations": 3}), " 7 ", 7, false),
            (json!({"max_iterations": 3}), "many", 3, true),
            (json!({"max_iterations": 0}), "", 1, false),
            (json!({}), "0", 1, false),
        ] {
            let variables = [("LETSCODE_GOAL_MAX_ITERATIONS", variable)];
            let (settings, warnings) = settings(table.clone(), &variables);
            assert_eq!(settings.most_rounds, rounds, "{table} {variable}");
            assert_eq!(!warnings.is_empty(), is_warned, "{table} {variable}");
        }
    }

    #[test]
    fn a50_the_agents_key_goes_to_no_other_address() {
        let own = "http://own/v1";
        let url = ("LETSCODE_GOAL_BASE_URL", "http://other/v1");
        let key = ("LETSCODE_GOAL_API_KEY", "other-key");
        let model = ("LETSCODE_GOAL_MODEL", "small");
        for (table, variables, expected) in [
            (json!({}), &[][..], ["big", own, "own-key"]),
            (json!({"model": "small"}), &[], ["small", own, "own-key"]),
            (json!({"base_url": own}), &[], ["big", own, "own-key"]),
            (json!({"base_url": "http://other/v1"}), &[], ["big", "http://other/v1", ""]),
            (
                json!({"base_url": own, "model": "m"}),
                &[url, model],
                ["small", "http://other/v1", ""],
            ),
            (json!({}), &[url, key], ["big", "http://other/v1", "other-key"]),
            (json!({}), &[key], ["big", own, "other-key"]),
        ] {
            let (settings, _) = settings(table, variables);
            let given = [(MODEL, "big"), (BASE_URL, own), (API_KEY, "own-key")];
            let mut given: HashMap<String, String> =
                given.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
            settings.redirect(&mut given);
            let found =
                [MODEL, BASE_URL, API_KEY].map(|name| given.get(name).map_or("", String::as_str));
            assert_eq!(found, expected, "{variables:?}");
        }
    }
}
