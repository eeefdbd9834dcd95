//! What is asked of the user: every kind with every field, and what may be left out.

use crate::{check_both_ways, check_read};
use letscode_wire::{Event, UiLevel, UiRequest};
use serde_json::{Value, json};

#[test]
fn every_request_is_written_with_every_field() {
    let text = || "t".to_owned();
    let cases: [(UiRequest, Value, bool); 6] = [
        (
            UiRequest::Notify { text: text(), level: UiLevel::Warning },
            json!({"kind": "notify", "text": "t", "level": "warning"}),
            false,
        ),
        (
            UiRequest::Confirm { title: "Run".to_owned(), text: text() },
            json!({"kind": "confirm", "title": "Run", "text": "t"}),
            true,
        ),
        (
            UiRequest::Select { text: text(), options: vec!["a".to_owned(), "b".to_owned()] },
            json!({"kind": "select", "text": "t", "options": ["a", "b"]}),
            true,
        ),
        (
            UiRequest::Input { text: text(), placeholder: Some("p".to_owned()), default: None },
            json!({"kind": "input", "text": "t", "placeholder": "p", "default": null}),
            true,
        ),
        (
            UiRequest::Status { key: "k".to_owned(), text: Some(text()) },
            json!({"kind": "status", "key": "k", "text": "t"}),
            false,
        ),
        (
            UiRequest::Status { key: String::new(), text: None },
            json!({"kind": "status", "key": "", "text": null}),
            false,
        ),
    ];
    for (request, json, is_question) in cases {
        check_both_ways(&request, &json);
        assert_eq!(request.is_question(), is_question, "{json}");
        check_both_ways(
            &Event::UiRequest { request_id: "ui1".into(), request },
            &json!({"type": "ui_request", "request_id": "ui1", "request": json}),
        );
    }
    check_both_ways(
        &Event::UiWithdrawn { request_id: "ui1".into() },
        &json!({"type": "ui_withdrawn", "request_id": "ui1"}),
    );
}

#[test]
fn what_may_be_left_out_takes_its_default() {
    check_read(
        r#"{"kind":"notify","text":"t"}"#,
        &UiRequest::Notify { text: "t".to_owned(), level: UiLevel::Info },
    );
    check_read(
        r#"{"kind":"confirm","text":"t"}"#,
        &UiRequest::Confirm { title: String::new(), text: "t".to_owned() },
    );
    check_read(
        r#"{"kind":"input","text":"t"}"#,
        &UiRequest::Input { text: "t".to_owned(), placeholder: None, default: None },
    );
    check_read(r#"{"kind":"status"}"#, &UiRequest::Status { key: String::new(), text: None });
}
