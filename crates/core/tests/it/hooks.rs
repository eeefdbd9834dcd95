//! Plugins inside a run.

use crate::stage::{Setup, TestTool, messages, output};
use letscode_core::BoxFuture;
use letscode_core::hooks::Plugin;
use letscode_core::ui::Ui;
use letscode_testkit::scripted_model::ScriptedAnswer;
use letscode_wire::{
    AfterToolCall, AfterToolCallReply, BeforeToolCall, BeforeToolCallReply, ContentPart,
    CustomMessage, Event, HookName, Message, Meta, Transcript, UserMessage,
};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::time::Instant;

type Hook<Asked, Answer> = Option<Box<dyn Fn(&Asked) -> Answer + Send + Sync>>;

/// A plugin of functions; those that are not set are not asked for.
#[derive(Default)]
struct TestPlugin {
    hooks: Vec<HookName>,
    guards: bool,
    before: Hook<BeforeToolCall, BeforeToolCallReply>,
    after: Hook<AfterToolCall, AfterToolCallReply>,
    transform: Hook<Transcript, Transcript>,
    convert: Hook<Transcript, Transcript>,
    render: Hook<CustomMessage, Option<Message>>,
    events: Arc<Mutex<Vec<Arc<Event>>>>,
}

impl TestPlugin {
    fn of(hook: HookName) -> Self {
        Self { hooks: vec![hook], ..Self::default() }
    }
}

/// Answers at once, or never where the test gave no function.
fn answer<'a, T: Send + 'a>(value: Option<T>) -> BoxFuture<'a, T> {
    match value {
        Some(value) => Box::pin(std::future::ready(value)),
        None => Box::pin(std::future::pending()),
    }
}

impl Plugin for TestPlugin {
    fn name(&self) -> &'static str {
        "test"
    }

    fn wants(&self, hook: HookName) -> bool {
        self.hooks.contains(&hook)
    }

    fn fail_closed(&self) -> bool {
        self.guards
    }

    fn before_tool_call<'a>(
        &'a self,
        context: &'a BeforeToolCall,
        _ui: &'a Ui,
    ) -> BoxFuture<'a, BeforeToolCallReply> {
        answer(self.before.as_ref().map(|before| before(context)))
    }

    fn after_tool_call<'a>(
        &'a self,
        context: &'a AfterToolCall,
        _ui: &'a Ui,
    ) -> BoxFuture<'a, AfterToolCallReply> {
        answer(self.after.as_ref().map(|after| after(context)))
    }

    fn transform_context<'a>(
        &'a self,
        messages: &'a Transcript,
        _ui: &'a Ui,
    ) -> BoxFuture<'a, Option<Transcript>> {
        answer(self.transform.as_ref().map(|transform| Some(transform(messages))))
    }

    fn convert_to_llm<'a>(
        &'a self,
        messages: &'a Transcript,
        _ui: &'a Ui,
    ) -> BoxFuture<'a, Option<Transcript>> {
        answer(self.convert.as_ref().map(|convert| Some(convert(messages))))
    }

    fn render_custom_message<'a>(
        &'a self,
        message: &'a CustomMessage,
        _ui: &'a Ui,
    ) -> BoxFuture<'a, Option<Message>> {
        answer(self.render.as_ref().map(|render| render(message)))
    }

    fn on_event<'a>(&'a self, event: &'a Arc<Event>, _ui: &'a Ui) -> BoxFuture<'a, ()> {
        self.events.lock().unwrap().push(Arc::clone(event));
        answer(Some(()))
    }
}

/// A tool that gives its arguments back.
fn echo() -> TestTool {
    TestTool::new("echo", async |arguments, _| Ok(output(&Value::Object(arguments).to_string())))
}

fn call() -> [ScriptedAnswer; 2] {
    let call = ScriptedAnswer::new().tool_call("c", "echo", json!({"a": 1}));
    [call, ScriptedAnswer::of_text("ok")]
}

#[tokio::test]
async fn a_block_tells_the_model_why() {
    let mut plugin = TestPlugin::of(HookName::BeforeToolCall);
    plugin.before = Some(Box::new(|_| BeforeToolCallReply {
        block: Some("not on a Sunday".to_owned()),
        arguments: None,
    }));
    let mut stage = Setup::new(call()).tool(echo()).plugin(plugin).start();
    stage.run("go").await;
    assert_eq!(
        stage.take_only(&["tool_start", "tool_end", "message_end error"]),
        ["tool_start c echo", "tool_end c", r#"message_end error c "Blocked: not on a Sunday""#]
    );
    stage.end().await;
}

#[tokio::test]
async fn rewritten_arguments_run_and_the_start_shows_the_models_own() {
    let mut plugin = TestPlugin::of(HookName::BeforeToolCall);
    plugin.before = Some(Box::new(|context| {
        let mut arguments = context.tool_call.arguments.clone();
        arguments.insert("a".to_owned(), json!(2));
        BeforeToolCallReply { block: None, arguments: Some(arguments) }
    }));
    let mut stage = Setup::new(call()).tool(echo()).plugin(plugin).start();
    stage.run("go").await;
    let starts: Vec<Value> = stage
        .heard
        .iter()
        .filter_map(|output| match output {
            letscode_core::agent::Output::Event(event) => serde_json::to_value(event).ok(),
            _ => None,
        })
        .filter(|event| event["type"] == "tool_execution_start")
        .collect();
    assert_eq!(starts[0]["arguments"], json!({"a": 1}));
    assert_eq!(stage.take_only(&["message_end result"]), [r#"message_end result c "{\"a\":2}""#]);
    stage.end().await;
}

#[tokio::test]
async fn a_result_is_overridden_field_by_field_and_may_end_the_run() {
    let mut later = TestPlugin::of(HookName::AfterToolCall);
    later.after = Some(Box::new(|_| AfterToolCallReply {
        content: Some(vec![ContentPart::text("other")]),
        is_error: Some(true),
        ..AfterToolCallReply::default()
    }));
    let mut ends = TestPlugin::of(HookName::AfterToolCall);
    ends.after = Some(Box::new(|_| AfterToolCallReply {
        terminate: Some(true),
        ..AfterToolCallReply::default()
    }));
    let [call, _] = call();
    let mut stage = Setup::new([call]).tool(echo()).plugin(later).plugin(ends).start();
    stage.run("go").await;
    assert_eq!(
        stage.take_only(&["message_end error", "turn_", "agent_end"]),
        ["turn_start 1", r#"message_end error c "other""#, "turn_end 1 results=1", "agent_end 3",]
    );
    stage.model.push(ScriptedAnswer::of_text("after"));
    stage.run("next").await;
    stage.end().await;
}

#[tokio::test]
async fn transform_convert_and_render_shape_requests_and_not_the_transcript() {
    let custom = Message::Custom(CustomMessage {
        id: "x".into(),
        kind: "weather".to_owned(),
        payload: Meta::new(),
        timestamp: 0.0,
        meta: Meta::new(),
    });
    let said = |text: &str| {
        Message::User(UserMessage {
            id: "u".into(),
            content: vec![ContentPart::text(text)],
            timestamp: 0.0,
            meta: Meta::new(),
        })
    };
    let mut transform = TestPlugin::of(HookName::TransformContext);
    let added = Arc::new(said("added"));
    transform.transform = Some(Box::new(move |messages| {
        messages.iter().cloned().chain([Arc::clone(&added)]).collect()
    }));
    let mut render = TestPlugin::of(HookName::RenderCustomMessage);
    let rain = said("it rains");
    render.render = Some(Box::new(move |custom| (custom.kind == "weather").then(|| rain.clone())));
    let mut stage = Setup::new([ScriptedAnswer::of_text("ok")])
        .plugin(transform)
        .plugin(render)
        .transcript(vec![Arc::new(custom)])
        .start();
    stage.run("hi").await;
    assert_eq!(stage.request(0), [r#"user "it rains""#, r#"user "hi""#, r#"user "added""#]);
    assert_eq!(stage.conversation(), ["weather", r#"user "hi""#, r#"assistant "ok" calls="#]);
    stage.end().await;
}

#[tokio::test]
async fn a_conversion_replaces_all_of_it() {
    let mut convert = TestPlugin::of(HookName::ConvertToLlm);
    convert.convert = Some(Box::new(|given| {
        let text = messages(given).join("; ");
        vec![Arc::new(Message::User(UserMessage {
            id: "u".into(),
            content: vec![ContentPart::text(text)],
            timestamp: 0.0,
            meta: Meta::new(),
        }))]
    }));
    let mut stage = Setup::new([ScriptedAnswer::of_text("ok")]).plugin(convert).start();
    stage.run("hi").await;
    assert_eq!(stage.request(0), [r#"user "user \"hi\"""#]);
    stage.end().await;
}

#[tokio::test(start_paused = true)]
async fn a_guard_that_hangs_blocks_the_call_and_is_reported() {
    let plugin = TestPlugin { guards: true, ..TestPlugin::of(HookName::BeforeToolCall) };
    let mut stage = Setup::new(call()).tool(echo()).plugin(plugin).start();
    stage.run("go").await;
    let lines = stage.take_only(&["message_end error", "notice", "agent_end"]);
    assert_eq!(lines.len(), 3, "{lines:?}");
    assert!(lines.iter().any(|line| line.contains("the guard test cannot judge this call")));
    assert!(lines.iter().any(|line| line.starts_with("notice guard test: no answer")));
    stage.end().await;
}

#[tokio::test(start_paused = true)]
async fn an_abort_does_not_wait_for_hooks_that_hang() {
    for hook in [HookName::BeforeToolCall, HookName::AfterToolCall, HookName::TransformContext] {
        let [call, _] = call();
        let answers = if hook == HookName::TransformContext { vec![] } else { vec![call] };
        let mut stage = Setup::new(answers).tool(echo()).plugin(TestPlugin::of(hook)).start();
        stage.prompt("go");
        let sign = if hook == HookName::TransformContext { "message_end" } else { "tool_start" };
        stage.until(sign).await;
        for _ in 0..50 {
            tokio::task::yield_now().await;
        }
        let began = Instant::now();
        stage.agent.abort();
        stage.until("agent_end").await;
        assert!(began.elapsed() <= Duration::from_secs(5), "{hook:?}: {:?}", began.elapsed());
        stage.end().await;
    }
}

#[tokio::test]
async fn events_reach_plugins_in_order() {
    let plugin = TestPlugin::of(HookName::OnEvent);
    let seen = Arc::clone(&plugin.events);
    let mut stage = Setup::new(call()).tool(echo()).plugin(plugin).start();
    stage.run("go").await;
    let heard: Vec<Arc<Event>> = stage
        .heard
        .iter()
        .filter_map(|output| match output {
            letscode_core::agent::Output::Event(event) => Some(Arc::clone(event)),
            _ => None,
        })
        .collect();
    while seen.lock().unwrap().len() < heard.len() {
        tokio::task::yield_now().await;
    }
    assert_eq!(*seen.lock().unwrap(), heard);
    stage.end().await;
}
