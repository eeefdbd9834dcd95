//! Which key does what.
//!
//! Owns the actions, their table (from which the help is printed) and what `[keys]` of the config
//! changes in it. Must not do anything: a front end asks for the action of a key and does it.

mod table;

pub use table::{Row, TABLE};

use crate::keys::Key;
use std::sync::Arc;

/// What a key can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the table says in words what each one does")]
pub enum Action {
    Send,
    Newline,
    Complete,
    Editor,
    PasteImage,
    Undo,
    Redo,
    Up,
    Down,
    HistorySearch,
    Left,
    Right,
    WordLeft,
    WordRight,
    LineStart,
    LineEnd,
    TextStart,
    TextEnd,
    DeleteBack,
    DeleteForward,
    KillToEnd,
    KillToStart,
    KillWordBack,
    KillWordForward,
    Yank,
    YankPop,
    Stop,
    QueueFollowUp,
    TakeBack,
    Retry,
    Interrupt,
    Exit,
    ToggleThinking,
    Unfold,
    Redraw,
    Suspend,
    Choose,
    Cancel,
    Previous,
    Next,
    PageUp,
    PageDown,
    First,
    Last,
}

/// Where an action can be done. The same key may do something else in each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Context {
    /// Where a message is written.
    Composer,
    /// Where a message is written, before anything is in it.
    Empty,
    /// While the agent works.
    Working,
    /// After an error, before anything is written.
    Failed,
    /// In a list.
    Picker,
    /// Wherever nothing nearer has the key.
    Everywhere,
}

impl Context {
    /// Returns the heading of its part of the help.
    pub const fn heading(self) -> &'static str {
        match self {
            Self::Composer => "Writing",
            Self::Empty => "With an empty message",
            Self::Working => "While the agent works",
            Self::Failed => "After an error",
            Self::Picker => "In a list",
            Self::Everywhere => "Everywhere",
        }
    }
}

/// What keys that were pressed mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Found {
    /// They do this.
    Action(Action),
    /// They begin a sequence: the next key decides.
    Prefix,
    /// Nothing is bound to them.
    Nothing,
}

/// A part of the help: its heading, and for each action its keys and what they do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HelpPart {
    /// Where the actions can be done.
    pub context: Context,
    /// The keys, as they are written, with the action's words; keys are empty where none is bound.
    pub rows: Vec<(String, &'static str)>,
}

/// The keys with their actions.
#[derive(Debug, Clone)]
pub struct Keymap {
    /// What was bound first wins.
    bindings: Vec<Binding>,
}

#[derive(Debug, Clone)]
struct Binding {
    /// One key or two.
    keys: Vec<Key>,
    action: Action,
    context: Context,
}

impl Default for Keymap {
    fn default() -> Self {
        Self::new(&[]).0
    }
}

impl Keymap {
    /// Returns the table with changes: names of actions, each with all its keys (an empty text is
    /// none). What is not understood stays as it was, with one line each that says so.
    pub fn new(changes: &[(String, Vec<String>)]) -> (Self, Vec<String>) {
        let mut warnings = Vec::new();
        let mut bindings = Vec::new();
        let mut changed = Vec::new();
        for (name, keys) in changes {
            let Some(row) = TABLE.iter().find(|row| row.name == name) else {
                let known = nearest(name);
                warnings.push(format!("[keys] has no action {name:?}{known}"));
                continue;
            };
            let mut read = Vec::new();
            let before = warnings.len();
            for text in keys.iter().filter(|text| !text.trim().is_empty()) {
                match sequence(text) {
                    Ok(keys) => read.push(keys),
                    Err(reason) => warnings.push(format!("[keys] {name}: {reason}")),
                }
            }
            // A mistyped key must not leave the action without any.
            if read.is_empty() && warnings.len() > before {
                continue;
            }
            changed.push(row.action);
            bindings.extend(read.into_iter().map(|keys| Binding {
                keys,
                action: row.action,
                context: row.context,
            }));
        }
        let chosen = bindings.len();
        for row in TABLE.iter().filter(|row| !changed.contains(&row.action)) {
            for keys in row.keys.iter().filter_map(|text| sequence(text).ok()) {
                let taken = bindings.iter().take(chosen).any(|binding: &Binding| {
                    hides(row.context, binding.context) && overlap(&binding.keys, &keys)
                });
                if !taken {
                    bindings.push(Binding { keys, action: row.action, context: row.context });
                }
            }
        }
        (Self { bindings }, warnings)
    }

    /// Returns the table with changes, shared, without the warnings.
    pub fn shared(changes: &[(String, Vec<String>)]) -> Arc<Self> {
        Arc::new(Self::new(changes).0)
    }

    /// Returns what keys mean that were pressed one after the other, the nearest context first.
    pub fn find(&self, contexts: &[Context], keys: &[Key]) -> Found {
        for context in contexts {
            let mut here = self.bindings.iter().filter(|binding| binding.context == *context);
            let found = here.find(|binding| binding.keys.starts_with(keys));
            match found {
                Some(binding) if binding.keys.len() == keys.len() => {
                    return Found::Action(binding.action);
                }
                Some(_) => return Found::Prefix,
                None => {}
            }
        }
        Found::Nothing
    }

    /// Returns the keys of an action as they are written, the first one first.
    pub fn keys_of(&self, action: Action) -> Vec<String> {
        let of_action = self.bindings.iter().filter(|binding| binding.action == action);
        of_action.map(|binding| written(&binding.keys)).collect()
    }

    /// Returns the help as plain text, with at most two of the keys of each action.
    pub fn help_text(&self) -> String {
        let mut parts = self.help();
        let mut width = 0;
        for (keys, _) in parts.iter_mut().flat_map(|part| &mut part.rows) {
            // The first two are enough to know; docs/keys.md has all.
            *keys = keys.split(", ").take(2).collect::<Vec<_>>().join(", ");
            width = width.max(keys.chars().count());
        }
        let part = |part: HelpPart| {
            let row = |(keys, help)| format!("\n  {keys:<width$}  {help}");
            format!(
                "{}{}",
                part.context.heading(),
                part.rows.into_iter().map(row).collect::<String>()
            )
        };
        let parts: Vec<String> = parts.into_iter().map(part).collect();
        parts.join("\n\n")
    }

    /// Returns the help: all actions of the table with the keys that do them.
    pub fn help(&self) -> Vec<HelpPart> {
        let mut parts: Vec<HelpPart> = Vec::new();
        for row in TABLE {
            let line = (self.keys_of(row.action).join(", "), row.help);
            match parts.iter_mut().find(|part| part.context == row.context) {
                Some(part) => part.rows.push(line),
                None => parts.push(HelpPart { context: row.context, rows: vec![line] }),
            }
        }
        parts
    }
}

/// Returns whether keys in one context are asked for before, or together with, those in another.
fn hides(near: Context, far: Context) -> bool {
    let order = [Context::Empty, Context::Composer, Context::Working, Context::Everywhere];
    let place = |context| order.iter().position(|one| *one == context);
    match (place(near), place(far)) {
        (Some(near), Some(far)) => near <= far,
        _ => near == far,
    }
}

/// Returns whether one of two sequences begins with the other, so that both cannot be pressed.
fn overlap(one: &[Key], other: &[Key]) -> bool {
    one.starts_with(other) || other.starts_with(one)
}

fn sequence(text: &str) -> Result<Vec<Key>, String> {
    let keys: Result<Vec<Key>, _> = text.split_whitespace().map(str::parse).collect();
    match keys {
        Ok(keys) if keys.len() <= 2 => Ok(keys),
        Ok(_) => Err(format!("{text:?} has more than two keys")),
        Err(error) => Err(error.to_string()),
    }
}

fn written(keys: &[Key]) -> String {
    let names: Vec<String> = keys.iter().map(Key::to_string).collect();
    names.join(" ")
}

/// Returns a hint at actions whose names share a part with a name that is none.
fn nearest(name: &str) -> String {
    let parts: Vec<&str> = name.split(['-', '_']).filter(|part| part.len() > 2).collect();
    let near = |row: &&Row| parts.iter().any(|part| row.name.contains(part));
    let names: Vec<&str> = TABLE.iter().filter(near).map(|row| row.name).take(3).collect();
    if names.is_empty() { String::new() } else { format!("; there is {}", names.join(", ")) }
}

#[cfg(test)]
mod tests;
