//! Entries that are no plain message, and pictures.

use super::*;

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
