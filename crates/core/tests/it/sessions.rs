//! What a run leaves in its session, and a session that cannot be written.

use crate::stage::{MemStore, Setup, TestTool, messages, output};
use letscode_core::session::{self, FileStore};
use letscode_testkit::scripted_model::ScriptedAnswer;
use letscode_wire::Command;
use serde_json::json;

fn tool() -> TestTool {
    TestTool::new("work", async |_, _| Ok(output("worked")))
}

fn call() -> ScriptedAnswer {
    ScriptedAnswer::new().tool_call("c", "work", json!({}))
}

#[tokio::test]
async fn a_message_is_kept_before_its_end_is_heard() {
    let store = MemStore::default();
    let mut stage = Setup::new([call(), ScriptedAnswer::of_text("ok")])
        .tool(tool())
        .store(store.clone())
        .start();
    stage.prompt("go");
    let mut ended = 0;
    while ended < 4 {
        stage.until("message_end").await;
        ended += stage.take_only(&["message_end"]).len();
        assert!(store.lines().len() >= ended, "{ended} ends, {:?}", store.lines());
    }
    stage.end().await;
    assert_eq!(
        store.lines(),
        [
            r#"user "go""#,
            r#"assistant "" calls=c"#,
            r#"result c "worked""#,
            r#"assistant "ok" calls="#
        ]
    );
}

#[tokio::test]
async fn a_store_that_fails_is_told_once_and_the_run_goes_on() {
    let store = MemStore::default();
    let answers = [call(), ScriptedAnswer::of_text("ok"), ScriptedAnswer::of_text("well")];
    let mut stage = Setup::new(answers).tool(tool()).store(store.clone()).start();
    *store.failing.lock().unwrap() = true;
    stage.run("go").await;
    let notices = stage.take_only(&["notice", "agent_end"]);
    assert_eq!(notices.len(), 2, "{notices:?}");
    assert!(notices[0].contains("/full") && notices[0].contains("going on"), "{notices:?}");
    assert_eq!(notices[1], "agent_end 4");
    *store.failing.lock().unwrap() = false;
    stage.run("later").await;
    assert_eq!(stage.take_only(&["notice"]), [""; 0]);
    assert_eq!(store.lines(), [r#"user "later""#, r#"assistant "well" calls="#]);
    *store.failing.lock().unwrap() = true;
    stage.model.push(ScriptedAnswer::of_text("more"));
    stage.run("more").await;
    assert_eq!(stage.take_only(&["notice"]).len(), 1, "a new failure is told anew");
    stage.end().await;
}

#[tokio::test]
async fn a_real_session_goes_on_where_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let store = FileStore::create(folder.path());
    let path = store.path().to_owned();
    let answers = [call(), ScriptedAnswer::of_text("ok")];
    let mut stage = Setup::new(answers).tool(tool()).store(store).start();
    stage.run("go").await;
    stage.send("r", Command::Reset);
    stage.settle().await;
    stage.model.push(ScriptedAnswer::of_text("fresh"));
    stage.run("anew").await;
    stage.end().await;
    let resumed = session::resume(&path).unwrap();
    assert!(resumed.loaded.warnings.is_empty(), "{:?}", resumed.loaded.warnings);
    let before = messages(&resumed.loaded.transcript);
    assert_eq!(before, [r#"user "anew""#, r#"assistant "fresh" calls="#]);
    let mut stage = Setup::new([ScriptedAnswer::of_text("yes")])
        .transcript(resumed.loaded.transcript)
        .store(resumed.store)
        .start();
    stage.run("still there?").await;
    assert_eq!(stage.request(0)[..2], before);
    stage.end().await;
}

#[tokio::test]
async fn a23_a_session_that_ends_on_a_call_goes_on_validly() {
    let folder = tempfile::tempdir().unwrap();
    let store = FileStore::create(folder.path());
    let path = store.path().to_owned();
    let answers = [call(), ScriptedAnswer::of_text("ok")];
    let mut stage = Setup::new(answers).tool(tool()).store(store).start();
    stage.run("go").await;
    stage.end().await;
    let whole = std::fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = whole.split_inclusive('\n').collect();
    for kept in 1..=lines.len() {
        std::fs::write(&path, lines[..kept].concat()).unwrap();
        let resumed = session::resume(&path).unwrap();
        let mut stage = Setup::new([ScriptedAnswer::of_text("yes")])
            .transcript(resumed.loaded.transcript)
            .store(resumed.store)
            .start();
        stage.run("on").await;
        stage.end().await;
        let again = session::load(&path).unwrap();
        let mut stage =
            Setup::new([ScriptedAnswer::of_text("yes")]).transcript(again.transcript).start();
        stage.run("and on").await;
        stage.end().await;
    }
}

#[tokio::test]
async fn a_session_that_is_deleted_meanwhile_is_whole_again_with_the_next_message() {
    let folder = tempfile::tempdir().unwrap();
    let store = FileStore::create(folder.path());
    let path = store.path().to_owned();
    let answers = ["one", "two", "three"].map(ScriptedAnswer::of_text);
    let mut stage = Setup::new(answers).store(store).start();
    stage.run("first").await;
    std::fs::remove_file(&path).unwrap();
    stage.run("second").await;
    let notices = stage.take_only(&["notice"]);
    assert_eq!(notices.len(), 1, "{notices:?}");
    assert!(notices[0].contains("anew"), "{notices:?}");
    stage.run("third").await;
    assert_eq!(stage.take_only(&["notice"]), [""; 0]);
    stage.end().await;
    let loaded = session::load(&path).unwrap();
    assert_eq!(loaded.warnings, [""; 0]);
    let expected = [
        r#"user "first""#,
        r#"assistant "one" calls="#,
        r#"user "second""#,
        r#"assistant "two" calls="#,
        r#"user "third""#,
        r#"assistant "three" calls="#,
    ];
    assert_eq!(messages(&loaded.transcript), expected);
}

#[tokio::test]
async fn what_is_not_saved_at_the_end_is_told() {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("folder");
    std::fs::write(&folder, "in the way").unwrap();
    let mut stage =
        Setup::new([ScriptedAnswer::of_text("ok")]).store(FileStore::create(&folder)).start();
    stage.run("go").await;
    let notices = stage.take_only(&["notice"]);
    assert!(notices[0].contains("going on") && notices.len() == 1, "{notices:?}");
    let last = stage.drop_handle().await.pop().unwrap_or_default();
    assert!(last.contains("2 messages of session") && last.contains("not saved"), "{last}");
}
