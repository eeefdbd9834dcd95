//! What the agent works with and files have a say in: skills, tools, system prompt, models, lists.
//!
//! Owns how that is built, at the start and again at each reload. Must not talk to the user: what is
//! odd comes back as warnings.

use super::bind_model;
use crate::environment::Environment;
use crate::host::ProgramHost;
use crate::plugins::{self, Offers};
use crate::project_files::ProjectFiles;
use crate::settings::{Settings, ToolChoice};
use crate::thinking::UnknownLevel;
use letscode_core::builtin::{BuiltinTools, SkillTools};
use letscode_core::commands::Host;
use letscode_core::env::{ExecutionEnv as _, FileKind, LocalEnv};
use letscode_core::hooks::{AgentAccess, Hooks, Plugin};
use letscode_core::model::{BindError, BoundModel, ModelSource};
use letscode_core::prompts::{
    ContextFile, SkillLine, SystemPromptParts, load_context_files, system_prompt,
};
use letscode_core::skills::{Skill, SkillTool, load_skills};
use letscode_core::tools::{ToolRegistry, ToolSelection, UnknownTool};
use letscode_core::ui::Ui;
use letscode_plugin_host::PluginHost;
use letscode_wire::SystemPromptContext;
use std::sync::Arc;

/// What it is built from.
#[derive(Clone)]
pub(crate) struct Source {
    /// The settings.
    pub(crate) settings: Arc<Settings>,
    /// What the process around the program says.
    pub(crate) environment: Environment,
    /// Files and commands.
    pub(crate) env: Arc<LocalEnv>,
    /// The project's files, as they were found last.
    pub(crate) files: ProjectFiles,
    /// The plugins' way to the user.
    pub(crate) ui: Ui,
    /// Their way to the agent.
    pub(crate) agent: AgentAccess,
    /// Those that run in processes of their own.
    pub(crate) plugins: PluginHost,
    /// What these may ask of the program.
    pub(crate) offers: Arc<Offers>,
}

/// What was read of files, from which tools and system prompt are made as often as plugins have
/// something new.
pub(crate) struct Readings {
    skills: Vec<Arc<Skill>>,
    context_files: Vec<ContextFile>,
    is_git_repository: bool,
}

/// What is made of it.
pub(crate) struct Made {
    pub(crate) tools: ToolRegistry,
    pub(crate) system: Arc<str>,
    pub(crate) skills: Vec<Arc<Skill>>,
}

/// What the agent works with.
pub(crate) struct Equipment {
    /// The skills.
    pub(crate) skills: Vec<Arc<Skill>>,
    /// The tools that the user lets the model have.
    pub(crate) tools: ToolRegistry,
    /// The plugins.
    pub(crate) hooks: Hooks,
    /// The system prompt.
    pub(crate) system: Arc<str>,
    /// How many context files are in it.
    pub(crate) context_files: usize,
    /// The models that can be switched to.
    pub(crate) models: Arc<dyn ModelSource>,
    /// The program around the agent.
    pub(crate) host: Arc<dyn Host>,
}

/// What becomes of a name on the command line that no tool has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UnknownNames {
    /// It is wrong usage: whoever typed it is there to read so.
    AreErrors,
    /// It is worth a warning: the tool was there at the start.
    AreWarnings,
    /// It is left alone: a plugin may yet bring it.
    MayCome,
}

/// Reads what there is and builds all of it. Must be called inside the runtime.
///
/// # Errors
/// When the command line names a tool that nobody has, and that is to be an error.
pub(crate) async fn equip(
    source: &Source,
    unknown: UnknownNames,
    warnings: &mut Vec<String>,
) -> Result<Equipment, UnknownTool> {
    let Source { settings, environment, ui, .. } = source;
    let readings = Arc::new(read(source, warnings).await);
    let home = environment.home().map(ToOwned::to_owned);
    let skills = readings.skills.clone();
    let mut plugins: Vec<Arc<dyn Plugin>> =
        vec![Arc::new(BuiltinTools::new(home)), Arc::new(SkillTools::new(skills))];
    let built_in = plugins.iter().map(|plugin| plugin.name().to_owned()).collect();
    plugins.extend(plugins::run(source));
    let hooks = Hooks::new(plugins, settings.plugins.hook_timeouts(), ui.clone());
    // What a plugin that is still starting adds is not known yet.
    let unknown = if hooks.revision().is_some() { unknown } else { UnknownNames::MayCome };
    let Made { tools, system, skills } = make(source, &readings, &hooks, unknown, warnings).await?;
    let context_files = readings.context_files.len();
    let host = ProgramHost { source: source.clone(), skills: skills.clone(), built_in, readings };
    let models = Models { settings: Arc::clone(settings), environment: environment.clone() };
    Ok(Equipment {
        skills,
        tools,
        hooks,
        system,
        context_files,
        models: Arc::new(models),
        host: Arc::new(host),
    })
}

/// Reads skills and context files.
async fn read(source: &Source, warnings: &mut Vec<String>) -> Readings {
    let Source { settings, environment, env, .. } = source;
    let home = environment.home().map(ToOwned::to_owned);
    let (skills, skill_warnings) = load_skills(&**env, home.as_deref()).await;
    warnings.extend(skill_warnings);
    let mut context_files = Vec::new();
    if settings.context_files {
        let user_dir = settings.user.as_ref().map(|user| user.directory());
        let (files, file_warnings) = load_context_files(&**env, user_dir).await;
        context_files = files;
        warnings.extend(file_warnings);
    }
    Readings {
        skills: skills.into_iter().map(Arc::new).collect(),
        context_files,
        is_git_repository: is_git_repository(env).await,
    }
}

/// Makes tools and system prompt of what was read and what the plugins have registered.
///
/// # Errors
/// When the command line names a tool that nobody has, and that is to be an error.
pub(crate) async fn make(
    source: &Source,
    readings: &Readings,
    hooks: &Hooks,
    unknown: UnknownNames,
    warnings: &mut Vec<String>,
) -> Result<Made, UnknownTool> {
    let Source { settings, environment, .. } = source;
    let registered = hooks.register();
    let mut tools = registered.tools;
    let mut skills = readings.skills.clone();
    for skill in registered.skills.into_iter().map(Skill::of_plugin).map(Arc::new) {
        if let Some(tool) = SkillTool::new(Arc::clone(&skill)) {
            tools.add(Arc::new(tool));
        }
        skills.retain(|other| other.name != skill.name);
        skills.push(skill);
    }
    select_tools(&mut tools, &settings.tools, unknown, warnings)?;
    let context = SystemPromptContext {
        cwd: environment.working_dir().display().to_string(),
        tools: tools.names(),
    };
    let replacement = match &settings.system {
        Some(text) => Some(text.clone()),
        None => hooks.system_prompt(&context).await,
    };
    let system = system_prompt(&SystemPromptParts {
        replacement: replacement.as_deref(),
        tools: &tools.specs(),
        skills: &skill_lines(&skills, &tools),
        working_dir: environment.working_dir(),
        platform: &format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
        date: &environment.today(),
        is_git_repository: readings.is_git_repository,
        context_files: &readings.context_files,
    });
    Ok(Made { tools, system: system.into(), skills })
}

/// The models that the user may switch to: any that the settings lead to.
struct Models {
    settings: Arc<Settings>,
    environment: Environment,
}

impl ModelSource for Models {
    fn choose(&self, session: Option<&str>) -> String {
        self.settings.model.name(session).to_owned()
    }

    fn bind(&self, name: &str, thinking: Option<&str>) -> Result<BoundModel, BindError> {
        let thinking = match thinking {
            None => self.settings.thinking,
            Some(level) => level.parse().map_err(|error: UnknownLevel| {
                BindError::UnknownLevel { level: level.to_owned(), source: Box::new(error) }
            })?,
        };
        bind_model(&self.settings, &self.environment, name, thinking)
            .map_err(|error| BindError::Unusable { name: name.to_owned(), source: Box::new(error) })
    }
}

/// Leaves only the chosen tools. An unknown name in a config file is a warning.
fn select_tools(
    tools: &mut ToolRegistry,
    choice: &ToolChoice,
    unknown_names: UnknownNames,
    warnings: &mut Vec<String>,
) -> Result<(), UnknownTool> {
    let selection = match choice {
        ToolChoice::All => ToolSelection::All,
        ToolChoice::None => ToolSelection::None,
        ToolChoice::Asked(names) if unknown_names == UnknownNames::AreErrors => {
            ToolSelection::Only(names.clone())
        }
        ToolChoice::Asked(names) | ToolChoice::Configured(names) => {
            let who = match choice {
                ToolChoice::Asked(_) => "--tools names",
                _ => "the config's tools name",
            };
            let (known, unknown): (Vec<String>, Vec<String>) =
                names.iter().cloned().partition(|name| tools.get(name).is_some());
            for name in unknown.iter().filter(|_| unknown_names != UnknownNames::MayCome) {
                warnings.push(format!("{who} {name:?}, which does not exist"));
            }
            ToolSelection::Only(known)
        }
    };
    tools.select(&selection)
}

/// Returns the skills whose tools are at hand.
fn skill_lines(skills: &[Arc<Skill>], tools: &ToolRegistry) -> Vec<SkillLine> {
    let line = |skill: &Arc<Skill>| {
        let tool = skill.tool.clone().filter(|tool| tools.get(tool).is_some())?;
        Some(SkillLine { tool, description: skill.description.clone() })
    };
    skills.iter().filter_map(line).collect()
}

async fn is_git_repository(env: &LocalEnv) -> bool {
    for folder in env.working_dir().ancestors() {
        let found = env.metadata(&folder.join(".git")).await;
        if found.is_ok_and(|info| info.kind != FileKind::Other) {
            return true;
        }
    }
    false
}
