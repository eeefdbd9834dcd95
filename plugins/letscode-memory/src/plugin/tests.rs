//! The plugin with the SDK's peer around it, on a home of its own.

use super::*;
use letscode_plugin::testing::Peer;
use std::fs;
use tempfile::TempDir;

fn peer(home: &TempDir, config: Value) -> Peer {
    let Value::Object(config) = config else { panic!("a table is an object") };
    Peer::start_with(plugin(home.path()), config, |_| Err("nothing is asked".to_owned()))
}

fn user(text: &str) -> Arc<Message> {
    Arc::new(Message::User(UserMessage {
        id: "u".into(),
        content: vec![ContentPart::text(text)],
        timestamp: 0.0,
        meta: Meta::new(),
    }))
}

fn put(home: &TempDir, name: &str, text: &str, seconds: u64) {
    let folder = home.path().join(".letscode/memory");
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join(name);
    fs::write(&path, text).unwrap();
    let time = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(seconds);
    fs::File::options().write(true).open(path).unwrap().set_modified(time).unwrap();
}

/// Returns for each message the memories that it carries, or its text.
fn shown(messages: &Transcript) -> Vec<String> {
    let shown = messages.iter().map(|message| match message.as_custom() {
        Some(custom) => custom.payload[BODIES].to_string(),
        None => text_of(message.content()),
    });
    shown.collect()
}

#[test]
fn what_is_remembered_is_listed_told_to_the_model_and_forgotten() {
    let home = tempfile::tempdir().unwrap();
    let peer = peer(&home, json!({}));
    let run = |name: &str, args: &str| {
        peer.run_command(name, args).map_or_else(|error| error.to_string(), |reply| reply.text)
    };
    assert_eq!(run("memories", ""), "Nothing is remembered yet; /remember TEXT keeps something.");
    assert_eq!(peer.transform_context(vec![user("hi")]).unwrap(), None);
    assert_eq!(run("remember", " "), "say what to remember: /remember TEXT");
    let told = run("remember", "Likes tea.\nGreen, if there is some.");
    let id = told.strip_prefix("Remembered as ").unwrap().trim_end_matches('.').to_owned();
    assert_eq!(run("memories", ""), format!("{id}  Likes tea. …\n/forget ID removes one."));
    let changed = peer.transform_context(vec![user("hi")]).unwrap().unwrap();
    assert_eq!(shown(&changed), ["[\"Likes tea.\\nGreen, if there is some.\"]", "hi"]);
    let rendered = peer.render_custom_message(changed[0].as_custom().unwrap().clone()).unwrap();
    let text = text_of(rendered.unwrap().content());
    assert!(text.ends_with("\n\n- Likes tea.\n  Green, if there is some."), "{text}");
    assert_eq!(run("forget", ""), "say which: /forget ID; /memories lists them");
    assert_eq!(run("forget", "x"), "there is no memory \"x\"; /memories lists them");
    assert_eq!(run("forget", &id), format!("Forgot {id}."));
    assert_eq!(peer.transform_context(vec![user("hi")]).unwrap(), None);
    assert_eq!(peer.capabilities().kinds, [KIND]);
}

#[test]
fn files_are_read_anew_for_each_request_and_unfit_ones_left_out() {
    let home = tempfile::tempdir().unwrap();
    let peer = peer(&home, json!({"inject_limit": 2}));
    put(&home, "a.md", "a", 1);
    put(&home, "b.md", "b", 2);
    put(&home, "c.md", "c", 3);
    put(&home, "d.md", "\0", 4);
    let given = |peer: &Peer| shown(&peer.transform_context(vec![user("hi")]).unwrap().unwrap());
    assert_eq!(given(&peer), [r#"["c","b"]"#, "hi"]);
    put(&home, "a.md", "edited", 5);
    assert_eq!(given(&peer), [r#"["edited","c"]"#, "hi"]);
    let listed = peer.run_command("memories", "").unwrap().text;
    assert!(listed.contains("\nd  (left out: it is not UTF-8 text)\n"), "{listed}");
}

#[test]
fn relevant_memories_stand_right_before_the_newest_message_of_the_user() {
    let home = tempfile::tempdir().unwrap();
    put(&home, "a.md", "tests run with pytest", 1);
    put(&home, "b.md", "likes green tea", 2);
    put(&home, "c.md", "tea comes before tests", 3);
    let peer = peer(&home, json!({"relevance": true, "relevance_top_n": 2}));
    let history = || vec![user("some tea?"), user("run the tests")];
    let given = peer.transform_context(history()).unwrap().unwrap();
    let expected =
        ["some tea?", r#"["tests run with pytest","tea comes before tests"]"#, "run the tests"];
    assert_eq!(shown(&given), expected);
    for nothing in [vec![user("deploy it")], vec![]] {
        assert_eq!(peer.transform_context(nothing).unwrap(), None);
    }
}

#[test]
fn what_another_plugin_gave_is_not_given_twice() {
    let home = tempfile::tempdir().unwrap();
    put(&home, "a.md", "a", 1);
    let peer = peer(&home, json!({}));
    let given = peer.transform_context(vec![user("hi")]).unwrap().unwrap();
    assert_eq!(peer.transform_context(given.clone()).unwrap(), None);
    put(&home, "b.md", "b", 2);
    let fresh = peer.transform_context(given).unwrap().unwrap();
    assert_eq!(shown(&fresh), [r#"["b","a"]"#, r#"["a"]"#, "hi"]);
}

#[test]
fn a_table_that_makes_no_sense_gives_way_to_the_defaults() {
    let home = tempfile::tempdir().unwrap();
    put(&home, "a.md", "a", 1);
    for config in [json!({"inject_limit": -1}), json!({"relevance": "yes", "mine": 1})] {
        let given = peer(&home, config).transform_context(vec![user("hi")]).unwrap().unwrap();
        assert_eq!(shown(&given), [r#"["a"]"#, "hi"]);
    }
}

#[test]
fn a_foreign_message_of_that_kind_is_not_rendered() {
    let home = tempfile::tempdir().unwrap();
    let peer = peer(&home, json!({}));
    let mut message = carrier(&["a".to_owned()]);
    message.payload = Map::new();
    assert_eq!(peer.render_custom_message(message).unwrap(), None);
}
