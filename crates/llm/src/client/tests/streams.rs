//! Good answers, and the headers that ask for them.

use super::*;
use crate::config::Price;
use futures_util::FutureExt;

#[tokio::test]
async fn an_answer_comes_piece_by_piece() {
    let usage = json!({"choices": [], "usage": {"prompt_tokens": 5, "completion_tokens": 2}});
    let server =
        Server::start([Reply::stream(&[chunk("Hel"), chunk("lo"), finish(), usage])]).await;
    let outcome = run(&client(&server)).await;
    assert_eq!(outcome.text(), "Hello");
    let texts: Vec<&StreamEvent> = outcome.pieces.iter().take(2).collect();
    assert_eq!(
        texts,
        [
            &StreamEvent::TextDelta { delta: "Hel".into() },
            &StreamEvent::TextDelta { delta: "lo".into() },
        ]
    );
    let answer = outcome.answer.unwrap();
    assert_eq!(answer.usage.unwrap().input_tokens, 5);
    assert_eq!(answer.meta["provider"], server.host());
    assert_eq!(answer.meta["model"], "m");
    assert!(outcome.notices.is_empty());
}

#[tokio::test]
async fn w48_headers_ask_for_an_uncompressed_stream() {
    let server = Server::start([Reply::word("hi")]).await;
    run(&client(&server)).await;
    let request = server.received().remove(0);
    assert_eq!(request.target, "/v1/chat/completions");
    let headers = [
        ("accept", "text/event-stream"),
        ("accept-encoding", "identity"),
        ("cache-control", "no-cache"),
        ("content-type", "application/json"),
        ("authorization", "Bearer sk-0123456789"),
        ("user-agent", concat!("letscode/", env!("CARGO_PKG_VERSION"))),
    ];
    for (name, value) in headers {
        assert_eq!(request.headers.get(name).map(String::as_str), Some(value), "{name}");
    }
    assert_eq!(request.body["model"], "m");
    assert_eq!(request.body["stream"], true);
}

#[tokio::test]
async fn without_a_key_none_is_sent() {
    let server = Server::start([Reply::word("hi"), Reply::word("hi")]).await;
    for key in [None, Some(Secret::new("  "))] {
        run(&client_with(&server, |config| config.api_key = key)).await;
    }
    assert_eq!(server.received().len(), 2);
    assert!(server.received().iter().all(|it| !it.headers.contains_key("authorization")));
}

#[tokio::test]
async fn what_one_piece_of_network_brings_is_ready_at_once() {
    let events =
        format!("data: {}\n\ndata: {}\n\ndata: {}\n\n", chunk("a"), chunk("b"), chunk("c"));
    let server = Server::start([Reply::open_stream(&[]).chunk(&events).hang()]).await;
    let client = client(&server);
    let mut stream = client.stream(request());
    assert!(matches!(stream.next().await, Some(Ok(ModelEvent::Stream(_)))));
    for _ in 0..2 {
        assert!(matches!(stream.next().now_or_never(), Some(Some(Ok(ModelEvent::Stream(_))))));
    }
    assert!(stream.next().now_or_never().is_none());
    drop(stream);
    tokio::time::timeout(LIMIT, server.peer_gone())
        .await
        .expect("the connection is closed at once");
}

#[tokio::test]
async fn the_price_is_worked_out_with_cached_input() {
    let usage = json!({"choices": [], "usage": {
        "prompt_tokens": 1_000_000, "completion_tokens": 500_000,
        "prompt_tokens_details": {"cached_tokens": 400_000},
    }});
    let server = Server::start([Reply::stream(&[chunk("a"), finish(), usage])]).await;
    let client = client_with(&server, |config| {
        config.price = Some(Price {
            input_per_million: 2.0,
            output_per_million: 8.0,
            cached_per_million: Some(0.5),
        });
    });
    let outcome = run(&client).await;
    let shown = outcome.pieces.iter().find_map(|piece| match piece {
        StreamEvent::Usage { usage } => usage.cost_usd,
        _ => None,
    });
    let cost = outcome.answer.unwrap().usage.unwrap().cost_usd;
    assert_eq!(cost, shown);
    assert!((cost.unwrap() - 5.4).abs() < 1e-9, "{cost:?}");
}

#[tokio::test]
async fn w11_new_calls_do_not_reuse_the_ids_of_old_ones() {
    let call = json!({"choices": [{"index": 0, "delta": {"tool_calls": [
        {"index": 0, "id": "c1", "type": "function", "function": {"name": "ls", "arguments": "{}"}},
    ]}, "finish_reason": "tool_calls"}]});
    let server = Server::start([Reply::stream(&[call])]).await;
    let outcome = run_request(&client(&server), request_with_loop("x")).await;
    let answer = outcome.answer.unwrap();
    assert_eq!(answer.tool_calls.len(), 1);
    assert_ne!(answer.tool_calls[0].id.as_str(), "c1");
}

#[tokio::test]
async fn w20_a_finish_reason_without_done_is_an_answer() {
    let open = || Reply::open_stream(&[chunk("hi"), finish()]);
    let server = Server::start([open().end().close(), open().close()]).await;
    for _ in 0..2 {
        let outcome = run(&client(&server)).await;
        assert_eq!((outcome.text().as_str(), outcome.retries().len()), ("hi", 0));
    }
}

#[tokio::test]
async fn w46_a_server_that_does_not_stream() {
    let body = json!({"id": "x", "choices": [{
        "index": 0,
        "message": {"role": "assistant", "content": "hi", "tool_calls": null},
        "finish_reason": "stop",
    }], "usage": {"prompt_tokens": 1, "completion_tokens": 1}});
    let body = format!(" \n{body}");
    let server = Server::start([
        Reply::error(200, &body),
        // The media type is not to be trusted.
        Reply::status(200, &[("content-type", "text/event-stream")], &body),
    ])
    .await;
    for _ in 0..2 {
        let outcome = run(&client(&server)).await;
        assert_eq!(outcome.text(), "hi");
        assert_eq!(outcome.answer.unwrap().usage.unwrap().output_tokens, 1);
    }
}

#[tokio::test]
async fn w46_the_media_type_of_a_stream_may_be_anything() {
    let body = format!("\n: hello\n\ndata: {}\n\ndata: {}\n\n", chunk("hi"), finish());
    let server =
        Server::start([Reply::status(200, &[("content-type", "text/plain")], &body)]).await;
    assert_eq!(run(&client(&server)).await.text(), "hi");
}

fn gzip(text: &str) -> Vec<u8> {
    use std::io::Write;
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    for event in text.split_inclusive("\n\n") {
        encoder.write_all(event.as_bytes()).unwrap();
        encoder.flush().unwrap();
    }
    encoder.finish().unwrap()
}

fn gzip_reply(bytes: &[u8]) -> Vec<u8> {
    let mut reply = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\
        content-encoding: gzip\r\nconnection: close\r\n\r\n"
        .to_vec();
    reply.extend_from_slice(bytes);
    reply
}

#[tokio::test(start_paused = true)]
async fn w48_a_compressed_stream_is_read_all_the_same() {
    let text = format!("data: {}\n\ndata: {}\n\ndata: [DONE]\n\n", chunk("Hello"), finish());
    let whole = gzip(&text);
    let cut = gzip(&format!("data: {}\n\n", chunk("Hel")));
    let server = Server::start([
        Reply::raw(gzip_reply(&cut[..cut.len() - 12])).close(),
        Reply::raw(gzip_reply(&whole)).close(),
    ])
    .await;
    let outcome = run(&client(&server)).await;
    assert_eq!(outcome.text(), "Hello");
    assert_eq!(outcome.retries().len(), 1);
    assert!(outcome.retries()[0].reason.contains("within the answer"), "{outcome:?}");
}

#[tokio::test]
async fn w48_a_compression_that_nobody_can_read_is_named() {
    let server = Server::start([Reply::status(200, &[("content-encoding", "br")], "xx")]).await;
    let outcome = run(&client(&server)).await;
    assert!(outcome.error().1.contains("compresses its answer with br"), "{outcome:?}");
}
