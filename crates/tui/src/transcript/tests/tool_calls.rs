//! Tool calls: under way, ended, folded.

use super::*;

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
