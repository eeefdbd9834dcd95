//! An agent with stand-ins around it, and the ears of one client.

use crate::lines::{line_of, whole};
use letscode_core::BoxFuture;
use letscode_core::agent::{self, Agent, AgentParts, Output, Stamp, Stamps, Subscription};
use letscode_core::builtin::BuiltinTools;
use letscode_core::commands::{Host, NoHost};
use letscode_core::env::ExecutionEnv;
use letscode_core::hooks::{AccessInbox, AgentAccess, HookTimeouts, Hooks, Plugin, access};
use letscode_core::input::TypingAids;
use letscode_core::secrets::Secrets;
use letscode_core::session::{SessionError, SessionStore};
use letscode_core::tools::{Access, Tool, ToolContext, ToolError};
use letscode_core::ui::{self, Ui, UiInbox};
use letscode_testkit::mem_env::MemEnv;
use letscode_testkit::scripted_model::{ScriptedAnswer, ScriptedModel};
use letscode_wire::{
    Command, ContentPart, Control, Event, ExecutionMode, Message, MessageId, ToolOutput, ToolSpec,
    Transcript,
};
use serde_json::{Map, Value, json};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::task::JoinHandle;

/// Longer than anything here takes: what is over it hangs.
const HANG: Duration = Duration::from_secs(30);

/// What an agent is to be made of.
pub(crate) struct Setup {
    model: ScriptedModel,
    env: Arc<dyn ExecutionEnv>,
    tools: Vec<Arc<dyn Tool>>,
    plugins: Vec<Arc<dyn Plugin>>,
    timeouts: HookTimeouts,
    store: Option<Box<dyn SessionStore>>,
    transcript: Transcript,
    secrets: Secrets,
    host: Arc<dyn Host>,
    ui: (Ui, UiInbox),
    access: (AgentAccess, AccessInbox),
}

/// A running agent and what its first client has heard.
pub(crate) struct Stage {
    pub(crate) agent: Agent,
    pub(crate) model: Arc<ScriptedModel>,
    pub(crate) heard: Vec<Output>,
    client: Subscription,
    task: JoinHandle<()>,
}

impl Setup {
    pub(crate) fn new(answers: impl IntoIterator<Item = ScriptedAnswer>) -> Self {
        Self {
            model: ScriptedModel::new(answers),
            env: Arc::new(MemEnv::new("/project")),
            tools: Vec::new(),
            plugins: vec![Arc::new(BuiltinTools::new(None))],
            timeouts: HookTimeouts::default(),
            store: None,
            transcript: Transcript::new(),
            secrets: Secrets::default(),
            host: Arc::new(NoHost),
            ui: ui::channel(),
            access: access(),
        }
    }

    pub(crate) fn host(mut self, host: impl Host + 'static) -> Self {
        self.host = Arc::new(host);
        self
    }

    pub(crate) fn timeouts(mut self, timeouts: HookTimeouts) -> Self {
        self.timeouts = timeouts;
        self
    }

    /// Returns the handle of whoever wants to ask the user outside of calls.
    pub(crate) fn ui(&self) -> Ui {
        self.ui.0.clone()
    }

    /// Returns the plugins' way to the agent.
    pub(crate) fn access(&self) -> AgentAccess {
        self.access.0.clone()
    }

    pub(crate) fn env(mut self, env: impl ExecutionEnv + 'static) -> Self {
        self.env = Arc::new(env);
        self
    }

    pub(crate) fn tool(mut self, tool: TestTool) -> Self {
        self.tools.push(Arc::new(tool));
        self
    }

    pub(crate) fn plugin(mut self, plugin: impl Plugin + 'static) -> Self {
        self.plugins.push(Arc::new(plugin));
        self
    }

    pub(crate) fn store(mut self, store: impl SessionStore + 'static) -> Self {
        self.store = Some(Box::new(store));
        self
    }

    pub(crate) fn transcript(mut self, transcript: Transcript) -> Self {
        self.transcript = transcript;
        self
    }

    pub(crate) fn key(mut self, key: &str) -> Self {
        self.secrets = Secrets::new([key], []);
        self
    }

    pub(crate) fn start(self) -> Stage {
        let hooks = Hooks::new(self.plugins, self.timeouts, self.ui.0.clone());
        let mut tools = hooks.register().tools;
        for tool in self.tools {
            tools.add(tool);
        }
        let model = Arc::new(self.model);
        let (agent, task) = agent::start(AgentParts {
            model: Arc::<ScriptedModel>::clone(&model),
            env: self.env,
            tools,
            models: None,
            thinking: "off".to_owned(),
            sessions: None,
            typing: TypingAids::default(),
            host: self.host,
            hooks,
            ui: self.ui,
            access: self.access.1,
            store: self.store,
            system: "system".into(),
            transcript: self.transcript,
            secrets: Arc::new(self.secrets),
            stamps: Box::new(Numbers::default()),
        });
        let client = agent.subscribe();
        Stage { agent, model, heard: Vec::new(), client, task }
    }
}

impl Stage {
    pub(crate) fn send(&self, id: &str, command: Command) {
        self.agent.send(id.into(), command);
    }

    pub(crate) fn prompt(&self, text: &str) {
        self.send(
            "p",
            Command::Prompt { text: text.to_owned(), images: Vec::new(), expand: false },
        );
    }

    pub(crate) fn steer(&self, text: &str) {
        self.send("s", Command::Steer { text: text.to_owned(), expand: false });
    }

    pub(crate) fn follow_up(&self, text: &str) {
        self.send("f", Command::FollowUp { text: text.to_owned(), expand: false });
    }

    /// Listens until a line with this beginning comes, and returns it.
    pub(crate) async fn until(&mut self, beginning: &str) -> String {
        loop {
            let known = self.heard.len();
            self.listen().await;
            let new = self.heard.iter().skip(known).map(line_of);
            if let Some(line) = new.into_iter().find(|line| line.starts_with(beginning)) {
                return line;
            }
        }
    }

    /// Sends a prompt and listens until its run is over.
    pub(crate) async fn run(&mut self, text: &str) {
        self.prompt(text);
        self.until("done \"p\"").await;
    }

    /// Listens until the agent has taken in all that was sent before.
    pub(crate) async fn settle(&mut self) {
        self.agent.say(Control::Bye);
        self.until("bye").await;
        self.heard.retain(|output| *output != Output::Control(Control::Bye));
    }

    /// Returns what was heard as lines, and forgets it.
    pub(crate) fn take_lines(&mut self) -> Vec<String> {
        std::mem::take(&mut self.heard).iter().map(line_of).collect()
    }

    /// Returns the lines heard so far that begin with one of these, and forgets all.
    pub(crate) fn take_only(&mut self, beginnings: &[&str]) -> Vec<String> {
        let mut lines = self.take_lines();
        lines.retain(|line| beginnings.iter().any(|beginning| line.starts_with(beginning)));
        lines
    }

    /// Returns the messages of the last `agent_end`, as lines.
    pub(crate) fn conversation(&self) -> Vec<String> {
        let ends = self.heard.iter().rev().filter_map(|output| match output {
            Output::Event(event) => match &**event {
                Event::AgentEnd { messages, .. } => Some(messages.clone()),
                _ => None,
            },
            _ => None,
        });
        messages(&ends.into_iter().next().expect("a run has ended"))
    }

    /// Returns the messages of a request, as lines.
    pub(crate) fn request(&self, number: usize) -> Vec<String> {
        messages(&self.model.requests()[number].messages)
    }

    /// Ends the agent and checks all requests.
    pub(crate) async fn end(mut self) {
        self.agent.shut_down();
        while self.listen_to_end().await {}
        self.task.await.unwrap();
        self.model.assert_valid();
    }

    /// Lets go of the only handle and returns what is heard until the agent has ended.
    pub(crate) async fn drop_handle(self) -> Vec<String> {
        let Self { agent, mut client, task, .. } = self;
        drop(agent);
        let mut heard = Vec::new();
        while let Some(batch) = tokio::time::timeout(HANG, client.recv()).await.unwrap() {
            heard.extend(batch.iter().map(line_of));
        }
        task.await.unwrap();
        heard
    }

    async fn listen(&mut self) {
        assert!(self.listen_to_end().await, "the agent has ended; heard {:#?}", self.lines());
    }

    async fn listen_to_end(&mut self) -> bool {
        match tokio::time::timeout(HANG, self.client.recv()).await {
            Ok(Some(batch)) => self.heard.extend(batch),
            Ok(None) => return false,
            Err(_) => panic!("nothing more came; heard {:#?}", self.lines()),
        }
        true
    }

    fn lines(&self) -> Vec<String> {
        self.heard.iter().map(line_of).collect()
    }
}

/// Returns messages as lines.
pub(crate) fn messages(transcript: &Transcript) -> Vec<String> {
    transcript.iter().map(|message| whole(message)).collect()
}

type Run = dyn Fn(Map<String, Value>, ToolContext) -> BoxFuture<'static, Result<ToolOutput, ToolError>>
    + Send
    + Sync;

/// A tool made of a function.
pub(crate) struct TestTool {
    spec: ToolSpec,
    access: Box<dyn Fn() -> Access + Send + Sync>,
    run: Box<Run>,
}

impl TestTool {
    pub(crate) fn new<F>(
        name: &str,
        run: impl Fn(Map<String, Value>, ToolContext) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Result<ToolOutput, ToolError>> + Send + 'static,
    {
        let spec = ToolSpec {
            name: name.to_owned(),
            description: "a tool of a test".to_owned(),
            parameters: json!({"type": "object", "properties": {}}),
            execution_mode: ExecutionMode::Parallel,
        };
        let run = Box::new(move |arguments, context| {
            Box::pin(run(arguments, context)) as BoxFuture<'static, _>
        });
        Self { spec, access: Box::new(Access::default), run }
    }

    pub(crate) fn sequential(mut self) -> Self {
        self.spec.execution_mode = ExecutionMode::Sequential;
        self
    }

    pub(crate) fn access(mut self, access: impl Fn() -> Access + Send + Sync + 'static) -> Self {
        self.access = Box::new(access);
        self
    }
}

impl Tool for TestTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn access(&self, _arguments: &Map<String, Value>, _env: &dyn ExecutionEnv) -> Access {
        (self.access)()
    }

    fn run<'a>(
        &'a self,
        arguments: Map<String, Value>,
        context: ToolContext,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        (self.run)(arguments, context)
    }
}

/// Returns an output of one text.
pub(crate) fn output(text: &str) -> ToolOutput {
    ToolOutput { content: vec![ContentPart::text(text)], ..ToolOutput::default() }
}

/// A store in memory that can be told to fail. Clones share all.
#[derive(Clone, Default)]
pub(crate) struct MemStore {
    pub(crate) kept: Arc<Mutex<Vec<Arc<Message>>>>,
    pub(crate) failing: Arc<Mutex<bool>>,
}

impl SessionStore for MemStore {
    fn append(&self, message: Arc<Message>) -> BoxFuture<'_, Result<(), SessionError>> {
        let result = if *self.failing.lock().unwrap() {
            let source = std::io::ErrorKind::StorageFull.into();
            Err(SessionError::Io { action: "write", path: "/full".into(), source })
        } else {
            self.kept.lock().unwrap().push(message);
            Ok(())
        };
        Box::pin(async { result })
    }
}

impl MemStore {
    pub(crate) fn lines(&self) -> Vec<String> {
        messages(&self.kept.lock().unwrap().iter().cloned().collect())
    }
}

/// Ids that count up, at no time.
#[derive(Default)]
struct Numbers(u32);

impl Stamps for Numbers {
    fn next(&mut self) -> Stamp {
        self.0 += 1;
        Stamp { id: MessageId::from(format!("m{}", self.0)), timestamp: 0.0 }
    }
}
