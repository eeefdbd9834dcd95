//! A reload: what the agent goes on with, what stays, and when it is refused.

use crate::stage::{Setup, TestTool, output};
use letscode_core::BoxFuture;
use letscode_core::builtin::BuiltinTools;
use letscode_core::commands::{Conversation, Host, HostError, NoHost, Reloaded};
use letscode_core::hooks::{HookTimeouts, Hooks, Plugin};
use letscode_core::model::{BindError, BoundModel, ModelSource};
use letscode_core::skills::Skill;
use letscode_core::tools::ToolSelection;
use letscode_core::ui::Ui;
use letscode_testkit::scripted_model::ScriptedAnswer;
use letscode_wire::{Command, Control};
use serde_json::{Value, json};
use std::sync::Arc;

/// A program that goes on with one tool, and with no model that can be used.
struct Program;

impl Host for Program {
    fn run(
        &self,
        command: Command,
        conversation: Conversation,
    ) -> BoxFuture<'static, Result<Value, HostError>> {
        NoHost.run(command, conversation)
    }

    fn reload(&self) -> BoxFuture<'static, Result<Reloaded, HostError>> {
        Box::pin(async {
            let plugins: Vec<Arc<dyn Plugin>> = vec![Arc::new(BuiltinTools::new(None))];
            let hooks = Hooks::new(plugins, HookTimeouts::default(), Ui::declining());
            let mut tools = hooks.register().tools;
            tools.select(&ToolSelection::Only(vec!["read".to_owned()])).unwrap();
            let review = Skill {
                name: "review".to_owned(),
                description: "Use when reviewing".to_owned(),
                body: "Read it twice.".to_owned(),
                folder: "/skills/review".into(),
                tool: None,
            };
            Ok(Reloaded {
                tools,
                hooks,
                system: "another system".into(),
                models: Some(Arc::new(NoModels)),
                host: Arc::new(NoHost),
                skills: vec![Arc::new(review)],
                templates: 2,
                context_files: 3,
                warnings: vec!["sk-0123456789 is odd".to_owned()],
            })
        })
    }
}

struct NoModels;

impl ModelSource for NoModels {
    fn choose(&self, _session: Option<&str>) -> String {
        "none".to_owned()
    }

    fn bind(&self, name: &str, _thinking: Option<&str>) -> Result<BoundModel, BindError> {
        Err(BindError::Unusable { name: name.to_owned(), source: "no key".into() })
    }
}

#[tokio::test]
async fn the_next_request_is_made_of_what_is_there_now() {
    let answers = [ScriptedAnswer::of_text("one"), ScriptedAnswer::of_text("two")];
    let mut stage = Setup::new(answers).key("sk-0123456789").host(Program).start();
    stage.run("first").await;
    stage.send("r", Command::Reload);
    stage.until("done \"r\"").await;
    let result = stage.heard.iter().find_map(|output| match output {
        letscode_core::agent::Output::Control(Control::Done { id, result })
            if *id == "r".into() =>
        {
            result.clone()
        }
        _ => None,
    });
    let model = stage.model.requests().len();
    assert_eq!(model, 1, "a reload asks no model");
    let result = result.unwrap();
    let name = result["model"].as_str().unwrap().to_owned();
    assert_eq!(
        result,
        json!({"tools": 1, "skills": 1, "templates": 2, "context_files": 3, "model": name,
        "thinking": "off", "warnings": [
            "[key hidden] is odd",
            format!("cannot use the model {name}: no key; going on with {name} as it was"),
        ]})
    );
    stage.run("second").await;
    let requests = stage.model.requests();
    assert_eq!((&*requests[0].system, requests[0].tools.len()), ("system", 4));
    assert_eq!((&*requests[1].system, requests[1].tools.len()), ("another system", 1));
    // The conversation goes on.
    assert_eq!(stage.request(1).len(), 3);
    // The program around the agent is another one now.
    stage.send("r", Command::Reload);
    assert_eq!(stage.until("refused").await, "refused \"r\" this program cannot do that");
    stage.end().await;
}

#[tokio::test]
async fn a_reload_is_refused_while_a_run_is_active() {
    let (started, mut runs) = tokio::sync::mpsc::channel::<()>(1);
    let gate = Arc::new(tokio::sync::Notify::new());
    let opened = Arc::clone(&gate);
    let tool = TestTool::new("wait", move |_, _| {
        let (started, opened) = (started.clone(), Arc::clone(&opened));
        async move {
            started.send(()).await.unwrap();
            opened.notified().await;
            Ok(output("done"))
        }
    });
    let call = ScriptedAnswer::new().tool_call("c", "wait", json!({}));
    let answers = [call, ScriptedAnswer::of_text("ok")];
    let mut stage = Setup::new(answers).tool(tool).host(Program).start();
    stage.prompt("go");
    runs.recv().await.unwrap();
    for command in [Command::Reload, Command::RunCommand { text: "/reload".to_owned() }] {
        stage.send("r", command);
        let line = stage.until("refused").await;
        assert!(line.contains("a run is active"), "{line}");
    }
    gate.notify_one();
    stage.until("done \"p\"").await;
    stage.end().await;
}
