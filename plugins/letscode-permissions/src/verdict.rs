//! What becomes of a call: run, asked about, or not run.
//!
//! Owns the order of rules: deny before ask before allow before the default. Must not ask anybody.

use crate::paths::Surroundings;
use crate::rule::{Bearing, Rule};
use crate::settings::{Otherwise, Settings};
use crate::subject::Subject;

/// What becomes of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It is run.
    Allow,
    /// It is not run, for this reason.
    Deny(String),
    /// The user is asked.
    Ask(Question),
}

/// What the user is asked.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Question {
    /// What is odd about the call; empty for nothing.
    pub(crate) note: String,
    /// The rules by which calls like this would not be asked about again; empty where they always are.
    pub(crate) rules: Vec<Rule>,
}

/// Judges a call. `remembered` holds what the user has allowed by answers.
pub(crate) fn judge<'a>(
    subject: &Subject,
    settings: &'a Settings,
    remembered: &[Rule],
    surroundings: &Surroundings,
) -> Verdict {
    let bearing = |rules: &'a [Rule]| {
        let each =
            rules.iter().map(|rule| (rule.bears_on(subject, surroundings), rule.to_string()));
        each.max_by_key(|(bearing, _)| *bearing).filter(|(bearing, _)| *bearing > Bearing::None)
    };
    let asked_always = |note: String| Verdict::Ask(Question { note, rules: Vec::new() });
    match bearing(&settings.deny) {
        Some((Bearing::Sure, rule)) => {
            return Verdict::Deny(format!("the user's rule `deny {rule}` forbids it"));
        }
        Some((_, rule)) => return asked_always(format!("it may come under deny {rule}")),
        None => {}
    }
    if let Some((_, rule)) = bearing(&settings.ask) {
        return asked_always(format!("asked each time: ask {rule}"));
    }
    if settings.is_broken {
        return asked_always("asked each time: [permissions] cannot be read as it is".to_owned());
    }
    let reading = Rule::all("read");
    let rules: Vec<&Rule> =
        settings.allow.iter().chain(remembered).chain(std::iter::once(&reading)).collect();
    let is_guarded = settings.deny.iter().chain(&settings.ask).any(Rule::is_about_commands);
    if let Some(hidden) = subject.hides(&rules).filter(|_| is_guarded) {
        return match settings.default {
            Otherwise::Deny if !subject.is_admitted(&rules, surroundings) => no_rule(),
            _ => Verdict::Ask(Question {
                note: format!("what is denied or asked may be hidden in it: {hidden}"),
                rules: subject.exactly(),
            }),
        };
    }
    if subject.is_admitted(&rules, surroundings) {
        return Verdict::Allow;
    }
    let note = note(subject);
    let is_odd_path = matches!(subject, Subject::File { target, .. } if !target.is_known);
    match settings.default {
        Otherwise::Allow if !is_odd_path => Verdict::Allow,
        Otherwise::Deny => no_rule(),
        Otherwise::Allow | Otherwise::Ask => {
            Verdict::Ask(Question { note, rules: subject.suggestion(&rules, surroundings) })
        }
    }
}

fn no_rule() -> Verdict {
    Verdict::Deny("no rule of the user's allows it".to_owned())
}

/// Returns what the user should know about a call.
fn note(subject: &Subject) -> String {
    match subject {
        Subject::Command { reading, .. } => {
            reading.doubt.map(|doubt| format!("no pattern allows it: {doubt}")).unwrap_or_default()
        }
        Subject::File { target, .. } => {
            let outside = target.places.iter().find(|place| place.inside.is_none());
            let guarded = target.places.iter().find_map(|place| place.guarded);
            match (target.is_known, outside, guarded) {
                (false, _, _) => "where that leads cannot be known".to_owned(),
                (_, Some(place), _) => {
                    format!("outside of the working directory: {}", place.absolute)
                }
                (_, None, Some(folder)) => format!("what is in {folder} decides what runs later"),
                (_, None, None) => String::new(),
            }
        }
        Subject::Other { .. } => String::new(),
    }
}

#[cfg(test)]
mod tests;
