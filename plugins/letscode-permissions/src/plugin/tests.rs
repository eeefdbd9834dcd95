//! Tests of the whole plugin, spoken to as the program does.

use super::*;
use letscode_plugin::ToolCall;
use letscode_plugin::testing::Peer;
use letscode_wire::{FromPlugin, UiRequest};
use std::path::Path;
use std::sync::Mutex;

/// A user who gives these answers, and notes what was asked.
struct Stage {
    home: tempfile::TempDir,
    peer: Option<Peer>,
    asked: Arc<Mutex<Vec<UiRequest>>>,
}

fn stage(config: &Value, answers: &[Value]) -> Stage {
    on(tempfile::tempdir().unwrap(), config, answers)
}

fn on(home: tempfile::TempDir, config: &Value, answers: &[Value]) -> Stage {
    let asked = Arc::new(Mutex::new(Vec::new()));
    let answers = Mutex::new(Vec::from(answers).into_iter());
    let noted = Arc::clone(&asked);
    let answer = move |line: &FromPlugin| {
        if let FromPlugin::Ui { request, .. } = line {
            noted.lock().unwrap().push(request.clone());
        }
        Ok(answers.lock().unwrap().next().unwrap_or_default())
    };
    let plugin = plugin(Some(home.path().to_owned()), home.path().join("tmp"));
    let config = config.as_object().cloned().unwrap();
    let peer = Some(Peer::start_with(plugin, config, answer));
    Stage { home, peer, asked }
}

impl Stage {
    fn peer(&self) -> &Peer {
        self.peer.as_ref().unwrap()
    }

    /// Returns why a call must not run; `None` where it may.
    fn block(&self, tool: &str, arguments: Value) -> Option<String> {
        let arguments = arguments.as_object().cloned().unwrap();
        let call = ToolCall { id: "c".into(), name: tool.to_owned(), arguments };
        let reply = self.peer().before_tool_call(call).unwrap();
        assert_eq!(reply.arguments, None);
        reply.block
    }

    fn bash(&self, command: &str) -> Option<String> {
        self.block("bash", json!({"command": command}))
    }

    fn questions(&self) -> usize {
        self.asked.lock().unwrap().len()
    }

    fn shown(&self) -> Vec<String> {
        let shown = self.peer().shown().into_iter();
        shown
            .filter_map(|line| match line {
                FromPlugin::Ui { request: UiRequest::Notify { text, .. }, .. } => Some(text),
                _ => None,
            })
            .collect()
    }

    fn file(&self) -> PathBuf {
        self.home.path().join(".letscode/permissions.toml")
    }

    /// Ends the plugin and starts it again in the same home.
    fn again(mut self, config: &Value, answers: &[Value]) -> Self {
        self.peer.take().unwrap().goodbye();
        on(self.home, config, answers)
    }
}

#[test]
fn it_is_a_guard_and_reading_the_project_asks_nothing() {
    let stage = stage(&json!({}), &[]);
    assert!(stage.peer().capabilities().fail_closed);
    assert_eq!(stage.block("read", json!({"path": "src/a"})), None);
    assert_eq!(stage.questions(), 0);
}

#[test]
fn each_answer_does_what_it_says() {
    let once = stage(&json!({}), &[json!(0), json!(3)]);
    assert_eq!(once.bash("cargo test a"), None);
    assert!(once.bash("cargo test a").unwrap().contains("the user refused it"));
    assert!(once.bash("cargo test a").unwrap().contains("refused exactly this before"));
    assert_eq!(once.questions(), 2);

    let session = stage(&json!({}), &[json!(1)]);
    assert_eq!(session.bash("cargo test a"), None);
    assert_eq!(session.bash("cargo test b"), None);
    assert_eq!(session.questions(), 1);
    assert!(!session.file().exists());
    let session = session.again(&json!({}), &[]);
    assert!(session.bash("cargo test a").is_some(), "the session is over");

    let always = stage(&json!({}), &[json!(2)]);
    assert_eq!(always.bash("cargo test a"), None);
    let text = std::fs::read_to_string(always.file()).unwrap();
    assert_eq!(text, "[\"/project\"]\nallow = [\"bash:cargo test *\"]\n");
    let always = always.again(&json!({}), &[]);
    assert_eq!(always.bash("cargo test b"), None);
    assert_eq!(always.questions(), 0);
    let denied = always.again(&json!({"deny": ["bash:cargo test *"]}), &[]);
    assert!(denied.bash("cargo test b").unwrap().contains("deny bash:cargo test *"));

    let because = stage(&json!({}), &[json!(4), json!(" use make ")]);
    assert_eq!(because.bash("ls").unwrap(), "the user refused it and says: use make");
    let because = stage(&json!({}), &[json!(4), json!(null)]);
    assert!(because.bash("ls").unwrap().contains("the user refused it. Do not try"));
}

#[test]
fn a_path_that_a_call_before_it_may_change_waits_for_the_next_message() {
    let stage = stage(&json!({"allow": ["bash", "write"]}), &[]);
    let write = || stage.block("write", json!({"path": "lnk/f", "content": ""}));
    assert_eq!(stage.bash("ls lnk"), None);
    assert_eq!(write(), None);
    assert_eq!(stage.bash("ln -s ../outside lnk"), None);
    assert!(write().unwrap().contains("in your next message"));
    stage.peer().tell(Event::TurnStart { turn: 2 });
    // Events and calls go different ways.
    let began = std::time::Instant::now();
    while write().is_some() {
        assert!(began.elapsed().as_secs() < 10, "it waits for ever");
        std::thread::yield_now();
    }
    assert_eq!(stage.questions(), 0);
}

#[test]
fn a_refusal_holds_until_the_next_prompt() {
    let stage = stage(&json!({}), &[json!(3), json!(0)]);
    assert!(stage.bash("ls").is_some());
    assert!(stage.bash("ls").is_some());
    stage.peer().tell(Event::TurnStart { turn: 2 });
    assert!(stage.bash("ls").is_some());
    stage.peer().tell(Event::TurnStart { turn: 1 });
    // Events and calls go different ways: the refusal goes when the event has come.
    let began = std::time::Instant::now();
    while stage.bash("ls").is_some() {
        assert!(began.elapsed().as_secs() < 10, "the refusal holds for ever");
        std::thread::yield_now();
    }
    assert_eq!(stage.questions(), 2);
}

#[test]
fn where_nobody_answers_it_is_not_run_and_the_user_is_told_how_once() {
    let stage = stage(&json!({}), &[]);
    let reason = stage.bash("cargo test \"a\"").unwrap();
    assert!(reason.contains("nobody is there. Do not try it again"), "{reason}");
    stage.bash("cargo test \"a\"").unwrap();
    let shown = stage.shown();
    assert_eq!(shown.len(), 1, "{shown:?}");
    let expected = "not run, for nobody is there to allow it: bash cargo test \"a\"; to allow it, put \
                    \"bash:cargo test *\" into the list `allow`";
    assert!(shown[0].contains(expected), "{shown:?}");
}

#[test]
fn the_question_shows_the_call_cleaned_and_what_is_long_in_full_elsewhere() {
    let stage = stage(&json!({}), &[json!(0), json!(0)]);
    stage.bash("ls \u{1b}[2J > x");
    let long = format!("{}\u{1b}", "echo line\n".repeat(40));
    stage.bash(&long);
    let asked = stage.asked.lock().unwrap();
    let UiRequest::Select { text, options } = &asked[0] else { panic!() };
    assert!(text.starts_with("Allow bash?\nls \\u{1b}[2J > x\n(no pattern allows it:"), "{text}");
    assert_eq!(options.len(), 5);
    let UiRequest::Select { text, .. } = &asked[1] else { panic!() };
    assert!(text.lines().count() < 17 && text.contains("the rest stands above"), "{text}");
    drop(asked);
    let shown = stage.shown();
    assert!(shown[0].ends_with("\\u{1b}") && shown[0].lines().count() == 41, "{shown:?}");
}

#[test]
fn calls_at_once_are_asked_about_one_by_one_and_an_answer_holds_for_those_that_wait() {
    let stage = stage(&json!({}), &[json!(1)]);
    std::thread::scope(|scope| {
        let calls = [1, 2, 3, 4].map(|number| {
            let stage = &stage;
            scope.spawn(move || stage.bash(&format!("cargo test {number}")))
        });
        for call in calls {
            assert_eq!(call.join().unwrap(), None);
        }
    });
    assert_eq!(stage.questions(), 1);
}

#[test]
fn a_fault_of_a_file_is_told_once_and_allows_nothing() {
    let home = tempfile::tempdir().unwrap();
    std::fs::create_dir(home.path().join(".letscode")).unwrap();
    std::fs::write(home.path().join(".letscode/permissions.toml"), "= =").unwrap();
    let stage = on(home, &json!({"allow": ["bash:ls"]}), &[json!(2)]);
    assert_eq!(stage.bash("ls"), None, "the configuration counts");
    assert_eq!(stage.bash("cargo test"), None);
    assert_eq!(stage.bash("cargo test x"), None, "for this session it is known");
    assert_eq!(std::fs::read_to_string(stage.file()).unwrap(), "= =");
    let shown = stage.shown();
    assert_eq!(shown.len(), 2, "{shown:?}");
    assert!(shown[0].contains("permissions.toml") && shown[0].contains("is asked about"));
    assert!(shown[1].contains("for this session only"));

    let stage = stage_with_fault();
    assert!(stage.bash("ls").is_some());
    assert!(stage.block("read", json!({"path": "a"})).is_some());
    assert!(stage.shown()[0].contains("nothing is run unasked"), "{:?}", stage.shown());
}

fn stage_with_fault() -> Stage {
    stage(&json!({"allow": ["bash:ls"], "deny": ["bash rm"]}), &[])
}

#[test]
fn the_command_lists_the_rules_and_takes_answers_back() {
    let stage =
        stage(&json!({"deny": ["bash:rm *"], "ask": ["bash:git push *"]}), &[json!(1), json!(2)]);
    stage.block("mcp_x", json!({}));
    stage.bash("cargo test");
    let run = |args: &str| stage.peer().run_command("permissions", args).map(|reply| reply.text);
    insta::assert_snapshot!(run("").unwrap(), @r"
        deny  bash:rm *  (config.toml)
        ask   bash:git push *  (config.toml)
        allow read, in the working directory  (built in)
      1 allow mcp_x  (this session)
      2 allow bash:cargo test *  (always in this project)
        ask   all else
    /permissions forget NUMBER takes one back, /permissions clear all of them
    ");
    assert_eq!(run("forget 2").unwrap(), "forgotten: allow bash:cargo test *");
    assert_eq!(std::fs::read_to_string(stage.file()).unwrap(), "");
    assert!(stage.bash("cargo test").is_some());
    for wrong in ["forget", "forget 2", "forget 0", "forget x", "other", "clear all"] {
        assert!(run(wrong).is_err(), "{wrong}");
    }
    assert_eq!(run("clear").unwrap(), "1 rule is forgotten");
    assert_eq!(run("clear").unwrap(), "nothing was remembered");
    assert!(stage.block("mcp_x", json!({})).is_some());
}

#[test]
fn without_a_home_answers_count_for_the_session() {
    let answers = Mutex::new(vec![json!(2)].into_iter());
    let plugin = plugin(None, Path::new("/nowhere").to_owned());
    let answer = move |_: &FromPlugin| Ok(answers.lock().unwrap().next().unwrap_or_default());
    let peer = Peer::start_with(plugin, Map::new(), answer);
    let stage =
        Stage { home: tempfile::tempdir().unwrap(), peer: Some(peer), asked: Arc::default() };
    assert_eq!(stage.bash("cargo test"), None);
    assert_eq!(stage.bash("cargo test"), None);
    assert!(stage.shown()[0].contains("set HOME"), "{:?}", stage.shown());
}
