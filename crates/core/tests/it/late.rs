//! Plugins that start late, or have something new: what waits for them, and what does not.

use crate::stage::Setup;
use letscode_core::BoxFuture;
use letscode_core::agent::Output;
use letscode_core::commands::{Conversation, Equipped, Host, HostError, NoHost, Reloaded};
use letscode_core::hooks::{Hooks, Plugin, PluginError};
use letscode_core::ui::Ui;
use letscode_testkit::scripted_model::ScriptedAnswer;
use letscode_wire::{Command, CommandSpec, Control, HookName, RunCommandReply};
use serde_json::Value;
use tokio::sync::watch;

/// A plugin that starts when it is told to.
struct Late(watch::Receiver<u64>);

impl Plugin for Late {
    fn name(&self) -> &str {
        "late"
    }

    fn wants(&self, hook: HookName) -> bool {
        hook == HookName::RegisterCommands
    }

    fn revision(&self) -> Option<u64> {
        Some(*self.0.borrow()).filter(|revision| *revision > 0)
    }

    fn started(&self) -> BoxFuture<'_, ()> {
        let mut revision = self.0.clone();
        Box::pin(async move {
            revision.wait_for(|revision| *revision > 0).await.unwrap();
        })
    }

    fn register_commands(&self, commands: &mut Vec<CommandSpec>) {
        if self.revision().is_some() {
            let (description, usage) = (String::new(), String::new());
            commands.push(CommandSpec { name: "late:say".to_owned(), description, usage });
        }
    }

    fn run_command<'a>(
        &'a self,
        _name: &'a str,
        arguments: &'a str,
        _ui: &'a Ui,
    ) -> BoxFuture<'a, Result<RunCommandReply, PluginError>> {
        let prompt = arguments.strip_prefix("model ").map(str::to_owned);
        let text = arguments.to_owned();
        Box::pin(async { Ok(RunCommandReply { text, prompt, exit: false }) })
    }
}

/// A program whose system prompt tells how often it was made.
struct Program(watch::Receiver<u64>);

impl Host for Program {
    fn run(
        &self,
        command: Command,
        conversation: Conversation,
    ) -> BoxFuture<'static, Result<Value, HostError>> {
        NoHost.run(command, conversation)
    }

    fn reload(&self) -> BoxFuture<'static, Result<Reloaded, HostError>> {
        NoHost.reload()
    }

    fn equip(&self, hooks: Hooks) -> BoxFuture<'static, Option<Equipped>> {
        let system = format!("system of revision {}", *self.0.borrow());
        Box::pin(async move {
            Some(Equipped {
                tools: hooks.register().tools,
                system: system.into(),
                skills: Vec::new(),
                warnings: Vec::new(),
            })
        })
    }
}

fn setup(answers: usize) -> (Setup, watch::Sender<u64>) {
    let (sender, receiver) = watch::channel(0);
    let answers = (0..answers).map(|_| ScriptedAnswer::of_text("ok"));
    let setup = Setup::new(answers).plugin(Late(receiver.clone())).host(Program(receiver));
    (setup, sender)
}

fn control(output: &Output) -> Option<&Control> {
    match output {
        Output::Control(control) => Some(control),
        _ => None,
    }
}

#[tokio::test]
async fn the_first_request_waits_and_is_made_of_what_was_registered() {
    let (setup, revision) = setup(3);
    let mut stage = setup.start();
    stage.prompt("one");
    stage.until("message_end user").await;
    stage.send("s", Command::State);
    stage.until("done").await;
    assert_eq!(stage.model.requests().len(), 0, "a request did not wait");
    revision.send_replace(1);
    stage.until("agent_end").await;
    stage.run("two").await;
    revision.send_replace(2);
    stage.run("three").await;
    let systems: Vec<String> =
        stage.model.requests().iter().map(|request| request.system.to_string()).collect();
    let expected = [1, 1, 2].map(|revision| format!("system of revision {revision}"));
    assert_eq!(systems, expected);
    stage.end().await;
}

#[tokio::test]
async fn an_abort_ends_a_run_that_waits_for_a_plugin() {
    let (setup, _revision) = setup(1);
    let mut stage = setup.start();
    stage.prompt("one");
    stage.until("message_end user").await;
    stage.send("a", Command::Abort);
    stage.until("agent_end").await;
    assert_eq!(stage.model.requests().len(), 0);
}

#[tokio::test]
async fn a_slash_command_waits_for_the_plugin_that_may_have_it() {
    let (setup, revision) = setup(1);
    let mut stage = setup.start();
    stage.send("known", Command::RunCommand { text: "/late:say it".to_owned() });
    stage.send("unknown", Command::RunCommand { text: "/nobodys".to_owned() });
    stage.send("list", Command::Commands);
    let text = "/late:say model hello".to_owned();
    stage.send("sends", Command::Prompt { text, images: Vec::new(), expand: true });
    revision.send_replace(1);
    stage.until("agent_end").await;
    stage.settle().await;
    let controls: Vec<&Control> = stage.heard.iter().filter_map(control).collect();
    let done = |wanted: &str| {
        controls.iter().find_map(|control| match control {
            Control::Done { id, result } if *id == wanted.into() => Some(result.clone()),
            _ => None,
        })
    };
    let said = done("known").flatten().unwrap();
    assert_eq!((said["command"].as_str(), said["text"].as_str()), (Some("late:say"), Some("it")));
    let listed = done("list").flatten().unwrap().to_string();
    assert!(listed.contains("late:say"), "{listed}");
    let is_refused = |control: &&Control| matches!(control, Control::Error { id, .. } if *id == "unknown".into());
    assert!(controls.iter().any(is_refused));
    assert_eq!(done("sends"), Some(None));
    assert_eq!(stage.model.requests().len(), 1);
    stage.end().await;
}
