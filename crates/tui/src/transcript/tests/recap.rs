//! What is shown of a session that goes on.

use super::*;

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
