//! Tests of the endpoint: which server, model and key a run gets.

use super::*;
use crate::catalog::Catalog;
use crate::local_servers::LOCAL_SERVERS;
use std::fmt::Write as _;

const MINE: &str = r#"
    [[providers]]
    name = "mine"
    base_url = "https://mine.example/v1"
    api_key_env = ["MINE_KEY", "MINE_OTHER_KEY"]
    [[providers]]
    name = "here"
    base_url = "http://127.0.0.1:9/v1"
    api_key_env = "HERE_KEY"
    [[providers]]
    name = "free"
    base_url = "https://free.example/v1"
    [[models]]
    id = "my-model"
    provider = "mine"
    thinking_levels = ["off", "low", "medium"]
    [[models]]
    id = "here-model"
    provider = "here"
    [[models]]
    id = "free-model"
    provider = "free"
"#;

/// One question: the flags are given as `--name value`, a config line as `base_url value`, and
/// variables as `NAME=value`; the answer reads `address key`.
fn ask(question: &str) -> String {
    let catalog = Catalog::of(MINE);
    let (mut variables, mut named) = (Vec::new(), std::collections::HashMap::new());
    let mut words = question.split_whitespace();
    while let Some(word) = words.next() {
        match word.split_once('=') {
            Some(variable) => variables.push(variable),
            None => {
                named.insert(word, words.next().expect("a value"));
            }
        }
    }
    let flag = |name: &str| named.get(name).copied();
    let request = EndpointRequest {
        model: flag("-m").unwrap_or("gpt-4o-mini"),
        base_url_flag: flag("--base-url"),
        api_key_flag: flag("--api-key"),
        base_url_config: flag("base_url"),
        thinking: ThinkingLevel::Off,
    };
    match resolve(
        &request,
        &catalog,
        &RouterList::default(),
        &Environment::of_variables(&variables),
    ) {
        Ok(Target::Demo) => "demo".to_owned(),
        Ok(Target::Endpoint(endpoint)) => {
            let mut answer = endpoint.base_url;
            let key = endpoint.api_key.map_or_else(|| "no key".to_owned(), |key| key.0);
            write!(answer, " {key}").unwrap();
            answer
        }
        Err(EndpointError::MissingKey(missing)) => format!("set {}", missing.variables.join(" ")),
        Err(error) => error.to_string(),
    }
}

/// Checks questions against answers.
fn check(table: &[(&str, &str)]) {
    for (question, answer) in table {
        assert_eq!(ask(question), *answer, "{question}");
    }
}

#[test]
fn the_base_url_is_the_flag_then_the_provider_then_the_environment_then_the_config() {
    const OPENAI: &str = "https://api.openai.com/v1 o";
    check(&[
        ("OPENAI_API_KEY=o", OPENAI),
        ("-m unknown OPENAI_API_KEY=o", OPENAI),
        ("base_url http://c/v1 OPENAI_API_KEY=o", "http://c/v1 o"),
        ("base_url http://c/v1 OPENAI_BASE_URL=http://e/v1/ OPENAI_API_KEY=o", "http://e/v1 o"),
        (
            "--base-url http://f/v1 base_url http://c/v1 OPENAI_BASE_URL=http://e OPENAI_API_KEY=o",
            "http://f/v1 o",
        ),
        ("-m unknown base_url http://c OPENAI_API_KEY=o", "http://c o"),
        ("-m unknown OPENAI_BASE_URL=http://e OPENAI_API_KEY=o", "http://e o"),
        ("-m my-model MINE_KEY=m", "https://mine.example/v1 m"),
        ("-m my-model base_url http://c MINE_KEY=m", "https://mine.example/v1 m"),
    ]);
}

#[test]
fn an_ambient_base_url_reaches_openai_and_unknown_models_but_captures_no_other_provider() {
    check(&[
        ("OPENAI_BASE_URL=http://e OPENAI_API_KEY=o", "http://e o"),
        ("-m gpt-4o OPENAI_BASE_URL=http://e OPENAI_API_KEY=o", "http://e o"),
        (
            "-m my-model OPENAI_BASE_URL=http://e MINE_KEY=m OPENAI_API_KEY=o",
            "https://mine.example/v1 m",
        ),
        (
            "-m deepseek-chat OPENAI_BASE_URL=http://127.0.0.1:1 OPENAI_API_KEY=o",
            "set DEEPSEEK_API_KEY",
        ),
        ("OPENAI_BASE_URL= OPENAI_API_KEY=o", "https://api.openai.com/v1 o"),
    ]);
}

#[test]
fn the_flag_wins_also_when_it_equals_the_environment() {
    check(&[
        (
            "-m my-model --base-url http://e OPENAI_BASE_URL=http://e OPENAI_API_KEY=o MINE_KEY=m",
            "http://e o",
        ),
        (
            "-m my-model --base-url http://e OPENAI_BASE_URL=http://e MINE_KEY=m",
            "set OPENAI_API_KEY",
        ),
    ]);
}

#[test]
fn the_key_is_the_flag_then_the_providers_in_order_then_openais() {
    check(&[
        ("-m my-model --api-key f MINE_KEY=m OPENAI_API_KEY=o", "https://mine.example/v1 f"),
        ("-m my-model MINE_KEY=m MINE_OTHER_KEY=n", "https://mine.example/v1 m"),
        ("-m my-model MINE_KEY= MINE_OTHER_KEY=n", "https://mine.example/v1 n"),
        ("-m glm-5.2 GLM_API_KEY=g", "https://open.bigmodel.cn/api/paas/v4 g"),
        ("-m glm-5.2 GLM_API_KEY=g ZAI_API_KEY=z", "https://open.bigmodel.cn/api/paas/v4 z"),
        ("-m glm-5.2", "set ZAI_API_KEY GLM_API_KEY"),
        ("-m my-model", "set MINE_KEY MINE_OTHER_KEY"),
        ("", "set OPENAI_API_KEY"),
        ("-m unknown", "set OPENAI_API_KEY"),
        ("OPENAI_API_KEY=", "set OPENAI_API_KEY"),
    ]);
}

#[test]
fn openais_key_stands_in_only_where_the_user_sends_it() {
    check(&[
        ("-m my-model OPENAI_API_KEY=o", "set MINE_KEY MINE_OTHER_KEY"),
        ("-m my-model base_url https://mine.example/v1 OPENAI_API_KEY=o", {
            "set MINE_KEY MINE_OTHER_KEY"
        }),
        ("-m my-model --base-url http://f OPENAI_API_KEY=o", "http://f o"),
        (
            "-m my-model --base-url https://mine.example/v1 OPENAI_API_KEY=o",
            "https://mine.example/v1 o",
        ),
        (
            "-m my-model OPENAI_BASE_URL=https://MINE.example/v1/ OPENAI_API_KEY=o",
            "https://mine.example/v1 o",
        ),
        (
            "-m my-model OPENAI_BASE_URL=https://mine.example/v2 OPENAI_API_KEY=o",
            "set MINE_KEY MINE_OTHER_KEY",
        ),
    ]);
}

#[test]
fn a_named_providers_key_never_goes_to_another_host() {
    check(&[
        ("-m my-model --base-url http://f MINE_KEY=m OPENAI_API_KEY=o", "http://f o"),
        ("-m my-model --base-url http://f MINE_KEY=m", "set OPENAI_API_KEY"),
        ("-m my-model --base-url http://mine.example/v1 MINE_KEY=m", "set OPENAI_API_KEY"),
        ("-m my-model --base-url https://mine.example:8443 MINE_KEY=m", "set OPENAI_API_KEY"),
        ("-m my-model --base-url https://mine.example/v9 MINE_KEY=m", "https://mine.example/v9 m"),
        ("-m deepseek-chat --base-url https://mine.example DEEPSEEK_API_KEY=d", {
            "set MINE_KEY MINE_OTHER_KEY OPENAI_API_KEY"
        }),
        ("-m unknown --base-url http://f MINE_KEY=m", "set OPENAI_API_KEY"),
    ]);
}

#[test]
fn an_address_that_the_user_gave_gets_the_key_of_who_answers_there() {
    check(&[
        ("-m unknown --base-url https://mine.example/v1 MINE_KEY=m", "https://mine.example/v1 m"),
        ("-m new OPENAI_BASE_URL=https://api.deepseek.com/v1 DEEPSEEK_API_KEY=d", {
            "https://api.deepseek.com/v1 d"
        }),
        (
            "-m unknown --base-url https://mine.example/v1 MINE_KEY=m OPENAI_API_KEY=o",
            "https://mine.example/v1 o",
        ),
        ("-m unknown --base-url https://mine.example/v1", {
            "set MINE_KEY MINE_OTHER_KEY OPENAI_API_KEY"
        }),
    ]);
}

#[test]
fn a_server_on_this_machine_needs_no_key_where_the_user_gave_its_address() {
    check(&[
        ("-m llama --base-url http://127.0.0.1:11434/v1", "http://127.0.0.1:11434/v1 no key"),
        ("-m llama OPENAI_BASE_URL=http://localhost:1", "http://localhost:1 no key"),
        ("-m llama base_url http://[::1]:1", "http://[::1]:1 no key"),
        ("-m llama --base-url http://127.0.0.1:1 OPENAI_API_KEY=o", "http://127.0.0.1:1 o"),
        ("-m llama --base-url http://10.0.0.1", "set OPENAI_API_KEY"),
        ("-m here-model", "set HERE_KEY"),
        ("-m free-model", "https://free.example/v1 no key"),
        ("-m free-model OPENAI_API_KEY=o", "https://free.example/v1 no key"),
    ]);
}

#[test]
fn the_demo_needs_nothing_and_an_explicit_address_makes_it_a_model() {
    check(&[
        ("-m demo", "demo"),
        ("-m demo OPENAI_BASE_URL=http://e base_url http://c", "demo"),
        ("-m demo --base-url http://f OPENAI_API_KEY=o", "http://f o"),
    ]);
}

#[test]
fn keys_are_trimmed_and_must_fit_into_a_header() {
    let resolve_with = |key: &str| {
        let request = EndpointRequest {
            model: "gpt-4o",
            base_url_flag: None,
            api_key_flag: None,
            base_url_config: None,
            thinking: ThinkingLevel::Off,
        };
        let environment = Environment::of_variables(&[("OPENAI_API_KEY", key)]);
        resolve(&request, &Catalog::default(), &RouterList::default(), &environment)
    };
    let Ok(Target::Endpoint(endpoint)) = resolve_with(" sk-1 \r\n") else { panic!() };
    assert_eq!(endpoint.api_key.unwrap().expose(), "sk-1");
    for key in ["sk-1\nsk-2", "schlüssel", "\u{feff}sk-1"] {
        let expected = EndpointError::BadKey { origin: "OPENAI_API_KEY".to_owned() };
        assert_eq!(resolve_with(key), Err(expected), "{key:?}");
    }
}

#[test]
fn a_bad_address_is_one_line_that_names_who_gave_it_and_does_not_show_it() {
    for (question, origin) in [
        ("--base-url localhost:1/secret", "--base-url"),
        ("OPENAI_BASE_URL=secret", "OPENAI_BASE_URL"),
        ("base_url ftp://secret", "base_url in the config file"),
    ] {
        let answer = ask(question);
        assert!(answer.starts_with(&format!("the base URL from {origin} is no")), "{answer}");
        assert!(!answer.contains("secret") && !answer.contains('\n'), "{answer}");
    }
}

#[test]
fn an_address_that_is_not_used_may_be_bad() {
    check(&[("-m my-model OPENAI_BASE_URL=nonsense MINE_KEY=m", "https://mine.example/v1 m")]);
}

#[test]
fn what_the_catalog_knows_comes_along() {
    let endpoint = |model: &str, thinking| {
        let request = EndpointRequest {
            model,
            base_url_flag: None,
            api_key_flag: Some("k"),
            base_url_config: None,
            thinking,
        };
        match resolve(
            &request,
            &Catalog::of(MINE),
            &RouterList::default(),
            &Environment::of_variables(&[]),
        ) {
            Ok(Target::Endpoint(endpoint)) => *endpoint,
            other => panic!("{other:?}"),
        }
    };
    let known = endpoint("gpt-4o-mini", ThinkingLevel::High);
    assert_eq!(known.provider.as_deref(), Some("openai"));
    assert_eq!(known.context_window, Some(128_000));
    assert_eq!(known.thinking, ThinkingLevel::High);
    assert!(known.price.is_some() && known.vision);
    let unknown = endpoint("mock-model", ThinkingLevel::Xhigh);
    assert_eq!((unknown.context_window, unknown.price, unknown.vision), (None, None, true));
    assert_eq!(unknown.thinking, ThinkingLevel::Xhigh);
    let rounded = endpoint("my-model", ThinkingLevel::Xhigh);
    assert_eq!(rounded.thinking, ThinkingLevel::Medium);
    assert_eq!(rounded.provider.as_deref(), Some("mine"));
}

#[test]
fn a_provider_is_named_only_where_it_answers() {
    for (base_url, expected) in [
        (None, Some("mine")),
        (Some("https://mine.example/other"), Some("mine")),
        (Some("https://api.deepseek.com"), Some("deepseek")),
        (Some("http://127.0.0.1:1"), None),
    ] {
        let request = EndpointRequest {
            model: "my-model",
            base_url_flag: base_url,
            api_key_flag: Some("k"),
            base_url_config: None,
            thinking: ThinkingLevel::Off,
        };
        let found = resolve(
            &request,
            &Catalog::of(MINE),
            &RouterList::default(),
            &Environment::of_variables(&[]),
        );
        let Ok(Target::Endpoint(endpoint)) = found else { panic!("{found:?}") };
        assert_eq!(endpoint.provider.as_deref(), expected, "{base_url:?}");
    }
}

#[test]
fn a50_no_key_shows_in_debug_output() {
    let key = ApiKey::new("sk-0123456789", "K").unwrap();
    assert_eq!(format!("{key:?}"), "ApiKey(hidden)");
}

#[test]
fn the_help_without_a_key_names_every_way_out() {
    let missing = MissingKey {
        model: "deepseek-chat".to_owned(),
        host: "api.deepseek.com".to_owned(),
        variables: vec!["DEEPSEEK_API_KEY".to_owned()],
        openai_key_is_elsewhere: true,
        is_users_address: false,
    };
    let environment = Environment::of_variables(&[("GLM_API_KEY", "g")]);
    let text = no_key_help(&missing, &Catalog::default(), &environment, &LOCAL_SERVERS[..1]);
    for part in [
        "no API key for deepseek-chat at api.deepseek.com: set DEEPSEEK_API_KEY (OPENAI_API_KEY",
        "export DEEPSEEK_API_KEY=...",
        "letscode --model glm-4.5 MESSAGE",
        "GLM_API_KEY is set",
        "letscode --base-url http://127.0.0.1:11434/v1 --model NAME MESSAGE  a server listens on Ollama's",
        "letscode --model demo \"show me around\"",
        "letscode --init",
    ] {
        assert!(text.contains(part), "{part:?} in\n{text}");
    }
}

#[test]
fn the_help_says_that_any_key_does_where_the_user_gave_the_address() {
    let request = EndpointRequest {
        model: "llama",
        base_url_flag: Some("http://10.0.0.1:11434/v1"),
        api_key_flag: None,
        base_url_config: None,
        thinking: ThinkingLevel::Off,
    };
    let environment = Environment::of_variables(&[]);
    let catalog = Catalog::default();
    let Err(EndpointError::MissingKey(missing)) =
        resolve(&request, &catalog, &RouterList::default(), &environment)
    else {
        panic!("a key is needed")
    };
    let text = no_key_help(&missing, &catalog, &environment, &[]);
    assert!(text.contains("the key for 10.0.0.1; any text if it asks for none"), "{text}");
}

/// Returns who answers for a model, OpenRouter's list knowing some.
fn routed(model: &str, variables: &[(&str, &str)], flag: Option<&str>) -> Option<Box<Endpoint>> {
    let directory = tempfile::tempdir().unwrap();
    let names = ["some/model", "gpt-4o", "my-model", "demo"];
    let router = RouterList::of(directory.path(), &names);
    let request = EndpointRequest {
        model,
        base_url_flag: flag,
        api_key_flag: None,
        base_url_config: Some("http://config.example/v1"),
        thinking: ThinkingLevel::High,
    };
    let environment = Environment::of_variables(variables);
    match resolve(&request, &Catalog::of(MINE), &router, &environment) {
        Ok(Target::Endpoint(endpoint)) => Some(endpoint),
        Ok(Target::Demo) | Err(_) => None,
    }
}

#[test]
fn a_model_that_only_openrouter_knows_goes_there_when_its_key_is_set() {
    let keys = [("OPENROUTER_API_KEY", "r"), ("OPENAI_API_KEY", "o"), ("MINE_KEY", "m")];
    let endpoint = routed("some/model", &keys, None).unwrap();
    assert_eq!(endpoint.base_url, "https://openrouter.ai/api/v1");
    assert_eq!(endpoint.api_key, Some(ApiKey("r".to_owned())));
    assert_eq!(endpoint.provider.as_deref(), Some("openrouter"));
    assert_eq!(endpoint.context_window, Some(196_608));
    assert_eq!(endpoint.price.map(|price| price.output_per_million), Some(1.2));
    assert_eq!(endpoint.thinking, ThinkingLevel::High);
    assert!(!endpoint.vision);
}

#[test]
fn openrouters_list_takes_no_model_from_anybody_else() {
    let keys = [("OPENROUTER_API_KEY", "r"), ("OPENAI_API_KEY", "o"), ("MINE_KEY", "m")];
    for (model, keys, flag, address) in [
        ("gpt-4o", &keys[..], None, "http://config.example/v1"),
        ("my-model", &keys, None, "https://mine.example/v1"),
        ("nobodys/model", &keys, None, "http://config.example/v1"),
        ("some/model", &keys, Some("http://flag.example/v1"), "http://flag.example/v1"),
        ("some/model", &keys[1..], None, "http://config.example/v1"),
    ] {
        let endpoint = routed(model, keys, flag).unwrap();
        assert_eq!(endpoint.base_url, address, "{model}");
        assert_ne!(endpoint.api_key, Some(ApiKey("r".to_owned())), "{model}");
    }
    assert_eq!(routed("demo", &keys, None), None);
}
