//! Tests of the tool `write`.

use super::*;
use crate::env::LocalEnv;
use crate::tools::Read;
use crate::tools::workbench::Workbench;
use proptest::prelude::*;

fn bench() -> (Workbench, Write) {
    (Workbench::new(), Write::new(None))
}

#[test]
fn a_new_file_is_created_with_its_parents() {
    let (bench, write) = bench();
    let arguments = json!({ "path": "new/dir/a.txt", "content": "one\ntwo\n" });
    let (text, details) = bench.done(&write, arguments);
    assert_eq!(text, "created new/dir/a.txt (2 lines, 8 bytes, with its parent directories)");
    assert_eq!(bench.text("new/dir/a.txt"), "one\ntwo\n");
    assert_eq!(details["path"], "new/dir/a.txt");
    assert_eq!(details["bytes_written"], 8);
    assert_eq!(details["created_parents"], true);
    insta::assert_snapshot!(details["diff"].as_str().unwrap(), @r"
    --- new/dir/a.txt
    +++ new/dir/a.txt
    @@ -0,0 +1,2 @@
    +one
    +two
    ");
}

#[test]
fn a13_a_stranger_is_not_overwritten() {
    let (bench, write) = bench();
    bench.put("run.sh", "old\n");
    let message = bench.fails(&write, json!({ "path": "run.sh", "content": "x" }));
    insta::assert_snapshot!(message, @"run.sh already exists and was not read in this conversation; it was left as it is: read it first (or use edit), or pass overwrite true if its present content may be lost");
    assert_eq!(bench.text("run.sh"), "old\n");
    let arguments = json!({ "path": "run.sh", "content": "x", "overwrite": true });
    let (text, details) = bench.done(&write, arguments);
    assert_eq!(text, "replaced the content of run.sh (1 line, 1 byte)");
    assert_eq!(details["created_parents"], false);
    assert!(details["diff"].as_str().unwrap().contains("\n-old\n+x\n"));
    assert_eq!(bench.text("run.sh"), "x");
}

#[test]
fn a13_what_was_read_or_written_is_known() {
    let (bench, write) = bench();
    bench.put("a", "1");
    bench.done(&Read::new(None), json!({ "path": "a" }));
    for content in ["2", "3"] {
        bench.done(&write, json!({ "path": "a", "content": content }));
        assert_eq!(bench.text("a"), content);
    }
}

#[test]
fn a13_a_change_from_outside_is_noticed_and_a_touch_is_not() {
    let (bench, write) = bench();
    bench.done(&write, json!({ "path": "a", "content": "1" }));
    bench.put("a", "1");
    bench.done(&write, json!({ "path": "a", "content": "2" }));
    bench.put("a", "outside");
    let message = bench.fails(&write, json!({ "path": "a", "content": "3" }));
    assert!(
        message.contains("has changed since") && message.contains("read it again"),
        "{message}"
    );
    assert_eq!(bench.text("a"), "outside");
    bench.done(&Read::new(None), json!({ "path": "a" }));
    bench.done(&write, json!({ "path": "a", "content": "3" }));
    assert_eq!(bench.text("a"), "3");
}

#[test]
fn a13_a_continued_session_knows_what_it_knew() {
    let (bench, write) = bench();
    let (_, details) = bench.done(&write, json!({ "path": "a", "content": "1" }));
    let message = letscode_wire::Message::Tool(letscode_wire::ToolMessage {
        id: "m".into(),
        tool_call_id: "c".into(),
        content: Vec::new(),
        is_error: false,
        timestamp: 0.0,
        details,
    });
    bench.context.files.restore(&[]);
    assert!(bench.call(&write, json!({ "path": "a", "content": "2" })).is_err());
    bench.context.files.restore(&[std::sync::Arc::new(message)]);
    bench.done(&write, json!({ "path": "a", "content": "2" }));
}

#[test]
fn a13_a_file_that_appears_meanwhile_is_kept() {
    use crate::tools::workbench::Meddling;
    let bench = Workbench::meddling(Meddling::Write("a", "theirs"));
    let message = bench.fails(&Write::new(None), json!({ "path": "a", "content": "mine" }));
    assert!(message.contains("nothing was written"), "{message}");
    assert_eq!(bench.text("a"), "theirs");
    assert_eq!(bench.context.files.known(&bench.path("a")), None);
}

#[test]
fn the_same_content_needs_no_writing() {
    let (bench, write) = bench();
    bench.put("a", "same\n");
    let (text, details) = bench.done(&write, json!({ "path": "a", "content": "same\n" }));
    assert_eq!(text, "a already has exactly this content (1 line, 5 bytes)");
    assert_eq!((&details["bytes_written"], &details["diff"]), (&json!(0), &json!("")));
    bench.done(&write, json!({ "path": "a", "content": "" }));
    assert_eq!(bench.text("a"), "");
}

#[test]
fn a21_what_is_no_regular_file_is_refused() {
    let (bench, write) = bench();
    bench.folder_named("dir");
    bench.put("file", "x");
    for overwrite in [false, true] {
        let fails = |path: &str| {
            let arguments = json!({ "path": path, "content": "x", "overwrite": overwrite });
            bench.fails(&write, arguments)
        };
        assert!(fails("dir").contains("is a directory"));
        assert!(fails("file/x").contains("not a directory"), "{}", fails("file/x"));
        #[cfg(unix)]
        assert!(fails("/dev/null").contains("not a regular file"));
    }
}

#[cfg(unix)]
#[test]
fn a14_mode_and_link_survive() {
    use std::os::unix::fs::PermissionsExt as _;
    let (bench, write) = bench();
    bench.put("run.sh", "x");
    let mode = |mode| std::fs::Permissions::from_mode(mode);
    std::fs::set_permissions(bench.path("run.sh"), mode(0o750)).unwrap();
    std::os::unix::fs::symlink("run.sh", bench.path("link")).unwrap();
    let arguments = json!({ "path": "link", "content": "y", "overwrite": true });
    bench.done(&write, arguments);
    assert!(std::fs::symlink_metadata(bench.path("link")).unwrap().is_symlink());
    assert_eq!(bench.text("run.sh"), "y");
    let metadata = std::fs::metadata(bench.path("run.sh")).unwrap();
    assert_eq!(metadata.permissions().mode() & 0o777, 0o750);
}

#[test]
fn a19_a_refusal_of_the_system_is_no_success() {
    use crate::tools::workbench::Meddling;
    let bench = Workbench::meddling(Meddling::NoSpace);
    bench.put("a", "old");
    let arguments = json!({ "path": "a", "content": "new", "overwrite": true });
    let message = bench.fails(&Write::new(None), arguments);
    assert!(message.contains("no space left") && message.contains("nothing was written"));
    assert_eq!(bench.context.files.known(&bench.path("a")), None);
}

#[test]
fn an_interrupted_write_changes_nothing() {
    let (bench, write) = bench();
    bench.context.cancel.cancel();
    let message = bench.fails(&write, json!({ "path": "a", "content": "x" }));
    assert_eq!(message, "interrupted: a was not changed");
    assert!(!bench.path("a").exists());
}

#[test]
fn calls_name_what_they_touch() {
    let env = LocalEnv::new(crate::env::LocalEnvOptions {
        working_dir: "/w".into(),
        ..Default::default()
    });
    let arguments = json!({ "path": "./b/../a" });
    let arguments = arguments.as_object().unwrap();
    let path = Some("/w/a".into());
    assert_eq!(
        Write::new(None).access(arguments, &env),
        Access { changes: true, path: path.clone() }
    );
    assert_eq!(Read::new(None).access(arguments, &env), Access { changes: false, path });
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn a19_any_content_is_written_byte_by_byte(content in any::<String>()) {
        let (bench, write) = bench();
        bench.done(&write, json!({ "path": "a", "content": content }));
        prop_assert_eq!(bench.get("a"), content.into_bytes());
    }
}

#[test]
fn a50_a_file_with_a_hidden_key_is_not_written_back_with_the_mark() {
    let (mut bench, write) = bench();
    bench.context.secrets =
        std::sync::Arc::new(crate::secrets::Secrets::new(["sk-0123456789"], []));
    bench.put(".env", "KEY=sk-0123456789\nX=1\n");
    let content = "KEY=[key hidden]\nX=2\n";
    let arguments = json!({ "path": ".env", "content": content, "overwrite": true });
    assert!(bench.fails(&write, arguments).contains("the key would be lost"));
    let edit = crate::tools::Edit::new(None);
    let old = "KEY=[key hidden]\nX=1";
    let arguments = json!({ "path": ".env", "old_string": old, "new_string": "X=2" });
    assert!(bench.fails(&edit, arguments).contains("the key would be lost"));
    assert_eq!(bench.text(".env"), "KEY=sk-0123456789\nX=1\n");
    bench.done(&edit, json!({ "path": ".env", "old_string": "X=1", "new_string": "X=2" }));
    assert_eq!(bench.text(".env"), "KEY=sk-0123456789\nX=2\n");
    // Without a key in the file the words are only words.
    bench.done(&write, json!({ "path": "doc", "content": "[key hidden]" }));
}
