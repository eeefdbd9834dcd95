//! A tool call as rules see it.
//!
//! Owns which argument of which tool counts, and which rules would let a call through. Must not judge.

use crate::paths::{Place, Surroundings, Target, guarded};
use crate::rule::Rule;
use crate::shell::{self, Part, Reading, WITH_COMMANDS};
use letscode_plugin::ToolCall;
use serde_json::Value;
use std::path::Path;

/// Programs that run scripts of the project by their names.
const WITH_SCRIPTS: [&str; 4] = ["bun", "npm", "pnpm", "yarn"];

/// What a call is about.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Subject {
    /// A command of the shell.
    Command {
        /// As it stands.
        command: String,
        /// As it was read.
        reading: Reading,
    },
    /// A file.
    File {
        /// The tool.
        tool: String,
        /// As the model wrote it.
        given: String,
        /// As it was read.
        target: Target,
    },
    /// A tool of which only the name is known.
    Other {
        /// The tool.
        tool: String,
    },
}

impl Subject {
    /// Reads a call.
    pub(crate) fn of(call: &ToolCall, surroundings: &Surroundings) -> Self {
        let text = |name: &str| call.arguments.get(name).and_then(Value::as_str);
        match (call.name.as_str(), text("command"), text("path")) {
            ("bash", Some(command), _) => {
                Self::Command { command: command.to_owned(), reading: shell::read(command) }
            }
            (tool @ ("read" | "write" | "edit"), _, Some(given)) => Self::File {
                tool: tool.to_owned(),
                given: given.to_owned(),
                target: surroundings.read(given),
            },
            (tool, _, _) => Self::Other { tool: tool.to_owned() },
        }
    }

    /// Returns the tool's name.
    pub(crate) fn tool(&self) -> &str {
        match self {
            Self::Command { .. } => "bash",
            Self::File { tool, .. } | Self::Other { tool } => tool,
        }
    }

    /// Returns whether the rules let the call through, all together.
    pub(crate) fn is_admitted(&self, rules: &[&Rule], surroundings: &Surroundings) -> bool {
        match self {
            Self::Command { command, reading } => {
                rules.iter().any(|rule| rule.admits_whole(command))
                    || reading.doubt.is_none()
                        && unadmitted(reading, rules, surroundings).next().is_none()
            }
            Self::File { tool, target, .. } => {
                let admitted = |place: &Place| {
                    tool == "read" && place.is_scratch
                        || rules.iter().any(|rule| rule.admits_place(tool, place, surroundings))
                };
                target.is_known && target.places.iter().all(admitted)
            }
            Self::Other { tool } => rules.iter().any(|rule| rule.admits_all_of(tool)),
        }
    }

    /// Returns the text of a call that may change where paths lead; `None` for one that does not.
    pub(crate) fn may_move_files(&self, call: &ToolCall) -> Option<String> {
        match self {
            Self::Command { reading, .. } if reading.changes_nothing() => None,
            Self::Command { command, .. } => Some(command.clone()),
            // These write files and make no links.
            Self::File { .. } => None,
            Self::Other { .. } => Some(serde_json::to_string(&call.arguments).unwrap_or_default()),
        }
    }

    /// Returns whether the file may be another one once a call with this text has run: it is named
    /// there, or it is not there yet.
    pub(crate) fn may_be_moved_by(&self, text: &str) -> bool {
        let Self::File { given, target, .. } = self else { return false };
        let is_part_of_name =
            |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '_' | '+' | '@');
        let mut names = given.split('/').filter(|name| !matches!(*name, "" | "." | ".."));
        let is_named = |name: &str| {
            text.match_indices(name).any(|(at, _)| {
                let before = text.get(..at).and_then(|text| text.chars().next_back());
                let behind = text.get(at + name.len()..).and_then(|text| text.chars().next());
                !before.is_some_and(is_part_of_name) && !behind.is_some_and(is_part_of_name)
            })
        };
        !target.is_there || names.any(is_named)
    }

    /// Returns why a rule against something may not see all that the call does, where it may not and
    /// the user has not seen exactly this.
    pub(crate) fn hides(&self, rules: &[&Rule]) -> Option<&'static str> {
        let Self::Command { command, reading } = self else { return None };
        let is_seen = rules.iter().any(|rule| rule.is_exact() && rule.admits_whole(command));
        reading.doubt.or(reading.hidden).filter(|_| !is_seen)
    }

    /// Returns the rule for exactly this command; none for other calls.
    pub(crate) fn exactly(&self) -> Vec<Rule> {
        match self {
            Self::Command { command, .. } => {
                let rule = Rule::with("bash", command.clone());
                Vec::from_iter(Some(rule).filter(Rule::can_be_written))
            }
            Self::File { .. } | Self::Other { .. } => Vec::new(),
        }
    }

    /// Returns the rules that would let this call through, and others that do the same, beside those
    /// that there are; none where it has to be asked about each time.
    pub(crate) fn suggestion(&self, rules: &[&Rule], surroundings: &Surroundings) -> Vec<Rule> {
        let suggested = match self {
            Self::Command { command, reading } => {
                let each: Option<Vec<Rule>> =
                    unadmitted(reading, rules, surroundings).map(rule_for).collect();
                let each = each.filter(|_| reading.doubt.is_none());
                each.unwrap_or_else(|| vec![Rule::with("bash", command.clone())])
            }
            Self::File { tool, target, .. } => files_like(tool, target),
            Self::Other { tool } => Rule::all_of_this(tool).into_iter().collect(),
        };
        let suggested = each_once(suggested);
        let together: Vec<&Rule> = rules.iter().copied().chain(&suggested).collect();
        let can_be_kept = suggested.iter().all(Rule::can_be_written);
        let is_enough = can_be_kept && self.is_admitted(&together, surroundings);
        if is_enough { suggested } else { Vec::new() }
    }
}

/// Returns the simple commands that no rule lets run.
fn unadmitted<'a>(
    reading: &'a Reading,
    rules: &'a [&Rule],
    surroundings: &'a Surroundings,
) -> impl Iterator<Item = &'a Part> {
    reading.parts.iter().filter(move |part| {
        !goes_to_working_dir(part, surroundings)
            && !rules.iter().any(|rule| rule.admits_command(&part.text))
    })
}

/// Returns whether a command changes to the working directory, and does nothing else. Any other
/// directory may hold what programs take their orders from, a repository's configuration for one.
fn goes_to_working_dir(part: &Part, surroundings: &Surroundings) -> bool {
    match part.words.as_slice() {
        [cd, to] => cd == "cd" && (to == "." || surroundings.is_working_dir(to)),
        _ => false,
    }
}

/// Returns the rule for commands that do the same with other arguments, where it can be told what a
/// command does.
fn rule_for(part: &Part) -> Option<Rule> {
    let is_command = |word: &str| {
        word.starts_with(|c: char| c.is_ascii_lowercase())
            && word.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':'))
    };
    let words: Vec<&str> = part.words.iter().map(String::as_str).collect();
    let pattern = match words.as_slice() {
        [program, "run", script, ..] if WITH_SCRIPTS.contains(program) && is_command(script) => {
            format!("{program} run {script} *")
        }
        // These run whatever is named.
        [_, "run" | "exec" | "x", ..] => return None,
        [program, command, ..] if WITH_COMMANDS.contains(program) && is_command(command) => {
            format!("{program} {command} *")
        }
        _ => return None,
    };
    Some(Rule::like("bash", pattern))
}

/// Returns the rules for files like this one: all that may be written inside of the project, a folder
/// elsewhere that is read, a single file elsewhere that is written.
fn files_like(tool: &str, target: &Target) -> Vec<Rule> {
    let mut rules: Vec<Rule> = Vec::new();
    for place in &target.places {
        let rule = match (&place.inside, tool) {
            (Some(_), "read") => Rule::all(tool),
            (Some(inside), _) if place.guarded.is_some() => {
                // The rule has to name the guarded folder, which may be around the project.
                let names_it = guarded(Path::new(inside)) == place.guarded;
                Rule::with(tool, if names_it { inside } else { &place.absolute }.clone())
            }
            (Some(_), _) => {
                rules.extend([Rule::all("write"), Rule::all("edit")]);
                continue;
            }
            (None, "read") => {
                let folder = Path::new(&place.absolute).parent();
                // A `*` in a folder's own name would stand for any text.
                let is_plain = |folder: &&Path| {
                    folder.parent().is_some() && !folder.to_string_lossy().contains('*')
                };
                match folder.filter(is_plain) {
                    Some(folder) => {
                        Rule::like(tool, folder.join("*").to_string_lossy().into_owned())
                    }
                    None => Rule::with(tool, place.absolute.clone()),
                }
            }
            (None, _) => Rule::with(tool, place.absolute.clone()),
        };
        rules.push(rule);
    }
    rules
}

fn each_once(rules: Vec<Rule>) -> Vec<Rule> {
    let mut each: Vec<Rule> = Vec::new();
    for rule in rules {
        if !each.contains(&rule) {
            each.push(rule);
        }
    }
    each
}

#[cfg(test)]
mod tests;
