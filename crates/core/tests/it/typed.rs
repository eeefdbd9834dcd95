//! What a person typed: expanded by the agent, for any client.

use crate::stage::{Setup, Stage};
use letscode_core::agent::Output;
use letscode_core::model::ModelErrorKind;
use letscode_testkit::mem_env::{FakeCommand, MemEnv};
use letscode_testkit::scripted_model::{Gate, ScriptedAnswer};
use letscode_wire::{Command, Control, ImageData, RequestId};
use serde_json::json;

const KEY: &str = "sk-quite-a-secret-key";

fn send_typed(stage: &Stage, id: &str, text: &str) {
    let command = Command::Prompt { text: text.to_owned(), images: Vec::new(), expand: true };
    stage.send(id, command);
}

fn answers(count: usize) -> Vec<ScriptedAnswer> {
    (0..count).map(|_| ScriptedAnswer::of_text("ok")).collect()
}

#[tokio::test]
async fn an_expanded_prompt_has_the_usual_order_of_events() {
    let env = MemEnv::new("/project");
    env.put("notes.txt", "NOTE");
    let mut stage = Setup::new(answers(2)).env(env).start();
    stage.run("see notes.txt").await;
    let plain = stage.take_lines().len();
    send_typed(&stage, "p", "see @notes.txt");
    stage.until("done \"p\"").await;
    let lines = stage.take_lines();
    assert_eq!(lines.len(), plain, "{lines:?}");
    assert_eq!(lines[..2], ["ack \"p\"", "agent_start 3"]);
    assert!(stage.request(1).last().unwrap().contains("NOTE"));
    stage.end().await;
}

#[tokio::test]
async fn while_a_typed_command_runs_nothing_else_changes_and_an_abort_ends_it() {
    let env = MemEnv::new("/project");
    env.script("wait", FakeCommand::endless("begun"));
    let mut stage = Setup::new(answers(1)).env(env.clone()).start();
    send_typed(&stage, "p", "!wait");
    stage.settle().await;
    assert!(stage.agent.status().busy && stage.agent.status().silent_until.is_some());
    assert_eq!(stage.take_lines(), [] as [&str; 0]);
    stage.prompt("me too");
    stage.send("n", Command::Reset);
    stage.steer("later");
    stage.send("a", Command::Abort);
    stage.until("refused \"p\" stopped").await;
    stage.settle().await;
    assert_eq!(
        stage.take_lines(),
        [
            "refused \"p\" an earlier message is still being read: wait for its reply, or stop it",
            "refused \"n\" an earlier message is still being read: wait for its reply, or stop it",
            "ack \"s\"",
            "done \"s\"",
            "ack \"a\"",
            "done \"a\"",
            "refused \"p\" stopped before it was sent",
        ]
    );
    assert!(!stage.agent.status().busy);
    assert!(stage.model.requests().is_empty());
    stage.model.push(ScriptedAnswer::of_text("steered"));
    stage.run("next").await;
    stage.end().await;
}

#[tokio::test]
async fn the_end_of_the_agent_waits_for_what_was_typed_or_aborts_it_with_the_last_handle() {
    let env = MemEnv::new("/project");
    env.script("say", FakeCommand::new("hello", 0));
    let stage = Setup::new(answers(1)).env(env.clone()).start();
    let model = std::sync::Arc::clone(&stage.model);
    send_typed(&stage, "p", "!say");
    stage.end().await;
    assert_eq!(model.requests().len(), 1);

    env.script("wait", FakeCommand::endless("begun"));
    let mut stage = Setup::new([]).env(env).start();
    send_typed(&stage, "p", "!wait");
    stage.settle().await;
    let lines = stage.drop_handle().await;
    assert_eq!(lines, ["refused \"p\" stopped before it was sent"]);
}

#[tokio::test]
async fn a_slash_command_is_carried_out_while_a_run_is_active() {
    let gate = Gate::new();
    let mut stage =
        Setup::new([ScriptedAnswer::new().wait(&gate).text("a"), ScriptedAnswer::of_text("b")])
            .start();
    stage.prompt("go");
    gate.reached().await;
    send_typed(&stage, "1", "/steer  left, please");
    stage.until("done \"1\"").await;
    for (id, text) in [("2", "/queue"), ("3", "/new"), ("4", "hello"), ("5", "/steer")] {
        send_typed(&stage, id, text);
    }
    stage.settle().await;
    let replies = stage.take_only(&["ack", "done", "refused"]);
    assert_eq!(
        replies,
        [
            "ack \"p\"",
            "ack \"1\"",
            "done \"1\"",
            "ack \"2\"",
            "done \"2\"",
            "refused \"3\" a run is active: wait for its end, or stop it",
            "refused \"4\" a run is active: wait for its end, or stop it",
            "refused \"5\" usage: /steer TEXT",
        ]
    );
    gate.open();
    stage.until("done \"p\"").await;
    assert_eq!(stage.request(1).last().unwrap(), "user \"left, please\"");
    stage.end().await;
}

#[tokio::test]
async fn what_cannot_be_sent_is_refused_before_anything_is_said() {
    let env = MemEnv::new("/project");
    env.put("/project/.letscode/prompts/empty.md", "\n");
    let mut stage = Setup::new([]).env(env).start();
    let picture = ImageData { data: "iVBORw0KGgo=".to_owned(), mime_type: "image/png".to_owned() };
    for (text, images, reason) in [
        ("/empty", vec![], "the message is empty"),
        (" ", vec![], "the message is empty"),
        ("/nope", vec![], "there is no command or prompt template /nope"),
        ("/skill:none", vec![], "there is no skill named"),
        ("/tools", vec![picture], "a slash command takes no images"),
    ] {
        stage.send("p", Command::Prompt { text: text.to_owned(), images, expand: true });
        let line = stage.until("refused").await;
        assert!(line.contains(reason), "{text:?}: {line}");
        assert_eq!(stage.take_lines().len(), 1, "{text:?}");
    }
    stage.end().await;
}

#[tokio::test]
async fn a50_keys_in_what_typed_text_brings_in_are_masked() {
    let env = MemEnv::new("/project");
    env.put(".env", format!("KEY={KEY}"));
    env.script("cat .env", FakeCommand::new(KEY, 3));
    let mut stage = Setup::new(answers(3)).env(env).key(KEY).start();
    for text in ["see @.env", "!cat .env", &format!("this is {KEY}")] {
        send_typed(&stage, "p", text);
        stage.until("done \"p\"").await;
    }
    for request in 0..3 {
        let message = stage.request(request).pop().unwrap();
        assert!(message.contains("[key hidden]") && !message.contains(KEY), "{message}");
    }
    let notices = stage.take_only(&["notice"]);
    assert_eq!(notices.len(), 1, "{notices:?}");
    assert!(notices[0].starts_with("notice cat .env: "), "{notices:?}");
    stage.end().await;
}

#[tokio::test]
async fn without_expand_every_text_is_sent_as_it_is() {
    let env = MemEnv::new("/project");
    env.put("notes.txt", "NOTE");
    let mut stage = Setup::new(answers(3)).env(env.clone()).start();
    for text in ["/tools", "!touch x", "see @notes.txt"] {
        stage.run(text).await;
    }
    let sent: Vec<String> = (0..3).map(|number| stage.request(number).pop().unwrap()).collect();
    assert_eq!(sent, ["user \"/tools\"", "user \"!touch x\"", "user \"see @notes.txt\""]);
    assert!(env.commands().is_empty());
    stage.end().await;
}

fn write_call(id: &str, path: &str) -> ScriptedAnswer {
    ScriptedAnswer::new().tool_call(id, "write", json!({"path": path, "content": "new"}))
}

#[tokio::test]
async fn a_text_file_that_is_attached_whole_counts_as_read_until_it_changes() {
    let env = MemEnv::new("/project");
    env.put("notes.txt", "NOTE");
    env.put("empty.txt", "");
    env.put("other.txt", "OTHER");
    env.put("long.txt", "line\n".repeat(20_000));
    env.put("latin.txt", b"caf\xe9 is read in part");
    env.put("changed.txt", "as it was");
    for (path, is_allowed) in [
        ("notes.txt", true),
        ("/project/empty.txt", true),
        ("other.txt", false),
        ("long.txt", false),
        ("latin.txt", false),
        ("changed.txt", false),
    ] {
        let gate = Gate::new();
        let call = json!({"path": path, "content": "new"});
        let answer = ScriptedAnswer::new().wait(&gate).tool_call("c", "write", call);
        let mut stage =
            Setup::new([answer, ScriptedAnswer::of_text("ok")]).env(env.clone()).start();
        send_typed(&stage, "p", "look at @notes.txt @empty.txt @long.txt @latin.txt @changed.txt");
        gate.reached().await;
        env.put("changed.txt", "by somebody else");
        gate.open();
        stage.until("done \"p\"").await;
        let result = stage.request(1).pop().unwrap();
        assert_eq!(result.contains("replaced the content"), is_allowed, "{path}: {result}");
        stage.end().await;
        env.put("notes.txt", "NOTE");
        env.put("changed.txt", "as it was");
    }
}

#[tokio::test]
async fn a_file_in_a_queued_message_counts_as_read_when_the_model_gets_it() {
    let env = MemEnv::new("/project");
    env.put("notes.txt", "NOTE");
    let gate = Gate::new();
    let first = ScriptedAnswer::new().wait(&gate).tool_call(
        "early",
        "write",
        json!({"path": "notes.txt", "content": "new"}),
    );
    let answers = [
        first,
        ScriptedAnswer::of_text("a"),
        write_call("late", "notes.txt"),
        ScriptedAnswer::of_text("b"),
    ];
    let mut stage = Setup::new(answers).env(env.clone()).start();
    stage.prompt("go");
    gate.reached().await;
    let text = "see @notes.txt".to_owned();
    stage.send("s", Command::Steer { text, expand: true });
    stage.until("done \"s\"").await;
    gate.open();
    stage.until("done \"p\"").await;
    let early = stage.request(1).pop().unwrap();
    assert!(early.contains("was not read"), "{early}");
    let late = stage.request(3).pop().unwrap();
    assert!(late.contains("replaced the content"), "{late}");
    stage.end().await;
}

#[tokio::test]
async fn a_file_in_a_message_that_was_taken_back_does_not_count_as_read() {
    let env = MemEnv::new("/project");
    env.put("notes.txt", "NOTE");
    let answers = [write_call("c", "notes.txt"), ScriptedAnswer::of_text("ok")];
    let mut stage = Setup::new(answers).env(env.clone()).start();
    let text = "see @notes.txt".to_owned();
    stage.send("s", Command::Steer { text, expand: true });
    stage.until("done \"s\"").await;
    stage.send("u", Command::Unqueue);
    stage.until("done \"u\"").await;
    stage.run("go").await;
    let result = stage.request(1).pop().unwrap();
    assert!(result.contains("was not read"), "{result}");
    stage.end().await;
}

/// Returns the result of a command's `done`.
fn result_of(stage: &Stage, id: &str) -> serde_json::Value {
    let result = stage.heard.iter().find_map(|output| match output {
        Output::Control(Control::Done { id: of, result }) if *of == RequestId::from(id) => {
            result.clone()
        }
        _ => None,
    });
    result.unwrap_or_default()
}

#[tokio::test]
async fn a_template_runs_by_its_name_and_is_listed_among_the_commands() {
    let env = MemEnv::new("/project");
    env.put(".letscode/prompts/review.md", "Look closely at {{args}}.");
    env.put(".letscode/prompts/usage.md", "Never called.");
    let mut stage = Setup::new(answers(2)).env(env).start();
    let run = |text: &str| Command::RunCommand { text: text.to_owned() };
    stage.send("r", run("/review it all"));
    stage.until("done \"r\"").await;
    assert!(stage.request(0).last().unwrap().contains("Look closely at it all."));
    assert_eq!(result_of(&stage, "r"), json!({ "command": "review", "text": "" }));
    stage.send("u", run("/nosuch hi"));
    let refused = stage.until("refused \"u\"").await;
    assert!(refused.contains("there is no command or prompt template /nosuch"), "{refused}");
    for id in ["c", "d"] {
        stage.send(id, Command::Commands);
        stage.until(&format!("done \"{id}\"")).await;
    }
    let commands = result_of(&stage, "c")["commands"].clone();
    let kinds = |name: &str| -> Vec<serde_json::Value> {
        let all = commands.as_array().unwrap().iter();
        all.filter(|it| it["name"] == name).map(|it| it["kind"].clone()).collect()
    };
    assert_eq!(kinds("review"), [json!("template")]);
    assert_eq!(kinds("usage"), [json!("command")]);
    let is_warning = |output: &&Output| matches!(output, Output::Notice(text) if text.contains("usage.md is never used"));
    assert_eq!(stage.heard.iter().filter(is_warning).count(), 1, "each warning once");
    stage.end().await;
}

#[tokio::test]
async fn the_output_of_a_silent_command_is_for_the_person_alone() {
    let env = MemEnv::new("/project");
    env.script("list", FakeCommand::new("a.txt\n", 0));
    let mut stage = Setup::new(answers(1)).env(env).start();
    send_typed(&stage, "p", "!!list");
    stage.until("done \"p\"").await;
    let result = result_of(&stage, "p");
    assert_eq!(result["command"], "list");
    assert!(result["text"].as_str().unwrap().contains("a.txt"), "{result}");
    assert_eq!(result["exit_code"], 0);
    assert_eq!(stage.take_only(&["agent_start"]), [] as [&str; 0]);
    stage.end().await;
}

#[tokio::test]
async fn names_that_no_model_can_have_are_refused() {
    let mut stage = Setup::new(answers(1)).start();
    for model in ["", "  ", "a\nb"] {
        stage.send("m", Command::SetModel { model: model.to_owned() });
        let refused = stage.until("refused \"m\"").await;
        assert!(refused.contains("cannot be a model's name"), "{refused}");
    }
    stage.end().await;
}

#[tokio::test]
async fn a_message_that_no_server_takes_whole_goes_on_without_its_middle() {
    let refusal = || ScriptedAnswer::of_error(ModelErrorKind::ContextOverflow, "too long");
    let answers = [refusal(), refusal(), ScriptedAnswer::of_text("ok")];
    let mut stage = Setup::new(answers).start();
    let large = format!("head {} tail", "x".repeat(200_000));
    stage.run(&large).await;
    stage.run("go on").await;
    let request = stage.request(2).join("\n");
    assert!(request.len() < 100_000 && request.contains("bytes left out"), "{}", request.len());
    assert!(request.contains("head x") && request.contains("x tail"));
    stage.end().await;
}
