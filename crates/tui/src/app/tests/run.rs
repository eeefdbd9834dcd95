//! While the agent works, when that ends or fails, and what the footer tells of it.

use super::*;
use letscode_wire::{AssistantMessage, ContentPart, Usage};

#[test]
fn enter_and_escape_stop_a_run_and_text_redirects_it() {
    for key in ["enter", "esc"] {
        let mut scene = Scene::new();
        scene.begins_run("go");
        scene.press(key);
        assert!(scene.is_asked("abort"), "{key}");
    }
    let mut scene = Scene::new();
    scene.begins_run("go");
    scene.sends("rather this");
    scene.sends("and that");
    assert!(scene.is_asked("abort"));
    assert!(scene.rows().contains("now: rather this"));
    scene.ends_run();
    let (_, command) = scene.asked("prompt");
    assert!(matches!(command, Command::Prompt { text, .. } if text == "rather this"));
    assert!(scene.rows().contains("now: and that"));
}

#[test]
fn what_was_to_come_next_is_taken_back_by_stopping_or_by_its_key() {
    for keys in ["ctrl+c", "alt+up"] {
        let mut scene = Scene::new();
        scene.begins_run("go");
        scene.sends("rather this");
        scene.press(keys);
        assert_eq!(scene.text(), "rather this", "{keys}");
        scene.ends_run();
        assert!(!scene.is_asked("prompt"), "{keys}");
    }
}

#[test]
fn a_line_is_queued_shown_and_taken_back() {
    let mut scene = Scene::new();
    scene.begins_run("go");
    scene.types("then this");
    scene.press("ctrl+q");
    scene.answer("follow_up", Value::Null);
    scene.answer("queue", json!({ "steering": ["mind it"], "follow_ups": ["then this"] }));
    let rows = scene.rows();
    assert!(rows.contains("next: mind it\nlater: then this"), "{rows}");
    scene.press("alt+up");
    scene.answer("unqueue", json!({ "message": "then this" }));
    assert_eq!(scene.text(), "then this");
    scene.answer("queue", json!({ "steering": [], "follow_ups": [] }));
    assert!(!scene.rows().contains("later:"));
}

#[test]
fn slash_commands_while_a_run_is_active() {
    let mut scene = Scene::new();
    scene.begins_run("go");
    // What the agent refuses comes back with its line.
    scene.sends("/new");
    scene.refuse("run_command", "a run is active");
    assert_eq!(scene.text(), "/new");
    scene.press("ctrl+a ctrl+k");
    // A slip does not stop the run.
    scene.sends("/ussage");
    assert_eq!(scene.text(), "/ussage");
    assert!(scene.rows().contains("there is no command /ussage"));
    assert!(!scene.is_asked("abort"));
    scene.press("ctrl+a ctrl+k");
    // What makes the agent busy is refused too, and the run is still known.
    for line in ["/compact", "/retry"] {
        scene.sends(line);
        scene.refuse("run_command", "a run is active");
        assert_eq!(scene.text(), line);
        scene.press("ctrl+a ctrl+k");
    }
    assert!(scene.app.run.is_some());
    // A template is a message like others.
    scene.sends("/review");
    assert!(scene.is_asked("abort"));
}

#[test]
fn ctrl_c_stops_then_leaves_within_two_seconds() {
    for (wait, leaves) in [(1, true), (2, false)] {
        let mut scene = Scene::new();
        scene.begins_run("go");
        scene.press("ctrl+c");
        assert!(scene.is_asked("abort"));
        assert!(scene.rows().contains("stopping; once more to leave"));
        scene.ends_run();
        assert!(scene.rows().contains("stopped; once more to leave"));
        scene.waits(wait);
        scene.press("ctrl+c");
        assert_eq!(!scene.effects.is_empty(), leaves, "after {wait} s");
    }
}

#[test]
fn after_an_error_that_may_pass_a_key_tries_again() {
    let changes = [("retry".to_owned(), vec!["f5".to_owned()])];
    for (keymap, key) in [(Keymap::shared(&[]), "r"), (Keymap::shared(&changes), "f5")] {
        let mut scene = Scene::with(Options { keymap, ..Options::default() });
        fails(&mut scene);
        let rows = scene.rows();
        assert!(rows.contains(&format!("HTTP 503: busy\n{key} tries again")), "{rows}");
        scene.press(key);
        scene.waits(1);
        scene.update(Msg::Tick);
        assert!(scene.is_asked("retry"), "{key}");
        // The answer is under way: the key is a letter again.
        scene.types("r");
        assert_eq!(scene.text(), "r");
    }
}

/// Has a run fail in a way that may pass.
fn fails(scene: &mut Scene) {
    scene.begins_run("go");
    let error = "HTTP 503: busy".to_owned();
    scene.event(Event::Error { error: error.clone(), recoverable: true });
    scene.event(Event::AgentEnd { messages: Vec::new(), error: Some(error), aborted: false });
    let (id, _) = scene.asked("prompt");
    scene.control(Control::Done { id: request(id), result: None });
}

#[test]
fn a_letter_that_begins_a_text_does_not_try_again() {
    // What follows, what stands in the composer at once and later, and whether it tries again.
    for (keys, text, later, retries) in [
        ("r", "r", "", true),
        ("r enter", "", "", true),
        ("r e a d", "read", "read", false),
        ("r backspace", "", "", false),
        ("x backspace r", "r", "", true),
        ("x r", "xr", "xr", false),
    ] {
        let mut scene = Scene::new();
        fails(&mut scene);
        scene.press(keys);
        assert_eq!(scene.text(), text, "{keys}");
        if let Some(wakes) = scene.app.wakes_at(scene.now).filter(|_| !scene.is_asked("retry")) {
            assert!(wakes <= scene.now + RETRY_DELAY, "{keys}");
            scene.now = wakes;
        }
        scene.update(Msg::Tick);
        assert_eq!((scene.is_asked("retry"), &*scene.text()), (retries, later), "{keys}");
        assert!(!scene.is_asked("prompt"), "{keys}");
    }
    let mut scene = Scene::with(Options { vi: true, ..Options::default() });
    fails(&mut scene);
    scene.press("esc r");
    assert!(scene.is_asked("retry"));
    scene.types("x");
    assert_eq!(scene.text(), "x");
}

#[test]
fn a_paste_behind_the_letter_does_not_try_again() {
    let mut scene = Scene::new();
    fails(&mut scene);
    scene.press("r");
    scene.update(Msg::Input(InputEvent::Paste("un it".to_owned())));
    scene.waits(1);
    scene.update(Msg::Tick);
    assert_eq!((scene.is_asked("retry"), &*scene.text()), (false, "run it"));
}

#[test]
fn the_key_for_thinking_says_what_it_did() {
    let mut scene = Scene::new();
    for words in ["is shown", "stays folded", "is shown"] {
        scene.press("ctrl+t");
        let rows = scene.rows();
        assert!(rows.contains(&format!("what the model thinks {words} from now on")), "{rows}");
    }
}

#[test]
fn a_follow_up_to_nothing_is_sent_at_once() {
    let mut scene = Scene::new();
    scene.sends("/follow-up fix it");
    let text = "fix it".to_owned();
    let expected = Command::Prompt { text, images: Vec::new(), expand: true };
    assert_eq!(scene.asked("prompt").1, expected);
    assert!(!scene.is_asked("run_command"));
}

#[test]
fn the_end_of_a_long_run_is_told_to_who_looks_elsewhere() {
    for (seconds, looks_away, told) in [(19, true, false), (20, true, true), (20, false, false)] {
        let mut scene = Scene::new();
        if looks_away {
            scene.update(Msg::Input(InputEvent::FocusLost));
        }
        scene.begins_run("go");
        scene.waits(seconds);
        scene.ends_run();
        let attracts = scene.effects.iter().any(|effect| matches!(effect, Effect::Attract(_)));
        assert_eq!(attracts, told, "{seconds} s");
    }
}

fn state(model: &str, context: u64) -> Value {
    json!({
        "busy": false, "model": model, "thinking": "off", "session": null, "message_count": 2,
        "steering": 0, "follow_ups": 0, "context_tokens": context, "context_window": 100_000
    })
}

#[test]
fn the_footer_follows_model_answers_and_session() {
    let mut scene = Scene::new();
    scene.answer("state", state("first", 0));
    assert!(scene.rows().ends_with("\nfirst"), "{}", scene.rows());
    scene.begins_run("go");
    scene.waits(75);
    assert!(scene.rows().ends_with("\nfirst · 1m15s"));
    let usage = Usage {
        input_tokens: 9_000,
        output_tokens: 1_000,
        cache_read_tokens: 4_500,
        cost_usd: Some(0.5),
        ..Usage::default()
    };
    let answer = AssistantMessage {
        id: "m".into(),
        content: vec![ContentPart::text("done")],
        tool_calls: Vec::new(),
        usage: Some(usage),
        stop_reason: None,
        timestamp: 0.0,
        meta: Default::default(),
    };
    scene.event(Event::MessageEnd { message: Arc::new(Message::Assistant(answer)) });
    scene.ends_run();
    let told = "9.0k in (50% cached) 1.0k out · $0.50";
    let rows = scene.rows();
    assert!(rows.ends_with(&format!("\nfirst · 10% of 100k · {told}")), "{rows}");
    // Another model: what was spent stays.
    scene.sends("/model second");
    scene.answer("run_command", json!({ "command": "model", "text": "model second" }));
    scene.asked("state");
    scene.answer("state", state("second", 10_000));
    assert!(scene.rows().contains("\nsecond · "));
    // Another conversation: the session's own figures.
    scene.sends("/new");
    scene.answer("run_command", json!({ "command": "new", "text": "a new session" }));
    scene.answer("state", state("second", 0));
    while scene.is_asked("usage") {
        scene.answer("usage", json!({ "usage": Usage::default(), "answers": 0 }));
    }
    let rows = scene.rows();
    assert!(rows.ends_with("\nsecond"), "{rows}");
}

#[test]
fn a_summary_is_paid_for_too() {
    let mut scene = Scene::new();
    scene.answer("usage", json!({ "usage": Usage::default(), "answers": 0 }));
    let summary = CustomMessage {
        id: "c".into(),
        kind: "compaction".to_owned(),
        payload: Default::default(),
        timestamp: 0.0,
        meta: Default::default(),
    };
    scene.event(Event::MessageEnd { message: Arc::new(Message::Custom(summary)) });
    assert!(scene.is_asked("usage"));
}

#[test]
fn a_failed_summary_is_told_once() {
    let mut scene = Scene::new();
    scene.sends("/compact");
    let error = "the model is gone".to_owned();
    scene.event(Event::Error { error: error.clone(), recoverable: false });
    scene.answer("compact", json!({ "collapsed_count": 0, "error": error, "aborted": false }));
    assert_eq!(scene.rows().matches("the model is gone").count(), 1);
}

#[test]
fn a_run_that_a_plugin_began_is_stopped_and_redirected_like_any_other() {
    let mut scene = Scene::new();
    let begins = |scene: &mut Scene| scene.event(Event::AgentStart { messages: Vec::new() });
    let ends = |scene: &mut Scene| {
        scene.event(Event::AgentEnd { messages: Vec::new(), error: None, aborted: true });
    };
    scene.press("esc");
    assert!(!scene.is_asked("abort"), "there is no run");
    begins(&mut scene);
    scene.press("esc");
    scene.answer("abort", json!(null));
    ends(&mut scene);
    scene.press("esc");
    assert!(!scene.is_asked("abort"), "the run is over");
    begins(&mut scene);
    scene.sends("rather this");
    scene.answer("abort", json!(null));
    assert!(!scene.is_asked("prompt"), "the run goes on");
    ends(&mut scene);
    let Command::Prompt { text, .. } = scene.asked("prompt").1 else { panic!("a prompt") };
    assert_eq!(text, "rather this");
}
