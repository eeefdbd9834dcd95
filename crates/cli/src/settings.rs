//! All settings of a run: flags over environment over project over user over defaults.
//!
//! Owns that order and the defaults. Must not start anything.

#[cfg(test)]
mod tests;

use crate::api_keys;
use crate::args::{Args, Mode, ToolNames};
use crate::catalog::Catalog;
use crate::config::{self, TerminalConfig, TrustFlag};
use crate::endpoint::{self, EndpointError, EndpointRequest, Target};
use crate::environment::{Environment, Network};
use crate::paths::{Project, UserPaths, sessions_directory};
use crate::plugins::{PluginFolders, PluginSettings};
use crate::router::RouterList;
use crate::thinking::ThinkingLevel;
use crate::trust::LeftOut;
use letscode_core::secrets::Secrets;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// The model that answers when nobody chooses one.
pub(crate) const DEFAULT_MODEL: &str = "gpt-4o-mini";

/// How long a request may take when nobody says it.
pub(crate) const DEFAULT_TIMEOUT: Duration = Duration::from_secs(600);

/// The front end when nobody chooses one, and the only built-in one.
pub(crate) const DEFAULT_FRONTEND: &str = "basic";

/// How much longer than a request a run may be silent before it is taken for hung.
const GRACE_BEYOND_TIMEOUT: Duration = Duration::from_secs(30);

/// All settings of a run.
pub(crate) struct Settings {
    /// The message; `None` where no word of it was given.
    pub(crate) message: Option<String>,
    /// Whom the program talks to.
    pub(crate) mode: Mode,
    /// Whether only the answer is printed.
    pub(crate) print: bool,
    /// The plugin's front end that interactive mode gives the terminal to; `None` for our own.
    pub(crate) frontend: Option<PluginFrontend>,
    /// Which session goes on.
    pub(crate) session: SessionChoice,
    /// Whether the session is kept on disk.
    pub(crate) keep_session: bool,
    /// Which model was chosen, and where.
    pub(crate) model: ModelChoice,
    /// How hard the model should think; not yet rounded.
    pub(crate) thinking: ThinkingLevel,
    /// Which tools are offered.
    pub(crate) tools: ToolChoice,
    /// What replaces the first part of the system prompt.
    pub(crate) system: Option<String>,
    /// Whether `AGENTS.md` and the like belong to the system prompt.
    pub(crate) context_files: bool,
    /// How long a request may take.
    pub(crate) timeout: Duration,
    /// How long a run may be silent, in RPC mode, before it is taken for hung.
    pub(crate) shutdown_grace: Duration,
    /// Where to look for a newer version; `None` for nowhere.
    pub(crate) update_url: Option<String>,
    /// What only the terminal front end asks about.
    pub(crate) terminal: TerminalConfig,
    /// Which plugins there are, and what is set for them.
    pub(crate) plugins: PluginSettings,
    /// Whether the project is trusted for this run.
    pub(crate) trust: TrustFlag,
    /// What of the project waits for trust.
    pub(crate) left_out: Option<LeftOut>,
    /// The user's own files; `None` without a home.
    pub(crate) user: Option<UserPaths>,
    /// The directory of all sessions; `None` without a home.
    pub(crate) sessions: Option<PathBuf>,
    /// How to reach the outside.
    pub(crate) network: Network,
    /// The known models and providers.
    pub(crate) catalog: Catalog,
    /// The models that OpenRouter knows beyond those.
    pub(crate) router: RouterList,
    /// What no text may show.
    pub(crate) secrets: Arc<Secrets>,
    /// The variables that commands do not inherit.
    pub(crate) hidden_variables: Vec<String>,
    addresses: Addresses,
    /// The command line that they come from.
    args: Args,
}

/// Which session goes on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum SessionChoice {
    /// None: a new one begins.
    New,
    /// The latest of the working directory.
    Latest,
    /// The one of that id, or of that number in the list.
    Named(String),
}

/// A front end that only a plugin can have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PluginFrontend {
    /// Its name.
    pub(crate) name: String,
    /// Whether the command line names it: one that does not exist is wrong usage then. In a config
    /// file it is worth a warning.
    pub(crate) is_asked: bool,
}

/// Which model was chosen, and where: a session's own choice stands between the two.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ModelChoice {
    /// By flag or environment.
    pub(crate) asked: Option<String>,
    /// By a config file.
    pub(crate) configured: Option<String>,
}

/// Which tools are offered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ToolChoice {
    /// All.
    All,
    /// None.
    None,
    /// These. A name that no tool has is wrong usage: the user typed it.
    Asked(Vec<String>),
    /// These. A name that no tool has is worth a warning.
    Configured(Vec<String>),
}

/// The settings, with one line for each thing that cannot be used.
pub(crate) struct Resolved {
    /// The settings.
    pub(crate) settings: Settings,
    /// The lines.
    pub(crate) warnings: Vec<String>,
    /// Why a file is left out as a whole, where one is.
    broken: Option<String>,
}

/// A file cannot be read any more, so that what it said before had better go on to hold.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("the settings stay as they were: {reason}")]
pub(crate) struct Unreadable {
    reason: String,
}

/// Who gave which address and key.
struct Addresses {
    base_url_flag: Option<String>,
    base_url_config: Option<String>,
    api_key_flag: Option<String>,
}

/// Reads the files that have a say and puts all settings together. Whatever is wrong with a file
/// or a variable is a warning.
pub(crate) fn resolve(args: Args, environment: &Environment) -> Resolved {
    let source = args.clone();
    let user = UserPaths::of(environment);
    let mut warnings = Vec::new();
    if user.is_none() {
        warnings.push("no home directory is known (HOME): going on without your files".to_owned());
    }
    let project = Project::find(environment.working_dir(), user.as_ref());
    let trust = if args.trust || environment.is_on("LETSCODE_TRUST") {
        TrustFlag::Trusted
    } else {
        TrustFlag::AsRecorded
    };
    let loaded = config::load(user.as_ref(), project.as_ref(), trust);
    warnings.extend(loaded.warnings);
    let mut broken = loaded.broken;
    let config = loaded.config;
    let own =
        user.as_ref().filter(|_| !args.isolated && !environment.is_on("LETSCODE_NO_USER_PLUGINS"));
    // Left out are the plugins of a project that is not trusted, whatever else it sets.
    let trusted =
        project.as_ref().filter(|project| project.has_plugins && loaded.left_out.is_none());
    let python = [
        own.map(UserPaths::python_plugins),
        // An environment that the user's shell has activated is the user's own choice.
        environment.path("VIRTUAL_ENV"),
        trusted.map(Project::plugins),
    ];
    let folders = PluginFolders {
        user: own.map(UserPaths::native_plugins),
        project: trusted.map(Project::native_plugins),
        python: python.into_iter().flatten().collect(),
        cache: user.as_ref().map(UserPaths::cache),
    };
    let catalog = Catalog::load(user.as_ref(), &mut warnings);
    broken = broken.or_else(|| catalog.broken.clone());
    let secrets = api_keys::collect(&catalog, environment, args.api_key.as_deref());
    let timeout = args.timeout.or(config.timeout).unwrap_or(DEFAULT_TIMEOUT);
    let settings = Settings {
        message: message(&args.message),
        mode: args.mode.unwrap_or_default(),
        print: args.print,
        frontend: frontend(args.frontend, config.frontend),
        session: match args.resume {
            Some(name) => SessionChoice::Named(name),
            None if args.continue_session => SessionChoice::Latest,
            None => SessionChoice::New,
        },
        keep_session: !args.no_session,
        model: ModelChoice {
            asked: args.model.or_else(|| environment.text("LETSCODE_MODEL").map(str::to_owned)),
            configured: config.model,
        },
        thinking: thinking(args.thinking, environment, config.thinking, &mut warnings),
        tools: tools(args.no_tools, args.tools, config.no_tools, config.tools),
        system: args.system,
        context_files: !(args.no_context_files || config.no_context_files.unwrap_or(false)),
        timeout,
        shutdown_grace: args
            .shutdown_grace
            .unwrap_or_else(|| timeout.saturating_add(GRACE_BEYOND_TIMEOUT)),
        update_url: update_url(environment, config.update_url),
        terminal: config.terminal,
        plugins: PluginSettings::new(loaded.whole, &folders, &mut warnings),
        trust,
        left_out: loaded.left_out,
        sessions: sessions_directory(environment, user.as_ref()),
        router: RouterList::new(user.as_ref()),
        user,
        network: environment.network(),
        catalog,
        hidden_variables: api_keys::hidden_variables(&secrets, &config.keep_env),
        secrets: Arc::new(secrets),
        addresses: Addresses {
            base_url_flag: args.base_url,
            base_url_config: config.base_url,
            api_key_flag: args.api_key,
        },
        args: source,
    };
    Resolved { settings, warnings, broken }
}

impl Settings {
    /// Reads all files again, for the same command line and environment. Keys that are hidden stay
    /// so, and what hides them hides the new ones too.
    ///
    /// # Errors
    /// When a file is there but cannot be read.
    pub(crate) fn read_again(&self, environment: &Environment) -> Result<Resolved, Unreadable> {
        let mut resolved = resolve(self.args.clone(), environment);
        if let Some(reason) = resolved.broken {
            return Err(Unreadable { reason });
        }
        let fresh = std::mem::replace(&mut resolved.settings.secrets, Arc::clone(&self.secrets));
        if let Some(fresh) = Arc::into_inner(fresh) {
            self.secrets.extend(fresh);
        }
        Ok(resolved)
    }

    /// Finds out who answers for `model` (see [`ModelChoice::name`]), asked to think so hard.
    ///
    /// # Errors
    /// When its address makes no sense, or no key may be sent there.
    pub(crate) fn target(
        &self,
        model: &str,
        thinking: ThinkingLevel,
        environment: &Environment,
    ) -> Result<Target, EndpointError> {
        let request = EndpointRequest {
            model,
            base_url_flag: self.addresses.base_url_flag.as_deref(),
            api_key_flag: self.addresses.api_key_flag.as_deref(),
            base_url_config: self.addresses.base_url_config.as_deref(),
            thinking,
        };
        endpoint::resolve(&request, &self.catalog, &self.router, environment)
    }
}

impl ModelChoice {
    /// Returns the model's name. `session` is the last model that the continued session
    /// switched to.
    pub(crate) fn name<'a>(&'a self, session: Option<&'a str>) -> &'a str {
        let asked = self.asked.as_deref();
        asked.or(session).or(self.configured.as_deref()).unwrap_or(DEFAULT_MODEL)
    }
}

/// Returns where to look for a newer version: the user's address, else the one that was built in.
/// A machine that checks code looks nowhere.
fn update_url(environment: &Environment, configured: Option<String>) -> Option<String> {
    let is_off = ["LETSCODE_NO_UPDATE_CHECK", "CI"];
    if is_off.iter().any(|name| environment.text(name).is_some()) {
        return None;
    }
    configured.or_else(|| option_env!("LETSCODE_UPDATE_URL").map(str::to_owned))
}

/// Joins the words of a message.
fn message(words: &[String]) -> Option<String> {
    let message = words.join(" ");
    (!message.trim().is_empty()).then_some(message)
}

/// Returns the front end that is not the built-in one. Which there are is known once plugins run.
fn frontend(flag: Option<String>, configured: Option<String>) -> Option<PluginFrontend> {
    let is_asked = flag.is_some();
    let name = flag.or(configured).filter(|name| name != DEFAULT_FRONTEND)?;
    Some(PluginFrontend { name, is_asked })
}

fn thinking(
    flag: Option<ThinkingLevel>,
    environment: &Environment,
    configured: Option<ThinkingLevel>,
    warnings: &mut Vec<String>,
) -> ThinkingLevel {
    let ambient = || match environment.text("LETSCODE_THINKING")?.parse() {
        Ok(level) => Some(level),
        Err(error) => {
            warnings.push(format!("LETSCODE_THINKING is left out: {error}"));
            None
        }
    };
    flag.or_else(ambient).or(configured).unwrap_or_default()
}

/// Chooses the tools: what the command line says wins as a whole.
fn tools(
    no_tools_flag: bool,
    flag: Option<ToolNames>,
    no_tools_configured: Option<bool>,
    configured: Option<Vec<String>>,
) -> ToolChoice {
    match (flag, configured) {
        _ if no_tools_flag => ToolChoice::None,
        (Some(ToolNames(names)), _) => ToolChoice::Asked(names),
        _ if no_tools_configured == Some(true) => ToolChoice::None,
        (None, Some(names)) => ToolChoice::Configured(names),
        (None, None) => ToolChoice::All,
    }
}
