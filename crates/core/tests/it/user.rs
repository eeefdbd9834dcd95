//! Tools and plugins that show the user something, or ask.

use crate::stage::{Setup, Stage, TestTool, output};
use letscode_core::BoxFuture;
use letscode_core::hooks::{HookTimeouts, Plugin};
use letscode_core::tools::ToolContext;
use letscode_core::ui::Ui;
use letscode_testkit::scripted_model::ScriptedAnswer;
use letscode_wire::{
    BeforeToolCall, BeforeToolCallReply, Command, Event, HookName, UiLevel, UiRequest,
};
use serde_json::{Value, json};
use std::future::pending;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::time::sleep;

/// Lines that tell of the user.
const UI: [&str; 3] = ["ui", "notice", "refused"];

/// A tool that asks yes or no and tells what it heard.
fn asker() -> TestTool {
    TestTool::new("ask", async |_, context: ToolContext| {
        let answer = context.ui.confirm("Ask", "sure?").await;
        Ok(output(&format!("{answer:?}")))
    })
}

fn one_call() -> [ScriptedAnswer; 2] {
    [ScriptedAnswer::new().tool_call("c", "ask", json!({})), ScriptedAnswer::of_text("ok")]
}

fn hello(stage: &Stage, ui: Option<bool>) {
    stage.send("h", Command::Hello { protocol: None, updates: None, ui });
}

fn answer(stage: &Stage, question: &str, value: Option<Value>) {
    stage.send("a", Command::UiResponse { request_id: question.into(), value });
}

/// Returns the result of the only call.
fn result(stage: &mut Stage) -> String {
    let lines = stage.take_only(&["message_end result", "message_end error"]);
    let [line] = &lines[..] else { panic!("one result: {lines:?}") };
    line.clone()
}

#[tokio::test]
async fn a_question_goes_to_a_client_that_answers_and_its_answer_to_the_tool() {
    let mut stage = Setup::new(one_call()).tool(asker()).start();
    hello(&stage, Some(true));
    stage.prompt("go");
    assert_eq!(stage.until("ui").await, r#"ui ui1 confirm "Ask" "sure?""#);
    answer(&stage, "ui1", Some(json!(true)));
    stage.until("done \"p\"").await;
    assert_eq!(result(&mut stage), r#"message_end result c "Some(true)""#);
    stage.end().await;
}

#[tokio::test]
async fn the_user_may_decline() {
    let mut stage = Setup::new(one_call()).tool(asker()).start();
    hello(&stage, Some(true));
    stage.prompt("go");
    stage.until("ui").await;
    answer(&stage, "ui1", None);
    stage.until("done \"p\"").await;
    assert_eq!(result(&mut stage), r#"message_end result c "None""#);
    stage.end().await;
}

#[tokio::test]
async fn without_a_client_that_answers_questions_are_declined_at_once() {
    for ui in [None, Some(false)] {
        let mut stage = Setup::new(one_call()).tool(asker()).start();
        hello(&stage, ui);
        stage.run("go").await;
        let lines = stage.take_lines();
        assert!(lines.iter().any(|line| line == r#"message_end result c "None""#), "{lines:?}");
        assert!(!lines.iter().any(|line| line.starts_with("ui")), "{lines:?}");
        stage.end().await;
    }
}

#[tokio::test]
async fn a_client_that_answers_no_more_leaves_no_question_open() {
    let mut stage = Setup::new(one_call()).tool(asker()).start();
    hello(&stage, Some(true));
    stage.prompt("go");
    stage.until("ui").await;
    // Nothing said is nothing changed.
    hello(&stage, None);
    stage.settle().await;
    assert_eq!(stage.take_only(&["ui_withdrawn"]), [""; 0]);
    hello(&stage, Some(false));
    stage.until("done \"p\"").await;
    assert_eq!(
        stage.take_only(&["ui", "message_end result"]),
        ["ui_withdrawn ui1", r#"message_end result c "None""#]
    );
    stage.end().await;
}

#[tokio::test]
async fn a_shut_down_leaves_no_question_open() {
    let mut stage = Setup::new(one_call()).tool(asker()).start();
    hello(&stage, Some(true));
    stage.prompt("go");
    stage.until("ui").await;
    stage.agent.shut_down();
    stage.until("done \"p\"").await;
    assert_eq!(
        stage.take_only(&["ui_withdrawn", "message_end result"]),
        ["ui_withdrawn ui1", r#"message_end result c "None""#]
    );
    stage.end().await;
}

#[tokio::test]
async fn answers_that_fit_no_open_question_are_refused_and_change_nothing() {
    let mut stage = Setup::new(one_call()).tool(asker()).start();
    hello(&stage, Some(true));
    stage.prompt("go");
    stage.until("ui").await;
    for (question, value) in [("ui2", json!(true)), ("", json!(null)), ("ui1", json!("yes"))] {
        answer(&stage, question, Some(value));
    }
    answer(&stage, "ui1", Some(json!(false)));
    answer(&stage, "ui1", Some(json!(true)));
    stage.until("done \"p\"").await;
    stage.settle().await;
    let lines = stage.take_only(&["refused", "message_end result"]);
    let [unknown, empty, misfit, settled, result] = &lines[..] else { panic!("{lines:?}") };
    for (line, words) in [
        (unknown, "no question \"ui2\" is open"),
        (empty, "no question \"\" is open"),
        (misfit, "the answer to ui1 must be true or false"),
        (settled, "no question \"ui1\" is open"),
    ] {
        assert!(line.starts_with("refused \"a\" ") && line.contains(words), "{line}");
    }
    assert_eq!(result, r#"message_end result c "Some(false)""#);
    stage.end().await;
}

#[tokio::test]
async fn an_abort_takes_the_question_back_and_asks_no_other() {
    // Asks again and again, whatever it hears.
    let stubborn = TestTool::new("ask", async |_, context: ToolContext| {
        for _ in 0..10 {
            context.ui.confirm("", "now?").await;
        }
        Ok(output("gave up"))
    });
    let [call, _] = one_call();
    let mut stage = Setup::new([call]).tool(stubborn).start();
    hello(&stage, Some(true));
    stage.prompt("go");
    stage.until("ui").await;
    stage.agent.abort();
    stage.until("done \"p\"").await;
    assert_eq!(
        stage.take_only(&["ui", "tool_end", "agent_end"]),
        [r#"ui ui1 confirm "" "now?""#, "ui_withdrawn ui1", "tool_end c", "agent_end 4 aborted"]
    );
    // The next run may ask.
    for answer in one_call() {
        stage.model.push(answer);
    }
    stage.prompt("again");
    assert_eq!(stage.until("ui").await, r#"ui ui2 confirm "" "now?""#);
    stage.agent.abort();
    stage.until("done \"p\"").await;
    stage.agent.shut_down();
}

#[tokio::test(start_paused = true)]
async fn whoever_gives_up_takes_the_question_back() {
    let hasty = TestTool::new("ask", async |_, context: ToolContext| {
        let question = context.ui.confirm("", "quick?");
        let answer = tokio::time::timeout(Duration::from_secs(5), question).await;
        Ok(output(if answer.is_err() { "too late" } else { "in time" }))
    });
    let mut stage = Setup::new(one_call()).tool(hasty).start();
    hello(&stage, Some(true));
    stage.run("go").await;
    answer(&stage, "ui1", Some(json!(true)));
    stage.settle().await;
    let lines = stage.take_only(&["ui", "message_end result", "refused"]);
    assert_eq!(
        lines[..3],
        [r#"ui ui1 confirm "" "quick?""#, "ui_withdrawn ui1", r#"message_end result c "too late""#]
    );
    assert_eq!(lines.len(), 4, "{lines:?}");
    stage.end().await;
}

#[tokio::test]
async fn notices_and_status_come_before_the_end_of_their_call() {
    let shower = || {
        TestTool::new("ask", async |_, context: ToolContext| {
            context.ui.status("step", Some("half".to_owned()));
            context.ui.notify("odd", UiLevel::Warning);
            context.ui.status("step", None);
            Ok(output("done"))
        })
    };
    let ends = ["ui", "notice", "tool_end"];
    let mut stage = Setup::new(one_call()).tool(shower()).start();
    hello(&stage, Some(true));
    stage.run("go").await;
    assert_eq!(
        stage.take_only(&ends),
        [
            r#"ui ui1 status step Some("half")"#,
            r#"ui ui2 notify Warning "odd""#,
            "ui ui3 status step None",
            "tool_end c"
        ]
    );
    stage.end().await;
    // Where nobody answers, a notice goes where notices go.
    let mut stage = Setup::new(one_call()).tool(shower()).start();
    stage.run("go").await;
    assert_eq!(stage.take_only(&ends), ["notice odd", "tool_end c"]);
    stage.end().await;
}

#[tokio::test]
async fn a50_a_key_in_a_question_is_masked() {
    let key = "sk-0123456789";
    let setup = Setup::new([]).key(key);
    let ui = setup.ui();
    let mut stage = setup.start();
    ui.notify(format!("a {key}"), UiLevel::Info);
    stage.until("notice").await;
    hello(&stage, Some(true));
    stage.settle().await;
    ui.notify(format!("b {key}"), UiLevel::Info);
    let options = vec![key.to_owned(), "other".to_owned()];
    let asking = ui.select(format!("c {key}"), options);
    let answering = async {
        stage.until("ui ui2").await;
        answer(&stage, "ui2", Some(json!(0)));
        stage.until("done \"a\"").await;
    };
    let (chosen, ()) = tokio::join!(asking, answering);
    assert_eq!(chosen, Some(0));
    assert_eq!(
        stage.take_only(&UI),
        [
            "notice a [key hidden]",
            r#"ui ui1 notify Info "b [key hidden]""#,
            r#"ui ui2 select "c [key hidden]" [key hidden],other"#
        ]
    );
    stage.end().await;
}

/// A guard that asks the user about every call, and hears events.
struct Guard {
    hooks: Vec<HookName>,
    /// What it does after the answer, or in its place.
    behaviour: Behaviour,
    events: Arc<Mutex<Vec<Arc<Event>>>>,
}

#[derive(Clone, Copy)]
enum Behaviour {
    Asks,
    AsksAndHangs,
}

impl Guard {
    fn new(behaviour: Behaviour) -> Self {
        let hooks = vec![HookName::BeforeToolCall, HookName::OnEvent];
        Self { hooks, behaviour, events: Arc::default() }
    }
}

impl Plugin for Guard {
    fn name(&self) -> &'static str {
        "guard"
    }

    fn wants(&self, hook: HookName) -> bool {
        self.hooks.contains(&hook)
    }

    fn fail_closed(&self) -> bool {
        true
    }

    fn before_tool_call<'a>(
        &'a self,
        context: &'a BeforeToolCall,
        ui: &'a Ui,
    ) -> BoxFuture<'a, BeforeToolCallReply> {
        Box::pin(async move {
            let question = format!("run {}?", context.tool_call.name);
            let answer = ui.confirm("Guard", question).await;
            if matches!(self.behaviour, Behaviour::AsksAndHangs) {
                pending::<()>().await;
            }
            let block = (answer != Some(true)).then(|| format!("the user said {answer:?}"));
            BeforeToolCallReply { block, arguments: None }
        })
    }

    fn on_event<'a>(&'a self, event: &'a Arc<Event>, _ui: &'a Ui) -> BoxFuture<'a, ()> {
        self.events.lock().unwrap().push(Arc::clone(event));
        Box::pin(std::future::ready(()))
    }
}

fn short() -> HookTimeouts {
    HookTimeouts { default: Duration::from_secs(2), ..HookTimeouts::default() }
}

fn echo() -> TestTool {
    TestTool::new("ask", async |_, _| Ok(output("ran")))
}

#[tokio::test(start_paused = true)]
async fn the_clock_of_a_hook_stands_still_while_the_user_thinks() {
    for (value, expected) in [
        (json!(true), r#"message_end result c "ran""#),
        (json!(false), r#"message_end error c "Blocked: the user said Some(false)""#),
        (json!(null), r#"message_end error c "Blocked: the user said None""#),
    ] {
        let guard = Guard::new(Behaviour::Asks);
        let events = Arc::clone(&guard.events);
        let mut stage = Setup::new(one_call()).tool(echo()).plugin(guard).timeouts(short()).start();
        hello(&stage, Some(true));
        stage.prompt("go");
        assert_eq!(stage.until("ui").await, r#"ui ui1 confirm "Guard" "run ask?""#);
        sleep(Duration::from_secs(3600)).await;
        answer(&stage, "ui1", Some(value));
        stage.until("done \"p\"").await;
        assert_eq!(
            stage.take_only(&["message_end result", "message_end error", "notice"]),
            [expected]
        );
        // No plugin hears of questions.
        let asks = |event: &Arc<Event>| matches!(**event, Event::UiRequest { .. });
        assert!(!events.lock().unwrap().iter().any(asks));
        stage.end().await;
    }
}

#[tokio::test(start_paused = true)]
async fn the_clock_goes_on_after_the_answer() {
    let guard = Guard::new(Behaviour::AsksAndHangs);
    let mut stage = Setup::new(one_call()).tool(echo()).plugin(guard).timeouts(short()).start();
    hello(&stage, Some(true));
    stage.prompt("go");
    stage.until("ui").await;
    sleep(Duration::from_secs(3600)).await;
    answer(&stage, "ui1", Some(json!(true)));
    stage.until("done \"p\"").await;
    let lines = stage.take_only(&["message_end error", "notice"]);
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert!(lines.iter().any(|line| line.contains("no answer to before_tool_call within 2 s")));
    assert!(lines.iter().any(|line| line.contains("cannot judge this call")));
    stage.end().await;
}

#[tokio::test(start_paused = true)]
async fn an_abort_ends_a_hook_that_asks() {
    let [call, _] = one_call();
    let guard = Guard::new(Behaviour::AsksAndHangs);
    let mut stage = Setup::new([call]).tool(echo()).plugin(guard).timeouts(short()).start();
    hello(&stage, Some(true));
    stage.prompt("go");
    stage.until("ui").await;
    stage.agent.abort();
    stage.until("done \"p\"").await;
    assert_eq!(
        stage.take_only(&["ui", "agent_end"]),
        [r#"ui ui1 confirm "Guard" "run ask?""#, "ui_withdrawn ui1", "agent_end 4 aborted"]
    );
    stage.end().await;
}

#[tokio::test]
async fn questions_may_come_outside_of_runs_and_several_at_once() {
    let setup = Setup::new([]);
    let ui = setup.ui();
    let mut stage = setup.start();
    hello(&stage, Some(true));
    stage.settle().await;
    let name = UiRequest::Input { text: "name?".to_owned(), placeholder: None, default: None };
    let answering = async {
        stage.until("ui ui2").await;
        answer(&stage, "ui2", Some(json!("second")));
        answer(&stage, "ui1", Some(json!("first")));
        stage.settle().await;
    };
    let (first, second, ()) = tokio::join!(ui.ask(name.clone()), ui.ask(name), answering);
    assert_eq!((first, second), (Some(json!("first")), Some(json!("second"))));
    stage.end().await;
}
