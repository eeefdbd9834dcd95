//! A goal and what becomes of it with each judgement.
//!
//! Owns the counts and the words. Must not act: it says what follows.

use crate::verdict::Verdict;
use std::collections::VecDeque;

/// How many judgements in a row may fail; what they cost is for nothing.
const MOST_FAILURES: u32 = 2;

/// How many of the last judgements `/goal` shows.
const SHOWN: usize = 5;

/// What the agent works toward.
#[derive(Debug, Clone)]
pub(crate) struct Goal {
    /// What the user wants, in their words.
    pub(crate) condition: String,
    /// How many judgements there were.
    rounds: u32,
    /// After how many the goal is given up.
    most_rounds: u32,
    /// How many failed in a row.
    failures: u32,
    last: VecDeque<String>,
}

/// What follows from a judgement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Step {
    /// The goal is reached, and over.
    Reached {
        /// What the user is told.
        told: String,
    },
    /// The agent goes on.
    GoesOn {
        /// What the user is told.
        told: String,
        /// What the agent is told.
        message: String,
    },
    /// The goal is over without being reached.
    GivenUp {
        /// What the user is told.
        told: String,
    },
}

impl Goal {
    /// Returns a new goal, which is given up after so many judgements.
    pub(crate) fn new(condition: String, most_rounds: u32) -> Self {
        Self { condition, rounds: 0, most_rounds, failures: 0, last: VecDeque::new() }
    }

    /// Returns the message with which the agent begins.
    pub(crate) fn opening(&self) -> String {
        format!(
            "Work toward this goal until it is reached:\n\n{}\n\nEach time you answer without calling a tool, \
             it is judged from our conversation alone whether the goal is reached, and you hear what is \
             missing. So let the conversation show it: run what proves it, and show the outcome.",
            self.condition
        )
    }

    /// Returns the round that is under way, counted from 1, as lines of status show it.
    pub(crate) fn round(&self) -> String {
        format!("round {} of {}", (self.rounds + 1).min(self.most_rounds), self.most_rounds)
    }

    /// Returns the goal and how it goes, for the user.
    pub(crate) fn shown(&self) -> String {
        let mut lines = vec![format!("Goal: {}", self.condition), format!("In {}.", self.round())];
        lines.extend(self.last.iter().map(|line| format!("  {line}")));
        lines.join("\n")
    }

    /// Takes in a judgement, or why there is none.
    pub(crate) fn judged(&mut self, judgement: Result<Verdict, String>) -> Step {
        self.rounds += 1;
        let round = format!("round {} of {}", self.rounds, self.most_rounds);
        let (told, message) = match judgement {
            Ok(Verdict { is_done: true, reason }) => {
                return Step::Reached { told: format!("goal reached ({round}): {reason}") };
            }
            Ok(Verdict { is_done: false, reason }) => {
                self.failures = 0;
                let message = format!(
                    "The goal is not reached yet. What is missing: {reason}\n\nGo on working toward it:\n\n{}",
                    self.condition
                );
                (format!("goal not reached yet ({round}): {reason}"), message)
            }
            Err(reason) => {
                self.failures += 1;
                let message = format!(
                    "Nobody could judge whether the goal is reached. Check yourself what is missing, do it, \
                     and show what proves it:\n\n{}",
                    self.condition
                );
                (format!("goal not judged ({round}): {reason}"), message)
            }
        };
        if self.failures >= MOST_FAILURES {
            return Step::GivenUp {
                told: format!("{told}; given up, as it failed twice in a row"),
            };
        }
        if self.rounds >= self.most_rounds {
            return Step::GivenUp { told: format!("{told}; given up, as that was the last round") };
        }
        self.last.push_back(told.clone());
        if self.last.len() > SHOWN {
            self.last.pop_front();
        }
        Step::GoesOn { told, message }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn missing(reason: &str) -> Result<Verdict, String> {
        Ok(Verdict { is_done: false, reason: reason.to_owned() })
    }

    fn told(step: &Step) -> (&'static str, &str) {
        match step {
            Step::Reached { told } => ("reached", told),
            Step::GoesOn { told, .. } => ("goes on", told),
            Step::GivenUp { told } => ("given up", told),
        }
    }

    #[test]
    fn a_goal_goes_on_until_it_is_reached() {
        let mut goal = Goal::new("tests pass".to_owned(), 3);
        let step = goal.judged(missing("two fail"));
        assert_eq!(told(&step), ("goes on", "goal not reached yet (round 1 of 3): two fail"));
        let Step::GoesOn { message, .. } = step else { panic!("it goes on") };
        assert!(message.contains("two fail") && message.ends_with("\n\ntests pass"), "{message}");
        let shown =
            "Goal: tests pass\nIn round 2 of 3.\n  goal not reached yet (round 1 of 3): two fail";
        assert_eq!(goal.shown(), shown);
        let step = goal.judged(Ok(Verdict { is_done: true, reason: "all pass".to_owned() }));
        assert_eq!(told(&step), ("reached", "goal reached (round 2 of 3): all pass"));
    }

    #[test]
    fn a_goal_is_given_up_after_the_last_round() {
        let mut goal = Goal::new("x".to_owned(), 2);
        assert_eq!(told(&goal.judged(missing("a"))).0, "goes on");
        let expected =
            "goal not reached yet (round 2 of 2): b; given up, as that was the last round";
        assert_eq!(told(&goal.judged(missing("b"))), ("given up", expected));
    }

    #[test]
    fn two_failures_in_a_row_end_a_goal_and_others_do_not() {
        let failed = || Err("no server".to_owned());
        let mut goal = Goal::new("x".to_owned(), 9);
        for judgement in [failed(), missing("a"), failed(), missing("b"), failed()] {
            assert_eq!(told(&goal.judged(judgement)).0, "goes on");
        }
        let expected =
            "goal not judged (round 6 of 9): no server; given up, as it failed twice in a row";
        assert_eq!(told(&goal.judged(failed())), ("given up", expected));
    }

    #[test]
    fn only_the_last_judgements_are_shown() {
        let mut goal = Goal::new("x".to_owned(), 100);
        for round in 1..50 {
            goal.judged(missing(&round.to_string()));
        }
        assert_eq!(goal.shown().lines().count(), 2 + SHOWN);
        assert!(goal.shown().ends_with("(round 49 of 100): 49"));
    }
}
