//! Conversations as rows, and hostile text in each place that shows some.

use super::*;
use letscode_wire::{
    AssistantMessage, CustomMessage, Meta, Partial, RetryNotice, ToolCall, ToolMessage,
};
use proptest::prelude::*;
use serde_json::{Map, Value, json};
use std::sync::Arc;
use std::time::Duration;

/// A conversation whose clock the test moves.
struct Scene {
    transcript: Transcript,
    now: Instant,
}

impl Scene {
    fn new() -> Self {
        let mut scene = Self { transcript: Transcript::new(), now: Instant::now() };
        scene.event(Event::AgentStart { messages: Vec::new() });
        scene
    }

    #[expect(clippy::needless_pass_by_value, reason = "reads better at the many calls")]
    fn event(&mut self, event: Event) {
        self.transcript.event(&event, self.now);
    }

    fn wait(&mut self, seconds: u64) {
        self.now += Duration::from_secs(seconds);
    }

    fn message(&mut self, message: Message) {
        let message = Arc::new(message);
        self.event(Event::MessageStart { message: Arc::clone(&message) });
        self.event(Event::MessageEnd { message });
    }

    fn piece(&mut self, stream_event: StreamEvent) {
        self.event(Event::MessageUpdate { message: None, stream_event });
    }

    fn begin_answer(&mut self) {
        self.event(Event::MessageStart { message: Arc::new(answer("", None)) });
    }

    fn says(&mut self, text: &str) {
        self.begin_answer();
        for piece in text.split_inclusive(' ') {
            self.piece(StreamEvent::TextDelta { delta: piece.to_owned() });
        }
        self.event(Event::MessageEnd {
            message: Arc::new(answer(text, Some(StopReason::EndTurn))),
        });
    }

    fn thinks(&mut self, text: &str) {
        self.piece(StreamEvent::ThinkingDelta { delta: text.to_owned() });
    }

    fn calls(&mut self, id: &str, name: &str, arguments: Value) {
        let Value::Object(arguments) = arguments else { panic!("no object") };
        let tool_name = name.to_owned();
        self.event(Event::ToolExecutionStart { tool_call_id: id.into(), tool_name, arguments });
    }

    fn gives(&mut self, id: &str, text: &str, is_error: bool, details: Value) {
        let result = Arc::new(result(id, text, is_error, details));
        self.event(Event::ToolExecutionEnd { tool_call_id: id.into(), result });
    }

    fn ends(&mut self, error: Option<&str>, aborted: bool) {
        let error = error.map(str::to_owned);
        self.event(Event::AgentEnd { messages: Vec::new(), error, aborted });
    }

    fn rows(&mut self, columns: usize) -> String {
        self.transcript.take_finished(columns).iter().map(|row| row.text() + "\n").collect()
    }

    fn live(&self, columns: usize, max_rows: usize) -> String {
        let rows = self.transcript.live(columns, max_rows, self.now);
        rows.iter().map(|row| row.text() + "\n").collect()
    }
}

fn user(text: &str) -> Message {
    let content = vec![ContentPart::text(text)];
    Message::User(UserMessage { id: "u".into(), content, timestamp: 0.0, meta: Meta::new() })
}

fn answer(text: &str, stop_reason: Option<StopReason>) -> Message {
    Message::Assistant(AssistantMessage {
        id: "a".into(),
        content: if text.is_empty() { Vec::new() } else { vec![ContentPart::text(text)] },
        tool_calls: Vec::new(),
        timestamp: 0.0,
        stop_reason,
        usage: None,
        meta: Meta::new(),
    })
}

fn result(id: &str, text: &str, is_error: bool, details: Value) -> Message {
    let Value::Object(details) = details else { panic!("no object") };
    Message::Tool(ToolMessage {
        id: "t".into(),
        tool_call_id: id.into(),
        content: vec![ContentPart::text(text)],
        is_error,
        timestamp: 0.0,
        details,
    })
}

fn custom(kind: &str, payload: Value) -> Message {
    let Value::Object(payload) = payload else { panic!("no object") };
    let kind = kind.to_owned();
    Message::Custom(CustomMessage {
        id: "c".into(),
        kind,
        payload,
        timestamp: 0.0,
        meta: Map::new(),
    })
}

fn numbered(count: usize) -> String {
    (1..=count).map(|number| format!("line {number}\n")).collect()
}

const DIFF: &str = "--- a.rs\n+++ a.rs\n@@ -9,3 +9,3 @@\n one\n-two\n+2\n three\n";

#[test]
fn a_narrow_screen_shows_how_a_command_ended() {
    let mut scene = Scene::new();
    scene.calls("1", "bash", json!({"command": "cargo test --workspace"}));
    scene.wait(3);
    assert_eq!(scene.live(20, 5).matches("bash").count(), 1);
    assert_eq!(scene.live(20, 5).trim().lines().count(), 1);
    scene.gives("1", "no", false, json!({"exit_code": 101}));
    scene.ends(None, false);
    let rows = scene.rows(20);
    assert!(rows.contains("● bash cargo test -…\n  exit code 101"), "{rows}");
    assert!(rows.lines().all(|row| row.chars().count() <= 20), "{rows}");
}

#[test]
fn a_line_of_two_columns_stays_that_where_it_breaks() {
    let mut scene = Scene::new();
    scene
        .transcript
        .text("/model [NAME]  Show the models, or use one from now on\none two three four");
    assert_eq!(
        scene.rows(40),
        "/model [NAME]  Show the models, or use\n               one from now on\none two three four\n"
    );
}

#[test]
fn a_typical_conversation() {
    let mut scene = Scene::new();
    scene.message(user("Why does it fail?\nIt worked before."));
    scene.begin_answer();
    scene.thinks("Let me see.\nHm.");
    scene.wait(3);
    scene.piece(StreamEvent::TextDelta { delta: "\n\nI'll **look**.".to_owned() });
    scene.event(Event::MessageEnd { message: Arc::new(answer("", Some(StopReason::ToolCalls))) });
    scene.calls("1", "read", json!({"path": "a.rs", "limit": 100}));
    scene.calls("2", "bash", json!({"command": "cargo test\necho done"}));
    scene.gives(
        "1",
        "     1\tone\n     2\ttwo",
        false,
        json!({"lines_returned": 2, "total_lines": 9}),
    );
    scene.wait(75);
    scene.gives("2", &numbered(20), false, json!({"exit_code": 101}));
    scene.calls("3", "edit", json!({"path": "a.rs", "old": "two", "new": "2"}));
    scene.gives("3", "edited", false, json!({"diff": DIFF}));
    scene.calls("4", "write", json!({"path": "b"}));
    scene.gives("4", "b already exists\nread it first", true, json!({}));
    scene.says("Done:\n\n- `a.rs` is right now");
    scene.ends(None, false);
    insta::assert_snapshot!(scene.rows(44), @r"
    › Why does it fail?
      It worked before.

    thought for 3 s

    I'll look.

    ● read a.rs  2 of 9 lines
    ● bash cargo tes…  exit code 101  1 min 15 s
      line 1
      line 2
      line 3
      line 4
      line 5
      line 6
      line 7
      line 8
      line 9
      line 10
      line 11
      line 12
      … 3 lines left out, ctrl+o shows all
      line 16
      line 17
      line 18
      line 19
      line 20
    ● edit a.rs  +1 -1
       9   one
      10 - two
      10 + 2
      11   three
    ✗ write b
      b already exists
      read it first

    Done:

    • a.rs is right now
    ");
    assert_eq!(scene.live(44, 10), "");
    assert!(!scene.transcript.is_animated());
}

#[test]
fn what_is_under_way_is_in_the_live_region() {
    let mut scene = Scene::new();
    assert_eq!(scene.live(40, 10), "⠋ waiting for the model\n");
    scene.begin_answer();
    scene.wait(2);
    scene.thinks("Hm");
    assert_eq!(scene.live(40, 10), "⠋ thinking\n");
    scene.wait(61);
    assert_eq!(scene.live(40, 10), "⠋ thinking 1 min 1 s\n");
    assert!(scene.transcript.is_animated());
    scene.piece(StreamEvent::TextDelta { delta: "Hello **you".to_owned() });
    assert_eq!(scene.rows(40), "thought for 1 min 1 s\n");
    assert_eq!(scene.live(40, 10), "\nHello **you\n");
    assert!(!scene.transcript.is_animated());
    let call = StreamEvent::ToolCallStart { tool_call_id: "1".into(), name: "write".to_owned() };
    scene.piece(call);
    let delta = "x".repeat(2_000);
    scene.piece(StreamEvent::ToolCallArgsDelta { tool_call_id: "1".into(), delta });
    assert_eq!(scene.live(40, 10), "\nHello **you\n\n⠋ write 2 KB\n");
    assert_eq!(scene.live(40, 2), "\n⠋ write 2 KB\n");
    assert_eq!(scene.live(40, 0), "");
}

#[test]
fn a_running_command_shows_the_end_of_its_output() {
    let mut scene = Scene::new();
    scene.calls("1", "bash", json!({"command": "make"}));
    let partial = Partial { content: vec![ContentPart::text(numbered(9))], details: Meta::new() };
    scene.event(Event::ToolExecutionUpdate { tool_call_id: "1".into(), partial });
    scene.wait(2);
    insta::assert_snapshot!(scene.live(40, 20), @r"
    ⠋ bash make  2 s
      line 5
      line 6
      line 7
      line 8
      line 9
    ");
    assert_eq!(scene.live(40, 3), "⠋ bash make  2 s\n  line 8\n  line 9\n");
}

#[test]
fn calls_that_run_together_are_shown_as_they_end() {
    let mut scene = Scene::new();
    for id in ["1", "2", "3"] {
        scene.calls(id, "bash", json!({"command": format!("job {id}")}));
    }
    assert_eq!(scene.live(40, 2), "⠋ bash job 1\n… 2 more are running\n");
    scene.gives("2", "", false, json!({}));
    assert_eq!(scene.rows(40), "● bash job 2\n");
    assert_eq!(scene.live(40, 9), "⠋ bash job 1\n⠋ bash job 3\n");
    scene.gives("1", "", false, json!({}));
    scene.ends(None, true);
    insta::assert_snapshot!(scene.rows(40), @r"
    ● bash job 1
    ● bash job 3  stopped

    stopped
    ");
}

#[test]
fn thinking_is_shown_on_demand() {
    let mut scene = Scene::new();
    scene.begin_answer();
    scene.thinks("First.\nSecond, which goes");
    assert_eq!(scene.rows(40), "");
    scene.transcript.set_shows_thinking(true);
    assert_eq!(scene.rows(40), "  First.\n");
    assert_eq!(scene.live(40, 9), "  Second, which goes\n⠋ thinking\n");
    scene.thinks(" on.\nThird.");
    scene.wait(5);
    scene.piece(StreamEvent::TextDelta { delta: "Text.\n\n".to_owned() });
    assert_eq!(scene.rows(40), "  Second, which goes on.\n  Third.\nthought for 5 s\n\nText.\n");
    scene.thinks("Again.\n");
    assert_eq!(scene.rows(40), "\n  Again.\n");
}

#[test]
fn the_last_thought_is_shown_once_it_is_asked_for() {
    let mut scene = Scene::new();
    scene.begin_answer();
    scene.thinks("One.\nTwo.");
    scene.message(answer("Text.", None));
    assert_eq!(scene.rows(40), "thought for 0 s\n\nText.\n");
    scene.transcript.set_shows_thinking(true);
    assert_eq!(scene.rows(40), "\n  One.\n  Two.\n");
    for shows in [false, true] {
        scene.transcript.set_shows_thinking(shows);
        assert_eq!(scene.rows(40), "", "it is shown once");
    }
}

#[test]
fn a_folded_thought_is_kept_only_in_part_and_not_for_another_session() {
    for (goes_on, rows) in [(false, 64), (true, 0)] {
        let mut scene = Scene::new();
        scene.begin_answer();
        scene.thinks(&format!("x{}\n", "ä".repeat(511)).repeat(200));
        scene.message(answer("Text.", None));
        if goes_on {
            scene.transcript.recap(&[Arc::new(user("Other"))], 1);
        }
        scene.rows(600);
        scene.transcript.set_shows_thinking(true);
        assert_eq!(scene.rows(600).lines().filter(|row| row.contains('ä')).count(), rows);
    }
}

#[test]
fn what_is_folded_unfolds_once() {
    let mut scene = Scene::new();
    assert!(!scene.transcript.unfold_last());
    scene.calls("1", "bash", json!({"command": "make"}));
    scene.gives("1", &numbered(19), false, json!({"exit_code": 0}));
    let rows = scene.rows(60);
    assert!(
        rows.contains("\n  line 12\n  … 2 lines left out, ctrl+o shows all\n  line 15\n"),
        "{rows}"
    );
    assert!(scene.transcript.unfold_last());
    let rows = scene.rows(60);
    assert!(rows.starts_with("\n● bash make\n  line 1\n") && rows.contains("line 13\n"), "{rows}");
    assert!(!scene.transcript.unfold_last());
    scene.transcript.set_verbose(true);
    scene.calls("1", "bash", json!({"command": "make"}));
    scene.gives("1", &numbered(99), false, json!({}));
    assert_eq!(scene.rows(60).lines().count(), 101);
}

#[test]
fn long_messages_and_errors_are_cut_and_unfold() {
    let mut scene = Scene::new();
    scene.message(user(&numbered(100)));
    let rows = scene.rows(60);
    assert!(rows.starts_with("› line 1\n") && rows.ends_with("line 100\n"), "{rows}");
    assert_eq!(rows.lines().count(), 36);
    assert!(scene.transcript.unfold_last());
    assert!(scene.rows(60).starts_with("\nthe message\n  line 1\n"));
    scene.event(Event::Error { error: "short".to_owned(), recoverable: false });
    assert!(!scene.transcript.unfold_last());
    let error = format!("HTTP 500: {}", "x".repeat(100_000));
    scene.event(Event::Error { error, recoverable: false });
    assert!(scene.rows(60).lines().count() < 60);
    assert!(scene.transcript.unfold_last());
    assert!(scene.rows(60).lines().count() > 1_000);
}

#[test]
fn what_is_kept_of_a_result_is_bounded() {
    let mut scene = Scene::new();
    scene.calls("1", "bash", json!({"command": "make"}));
    scene.gives("1", &numbered(120_000), false, json!({}));
    assert_eq!(scene.rows(60).lines().count(), 19);
    scene.transcript.unfold_last();
    let rows = scene.rows(60);
    assert!(rows.ends_with("  … the rest was not kept\n"));
    assert!(rows.len() < 1_400_000);
}

#[test]
fn a_read_file_is_quiet_and_in_colours_when_verbose() {
    let mut scene = Scene::new();
    let text = "     7\tfn main() {\n     8\t\tx();\n[3 more lines]";
    for is_verbose in [false, true] {
        scene.transcript.set_verbose(is_verbose);
        scene.calls("1", "read", json!({"path": "src/main.rs"}));
        scene.gives("1", text, false, json!({"lines_returned": 2, "total_lines": 5}));
    }
    let rows = scene.transcript.take_finished(60);
    let texts: Vec<String> = rows.iter().map(Line::text).collect();
    let title = "● read src/main.rs  2 of 5 lines";
    let expected =
        [title, title, "      7  fn main() {", "      8      x();", "         [3 more lines]"];
    assert_eq!(texts, expected);
    assert!(rows[2].spans.iter().any(|span| span.text == "fn" && span.style.color.is_some()));
}

#[test]
fn failures_retries_and_ends() {
    let mut scene = Scene::new();
    scene.begin_answer();
    scene.piece(StreamEvent::TextDelta { delta: "Half an ans".to_owned() });
    scene.event(Event::Retry(RetryNotice {
        attempt: 2,
        total_attempts: 4,
        delay_seconds: 1.5,
        reason: "HTTP 503: overloaded".to_owned(),
    }));
    scene.wait(4);
    assert_eq!(scene.live(60, 5), "\n⠋ waiting for the model 4 s\n");
    scene.event(Event::Error { error: "HTTP 500: gone\nbody".to_owned(), recoverable: true });
    scene.ends(Some("HTTP 500: gone\nbody"), false);
    insta::assert_snapshot!(scene.rows(60), @r"
    Half an ans

    HTTP 503: overloaded; attempt 2 of 4 in 1.5 s
    ✗ HTTP 500: gone
      body
    r tries again
    ");
    scene.event(Event::AgentStart { messages: Vec::new() });
    scene.ends(Some("broken"), false);
    assert_eq!(scene.rows(60), "✗ broken\n");
    scene.event(Event::AgentStart { messages: Vec::new() });
    scene.begin_answer();
    scene.piece(StreamEvent::TextDelta { delta: "Half".to_owned() });
    scene.ends(None, true);
    assert_eq!(scene.rows(60), "\nHalf\n\nstopped\n");
}

#[test]
fn an_answer_that_did_not_stream_and_one_that_was_cut() {
    let mut scene = Scene::new();
    scene.begin_answer();
    let message = Arc::new(answer("Whole *text*", Some(StopReason::MaxTokens)));
    scene.event(Event::MessageEnd { message });
    assert_eq!(
        scene.rows(60),
        "Whole text\n\nthe answer was cut off at the model's output limit\n"
    );
}

#[test]
fn an_answer_is_the_same_however_its_pieces_come() {
    let text = "\n\n    code\n\nText";
    let pieces: [&[&str]; 3] =
        [&[text], &["\n", "\n ", "   ", "code\n\n", "Text"], &["\n\n    c", "ode\n\nText"]];
    let shown = pieces.map(|pieces| {
        let mut scene = Scene::new();
        scene.begin_answer();
        for piece in pieces {
            scene.piece(StreamEvent::TextDelta { delta: (*piece).to_owned() });
        }
        scene.ends(None, false);
        scene.rows(60)
    });
    assert_eq!(shown, ["code\n\nText\n"; 3]);
}

#[test]
fn thinking_after_text_ends_what_was_said() {
    let mut scene = Scene::new();
    scene.begin_answer();
    scene.piece(StreamEvent::TextDelta { delta: "One".to_owned() });
    scene.thinks("Hm");
    assert_eq!(scene.rows(60), "One\n");
    assert_eq!(scene.live(60, 9), "\n⠋ thinking\n");
    scene.piece(StreamEvent::TextDelta { delta: " two".to_owned() });
    scene.ends(None, false);
    assert_eq!(scene.rows(60), "\nthought for 0 s\n\ntwo\n");
}

#[test]
fn entries_that_are_no_messages() {
    let mut scene = Scene::new();
    for (kind, payload) in [
        ("compaction", json!({"summary": "s", "collapsed_count": 7})),
        ("model_change", json!({"model": "other"})),
        ("reset", json!({})),
        ("go_to", json!({})),
        ("todo", json!({"title": "Next\nsteps"})),
        ("odd", json!({"n": [1]})),
        ("bare", json!({})),
    ] {
        scene.message(custom(kind, payload));
    }
    insta::assert_snapshot!(scene.rows(60), @r#"
    a summary stands for 7 older messages from here on
    the model is other from here on
    a new conversation begins here
    the conversation goes on from here
    todo: Next
    steps
    odd {"n":[1]}
    bare
    "#);
}

#[test]
fn one_line_is_one_line() {
    for (tool, text, details, said) in [
        ("read", "1\ta", json!({"lines_returned": 1, "total_lines": 1}), "1 line"),
        ("read", "1\ta", json!({"lines_returned": 1, "total_lines": 9}), "1 of 9 lines"),
        ("read", "1\ta\n2\tb", json!({"lines_returned": 2, "total_lines": 2}), "2 lines"),
        ("skill_a", "a", json!({}), "1 line"),
        ("skill_a", "a\nb", json!({}), "2 lines"),
    ] {
        let mut scene = Scene::new();
        scene.calls("1", tool, json!({"path": "a.rs"}));
        scene.gives("1", text, false, details);
        assert_eq!(scene.rows(60), format!("● {tool} a.rs  {said}\n"));
    }
}

#[test]
fn a_picture_that_the_text_names_is_told_once() {
    let image =
        |mime: &str| ContentPart::Image { data: "A".repeat(4_000), mime_type: mime.to_owned() };
    let named = "look @a.png\n\n[attached: a.png (image/png, 9x9)]";
    for (images, expected) in [
        (vec![image("image/png")], ""),
        (vec![image("image/png"), image("image/png")], "  [picture image/png, 3 KB]\n"),
        (vec![image("image/gif"), image("image/png")], "  [picture image/gif, 3 KB]\n"),
    ] {
        let mut scene = Scene::new();
        let mut message = user(named);
        if let Message::User(message) = &mut message {
            message.content.extend(images);
        }
        scene.message(message);
        let rows = scene.rows(60);
        let behind = rows.split_once("9x9)]\n").expect("the picture's name").1;
        assert_eq!(behind, expected);
    }
}

#[test]
fn pictures_are_notes() {
    let mut scene = Scene::new();
    let image = |data: String| ContentPart::Image { data, mime_type: "image/png".to_owned() };
    let content = vec![ContentPart::text("See:"), image("A".repeat(4_000))];
    scene.message(Message::User(UserMessage {
        id: "u".into(),
        content,
        timestamp: 0.0,
        meta: Meta::new(),
    }));
    assert_eq!(scene.rows(60), "› See:\n  [picture image/png, 3 KB]\n");
}

#[test]
fn a_session_that_goes_on_is_recalled() {
    let mut scene = Scene::new();
    let messages: Vec<Arc<Message>> = [
        user("First"),
        answer("One", None),
        user("Second"),
        answer(&numbered(20).replace('\n', "\n\n"), None),
        result("1", "x", false, json!({})),
    ]
    .map(Arc::new)
    .to_vec();
    scene.transcript.recap(&messages, 4);
    insta::assert_snapshot!(scene.rows(60), @r"
    the session goes on: 4 messages so far

    › Second

    line 1

    line 2

    line 3

    line 4

    line 5

    line 6
    … 29 lines more
    ");
    scene.transcript.recap(&[], 0);
    assert_eq!(scene.rows(60), "");
}

#[test]
fn an_open_question_is_recalled_without_the_answer_to_another() {
    for (messages, expected) in [
        (vec![user("First"), answer("One", None), user("Second")], "› Second\n"),
        (vec![user("First"), answer("One", None)], "› First\n\nOne\n"),
        // The question may be too far above to be among them.
        (vec![answer("One", None)], "One\n"),
        (vec![user("First"), answer("One", None), answer("", None)], "› First\n\nOne\n"),
    ] {
        let mut scene = Scene::new();
        let messages: Vec<Arc<Message>> = messages.into_iter().map(Arc::new).collect();
        scene.transcript.recap(&messages, messages.len());
        let rows = scene.rows(60);
        assert_eq!(rows.split_once("so far\n\n").expect("a heading").1, expected);
    }
}

#[test]
fn messages_of_before_are_shown_as_they_were() {
    let mut scene = Scene::new();
    let mut first = answer("I'll look.", None);
    if let Message::Assistant(message) = &mut first {
        let arguments = json!({"command": "ls"}).as_object().unwrap().clone();
        message.tool_calls = vec![ToolCall { id: "1".into(), name: "bash".to_owned(), arguments }];
    }
    let messages = [user("Hi"), first, result("1", "a.rs", false, json!({})), answer("Done", None)];
    scene.transcript.replay(&messages.map(Arc::new));
    insta::assert_snapshot!(scene.rows(60), @r"
    › Hi

    I'll look.

    ● bash ls
      a.rs

    Done
    ");
}

/// Each event that carries foreign text, with `text` in each of its places.
fn foreign(scene: &mut Scene, text: &str) {
    scene.message(user(text));
    scene.begin_answer();
    scene.thinks(text);
    scene.piece(StreamEvent::TextDelta { delta: text.to_owned() });
    let call = StreamEvent::ToolCallStart { tool_call_id: "0".into(), name: text.to_owned() };
    scene.piece(call);
    let partial = Partial { content: vec![ContentPart::text(text)], details: Meta::new() };
    scene.calls("1", text, json!({ "command": text }));
    scene.event(Event::ToolExecutionUpdate { tool_call_id: "1".into(), partial });
}

fn foreign_ends(scene: &mut Scene, text: &str) {
    scene.gives("1", text, false, json!({}));
    for name in ["read", "edit", "bash", "skill_x", text] {
        for (is_error, details) in [
            (false, json!({})),
            (true, json!({})),
            (
                false,
                json!({"diff": format!("--- {text}\n+++ {text}\n@@ -1 +1 @@\n-{text}\n+{text}\n{text}")}),
            ),
        ] {
            scene.calls("2", name, json!({ "path": text }));
            scene.gives("2", &format!("     1\t{text}\n{text}"), is_error, details);
            scene.transcript.unfold_last();
        }
    }
    scene.calls("3", "bash", json!({ text: text }));
    scene.message(custom(text, json!({ text: text })));
    scene.message(custom("todo", json!({ "text": text })));
    scene.message(custom("model_change", json!({ "model": text })));
    let reason = text.to_owned();
    scene.event(Event::Retry(RetryNotice {
        attempt: 2,
        total_attempts: 3,
        delay_seconds: f64::NAN,
        reason,
    }));
    scene.transcript.notice(text);
    scene.transcript.text(text);
    scene.transcript.recap(&[Arc::new(user(text)), Arc::new(answer(text, None))], 2);
    let picture = ContentPart::Image { data: text.to_owned(), mime_type: text.to_owned() };
    scene.message(Message::User(UserMessage {
        id: "u".into(),
        content: vec![picture],
        timestamp: 0.0,
        meta: Meta::new(),
    }));
    scene.event(Event::Error { error: text.to_owned(), recoverable: true });
    scene.ends(Some(text), true);
}

#[test]
fn a48_foreign_text_cannot_drive_the_terminal_wherever_it_stands() {
    let evil = "a\u{1b}]52;c;aGk=\u{7}\u{1b}[2J\u{9b}2J\u{202e}z";
    for text in [evil.to_owned(), format!("{evil}\n```{evil}\n{evil}\n")] {
        for (is_verbose, shows_thinking) in [(false, false), (true, true)] {
            let mut scene = Scene::new();
            scene.transcript.set_verbose(is_verbose);
            scene.transcript.set_shows_thinking(shows_thinking);
            foreign(&mut scene, &text);
            let mut rows = scene.transcript.take_finished(80);
            rows.extend(scene.transcript.live(80, 50, scene.now));
            foreign_ends(&mut scene, &text);
            rows.extend(scene.transcript.take_finished(80));
            assert!(rows.len() > 60, "{}", rows.len());
            for row in rows {
                let text = row.text();
                assert!(!text.contains(|c: char| c.is_control() || c == '\u{202e}'), "{text:?}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn a33_no_row_is_wider_than_the_screen(
        text in "\\PC{0,40}(\n\\PC{0,90}){0,3}",
        columns in 1usize..120,
        max_rows in 0usize..20,
        flags: (bool, bool),
    ) {
        let mut scene = Scene::new();
        scene.transcript.set_verbose(flags.0);
        scene.transcript.set_shows_thinking(flags.1);
        foreign(&mut scene, &text);
        let live = scene.transcript.live(columns, max_rows, scene.now);
        prop_assert!(live.len() <= max_rows);
        let mut rows = live;
        foreign_ends(&mut scene, &text);
        rows.extend(scene.transcript.take_finished(columns));
        for row in rows {
            prop_assert!(row.width() <= columns, "{:?} in {columns}", row.text());
        }
    }
}
