//! Plugins that hold the end of a run: what goes on meanwhile, and what ends the wait.

use crate::stage::Setup;
use letscode_core::BoxFuture;
use letscode_core::hooks::{AgentAccess, CustomNote, HookTimeouts, Plugin};
use letscode_core::ui::Ui;
use letscode_testkit::scripted_model::ScriptedAnswer;
use letscode_wire::{Command, Event, HookName, Meta};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::Notify;

/// What a plugin does with the end of a run.
enum Deed {
    /// Goes on with it, so many times.
    FollowsUp(Mutex<u32>),
    /// Waits for a word, the first time.
    Waits(Arc<Notify>, AtomicBool),
    /// Never lets go.
    Hangs,
    Panics,
}

struct Holder {
    deed: Deed,
    agent: AgentAccess,
    seen: Arc<Mutex<Vec<String>>>,
    reached: Arc<Notify>,
    was_dropped: Arc<AtomicBool>,
}

struct Dropped(Arc<AtomicBool>);

impl Drop for Dropped {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl Holder {
    fn new(setup: &Setup, deed: Deed) -> Self {
        Self {
            deed,
            agent: setup.access(),
            seen: Arc::default(),
            reached: Arc::default(),
            was_dropped: Arc::default(),
        }
    }

    async fn follow_up(&self, left: &Mutex<u32>) {
        let number = *left.lock().unwrap();
        if number == 0 {
            return;
        }
        *left.lock().unwrap() -= 1;
        let state = self.agent.run(Command::State).await.unwrap();
        assert_eq!(state["busy"], true);
        let prompt = Command::Prompt { text: "no".to_owned(), images: vec![], expand: false };
        assert!(self.agent.run(prompt).await.is_err(), "a run is active");
        let (payload, meta) = (serde_json::Map::new(), Meta::new());
        self.agent.save(CustomNote { kind: "goal".to_owned(), payload, meta }).await.unwrap();
        let text = format!("{number} more");
        self.agent.run(Command::FollowUp { text, expand: false }).await.unwrap();
    }
}

impl Plugin for Holder {
    fn name(&self) -> &'static str {
        "holder"
    }

    fn wants(&self, hook: HookName) -> bool {
        hook == HookName::OnEvent
    }

    fn holds_end(&self) -> bool {
        true
    }

    fn on_event<'a>(&'a self, event: &'a Arc<Event>, _ui: &'a Ui) -> BoxFuture<'a, ()> {
        self.seen.lock().unwrap().push(event.name().to_owned());
        Box::pin(std::future::ready(()))
    }

    fn before_end<'a>(&'a self, event: &'a Arc<Event>, _ui: &'a Ui) -> BoxFuture<'a, ()> {
        Box::pin(async move {
            self.seen.lock().unwrap().push(format!("last {}", event.name()));
            self.reached.notify_one();
            match &self.deed {
                Deed::FollowsUp(left) => self.follow_up(left).await,
                Deed::Waits(word, has_waited) => {
                    if !has_waited.swap(true, Ordering::Relaxed) {
                        word.notified().await;
                    }
                }
                Deed::Hangs => {
                    let _dropped = Dropped(Arc::clone(&self.was_dropped));
                    std::future::pending::<()>().await;
                }
                Deed::Panics => panic!("a plugin's own fault"),
            }
        })
    }
}

fn answers(texts: &[&str]) -> Vec<ScriptedAnswer> {
    texts.iter().map(|text| ScriptedAnswer::of_text(text)).collect()
}

const TURN: [&str; 4] = ["turn_", "agent_", "notice", "message_end user"];

#[tokio::test]
async fn a_plugin_goes_on_with_a_run_twice_though_nobody_can_send_commands_any_more() {
    let setup = Setup::new(answers(&["one", "two", "three"]));
    let holder = Holder::new(&setup, Deed::FollowsUp(Mutex::new(2)));
    let seen = Arc::clone(&holder.seen);
    let mut stage = setup.plugin(holder).start();
    stage.prompt("go");
    stage.agent.shut_down();
    stage.until("done \"p\"").await;
    assert_eq!(
        stage.take_only(&TURN),
        [
            "agent_start 1",
            "turn_start 1",
            r#"message_end user "go""#,
            "turn_end 1 results=0",
            "turn_start 2",
            r#"message_end user "2 more""#,
            "turn_end 2 results=0",
            "turn_start 3",
            r#"message_end user "1 more""#,
            "turn_end 3 results=0",
            "agent_end 8",
        ]
    );
    let seen = seen.lock().unwrap().clone();
    let last = seen.iter().position(|name| name == "last turn_end").unwrap();
    assert_eq!(seen[last - 1], "message_end", "events before it come first: {seen:?}");
    assert!(!seen.contains(&"turn_end".to_owned()), "it comes once: {seen:?}");
    stage.end().await;
}

#[tokio::test(start_paused = true)]
async fn a_plugin_that_never_lets_go_costs_its_limit_and_a_line() {
    let setup = Setup::new(answers(&["one"]));
    let holder = Holder::new(&setup, Deed::Hangs);
    let was_dropped = Arc::clone(&holder.was_dropped);
    let limits = HookTimeouts { turn_end: Duration::from_secs(7), ..HookTimeouts::default() };
    let mut stage = setup.plugin(holder).timeouts(limits).start();
    let began = tokio::time::Instant::now();
    // The line may come behind the end.
    stage.prompt("go");
    stage.until("notice").await;
    stage.settle().await;
    let lines = stage.take_only(&["notice", "agent_end"]);
    assert!(lines.contains(&"agent_end 2".to_owned()), "{lines:?}");
    let line = "plugin holder: no answer to turn_end within 7 s; the run ends without it";
    assert!(lines.iter().any(|known| known.contains(line)), "{lines:?}");
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert_eq!(began.elapsed().as_secs(), 7);
    assert!(was_dropped.load(Ordering::Relaxed), "its work goes on");
    stage.end().await;
}

#[tokio::test]
async fn a_plugin_that_panics_lets_go() {
    let setup = Setup::new(answers(&["one", "two"]));
    let holder = Holder::new(&setup, Deed::Panics);
    let mut stage = setup.plugin(holder).start();
    stage.run("go").await;
    assert!(stage.take_lines().contains(&"agent_end 2".to_owned()));
    stage.run("on").await;
    assert!(stage.take_lines().contains(&"agent_end 4".to_owned()));
    stage.end().await;
}

#[tokio::test(start_paused = true)]
async fn an_abort_ends_the_wait_and_the_plugins_work_at_once() {
    let setup = Setup::new(answers(&["one", "two"]));
    let holder = Holder::new(&setup, Deed::Hangs);
    let (reached, was_dropped) = (Arc::clone(&holder.reached), Arc::clone(&holder.was_dropped));
    let mut stage = setup.plugin(holder).start();
    let began = tokio::time::Instant::now();
    stage.prompt("go");
    reached.notified().await;
    assert!(stage.agent.status().busy);
    stage.agent.abort();
    stage.until("done \"p\"").await;
    assert_eq!(stage.take_only(&["agent_end"]), ["agent_end 2 aborted"]);
    stage.settle().await;
    assert!(!stage.agent.status().busy);
    // With paused time this returns once all other tasks have nothing left to do.
    tokio::time::sleep(Duration::from_millis(1)).await;
    assert!(was_dropped.load(Ordering::Relaxed), "its work goes on");
    assert!(began.elapsed() < Duration::from_secs(1));
    // The next run is held anew: what the abort stopped does not let go of it.
    stage.prompt("again");
    reached.notified().await;
    assert!(stage.agent.status().busy);
    stage.agent.abort();
    stage.until("done \"p\"").await;
    stage.end().await;
}

#[tokio::test]
async fn what_the_user_says_while_a_plugin_holds_the_end_goes_on_with_the_run() {
    let setup = Setup::new(answers(&["one", "two"]));
    let word = Arc::new(Notify::new());
    let holder = Holder::new(&setup, Deed::Waits(Arc::clone(&word), AtomicBool::new(false)));
    let reached = Arc::clone(&holder.reached);
    let mut stage = setup.plugin(holder).start();
    stage.prompt("go");
    reached.notified().await;
    stage.steer("left");
    stage.settle().await;
    assert!(stage.agent.status().busy);
    word.notify_one();
    stage.until("done \"p\"").await;
    assert!(stage.conversation().contains(&r#"user "left""#.to_owned()));
    stage.end().await;
}
