//! Tests of the tool `bash`.

use super::output::Output;
use super::*;
use crate::env::{LocalEnv, LocalEnvOptions};
use crate::tools::{FileLedger, Progress};
use letscode_wire::text_of;
use std::path::Path;
use std::sync::Arc;
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

/// A folder, and what calls in it have shown.
struct Place {
    folder: TempDir,
    cancel: CancellationToken,
    updates: Arc<Mutex<Vec<String>>>,
}

fn place() -> Place {
    Place {
        folder: TempDir::new().unwrap(),
        cancel: CancellationToken::new(),
        updates: Arc::default(),
    }
}

impl Place {
    async fn call(&self, arguments: Value) -> Result<ToolOutput, ToolError> {
        let Value::Object(arguments) = arguments else { panic!("no object") };
        let env = LocalEnv::new(LocalEnvOptions {
            working_dir: self.folder.path().to_owned(),
            removed_variables: Vec::new(),
            temp_dir: Some(self.folder.path().to_owned()),
        });
        let (updates, cancel) = (Arc::clone(&self.updates), self.cancel.clone());
        let context = ToolContext {
            call_id: "c".into(),
            env: Arc::new(env),
            files: Arc::new(FileLedger::default()),
            cancel: self.cancel.clone(),
            progress: Progress::new(move |partial| {
                let text = text_of(&partial.content);
                if text.ends_with("cancel me\n") {
                    cancel.cancel();
                }
                updates.lock().unwrap().push(text);
            }),
            vision: false,
            secrets: Arc::default(),
            ui: crate::ui::Ui::declining(),
        };
        Bash::new().run(arguments, context).await
    }

    async fn run(&self, command: &str) -> (String, ToolOutput) {
        let output = self.call(json!({ "command": command })).await.unwrap();
        (text_of(&output.content), output)
    }
}

async fn text(command: &str) -> String {
    place().run(command).await.0
}

#[tokio::test]
async fn output_and_exit_code_are_in_the_text_and_in_the_details() {
    for (command, expected, code) in [
        ("echo out; echo err >&2; exit 3", "out\nerr\nThe exit code is 3.", 3),
        ("printf 'no newline'; exit 1", "no newline\nThe exit code is 1.", 1),
        ("exit 7", "(no output)\nThe exit code is 7.", 7),
        ("echo fine", "fine\n", 0),
        ("true", "(no output)", 0),
        ("cat; echo after", "after\n", 0),
        ("echo a; kill -9 $$", "a\nThe command was ended by signal 9 (SIGKILL).", 137),
    ] {
        let (text, output) = place().run(command).await;
        assert_eq!(text, expected, "{command}");
        assert_eq!(output.details["exit_code"], json!(code), "{command}");
        assert_eq!(output.details["command"], json!(command));
        assert!(!output.is_error, "{command}");
    }
}

#[tokio::test]
async fn a_time_out_is_an_error_with_the_output_so_far() {
    let arguments = json!({ "command": "echo so far; sleep 300", "timeout": 0.5 });
    let output = place().call(arguments).await.unwrap();
    insta::assert_snapshot!(text_of(&output.content), @"
    so far
    The command was still running after 0.5 seconds (its timeout) and was ended, with all that it had started.
    ");
    assert!(output.is_error);
    let command = "echo so far; sleep 300";
    let expected = json!({ "command": command, "exit_code": null, "timed_out": true });
    assert_eq!(Value::Object(output.details), expected);
}

#[tokio::test]
async fn a_cancelled_call_is_an_error_with_the_output_so_far() {
    let (text, output) = place().run("echo cancel me; sleep 300").await;
    insta::assert_snapshot!(text, @"
    cancel me
    The command was interrupted by the user before its end.
    ");
    assert!(output.is_error);
    let command = "echo cancel me; sleep 300";
    let expected = json!({ "command": command, "exit_code": null, "cancelled": true });
    assert_eq!(Value::Object(output.details), expected);
}

#[tokio::test]
async fn a01_what_still_runs_is_told() {
    let place = place();
    let (text, output) = place.run("sleep 300 & echo started; echo $! >id").await;
    insta::assert_snapshot!(text, @"
    started
    Something that the command started still runs in the background. What it prints from now on is lost, and printing may end it.
    ");
    assert_eq!(output.details["left_running"], json!(true));
    place.run("kill $(cat id)").await;
}

#[tokio::test]
async fn a06_a_working_directory_that_is_gone_is_an_error_that_says_so() {
    let place = place();
    std::fs::remove_dir(place.folder.path()).unwrap();
    let error = place.call(json!({ "command": "true" })).await.unwrap_err();
    let path = place.folder.path().display();
    let expected = format!("the working directory {path} does not exist any more: no command");
    assert!(error.message.starts_with(&expected), "{error}");
}

#[tokio::test]
async fn a07_what_the_model_gets_is_plain_text() {
    for (command, expected) in [
        (r"printf '\033[31mred\033[0m \033]8;;http://x\033\\link\033]8;;\033\\\n'", "red link\n"),
        (r"printf ' 1%%\r50%%\r'; printf '99%%\rdone\n'", "done\n"),
        (r"printf '\377\376ok'", "\u{fffd}\u{fffd}ok"),
        (r"printf 'a\0b'", "a\u{2400}b"),
    ] {
        assert_eq!(text(command).await, expected, "{command}");
    }
}

#[tokio::test]
async fn a_long_output_is_cut_for_the_model_and_whole_in_a_file() {
    let place = place();
    let (text, output) = place.run("seq 1 200000").await;
    let (notice, shown) = text.split_once('\n').unwrap();
    let path = output.details["full_output"].as_str().unwrap();
    assert_eq!(
        notice.replace(path, "FILE"),
        "[Only the end is shown: lines 198001 to 200000, 13 KB of 1 MB. \
         The whole output: FILE]"
    );
    let expected: String = (198_001..=200_000).map(|number| format!("{number}\n")).collect();
    assert_eq!(shown, expected);
    let whole: String = (1..=200_000).map(|number| format!("{number}\n")).collect();
    assert!(std::fs::read_to_string(path).unwrap() == whole);
    assert_eq!(output.details["total_lines"], json!(200_000));
    assert!(!output.is_error);
}

#[tokio::test]
async fn a_somewhat_long_output_is_in_a_file_too() {
    let place = place();
    let (text, output) = place.run("seq 1 2001; exit 1").await;
    assert!(text.contains("lines 2 to 2001, "), "{text}");
    assert!(text.ends_with("\n2001\nThe exit code is 1."));
    let path = Path::new(output.details["full_output"].as_str().unwrap());
    assert!(std::fs::read_to_string(path).unwrap().starts_with("1\n2\n"));
    let (text, output) = place.run("seq 1 2000").await;
    assert!(text.starts_with("1\n2\n"));
    assert!(!output.details.contains_key("full_output"));
}

#[tokio::test]
async fn a04_one_line_without_end_is_bounded() {
    let place = place();
    let (text, output) = place.run("head -c 3000000 /dev/zero | tr '\\0' a").await;
    let (notice, shown) = text.split_once('\n').unwrap();
    assert!(notice.contains("line 1 not from its beginning"), "{notice}");
    assert_eq!(shown.len(), 50 * 1024);
    assert!(shown.bytes().all(|byte| byte == b'a'));
    let path = output.details["full_output"].as_str().unwrap();
    assert_eq!(std::fs::metadata(path).unwrap().len(), 3_000_000);
}

#[test]
fn a04_memory_is_bounded_whatever_comes() {
    for piece in [
        vec![b'a'; 65_536],
        b"y\n".repeat(32_768),
        vec![0; 65_536],
        vec![0xff; 65_536],
        b"\x1b]0;".repeat(16_384),
        "é\r".repeat(20_000).into_bytes(),
    ] {
        let mut output = Output::default();
        let (mut moved, mut longest) = (0, 0);
        for _ in 0..20 {
            moved += output.push(&piece).map_or(0, |text| text.len());
            longest = longest.max(output.window().len());
        }
        assert!(longest <= 512 * 1024, "{longest}");
        assert_eq!(output.total_bytes(), (moved + output.window().len()) as u64);
    }
}

#[tokio::test]
async fn a_full_disk_does_not_spoil_the_result() {
    let place = place();
    let context = |folder: &Path| LocalEnvOptions {
        working_dir: folder.to_owned(),
        removed_variables: Vec::new(),
        temp_dir: Some(folder.join("missing")),
    };
    let env = LocalEnv::new(context(place.folder.path()));
    let mut spill = Spill::new(&env);
    spill.append("text".to_owned()).await;
    let report = spill.report();
    assert_eq!(report.path, None);
    assert!(report.shortfall.unwrap().starts_with("no such file"));
}

#[tokio::test]
async fn updates_show_the_newest_output_but_not_too_often() {
    let place = place();
    let begin = std::time::Instant::now();
    place.run("for i in $(seq 1 300); do echo line $i; sleep 0.002; done").await;
    let ticks = begin.elapsed().as_millis() / UPDATE_PAUSE.as_millis() + 2;
    let updates = place.updates.lock().unwrap();
    assert!((1..=ticks).contains(&(updates.len() as u128)), "{} in {ticks}", updates.len());
    let whole: String = (1..=300).map(|number| format!("line {number}\n")).collect();
    let ends: Vec<usize> =
        updates.iter().map(|text| whole.find(text.as_str()).unwrap() + text.len()).collect();
    assert!(ends.is_sorted_by(|one, next| one < next), "each shows more: {ends:?}");
    assert!(updates.iter().all(|text| text.len() <= 4096 && text.lines().count() <= 100));
}

#[tokio::test]
async fn even_a_burst_is_shown_before_the_end() {
    let place = place();
    place.run("echo burst").await;
    assert_eq!(*place.updates.lock().unwrap(), ["burst\n"]);
    let silent = self::place();
    silent.run("true").await;
    assert!(silent.updates.lock().unwrap().is_empty());
}

#[test]
fn time_outs_that_make_no_sense_are_mended() {
    for (given, seconds) in [
        (json!({}), 120.0),
        (json!({ "timeout": null }), 120.0),
        (json!({ "timeout": 5 }), 5.0),
        (json!({ "timeout": 0.25 }), 0.25),
        (json!({ "timeout": 0 }), 120.0),
        (json!({ "timeout": -3 }), 120.0),
        (json!({ "timeout": 1e300 }), 3600.0),
        (json!({ "timeout": 120_000 }), 3600.0),
    ] {
        let limit = Bash::new().time_limit(given.as_object().unwrap());
        assert_eq!(limit, Some(Duration::from_secs_f64(seconds)), "{given}");
    }
}

#[test]
fn a_call_may_change_anything() {
    let env = LocalEnv::new(LocalEnvOptions::default());
    let expected = Access { changes: true, path: None };
    assert_eq!(Bash::new().access(&Map::new(), &env), expected);
}
