//! Answers as they come, fail and end.

use super::*;

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
