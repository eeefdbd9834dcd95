//! Streams that fail in the middle, and silence.

use super::*;

fn error_event(error: &Value) -> Value {
    json!({"error": error, "choices": [{"index": 0, "delta": {"content": ""}, "finish_reason": "error"}]})
}

#[tokio::test(start_paused = true)]
async fn w39_an_overloaded_provider_within_a_stream_is_tried_again() {
    let error = error_event(&json!({"code": 502, "message": "Provider disconnected"}));
    let server = Server::start([Reply::stream(&[chunk("par"), error]), Reply::word("whole")]).await;
    let outcome = run(&client(&server)).await;
    assert_eq!(outcome.text(), "whole");
    let reason = &outcome.retries()[0].reason;
    assert!(reason.contains("HTTP 502") && reason.contains("Provider disconnected"), "{reason}");
}

#[tokio::test]
async fn w39_other_errors_within_a_stream_are_final() {
    let table = [
        (json!({"code": 401, "message": "no"}), ModelErrorKind::Authentication),
        (json!({"type": "invalid_request_error", "message": "no"}), ModelErrorKind::Rejected),
        (
            json!({"code": "context_length_exceeded", "message": "no"}),
            ModelErrorKind::ContextOverflow,
        ),
    ];
    for (error, kind) in table {
        let server = Server::start([Reply::stream(&[chunk("par"), error_event(&error)])]).await;
        let outcome = run(&client(&server)).await;
        assert_eq!(outcome.error().0, kind);
        assert_eq!(server.received().len(), 1);
    }
}

#[tokio::test]
async fn w39_an_event_named_error() {
    let event = "event: error\ndata: {\"error\":\"quota exceeded\"}\n\n";
    let server = Server::start([Reply::open_stream(&[]).chunk(event).end()]).await;
    let outcome = run(&client(&server)).await;
    assert_eq!(outcome.error().0, ModelErrorKind::Quota);
    assert!(outcome.error().1.contains("quota exceeded"), "{outcome:?}");
}

#[tokio::test]
async fn w65_overflow_is_not_sent_again() {
    let body = r#"{"error":{"code":400,"message":"request (9 tokens) exceeds the available context size (8 tokens)","type":"exceed_context_size_error"}}"#;
    let server = Server::start([Reply::error(400, body)]).await;
    let outcome = run(&client(&server)).await;
    assert_eq!(outcome.error().0, ModelErrorKind::ContextOverflow);
    assert_eq!(server.received().len(), 1);
}

#[tokio::test]
async fn w40_signs_of_life_without_events_are_a_stall() {
    let server =
        Server::start([Reply::open_stream(&[chunk("x")]).repeat(": keep-alive\n\n")]).await;
    let client = client_with(&server, |config| {
        config.timeout = Duration::from_millis(150);
        config.max_retries = 0;
    });
    let outcome = run(&client).await;
    let (kind, message) = outcome.error();
    assert_eq!(kind, ModelErrorKind::Stalled);
    assert!(message.contains("nothing but signs of life for 0.15 s"), "{message}");
    tokio::time::timeout(LIMIT, server.peer_gone()).await.expect("the connection is closed");
}

#[tokio::test]
async fn w40_silence_is_a_stall_before_and_within_the_answer() {
    for reply in [
        Reply::raw("").hang(),
        Reply::open_stream(&[]).hang(),
        Reply::open_stream(&[chunk("x")]).hang(),
    ] {
        let server = Server::start([reply]).await;
        let client = client_with(&server, |config| {
            config.timeout = Duration::from_millis(150);
            config.max_retries = 0;
        });
        let outcome = run(&client).await;
        assert_eq!(outcome.error().0, ModelErrorKind::Stalled);
        assert!(outcome.error().1.contains("sent nothing for 0.15 s"), "{outcome:?}");
    }
}

#[tokio::test]
async fn w40_a_stall_is_tried_again() {
    let server =
        Server::start([Reply::open_stream(&[chunk("x")]).hang(), Reply::word("whole")]).await;
    let client = client_with(&server, |config| config.timeout = Duration::from_secs(1));
    let outcome = run(&client).await;
    assert_eq!((outcome.text().as_str(), outcome.retries().len()), ("whole", 1));
}

#[tokio::test]
async fn w40_events_keep_a_slow_answer_alive() {
    // Each piece comes well within the limit, all of them together do not.
    let reply = (0..6).fold(Reply::open_stream(&[]), |reply, _| {
        reply.wait().chunk(&format!("data: {}\n\n", chunk("x")))
    });
    let reply = reply.wait().chunk(&format!("data: {}\n\n", finish())).end();
    let server = Server::start([reply]).await;
    let client = client_with(&server, |config| {
        config.timeout = Duration::from_millis(1500);
        config.max_retries = 0;
    });
    let pace = async {
        for _ in 0..7 {
            tokio::time::sleep(Duration::from_millis(300)).await;
            server.go_on();
        }
    };
    let (outcome, ()) = tokio::join!(run(&client), pace);
    assert_eq!(outcome.text(), "xxxxxx");
}

#[tokio::test]
async fn w40_dropping_the_stream_closes_the_connection_in_every_state() {
    for reply in [Reply::raw("").hang(), Reply::open_stream(&[chunk("x")]).hang()] {
        let server = Server::start([reply]).await;
        let client = client(&server);
        let mut stream = client.stream(request());
        // Drives it until the server has the request and, in the second round, some of the answer.
        while server.received().is_empty() {
            let _ = tokio::time::timeout(Duration::from_millis(5), stream.next()).await;
        }
        drop(stream);
        tokio::time::timeout(LIMIT, server.peer_gone()).await.expect("the connection is closed");
    }
}

#[tokio::test]
async fn w46_w67_an_error_in_one_piece_with_status_200() {
    let server = Server::start([
        Reply::error(
            200,
            r#"{"error":{"message":"bad key sk-0123456789","code":"invalid_api_key"}}"#,
        ),
        Reply::error(200, r#"{"message":"what now"}"#),
    ])
    .await;
    let client = client_with(&server, |config| config.max_retries = 0);
    let outcome = run(&client).await;
    assert_eq!(outcome.error().0, ModelErrorKind::Authentication);
    assert!(outcome.error().1.contains("bad key [key hidden]"), "{outcome:?}");
    let outcome = run(&client).await;
    assert_eq!(outcome.error().0, ModelErrorKind::NotAnEndpoint);
    assert!(outcome.error().1.contains("not as a model: what now"), "{outcome:?}");
}
