//! What is sent again, how often and when.

use super::*;

const SLOW: &str = r#"{"error":{"message":"slow down"}}"#;

#[tokio::test(start_paused = true)]
async fn w68_overload_passes() {
    let server = Server::start([
        Reply::error(529, "{}"),
        Reply::status(503, &[], "busy"),
        Reply::word("ok"),
    ])
    .await;
    let outcome = run(&client(&server)).await;
    assert_eq!(outcome.text(), "ok");
    assert_eq!(server.received().len(), 3);
    let retries = outcome.retries();
    assert_eq!(retries.len(), 2);
    assert_eq!((retries[0].attempt, retries[0].total_attempts), (2, 3));
    assert_eq!((retries[1].attempt, retries[1].total_attempts), (3, 3));
    assert!(retries[0].reason.contains("HTTP 529"), "{retries:?}");
    assert!(retries[1].reason.contains("HTTP 503") && retries[1].reason.contains("busy"));
    assert!((0.75..=1.0).contains(&retries[0].delay_seconds), "{retries:?}");
    assert!((1.5..=2.0).contains(&retries[1].delay_seconds), "{retries:?}");
}

#[tokio::test(start_paused = true)]
async fn w68_after_the_last_attempt_the_error_says_how_often_it_was_tried() {
    let server = Server::start((0..3).map(|_| Reply::status(500, &[], "oops"))).await;
    let outcome = run(&client(&server)).await;
    let (kind, message) = outcome.error();
    assert_eq!(kind, ModelErrorKind::Server);
    assert!(message.starts_with("HTTP 500") && message.ends_with("given up after 3 attempts"));
    assert_eq!((server.received().len(), outcome.retries().len()), (3, 2));
}

#[tokio::test]
async fn w68_refusals_are_not_sent_again() {
    for status in [400, 401, 403, 404, 405, 413, 422] {
        let server = Server::start([Reply::error(status, r#"{"error":"model: no"}"#)]).await;
        let outcome = run(&client(&server)).await;
        assert!(outcome.error().1.contains(&format!("HTTP {status}")), "{outcome:?}");
        assert_eq!((server.received().len(), outcome.pieces.len()), (1, 0), "{status}");
    }
}

#[tokio::test(start_paused = true)]
async fn w68_no_connection_is_tried_again() {
    let base = Server::start([]).await.base();
    let outcome = run(&Client::new(config(&base)).unwrap()).await;
    let (kind, message) = outcome.error();
    assert_eq!(kind, ModelErrorKind::Network);
    assert!(message.contains("cannot connect") && message.contains("is the server running?"));
    assert!(message.contains(&base), "{message}");
    assert_eq!(outcome.retries().len(), 2);
}

#[tokio::test]
async fn w66_used_up_quota_is_one_request_only() {
    let body = r#"{"error":{"message":"You exceeded your current quota","type":"insufficient_quota","param":null,"code":"insufficient_quota"}}"#;
    let server = Server::start([Reply::error(429, body)]).await;
    let outcome = run(&client(&server)).await;
    assert_eq!(outcome.error().0, ModelErrorKind::Quota);
    assert!(outcome.error().1.contains("check credit and billing"), "{outcome:?}");
    assert_eq!((server.received().len(), outcome.retries().len()), (1, 0));
}

#[tokio::test]
async fn w66_the_pause_is_as_long_as_the_server_asks() {
    let server =
        Server::start([Reply::status(429, &[("retry-after-ms", "1200")], SLOW), Reply::word("ok")])
            .await;
    let outcome = run(&client(&server)).await;
    let received = server.received();
    assert_eq!(outcome.retries()[0].delay_seconds, 1.2);
    assert!(outcome.retries()[0].reason.contains("429"), "{outcome:?}");
    assert!(received[1].at - received[0].at >= Duration::from_millis(1200));
}

#[tokio::test]
async fn w66_a_wait_of_hours_is_left_to_the_user() {
    let table = [
        ("61", "1 min 1 s"),
        ("3600", "1 h 0 min"),
        ("86399", "23 h 59 min"),
        ("86400", "more than a day"),
        ("1e19", "more than a day"),
    ];
    for (seconds, words) in table {
        let server = Server::start([Reply::status(429, &[("retry-after", seconds)], SLOW)]).await;
        let outcome = run(&client(&server)).await;
        let (kind, message) = outcome.error();
        assert_eq!(kind, ModelErrorKind::RateLimited);
        assert!(message.contains(&format!("asks to wait for {words}")), "{message}");
        assert_eq!(server.received().len(), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn w49_what_came_before_a_retry_is_not_in_the_answer() {
    let server = Server::start([
        Reply::open_stream(&[chunk("Hello wor")]).close(),
        Reply::stream(&[chunk("Hello world"), finish()]),
    ])
    .await;
    let outcome = run(&client(&server)).await;
    assert_eq!(outcome.text(), "Hello world");
    assert_eq!(outcome.pieces[0], StreamEvent::TextDelta { delta: "Hello wor".into() });
    assert!(matches!(outcome.pieces[1], StreamEvent::Retry(_)), "{outcome:?}");
    assert_eq!(outcome.pieces[2], StreamEvent::TextDelta { delta: "Hello world".into() });
}

#[tokio::test(start_paused = true)]
async fn w20_a_stream_that_breaks_off_is_no_answer() {
    let call = json!({"choices": [{"index": 0, "delta": {"tool_calls": [
        {"index": 0, "id": "c", "function": {"name": "ls", "arguments": "{}"}},
    ]}}]});
    let server = Server::start([
        Reply::open_stream(&[]).close(),
        Reply::open_stream(&[chunk("I will now")]).end(),
        Reply::open_stream(&[call]).close(),
    ])
    .await;
    let outcome = run(&client(&server)).await;
    assert_eq!(outcome.error().0, ModelErrorKind::BrokenStream);
    assert_eq!((server.received().len(), outcome.retries().len()), (3, 2));
    let reasons: Vec<&str> = outcome.retries().iter().map(|it| it.reason.as_str()).collect();
    assert!(reasons[0].contains("broke within the answer"), "{reasons:?}");
    assert!(reasons[1].contains("ended before the answer was complete"), "{reasons:?}");
}

#[tokio::test(start_paused = true)]
async fn w20_w68_all_kinds_of_failure_share_one_budget() {
    let server = Server::start([
        Reply::status(503, &[], "busy"),
        Reply::open_stream(&[chunk("a")]).close(),
        Reply::status(500, &[], "oops"),
        Reply::word("too late"),
    ])
    .await;
    let outcome = run(&client(&server)).await;
    assert_eq!(outcome.error().0, ModelErrorKind::Server);
    assert_eq!(server.received().len(), 3);
}

#[tokio::test(start_paused = true)]
async fn w16_empty_answers_are_tried_three_times_at_most() {
    let empty =
        json!({"choices": [{"index": 0, "delta": {"content": ""}, "finish_reason": "tool_calls"}]});
    let server = Server::start((0..9).map(|_| Reply::stream(std::slice::from_ref(&empty)))).await;
    let outcome = run(&client(&server)).await;
    assert_eq!(outcome.error().0, ModelErrorKind::EmptyAnswer);
    assert_eq!(server.received().len(), 3);
}

#[tokio::test]
async fn retries_can_be_switched_off() {
    let server = Server::start([Reply::status(503, &[], "busy")]).await;
    let outcome = run(&client_with(&server, |config| config.max_retries = 0)).await;
    assert!(!outcome.error().1.contains("given up"), "{outcome:?}");
    assert_eq!((server.received().len(), outcome.retries().len()), (1, 0));
}

#[tokio::test]
async fn a_pause_ends_when_the_stream_is_dropped() {
    let server = Server::start([Reply::status(503, &[("retry-after", "50")], "busy")]).await;
    let client = client(&server);
    let mut stream = client.stream(request());
    let first = stream.next().await;
    assert!(matches!(first, Some(Ok(ModelEvent::Stream(StreamEvent::Retry(_))))), "{first:?}");
    drop(stream);
    assert_eq!(server.received().len(), 1);
}

#[tokio::test]
async fn an_oversized_answer_is_not_asked_for_again() {
    let calls: Vec<Value> =
        (0..2000).map(|index| json!({"index": index, "function": {"name": "x"}})).collect();
    let chunk = json!({"choices": [{"delta": {"tool_calls": calls}}]});
    let server = Server::start([Reply::stream(&[chunk])]).await;
    let outcome = run(&client(&server)).await;
    assert!(outcome.error().1.contains("larger than any may be"), "{outcome:?}");
    assert_eq!((server.received().len(), outcome.retries().len()), (1, 0));
}
