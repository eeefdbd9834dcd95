//! From a prompt of the command line to the message that is sent.
//!
//! Owns which part of it is expanded (what was typed, never what was piped in) and what is said
//! on the way. Must not start the agent.

use crate::compose::Built;
use crate::input::Prompt;
use crate::messages;
use crate::settings::{SessionChoice, Settings};
use letscode_core::commands::{self, COMMANDS, SlashError};
use letscode_core::input::{Context, Expanded, InputError, expand_with_templates};
use letscode_wire::{Command, ContentPart, ImageData, text_of};
use tokio_util::sync::CancellationToken;

/// Why there is nothing to send.
#[derive(Debug, thiserror::Error)]
pub(super) enum ExpansionError {
    /// What was typed asks for something that is not there.
    #[error(transparent)]
    Input(#[from] InputError),
    /// A slash command that cannot be carried out.
    #[error(transparent)]
    Slash(#[from] SlashError),
    /// A slash command whose effect would end with the program.
    #[error("/{name} has no effect on the command line: {instead}")]
    NoEffect {
        /// The command.
        name: String,
        /// What to do.
        instead: &'static str,
    },
}

/// What a prompt asks for.
pub(super) enum Asked {
    /// An answer to a message.
    Answer(Command),
    /// What a slash command gives.
    Words(Command),
    /// Nothing more: what was typed is done, and gave this.
    Shown(String),
}

/// Returns whether what was typed may need no model: a slash command, or a name alone that may
/// be none, or a command whose output nobody gets.
pub(super) fn may_need_no_model(typed: &str, settings: &Settings) -> bool {
    let typed = typed.trim();
    let Some(rest) = typed.strip_prefix('/') else { return typed.starts_with("!!") };
    if settings.plugins.are_there() {
        // One of them may have a command of that name.
        return true;
    }
    let name = rest.split_whitespace().next();
    name.is_some_and(|name| name == rest || commands::is_command(name))
}

/// Returns why a slash command would have no effect here: what it changes ends with the program.
fn has_no_effect(command: &Command, settings: &Settings) -> Option<&'static str> {
    match command {
        Command::Name { text: Some(_) } if settings.session == SessionChoice::New => {
            Some("use -c to name the last session, or --resume")
        }
        Command::Reset if settings.session == SessionChoice::New => {
            Some("use -c to forget the last session's conversation, or --resume")
        }
        Command::New => Some("a new session begins with any message that has no -c"),
        Command::Resume { .. } => Some("use --resume with the number and a message"),
        Command::SetThinking { .. } => Some("use --thinking with the message"),
        Command::Reload => Some("every start reads all files anew"),
        Command::Steer { .. } | Command::FollowUp { .. } => {
            Some("there is no run here that it could wait for")
        }
        _ => None,
    }
}

/// Returns what to know of a switch to `model` where flag or variable ask for another one.
fn overridden(model: &str, asked: &str) -> String {
    format!(
        "the session goes on with {model} only where neither -m nor LETSCODE_MODEL asks for another: \
         here it is {asked}"
    )
}

/// Returns what the prompt asks for, and leaves what files it shows to the agent's parts.
pub(super) async fn expand(
    prompt: &Prompt,
    built: &mut Built,
    settings: &Settings,
) -> Result<Asked, ExpansionError> {
    let piped = prompt.piped.as_deref();
    let Some(typed) = &prompt.typed else {
        let text = without_keys(Prompt::message(String::new(), piped), settings);
        return Ok(Asked::Answer(Command::Prompt { text, images: Vec::new(), expand: false }));
    };
    let hooks = &built.parts.hooks;
    if typed.trim_start().starts_with('/') && hooks.revision().is_none() {
        // Whether a name is a plugin's is known when all have registered.
        hooks.started().await;
    }
    let of_plugins = hooks.commands();
    let own = COMMANDS.iter().map(|command| command.name);
    let names: Vec<&str> =
        own.chain(of_plugins.iter().map(|command| command.name.as_str())).collect();
    let context = Context {
        env: &built.parts.env,
        home: built.parts.typing.home.as_deref(),
        commands: &names,
        skills: &built.parts.typing.skills,
        templates: &[],
        vision: built.parts.model.info().vision,
        cancel: CancellationToken::new(),
    };
    let (expanded, warnings) = expand_with_templates(typed, context).await;
    for warning in warnings {
        messages::warning(warning, &settings.secrets);
    }
    let (content, notices) = match expanded? {
        Expanded::Prompt { content, notices, files } => {
            built.parts.typing.shown = files;
            built.parts.typing.typed = Some(typed.clone());
            (content, notices)
        }
        Expanded::Silent { output, .. } => {
            return Ok(Asked::Shown(without_keys(output, settings)));
        }
        Expanded::Command { name, arguments } => {
            let of_plugin = of_plugins.iter().any(|command| command.name == name);
            if of_plugin && !commands::is_command(&name) {
                return Ok(Asked::Words(Command::RunCommand {
                    text: format!("{name} {arguments}"),
                }));
            }
            let command = commands::read(&name, &arguments)?;
            if let Some(instead) = has_no_effect(&command, settings) {
                return Err(ExpansionError::NoEffect { name, instead });
            }
            if let Command::SetModel { model } = &command
                && let Some(asked) = settings.model.asked.as_ref().filter(|asked| *asked != model)
            {
                messages::warning(overridden(model, asked), &settings.secrets);
            }
            return Ok(Asked::Words(command));
        }
    };
    for notice in notices {
        messages::warning(notice, &settings.secrets);
    }
    Ok(Asked::Answer(Command::Prompt {
        text: without_keys(Prompt::message(text_of(&content), piped), settings),
        images: content.into_iter().filter_map(image).collect(),
        expand: false,
    }))
}

/// Returns the text without keys: what a file, a command or a pipe holds goes to the model as the
/// results of tools do.
fn without_keys(text: String, settings: &Settings) -> String {
    settings.secrets.mask(text).into_owned()
}

fn image(part: ContentPart) -> Option<ImageData> {
    match part {
        ContentPart::Image { data, mime_type } => Some(ImageData { data, mime_type }),
        ContentPart::Text { .. } => None,
    }
}
