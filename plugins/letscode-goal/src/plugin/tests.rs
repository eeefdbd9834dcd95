//! The plugin with the SDK's peer around it, and a script in place of the evaluator.
#![cfg(unix)]

use super::*;
use letscode_plugin::testing::Peer;
use letscode_wire::FromPlugin;
use serde_json::{Value, json};
use std::path::Path;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Longer than anything here takes.
const HANG: Duration = Duration::from_secs(60);

/// A program around the plugin, with a script in place of the evaluator.
struct Around {
    peer: Peer,
    notes: TempDir,
    /// What the agent was asked for, and the answer to `state`.
    asked: Arc<Mutex<Vec<Value>>>,
    state: Arc<Mutex<Value>>,
}

fn idle() -> Value {
    json!({"busy": false, "model": "m", "thinking": "off", "message_count": 1, "steering": 0,
           "follow_ups": 0, "context_tokens": 1, "context_window": null,
           "session": {"id": "s1", "label": null, "path": "p"}})
}

fn around(config: Value, behaviour: &'static str) -> Around {
    let Value::Object(config) = config else { panic!("a table is an object") };
    let notes = tempfile::tempdir().unwrap();
    let folder = notes.path().to_str().unwrap().to_owned();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/evaluator.sh");
    let (asked, state) = (Arc::new(Mutex::new(Vec::new())), Arc::new(Mutex::new(idle())));
    let (noted, told) = (Arc::clone(&asked), Arc::clone(&state));
    let answer = move |line: &FromPlugin| match line {
        FromPlugin::Command { command: Command::State, .. } => Ok(told.lock().unwrap().clone()),
        FromPlugin::Command { command: Command::Messages { last }, .. } => {
            assert_eq!(*last, Some(MESSAGES));
            Ok(json!({"messages": [{"role": "user", "id": "1",
                                    "content": [{"type": "text", "text": "what was said"}]}]}))
        }
        FromPlugin::Command { command, .. } => {
            noted.lock().unwrap().push(serde_json::to_value(command).unwrap());
            Ok(Value::Null)
        }
        FromPlugin::SubagentEnv { .. } => Ok(json!({
            "NOTES": folder, "EVALUATOR": behaviour, "OPENAI_BASE_URL": "http://own/v1",
        })),
        other => Err(format!("not expected: {other:?}")),
    };
    let plugin = plugin(Evaluator::new(script), |_| None);
    let peer = Peer::start_with(plugin, config, answer);
    Around { peer, notes, asked, state }
}

impl Around {
    fn run(&self, arguments: &str) -> RunCommandReply {
        self.peer.run_command("goal", arguments).unwrap()
    }

    /// Ends a turn that would be the last, which the evaluator answers so.
    fn turn(&self, answer: &str) {
        std::fs::write(self.notes.path().join("answer"), answer).unwrap();
        self.peer.tell_last_turn(turn_end()).unwrap();
    }

    fn end_run(&self, aborted: bool) {
        let messages = Vec::new();
        self.peer.tell(Event::AgentEnd { messages, error: None, aborted });
        // Events come in order: it was seen when this one is answered.
        self.peer.tell_last_turn(Event::TurnStart { turn: 1 }).unwrap();
    }

    /// Returns the lines that the user was shown, without those of status.
    fn told(&self) -> Vec<String> {
        let shown = self.peer.shown();
        let texts = shown.iter().filter_map(|line| match serde_json::to_value(line).unwrap() {
            line if line["request"]["kind"] == "notify" => {
                Some(line["request"]["text"].as_str().unwrap().to_owned())
            }
            _ => None,
        });
        texts.collect()
    }

    fn last_status(&self) -> Value {
        let shown = self.peer.shown();
        let mut texts = shown.iter().map(|line| serde_json::to_value(line).unwrap());
        let last = texts.rfind(|line| line["request"]["kind"] == "status");
        last.unwrap()["request"]["text"].clone()
    }

    fn asked(&self) -> Vec<Value> {
        self.asked.lock().unwrap().clone()
    }
}

fn turn_end() -> Event {
    serde_json::from_value(json!({"type": "turn_end", "turn": 1, "tool_results": [],
                                  "message": {"role": "assistant", "id": "2"}}))
    .unwrap()
}

const MISSING: &str = r#"{"done": false, "reason": "two tests fail"}"#;
const DONE: &str = r#"Well: {"done": true, "reason": "all pass"}"#;

#[test]
fn a_goal_is_set_judged_at_each_end_and_over_when_it_is_reached() {
    let around = around(json!({"max_iterations": 5}), "");
    assert!(around.peer.capabilities().holds_end);
    assert_eq!(around.run("").text, "No goal is set; /goal CONDITION sets one.");
    assert_eq!(around.run("clear").text, "No goal is set.");
    // Without a goal nothing is asked.
    around.turn(MISSING);
    let reply = around.run(" all tests pass ");
    assert!(reply.prompt.unwrap().contains("\n\nall tests pass\n\n"));
    around.turn(MISSING);
    let question = std::fs::read_to_string(around.notes.path().join("question")).unwrap();
    assert!(question.contains("<goal>\nall tests pass\n</goal>"), "{question}");
    assert!(question.contains("User:\nwhat was said"), "{question}");
    let [follow_up] = &around.asked()[..] else { panic!("{:?}", around.asked()) };
    assert_eq!(follow_up["cmd"], "follow_up");
    assert!(follow_up["text"].as_str().unwrap().contains("two tests fail"), "{follow_up}");
    assert_eq!(around.last_status(), "goal: round 2 of 5");
    assert!(around.run("").text.contains("Goal: all tests pass\nIn round 2 of 5.\n"));
    around.turn(DONE);
    around.end_run(false);
    let expected = [
        "goal not reached yet (round 1 of 5): two tests fail",
        "goal reached (round 2 of 5): all pass",
    ];
    assert_eq!(around.told(), expected);
    assert_eq!(around.last_status(), Value::Null);
    assert_eq!(around.asked().len(), 1);
    let shown = around.run("").text;
    assert_eq!(shown, "No goal is set. The last one: goal reached (round 2 of 5): all pass");
}

#[test]
fn the_last_round_and_two_failures_in_a_row_end_a_goal() {
    let short = around(json!({"max_iterations": 1}), "");
    short.run("x");
    short.turn(MISSING);
    assert!(
        short.told()[0].ends_with("given up, as that was the last round"),
        "{:?}",
        short.told()
    );
    let failing = around(json!({}), "fails");
    failing.run("x");
    failing.turn("");
    failing.turn("");
    failing.turn("");
    let told = failing.told();
    assert!(
        told[0].ends_with("the evaluator failed: error: no server at http://own/v1"),
        "{told:?}"
    );
    assert!(told[1].ends_with("given up, as it failed twice in a row"), "{told:?}");
    assert_eq!((told.len(), failing.asked().len()), (2, 1));
    let chatty = around(json!({}), "");
    chatty.run("x");
    chatty.turn("I would say yes.");
    assert!(
        chatty.told()[0].contains("gave no verdict: \"I would say yes.\""),
        "{:?}",
        chatty.told()
    );
}

#[test]
fn whoever_stops_the_run_stops_the_goal_and_a_failure_does_not() {
    let around = around(json!({}), "");
    around.end_run(true);
    assert_eq!(around.told(), [""; 0]);
    around.run("x");
    around.end_run(false);
    assert!(around.told()[0].contains("is still set"), "{:?}", around.told());
    assert!(around.run("").text.starts_with("Goal: x"));
    around.end_run(true);
    assert!(around.told()[1].contains("dropped, as the run was stopped"), "{:?}", around.told());
    around.turn(MISSING);
    assert_eq!(around.asked(), [json!(null); 0]);
}

#[test]
fn a_goal_that_is_dropped_while_it_is_judged_ends_the_evaluator() {
    let around = around(json!({}), "hangs");
    around.run("x");
    std::thread::scope(|scope| {
        let turn = scope.spawn(|| around.turn(""));
        let began = Instant::now();
        while !around.notes.path().join("number").exists() {
            assert!(began.elapsed() < HANG, "the evaluator never started");
            std::thread::sleep(Duration::from_millis(5));
        }
        assert!(around.run("clear").text.starts_with("Goal dropped"));
        turn.join().unwrap();
    });
    assert_eq!((around.told().len(), around.asked().len()), (0, 0));
}

#[test]
fn a_goal_that_is_set_while_a_run_is_active_follows_it() {
    let around = around(json!({}), "");
    around.state.lock().unwrap()["busy"] = json!(true);
    assert_eq!(around.run("first").prompt, None);
    let reply = around.run("second");
    assert!(reply.text.ends_with("It takes the place of: first"), "{}", reply.text);
    assert_eq!(around.asked().len(), 2);
    let long = around.peer.run_command("goal", &"x".repeat(MOST_BYTES + 1)).unwrap_err();
    assert!(long.to_string().contains("8192 bytes"), "{long}");
}

#[test]
fn a_goal_of_another_conversation_is_dropped() {
    let around = around(json!({}), "");
    around.run("x");
    around.state.lock().unwrap()["session"]["id"] = json!("s2");
    around.turn(MISSING);
    assert_eq!(around.told(), ["goal dropped: it was set in another conversation"]);
    assert_eq!(around.asked().len(), 0);
}
