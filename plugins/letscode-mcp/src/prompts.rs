//! Prompts of servers as slash commands.
//!
//! Owns how arguments are written behind the command, and how the messages become one text. Must
//! not ask the server or the user.

#[cfg(test)]
mod tests;

use crate::content;
use letscode_wire::{ContentPart, text_of};
use rmcp::model::{GetPromptResult, Prompt, PromptArgument, Role};
use serde_json::Map;
use serde_json::Value;

/// Returns how a prompt's arguments are written: `<needed> [optional]`.
pub(crate) fn usage(prompt: &Prompt) -> String {
    let words = arguments_of(prompt).iter().map(|argument| {
        let name = &argument.name;
        if argument.required.unwrap_or_default() {
            format!("<{name}>")
        } else {
            format!("[{name}]")
        }
    });
    words.collect::<Vec<_>>().join(" ")
}

/// Reads what was typed: `name=value` for any argument, other words in the order of the arguments;
/// the last takes all that is left. Quotes keep words together.
pub(crate) fn arguments(prompt: &Prompt, typed: &str) -> Map<String, Value> {
    let declared = arguments_of(prompt);
    let mut given = Map::new();
    let mut loose: Vec<String> = Vec::new();
    for word in words(typed) {
        match word.split_once('=') {
            Some((name, value)) if declared.iter().any(|argument| argument.name == name) => {
                given.insert(name.to_owned(), value.into());
            }
            _ => loose.push(word),
        }
    }
    let open: Vec<&PromptArgument> =
        declared.iter().filter(|argument| !given.contains_key(&argument.name)).collect();
    let mut loose = loose.into_iter();
    for (index, argument) in open.iter().enumerate() {
        let value = if index + 1 == open.len() {
            loose.by_ref().collect::<Vec<_>>().join(" ")
        } else {
            loose.next().unwrap_or_default()
        };
        if !value.is_empty() {
            given.insert(argument.name.clone(), value.into());
        }
    }
    given
}

/// Returns the arguments that are needed and not given.
pub(crate) fn missing<'a>(
    prompt: &'a Prompt,
    given: &Map<String, Value>,
) -> Vec<&'a PromptArgument> {
    let needed = |argument: &&PromptArgument| {
        argument.required.unwrap_or_default() && !given.contains_key(&argument.name)
    };
    arguments_of(prompt).iter().filter(needed).collect()
}

/// Returns a prompt's messages as one message of the user's. Pictures cannot be in it.
pub(crate) fn text(result: GetPromptResult) -> String {
    let alone = result.messages.iter().all(|message| matches!(message.role, Role::User));
    let texts = result.messages.into_iter().map(|message| {
        let parts = content::parts(vec![message.content]);
        let text = match parts.as_slice() {
            [ContentPart::Image { mime_type, .. }] => format!("[picture: {mime_type}, left out]"),
            parts => text_of(parts),
        };
        match message.role {
            Role::User if alone => text,
            Role::User => format!("User: {text}"),
            _ => format!("Assistant: {text}"),
        }
    });
    texts.collect::<Vec<_>>().join("\n\n")
}

fn arguments_of(prompt: &Prompt) -> &[PromptArgument] {
    prompt.arguments.as_deref().unwrap_or_default()
}

/// Splits at white space; quotes of either kind keep words together.
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for c in text.chars() {
        match quote {
            Some(open) if c == open => quote = None,
            Some(_) => word.get_or_insert_default().push(c),
            None if c == '"' || (c == '\'' && word.as_ref().is_none_or(|w| w.ends_with('='))) => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            None if c.is_whitespace() => words.extend(word.take()),
            None => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}
