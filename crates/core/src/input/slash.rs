//! `/name` at the start of typed text.
//!
//! Owns what such a name may be, and the order: a command, a skill, a template. Must not run
//! commands.

use super::{Context, InputError};
use crate::skills::Skill;

/// How many names a hint lists.
const LISTED_NAMES: usize = 5;

/// What a text begins with.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Slash<'a> {
    /// A command.
    Command { name: &'a str, arguments: &'a str },
    /// A skill or a template, already put in.
    Spliced { text: String, arguments: &'a str },
    /// A name that nothing has, with more text behind it.
    Unknown { name: &'a str },
    /// No name behind a slash.
    None,
}

/// Reads the start of a text.
pub(super) fn read<'a>(text: &'a str, context: &Context<'_>) -> Result<Slash<'a>, InputError> {
    let Some((name, arguments)) = split(text) else { return Ok(Slash::None) };
    if context.commands.contains(&name) {
        return Ok(Slash::Command { name, arguments });
    }
    if let Some(skill) = name.strip_prefix("skill:") {
        let text = find_skill(skill, context)?.text(arguments);
        return Ok(Slash::Spliced { text, arguments });
    }
    if let Some(template) = context.templates.iter().find(|template| template.name == name) {
        return Ok(Slash::Spliced { text: template.expand(arguments), arguments });
    }
    if !is_name(name) {
        return Ok(Slash::None);
    }
    if !arguments.is_empty() {
        return Ok(Slash::Unknown { name });
    }
    Err(unknown_name(name, context))
}

/// Returns the error about a text whose name neither a template nor a skill has.
pub(super) fn unknown(text: &str, context: &Context<'_>) -> Option<InputError> {
    let name = name(text)?;
    let is_known = name.starts_with("skill:")
        || context.templates.iter().any(|template| template.name == name);
    (!is_known).then(|| unknown_name(name, context))
}

fn unknown_name(name: &str, context: &Context<'_>) -> InputError {
    let templates = context.templates.iter().map(|template| template.name.as_str());
    let templates = templates.filter(|name| !context.commands.contains(name));
    let mut known: Vec<String> =
        context.commands.iter().copied().chain(templates).map(|name| format!("/{name}")).collect();
    known.extend(context.skills.iter().map(|skill| format!("/skill:{}", skill.name)));
    InputError::UnknownCommand { name: name.to_owned(), hint: hint(&format!("/{name}"), &known) }
}

/// Returns what stands behind a slash at the start of a text, up to white space.
pub(super) fn name(text: &str) -> Option<&str> {
    split(text).map(|(name, _)| name)
}

/// Returns the name behind a slash, and what follows it.
fn split(text: &str) -> Option<(&str, &str)> {
    let rest = text.strip_prefix('/')?;
    let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
    let (name, arguments) = rest.split_at_checked(end).unwrap_or((rest, ""));
    Some((name, arguments.trim()))
}

/// Returns the skill of that name; a tool's name, less `skill_`, will do.
fn find_skill<'a>(name: &str, context: &Context<'a>) -> Result<&'a Skill, InputError> {
    let by_tool = |skill: &&Skill| {
        skill.tool.as_deref().and_then(|tool| tool.strip_prefix("skill_")) == Some(name)
    };
    let mut skills = context.skills.iter().map(|skill| &**skill);
    let found = skills.clone().find(|skill| skill.name == name).or_else(|| skills.find(by_tool));
    found.ok_or_else(|| {
        let known: Vec<String> = context.skills.iter().map(|skill| skill.name.clone()).collect();
        InputError::UnknownSkill { name: name.to_owned(), hint: hint(name, &known) }
    })
}

/// Returns whether a word can be meant as a name: `/etc/hosts` and `//` are not.
fn is_name(word: &str) -> bool {
    let mut characters = word.chars();
    characters.next().is_some_and(char::is_alphanumeric)
        && characters.all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | ':' | '.'))
}

/// Returns the names most like `name`, or else some of those that there are.
fn hint(name: &str, known: &[String]) -> String {
    let candidates: Vec<&str> = known.iter().map(String::as_str).collect();
    let near = crate::near::nearest(name, &candidates, LISTED_NAMES, 0.6);
    if !near.is_empty() {
        return format!("; near names: {}", near.join(", "));
    }
    let Some(shown) = candidates.get(..LISTED_NAMES.min(candidates.len())) else {
        return String::new();
    };
    match candidates.len() - shown.len() {
        _ if shown.is_empty() => String::new(),
        0 => format!("; there is {}", shown.join(", ")),
        more => format!("; there is {} and {more} more", shown.join(", ")),
    }
}
