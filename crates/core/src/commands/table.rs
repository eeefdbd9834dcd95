//! The table of slash commands.
//!
//! Owns names, order and the reading of each one's arguments. Must not act.

use letscode_wire::Command;

/// A slash command.
#[derive(Debug)]
pub struct SlashCommand {
    /// The name, without the slash.
    pub name: &'static str,
    /// How its arguments are written; empty for none.
    pub arguments: &'static str,
    /// One line of help.
    pub help: &'static str,
    /// Reads its arguments, trimmed; `None` for a command of the terminal's own.
    pub read: Option<fn(&str) -> Option<Command>>,
}

impl SlashCommand {
    /// Returns the command as it is written.
    pub fn usage(&self) -> String {
        format!("{} {}", self.name, self.arguments).trim_end().to_owned()
    }
}

const fn command(
    name: &'static str,
    arguments: &'static str,
    help: &'static str,
    read: fn(&str) -> Option<Command>,
) -> SlashCommand {
    SlashCommand { name, arguments, help, read: Some(read) }
}

const fn of_terminal(name: &'static str, help: &'static str) -> SlashCommand {
    SlashCommand { name, arguments: "", help, read: None }
}

/// All slash commands, in the order of the help text.
pub const COMMANDS: &[SlashCommand] = &[
    command("help", "", "Show this list", |text| alone(text, Command::Commands)),
    of_terminal("quit", "Leave"),
    command("new", "", "Begin a new session", |text| alone(text, Command::New)),
    command("resume", "[N|ID]", "Show the sessions, or go on with one", |text| {
        Some(
            given(text)
                .map_or(Command::Sessions { all: false }, |session| Command::Resume { session }),
        )
    }),
    command("model", "[NAME]", "Show the models, or use one from now on", |text| {
        Some(given(text).map_or(Command::Models, |model| Command::SetModel { model }))
    }),
    command("thinking", "LEVEL", "Set how hard the model thinks: off … xhigh", |text| {
        given(text).map(|level| Command::SetThinking { level })
    }),
    command("tools", "", "Show the tools at hand", |text| alone(text, Command::Tools)),
    command("skills", "", "Show the skills", |text| alone(text, Command::Skills)),
    command("plugins", "", "Show the plugins", |text| alone(text, Command::Plugins)),
    command("state", "", "Show model, session and how full the context is", |text| {
        alone(text, Command::State)
    }),
    command("usage", "", "Show what the session cost so far", |text| alone(text, Command::Usage)),
    command("reset", "", "Forget the conversation", |text| alone(text, Command::Reset)),
    command("compact", "[BIAS]", "Replace older messages by a summary that minds BIAS", |text| {
        Some(Command::Compact { bias: given(text) })
    }),
    command("retry", "", "Ask again for the answer that a failed run did not get", |text| {
        alone(text, Command::Retry)
    }),
    command("steer", "TEXT", "Queue TEXT for the next answer without tool calls", |text| {
        given(text).map(|text| Command::Steer { text, expand: true })
    }),
    command("follow-up", "TEXT", "Queue TEXT for the end of the run", |text| {
        given(text).map(|text| Command::FollowUp { text, expand: true })
    }),
    command("queue", "", "Show what is queued", |text| alone(text, Command::Queue)),
    command("unqueue", "", "Take the last queued message back", |text| {
        alone(text, Command::Unqueue)
    }),
    command("tree", "", "Show the session's entries, by number", |text| alone(text, Command::Tree)),
    command("goto", "N", "Go on behind entry N, in the same session", |text| {
        text.parse().ok().map(|entry| Command::GoTo { entry })
    }),
    command("fork", "[N]", "Go on in a new session that ends with entry N", |text| {
        optional_number(text).map(|entry| Command::Fork { entry })
    }),
    command("clone", "", "Go on in a copy of the session", |text| alone(text, Command::Clone)),
    command("search", "TEXT", "Search what was said in this project's sessions", |text| {
        given(text).map(|query| Command::Search { query, all: false })
    }),
    command("name", "[TEXT]", "Show the session's label, or set it", |text| {
        Some(Command::Name { text: given(text) })
    }),
    command("delete", "N|ID", "Put a session into the trash", |text| {
        given(text).map(|session| Command::Delete { session })
    }),
    command("copy", "", "Put the last answer into the clipboard", |text| {
        alone(text, Command::Copy)
    }),
    command("export", "[PATH]", "Write the conversation as one HTML file", |text| {
        Some(Command::Export { path: given(text) })
    }),
    command("share", "", "Upload the conversation as a secret gist, through gh", |text| {
        alone(text, Command::Share)
    }),
    command(
        "reload",
        "",
        "Read config, catalog, skills, templates and context files again",
        |text| alone(text, Command::Reload),
    ),
    command("trust", "[on|off]", "Show whether this project is trusted, or change that", |text| {
        switch(text).map(|trust| Command::Trust { trust })
    }),
    of_terminal("verbose", "Show what tools print in full, or cut"),
    of_terminal("footer", "Show or hide the line below the answers"),
    of_terminal("edit", "Write the message in your editor"),
];

/// Returns the command where no argument was given.
fn alone(text: &str, command: Command) -> Option<Command> {
    text.is_empty().then_some(command)
}

/// Returns the argument where one was given.
fn given(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}

/// Returns `None` where what was given is no number.
fn optional_number(text: &str) -> Option<Option<usize>> {
    if text.is_empty() { Some(None) } else { text.parse().ok().map(Some) }
}

/// Returns `None` where what was given is neither on nor off.
fn switch(text: &str) -> Option<Option<bool>> {
    match text {
        "" => Some(None),
        "on" => Some(Some(true)),
        "off" => Some(Some(false)),
        _ => None,
    }
}
