//! What a person types, made into what the model is sent: `/name`, `!command`, `@path`.
//!
//! Owns the three notations and their order: slash first, then `!`, then `@`. Only what was typed
//! is looked at: the text of a skill or a template, a command's output and a file's content are
//! never expanded, since others may have written them. What is read this way is bounded, and
//! marked as data. Must not be used on text that came through a pipe, or from a host that does
//! not say that a person typed it.

mod at_path;
mod attachments;
mod shell;
mod slash;

use crate::env::{ExecutionEnv, Fingerprint};
use crate::prompts::{Template, load_templates};
use crate::skills::Skill;
use at_path::MENTION_LIMIT;
use attachments::Attachments;
use letscode_wire::ContentPart;
use slash::Slash;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// What an expansion may use.
#[derive(Clone)]
pub struct Context<'a> {
    /// Files and processes.
    pub env: &'a Arc<dyn ExecutionEnv>,
    /// What a leading `~/` in a path stands for.
    pub home: Option<&'a Path>,
    /// The names of the slash commands, without the slash.
    pub commands: &'a [&'a str],
    /// The skills, which `/skill:NAME` calls for.
    pub skills: &'a [Arc<Skill>],
    /// The prompt templates. One with the name of a command is never used.
    pub templates: &'a [Template],
    /// Whether the model takes images.
    pub vision: bool,
    /// Ends a command that was typed.
    pub cancel: CancellationToken,
}

/// What typed text turned out to be.
#[derive(Debug, Clone, PartialEq)]
pub enum Expanded {
    /// Something to send. Without any notation it is the typed text, byte for byte.
    Prompt {
        /// One text, then the pictures.
        content: Vec<ContentPart>,
        /// What the person should know of it, a line each.
        notices: Vec<String>,
        /// The text files that the content shows whole.
        files: Vec<ShownFile>,
    },
    /// A command that has run and of which the model hears nothing (`!!command`).
    Silent {
        /// The command.
        command: String,
        /// Its output, as the `bash` tool would give it, and how it ended, where that was not well.
        output: String,
        /// Its exit code, where it ended by itself.
        exit_code: Option<i64>,
    },
    /// A slash command.
    Command {
        /// Its name, without the slash.
        name: String,
        /// All that follows it.
        arguments: String,
    },
}

/// A file whose whole text goes with a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownFile {
    /// Its path, absolute.
    pub path: PathBuf,
    /// What it held.
    pub fingerprint: Fingerprint,
}

/// Why typed text cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InputError {
    /// The text is a slash and a name that nothing has.
    #[error("there is no command or prompt template /{name}{hint}")]
    UnknownCommand {
        /// The name.
        name: String,
        /// What there is, as the end of the sentence.
        hint: String,
    },
    /// `/skill:` and a name that no skill has.
    #[error("there is no skill named {name:?}{hint}")]
    UnknownSkill {
        /// The name.
        name: String,
        /// What there is, as the end of the sentence.
        hint: String,
    },
    /// The typed command could not even be started.
    #[error("cannot run {command:?}: {reason}")]
    Shell {
        /// The command.
        command: String,
        /// Why.
        reason: String,
    },
}

/// What a program gives an agent to expand typed text with.
#[derive(Clone, Default)]
pub struct TypingAids {
    /// What a leading `~/` in a path stands for, and where the user's own templates are.
    pub home: Option<PathBuf>,
    /// The skills, which `/skill:NAME` calls for.
    pub skills: Vec<Arc<Skill>>,
    /// The files of the first message, where the program expanded that itself.
    pub shown: Vec<ShownFile>,
    /// What was typed for it.
    pub typed: Option<String>,
}

/// Returns what typed text means, as [`expand`] does, with the prompt templates that there are
/// now, and what is wrong with those, a line each. They are read where a slash calls for one.
pub async fn expand_with_templates(
    text: &str,
    context: Context<'_>,
) -> (Result<Expanded, InputError>, Vec<String>) {
    let (mut templates, mut warnings) = (Vec::new(), Vec::new());
    if let Some(name) = slash::name(text) {
        let called = Some(name);
        (templates, warnings) = load_templates(&**context.env, context.home, called).await;
        let hidden = templates.iter().filter(|it| it.name == name).map(hidden_warning);
        warnings.extend(hidden.filter(|_| context.commands.contains(&name)));
    }
    (expand(text, &Context { templates: &templates, ..context }).await, warnings)
}

/// Returns what a slash and a name call for, where that is a template or a skill, as
/// [`expand_with_templates`] does.
pub async fn expand_call(
    text: &str,
    context: Context<'_>,
) -> (Result<Expanded, InputError>, Vec<String>) {
    let called = slash::name(text);
    let (templates, warnings) = load_templates(&**context.env, context.home, called).await;
    let context = Context { templates: &templates, ..context };
    let expanded = match slash::unknown(text, &context) {
        Some(error) => Err(error),
        None => expand(text, &context).await,
    };
    (expanded, warnings)
}

/// Returns the warning about a template that can never be called.
pub fn hidden_warning(template: &Template) -> String {
    let (name, path) = (&template.name, template.path.display());
    format!("the template {path} is never used: /{name} is a command; give it another name")
}

/// Returns what typed text means. May read files, and runs the command that a `!` asks for.
///
/// # Errors
/// When the text asks for something that is not there.
pub async fn expand(text: &str, context: &Context<'_>) -> Result<Expanded, InputError> {
    let mut notices = Vec::new();
    match slash::read(text, context)? {
        Slash::Command { name, arguments } => {
            return Ok(Expanded::Command {
                name: name.to_owned(),
                arguments: arguments.to_owned(),
            });
        }
        Slash::Spliced { text, arguments } => {
            return Ok(prompt(text, arguments, notices, context).await);
        }
        Slash::Unknown { name } => {
            notices.push(format!("there is no command /{name}: the message is sent as it is"));
        }
        Slash::None => {}
    }
    let Some(typed) = shell::read(text) else {
        return Ok(prompt(text.to_owned(), text, notices, context).await);
    };
    let ran = shell::run(typed.command, context).await?;
    if typed.is_silent {
        let shell::Ran { output, exit_code, .. } = ran;
        return Ok(Expanded::Silent { command: typed.command.to_owned(), output, exit_code });
    }
    notices.extend(ran.notice);
    let mut spliced = ran.text;
    if !typed.question.is_empty() {
        spliced.push_str("\n\n");
        spliced.push_str(typed.question);
    }
    Ok(prompt(spliced, typed.question, notices, context).await)
}

/// Returns `text` with what the paths in `typed`, a part of it, name.
async fn prompt(
    text: String,
    typed: &str,
    mut notices: Vec<String>,
    context: &Context<'_>,
) -> Expanded {
    let mut attachments = Attachments::new(context);
    let mentions = at_path::mentions(typed);
    for mention in mentions.iter().take(MENTION_LIMIT) {
        attachments.add(mention).await;
    }
    attachments.finish();
    // Pasted code may be full of words that name nothing: then there is nothing to tell.
    if mentions.len() > MENTION_LIMIT && attachments.found_any() {
        let text = format!("only the first {MENTION_LIMIT} names behind an @ are looked at");
        attachments.text.push_str(&format!("\n\n[{text}]"));
        attachments.notices.push(text);
    }
    notices.append(&mut attachments.notices);
    let mut content = vec![ContentPart::text(text + &attachments.text)];
    content.append(&mut attachments.images);
    Expanded::Prompt { content, notices, files: attachments.files }
}

/// Returns foreign text between marks that it cannot close itself.
fn fenced(content: &str) -> String {
    let runs = content.split(|character| character != '`').map(str::len);
    let fence = "`".repeat(runs.max().unwrap_or_default().max(2) + 1);
    let end = if content.ends_with('\n') { "" } else { "\n" };
    format!("{fence}\n{content}{end}{fence}")
}

#[cfg(test)]
mod tests;
