//! Tests of the catalog: reading it, and finding a model in it.

use super::*;
use crate::files::TomlFile;
use std::path::Path;

/// Reads a user's catalog and returns it with the warnings.
fn read(text: &str) -> (Catalog, Vec<String>) {
    let mut warnings = Vec::new();
    let file = TomlFile::parse(Path::new("/c/catalog.toml"), text.to_owned()).unwrap();
    let catalog = user::from_file(&file, &mut warnings);
    (catalog, warnings)
}

#[test]
fn the_built_in_catalog_is_what_the_contract_lists() {
    let catalog = Catalog::default();
    for (name, base_url, variables) in [
        ("openai", "https://api.openai.com/v1", &["OPENAI_API_KEY"][..]),
        ("fireworks", "https://api.fireworks.ai/inference/v1", &["FIREWORKS_API_KEY"]),
        ("deepseek", "https://api.deepseek.com/v1", &["DEEPSEEK_API_KEY"]),
        ("zai", "https://open.bigmodel.cn/api/paas/v4", &["ZAI_API_KEY", "GLM_API_KEY"]),
        ("openrouter", "https://openrouter.ai/api/v1", &["OPENROUTER_API_KEY"]),
        (
            "gemini",
            "https://generativelanguage.googleapis.com/v1beta/openai",
            &["GEMINI_API_KEY", "GOOGLE_API_KEY"],
        ),
    ] {
        let provider = catalog.provider(name).unwrap();
        assert_eq!(provider.base_url, base_url);
        assert_eq!(provider.key_variables.as_ref(), variables);
    }
    for (id, provider, window, vision) in [
        ("gpt-4o-mini", "openai", 128_000, true),
        ("gpt-4o", "openai", 128_000, true),
        ("minimax-m2p5", "fireworks", 196_000, false),
        ("accounts/fireworks/models/minimax-m2p5", "fireworks", 196_000, false),
        ("deepseek-chat", "deepseek", 128_000, false),
        ("deepseek-reasoner", "deepseek", 128_000, false),
        ("glm-4.5", "zai", 128_000, false),
        ("glm-5.2", "zai", 128_000, false),
        ("gemini-2.5-flash", "gemini", 1_000_000, true),
        ("gemini-2.5-pro", "gemini", 2_000_000, true),
        ("minimax/minimax-m2.5", "openrouter", 196_000, false),
    ] {
        let model = catalog.model(id).unwrap();
        assert_eq!(
            (model.provider.as_ref(), model.context_window, model.vision),
            (provider, Some(window), vision),
            "{id}"
        );
    }
    let levels = &catalog.model("deepseek-reasoner").unwrap().thinking_levels;
    assert_eq!(levels.iter().map(|level| level.as_str()).collect::<Vec<_>>().join("/"), {
        "off/low/medium/high"
    });
    assert!(catalog.model("deepseek-chat").unwrap().thinking_levels.is_empty());
}

#[test]
fn every_built_in_model_has_a_provider_and_a_name_of_its_own() {
    let catalog = Catalog::default();
    for model in &built_in::MODELS {
        assert!(catalog.provider(&model.provider).is_some(), "{}", model.id);
        let same = built_in::MODELS.iter().filter(|other| other.id == model.id).count();
        assert_eq!(same, 1, "{}", model.id);
    }
}

#[test]
fn the_users_models_and_providers_win() {
    let (catalog, warnings) = read(
        r#"
        [[providers]]
        name = "mine"
        base_url = "http://127.0.0.1:9/v1"
        api_key_env = ["MINE_KEY", "OTHER_KEY"]
        [[providers]]
        name = "deepseek"
        base_url = "http://mirror/v1"
        api_key_env = "MIRROR_KEY"
        [[models]]
        id = "my-model"
        provider = "mine"
        input_per_million = 1
        output_per_million = 2.5
        context_window = 1000
        thinking_levels = ["off", "low"]
        vision = false
        [[models]]
        id = "gpt-4o"
        provider = "mine"
        "#,
    );
    assert_eq!(warnings, [""; 0]);
    let expected = Model {
        id: "my-model".into(),
        provider: "mine".into(),
        context_window: Some(1000),
        thinking_levels: vec![ThinkingLevel::Off, ThinkingLevel::Low].into(),
        price: Some(Price { input_per_million: 1.0, output_per_million: 2.5 }),
        vision: false,
    };
    assert_eq!(catalog.model("my-model"), Some(&expected));
    assert_eq!(catalog.provider("mine").unwrap().key_variables.len(), 2);
    assert_eq!(catalog.provider("deepseek").unwrap().base_url, "http://mirror/v1");
    assert_eq!(catalog.provider("deepseek").unwrap().key_variables.as_ref(), ["MIRROR_KEY"]);
    let replaced = catalog.model("gpt-4o").unwrap();
    assert_eq!((replaced.provider.as_ref(), replaced.context_window), ("mine", None));
    assert!(replaced.vision);
    assert_eq!(catalog.model("deepseek-chat").unwrap().provider, "deepseek");
}

#[test]
fn a_model_described_anew_sees_what_the_built_in_one_sees() {
    let (catalog, _) = read(
        "[[models]]\nid = 'glm-4.5'\nprovider = 'zai'\n[[models]]\nid = 'x'\nprovider = 'zai'\n",
    );
    assert!(!catalog.model("glm-4.5").unwrap().vision);
    assert!(catalog.model("x").unwrap().vision);
}

#[test]
fn the_later_of_two_entries_wins_and_half_a_price_is_none() {
    let (catalog, _) = read(
        "[[models]]\nid = 'x'\nprovider = 'zai'\ncontext_window = 1\ninput_per_million = 1\n\
         [[models]]\nid = 'x'\nprovider = 'zai'\ncontext_window = 2\ninput_per_million = 1\n",
    );
    let model = catalog.model("x").unwrap();
    assert_eq!((model.context_window, model.price), (Some(2), None));
}

#[test]
fn a45_a_bad_entry_is_one_warning_and_the_others_count() {
    let good = "[[models]]\nid = 'good'\nprovider = 'zai'\n";
    for (bad, part) in [
        ("[[models]]\nprovider = 'zai'", "entry 2 of models is left out: id is missing"),
        ("[[models]]\nid = 'x'", "provider is missing"),
        ("[[models]]\nid = 3\nprovider = 'zai'", "id must be text"),
        ("[[models]]\nid = 'x'\nprovider = 'none'", "no provider is named \"none\""),
        ("[[models]]\nid = 'x'\nprovider = 'zai'\ncontext_window = -1", "context_window must"),
        ("[[models]]\nid = 'x'\nprovider = 'zai'\nthinking_levels = ['much']", "thinking_levels"),
        ("[[models]]\nid = 'x'\nprovider = 'zai'\ninput_per_million = 'x'", "input_per_million"),
        ("[[models]]\nid = 'x'\nprovider = 'zai'\nvision = 1", "vision must be"),
        ("[[providers]]\nname = 'x'", "entry 1 of providers is left out: base_url is missing"),
        ("[[providers]]\nname = 'x'\nbase_url = 'u'\napi_key_env = 1", "api_key_env must be"),
        ("[providers]\nname = 'x'", "providers is left out: write [[providers]]"),
    ] {
        let (catalog, warnings) = read(&format!("{good}{bad}"));
        let [warning] = warnings.as_slice() else { panic!("{bad}: {warnings:?}") };
        assert!(warning.contains("catalog.toml") && warning.contains(part), "{warning}");
        assert!(catalog.model("good").is_some(), "{bad}");
        assert!(catalog.model("x").is_none() && catalog.provider("x").is_none(), "{bad}");
    }
}

#[test]
fn a45_a_broken_file_is_one_warning_and_the_built_in_catalog_counts() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("catalog.toml");
    for content in [&b"[[models]\n"[..], b"\xff"] {
        std::fs::write(&path, content).unwrap();
        let mut warnings = Vec::new();
        let catalog = user::read(&path, &mut warnings);
        assert_eq!(warnings.len(), 1);
        assert!(warnings[0].contains("catalog.toml"), "{warnings:?}");
        assert!(catalog.model("gpt-4o-mini").is_some());
    }
}
