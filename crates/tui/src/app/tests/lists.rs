//! Lists and questions over the composer.

use super::*;
use letscode_wire::UiLevel;

fn session(id: &str, label: &str) -> Value {
    json!({ "id": id, "label": label, "path": format!("/s/{id}.jsonl") })
}

fn sessions() -> Value {
    json!({ "sessions": [
        { "number": 1, "session": session("aaa", "Fix the parser"), "modified": 0.0, "open": true },
        { "number": 2, "session": session("bbb", "Write docs"), "modified": 0.0, "open": false },
    ]})
}

#[test]
fn a_model_is_chosen_from_the_list() {
    let mut scene = Scene::new();
    scene.sends("/model");
    scene.answer("models", json!({ "models": [
        { "id": "small", "provider": "local", "context_window": 32_000, "input_per_million": null,
          "output_per_million": null, "usable": true },
        { "id": "large", "provider": "cloud", "context_window": 200_000, "input_per_million": 0.5,
          "output_per_million": 2.0, "usable": false },
    ]}));
    let rows = scene.rows();
    assert!(rows.contains("large  cloud · 200k · $0.5/$2 · no key"), "{rows}");
    scene.types("lar");
    scene.press("enter");
    assert_eq!(scene.asked("set_model").1, Command::SetModel { model: "large".to_owned() });
}

#[test]
fn where_nothing_is_drawn_anew_lists_are_taken_by_number() {
    let mut scene = Scene::with(Options { is_plain: true, ..Options::default() });
    scene.sends("/model 2");
    assert!(scene.is_asked("run_command"), "no list was shown");
    scene.answer("run_command", json!({ "command": "model", "text": "taken as a name" }));
    scene.sends("/model");
    scene.answer("models", json!({ "models": [
        { "id": "small", "provider": "local", "context_window": 32_000, "input_per_million": null,
          "output_per_million": null, "usable": true },
        { "id": "large", "provider": "cloud", "context_window": null, "input_per_million": null,
          "output_per_million": null, "usable": true },
    ]}));
    let rows = scene.rows();
    assert!(rows.contains("   1  small  local · 32k\n   2  large  cloud\n"), "{rows}");
    assert!(rows.contains("/model N or /model NAME"), "{rows}");
    scene.sends("/model 3");
    assert!(scene.is_asked("run_command"), "it is no row");
    scene.answer("run_command", json!({ "command": "model", "text": "taken as a name" }));
    scene.sends("/model 2");
    assert_eq!(scene.asked("set_model").1, Command::SetModel { model: "large".to_owned() });
    scene.sends("/resume");
    scene.answer("run_command", json!({ "command": "resume", "text": "   1  aaa" }));
    let rows = scene.rows();
    assert!(rows.contains("/resume N goes on with one of them"), "{rows}");
}

#[test]
fn the_hint_below_the_sessions_fits_a_narrow_screen() {
    let mut scene = Scene::new();
    scene.sends("/resume");
    scene.answer("sessions", sessions());
    let rows = scene.rows();
    assert!(rows.contains("tab all projects"), "{rows}");
}

#[test]
fn an_answer_for_a_list_that_is_gone_fills_no_other() {
    let mut scene = Scene::new();
    scene.sends("/model");
    scene.press("esc");
    scene.sends("/tree");
    scene.answer("models", json!({ "models": [] }));
    assert!(scene.rows().contains("reading the session"));
    scene.refuse("tree", "no session is kept");
    assert!(scene.app.overlay.is_none());
    assert!(scene.rows().contains("✗ no session is kept"));
}

#[test]
fn any_entry_of_the_tree_can_be_gone_on_from() {
    let mut scene = Scene::new();
    scene.sends("/tree");
    let entry = |entry: usize, parent: Option<usize>, role: &str, text: &str, active: bool| {
        json!({ "entry": entry, "id": format!("e{entry}"), "parent": parent, "role": role,
                "kind": null, "text": text, "active": active })
    };
    scene.answer(
        "tree",
        json!({ "label": null, "entries": [
            entry(1, None, "user", "first", true),
            entry(2, Some(1), "assistant", "one", false),
            entry(3, Some(1), "assistant", "another", true),
        ]}),
    );
    let rows = scene.rows();
    assert!(rows.contains("● first") && rows.contains("○ one"), "{rows}");
    assert!(rows.contains("│ ● another"), "{rows}");
    scene.press("up enter");
    assert_eq!(scene.asked("go_to").1, Command::GoTo { entry: 2 });
}

#[test]
fn entries_that_are_no_messages_are_told_in_words_and_the_last_message_is_marked() {
    let entry = |entry: usize, role: &str, kind: Option<&str>, text: &str| {
        json!({ "entry": entry, "id": format!("e{entry}"), "parent": (entry > 1).then(|| entry - 1),
                "role": role, "kind": kind, "text": text, "active": true })
    };
    for (line, expected) in
        [("/tree", Command::GoTo { entry: 5 }), ("/fork", Command::Fork { entry: Some(5) })]
    {
        let mut scene = Scene::new();
        scene.sends(line);
        scene.answer(
            "tree",
            json!({ "label": null, "entries": [
                entry(1, "user", None, "first"),
                entry(2, "custom", Some("reset"), ""),
                entry(3, "custom", Some("compaction"), "what was said"),
                entry(4, "custom", Some("todo"), "buy milk"),
                entry(5, "assistant", None, "the last answer"),
                entry(6, "custom", Some("go_to"), ""),
                entry(7, "custom", Some("model_change"), "gpt-5"),
            ]}),
        );
        let rows = scene.rows();
        let words = ["a new conversation begins here", "summary", "todo", "another model", "gpt-5"];
        assert!(words.iter().all(|word| rows.contains(word)), "{rows}");
        for raw in ["go_to", "goes on from here", "model_change", "compaction", "reset"] {
            assert!(!rows.contains(raw), "{raw}: {rows}");
        }
        scene.press("enter");
        let name = name_of(&expected);
        assert_eq!(scene.asked(&name).1, expected);
    }
}

#[test]
fn another_session_goes_on_with_its_recap() {
    let mut scene = Scene::new();
    scene.asked("state");
    scene.sends("/resume");
    assert_eq!(scene.answer("sessions", sessions()), Command::Sessions { all: false });
    scene.press("down enter");
    let resumed = json!({ "session": session("bbb", "Write docs"), "message_count": 5_000,
                          "model": "m" });
    assert_eq!(scene.answer("resume", resumed), Command::Resume { session: "bbb".to_owned() });
    scene.answer(
        "state",
        json!({
            "busy": false, "model": "m", "thinking": "off", "session": null, "message_count": 5_000,
            "steering": 0, "follow_ups": 0, "context_tokens": 7, "context_window": null
        }),
    );
    let message = Message::User(letscode_wire::UserMessage {
        id: "u".into(),
        content: vec![letscode_wire::ContentPart::text("what was asked last")],
        timestamp: 0.0,
        meta: Default::default(),
    });
    // Not the whole transcript, which may be long.
    assert_eq!(
        scene.answer("messages", json!({ "messages": [message] })),
        Command::Messages { last: Some(40) }
    );
    let rows = scene.rows();
    assert!(rows.contains("going on with Write docs"), "{rows}");
    assert!(rows.contains("5000 messages so far"), "{rows}");
    assert!(rows.contains("› what was asked last"), "{rows}");
}

#[test]
fn sessions_are_searched_one_search_at_a_time_here_and_everywhere() {
    let mut scene = Scene::new();
    scene.sends("/resume");
    scene.answer("sessions", sessions());
    scene.types("doc");
    // A label needs no search.
    assert!(scene.rows().contains("Write docs"));
    assert!(!scene.rows().contains("Fix the parser"));
    let hits = |text: &str| {
        json!({ "truncated": false, "hits": [
            { "session": session("ccc", "Other"), "entry": 1, "role": "user", "text": text }
        ]})
    };
    let first = scene.answer("search", hits("stale"));
    assert_eq!(first, Command::Search { query: "d".to_owned(), all: false });
    assert!(!scene.rows().contains("stale"));
    let second = scene.answer("search", hits("how docs are built"));
    assert_eq!(second, Command::Search { query: "doc".to_owned(), all: false });
    assert!(!scene.is_asked("search"));
    assert!(scene.rows().contains("how docs are built"));
    scene.press("tab");
    assert_eq!(scene.answer("sessions", sessions()), Command::Sessions { all: true });
    assert!(scene.rows().contains("session of any project"));
    let wide = scene.answer("search", hits("docs elsewhere"));
    assert_eq!(wide, Command::Search { query: "doc".to_owned(), all: true });
    scene.press("down enter");
    assert_eq!(scene.asked("resume").1, Command::Resume { session: "ccc".to_owned() });
}

#[test]
fn a_session_is_renamed_and_deleted_only_when_asked_twice() {
    let mut scene = Scene::new();
    scene.sends("/resume");
    scene.answer("sessions", sessions());
    scene.press("down ctrl+r");
    assert!(scene.rows().contains("> Write docs"));
    scene.types(" again");
    scene.press("enter");
    let renamed = scene.answer("rename", json!({ "label": "Write docs again" }));
    let text = "Write docs again".to_owned();
    assert_eq!(renamed, Command::Rename { session: "bbb".to_owned(), text });
    scene.answer("sessions", sessions());
    for (key, deleted) in [("n", false), ("esc", false), ("y", true)] {
        scene.press("ctrl+x");
        assert!(scene.rows().contains("put this session into the trash?\nWrite docs"));
        scene.press(key);
        assert_eq!(scene.is_asked("delete"), deleted, "{key}");
        assert!(scene.rows().contains("session: "), "the list is there again");
    }
    scene.refuse("delete", "the open session cannot be deleted");
    assert!(scene.rows().contains("cannot be deleted"));
}

fn ask(scene: &mut Scene, id: &str, request: UiRequest) {
    scene.event(Event::UiRequest { request_id: id.into(), request });
}

fn confirm(title: &str) -> UiRequest {
    UiRequest::Confirm { title: title.to_owned(), text: String::new() }
}

#[test]
fn questions_come_one_after_the_other_and_each_gets_its_answer() {
    let mut scene = Scene::new();
    ask(&mut scene, "1", confirm("Delete it?"));
    ask(
        &mut scene,
        "2",
        UiRequest::Select {
            text: "Which one?".to_owned(),
            options: vec!["red".to_owned(), "green".to_owned()],
        },
    );
    ask(
        &mut scene,
        "3",
        UiRequest::Input {
            text: "Name?".to_owned(),
            placeholder: None,
            default: Some("a".to_owned()),
        },
    );
    ask(&mut scene, "4", confirm("Sure?"));
    ask(&mut scene, "5", confirm("Never seen"));
    scene.event(Event::UiWithdrawn { request_id: "5".into() });
    assert!(scene.rows().contains("Delete it?"));
    scene.waits(1);
    scene.press("left enter");
    assert!(scene.rows().contains("Which one?"));
    scene.waits(1);
    scene.press("down enter");
    assert!(scene.rows().contains("Name?"));
    scene.waits(1);
    scene.types("b");
    scene.press("enter");
    assert!(scene.rows().contains("Sure?"));
    scene.waits(1);
    scene.press("esc");
    let answers: Vec<(UiRequestId, Option<Value>)> = scene
        .sent
        .iter()
        .filter_map(|(_, command)| match command {
            Command::UiResponse { request_id, value } => Some((request_id.clone(), value.clone())),
            _ => None,
        })
        .collect();
    assert_eq!(
        answers,
        [
            ("1".into(), Some(json!(true))),
            ("2".into(), Some(json!(1))),
            ("3".into(), Some(json!("ab"))),
            ("4".into(), None),
        ]
    );
    assert!(scene.app.overlay.is_none());
}

#[test]
fn a_question_that_is_long_stands_above_its_answers() {
    let mut scene = Scene::new();
    let options = vec!["red".to_owned(), "green".to_owned()];
    let text = format!("Which one?\n{}\nlast", "word ".repeat(30));
    ask(&mut scene, "1", UiRequest::Select { text, options: options.clone() });
    let rows = scene.rows();
    for part in ["Which one?", "word word", "last", "answer:", "> red", "green"] {
        assert!(rows.contains(part), "{part} is not in\n{rows}");
    }
    scene.waits(1);
    scene.press("down enter");
    ask(&mut scene, "2", UiRequest::Select { text: "line\n".repeat(200), options });
    let rows = scene.rows();
    assert!(rows.contains("line") && rows.contains('…') && rows.contains("> red"), "{rows}");
}

#[test]
fn a_question_waits_for_the_list_that_is_open_and_keeps_what_is_typed() {
    let mut scene = Scene::new();
    scene.types("half a line");
    ask(&mut scene, "1", confirm("Delete it?"));
    scene.press("ctrl+c");
    assert!(scene.is_asked("ui_response"));
    assert_eq!(scene.text(), "half a line");
    scene.press("ctrl+a ctrl+k");
    scene.sends("/model");
    ask(&mut scene, "2", confirm("Now?"));
    assert!(!scene.rows().contains("Now?"));
    scene.press("esc");
    assert!(scene.rows().contains("Now?"));
    scene.event(Event::UiWithdrawn { request_id: "2".into() });
    assert!(scene.app.overlay.is_none());
}

#[test]
fn plugins_tell_and_show_their_state() {
    let mut scene = Scene::new();
    let text = "all is well".to_owned();
    ask(&mut scene, "1", UiRequest::Notify { text, level: UiLevel::Info });
    let status = |text: Option<&str>| UiRequest::Status {
        key: "tests".to_owned(),
        text: text.map(str::to_owned),
    };
    ask(&mut scene, "2", status(Some("3 of 9 tests")));
    let rows = scene.rows();
    assert!(rows.starts_with("all is well\n") && rows.contains("3 of 9 tests"), "{rows}");
    ask(&mut scene, "3", status(None));
    assert!(!scene.rows().contains("tests"));
}

#[test]
fn trust_is_asked_for_at_the_start_and_again_on_demand() {
    let question = Some("it sets a command".to_owned());
    let mut scene = Scene::with(Options { trust_question: question, ..Options::default() });
    assert!(scene.rows().contains("trust this project?\nit sets a command"));
    scene.waits(1);
    scene.press("enter");
    assert!(scene.rows().contains("going on without it; /trust asks again"));
    assert!(!scene.is_asked("trust"));
    scene.sends("/trust");
    let found = json!({ "project": "/p", "trusted": false, "reason": "changed since it was trusted",
                        "left_out": ["plugins"], "effective": true });
    assert_eq!(scene.answer("trust", found), Command::Trust { trust: None });
    let rows = scene.rows();
    assert!(rows.contains("/p: changed since it was trusted"), "{rows}");
    assert!(rows.contains("does not get: plugins"), "{rows}");
    scene.press("y");
    assert_eq!(scene.answer("trust", Value::Null), Command::Trust { trust: Some(true) });
    scene.answer(
        "reload",
        json!({ "tools": 4, "skills": 0, "templates": 0, "context_files": 0,
        "model": "m", "thinking": "off", "warnings": ["a plugin is not there"] }),
    );
    let rows = scene.rows();
    assert!(rows.contains("a plugin is not there\nthe project is trusted"), "{rows}");
}

#[test]
fn what_is_typed_ahead_answers_no_question() {
    // What comes up, and keys before it was seen, within a moment and after that.
    for is_trust in [true, false] {
        for (unseen, soon, late) in
            [("yes", "", ""), ("", "yes", ""), ("", "", "yes"), ("y", "e", "s")]
        {
            let trust_question = is_trust.then(|| "it sets a command".to_owned());
            let mut scene = Scene::with(Options { trust_question, ..Options::default() });
            if !is_trust {
                ask(&mut scene, "1", confirm("Sure?"));
            }
            scene.types(unseen);
            scene.rows();
            scene.types(soon);
            scene.waits(1);
            scene.types(late);
            assert_eq!(scene.text(), "yes");
            let rows = scene.rows();
            assert!(
                rows.contains("arrows choose, Enter answers") && rows.ends_with("yes"),
                "{rows}"
            );
            scene.press("enter");
            assert!(scene.app.overlay.is_none() && !scene.is_asked("trust"));
            if !is_trust {
                let (_, answer) = scene.asked("ui_response");
                let value = Some(json!(false));
                assert_eq!(answer, Command::UiResponse { request_id: "1".into(), value });
            }
            assert_eq!(scene.text(), "yes", "it is not lost");
            assert!(!scene.is_asked("prompt"));
        }
    }
}

#[test]
fn a_line_asked_for_right_behind_an_answer_takes_what_is_typed_at_once() {
    let input = || UiRequest::Input { text: "Why?".to_owned(), placeholder: None, default: None };
    // Behind an answer, and by itself.
    for follows in [true, false] {
        let mut scene = Scene::new();
        if follows {
            ask(&mut scene, "1", confirm("Sure?"));
            scene.rows();
            scene.waits(1);
            scene.press("enter");
            scene.asked("ui_response");
        }
        ask(&mut scene, "2", input());
        scene.rows();
        scene.types("because");
        assert_eq!(scene.text(), if follows { "" } else { "because" });
        scene.press("enter");
        assert_eq!(scene.is_asked("ui_response"), follows);
        if follows {
            let (_, answer) = scene.asked("ui_response");
            let value = Some(json!("because"));
            assert_eq!(answer, Command::UiResponse { request_id: "2".into(), value });
        }
    }
}

#[test]
fn a_line_sent_ahead_leaves_the_question_open() {
    for line in ["fix it", "/model"] {
        let trust_question = Some("it sets a command".to_owned());
        let mut scene = Scene::with(Options { trust_question, ..Options::default() });
        scene.rows();
        scene.press("enter esc");
        scene.sends(line);
        assert!(scene.is_asked(if line == "/model" { "models" } else { "prompt" }), "{line}");
        if line == "/model" {
            scene.press("esc");
        }
        assert!(scene.rows().contains("trust this project?"), "{line}");
        scene.waits(1);
        scene.press("tab enter");
        assert_eq!(scene.answer("trust", Value::Null), Command::Trust { trust: Some(true) });
    }
}

#[test]
fn keys_in_lists_follow_the_table() {
    let changes = [("choose".to_owned(), vec!["ctrl+y".to_owned()])];
    let mut scene = Scene::with(Options { keymap: Keymap::shared(&changes), ..Options::default() });
    ask(&mut scene, "1", confirm("Delete it?"));
    scene.rows();
    scene.waits(1);
    scene.press("enter");
    assert!(!scene.is_asked("ui_response"));
    scene.press("ctrl+y");
    assert!(scene.is_asked("ui_response"));
}

#[test]
fn a33_no_row_is_too_wide_and_none_too_many_on_any_screen() {
    let mut scene = Scene::new();
    scene.sends("/resume");
    scene.answer("sessions", sessions());
    for (columns, rows) in [(1, 1), (2, 3), (7, 2), (40, 10), (400, 60)] {
        let frame = scene.app.view(columns, rows, scene.now);
        assert!(frame.live.iter().all(|row| row.width() <= columns), "{columns}");
    }
}
