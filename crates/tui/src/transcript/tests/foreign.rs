//! Hostile text in each place that shows some.

use super::*;
use proptest::prelude::*;

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
