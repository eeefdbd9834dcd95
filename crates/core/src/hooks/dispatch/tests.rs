//! The dispatch rules: order, combination, time limits, isolation, guards.

use super::*;
use letscode_wire::{ContentPart, CustomMessage, MessageId, ToolCall, ToolCallId, ToolOutput};
use serde_json::{Map, Value};
use std::future::pending;
use std::sync::Mutex;

/// What a test plugin does when it is asked anything.
#[derive(Clone, Copy, PartialEq)]
enum Mood {
    Answers,
    Declines,
    Hangs,
    Panics,
}

struct Actor {
    name: &'static str,
    /// Its slash command, besides the one of its name.
    command: Option<&'static str>,
    mood: Mood,
    guard: bool,
    seen: Arc<Mutex<Vec<String>>>,
}

impl Actor {
    async fn act(&self) -> bool {
        self.seen.lock().unwrap().push(self.name.to_owned());
        match self.mood {
            Mood::Answers => true,
            Mood::Declines => false,
            Mood::Hangs => pending().await,
            Mood::Panics => panic!("a plugin's own fault"),
        }
    }
}

impl Plugin for Actor {
    fn name(&self) -> &str {
        self.name
    }
    fn wants(&self, _: HookName) -> bool {
        true
    }
    fn fail_closed(&self) -> bool {
        self.guard
    }
    fn register_commands(&self, commands: &mut Vec<CommandSpec>) {
        assert!(self.mood != Mood::Panics, "a plugin's own fault");
        let (description, usage) = (String::new(), String::new());
        for name in self.command.into_iter().chain([self.name]) {
            let (description, usage) = (description.clone(), usage.clone());
            commands.push(CommandSpec { name: name.to_owned(), description, usage });
        }
    }
    fn system_prompt<'a>(&'a self, _: &'a SystemPromptContext) -> BoxFuture<'a, Option<String>> {
        Box::pin(async { self.act().await.then(|| self.name.to_owned()) })
    }
    fn before_tool_call<'a>(
        &'a self,
        asked: &'a BeforeToolCall,
        _: &'a Ui,
    ) -> BoxFuture<'a, BeforeToolCallReply> {
        Box::pin(async {
            if !self.act().await {
                return BeforeToolCallReply::default();
            }
            let mut arguments = asked.tool_call.arguments.clone();
            arguments.insert(self.name.to_owned(), Value::from(arguments.len()));
            BeforeToolCallReply { block: None, arguments: Some(arguments) }
        })
    }
    fn after_tool_call<'a>(
        &'a self,
        _: &'a AfterToolCall,
        _: &'a Ui,
    ) -> BoxFuture<'a, AfterToolCallReply> {
        Box::pin(async {
            let answers = self.act().await;
            AfterToolCallReply {
                content: answers.then(|| vec![ContentPart::text(self.name)]),
                is_error: (self.name == "first").then_some(true),
                ..AfterToolCallReply::default()
            }
        })
    }
    fn transform_context<'a>(
        &'a self,
        messages: &'a Transcript,
        _: &'a Ui,
    ) -> BoxFuture<'a, Option<Transcript>> {
        Box::pin(async { self.act().await.then(|| messages[..messages.len() - 1].to_vec()) })
    }
    fn on_event<'a>(&'a self, event: &'a Arc<Event>, _: &'a Ui) -> BoxFuture<'a, ()> {
        Box::pin(async move {
            if let Event::TurnStart { turn } = &**event {
                self.seen.lock().unwrap().push(format!("{} {turn}", self.name));
            }
            if self.mood == Mood::Panics {
                panic!("a plugin's own fault");
            }
        })
    }
}

struct Stage {
    hooks: Hooks,
    seen: Arc<Mutex<Vec<String>>>,
}

/// Registers `first`, `second`, … with these moods.
fn stage(moods: &[Mood]) -> Stage {
    staged(moods, false)
}

fn staged(moods: &[Mood], guard: bool) -> Stage {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let plugins = ["first", "second", "third"].iter().zip(moods).map(|(&name, &mood)| {
        let seen = Arc::clone(&seen);
        Arc::new(Actor { name, command: None, mood, guard, seen }) as Arc<dyn Plugin>
    });
    Stage { hooks: Hooks::new(plugins.collect(), HookTimeouts::default(), Ui::declining()), seen }
}

fn call() -> BeforeToolCall {
    let id = ToolCallId::from("c");
    BeforeToolCall { tool_call: ToolCall { id, name: "bash".to_owned(), arguments: Map::new() } }
}

fn prompt_context() -> SystemPromptContext {
    SystemPromptContext { cwd: "/".to_owned(), tools: Vec::new() }
}

#[tokio::test]
async fn the_plugin_registered_last_is_asked_first_and_the_first_answer_wins() {
    let stage = stage(&[Mood::Answers, Mood::Answers, Mood::Declines]);
    assert_eq!(stage.hooks.system_prompt(&prompt_context()).await.as_deref(), Some("second"));
    assert_eq!(*stage.seen.lock().unwrap(), ["third", "second"]);
}

#[tokio::test]
async fn rewrites_of_arguments_are_chained_in_the_order_of_asking() {
    let stage = stage(&[Mood::Answers, Mood::Answers]);
    let reply = stage.hooks.before_tool_call(call()).await;
    let arguments = Value::Object(reply.arguments.unwrap());
    assert_eq!(arguments, serde_json::json!({"second": 0, "first": 1}));
}

#[tokio::test]
async fn a_later_answer_on_a_result_wins_field_by_field() {
    let stage = stage(&[Mood::Declines, Mood::Answers]);
    let context = AfterToolCall { tool_call: call().tool_call, result: ToolOutput::default() };
    let reply = stage.hooks.after_tool_call(&context).await;
    assert_eq!(reply.content, Some(vec![ContentPart::text("second")]));
    assert_eq!(reply.is_error, Some(true));
}

#[tokio::test]
async fn context_changes_are_chained() {
    let stage = stage(&[Mood::Answers, Mood::Declines, Mood::Answers]);
    let message = CustomMessage {
        id: MessageId::from("m"),
        kind: "k".to_owned(),
        payload: Map::new(),
        timestamp: 0.0,
        meta: Map::new(),
    };
    let message = Arc::new(Message::Custom(message));
    let messages = vec![Arc::clone(&message), Arc::clone(&message), message];
    assert_eq!(stage.hooks.transform_context(messages).await.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_slow_plugin_is_left_out_of_that_answer_and_reported() {
    let stage = stage(&[Mood::Answers, Mood::Hangs]);
    assert_eq!(stage.hooks.system_prompt(&prompt_context()).await.as_deref(), Some("first"));
    let faults = stage.hooks.take_faults();
    assert!(matches!(&faults[..], [HookFault::TooSlow { plugin, .. }] if plugin == "second"));
    assert!(stage.hooks.wants(HookName::SystemPrompt));
}

#[tokio::test]
async fn a_crashed_plugin_is_left_out_from_then_on() {
    let stage = stage(&[Mood::Panics]);
    assert_eq!(stage.hooks.system_prompt(&prompt_context()).await, None);
    assert!(matches!(&stage.hooks.take_faults()[..], [HookFault::Crashed { .. }]));
    assert!(!stage.hooks.wants(HookName::SystemPrompt));
    assert_eq!(stage.hooks.system_prompt(&prompt_context()).await, None);
    assert_eq!(stage.seen.lock().unwrap().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_guard_that_cannot_judge_blocks_the_call() {
    for mood in [Mood::Hangs, Mood::Panics] {
        let stage = staged(&[mood], true);
        // The second round meets a guard that is gone (or hangs again).
        for _ in 0..2 {
            let reply = stage.hooks.before_tool_call(call()).await;
            assert!(reply.block.is_some_and(|reason| reason.contains("first")));
        }
        let faults: Vec<String> =
            stage.hooks.take_faults().iter().map(ToString::to_string).collect();
        assert!(!faults.is_empty());
        for fault in faults {
            assert!(
                fault.contains("call is not run") || fault.contains("no call is run"),
                "{fault}"
            );
        }
    }
}

#[tokio::test(start_paused = true)]
async fn without_a_guard_the_call_goes_on() {
    for mood in [Mood::Hangs, Mood::Panics] {
        let reply = stage(&[mood]).hooks.before_tool_call(call()).await;
        assert_eq!(reply, BeforeToolCallReply::default());
    }
}

#[tokio::test]
async fn registration_keeps_order_and_survives_a_crash() {
    let stage = stage(&[Mood::Answers, Mood::Panics, Mood::Answers]);
    let names: Vec<String> =
        stage.hooks.register().commands.into_iter().map(|command| command.name).collect();
    assert_eq!(names, ["first", "third"]);
    assert_eq!(stage.hooks.take_faults().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn events_arrive_in_order_and_a_crash_ends_only_their_delivery() {
    let stage = stage(&[Mood::Answers, Mood::Panics]);
    for turn in 1..=3 {
        stage.hooks.on_event(&Arc::new(Event::TurnStart { turn }));
    }
    // With paused time this returns once all other tasks have nothing left to do.
    tokio::time::sleep(Duration::from_secs(1)).await;
    let seen = stage.seen.lock().unwrap().clone();
    let of =
        |name: &str| seen.iter().filter(|line| line.starts_with(name)).cloned().collect::<Vec<_>>();
    assert_eq!(of("first"), ["first 1", "first 2", "first 3"]);
    assert_eq!(of("second"), ["second 1"]);
    assert_eq!(stage.hooks.take_faults().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_plugin_that_is_silent_three_times_in_a_row_is_asked_no_more() {
    let Stage { hooks, seen } = stage(&[Mood::Hangs]);
    for _ in 0..5 {
        hooks.before_tool_call(call()).await;
    }
    assert_eq!(seen.lock().unwrap().len(), 3);
    let faults: Vec<String> = hooks.take_faults().iter().map(ToString::to_string).collect();
    assert_eq!(faults.len(), 4);
    assert_eq!(faults[3], "plugin first: no answer 3 times in a row; it is left out from now on");
}

#[tokio::test]
async fn a_slash_command_is_run_by_the_plugin_registered_last_that_has_it() {
    let hooks = stage(&[Mood::Answers, Mood::Answers]).hooks;
    let names: Vec<String> = hooks.commands().into_iter().map(|command| command.name).collect();
    assert_eq!(names, ["first", "second"]);
    let error = hooks.run_command("second", "").await.unwrap().unwrap_err();
    assert_eq!(error.message, "the plugin second cannot run /second");
    assert!(hooks.run_command("third", "").await.is_none());
}

#[tokio::test]
async fn a_slash_command_of_a_guard_stays_its_own() {
    let actor = |name, guard| {
        let (command, mood, seen) = (Some("judge"), Mood::Answers, Arc::default());
        Arc::new(Actor { name, command, mood, guard, seen }) as Arc<dyn Plugin>
    };
    let plugins = vec![actor("before", false), actor("guard", true), actor("later", true)];
    let plugins = plugins.into_iter().chain([actor("last", false)]).collect();
    let hooks = Hooks::new(plugins, HookTimeouts::default(), Ui::declining());
    let error = hooks.run_command("judge", "").await.unwrap().unwrap_err();
    assert_eq!(error.message, "the plugin guard cannot run /judge");
    let names: Vec<String> = hooks.commands().into_iter().map(|command| command.name).collect();
    assert_eq!(names, ["judge", "before", "guard", "later", "last"]);
}

/// Wants to see the events of the second turn alone.
struct Choosy(tokio::sync::mpsc::UnboundedSender<Event>);

impl Plugin for Choosy {
    fn name(&self) -> &'static str {
        "choosy"
    }
    fn wants(&self, hook: HookName) -> bool {
        hook == HookName::OnEvent
    }
    fn wants_event(&self, event: &Event) -> bool {
        matches!(event, Event::TurnStart { turn: 2 })
    }
    fn on_event<'a>(&'a self, event: &'a Arc<Event>, _: &'a Ui) -> BoxFuture<'a, ()> {
        self.0.send(Event::clone(event)).unwrap();
        Box::pin(async {})
    }
}

#[tokio::test]
async fn events_that_a_plugin_does_not_want_crowd_out_none_that_it_wants() {
    let (seen, mut sees) = tokio::sync::mpsc::unbounded_channel();
    let hooks = Hooks::new(vec![Arc::new(Choosy(seen))], HookTimeouts::default(), Ui::declining());
    for turn in [1; 5000].into_iter().chain([2]) {
        hooks.on_event(&Arc::new(Event::TurnStart { turn }));
    }
    assert_eq!(sees.recv().await, Some(Event::TurnStart { turn: 2 }));
}
