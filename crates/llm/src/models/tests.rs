//! Tests of the list of models and the learned window, against a server of scripted bytes.

use super::*;
use crate::client::tests::server::{Reply, Server, chunk, finish};
use crate::{Client, ListedModel};
use futures_util::StreamExt;
use letscode_core::model::{Model, ModelRequest};
use serde_json::json;

/// Long enough for any machine; only what hangs runs into it.
const LIMIT: Duration = Duration::from_secs(30);

fn config(base_url: &str) -> ListingConfig {
    ListingConfig {
        base_url: base_url.to_owned(),
        api_key: Some(Secret::new("sk-0123456789")),
        proxy: ProxySettings::default(),
        extra_roots: None,
        timeout: LIMIT,
    }
}

fn json_reply(body: &Value) -> Reply {
    Reply::status(200, &[("content-type", "application/json")], &body.to_string())
}

fn named(id: &str) -> ListedModel {
    ListedModel { id: id.to_owned(), ..ListedModel::default() }
}

fn targets(server: &Server) -> Vec<String> {
    server.received().into_iter().map(|request| request.target).collect()
}

#[test]
fn every_shape_of_list_is_read() {
    for (name, body, expected) in [
        (
            "plain",
            json!({"object": "list", "data": [{"id": "gpt-4o", "object": "model"}]}),
            vec![named("gpt-4o")],
        ),
        (
            "router",
            json!({"data": [{
                "id": "a/b",
                "context_length": 196_608,
                "architecture": {"input_modalities": ["text", "image"]},
                "pricing": {"prompt": "0.0000003", "completion": "0.0000012", "image": "0"},
            }, {
                "id": "a/auto",
                "context_length": null,
                "architecture": {"input_modalities": ["text"]},
                "pricing": {"prompt": "-1", "completion": "-1"},
            }]}),
            vec![
                ListedModel {
                    id: "a/b".to_owned(),
                    context_window: Some(196_608),
                    vision: Some(true),
                    input_per_million: Some(0.3),
                    output_per_million: Some(1.2),
                },
                ListedModel { vision: Some(false), ..named("a/auto") },
            ],
        ),
        (
            "vllm",
            json!({"data": [{"id": "m", "owned_by": "vllm", "max_model_len": 32_768}]}),
            vec![ListedModel { context_window: Some(32_768), ..named("m") }],
        ),
        (
            "llama.cpp, which may run with less than it was made with",
            json!({"data": [{"id": "m", "meta": {"n_ctx_train": 131_072, "n_ctx": 8192}}]}),
            vec![ListedModel { context_window: Some(8192), ..named("m") }],
        ),
        (
            "an older llama.cpp",
            json!({"data": [{"id": "m", "meta": {"n_ctx_train": 131_072}}]}),
            vec![ListedModel { context_window: Some(131_072), ..named("m") }],
        ),
        (
            "lm studio",
            json!({"data": [
                {"id": "a", "type": "vlm", "max_context_length": 131_072, "loaded_context_length": 4096},
                {"id": "b", "type": "llm", "max_context_length": 131_072},
            ]}),
            vec![
                ListedModel { context_window: Some(4096), vision: Some(true), ..named("a") },
                ListedModel { context_window: Some(131_072), vision: Some(false), ..named("b") },
            ],
        ),
        (
            "ollama",
            json!({"models": [{"name": "qwen3:8b", "model": "qwen3:8b", "size": 1}]}),
            vec![named("qwen3:8b")],
        ),
        (
            "gemini",
            json!({"data": [{"id": "models/gemini-2.5-pro", "owned_by": "google"}]}),
            vec![named("gemini-2.5-pro")],
        ),
        (
            "mistral",
            json!({"data": [{"id": "m", "max_context_length": 32_768, "capabilities": {"vision": true}}]}),
            vec![ListedModel { context_window: Some(32_768), vision: Some(true), ..named("m") }],
        ),
        (
            "a bare list",
            json!([{"id": "m", "context_length": 8192}, "n"]),
            vec![ListedModel { context_window: Some(8192), ..named("m") }, named("n")],
        ),
        ("an empty one", json!({"data": []}), vec![]),
        (
            "odd members, doubles and names that are none",
            json!({"data": [
                null, 1, [], {}, {"id": ""}, {"id": 5}, {"id": "a\nb"}, {"id": "x".repeat(301)},
                {"id": "m", "context_length": "8192", "pricing": 3, "architecture": [], "meta": "n_ctx"},
                {"id": "m", "context_length": 1},
                {"id": "n", "context_length": -5, "max_model_len": {}, "pricing": {"prompt": "NaN"}},
                {"id": "o", "context_length": 0, "pricing": {"prompt": 1e300, "completion": null}},
            ]}),
            vec![ListedModel { context_window: Some(8192), ..named("m") }, named("n"), named("o")],
        ),
    ] {
        assert_eq!(reading::list(&body).unwrap().models, expected, "{name}");
    }
    for body in
        [json!({}), json!("x"), json!({"data": {}}), json!({"error": "unexpected endpoint"})]
    {
        assert_eq!(reading::list(&body), None, "{body}");
    }
}

#[test]
fn the_window_of_an_ollama_is_the_one_in_force() {
    let running = json!({"models": [
        {"name": "a:latest", "model": "a:latest", "context_length": 16_384},
        {"name": "b:8b", "context_length": 4096},
    ]});
    for (model, expected) in
        [("a", Some(16_384)), ("a:latest", Some(16_384)), ("b:8b", Some(4096)), ("b", None)]
    {
        assert_eq!(reading::window_of_running(&running, model), expected, "{model}");
    }
    let info = json!({"general.architecture": "qwen3", "qwen3.context_length": 40_960});
    for (parameters, expected) in [
        (json!("stop \"x\"\nnum_ctx                        8192"), 8192),
        (json!("num_ctx much"), 40_960),
        (json!(null), 40_960),
    ] {
        let described = json!({"parameters": parameters, "model_info": info});
        assert_eq!(reading::window_in_description(&described), Some(expected), "{parameters}");
    }
    assert_eq!(reading::window_in_description(&json!({"model_info": []})), None);
}

#[tokio::test]
async fn a_list_is_asked_for_with_the_key_and_without_a_body() {
    let server = Server::start([json_reply(&json!({"data": [{"id": "m"}]}))]).await;
    let listed = list_models(&config(&server.base())).await.unwrap();
    assert_eq!(listed, [named("m")]);
    let received = &server.received()[0];
    assert_eq!(received.target, "/v1/models");
    assert_eq!(received.headers["authorization"], "Bearer sk-0123456789");
    assert_eq!(received.headers["accept"], "application/json");
    assert_eq!(received.body, Value::Null);
    assert!(!received.headers.contains_key("content-type"));
}

#[tokio::test]
async fn a_base_url_without_a_version_is_tried_with_one() {
    let list = json!({"data": [{"id": "m"}]});
    for first in [Reply::status(404, &[], "no"), Reply::status(200, &[], "<html>")] {
        let server = Server::start([first, json_reply(&list)]).await;
        assert_eq!(list_models(&config(&server.origin())).await.unwrap(), [named("m")]);
        assert_eq!(targets(&server), ["/models", "/v1/models"]);
    }
}

#[tokio::test]
async fn an_ollama_without_compatible_paths_is_asked_on_its_own() {
    let tags = json!({"models": [{"name": "a:1b"}]});
    let server = Server::start([Reply::status(404, &[], "no"), json_reply(&tags)]).await;
    assert_eq!(list_models(&config(&server.base())).await.unwrap(), [named("a:1b")]);
    assert_eq!(targets(&server), ["/v1/models", "/api/tags"]);
}

#[tokio::test]
async fn an_lm_studio_is_asked_for_its_windows() {
    let short = json!({"data": [{"id": "m", "owned_by": "organization_owner"}]});
    let long = json!({"data": [{"id": "m", "max_context_length": 8192}]});
    let with_window = ListedModel { context_window: Some(8192), ..named("m") };
    for (reply, expected) in
        [(json_reply(&long), with_window), (Reply::status(404, &[], "no"), named("m"))]
    {
        let server = Server::start([json_reply(&short), reply]).await;
        assert_eq!(list_models(&config(&server.base())).await.unwrap(), [expected]);
        assert_eq!(targets(&server), ["/v1/models", "/api/v0/models"]);
    }
}

#[tokio::test]
async fn every_failure_is_an_error_of_its_kind_that_names_the_address() {
    let truncated = "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{\"data\":[";
    for (replies, expected) in [
        (vec![Reply::status(401, &[], "{}")], "HTTP 401"),
        (vec![Reply::status(500, &[], "")], "HTTP 500"),
        (vec![Reply::status(302, &[("location", "http://127.0.0.1:1/")], "")], "HTTP 302"),
        (vec![json_reply(&json!({"ok": true}))], "no list of models"),
        (vec![Reply::status(200, &[], "<html>hello")], "no list of models"),
        (vec![Reply::status(200, &[], &"[".repeat(100_000))], "no list of models"),
        (vec![Reply::raw(truncated).close()], "cannot ask"),
        (vec![Reply::raw("").close()], "cannot ask"),
    ] {
        let server = Server::start(replies).await;
        let error = list_models(&config(&server.base())).await.unwrap_err().to_string();
        assert!(error.contains(expected) && error.contains(&server.origin()), "{error}");
        assert!(!error.contains('\n'), "{error}");
    }
    let error = list_models(&config("nonsense")).await.unwrap_err();
    assert!(matches!(error, ListingError::Config(ConfigError::BaseUrl { .. })), "{error}");
}

#[tokio::test]
async fn a_list_without_an_end_is_cut_off() {
    let head = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
    let megabyte = " ".repeat(1024 * 1024);
    let endless = (0..16).fold(Reply::raw(head), |reply, _| reply.chunk(&megabyte)).hang();
    let server = Server::start([endless]).await;
    let error = list_models(&config(&server.base())).await.unwrap_err();
    assert!(matches!(error, ListingError::TooLarge { .. }), "{error}");
}

#[tokio::test]
async fn a_silent_server_holds_nobody_up_for_longer_than_the_limit() {
    let server = Server::start([Reply::raw("HTTP/1.1 200 OK\r\n").hang()]).await;
    let config = ListingConfig { timeout: Duration::from_millis(50), ..config(&server.base()) };
    let error = list_models(&config).await.unwrap_err();
    assert!(matches!(error, ListingError::TimedOut { .. }), "{error}");
    server.peer_gone().await;
}

/// Sends a request and returns once its answer is there.
async fn answer(client: &Client) {
    let messages = Vec::new();
    let request = ModelRequest { system: "hi".into(), messages, tools: Vec::new().into() };
    let mut stream = client.stream(request);
    while stream.next().await.is_some() {}
}

fn client(server: &Server, change: impl FnOnce(&mut ClientConfig)) -> Client {
    let mut config = ClientConfig::new(server.base(), "m");
    config.learns_window = true;
    change(&mut config);
    Client::new(config).unwrap()
}

/// Returns the window once the client knows it.
async fn learned(client: &Client) -> u64 {
    until(|| client.info().context_window.is_some()).await;
    client.info().context_window.unwrap()
}

/// Waits until something holds.
async fn until(holds: impl Fn() -> bool) {
    let held = async {
        while !holds() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(LIMIT, held).await.expect("it holds before long");
}

#[tokio::test]
async fn the_window_is_learned_behind_the_first_answer_from_every_kind_of_server() {
    let word = || Reply::word("hello");
    let refused = || Reply::status(404, &[], "no");
    let nothing = || json_reply(&json!({"data": [{"id": "m"}, {"id": "n"}]}));
    for (replies, window, asked) in [
        (
            vec![json_reply(&json!({"data": [{"id": "m", "max_model_len": 4096}]}))],
            4096,
            vec!["/v1/models"],
        ),
        (
            vec![json_reply(
                &json!({"data": [{"id": "served/under-another-name", "meta": {"n_ctx": 512}}]}),
            )],
            512,
            vec!["/v1/models"],
        ),
        // Another model's window says nothing about one that is not listed.
        (
            vec![
                json_reply(&json!({"data": [{"id": "another", "max_model_len": 512}]})),
                json_reply(&json!({"models": [{"name": "m:latest", "context_length": 1024}]})),
            ],
            1024,
            vec!["/v1/models", "/api/ps"],
        ),
        (
            vec![
                json_reply(&json!({"data": [
                    {"id": "m", "owned_by": "llamacpp", "meta": {"n_ctx_train": 131_072}}
                ]})),
                json_reply(&json!({"default_generation_settings": {"n_ctx": 2048}})),
            ],
            2048,
            vec!["/v1/models", "/props"],
        ),
        (
            vec![
                json_reply(&json!({"data": [
                    {"id": "m", "owned_by": "llamacpp", "meta": {"n_ctx_train": 131_072}}
                ]})),
                refused(),
            ],
            131_072,
            vec!["/v1/models", "/props"],
        ),
        (
            vec![
                nothing(),
                json_reply(&json!({"models": [{"name": "m:latest", "context_length": 1024}]})),
            ],
            1024,
            vec!["/v1/models", "/api/ps"],
        ),
        (
            vec![
                nothing(),
                json_reply(&json!({"models": []})),
                json_reply(&json!({"model_info": {"x.context_length": 40_960}})),
            ],
            40_960,
            vec!["/v1/models", "/api/ps", "/api/show"],
        ),
        (
            vec![
                nothing(),
                refused(),
                json_reply(
                    &json!({"data": [{"id": "m", "loaded_context_length": 9000}, {"id": "n"}]}),
                ),
            ],
            9000,
            vec!["/v1/models", "/api/ps", "/api/v0/models"],
        ),
    ] {
        let server = Server::start([word()].into_iter().chain(replies)).await;
        let client = client(&server, |_| {});
        assert_eq!(client.info().context_window, None);
        answer(&client).await;
        assert_eq!(learned(&client).await, window);
        assert_eq!(targets(&server)[1..], asked);
    }
}

#[tokio::test]
async fn the_window_is_asked_for_once_and_only_if_it_is_wanted_and_unknown() {
    let refusals = || (0..3).map(|_| Reply::status(404, &[], "no"));
    let nothing = json!({"data": []});
    let replies = [Reply::word("a"), json_reply(&nothing)].into_iter().chain(refusals());
    let server = Server::start(replies).await;
    let once = client(&server, |_| {});
    answer(&once).await;
    until(|| server.received().len() >= 4).await;
    answer(&once).await;
    answer(&once).await;
    let lists = targets(&server).iter().filter(|target| *target == "/v1/models").count();
    assert_eq!(lists, 1, "{:?}", targets(&server));

    for change in [
        (|config| {
            config.learns_window = false;
        }) as fn(&mut ClientConfig),
        |config| {
            config.context_window = Some(1000);
        },
    ] {
        let server = Server::start([Reply::word("a"), Reply::word("b")]).await;
        let client = client(&server, change);
        let before = client.info().context_window;
        answer(&client).await;
        answer(&client).await;
        assert_eq!(targets(&server), ["/v1/chat/completions"; 2]);
        assert_eq!(client.info().context_window, before);
    }
}

#[tokio::test]
async fn nothing_waits_for_a_server_that_does_not_tell_its_window() {
    let silent = Reply::raw("HTTP/1.1 200 OK\r\n").hang();
    let replies = [Reply::word("a"), silent, Reply::stream(&[chunk("b"), finish()])];
    let server = Server::start(replies).await;
    let client = client(&server, |_| {});
    answer(&client).await;
    until(|| server.received().len() >= 2).await;
    tokio::time::timeout(LIMIT, answer(&client)).await.expect("the answer does not wait");
    assert_eq!(targets(&server)[2], "/v1/chat/completions");
}

#[tokio::test]
async fn an_overflow_corrects_the_window() {
    let overflow =
        r#"{"error":{"message":"too long","type":"exceed_context_size_error","n_ctx":4096}}"#;
    let server = Server::start([Reply::error(400, overflow)]).await;
    let client = client(&server, |config| config.context_window = Some(128_000));
    answer(&client).await;
    assert_eq!(client.info().context_window, Some(4096));
}
