//! Every kind of content that a server may answer with.

use super::*;
use rmcp::model::Resource;
use serde_json::{Value, json};

fn output(result: Value) -> ToolOutput {
    tool_output(serde_json::from_value(result).unwrap(), &Masks::default())
}

fn texts(output: &ToolOutput) -> Vec<String> {
    let texts = output.content.iter().map(|part| match part {
        ContentPart::Text { text } => text.clone(),
        ContentPart::Image { mime_type, data } => format!("<{mime_type} {data}>"),
    });
    texts.collect()
}

#[test]
fn every_kind_of_content_has_its_form() {
    let output = output(json!({"content": [
        {"type": "text", "text": "hi"},
        {"type": "image", "data": "iVBO\nRw==", "mimeType": "image/png"},
        {"type": "image", "data": "AAAA", "mimeType": "image/tiff"},
        {"type": "audio", "data": "AAAAAAAA", "mimeType": "audio/wav"},
        {"type": "resource", "resource": {"uri": "a://b", "text": "inside"}},
        {"type": "resource", "resource": {"uri": "a://c", "mimeType": "x/y", "blob": "AAAA"}},
        {"type": "resource", "resource": {"uri": "a://d", "mimeType": "image/gif", "blob": "AAAA"}},
        {"type": "resource_link", "uri": "a://e", "name": "E", "description": "an e"},
    ]}));
    insta::assert_debug_snapshot!(texts(&output), @r#"
    [
        "hi",
        "<image/png iVBORw==>",
        "[picture: image/tiff, 3 bytes, not shown]",
        "[sound: audio/wav, 6 bytes, not played]",
        "[resource a://b]\ninside",
        "[resource a://c: x/y, 3 bytes, not shown]",
        "<image/gif AAAA>",
        "[link to the resource a://e: E, an e]",
    ]
    "#);
    assert!(!output.is_error);
}

#[test]
fn structured_content_is_text_where_there_is_none_and_always_a_detail() {
    let alone = output(json!({"structuredContent": {"a": 1}, "content": []}));
    assert_eq!(texts(&alone), [r#"{"a":1}"#]);
    assert_eq!(alone.details["structured_content"], json!({"a": 1}));
    let beside = output(
        json!({"structuredContent": {"a": 1}, "content": [{"type": "text", "text": "one"}]}),
    );
    assert_eq!(texts(&beside), ["one"]);
    assert_eq!(beside.details["structured_content"], json!({"a": 1}));
}

#[test]
fn an_error_stays_one_and_nothing_is_said_to_be_nothing() {
    let failed = output(json!({"content": [{"type": "text", "text": "no"}], "isError": true}));
    assert!(failed.is_error);
    assert_eq!(texts(&output(json!({"content": []}))), ["(the tool answered nothing)"]);
}

#[test]
fn huge_answers_are_bounded() {
    let text = "é".repeat(MOST_TEXT);
    let output = output(json!({"content": [
        {"type": "text", "text": text}, {"type": "text", "text": "more"}]}));
    let texts = texts(&output);
    assert!(texts.concat().len() < MOST_TEXT + 200);
    assert_eq!(texts.len(), 2, "the second text is gone as a whole");
    assert!(texts[1].starts_with("[cut here: "), "{}", texts[1]);
    let picture =
        json!({"type": "image", "data": "A".repeat(MOST_IMAGE + 4), "mimeType": "image/png"});
    let large = tool_output(
        serde_json::from_value(json!({"content": [picture]})).unwrap(),
        &Masks::default(),
    );
    assert!(
        matches!(&large.content[..], [ContentPart::Text { text }] if text.contains("too large"))
    );
}

#[test]
fn secrets_are_masked_in_text_and_details() {
    let mut masks = Masks::default();
    masks.add("Bearer abcdefgh12345");
    let result = json!({"structuredContent": {"k": "abcdefgh12345"},
                        "content": [{"type": "text", "text": "key abcdefgh12345!"}]});
    let output = tool_output(serde_json::from_value(result).unwrap(), &masks);
    assert!(!serde_json::to_string(&output).unwrap().contains("abcdefgh12345"));
}

#[test]
fn a_link_without_more_is_short() {
    let link = ContentBlock::ResourceLink(Resource::new("a://x", "X"));
    assert!(
        matches!(part(link), ContentPart::Text { text } if text == "[link to the resource a://x: X]")
    );
}

#[test]
fn one_line_is_one_short_line() {
    assert_eq!(one_line("a\n b\tc", 10), "a b c");
    assert_eq!(one_line("abcdef", 4), "abc…");
}
