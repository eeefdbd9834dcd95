//! From a prompt of the command line to the message that is sent.
//!
//! Owns which part of it is expanded (what was typed, never what was piped in) and what is said
//! on the way. Must not start the agent.

use crate::compose::Built;
use crate::environment::Environment;
use crate::input::Prompt;
use crate::messages;
use crate::settings::Settings;
use letscode_core::commands::{self, COMMANDS, SlashError};
use letscode_core::input::{Context, Expanded, InputError, expand as expand_typed};
use letscode_core::prompts::load_templates;
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
}

/// What a prompt asks for.
pub(super) enum Asked {
    /// An answer to a message.
    Answer(Command),
    /// What a slash command gives.
    Words(Command),
    /// Nothing more: what was typed is done.
    Nothing,
}

/// Returns whether what was typed begins with the name of a slash command, which may need no
/// model.
pub(super) fn is_slash_command(typed: &str) -> bool {
    let name = typed.strip_prefix('/').and_then(|rest| rest.split_whitespace().next());
    name.is_some_and(commands::is_command)
}

/// Returns what the prompt asks for.
pub(super) async fn expand(
    prompt: &Prompt,
    built: &Built,
    settings: &Settings,
    environment: &Environment,
) -> Result<Asked, ExpansionError> {
    let piped = prompt.piped.as_deref();
    let Some(typed) = &prompt.typed else {
        let text = Prompt::message(String::new(), piped);
        return Ok(Asked::Answer(Command::Prompt { text, images: Vec::new() }));
    };
    let mut templates = Vec::new();
    if typed.starts_with('/') {
        let (found, warnings) = load_templates(&*built.parts.env, environment.home()).await;
        for warning in warnings {
            messages::warning(warning, &settings.secrets);
        }
        templates = found;
    }
    let names: Vec<&str> = COMMANDS.iter().map(|command| command.name).collect();
    let context = Context {
        env: &built.parts.env,
        home: environment.home(),
        commands: &names,
        skills: &built.skills,
        templates: &templates,
        vision: built.parts.model.info().vision,
        cancel: CancellationToken::new(),
    };
    let (content, notices) = match expand_typed(typed, &context).await? {
        Expanded::Prompt { content, notices } => (Some(content), notices),
        Expanded::Silent { notices } => (None, notices),
        Expanded::Command { name, arguments } => {
            return Ok(Asked::Words(commands::read(&name, &arguments)?));
        }
    };
    for notice in notices {
        messages::warning(notice, &settings.secrets);
    }
    let Some(content) = content else { return Ok(Asked::Nothing) };
    Ok(Asked::Answer(Command::Prompt {
        text: Prompt::message(text_of(&content), piped),
        images: content.into_iter().filter_map(image).collect(),
    }))
}

fn image(part: ContentPart) -> Option<ImageData> {
    match part {
        ContentPart::Image { data, mime_type } => Some(ImageData { data, mime_type }),
        ContentPart::Text { .. } => None,
    }
}
