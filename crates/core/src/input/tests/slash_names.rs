//! `/name`: commands, skills, templates, and what only looks like one.

use super::*;

#[tokio::test]
async fn a_command_is_named_by_the_first_word_and_no_template_hides_it() {
    for (text, name, arguments) in [
        ("/tools", "tools", ""),
        ("/tools  ", "tools", ""),
        ("/model gpt-4o  x ", "model", "gpt-4o  x"),
        ("/model\nx", "model", "x"),
    ] {
        let expected = Expanded::Command { name: name.into(), arguments: arguments.into() };
        assert_eq!(Desk::new().expand(text).await, Ok(expected), "{text:?}");
    }
}

#[tokio::test]
async fn skills_and_templates_are_put_in() {
    let desk = Desk::new();
    for (text, expected) in [
        ("/skill:code-review", "Skill code-review. Its files are in /s\n\nBODY"),
        (
            "/skill:code-review check this",
            "Skill code-review. Its files are in /s\n\nBODY\n\ncheck this",
        ),
        ("/skill:code_review x", "Skill code-review. Its files are in /s\n\nBODY\n\nx"),
        ("/skill:hidden", "Skill hidden. Its files are in /s\n\nBODY"),
        ("/fix the bug", "Fix: the bug"),
        ("/fix\nthe bug", "Fix: the bug"),
        ("/fix", "Fix:"),
    ] {
        assert_eq!(desk.sent(text).await, (expected.to_owned(), 0, Vec::new()), "{text:?}");
    }
}

#[tokio::test]
async fn what_only_looks_like_a_name_is_plain_text() {
    let desk = Desk::new();
    for text in [
        "/etc/hosts is odd",
        "/etc/hosts",
        "/",
        "/ fix",
        "//comment",
        "/* comment */",
        " /tools",
        "see /tools",
        "/-x",
        "",
    ] {
        desk.plain(text).await;
    }
}

#[tokio::test]
async fn an_unknown_name_with_a_message_is_sent_and_said() {
    let (text, _, notices) = Desk::new().sent("/fxi the bug").await;
    assert_eq!(text, "/fxi the bug");
    assert_eq!(notices, ["there is no command /fxi: the message is sent as it is"]);
}

#[tokio::test]
async fn an_unknown_name_alone_is_an_error_with_near_names() {
    let desk = Desk::new();
    for (text, expected) in [
        ("/tols", "there is no command or prompt template /tols; near names: /tools"),
        ("/fixx\n", "there is no command or prompt template /fixx; near names: /fix"),
        (
            "/qqqq",
            "there is no command or prompt template /qqqq; there is /tools, /model, /fix, /sly, \
             /skill:code-review and 1 more",
        ),
        ("/skill:code-reviw x", "there is no skill named \"code-reviw\"; near names: code-review"),
        ("/skill:", "there is no skill named \"\"; there is code-review, hidden"),
    ] {
        assert_eq!(desk.expand(text).await.unwrap_err().to_string(), expected, "{text:?}");
    }
}

#[tokio::test]
async fn with_nothing_at_hand_there_is_no_hint() {
    let mut desk = Desk::new();
    desk.skills.clear();
    let error = desk.expand("/skill:x").await.unwrap_err();
    assert_eq!(error.to_string(), "there is no skill named \"x\"");
}
