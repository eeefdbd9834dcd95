//! What can be called by a slash: commands, prompt templates, skills.
//!
//! Owns the calls by name and the list of names. Must not read what a template says: `input` does,
//! when one is called for.

use super::Actor;
use super::commands::Called;
use super::plugins::commands_of;
use super::typed::Purpose;
use crate::commands::{self, SlashError};
use crate::input::hidden_warning;
use crate::prompts::{Template, load_templates};
use letscode_wire::{Command, CommandInfo, CommandKind, CommandsResult, RequestId};
use std::sync::Arc;

/// The templates that were found, and what is wrong with them, a line each.
pub(super) type Names = (Vec<Template>, Vec<String>);

impl Actor {
    /// Carries out what a person called for by a slash and a name; the slash may be left out.
    pub(super) async fn call(&mut self, id: RequestId, text: &str) {
        let name = commands::name_in(text).to_owned();
        match commands::read_line(text) {
            Ok(command) => {
                self.called.push(Called { id: id.clone(), name, command: command.clone() });
                self.carry_out_command(id, command).await;
            }
            Err(SlashError::Unknown { .. }) if self.may_be_plugin_call(text) => {
                self.call_plugin(id, text);
            }
            Err(SlashError::Unknown { .. }) if !name.is_empty() => {
                self.call_template_or_skill(id, text);
            }
            Err(error) => self.refuse(id, error.to_string()),
        }
    }

    /// Begins a run with what a template or a skill of that name says, if there is one.
    pub(super) fn call_template_or_skill(&mut self, id: RequestId, line: &str) {
        let name = commands::name_in(line).to_owned();
        let line = line.trim();
        let line = line.strip_prefix('/').unwrap_or(line);
        let command = Command::Prompt { text: line.to_owned(), images: Vec::new(), expand: true };
        self.called.push(Called { id: id.clone(), name, command });
        self.expand(id, format!("/{line}"), Purpose::Call);
    }

    /// Begins to look which names there are.
    pub(super) fn list_names(&mut self, id: RequestId) {
        let (env, home) = (Arc::clone(&self.runner.env), self.typing.home.clone());
        let hooks = self.runner.hooks.clone();
        self.listings.push(Box::pin(async move {
            hooks.started().await;
            (id, load_templates(&*env, home.as_deref(), None).await)
        }));
    }

    /// Answers with the names that were found.
    pub(super) fn named(&mut self, id: RequestId, (templates, mut warnings): Names) {
        let (hidden, templates): (Vec<Template>, Vec<Template>) =
            templates.into_iter().partition(|it| commands::is_command(&it.name));
        warnings.extend(hidden.iter().map(hidden_warning));
        self.warn_once(warnings);
        let templates = templates.into_iter().map(|template| CommandInfo {
            name: template.name,
            arguments: "[TEXT]".to_owned(),
            help: template.description,
            kind: CommandKind::Template,
        });
        let skills = self.typing.skills.iter().map(|skill| CommandInfo {
            name: format!("skill:{}", skill.name),
            arguments: "[TEXT]".to_owned(),
            help: skill.description.clone(),
            kind: CommandKind::Skill,
        });
        let of_plugins = commands_of(&self.runner.hooks);
        let all = commands::list().into_iter().chain(of_plugins).chain(templates).chain(skills);
        let commands = all.collect();
        self.answer(id, Ok::<_, String>(CommandsResult { commands }));
    }
}
