//! Whole conversations, and the width of the screen.

use super::*;

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
