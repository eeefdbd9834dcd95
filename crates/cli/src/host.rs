//! The commands that need the world outside of the conversation: lists, export, clipboard, gist,
//! the project's files, what was typed before, trust, reload.
//!
//! Owns what each answers. Each is carried out by a module of its own; nothing here acts by
//! itself.

use crate::args::Mode;
use crate::clipboard::{self, CopiedBy};
use crate::compose::{Made, Readings, Source, UnknownNames, make};
use crate::endpoint::Endpoint;
use crate::endpoint::Target;
use crate::export::{self, ExportInput, Place};
use crate::history::PromptHistory;
use crate::model_list;
use crate::plugins;
use crate::reload;
use crate::share::{self, Document};
use crate::trust_status;
use letscode_core::BoxFuture;
use letscode_core::commands::{Conversation, Equipped, Host, HostError, Reloaded};
use letscode_core::hooks::Hooks;
use letscode_core::skills::Skill;
use letscode_wire::{
    Command, CopyResult, ExportResult, FilesResult, HistoryResult, Message, ModelEntry,
    ModelsResult, PluginsResult, ShareResult, SkillInfo, SkillsResult, TrustResult, text_of,
};
use serde::Serialize;
use serde_json::Value;
use std::fmt::Display;
use std::io::{self, IsTerminal as _, Write};
use std::path::Path;
use std::sync::Arc;
use tokio::task::spawn_blocking;

/// How many paths are told when nobody says it, and how many at most.
const USUAL_PATHS: usize = 50;
const MOST_PATHS: usize = 1000;

/// How many earlier prompts are told when nobody says it.
const USUAL_ENTRIES: usize = 1000;

const NOTHING_SAID: &str = "there is no conversation yet; -c takes the last one of this folder";

/// What the program around the agent can do.
#[derive(Clone)]
pub(crate) struct ProgramHost {
    /// What the agent around which it is was built from.
    pub(crate) source: Source,
    pub(crate) skills: Vec<Arc<Skill>>,
    /// The names of the plugins that are a part of the program, in the order of registration.
    pub(crate) built_in: Vec<String>,
    /// What was read of files.
    pub(crate) readings: Arc<Readings>,
}

impl Host for ProgramHost {
    fn run(
        &self,
        command: Command,
        conversation: Conversation,
    ) -> BoxFuture<'static, Result<Value, HostError>> {
        let host = self.clone();
        Box::pin(async move {
            match command {
                Command::Models => value(&host.models(&conversation).await),
                Command::Skills => value(&host.skills()),
                Command::Plugins => value(&host.plugins()),
                Command::Export { path } => value(&host.export(path.as_deref(), &conversation)?),
                Command::Copy => value(&host.copy(&conversation).await?),
                Command::Share => value(&host.share(&conversation).await?),
                Command::Files { query, limit } => value(&host.files(query, limit).await?),
                Command::History { add, limit } => value(&host.history(add, limit).await?),
                Command::Trust { trust } => {
                    // All of a project's plugins may have to be read for it.
                    let work = spawn_blocking(move || host.trust(trust));
                    value(&work.await.map_err(failed)??)
                }
                _ => Err(failed("that is no command of the program around the agent")),
            }
        })
    }

    fn reload(&self) -> BoxFuture<'static, Result<Reloaded, HostError>> {
        let source = self.source.clone();
        Box::pin(async move { reload::reload(source).await.map_err(failed) })
    }

    fn equip(&self, hooks: Hooks) -> BoxFuture<'static, Option<Equipped>> {
        let host = self.clone();
        Box::pin(async move {
            let mut warnings = Vec::new();
            let unknown = UnknownNames::AreWarnings;
            let made =
                make(&host.source, &host.readings, &hooks, unknown, &mut warnings).await.ok()?;
            let Made { tools, system, skills } = made;
            Some(Equipped { tools, system, skills, warnings })
        })
    }
}

impl ProgramHost {
    fn trust(&self, trust: Option<bool>) -> Result<TrustResult, HostError> {
        let Source { settings, environment, .. } = &self.source;
        trust_status::show_or_change(trust, settings, environment).map_err(failed)
    }

    async fn models(&self, conversation: &Conversation) -> ModelsResult {
        let (settings, environment) = (&*self.source.settings, &self.source.environment);
        let target = settings.target(&conversation.model, settings.thinking, environment).ok();
        let endpoint = match &target {
            Some(Target::Endpoint(endpoint)) => Some(&**endpoint),
            Some(Target::Demo) | None => None,
        };
        let known = model_list::all(settings, environment, endpoint).await;
        let mut models: Vec<ModelEntry> = known
            .into_iter()
            .map(|model| ModelEntry {
                in_use: model.id == conversation.model,
                id: model.id,
                provider: model.provider,
                context_window: model.context_window,
                input_per_million: model.price.map(|price| price.input_per_million),
                output_per_million: model.price.map(|price| price.output_per_million),
                usable: model.has_key,
            })
            .collect();
        if !models.iter().any(|model| model.in_use) {
            models.push(ModelEntry {
                id: conversation.model.clone(),
                provider: endpoint.map_or_else(|| "letscode".to_owned(), Endpoint::server_name),
                context_window: None,
                input_per_million: None,
                output_per_million: None,
                usable: true,
                in_use: true,
            });
        }
        // Stable: the model in use first, then those that can be asked, each as they were.
        models.sort_by_key(|model| (!model.in_use, !model.usable));
        ModelsResult { models }
    }

    fn plugins(&self) -> PluginsResult {
        let details = plugins::list(&self.built_in, &self.source.plugins);
        PluginsResult { plugins: details.iter().map(|info| info.name.clone()).collect(), details }
    }

    fn skills(&self) -> SkillsResult {
        let skills = self.skills.iter().map(|skill| SkillInfo {
            name: skill.name.clone(),
            description: skill.description.clone(),
            path: skill.folder.display().to_string(),
        });
        SkillsResult { skills: skills.collect() }
    }

    fn export(
        &self,
        path: Option<&str>,
        conversation: &Conversation,
    ) -> Result<ExportResult, HostError> {
        if conversation.transcript.is_empty() {
            return Err(failed(NOTHING_SAID));
        }
        let place = Place {
            given: path.map(Path::new),
            working_dir: self.source.environment.working_dir(),
            home: self.source.environment.home(),
            name: &self.document_name(conversation),
        };
        let path = export::write(&self.page(conversation), &place).map_err(failed)?;
        Ok(ExportResult { path: path.display().to_string() })
    }

    async fn copy(&self, conversation: &Conversation) -> Result<CopyResult, HostError> {
        let answer = conversation.transcript.iter().rev().find_map(|message| match &**message {
            Message::Assistant(answer) => {
                Some(text_of(&answer.content)).filter(|text| !text.is_empty())
            }
            Message::User(_) | Message::Tool(_) | Message::Custom(_) => None,
        });
        let text = answer.ok_or_else(|| failed("there is no answer to copy yet"))?;
        let mut stdout = io::stdout();
        // In RPC mode stdout is the host's, terminal or not.
        let has_terminal = self.source.settings.mode == Mode::Chat && stdout.is_terminal();
        let terminal = has_terminal.then_some(&mut stdout as &mut (dyn Write + Send));
        let secrets = &self.source.settings.secrets;
        let copied = clipboard::copy(&text, &self.source.environment, secrets, terminal).await;
        let by = match copied.map_err(failed)? {
            CopiedBy::Tool(name) => name.to_owned(),
            CopiedBy::Terminal => "the terminal".to_owned(),
        };
        Ok(CopyResult { by })
    }

    async fn share(&self, conversation: &Conversation) -> Result<ShareResult, HostError> {
        if conversation.transcript.is_empty() {
            return Err(failed(NOTHING_SAID));
        }
        let page = self.page(conversation);
        let title = title(conversation);
        let document = Document {
            file_name: &format!("letscode-{}.html", self.document_name(conversation)),
            description: if title.is_empty() { "A conversation with letscode" } else { &title },
            text: &page,
        };
        let shared =
            share::gist(&document, &self.source.environment, &self.source.settings.secrets).await;
        Ok(ShareResult { url: shared.map_err(failed)? })
    }

    async fn files(&self, query: String, limit: Option<usize>) -> Result<FilesResult, HostError> {
        let files = self.source.files.clone();
        let limit = limit.unwrap_or(USUAL_PATHS).min(MOST_PATHS);
        spawn_blocking(move || files.find(&query, limit)).await.map_err(failed)
    }

    async fn history(
        &self,
        add: Option<String>,
        limit: Option<usize>,
    ) -> Result<HistoryResult, HostError> {
        let Some(user) = &self.source.settings.user else {
            return Ok(HistoryResult { entries: Vec::new() });
        };
        let history = PromptHistory::new(user.history());
        let add = add.map(|text| self.source.settings.secrets.mask(text).into_owned());
        let time = self.source.environment.local_time();
        let entries = spawn_blocking(move || {
            if let Some(text) = add {
                history.add(&text, &time)?;
            }
            history.newest(limit.unwrap_or(USUAL_ENTRIES))
        });
        let entries = entries
            .await
            .map_err(failed)?
            .map_err(|error| failed(format_args!("{}: {error}", user.history().display())))?;
        Ok(HistoryResult { entries })
    }

    fn page(&self, conversation: &Conversation) -> String {
        export::to_html(&ExportInput {
            title: &title(conversation),
            model: &conversation.model,
            date: &self.source.environment.today(),
            version: env!("CARGO_PKG_VERSION"),
            transcript: &conversation.transcript,
            secrets: &self.source.settings.secrets,
        })
    }

    fn document_name(&self, conversation: &Conversation) -> String {
        let session = conversation.session.as_ref().map(|session| session.id.to_string());
        session.unwrap_or_else(|| self.source.environment.today())
    }
}

fn title(conversation: &Conversation) -> String {
    let session = conversation.session.as_ref();
    session.and_then(|session| session.label.clone()).unwrap_or_default()
}

fn value(result: &impl Serialize) -> Result<Value, HostError> {
    serde_json::to_value(result).map_err(failed)
}

fn failed(error: impl Display) -> HostError {
    HostError { message: error.to_string() }
}
