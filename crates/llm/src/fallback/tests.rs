//! Tests of what is left out after a refusal.

use super::*;
use crate::error::ErrorBody;
use crate::profile::lookup;

const ALL: Sent = Sent {
    stream_options: true,
    reasoning_effort: true,
    reasoning_split: true,
    reasoning: true,
    calls: true,
    null_content: true,
    images: true,
    tools: true,
};

const PLAIN: Sent = Sent {
    stream_options: true,
    reasoning_effort: false,
    reasoning_split: false,
    reasoning: false,
    calls: true,
    null_content: true,
    images: false,
    tools: true,
};

fn change(body: &str, sent: Sent) -> Option<Change> {
    let named = ErrorBody::read(body.as_bytes()).named;
    change_for(&Refusal { named }, sent, &lookup("127.0.0.1", "m"), /*first*/ false)
}

#[test]
fn w53_stream_options_refused() {
    for body in [
        r#"{"object":"error","message":{"detail":[{"type":"extra_forbidden","loc":["body","stream_options","include_usage"],"msg":"Extra inputs are not permitted","input":true}]},"type":"invalid_request_error","param":null,"code":null}"#,
        r#"{"error":{"message":"Unknown parameter: 'stream_options'"}}"#,
        r#"{"error":{"message":"Extra","param":"stream_options.include_usage"}}"#,
    ] {
        assert_eq!(change(body, PLAIN), Some(Change::DropStreamOptions), "{body}");
        assert_eq!(change(body, Sent::default()), None, "not sent, not to blame");
    }
}

#[test]
fn w53_a_wordless_refusal_of_an_unknown_host_the_first_time() {
    let refusal = Refusal { named: String::new() };
    let unknown = lookup("127.0.0.1", "m");
    let known = lookup("api.openai.com", "m");
    let expected = Some(Change::DropStreamOptions);
    assert_eq!(change_for(&refusal, PLAIN, &unknown, /*first*/ true), expected);
    assert_eq!(change_for(&refusal, PLAIN, &unknown, /*first*/ false), None);
    assert_eq!(change_for(&refusal, PLAIN, &known, /*first*/ true), None);
}

#[test]
fn w61_reasoning_effort_refused() {
    for body in [
        r#"{"error":{"message":"Unrecognized request argument supplied: reasoning_effort","type":"invalid_request_error","param":"reasoning_effort"}}"#,
        r#"{"error":{"message":"\"llama3.2\" does not support thinking"}}"#,
        r#"{"detail":[{"loc":["body","reasoning_effort"],"msg":"Input should be 'low' or 'high'"}]}"#,
    ] {
        assert_eq!(change(body, ALL), Some(Change::DropReasoningEffort), "{body}");
    }
}

#[test]
fn w23_w24_reasoning_demanded() {
    for body in [
        r#"{"error":{"message":"The `reasoning_content` in the thinking mode must be passed back to the API.","type":"invalid_request_error","param":null,"code":"invalid_request_error"}}"#,
        r#"{"error":{"message":"thinking is enabled but reasoning_content is missing in assistant tool call message at index 2","type":"invalid_request_error"}}"#,
    ] {
        assert_eq!(change(body, PLAIN), Some(Change::SendReasoning), "{body}");
        let named = ErrorBody::read(body.as_bytes()).named;
        let deepseek = lookup("api.deepseek.com", "m");
        assert_eq!(change_for(&Refusal { named }, PLAIN, &deepseek, false), None, "{body}");
    }
}

#[test]
fn w25_reasoning_forbidden() {
    for body in [
        r#"{"object":"error","message":{"detail":[{"type":"extra_forbidden","loc":["body","messages",1,"assistant","reasoning_content"],"msg":"Extra inputs are not permitted"}]},"type":"invalid_request_error"}"#,
        r#"{"error":{"message":"'messages.1' : property 'reasoning_content' is unsupported"}}"#,
        r#"{"error":{"message":"property 'messages.2.assistant.reasoning_details' is unsupported"}}"#,
        r#"{"detail":[{"loc":["body","messages",1,"reasoning"],"msg":"extra fields"}]}"#,
    ] {
        let sent = Sent { reasoning: true, ..PLAIN };
        assert_eq!(change(body, sent), Some(Change::DropReasoning), "{body}");
    }
}

#[test]
fn w26_signatures_demanded() {
    let body = r#"[{"error":{"code":400,"message":"Function call is missing a thought_signature in functionCall parts.","status":"INVALID_ARGUMENT"}}]"#;
    assert_eq!(change(body, PLAIN), Some(Change::FillSignatures));
    assert_eq!(change(body, Sent { calls: false, ..PLAIN }), None);
}

#[test]
fn w57_role_order_refused() {
    for body in [
        r#"{"object":"error","message":"Unexpected role 'user' after role 'tool'","type":"invalid_request_message_order","code":"3230"}"#,
        r#"{"error":{"message":"Conversation roles must alternate user/assistant/user/assistant/..."}}"#,
    ] {
        assert_eq!(change(body, PLAIN), Some(Change::StrictRoles), "{body}");
    }
}

#[test]
fn w62_null_content_refused() {
    for body in [
        r#"{"error":{"message":"messages[1].content: null is not allowed"}}"#,
        r#"{"detail":[{"loc":["body","messages",2,"content"],"msg":"none is not an allowed value"}]}"#,
        r#"{"error":{"message":"Field required: content"}}"#,
    ] {
        assert_eq!(change(body, PLAIN), Some(Change::EmptyContent), "{body}");
    }
}

#[test]
fn w59_empty_properties_refused() {
    let body =
        r#"[{"error":{"message":"parameters.properties: should be non-empty for OBJECT type"}}]"#;
    assert_eq!(change(body, PLAIN), Some(Change::DropEmptyProperties));
}

#[test]
fn w63_images_refused() {
    for body in [
        r#"{"error":{"message":"messages[1]: unknown variant `image_url`, expected `text`"}}"#,
        r#"{"error":{"message":"this model does not support image input"}}"#,
    ] {
        assert_eq!(change(body, ALL), Some(Change::DropImages), "{body}");
        assert_eq!(change(body, PLAIN), None, "{body}");
    }
}

#[test]
fn what_names_nothing_optional_changes_nothing() {
    for body in [
        r#"{"error":{"message":"no such model"}}"#,
        r#"{"error":{"message":"Invalid schema for function 'x'","param":"tools[0].function.parameters"}}"#,
        r#"{"error":{"message":"temperature must be between 0 and 2"}}"#,
    ] {
        assert_eq!(change(body, ALL), None, "{body}");
    }
}

#[test]
fn each_change_takes_away_its_own_cause() {
    let profile = lookup("127.0.0.1", "m");
    for change in [
        Change::DropStreamOptions,
        Change::DropReasoningEffort,
        Change::SendReasoning,
        Change::FillSignatures,
        Change::StrictRoles,
        Change::EmptyContent,
        Change::DropImages,
        Change::DropEmptyProperties,
    ] {
        assert_ne!(change.apply(profile), profile, "{change:?}");
    }
    let asked =
        Profile { reasoning_split: true, reasoning_back: ReasoningBack::Details, ..profile };
    assert!(!Change::DropReasoningSplit.apply(asked).reasoning_split);
    assert_eq!(Change::DropReasoning.apply(asked).reasoning_back, ReasoningBack::Never);
}
