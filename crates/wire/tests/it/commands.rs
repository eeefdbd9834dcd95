//! Command lines: what is taken, and what a host is told about a line that is not.

use crate::check_both_ways;
use letscode_wire::{Command, CommandLine, Control, ImageData, RequestId, UpdateMode};
use serde_json::{Value, json};

fn prompt(text: &str) -> Command {
    Command::Prompt { text: text.to_owned(), images: vec![], expand: false }
}

fn image() -> ImageData {
    ImageData { data: "aGk=".to_owned(), mime_type: "image/png".to_owned() }
}

#[test]
fn every_command_has_its_shape() {
    let hello = |protocol: Option<&str>, updates| Command::Hello {
        protocol: protocol.map(str::to_owned),
        updates,
        ui: None,
    };
    let text = || "go on".to_owned();
    let steer = |expand| Command::Steer { text: text(), expand };
    let follow_up = |expand| Command::FollowUp { text: text(), expand };
    let files = |query: &str, limit| Command::Files { query: query.to_owned(), limit };
    let cases = [
        (hello(None, None), json!({"cmd": "hello"})),
        (
            hello(Some("letscode-rpc/1"), Some(UpdateMode::Delta)),
            json!({"cmd": "hello", "protocol": "letscode-rpc/1", "updates": "delta"}),
        ),
        (hello(None, Some(UpdateMode::Full)), json!({"cmd": "hello", "updates": "full"})),
        (prompt("hi"), json!({"cmd": "prompt", "text": "hi"})),
        (
            Command::Prompt { text: "hi".to_owned(), images: vec![image()], expand: false },
            json!({"cmd": "prompt", "text": "hi",
                   "images": [{"data": "aGk=", "mime_type": "image/png"}]}),
        ),
        (
            Command::Prompt { text: "hi".to_owned(), images: vec![], expand: true },
            json!({"cmd": "prompt", "text": "hi", "expand": true}),
        ),
        (steer(false), json!({"cmd": "steer", "text": "go on"})),
        (steer(true), json!({"cmd": "steer", "text": "go on", "expand": true})),
        (follow_up(false), json!({"cmd": "follow_up", "text": "go on"})),
        (follow_up(true), json!({"cmd": "follow_up", "text": "go on", "expand": true})),
        (Command::Abort, json!({"cmd": "abort"})),
        (Command::Reset, json!({"cmd": "reset"})),
        (Command::Compact { bias: None }, json!({"cmd": "compact"})),
        (Command::Compact { bias: Some(text()) }, json!({"cmd": "compact", "bias": "go on"})),
        (Command::Retry, json!({"cmd": "retry"})),
        (Command::State, json!({"cmd": "state"})),
        (Command::Messages { last: None }, json!({"cmd": "messages"})),
        (Command::Messages { last: Some(3) }, json!({"cmd": "messages", "last": 3})),
        (Command::Usage, json!({"cmd": "usage"})),
        (Command::Queue, json!({"cmd": "queue"})),
        (Command::Unqueue, json!({"cmd": "unqueue"})),
        (Command::Tools, json!({"cmd": "tools"})),
        (Command::Name { text: None }, json!({"cmd": "name"})),
        (Command::Name { text: Some(text()) }, json!({"cmd": "name", "text": "go on"})),
        (Command::Tree, json!({"cmd": "tree"})),
        (Command::Fork { entry: None }, json!({"cmd": "fork"})),
        (Command::Fork { entry: Some(3) }, json!({"cmd": "fork", "entry": 3})),
        (Command::Clone, json!({"cmd": "clone"})),
        (Command::New, json!({"cmd": "new"})),
        (Command::Resume { session: text() }, json!({"cmd": "resume", "session": "go on"})),
        (Command::Sessions { all: false }, json!({"cmd": "sessions"})),
        (Command::Sessions { all: true }, json!({"cmd": "sessions", "all": true})),
        (Command::Search { query: text(), all: false }, json!({"cmd": "search", "query": "go on"})),
        (
            Command::Search { query: text(), all: true },
            json!({"cmd": "search", "query": "go on", "all": true}),
        ),
        (
            Command::Rename { session: "2".to_owned(), text: text() },
            json!({"cmd": "rename", "session": "2", "text": "go on"}),
        ),
        (Command::Delete { session: text() }, json!({"cmd": "delete", "session": "go on"})),
        (Command::GoTo { entry: 7 }, json!({"cmd": "go_to", "entry": 7})),
        (Command::SetModel { model: text() }, json!({"cmd": "set_model", "model": "go on"})),
        (Command::SetThinking { level: text() }, json!({"cmd": "set_thinking", "level": "go on"})),
        (Command::Commands, json!({"cmd": "commands"})),
        (Command::RunCommand { text: text() }, json!({"cmd": "run_command", "text": "go on"})),
        (Command::Models, json!({"cmd": "models"})),
        (Command::Skills, json!({"cmd": "skills"})),
        (Command::Plugins, json!({"cmd": "plugins"})),
        (Command::Export { path: None }, json!({"cmd": "export"})),
        (Command::Export { path: Some(text()) }, json!({"cmd": "export", "path": "go on"})),
        (Command::Copy, json!({"cmd": "copy"})),
        (Command::Share, json!({"cmd": "share"})),
        (files("", None), json!({"cmd": "files", "query": ""})),
        (files("ma", Some(3)), json!({"cmd": "files", "query": "ma", "limit": 3})),
        (Command::History { add: None, limit: None }, json!({"cmd": "history"})),
        (
            Command::History { add: Some(text()), limit: Some(3) },
            json!({"cmd": "history", "add": "go on", "limit": 3}),
        ),
        (
            Command::Hello { protocol: None, updates: None, ui: Some(true) },
            json!({"cmd": "hello", "ui": true}),
        ),
        (Command::Reload, json!({"cmd": "reload"})),
        (Command::Trust { trust: None }, json!({"cmd": "trust"})),
        (Command::Trust { trust: Some(false) }, json!({"cmd": "trust", "trust": false})),
        (
            Command::UiResponse { request_id: "ui1".into(), value: None },
            json!({"cmd": "ui_response", "request_id": "ui1"}),
        ),
        (
            Command::UiResponse { request_id: "ui1".into(), value: Some(json!(2)) },
            json!({"cmd": "ui_response", "request_id": "ui1", "value": 2}),
        ),
        (Command::Bye, json!({"cmd": "bye"})),
    ];
    for (command, json) in cases {
        check_both_ways(&command, &json);
        let parsed = CommandLine::parse(json.to_string().as_bytes());
        assert_eq!(parsed, Ok(CommandLine { id: RequestId::default(), command }), "{json}");
    }
}

#[test]
fn any_json_value_is_an_id() {
    let ids =
        [json!("r1"), json!(7), json!(-1.5), json!(true), json!(null), json!([1]), json!({"a": 1})];
    for id in ids {
        let line = json!({"cmd": "abort", "id": id}).to_string();
        let parsed = CommandLine::parse(line.as_bytes());
        assert_eq!(parsed, Ok(CommandLine { id: id.into(), command: Command::Abort }));
    }
}

#[test]
fn an_id_comes_back_as_it_was_written() {
    for (written, expected) in [
        ("7", "7"),
        ("-9223372036854775808", "-9223372036854775808"),
        ("18446744073709551615", "18446744073709551615"),
        ("18446744073709551616", "18446744073709551616"),
        ("123456789012345678901234567890", "123456789012345678901234567890"),
        ("1.10", "1.10"),
        ("[18446744073709551616, 1.0]", "[18446744073709551616, 1.0]"),
        ("null", "null"),
        ("\"a\"", "\"a\""),
    ] {
        let line = format!("{{\"id\": {written} ,\"cmd\":\"abort\"}}");
        let id = CommandLine::parse(line.as_bytes()).map(|line| line.id).unwrap_or_default();
        assert_eq!(id.as_json(), expected);
        let ack = serde_json::to_string(&Control::Ack { id }).unwrap();
        assert_eq!(ack, format!("{{\"type\":\"ack\",\"id\":{expected}}}"));
    }
}

#[test]
fn unknown_and_null_optional_fields_are_let_pass() {
    let lines = [
        r#"{"cmd":"prompt","text":"hi","expand":false}"#,
        r#"{"text":"hi","cmd":"prompt","images":[]}"#,
        r#"{"text":"hi","cmd":"prompt","images":null,"expand":null}"#,
        " {\"cmd\":\"prompt\",\"text\":\"hi\"} \t",
    ];
    for line in lines {
        let parsed = CommandLine::parse(line.as_bytes()).map(|line| line.command);
        assert_eq!(parsed, Ok(prompt("hi")), "{line}");
    }
    let hello = CommandLine::parse(br#"{"cmd":"hello","protocol":null,"updates":null,"ui":null}"#);
    let expected = Command::Hello { protocol: None, updates: None, ui: None };
    assert_eq!(hello.map(|line| line.command), Ok(expected));
}

#[test]
fn a_bad_line_is_refused_with_its_id_and_a_reason() {
    let known = ", abort, reset, compact, retry, state, messages, usage, queue, unqueue, tools, \
                 name, tree, fork, clone, new, resume, sessions, search, rename, delete, go_to, \
                 set_model, set_thinking, commands, run_command, models, skills, plugins, \
                 export, copy, share, files, history, reload, trust, ui_response, bye";
    let cases: [(&[u8], Value, &str); 15] = [
        (b"{", Value::Null, "the line is not JSON: "),
        (b"hello", Value::Null, "the line is not JSON: "),
        (b"{\"cmd\":\"abort\"} x", Value::Null, "the line is not JSON: "),
        (b"{\"cmd\":\"abort\",}", Value::Null, "the line is not JSON: "),
        (b"{\"cmd\":\"steer\",\"text\":\"\xff\"}", Value::Null, "the line is not JSON: "),
        (b"[]", Value::Null, "the line is not a JSON object"),
        (b"\"abort\"", Value::Null, "the line is not a JSON object"),
        (b"null", Value::Null, "the line is not a JSON object"),
        (b"{\"id\":1}", json!(1), "no \"cmd\" in the object; "),
        (b"{\"id\":1,\"cmd\":7}", json!(1), "no \"cmd\" in the object; "),
        (b"{\"id\":\"r\",\"cmd\":\"dance\"}", json!("r"), "unknown command \"dance\"; "),
        (b"{\"id\":\"r\",\"cmd\":\"Abort\"}", json!("r"), "unknown command \"Abort\"; "),
        (b"{\"id\":\"r\",\"cmd\":\"prompt\"}", json!("r"), "bad prompt command: missing field"),
        (b"{\"id\":\"r\",\"cmd\":\"steer\",\"text\":7}", json!("r"), "bad steer command: "),
        (
            b"{\"id\":\"r\",\"cmd\":\"prompt\",\"text\":\"\",\"images\":[{\"data\":\"\"}]}",
            json!("r"),
            "bad prompt command: missing field",
        ),
    ];
    for (line, id, reason) in cases {
        let shown = String::from_utf8_lossy(line);
        let error = CommandLine::parse(line).unwrap_err();
        assert_eq!(error.id, id.into(), "{shown}");
        assert!(error.reason.starts_with(reason), "{shown}: {}", error.reason);
        assert!(!error.reason.ends_with("; ") && !error.reason.contains('\n'), "{}", error.reason);
        if reason.ends_with("; ") {
            assert!(error.reason.ends_with(known), "{}", error.reason);
        }
    }
}

#[test]
fn deep_nesting_is_refused_and_does_not_overflow_the_stack() {
    let line = format!("{{\"cmd\":\"abort\",\"id\":{}1{}}}", "[".repeat(5000), "]".repeat(5000));
    let error = CommandLine::parse(line.as_bytes()).unwrap_err();
    assert!(error.reason.starts_with("the line is not JSON: "), "{}", error.reason);
}

#[test]
fn a_byte_order_mark_and_halves_of_characters_do_no_harm() {
    let prompt = |text: &str| {
        let (text, images) = (text.to_owned(), Vec::new());
        Ok(CommandLine { id: "p".into(), command: Command::Prompt { text, images, expand: false } })
    };
    for (line, text) in [
        ("\u{feff}{\"cmd\":\"prompt\",\"id\":\"p\",\"text\":\"hi\"}", "hi"),
        (r#"{"cmd":"prompt","id":"p","text":"a\ud83eb"}"#, "a\u{fffd}b"),
        (r#"{"cmd":"prompt","id":"p","text":"\ud83e\udd14"}"#, "🤔"),
    ] {
        assert_eq!(CommandLine::parse(line.as_bytes()), prompt(text), "{line}");
    }
}
