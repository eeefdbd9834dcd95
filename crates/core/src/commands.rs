//! Slash commands: one table, from which help is printed and lines are read.
//!
//! Owns the names, the reading of arguments into [`Command`]s, the words in which results are
//! shown, and the port [`Host`] to what only the program around the agent can do. A slash command
//! is nothing but a command of the wire in a form that a person types. Must not carry one out.

mod host;
mod render;
mod shown;
mod table;

pub use host::{Conversation, Equipped, Host, HostError, NoHost, Reloaded};
pub use render::render;
pub(crate) use shown::Shown;
pub use table::{COMMANDS, SlashCommand};

use letscode_wire::{Command, CommandInfo, CommandKind};

/// Why a line is no slash command that can be carried out.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SlashError {
    /// No command has that name.
    #[error("there is no command /{name}{}; /help lists them", did_you_mean(.near))]
    Unknown {
        /// The name.
        name: String,
        /// Names that look like it.
        near: Vec<String>,
    },
    /// The arguments do not fit.
    #[error("usage: /{usage}")]
    Usage {
        /// The command as it should be written.
        usage: String,
    },
    /// The command belongs to a front end with a screen.
    #[error("/{name} works in the interactive terminal only")]
    NeedsTerminal {
        /// The name.
        name: String,
    },
}

fn did_you_mean(names: &[String]) -> String {
    match names {
        [] => String::new(),
        names => format!(" (did you mean /{}?)", names.join(" or /")),
    }
}

/// Returns whether a slash command has that name.
pub fn is_command(name: &str) -> bool {
    find(name).is_some()
}

/// Returns the command that a name and what stands behind it mean.
///
/// # Errors
/// When there is no such command, or its arguments do not fit.
pub fn read(name: &str, arguments: &str) -> Result<Command, SlashError> {
    let Some(command) = find(name) else {
        return Err(unknown(name));
    };
    let Some(reader) = command.read else {
        return Err(SlashError::NeedsTerminal { name: command.name.to_owned() });
    };
    reader(arguments.trim()).ok_or_else(|| SlashError::Usage { usage: command.usage() })
}

/// Returns the command of a whole line; the slash may be left out.
///
/// # Errors
/// As [`read`].
pub fn read_line(line: &str) -> Result<Command, SlashError> {
    let (name, arguments) = split_line(line);
    read(name, arguments)
}

/// Returns the name that a line gives, be it a command's or not; the slash may be left out.
pub fn name_in(line: &str) -> &str {
    split_line(line).0
}

/// Returns whether a text that a person typed calls for a slash command.
pub fn is_call(text: &str) -> bool {
    text.starts_with('/') && is_command(name_in(text))
}

/// Returns the table as data.
pub fn list() -> Vec<CommandInfo> {
    let info = |command: &SlashCommand| CommandInfo {
        name: command.name.to_owned(),
        arguments: command.arguments.to_owned(),
        help: command.help.to_owned(),
        kind: CommandKind::Command,
    };
    COMMANDS.iter().map(info).collect()
}

/// Returns the error about a name that no command has.
pub(crate) fn unknown(name: &str) -> SlashError {
    SlashError::Unknown { name: name.to_owned(), near: near_names(name) }
}

/// Returns the name that a line gives, and what stands behind it.
pub(crate) fn split_line(line: &str) -> (&str, &str) {
    let line = line.trim();
    let line = line.strip_prefix('/').unwrap_or(line);
    line.split_once(char::is_whitespace).unwrap_or((line, ""))
}

fn find(name: &str) -> Option<&'static SlashCommand> {
    COMMANDS.iter().find(|command| command.name == name)
}

/// Returns the names that begin alike or differ by little.
fn near_names(name: &str) -> Vec<String> {
    let is_near = |known: &&SlashCommand| {
        crate::near::likeness(known.name, name) >= 0.7
            || (name.len() >= 2 && known.name.starts_with(name))
    };
    COMMANDS.iter().filter(is_near).map(|command| command.name.to_owned()).take(3).collect()
}

#[cfg(test)]
mod tests;
