//! Thoughts: shown on demand, folded, kept in part.

use super::*;

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
