//! Long conversations, and any order of commands: what the process would send is what the
//! session file says, at every point.

use futures_util::{FutureExt as _, stream};
use letscode_core::BoxFuture;
use letscode_core::agent::{
    self, Agent, AgentParts, KeptSession, Output, Stamp, Stamps, Subscription,
};
use letscode_core::compaction::{estimate_overhead, estimate_tokens};
use letscode_core::context::messages_for_model;
use letscode_core::hooks::{HookTimeouts, Hooks};
use letscode_core::input::TypingAids;
use letscode_core::model::{
    Answer, BindError, BoundModel, Model, ModelEvent, ModelInfo, ModelRequest, ModelSource,
    ModelStream,
};
use letscode_core::session::{ProjectSessions, SessionManager, load};
use letscode_core::tools::{Tool, ToolContext, ToolError, ToolRegistry};
use letscode_core::ui::{self, Ui};
use letscode_testkit::mem_env::MemEnv;
use letscode_testkit::scripted_model::violations;
use letscode_wire::{
    Command, ContentPart, Control, Event, MessageId, MessagesResult, SessionResult, StateResult,
    StopReason, ToolCall, ToolOutput, ToolSpec, Transcript, text_of,
};
use proptest::prelude::*;
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use tempfile::TempDir;

/// What the user says first, and must never be lost.
const FACT: &str = "the password is heron";

/// What all models of a test share: how they answer, and what was wrong with their requests.
#[derive(Default)]
struct World {
    /// The open session's file.
    path: PathBuf,
    /// How many more answers call a tool.
    steps: usize,
    calls: usize,
    requests: usize,
    summaries: usize,
    problems: Vec<String>,
}

/// A model that checks every request against the window, the rules and the session file.
struct CheckedModel {
    info: ModelInfo,
    world: Arc<Mutex<World>>,
}

impl Model for CheckedModel {
    fn info(&self) -> ModelInfo {
        self.info.clone()
    }

    fn stream(&self, request: ModelRequest) -> ModelStream {
        let mut world = self.world.lock().unwrap();
        world.requests += 1;
        let number = world.requests;
        let mut problems = violations(&request.messages);
        let tokens =
            estimate_overhead(&request.system, &request.tools) + estimate_tokens(&request.messages);
        if self.info.context_window.is_some_and(|window| tokens > window) {
            problems.push(format!("{tokens} tokens"));
        }
        let said: String = request.messages.iter().map(|m| text_of(m.content())).collect();
        let question = request.messages.last().map(|last| text_of(last.content()));
        let is_summary = question.is_some_and(|text| text.starts_with("Pause the work here."));
        let mut answer = Answer { stop_reason: Some(StopReason::EndTurn), ..Answer::default() };
        if is_summary {
            world.summaries += 1;
            let fact = if said.contains(FACT) { FACT } else { "no fact" };
            answer.content = vec![ContentPart::text(format!("It was said that {fact}."))];
        } else {
            let stored = load(&world.path).map(|loaded| loaded.transcript).unwrap_or_default();
            if stored_messages(&stored) != request.messages {
                problems.push("the session file says something else".to_owned());
            }
            answer.content = vec![ContentPart::text(format!("answer {number}"))];
            if world.steps > 0 {
                world.steps -= 1;
                world.calls += 1;
                let id = format!("call-{}", world.calls).into();
                let call = ToolCall { id, name: "step".to_owned(), arguments: Map::new() };
                answer.tool_calls = vec![call];
            }
        }
        world.problems.extend(problems.into_iter().map(|text| format!("request {number}: {text}")));
        Box::pin(stream::iter([Ok(ModelEvent::Done(Box::new(answer)))]))
    }
}

/// Returns what a later process would send.
fn stored_messages(transcript: &Transcript) -> Transcript {
    let hooks = Hooks::new(Vec::new(), HookTimeouts::default(), Ui::declining());
    messages_for_model(transcript, &hooks).now_or_never().unwrap()
}

/// Models of any name, all with the same window.
struct Models {
    window: Option<u64>,
    world: Arc<Mutex<World>>,
}

impl ModelSource for Models {
    fn choose(&self, session: Option<&str>) -> String {
        session.unwrap_or("first").to_owned()
    }

    fn bind(&self, name: &str, thinking: Option<&str>) -> Result<BoundModel, BindError> {
        let info = ModelInfo { name: name.to_owned(), context_window: self.window, vision: false };
        let model = CheckedModel { info, world: Arc::clone(&self.world) };
        let thinking = thinking.unwrap_or("off").to_owned();
        Ok(BoundModel { model: Arc::new(model), thinking })
    }
}

/// A tool that gives much text.
struct Step {
    spec: ToolSpec,
    output: String,
}

impl Tool for Step {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn run<'a>(
        &'a self,
        _: Map<String, Value>,
        _: ToolContext,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        let content = vec![ContentPart::text(self.output.clone())];
        let output = ToolOutput { content, details: Map::new(), is_error: false, terminate: false };
        Box::pin(async { Ok(output) })
    }
}

/// Whole seconds, which come back from a file as they were.
#[derive(Default)]
struct Counter(u32);

impl Stamps for Counter {
    fn next(&mut self) -> Stamp {
        self.0 += 1;
        Stamp { id: MessageId::random(), timestamp: f64::from(self.0) }
    }
}

struct Stage {
    agent: Agent,
    client: Subscription,
    world: Arc<Mutex<World>>,
    _folder: TempDir,
}

impl Stage {
    fn start(window: u64, output: &str) -> Self {
        let folder = TempDir::new().unwrap();
        let manager = ProjectSessions::new(folder.path().join("project"));
        let session = manager.create();
        let world = World { path: session.path.clone(), ..World::default() };
        let world = Arc::new(Mutex::new(world));
        let models = Models { window: Some(window), world: Arc::clone(&world) };
        let mut tools = ToolRegistry::default();
        let spec = json!({"name": "step", "description": "Goes on.",
                          "parameters": {"type": "object", "properties": {}}});
        let spec = serde_json::from_value(spec).unwrap();
        tools.add(Arc::new(Step { spec, output: output.to_owned() }));
        let (agent, _task) = agent::start(AgentParts {
            model: models.bind("first", None).unwrap().model,
            models: Some(Arc::new(models)),
            thinking: "off".to_owned(),
            env: Arc::new(MemEnv::new("/project")),
            tools,
            hooks: Hooks::new(Vec::new(), HookTimeouts::default(), Ui::declining()),
            store: Some(session.store),
            sessions: Some(KeptSession { manager: Arc::new(manager), path: session.path }),
            ui: ui::channel(),
            access: letscode_core::hooks::AccessInbox::closed(),
            host: Arc::new(letscode_core::commands::NoHost),
            system: "Work on.".into(),
            transcript: Transcript::new(),
            typing: TypingAids::default(),
            secrets: Arc::default(),
            stamps: Box::new(Counter::default()),
        });
        let client = agent.subscribe();
        Self { agent, client, world, _folder: folder }
    }

    /// Sends a command and returns its answer, or why it was refused.
    async fn ask(&mut self, command: Command) -> Result<Value, String> {
        self.agent.send("id".into(), command);
        loop {
            for output in self.client.recv().await.unwrap() {
                match output {
                    Output::Control(Control::Done { result, .. }) => {
                        return Ok(result.unwrap_or_default());
                    }
                    Output::Control(Control::Error { error, .. }) => return Err(error),
                    Output::Event(event) => {
                        if let Event::Error { error, .. } = &*event {
                            panic!("{error}");
                        }
                    }
                    Output::Control(_) | Output::Notice(_) => {}
                }
            }
        }
    }

    async fn prompt(&mut self, text: &str, steps: usize) {
        self.world.lock().unwrap().steps = steps;
        let text = text.to_owned();
        self.ask(Command::Prompt { text, images: Vec::new(), expand: false }).await.unwrap();
    }

    /// Goes on with another session where the command can.
    async fn change(&mut self, command: Command) {
        if let Ok(result) = self.ask(command).await {
            let result: SessionResult = serde_json::from_value(result).unwrap();
            self.world.lock().unwrap().path = PathBuf::from(result.session.path);
        }
    }

    /// Checks that the transcript in memory, and the model, are those of the file.
    async fn check(&mut self) {
        let result = self.ask(Command::Messages).await.unwrap();
        let MessagesResult { messages } = serde_json::from_value(result).unwrap();
        let state = self.ask(Command::State).await.unwrap();
        let state: StateResult = serde_json::from_value(state).unwrap();
        let path = state.session.unwrap().path;
        if Path::new(&path).exists() {
            let loaded = load(Path::new(&path)).unwrap();
            assert_eq!(loaded.warnings, Vec::<String>::new());
            assert_eq!(loaded.transcript, messages);
        } else {
            assert_eq!(messages, Transcript::new());
        }
        let problems = std::mem::take(&mut self.world.lock().unwrap().problems);
        assert_eq!(problems, Vec::<String>::new());
    }
}

/// One thing that a user does.
#[derive(Debug, Clone)]
enum Deed {
    Prompt(usize),
    Compact,
    Reset,
    Fork(usize),
    Clone,
    GoTo(usize),
    New,
    SetModel(bool),
}

fn deed() -> impl Strategy<Value = Deed> {
    prop_oneof![
        6 => (0usize..5).prop_map(Deed::Prompt),
        2 => Just(Deed::Compact),
        1 => Just(Deed::Reset),
        1 => (1usize..12).prop_map(Deed::Fork),
        1 => Just(Deed::Clone),
        2 => (1usize..20).prop_map(Deed::GoTo),
        1 => Just(Deed::New),
        1 => any::<bool>().prop_map(Deed::SetModel),
    ]
}

async fn perform(stage: &mut Stage, deed: Deed) {
    match deed {
        Deed::Prompt(steps) => stage.prompt("go on", steps).await,
        Deed::Compact => drop(stage.ask(Command::Compact { bias: None }).await),
        Deed::Reset => drop(stage.ask(Command::Reset).await),
        Deed::Fork(entry) => stage.change(Command::Fork { entry: Some(entry) }).await,
        Deed::Clone => stage.change(Command::Clone).await,
        Deed::GoTo(entry) => stage.change(Command::GoTo { entry }).await,
        Deed::New => stage.change(Command::New).await,
        Deed::SetModel(first) => {
            let model = if first { "first" } else { "second" }.to_owned();
            drop(stage.ask(Command::SetModel { model }).await);
        }
    }
}

fn block_on(work: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.unwrap().block_on(work);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn the_file_says_what_the_process_knows_after_any_deeds(
        deeds in prop::collection::vec(deed(), 1..14),
    ) {
        block_on(async {
            let mut stage = Stage::start(700, &"output ".repeat(40));
            for deed in deeds {
                perform(&mut stage, deed).await;
                stage.check().await;
            }
        });
    }
}

#[tokio::test]
async fn a_run_of_300_turns_stays_within_a_small_window_and_keeps_what_was_said_first() {
    let mut stage = Stage::start(16_000, &"output ".repeat(300));
    stage.prompt(FACT, 300).await;
    stage.check().await;
    let (requests, summaries) = {
        let world = stage.world.lock().unwrap();
        (world.requests, world.summaries)
    };
    assert_eq!(requests - summaries, 301);
    assert!((10..40).contains(&summaries), "{summaries} summaries");
    let result = stage.ask(Command::Messages).await.unwrap();
    let summary = &result["messages"][0]["payload"]["summary"];
    assert!(summary.as_str().unwrap().contains(FACT), "{summary}");
}

#[tokio::test]
async fn a28_a_hundred_compactions_grow_the_file_little() {
    let mut stage = Stage::start(1_000_000, "output");
    for _ in 0..100 {
        stage.prompt("go on", 2).await;
        drop(stage.ask(Command::Compact { bias: None }).await);
    }
    stage.check().await;
    let path = stage.world.lock().unwrap().path.clone();
    let length = std::fs::metadata(path).unwrap().len();
    assert!(length < 100 * 4000, "{length} bytes");
}

#[tokio::test]
async fn commands_that_cannot_be_carried_out_are_refused() {
    let mut stage = Stage::start(16_000, "output");
    for (command, reason) in [
        (Command::Retry, "nothing to retry"),
        (Command::Compact { bias: None }, "nothing to compact"),
        (Command::Fork { entry: None }, "no message yet"),
        (Command::GoTo { entry: 1 }, "no message yet"),
        (Command::Resume { session: "1".to_owned() }, "no session for this directory"),
    ] {
        let error = stage.ask(command).await.unwrap_err();
        assert!(error.contains(reason), "{error}");
    }
    stage.prompt("one", 0).await;
    let error = stage.ask(Command::Delete { session: "1".to_owned() }).await.unwrap_err();
    assert!(error.contains("is the open one"), "{error}");
    let usage = stage.ask(Command::Usage).await.unwrap();
    assert_eq!(usage["answers"], json!(0));
    let name = stage.ask(Command::Name { text: Some("new name".to_owned()) }).await.unwrap();
    assert_eq!(name, json!({"label": "new name"}));
}
