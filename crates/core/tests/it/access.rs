//! What plugins ask of the agent: their commands, and their custom messages.

use crate::stage::{Setup, TestTool, output};
use letscode_core::agent::Output;
use letscode_core::hooks::{AgentAccess, CustomNote};
use letscode_testkit::scripted_model::ScriptedAnswer;
use letscode_wire::{Command, Message, Meta};
use serde_json::json;
use std::sync::Arc;
use tokio::sync::Notify;

fn note(kind: &str) -> CustomNote {
    CustomNote { kind: kind.to_owned(), payload: serde_json::Map::new(), meta: Meta::new() }
}

fn prompt(text: &str) -> Command {
    Command::Prompt { text: text.to_owned(), images: Vec::new(), expand: false }
}

#[tokio::test]
async fn a_plugins_command_is_answered_to_it_alone_when_its_work_is_complete() {
    let setup = Setup::new([ScriptedAnswer::of_text("hello")]);
    let access = setup.access();
    let mut stage = setup.start();
    access.run(prompt("hi")).await.unwrap();
    let state = access.run(Command::State).await.unwrap();
    assert_eq!((state["busy"].as_bool(), state["message_count"].as_u64()), (Some(false), Some(2)));
    stage.until("agent_end").await;
    stage.settle().await;
    let controls = stage.heard.iter().filter(|output| matches!(output, Output::Control(_)));
    assert_eq!(controls.count(), 0, "a client hears of a command that is not its own");
    stage.end().await;
}

#[tokio::test]
async fn what_only_a_connection_may_say_and_what_is_refused_are_errors() {
    let setup = Setup::new([]);
    let access = setup.access();
    let stage = setup.start();
    let owners = [
        Command::Bye,
        Command::Hello { protocol: None, updates: None, ui: None },
        Command::UiResponse { request_id: "q".into(), value: None },
    ];
    for command in owners {
        assert!(access.run(command.clone()).await.is_err());
        assert!(access.run_typed(command).await.is_err());
    }
    let refusal = access.run(Command::Retry).await.unwrap_err();
    assert!(refusal.message.contains("nothing to retry"), "{refusal}");
    stage.end().await;
    assert!(access.run(Command::State).await.is_err(), "an agent that has ended answers");
    assert!(AgentAccess::default().run(Command::State).await.is_err());
}

#[tokio::test]
async fn a_custom_message_never_parts_calls_from_their_results() {
    let (asked, go_on) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (tells, waits) = (Arc::clone(&asked), Arc::clone(&go_on));
    let tool = TestTool::new("wait", move |_, _| {
        let (tells, waits) = (Arc::clone(&tells), Arc::clone(&waits));
        async move {
            tells.notify_one();
            waits.notified().await;
            Ok(output("done"))
        }
    });
    let setup = Setup::new([
        ScriptedAnswer::new().tool_call("c1", "wait", json!({})),
        ScriptedAnswer::of_text("the end"),
    ])
    .tool(tool);
    let access = setup.access();
    let mut stage = setup.start();
    let before = access.save(note("before")).await.unwrap();
    assert_eq!(before.kind, "before");
    stage.prompt("hi");
    asked.notified().await;
    access.save(note("meanwhile")).await.unwrap();
    go_on.notify_one();
    stage.until("agent_end").await;
    let messages = access.run(Command::Messages { last: None }).await.unwrap();
    let messages: Vec<Message> = serde_json::from_value(messages["messages"].clone()).unwrap();
    let roles: Vec<&str> = messages
        .iter()
        .map(|message| match message {
            Message::User(_) => "user",
            Message::Assistant(_) => "assistant",
            Message::Tool(_) => "tool",
            Message::Custom(custom) => custom.kind.as_str(),
        })
        .collect();
    assert_eq!(roles, ["before", "user", "assistant", "tool", "meanwhile", "assistant"]);
    stage.end().await;
}

#[tokio::test]
async fn what_only_a_person_may_say_is_refused_in_every_form() {
    let setup = Setup::new([ScriptedAnswer::of_text("hello")]);
    let access = setup.access();
    let stage = setup.start();
    let (images, expand) = (Vec::new(), true);
    let mut commands = vec![Command::Trust { trust: Some(true) }, Command::Trust { trust: None }];
    for text in ["/trust on", "!touch x", "@secret", "plain"].map(str::to_owned) {
        let images = images.clone();
        commands.push(Command::Prompt { text: text.clone(), images, expand });
        commands.push(Command::Steer { text: text.clone(), expand });
        commands.push(Command::FollowUp { text, expand });
    }
    let lines = [
        "/trust on",
        "trust on",
        " /trust  off\n",
        "/trust\ton",
        "/trust",
        "/steer !touch x",
        "/follow-up @secret",
        "/permissions forget",
        "/skill:x @secret",
    ];
    commands.extend(lines.map(|text| Command::RunCommand { text: text.to_owned() }));
    for command in commands {
        let refusal = access.run(command.clone()).await.unwrap_err().message;
        assert!(refusal.contains("unless") && !refusal.contains('\n'), "{command:?}: {refusal}");
    }
    // Neither is any of it taken for a message.
    let state = access.run(Command::State).await.unwrap();
    assert_eq!(state["message_count"], 0);
    let usage = access.run(Command::RunCommand { text: "/trust maybe".to_owned() }).await;
    assert!(usage.unwrap_err().message.starts_with("usage:"));
    let tools = access.run(Command::RunCommand { text: "/tools".to_owned() }).await;
    assert!(tools.is_ok(), "{tools:?}");
    let typed = Command::Prompt { text: "hi".to_owned(), images, expand };
    assert!(access.run_typed(typed).await.is_ok(), "a front end passes on what is typed");
    stage.end().await;
}
