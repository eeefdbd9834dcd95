//! Refused optional parts: one resend without them, no retry, and they stay away.

use super::*;

/// Runs twice against a server that refuses once.
async fn refuse_once(
    status: u16,
    refusal: &str,
    request: fn(&str) -> ModelRequest,
    change: fn(&mut ClientConfig),
) -> (Outcome, Vec<Value>) {
    let server =
        Server::start([Reply::error(status, refusal), Reply::word("one"), Reply::word("two")])
            .await;
    let client = client_with(&server, change);
    let first = run_request(&client, request(&server.host())).await;
    assert_eq!((first.text().as_str(), first.retries().len()), ("one", 0), "{refusal}");
    let second = run_request(&client, request(&server.host())).await;
    assert_eq!((second.text().as_str(), second.notices.len()), ("two", 0), "{refusal}");
    let bodies = server.bodies();
    assert_eq!(bodies.len(), 3);
    assert_eq!(bodies[1], bodies[2], "what was learned is kept");
    assert_ne!(bodies[0], bodies[1]);
    (first, bodies)
}

fn simple(_host: &str) -> ModelRequest {
    request()
}

#[tokio::test]
async fn w53_stream_options() {
    let refusal = r#"{"object":"error","message":{"detail":[{"type":"extra_forbidden","loc":["body","stream_options","include_usage"],"msg":"Extra inputs are not permitted","input":true}]},"type":"invalid_request_error","param":null,"code":null}"#;
    let (outcome, bodies) = refuse_once(422, refusal, simple, |_| {}).await;
    assert!(bodies[0].get("stream_options").is_some());
    assert!(bodies[1].get("stream_options").is_none());
    assert!(outcome.notices.is_empty(), "it makes no difference to the user");
}

#[tokio::test]
async fn w53_a_refusal_without_a_word() {
    for status in [400, 422] {
        let (_, bodies) = refuse_once(status, "", simple, |_| {}).await;
        assert!(bodies[1].get("stream_options").is_none());
    }
}

#[tokio::test]
async fn w53_a_guess_that_did_not_help_is_not_kept() {
    let server =
        Server::start([Reply::error(400, ""), Reply::error(400, ""), Reply::word("one")]).await;
    let client = client(&server);
    assert!(run(&client).await.error().1.contains("gives no reason"));
    assert_eq!(run(&client).await.text(), "one");
    let with: Vec<bool> =
        server.bodies().iter().map(|body| body.get("stream_options").is_some()).collect();
    assert_eq!(with, [true, false, true]);
}

#[tokio::test]
async fn w61_a_thinking_level_and_the_user_is_told() {
    let refusal = r#"{"error":{"message":"Unrecognized request argument supplied: reasoning_effort","type":"invalid_request_error","param":"reasoning_effort"}}"#;
    let think = |config: &mut ClientConfig| config.thinking = Some("high".into());
    let (outcome, bodies) = refuse_once(400, refusal, simple, think).await;
    assert_eq!(bodies[0]["reasoning_effort"], "high");
    assert!(bodies[1].get("reasoning_effort").is_none());
    assert!(bodies[1].get("stream_options").is_some(), "nothing else is dropped");
    assert_eq!(
        outcome.notices,
        ["the server does not take a thinking level for m: going on without it"]
    );
}

#[tokio::test]
async fn w61_several_parts_one_after_the_other() {
    let refuse = |name: &str| Reply::error(400, &format!(r#"{{"error":{{"param":"{name}"}}}}"#));
    let server =
        Server::start([refuse("reasoning_effort"), refuse("stream_options"), Reply::word("one")])
            .await;
    let client = client_with(&server, |config| config.thinking = Some("low".into()));
    assert_eq!(run(&client).await.text(), "one");
    assert_eq!(server.bodies()[2].as_object().unwrap().len(), 3);
}

#[tokio::test]
async fn w61_the_same_refusal_again_is_final() {
    let refusal = r#"{"error":{"message":"stream_options, again","param":"stream_options"}}"#;
    let server = Server::start([Reply::error(400, refusal), Reply::error(400, refusal)]).await;
    let outcome = run(&client(&server)).await;
    assert_eq!(outcome.error().0, ModelErrorKind::Rejected);
    assert_eq!(server.received().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn w61_a_resend_costs_no_retry() {
    let refusal = r#"{"error":{"param":"stream_options"}}"#;
    let server = Server::start([
        Reply::status(503, &[], ""),
        Reply::error(400, refusal),
        Reply::status(503, &[], ""),
        Reply::word("one"),
    ])
    .await;
    let outcome = run(&client(&server)).await;
    assert_eq!((outcome.text().as_str(), outcome.retries().len()), ("one", 2));
}

#[tokio::test]
async fn w23_w24_reasoning_is_sent_where_a_server_demands_it() {
    for refusal in [
        r#"{"error":{"message":"The `reasoning_content` in the thinking mode must be passed back to the API.","type":"invalid_request_error","param":null,"code":"invalid_request_error"}}"#,
        r#"{"error":{"message":"thinking is enabled but reasoning_content is missing in assistant tool call message at index 2","type":"invalid_request_error"}}"#,
    ] {
        let (_, bodies) = refuse_once(400, refusal, request_with_loop, |_| {}).await;
        assert!(bodies[0]["messages"][2].get("reasoning_content").is_none());
        assert_eq!(bodies[1]["messages"][2]["reasoning_content"], "plan");
    }
}

#[tokio::test]
async fn w25_reasoning_is_dropped_where_a_server_forbids_it() {
    let demand = r#"{"error":"reasoning_content is missing"}"#;
    let forbid = r#"{"message":{"detail":[{"type":"extra_forbidden","loc":["body","messages",1,"assistant","reasoning_content"],"msg":"Extra inputs are not permitted"}]}}"#;
    let server = Server::start([
        Reply::error(400, demand),
        Reply::word("one"),
        Reply::error(422, forbid),
        Reply::word("two"),
    ])
    .await;
    let client = client(&server);
    let request = || request_with_loop(&server.host());
    assert_eq!(run_request(&client, request()).await.text(), "one");
    assert_eq!(run_request(&client, request()).await.text(), "two");
    let with: Vec<bool> = server
        .bodies()
        .iter()
        .map(|body| body["messages"][2].get("reasoning_content").is_some())
        .collect();
    assert_eq!(with, [false, true, true, false]);
}

#[tokio::test]
async fn w26_signatures_are_filled_in_where_a_server_demands_them() {
    let refusal = r#"[{"error":{"code":400,"message":"Function call is missing a thought_signature in functionCall parts.","status":"INVALID_ARGUMENT"}}]"#;
    let (_, bodies) = refuse_once(400, refusal, request_with_loop, |_| {}).await;
    assert!(bodies[0]["messages"][2]["tool_calls"][0].get("extra_content").is_none());
    assert!(bodies[1]["messages"][2]["tool_calls"][0].get("extra_content").is_some());
}

#[tokio::test]
async fn w57_roles_alternate_where_a_server_demands_it() {
    let refusal = r#"{"error":{"message":"Conversation roles must alternate user/assistant/user/assistant/..."}}"#;
    let twice = |_: &str| ModelRequest { messages: vec![user("1"), user("2")], ..request() };
    let (_, bodies) = refuse_once(400, refusal, twice, |_| {}).await;
    assert_eq!(bodies[0]["messages"].as_array().unwrap().len(), 3);
    assert_eq!(bodies[1]["messages"][1], json!({"role": "user", "content": "1\n\n2"}));
}

#[tokio::test]
async fn w62_null_content_becomes_an_empty_text() {
    let refusal = r#"{"error":{"message":"messages[2].content: null is not allowed"}}"#;
    let (_, bodies) = refuse_once(400, refusal, request_with_loop, |_| {}).await;
    assert!(bodies[0]["messages"][2]["content"].is_null());
    assert_eq!(bodies[1]["messages"][2]["content"], "");
}

#[tokio::test]
async fn w53_a_refusal_within_a_stream() {
    let error = json!({"error": {"code": 400, "message": "Unknown parameter: stream_options"}});
    let server = Server::start([Reply::stream(&[error]), Reply::word("one")]).await;
    let outcome = run(&client(&server)).await;
    assert_eq!((outcome.text().as_str(), outcome.retries().len()), ("one", 0));
    assert!(server.bodies()[1].get("stream_options").is_none());
}
