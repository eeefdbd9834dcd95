//! All servers together: what they add, and who answers a call.
//!
//! Owns the names under which the program knows tools and prompts. Must not know the protocol that
//! carries them.

mod listing;
mod mentioned;

use crate::content::{self, one_line};
use crate::environment::Environment;
use crate::front::Front;
use crate::names::{self, Wanted};
use crate::prompts;
use crate::schema;
use crate::server::{Phase, Server};
use crate::settings;
use letscode_wire::{
    CommandSpec, ExecutionMode, Registrations, RunCommandReply, ToolOutput, ToolSpec, UiRequest,
};
use mentioned::Mentioned;
use rmcp::model::Prompt;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

/// How long the first registration waits for slow servers; the program waits a little longer. What
/// comes later is registered when it comes.
const REGISTER_LIMIT: Duration = Duration::from_secs(25);

/// The longest description of a tool, in characters.
const LONGEST_DESCRIPTION: usize = 2_000;

/// The slash command that lists servers.
const LIST: &str = "mcp";

/// The servers.
pub(crate) struct Bridge {
    servers: Vec<Arc<Server>>,
    disabled: Vec<String>,
    front: Arc<dyn Front>,
    news: Arc<Notify>,
    stop: CancellationToken,
    index: Mutex<Index>,
    mentioned: Mentioned,
}

/// Who is meant by a name of a tool or a command.
#[derive(Default)]
struct Index {
    tools: BTreeMap<String, (Arc<Server>, String)>,
    prompts: BTreeMap<String, (Arc<Server>, Prompt)>,
}

impl Bridge {
    /// Returns the servers that the `[mcp]` table asks for; none is started yet.
    pub(crate) fn new(
        config: &Map<String, Value>,
        working_dir: &Path,
        environment: &Environment,
        front: Arc<dyn Front>,
    ) -> Self {
        let settings = settings::read(config, working_dir, environment);
        settings.warnings.iter().for_each(|warning| front.warn(warning));
        let news = Arc::new(Notify::new());
        let server = |settings| {
            let (front, news) = (Arc::clone(&front), Arc::clone(&news));
            Arc::new(Server::new(settings, environment.clone(), working_dir, front, news))
        };
        Self {
            servers: settings.enabled.into_iter().map(server).collect(),
            disabled: settings.disabled,
            front,
            news,
            stop: CancellationToken::new(),
            index: Mutex::default(),
            mentioned: Mentioned::default(),
        }
    }

    /// Starts all servers together and keeps the program told of what they have, until
    /// [`Bridge::stop`] is called and all have ended.
    pub(crate) async fn run(&self) {
        let mut running = JoinSet::new();
        for server in &self.servers {
            let (server, stop) = (Arc::clone(server), self.stop.clone());
            running.spawn(async move { server.run(stop).await });
        }
        let all_settled = async {
            for server in &self.servers {
                server.settled().await;
            }
        };
        tokio::select! {
            _ = tokio::time::timeout(REGISTER_LIMIT, all_settled) => {}
            () = self.stop.cancelled() => {}
        }
        let mut last = self.registrations();
        self.front.register(last.clone());
        loop {
            tokio::select! {
                () = self.news.notified() => {}
                () = self.stop.cancelled() => break,
            }
            let new = self.registrations();
            if new != last {
                self.front.register(new.clone());
                last = new;
            }
        }
        while running.join_next().await.is_some() {}
    }

    /// Ends all servers; [`Bridge::run`] returns when they have.
    pub(crate) fn stop(&self) {
        self.stop.cancel();
    }

    /// Returns what the servers add, and remembers who is meant by which name.
    fn registrations(&self) -> Registrations {
        let catalogs: Vec<_> =
            self.servers.iter().map(|server| (server, server.state().catalog)).collect();
        let tools: Vec<_> = catalogs
            .iter()
            .flat_map(|(server, catalog)| catalog.tools.iter().map(move |tool| (*server, tool)))
            .collect();
        let wanted: Vec<Wanted> = tools
            .iter()
            .map(|(server, tool)| Wanted {
                server: server.name().to_owned(),
                prefix: server.settings().prefix.clone(),
                tool: tool.name.to_string(),
            })
            .collect();
        let mut index = Index::default();
        let mut registrations = Registrations::default();
        for ((server, tool), name) in tools.iter().zip(names::legal_names(&wanted)) {
            let description = tool.description.as_deref().or(tool.title.as_deref());
            registrations.tools.push(ToolSpec {
                name: name.clone(),
                description: bounded(description.unwrap_or(&tool.name)),
                parameters: schema::portable(&tool.input_schema),
                execution_mode: ExecutionMode::Parallel,
            });
            index.tools.insert(name, (Arc::clone(server), tool.name.to_string()));
        }
        registrations.commands.push(CommandSpec {
            name: LIST.into(),
            description: "List MCP servers, or show what one has and says".into(),
            usage: "[NAME]".into(),
        });
        for (server, catalog) in &catalogs {
            for prompt in &catalog.prompts {
                let name = names::command_name(server.name(), &prompt.name);
                if index.prompts.contains_key(&name) {
                    continue;
                }
                let description = prompt.description.as_deref().or(prompt.title.as_deref());
                registrations.commands.push(CommandSpec {
                    name: name.clone(),
                    description: one_line(description.unwrap_or("A prompt of the server"), 200),
                    usage: prompts::usage(prompt),
                });
                index.prompts.insert(name, (Arc::clone(server), prompt.clone()));
            }
        }
        *self.index.lock().unwrap_or_else(PoisonError::into_inner) = index;
        registrations
    }

    /// Calls a tool by the name under which it is registered. Dropping the future cancels the call.
    pub(crate) async fn call_tool(
        &self,
        name: &str,
        arguments: Map<String, Value>,
        progress: &(dyn Fn(String) + Send + Sync),
    ) -> ToolOutput {
        let found = {
            let index = self.index.lock().unwrap_or_else(PoisonError::into_inner);
            index.tools.get(name).cloned()
        };
        let Some((server, tool)) = found else {
            return content::failure(format!("no MCP server has the tool {name} any more"));
        };
        let link = match server.link().await {
            Ok(link) => link,
            Err(reason) => return content::failure(reason),
        };
        match link.call_tool(&tool, arguments, progress).await {
            Ok(result) => content::tool_output(result, &server.settings().masks),
            Err(error) => content::failure(server.words(&error)),
        }
    }

    /// Runs a slash command.
    ///
    /// # Errors
    /// When the server does not answer, in words for the user.
    pub(crate) async fn run_command(
        &self,
        name: &str,
        typed: &str,
    ) -> Result<RunCommandReply, String> {
        if name == LIST {
            return Ok(RunCommandReply {
                text: self.listing(typed.trim())?,
                ..RunCommandReply::default()
            });
        }
        let found = {
            let index = self.index.lock().unwrap_or_else(PoisonError::into_inner);
            index.prompts.get(name).cloned()
        };
        let (server, prompt) =
            found.ok_or_else(|| format!("no MCP server has the prompt {name} any more"))?;
        let mut arguments = prompts::arguments(&prompt, typed);
        for argument in prompts::missing(&prompt, &arguments.clone()) {
            let mut text = format!("/{name}: {}", argument.name);
            if let Some(description) = &argument.description {
                text.push_str(&format!(" ({})", one_line(description, 200)));
            }
            let request = UiRequest::Input { text, placeholder: None, default: None };
            let answer = self.front.ask(request).await;
            let answer = answer.as_ref().and_then(Value::as_str).filter(|text| !text.is_empty());
            let value = answer.ok_or_else(|| {
                format!("{} is missing: /{name} {}", argument.name, prompts::usage(&prompt))
            })?;
            arguments.insert(argument.name.clone(), value.into());
        }
        let link = server.link().await?;
        let result = link.get_prompt(&prompt.name, arguments).await;
        let text = prompts::text(result.map_err(|error| server.words(&error))?);
        let parts = vec![letscode_wire::ContentPart::text(text)];
        let text = letscode_wire::text_of(&content::bounded(parts, &server.settings().masks));
        Ok(RunCommandReply { prompt: Some(text), ..RunCommandReply::default() })
    }

    fn server(&self, name: &str) -> Option<&Arc<Server>> {
        self.servers.iter().find(|server| server.name() == name)
    }
}

fn bounded(description: &str) -> String {
    if description.chars().count() <= LONGEST_DESCRIPTION {
        return description.to_owned();
    }
    let head: String = description.chars().take(LONGEST_DESCRIPTION - 1).collect();
    format!("{head}…")
}
