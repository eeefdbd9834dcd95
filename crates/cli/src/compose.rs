//! The one place where real parts are put together: model, files, session, tools, prompt.
//!
//! Owns the choice of each part from the settings. Must not hold rules of the agent, or talk to
//! the user: what is to be said comes back as warnings or an error.

mod equipment;

pub(crate) use equipment::{Made, Readings, Source, UnknownNames, equip, make};

use crate::catalog;
use crate::demo::DemoModel;
use crate::endpoint::{Endpoint, EndpointError, Target};
use crate::environment::{Environment, Network};
use crate::plugins::Offers;
use crate::project_files::ProjectFiles;
use crate::settings::{SessionChoice, Settings};
use crate::thinking::ThinkingLevel;
use crate::unavailable::UnavailableModel;
use letscode_core::agent::{AgentParts, KeptSession, SystemStamps};
use letscode_core::env::{LocalEnv, LocalEnvOptions};
use letscode_core::hooks::access;
use letscode_core::input::TypingAids;
use letscode_core::model::{BoundModel, Model};
use letscode_core::session::{self, FileStore, ProjectSessions, SessionError, SessionStore};
use letscode_core::tools::UnknownTool;
use letscode_core::ui;
use letscode_llm::{Client, ClientConfig, ConfigError, Price, ProxySettings, Secret};
use letscode_plugin_host::PluginHost;
use letscode_wire::Transcript;
use std::path::Path;
use std::sync::Arc;

/// How often a failed request is sent again.
const MAX_RETRIES: u32 = 2;

/// The session that a run goes on with, or begins.
pub(crate) struct Session {
    pub(crate) transcript: Transcript,
    /// The last model that the session switched to.
    pub(crate) model: Option<String>,
    store: Option<FileStore>,
}

/// Everything that can be built without a runtime.
pub(crate) struct Blueprint {
    model: BoundModel,
    session: Session,
    env: Arc<LocalEnv>,
    plugins: PluginHost,
    pub(crate) warnings: Vec<String>,
}

/// Everything that an agent is started with, and what is to be said before.
pub(crate) struct Built {
    pub(crate) parts: AgentParts,
    pub(crate) warnings: Vec<String>,
}

/// Why no agent can be built.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ComposeError {
    /// Nobody can be asked.
    #[error(transparent)]
    Endpoint(#[from] EndpointError),
    /// The model's client cannot be made.
    #[error(transparent)]
    Client(#[from] ConfigError),
    /// The session to go on with cannot be.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// The command line names a tool that nobody has.
    #[error(transparent)]
    Tool(#[from] UnknownTool),
}

/// Whether a run can do anything without a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ModelNeed {
    /// It cannot: without a model there is nothing to build.
    Always,
    /// It may: a missing key is told when a model is asked.
    Perhaps,
}

/// Builds what needs no runtime: the session, the model, the local environment.
pub(crate) fn blueprint(
    settings: &Settings,
    environment: &Environment,
    need: ModelNeed,
) -> Result<Blueprint, ComposeError> {
    let mut warnings = Vec::new();
    let session = open_session(settings, environment, &mut warnings)?;
    let name = settings.model.name(session.model.as_deref());
    let model = match bind_model(settings, environment, name, settings.thinking) {
        Ok(model) => model,
        Err(error) if need == ModelNeed::Perhaps => BoundModel {
            model: Arc::new(UnavailableModel::new(name, &error)),
            thinking: settings.thinking.as_str().to_owned(),
        },
        Err(error) => return Err(error),
    };
    let env = Arc::new(LocalEnv::new(LocalEnvOptions {
        working_dir: environment.working_dir().to_owned(),
        removed_variables: settings.hidden_variables.clone(),
        temp_dir: None,
    }));
    Ok(Blueprint { model, session, env, plugins: PluginHost::default(), warnings })
}

impl Blueprint {
    /// Returns the local environment, whose commands must not outlive the program.
    pub(crate) fn env(&self) -> Arc<LocalEnv> {
        Arc::clone(&self.env)
    }

    /// Returns the plugins' processes, which must not outlive the program.
    pub(crate) fn plugins(&self) -> PluginHost {
        self.plugins.clone()
    }

    /// Builds the rest. Must be called inside the runtime.
    pub(crate) async fn build(
        mut self,
        settings: &Arc<Settings>,
        environment: &Environment,
    ) -> Result<Built, ComposeError> {
        let ui = ui::channel();
        let (agent, access) = access();
        let source = Source {
            settings: Arc::clone(settings),
            environment: environment.clone(),
            files: ProjectFiles::new(environment.working_dir()),
            env: Arc::clone(&self.env),
            ui: ui.0.clone(),
            agent,
            plugins: self.plugins,
            offers: Arc::new(Offers::new(Arc::clone(settings), environment.clone())),
        };
        let equipment = equip(&source, UnknownNames::AreErrors, &mut self.warnings).await?;
        let parts = AgentParts {
            model: self.model.model,
            models: Some(equipment.models),
            thinking: self.model.thinking,
            env: self.env,
            tools: equipment.tools,
            hooks: equipment.hooks,
            ui,
            access,
            sessions: self.session.store.as_ref().map(kept_session),
            store: self.session.store.map(|store| Box::new(store) as Box<dyn SessionStore>),
            host: equipment.host,
            system: equipment.system,
            transcript: self.session.transcript,
            typing: TypingAids {
                home: environment.home().map(Path::to_owned),
                skills: equipment.skills,
                shown: Vec::new(),
                typed: None,
            },
            secrets: Arc::clone(&settings.secrets),
            stamps: Box::new(SystemStamps),
        };
        Ok(Built { parts, warnings: self.warnings })
    }
}

fn open_session(
    settings: &Settings,
    environment: &Environment,
    warnings: &mut Vec<String>,
) -> Result<Session, ComposeError> {
    let fresh = |store| Session { transcript: Transcript::new(), model: None, store };
    let Some(root) = &settings.sessions else {
        // Without a home there is no place for sessions; that was said with the settings.
        return Ok(fresh(None));
    };
    let folder = session::project_folder(root, environment.working_dir());
    let chosen = match &settings.session {
        SessionChoice::New => None,
        SessionChoice::Latest => match session::most_recent(&folder) {
            Ok(path) => Some(path),
            // Whoever always passes `-c`, as editors do, has a first run too.
            Err(error @ SessionError::NoSessions { .. }) => {
                warnings.push(format!("{error}: beginning a new one"));
                None
            }
            Err(error) => return Err(error.into()),
        },
        SessionChoice::Named(name) => Some(session::find_anywhere(&folder, name)?),
    };
    let Some(path) = chosen else {
        let store = settings.keep_session.then(|| FileStore::create(&folder));
        return Ok(fresh(store));
    };
    if !settings.keep_session {
        let loaded = session::load(&path)?;
        warnings.extend(loaded.warnings);
        return Ok(Session { transcript: loaded.transcript, model: loaded.model, store: None });
    }
    let resumed = session::resume_in(&folder, &path)?;
    warnings.extend(resumed.loaded.warnings);
    Ok(Session {
        transcript: resumed.loaded.transcript,
        model: resumed.loaded.model,
        store: Some(resumed.store),
    })
}

/// Returns the way to the sessions beside that of `store`.
fn kept_session(store: &FileStore) -> KeptSession {
    let path = store.path().to_owned();
    let folder = path.parent().unwrap_or(Path::new(".")).to_owned();
    KeptSession { manager: Arc::new(ProjectSessions::new(folder)), path }
}

/// Finds out who answers for a model, and makes what asks it.
fn bind_model(
    settings: &Settings,
    environment: &Environment,
    name: &str,
    thinking: ThinkingLevel,
) -> Result<BoundModel, ComposeError> {
    let (model, thinking): (Arc<dyn Model>, _) =
        match settings.target(name, thinking, environment)? {
            Target::Demo => {
                let demo = DemoModel::new(&environment.temporary_dir());
                (Arc::new(demo), ThinkingLevel::Off)
            }
            Target::Endpoint(endpoint) => {
                let thinking = endpoint.thinking;
                (Arc::new(Client::new(client_config(*endpoint, settings))?), thinking)
            }
        };
    Ok(BoundModel { model, thinking: thinking.as_str().to_owned() })
}

fn client_config(endpoint: Endpoint, settings: &Settings) -> ClientConfig {
    let network = &settings.network;
    ClientConfig {
        // Only the server itself knows what it runs a model with.
        learns_window: endpoint.is_this_machine || endpoint.provider.is_none(),
        api_key: endpoint.api_key.as_ref().map(|key| Secret::new(key.expose())),
        provider: endpoint.provider.unwrap_or_default(),
        thinking: (endpoint.thinking != ThinkingLevel::Off)
            .then(|| endpoint.thinking.as_str().to_owned()),
        timeout: settings.timeout,
        max_retries: MAX_RETRIES,
        context_window: endpoint.context_window,
        vision: endpoint.vision,
        price: endpoint.price.map(price),
        proxy: proxy_settings(network),
        extra_roots: network.certificates.clone(),
        ..ClientConfig::new(endpoint.base_url, endpoint.model)
    }
}

/// Returns the proxies to go through.
pub(crate) fn proxy_settings(network: &Network) -> ProxySettings {
    ProxySettings {
        http: network.http_proxy.clone(),
        https: network.https_proxy.clone(),
        all: network.all_proxy.clone(),
        no_proxy: network.no_proxy.clone(),
    }
}

fn price(price: catalog::Price) -> Price {
    Price {
        input_per_million: price.input_per_million,
        output_per_million: price.output_per_million,
        cached_per_million: None,
    }
}
