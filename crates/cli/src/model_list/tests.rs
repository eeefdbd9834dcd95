//! Tests of the merged list of models.

use super::*;
use crate::args::{self, Invocation};
use crate::endpoint::Target;
use crate::files::read_text;
use crate::settings;
use letscode_testkit::sse_server::SseServer;
use serde_json::json;

/// The model that the test's server lists.
const LISTED: &str = "mock-model";

fn listed(id: &str, context_window: Option<u64>) -> ListedModel {
    ListedModel { id: id.to_owned(), context_window, ..ListedModel::default() }
}

/// A home with a catalog that has OpenRouter at `address`, and the program started in it.
fn start(
    home: &std::path::Path,
    address: &str,
    variables: &[(&str, &str)],
) -> (Settings, Environment) {
    let own = home.join(".letscode");
    std::fs::create_dir_all(&own).unwrap();
    let catalog = format!(
        "[[providers]]\nname = 'openrouter'\nbase_url = '{address}'\n\
         api_key_env = 'OPENROUTER_API_KEY'\n"
    );
    std::fs::write(own.join("catalog.toml"), catalog).unwrap();
    let environment = Environment::of(variables, home, home);
    let Ok(Invocation::Run(args)) = args::parse(&[]) else { panic!("no run") };
    let resolved = settings::resolve(*args, &environment);
    (resolved.settings, environment)
}

fn provider_of<'a>(models: &'a [KnownModel], id: &str) -> Option<&'a str> {
    models.iter().find(|model| model.id == id).map(|model| &*model.provider)
}

#[test]
fn each_model_comes_once_and_the_first_that_knows_it_serves_it() {
    let environment = Environment::of_variables(&[("DEEPSEEK_API_KEY", "d")]);
    let catalog = Catalog::of(
        "[[models]]\nid = 'mine'\nprovider = 'here'\n\
         [[providers]]\nname = 'here'\nbase_url = 'http://127.0.0.1:9/v1'\n",
    );
    let endpoint = Endpoint {
        base_url: "http://127.0.0.1:9/v1".to_owned(),
        api_key: None,
        provider: Some("here".to_owned()),
        model: "mine".to_owned(),
        thinking: Default::default(),
        context_window: None,
        vision: true,
        price: None,
        is_this_machine: true,
    };
    let own = vec![listed("mine", Some(4096)), listed("other", None), listed("gpt-4o", Some(1))];
    let routed = [listed("some/model", Some(9)), listed("other", Some(9))];
    let routed: Vec<Model> = routed.iter().map(router::model).collect();
    let models = merge(&catalog, &environment, Some(&endpoint), own, &routed);

    let mut ids: Vec<&str> = models.iter().map(|model| &*model.id).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), models.len());
    for (id, provider, window, has_key) in [
        ("mine", "here", Some(4096), true),
        ("other", "here", None, true),
        ("gpt-4o", "openai", Some(128_000), false),
        ("deepseek-chat", "deepseek", Some(128_000), true),
        ("some/model", "openrouter", Some(9), false),
    ] {
        let found = models.iter().find(|model| model.id == id).unwrap();
        let told = (&*found.provider, found.context_window, found.has_key);
        assert_eq!(told, (provider, window, has_key), "{id}");
    }
    assert_eq!(models[0].id, "mine");
    assert!(models.iter().any(|model| model.price.is_some()));
}

#[tokio::test]
async fn openrouter_is_asked_once_a_day_and_its_models_route_there() {
    let home = tempfile::tempdir().unwrap();
    let server = SseServer::start(json!([{"text": "unused"}]));
    let key = [("OPENROUTER_API_KEY", "router-0123456789")];
    let (settings, environment) = start(home.path(), &server.base_url(), &key);
    for _ in 0..2 {
        let models = all(&settings, &environment, None).await;
        assert_eq!(provider_of(&models, LISTED), Some("openrouter"));
    }
    assert_eq!(server.progress().requests, 1);
    let cache = home.path().join(".letscode/cache/openrouter-models.json");
    assert!(!read_text(&cache).unwrap().unwrap().contains("router-0123456789"));

    let target = settings.target(LISTED, settings.thinking, &environment).unwrap();
    let Target::Endpoint(endpoint) = target else { panic!("no endpoint") };
    assert_eq!(endpoint.base_url, server.base_url());
}

#[tokio::test]
async fn without_its_key_openrouter_is_not_asked() {
    let home = tempfile::tempdir().unwrap();
    let server = SseServer::start(json!([{"text": "unused"}]));
    let (settings, environment) = start(home.path(), &server.base_url(), &[]);
    let models = all(&settings, &environment, None).await;
    assert_eq!(provider_of(&models, "gpt-4o"), Some("openai"));
    assert_eq!(server.progress().requests, 0);
}

#[tokio::test]
async fn a_stale_list_serves_where_openrouter_is_out_of_reach() {
    let home = tempfile::tempdir().unwrap();
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let key = [("OPENROUTER_API_KEY", "r")];
    let (settings, environment) = start(home.path(), &format!("http://{closed}/v1"), &key);
    let models = all(&settings, &environment, None).await;
    assert_eq!(provider_of(&models, "old/model"), None);
    settings.router.write(&[listed("old/model", None)], 1).unwrap();
    let models = all(&settings, &environment, None).await;
    assert_eq!(provider_of(&models, "old/model"), Some("openrouter"));
}
