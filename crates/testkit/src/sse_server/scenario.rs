//! Scenarios: which answer a request gets.
//!
//! Owns the order of answers and the rules beside it. Must not know what an answer looks like.
//!
//! A scenario is a JSON list of answers, or an object:
//!
//! | key | meaning |
//! |---|---|
//! | `responses` | the answers, one for each chat request, in order |
//! | `loop` | after the last answer begin again; otherwise the last one repeats |
//! | `rules` | `[{"contains": text, "response": answer}]`: answers any request whose body holds the text, and uses up no answer |

use super::answer::{Answer, AnswerError};
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;

/// The answers of a server, and how far they are used up.
#[derive(Debug, Clone)]
pub struct Scenario {
    answers: Vec<Arc<Answer>>,
    starts_over: bool,
    rules: Vec<Rule>,
    used: usize,
}

/// An answer beside the order.
#[derive(Debug, Clone)]
struct Rule {
    needle: Vec<u8>,
    answer: Arc<Answer>,
}

/// Why a scenario cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ScenarioError {
    /// It is neither a list nor an object with the known keys.
    #[error("not a scenario: {0}")]
    Shape(#[from] serde_json::Error),
    /// One answer makes no sense.
    #[error("answer {number} of the scenario: {source}")]
    Answer {
        /// Counts from 1: the answers, then those of the rules.
        number: usize,
        /// What is wrong with it.
        source: AnswerError,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ScenarioFile {
    #[serde(default)]
    responses: Vec<Value>,
    #[serde(default, rename = "loop")]
    starts_over: bool,
    #[serde(default)]
    rules: Vec<RuleFile>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RuleFile {
    contains: String,
    response: Value,
}

impl Scenario {
    /// Reads a scenario. One without answers says `ok` to everything.
    ///
    /// # Errors
    /// When it has another shape, or an unknown key anywhere.
    pub fn from_json(json: Value) -> Result<Self, ScenarioError> {
        let json = if json.is_array() { json!({ "responses": json }) } else { json };
        let mut file: ScenarioFile = serde_json::from_value(json)?;
        if file.responses.is_empty() {
            file.responses.push(json!({"text": "ok"}));
        }
        let mut number = 0;
        let mut read = |json: Value| {
            number += 1;
            let answer = Answer::from_json(json);
            answer.map(Arc::new).map_err(|source| ScenarioError::Answer { number, source })
        };
        let answers = file.responses.into_iter().map(&mut read).collect::<Result<_, _>>()?;
        let rules = file.rules.into_iter().map(|rule| {
            let answer = read(rule.response)?;
            Ok(Rule { needle: rule.contains.into_bytes(), answer })
        });
        let rules = rules.collect::<Result<_, ScenarioError>>()?;
        Ok(Self { answers, starts_over: file.starts_over, rules, used: 0 })
    }

    /// Returns the answer to a request with this body.
    pub(crate) fn pick(&mut self, body: &[u8]) -> Arc<Answer> {
        if let Some(rule) = self.rules.iter().find(|rule| holds(body, &rule.needle)) {
            return Arc::clone(&rule.answer);
        }
        let count = self.answers.len();
        let index = if self.starts_over { self.used % count } else { self.used.min(count - 1) };
        self.used += 1;
        Arc::clone(self.answers.get(index).expect("a scenario has at least one answer"))
    }
}

/// Returns whether `needle` is somewhere in `haystack`.
fn holds(haystack: &[u8], needle: &[u8]) -> bool {
    needle.is_empty() || haystack.windows(needle.len()).any(|window| window == needle)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scenario(json: Value) -> Scenario {
        Scenario::from_json(json).unwrap()
    }

    fn texts(scenario: &mut Scenario, bodies: &[&str]) -> Vec<String> {
        let answers = bodies.iter().map(|body| scenario.pick(body.as_bytes()));
        answers.map(|answer| String::from_utf8(answer.whole()).unwrap()).collect()
    }

    #[track_caller]
    fn check(json: Value, bodies: &[&str], expected: &[&str]) {
        let got = texts(&mut scenario(json), bodies);
        assert_eq!(got.len(), expected.len());
        for (got, expected) in got.iter().zip(expected) {
            assert!(got.ends_with(expected), "{got:?} does not end with {expected:?}");
        }
    }

    #[test]
    fn the_last_answer_repeats() {
        check(json!([{"raw": "1"}, {"raw": "2"}]), &["", "", ""], &["1", "2", "2"]);
    }

    #[test]
    fn a_loop_starts_over() {
        let json = json!({"responses": [{"raw": "1"}, {"raw": "2"}], "loop": true});
        check(json, &["", "", ""], &["1", "2", "1"]);
    }

    #[test]
    fn a_rule_uses_up_no_answer() {
        let json = json!({
            "responses": [{"raw": "1"}, {"raw": "2"}],
            "rules": [{"contains": "title", "response": {"raw": "rule"}}],
        });
        check(json, &["a title b", "", "title", ""], &["rule", "1", "rule", "2"]);
    }

    #[test]
    fn without_answers_everything_is_ok() {
        let answer = scenario(json!({})).pick(b"");
        assert!(String::from_utf8(answer.whole()).unwrap().contains(r#"{"content":"ok"}"#));
    }

    #[test]
    fn a_wrong_key_is_refused_wherever_it_is() {
        for json in [
            json!({"answers": []}),
            json!([{"txt": "a"}]),
            json!({"rules": [{"contains": "a", "response": {"txt": 1}}]}),
            json!([{"tool_calls": [{"id": "c", "name": "n", "args": "{}"}]}]),
            json!("text"),
        ] {
            assert!(Scenario::from_json(json.clone()).is_err(), "{json}");
        }
    }
}
