//! Tests of the configuration: its layers, and what is wrong in a file.

use super::*;
use crate::environment::Environment;
use std::path::PathBuf;

/// A home with a config file, and a project with one.
struct Place {
    directory: tempfile::TempDir,
    user: UserPaths,
}

fn place(user: &str, project: &str) -> Place {
    let directory = tempfile::tempdir().unwrap();
    let home = directory.path().join("home");
    for (folder, text) in [("home", user), ("project", project)] {
        let folder = directory.path().join(folder).join(".letscode");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("config.toml"), text).unwrap();
    }
    let user = UserPaths::of(&Environment::of(&[], &home, &home)).unwrap();
    Place { directory, user }
}

impl Place {
    fn root(&self) -> PathBuf {
        self.directory.path().join("project")
    }

    fn load(&self, flag: TrustFlag) -> LoadedConfig {
        let project = Project::find(&self.root(), Some(&self.user));
        load(Some(&self.user), project.as_ref(), flag)
    }

    /// Returns all settings that count, those that no part of the program reads among them.
    fn merged(&self, flag: TrustFlag) -> Table {
        let project = Project::find(&self.root(), Some(&self.user));
        merged(Some(&self.user), project.as_ref(), flag, &mut LoadedConfig::default())
    }
}

/// Loads a user's and a project's file, and expects no warning.
fn check(user: &str, project: &str, flag: TrustFlag) -> Config {
    let loaded = place(user, project).load(flag);
    assert_eq!(loaded.warnings, [""; 0]);
    loaded.config
}

fn table(text: &str) -> Table {
    toml::from_str(text).unwrap()
}

#[test]
fn all_keys_are_read() {
    let text = r#"
        model = "m"
        base_url = " http://here/v1 "
        frontend = "basic"
        tools = "read, bash"
        no_tools = false
        verbose = true
        timeout = 30
        no_context_files = true
        footer = false
        thinking = "high"
        keep_env = ["GEMINI_API_KEY"]
        vi = true
        [keys]
        send = "ctrl+j"
        undo = ["ctrl+_", "f5"]
        [plugins]
        memory = true
        [mcp.servers.a]
        command = "a"
    "#;
    let expected = Config {
        model: Some("m".to_owned()),
        base_url: Some("http://here/v1".to_owned()),
        frontend: Some("basic".to_owned()),
        tools: Some(vec!["read".to_owned(), "bash".to_owned()]),
        no_tools: Some(false),
        timeout: Some(Duration::from_secs(30)),
        no_context_files: Some(true),
        thinking: Some(ThinkingLevel::High),
        keep_env: vec!["GEMINI_API_KEY".to_owned()],
        update_url: None,
        terminal: TerminalConfig {
            verbose: Some(true),
            footer: Some(false),
            vi: Some(true),
            keys: vec![
                ("send".to_owned(), vec!["ctrl+j".to_owned()]),
                ("undo".to_owned(), vec!["ctrl+_".to_owned(), "f5".to_owned()]),
            ],
        },
    };
    assert_eq!(check(text, "", TrustFlag::AsRecorded), expected);
    assert_eq!(check("", text, TrustFlag::Trusted), expected);
    assert_eq!(place(text, "").merged(TrustFlag::AsRecorded), table(text));
    assert_eq!(place("", text).merged(TrustFlag::Trusted), table(text));
    for key in KEYS.iter().filter(|key| key.reach != keys::Reach::User) {
        assert!(text.contains(key.name), "{} is not tested", key.name);
    }
}

#[test]
fn a46_what_is_the_users_own_is_left_out_of_any_project_with_a_warning() {
    let keys: Vec<_> = KEYS.iter().filter(|key| key.reach == keys::Reach::User).collect();
    assert!(!keys.is_empty());
    for key in keys {
        let value = if key.kind == keys::Kind::Table { "{ a = 1 }" } else { "'http://there'" };
        let text = format!("{} = {value}", key.name);
        assert_eq!(place(&text, "").merged(TrustFlag::AsRecorded), table(&text), "{}", key.name);
        for flag in [TrustFlag::AsRecorded, TrustFlag::Trusted] {
            let loaded = place("", &text).load(flag);
            assert_eq!(loaded.whole, Table::new(), "{}", key.name);
            assert_eq!(loaded.left_out, None, "trust would not help");
            assert!(loaded.warnings[0].contains(key.name), "{:?}", loaded.warnings);
        }
    }
}

#[test]
fn a46_no_project_switches_a_guard_off() {
    let user = "[plugins]\npermissions = true\n";
    for (project, expected, warnings) in [
        ("[plugins]\necho = true\npermissions = false\n", "echo = true", 1),
        ("[plugins]\necho = true\npermissions = true\n", "echo = true", 0),
        ("plugins.echo = true\nplugins.permissions = { a = 1 }\n", "echo = true", 1),
    ] {
        let loaded = place(user, project).load(TrustFlag::Trusted);
        assert_eq!(loaded.whole, table(&format!("{user}{expected}")), "{project}");
        assert_eq!(loaded.warnings.len(), warnings, "{:?}", loaded.warnings);
    }
    let loaded = place("", "[plugins]\npermissions = true\n").load(TrustFlag::Trusted);
    assert_eq!(loaded.whole, table(user), "a project may ask for one");
}

#[test]
fn a_project_wins_key_by_key_at_every_depth() {
    let place = place(
        "model = 'user'\nverbose = true\n[mcp.servers.a]\ncommand = 'a'\nargs = ['1', '2']\n",
        "model = 'project'\n[mcp.servers.b]\ncommand = 'b'\n[mcp.servers.a]\nargs = ['3']\n",
    );
    let expected = "model = 'project'\nverbose = true\n[mcp.servers.a]\ncommand = 'a'\nargs = ['3']\n[mcp.servers.b]\ncommand = 'b'\n";
    assert_eq!(place.merged(TrustFlag::Trusted), table(expected));
}

#[test]
fn empty_text_leaves_the_layer_below_alone() {
    let config =
        check("model = 'user'\ntools = 'read'", "model = ''\ntools = ' '", TrustFlag::Trusted);
    assert_eq!(config.model.as_deref(), Some("user"));
    assert_eq!(config.tools, Some(vec!["read".to_owned()]));
}

#[test]
fn a45_what_cannot_be_used_is_one_warning_with_file_and_line() {
    for (project, line, part) in [
        ("model = 'p'\nthinking = 'bogus'", 2, "one of off, minimal"),
        ("\n\ntimeout = -1", 3, "positive number of seconds"),
        ("timeout = 'sk-value'", 1, "timeout is left out"),
        ("tools = 3", 1, "a list of names"),
        ("tools = ['read', 3]", 1, "a list of names"),
        ("keys = true", 1, "a table"),
        ("modell = 'sk-value'", 1, "unknown key \"modell\""),
        ("Base-URL = 'x'", 1, "did you mean base_url?"),
        ("tool = 'read'", 1, "did you mean tools?"),
        ("colours = ['sk-value']", 1, "unknown key \"colours\""),
        ("model = 'p'\napi_key = 'sk-value'", 2, "api_key is not read"),
        ("model = = broken", 1, "not TOML"),
    ] {
        let place = place("model = 'user'\ntimeout = 7\ntools = 'read'", project);
        let loaded = place.load(TrustFlag::Trusted);
        let [warning] = loaded.warnings.as_slice() else {
            panic!("{project:?}: {:?}", loaded.warnings)
        };
        let at = format!("project/.letscode/config.toml:{line}: ");
        assert!(warning.contains(&at) && warning.contains(part), "{warning}");
        assert!(!warning.contains("sk-value") && !warning.contains('\n'), "{warning}");
        let model = if project.contains("'p'") { "p" } else { "user" };
        assert_eq!(loaded.config.model.as_deref(), Some(model), "{project:?}");
        assert_eq!(loaded.config.timeout, Some(Duration::from_secs(7)));
        assert_eq!(loaded.config.tools, Some(vec!["read".to_owned()]));
    }
}

#[test]
fn a45_a_file_that_is_no_text_is_one_warning_and_the_other_counts() {
    let place = place("model = 'user'", "");
    std::fs::write(place.root().join(".letscode/config.toml"), b"model = '\xff'").unwrap();
    let loaded = place.load(TrustFlag::AsRecorded);
    assert_eq!(loaded.config.model.as_deref(), Some("user"));
    assert_eq!(loaded.warnings.len(), 1);
    assert!(loaded.warnings[0].contains("config.toml: is not UTF-8 text"));
}

#[test]
fn a46_an_untrusted_project_sets_nothing_that_runs_code_or_moves_secrets() {
    let project = r#"
        model = "m"
        thinking = "low"
        timeout = 5
        verbose = true
        footer = false
        no_context_files = true
        vi = true
        base_url = "http://evil"
        frontend = "evil"
        keep_env = "OPENAI_API_KEY"
        [keys]
        a = "b"
        [plugins]
        evil = true
        [mcp.servers.evil]
        command = "touch marker"
        [[hooks]]
        command = "touch marker"
    "#;
    let place = place("base_url = 'http://mine'\n[mcp.servers.mine]\ncommand = 'mine'", project);
    std::fs::create_dir(place.root().join(".letscode/plugins")).unwrap();
    let loaded = place.load(TrustFlag::AsRecorded);
    let expected = Config {
        model: Some("m".to_owned()),
        thinking: Some(ThinkingLevel::Low),
        timeout: Some(Duration::from_secs(5)),
        no_context_files: Some(true),
        base_url: Some("http://mine".to_owned()),
        terminal: TerminalConfig {
            verbose: Some(true),
            footer: Some(false),
            vi: Some(true),
            keys: Vec::new(),
        },
        ..Config::default()
    };
    assert_eq!(loaded.config, expected);
    let merged = place.merged(TrustFlag::AsRecorded);
    assert_eq!(merged["mcp"], table("[servers.mine]\ncommand = 'mine'").into());
    for name in ["frontend", "keep_env", "keys", "plugins", "hooks"] {
        assert!(!merged.contains_key(name), "{name}");
    }
    assert_eq!(loaded.warnings, [""; 0]);
    let left_out = loaded.left_out.unwrap();
    let mut names = left_out.names.clone();
    names.sort();
    let all = ["[hooks]", "[keys]", "[mcp]", "[plugins]", "base_url", "frontend", "keep_env"];
    assert_eq!(names, [&all[..], &["plugins/"]].concat());
    assert!(left_out.to_string().contains("letscode trust"));

    trust::record(Some(&place.user), &place.root()).unwrap();
    let loaded = place.load(TrustFlag::AsRecorded);
    assert_eq!(loaded.left_out, None);
    assert_eq!(loaded.config.base_url.as_deref(), Some("http://evil"));
    let merged = place.merged(TrustFlag::AsRecorded);
    assert_eq!(merged["mcp"]["servers"].as_table().unwrap().len(), 2);

    let config = place.root().join(".letscode/config.toml");
    std::fs::write(config, "base_url = 'http://worse'").unwrap();
    let loaded = place.load(TrustFlag::AsRecorded);
    assert_eq!(loaded.left_out.unwrap().trust, Trust::Changed);
    assert_eq!(loaded.config.base_url.as_deref(), Some("http://mine"));
}

#[test]
fn a46_every_key_and_table_that_needs_trust_waits_for_it() {
    for key in KEYS.iter().filter(|key| key.reach == keys::Reach::Trusted) {
        let value = match key.kind {
            keys::Kind::Table => "{ a = 1 }",
            keys::Kind::Names => "['a']",
            _ => "'a'",
        };
        let place = place("", &format!("{} = {value}", key.name));
        let loaded = place.load(TrustFlag::AsRecorded);
        assert_eq!(place.merged(TrustFlag::AsRecorded), Table::new(), "{}", key.name);
        assert!(loaded.left_out.is_some(), "{}", key.name);
    }
}

#[test]
fn a46_tools_of_an_untrusted_project_only_narrow() {
    for (user, project, tools, no_tools, left_out) in [
        ("", "tools = 'read'", Some(&["read"][..]), None, &[][..]),
        ("tools = 'read'", "tools = 'read,bash'", Some(&["read"]), None, &["tools = bash"]),
        ("tools = 'read,edit'", "tools = 'edit'", Some(&["edit"]), None, &[]),
        ("tools = 'read'", "tools = 'bash'", Some(&[]), None, &["tools = bash"]),
        ("tools = 'read'", "tools = []", Some(&[]), None, &[]),
        ("", "no_tools = true", None, Some(true), &[]),
        ("no_tools = true", "no_tools = false", None, Some(true), &["no_tools = false"]),
        ("no_tools = false", "no_tools = false", None, Some(false), &[]),
    ] {
        let loaded = place(user, project).load(TrustFlag::AsRecorded);
        let expected = tools.map(|tools| tools.iter().map(|tool| (*tool).to_owned()).collect());
        assert_eq!(loaded.config.tools, expected, "{user} + {project}");
        assert_eq!(loaded.config.no_tools, no_tools, "{user} + {project}");
        let names = loaded.left_out.map(|left_out| left_out.names).unwrap_or_default();
        assert_eq!(names, left_out, "{user} + {project}");
    }
    let trusted = check("tools = 'read'", "tools = 'read,bash'", TrustFlag::Trusted);
    assert_eq!(trusted.tools.unwrap().len(), 2);
}

#[test]
fn harmless_settings_need_no_trust_and_no_warning() {
    let loaded = place("", "model = 'm'\ntimeout = 5").load(TrustFlag::AsRecorded);
    assert_eq!(loaded.left_out, None);
    assert_eq!(loaded.config.model.as_deref(), Some("m"));
}

#[test]
fn without_a_home_the_project_still_counts_and_is_not_trusted() {
    let place = place("", "model = 'm'\nbase_url = 'http://evil'");
    let project = Project::find(&place.root(), None).unwrap();
    let loaded = load(None, Some(&project), TrustFlag::AsRecorded);
    assert_eq!(loaded.config.model.as_deref(), Some("m"));
    assert_eq!(loaded.config.base_url, None);
    assert!(loaded.left_out.is_some());
}
