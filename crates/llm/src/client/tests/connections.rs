//! Connections: kept, lost, and through proxies.

use super::*;
use letscode_http::ProxySettings;

fn through(proxy: &str) -> ProxySettings {
    ProxySettings { all: Some(proxy.to_owned()), ..ProxySettings::default() }
}

#[tokio::test]
async fn a_connection_serves_one_answer_after_the_other() {
    let late_end =
        Reply::open_stream(&[chunk("b"), finish()]).chunk("data: [DONE]\n\n").wait().end();
    let server = Server::start([
        Reply::word("a"),
        late_end,
        Reply::error(500, "no"),
        Reply::error(200, r#"{"choices":[{"message":{"content":"c"},"finish_reason":"stop"}]}"#),
        Reply::word("d"),
    ])
    .await;
    let client = client_with(&server, |config| config.max_retries = 0);
    assert_eq!(run(&client).await.text(), "a");
    // The answer is not held back by an end that is late.
    assert_eq!(run(&client).await.text(), "b");
    server.go_on();
    tokio::task::yield_now().await;
    run(&client).await.error();
    assert_eq!(run(&client).await.text(), "c");
    assert_eq!(run(&client).await.text(), "d");
    let connections: Vec<usize> = server.received().iter().map(|it| it.connection).collect();
    assert_eq!(connections[..2], [0, 0]);
    assert_eq!(connections[2], connections[4], "{connections:?}");
}

#[tokio::test]
async fn a_kept_connection_that_the_server_closed_costs_no_retry() {
    let server = Server::start([
        Reply::word("a"),
        // Closes when it gets the second request, as a server does whose time-out is just over.
        Reply::raw("").close(),
        Reply::word("b"),
    ])
    .await;
    let client = client(&server);
    assert_eq!(run(&client).await.text(), "a");
    let outcome = run(&client).await;
    assert_eq!((outcome.text().as_str(), outcome.retries().len()), ("b", 0));
    let connections: Vec<usize> = server.received().iter().map(|it| it.connection).collect();
    assert_eq!(connections, [0, 0, 1]);
}

#[tokio::test(start_paused = true)]
async fn a_new_connection_that_the_server_closes_is_a_failure() {
    let server = Server::start([Reply::raw("").close(), Reply::word("a")]).await;
    let outcome = run(&client(&server)).await;
    assert_eq!((outcome.text().as_str(), outcome.retries().len()), ("a", 1));
    assert!(outcome.retries()[0].reason.contains("broke before the answer"), "{outcome:?}");
}

#[tokio::test]
async fn two_streams_at_a_time() {
    let server = Server::start([Reply::word("x"), Reply::word("x")]).await;
    let client = client(&server);
    let (one, two) = tokio::join!(run(&client), run(&client));
    assert_eq!((one.text(), two.text()), ("x".to_owned(), "x".to_owned()));
}

#[tokio::test]
async fn w50_requests_go_through_an_http_proxy() {
    let proxy = Server::start([Reply::word("hi")]).await;
    let mut config = config("http://model.invalid/v1");
    config.proxy = through(&proxy.host());
    assert_eq!(run(&Client::new(config).unwrap()).await.text(), "hi");
    assert_eq!(proxy.received()[0].target, "http://model.invalid/v1/chat/completions");
}

#[tokio::test]
async fn w50_requests_go_through_a_socks_proxy() {
    for (scheme, base) in [("socks5h", "http://model.invalid/v1"), ("socks", "http://192.0.2.1/v1")]
    {
        let proxy = Server::start_socks([Reply::word("hi")]).await;
        let mut config = config(base);
        config.proxy = through(&format!("{scheme}://{}", proxy.host()));
        assert_eq!(run(&Client::new(config).unwrap()).await.text(), "hi", "{scheme}");
        assert_eq!(proxy.received()[0].target, "/v1/chat/completions");
    }
}

#[tokio::test]
async fn w50_loopback_ignores_a_dead_proxy() {
    let server = Server::start([Reply::word("hi")]).await;
    let client = client_with(&server, |config| {
        let dead = Some("http://127.0.0.1:9".to_owned());
        config.proxy =
            ProxySettings { http: dead.clone(), https: dead.clone(), all: dead, no_proxy: None };
    });
    assert_eq!(run(&client).await.text(), "hi");
}

#[tokio::test]
async fn w50_a_dead_proxy_is_named_without_its_password() {
    let dead = Server::start([]).await.host();
    let mut config = config("http://model.invalid/v1");
    config.max_retries = 0;
    config.proxy = through(&format!("http://me:secret@{dead}"));
    let outcome = run(&Client::new(config).unwrap()).await;
    let (kind, message) = outcome.error();
    assert_eq!(kind, ModelErrorKind::Network);
    assert!(message.contains(&format!("through the proxy http://{dead}")), "{message}");
    assert!(!message.contains("secret"), "{message}");
}
