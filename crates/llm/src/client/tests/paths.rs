//! Base URLs that are not quite right, and servers that are no endpoint.

use super::*;

const PAGE: &str = "<!DOCTYPE html><html><head><title>Welcome</title></head></html>";

fn versionless(server: &Server) -> Client {
    Client::new(config(&server.origin())).unwrap()
}

fn targets(server: &Server) -> Vec<String> {
    server.received().into_iter().map(|request| request.target).collect()
}

#[tokio::test]
async fn w47_a_missing_version_is_found_told_and_remembered() {
    let page = || Reply::status(200, &[("content-type", "text/html")], PAGE);
    let odd = || {
        Reply::error(200, r#"{"error":"Unexpected endpoint or method. (POST /chat/completions)"}"#)
    };
    for first in
        [Reply::status(404, &[], "404 page not found"), Reply::status(405, &[], ""), page(), odd()]
    {
        let server = Server::start([first, Reply::word("one"), Reply::word("two")]).await;
        let client = versionless(&server);
        let outcome = run(&client).await;
        assert_eq!((outcome.text().as_str(), outcome.retries().len()), ("one", 0));
        assert_eq!(outcome.notices.len(), 1);
        assert!(outcome.notices[0].contains(&format!("{}/v1/chat/completions", server.origin())));
        let again = run(&client).await;
        assert_eq!((again.text().as_str(), again.notices.len()), ("two", 0));
        let expected = ["/chat/completions", "/v1/chat/completions", "/v1/chat/completions"];
        assert_eq!(targets(&server), expected);
    }
}

#[tokio::test]
async fn w47_the_right_path_may_still_refuse() {
    let server = Server::start([
        Reply::status(404, &[], "not found"),
        Reply::error(401, r#"{"error":"bad key"}"#),
        Reply::word("fine"),
    ])
    .await;
    let client = versionless(&server);
    let outcome = run(&client).await;
    assert_eq!(outcome.error().0, ModelErrorKind::Authentication);
    assert!(outcome.error().1.contains("/v1/chat/completions"), "{outcome:?}");
    assert_eq!(run(&client).await.text(), "fine");
    assert_eq!(targets(&server)[2], "/v1/chat/completions");
}

#[tokio::test(start_paused = true)]
async fn w47_a_lost_connection_says_nothing_about_a_path() {
    let server = Server::start([
        Reply::status(404, &[], "not found"),
        // Once on the kept connection and once on a new one.
        Reply::raw("").close(),
        Reply::raw("").close(),
        Reply::status(404, &[], "not found"),
        Reply::word("fine"),
    ])
    .await;
    let outcome = run(&versionless(&server)).await;
    assert_eq!((outcome.text().as_str(), outcome.retries().len()), ("fine", 1));
    assert_eq!(outcome.notices.len(), 1);
    assert_eq!(targets(&server)[3..], ["/chat/completions", "/v1/chat/completions"]);
}

#[tokio::test]
async fn w47_where_neither_path_works_the_first_is_reported() {
    let missing = |words| Reply::status(404, &[], words);
    let server = Server::start([missing("first"), missing("second"), missing("third")]).await;
    let client = versionless(&server);
    let outcome = run(&client).await;
    let (kind, message) = outcome.error();
    assert_eq!(kind, ModelErrorKind::Rejected);
    assert!(message.contains("first") && message.contains("check the base URL"), "{message}");
    assert!(message.contains(&format!("{}/chat/completions", server.origin())), "{message}");
    assert!(outcome.notices.is_empty());
    assert_eq!(targets(&server), ["/chat/completions", "/v1/chat/completions"]);
}

#[tokio::test]
async fn w47_a_version_in_the_base_url_is_never_doubled() {
    let server = Server::start([Reply::status(404, &[], "not found")]).await;
    let outcome = run(&client(&server)).await;
    assert_eq!(outcome.error().0, ModelErrorKind::Rejected);
    assert_eq!(targets(&server), ["/v1/chat/completions"]);
}

#[tokio::test]
async fn w47_an_unknown_model_is_no_wrong_path() {
    let body = r#"{"error":{"message":"model \"m\" not found, try pulling it first"}}"#;
    let server = Server::start([Reply::error(404, body)]).await;
    let outcome = run(&versionless(&server)).await;
    assert!(outcome.error().1.contains("try pulling it first"), "{outcome:?}");
    assert_eq!(server.received().len(), 1);
}

#[tokio::test]
async fn w47_a_query_is_kept() {
    let server = Server::start([Reply::word("hi")]).await;
    let base = format!("{}/openai/deployments/d?api-version=1", server.origin());
    run(&Client::new(config(&base)).unwrap()).await;
    assert_eq!(targets(&server), ["/openai/deployments/d/chat/completions?api-version=1"]);
}

#[tokio::test]
async fn w46_a_web_page_is_no_endpoint() {
    let server = Server::start([Reply::status(200, &[], &format!("\n {PAGE}"))]).await;
    let outcome = run(&client(&server)).await;
    let (kind, message) = outcome.error();
    assert_eq!(kind, ModelErrorKind::NotAnEndpoint);
    let url = format!("{}/chat/completions", server.base());
    assert!(message.contains("web page") && message.contains("Welcome") && message.contains(&url));
    assert_eq!(server.received().len(), 1);
}

#[tokio::test]
async fn redirects_stay_at_home() {
    let elsewhere = Server::start([Reply::word("stolen")]).await;
    let to = |status, target: &str| Reply::status(status, &[("location", target)], "");
    let away = format!("{}/chat/completions", elsewhere.base());
    let server = Server::start([
        to(307, &away),
        to(302, "/v2/chat/completions"),
        to(308, "/v2/chat/completions"),
        Reply::word("moved"),
    ])
    .await;
    let client = client(&server);
    let outcome = run(&client).await;
    assert_eq!(outcome.error().0, ModelErrorKind::NotAnEndpoint);
    assert!(outcome.error().1.contains(&away), "{outcome:?}");
    assert!(elsewhere.received().is_empty(), "the key went nowhere else");
    assert_eq!(run(&client).await.error().0, ModelErrorKind::NotAnEndpoint);
    assert_eq!(run(&client).await.text(), "moved");
    assert_eq!(server.received()[3].body["model"], "m");
}

#[test]
fn w47_unusable_settings_are_refused_at_once() {
    let refuse = |change: fn(&mut ClientConfig)| {
        let mut config = config("http://h/v1");
        change(&mut config);
        Client::new(config).err().expect("an error").to_string()
    };
    assert!(refuse(|it| it.base_url = "h/v1".into()).contains("http://"));
    assert!(!refuse(|it| it.api_key = Some(Secret::new("a\nb"))).contains("a\nb"));
    let proxy = refuse(|it| it.proxy.all = Some("ftp://me:secret@p".into()));
    assert!(proxy.contains("proxy") && !proxy.contains("secret"), "{proxy}");
    assert_eq!(format!("{:?}", Secret::new("sk-1")), "Secret");
}
