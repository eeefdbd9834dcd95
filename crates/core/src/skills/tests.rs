//! What the model is given.

use super::*;
use crate::env::{LocalEnv, LocalEnvOptions};
use crate::tools::{FileLedger, Progress, Tool as _, ToolContext, check_arguments};
use letscode_wire::text_of;
use serde_json::{Value, json};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

fn review(tool: Option<&str>) -> Skill {
    Skill {
        name: "code-review".into(),
        description: "Use when reviewing".into(),
        body: "# Review\nBODY".into(),
        folder: "/home/u/.claude/skills/code-review".into(),
        tool: tool.map(str::to_owned),
    }
}

#[test]
fn the_folder_stands_before_the_body_and_the_message_behind() {
    let head = "Skill code-review. Its files are in /home/u/.claude/skills/code-review\n\n";
    for (message, expected) in [
        ("", "# Review\nBODY"),
        (" \n", "# Review\nBODY"),
        ("check this", "# Review\nBODY\n\ncheck this"),
    ] {
        assert_eq!(review(None).text(message), format!("{head}{expected}"), "{message:?}");
    }
}

#[tokio::test]
async fn the_tool_gives_the_same_as_the_command() {
    let skill = Arc::new(review(Some("skill_code_review")));
    let tool = SkillTool::new(Arc::clone(&skill)).unwrap();
    assert_eq!(tool.spec().name, "skill_code_review");
    assert_eq!(tool.spec().description, "Use when reviewing");
    for (arguments, message) in [(json!({}), ""), (json!({ "message": "check" }), "check")] {
        let Value::Object(given) = arguments else { unreachable!() };
        assert!(check_arguments(&tool.spec().parameters, given.clone()).is_ok());
        let context = ToolContext {
            call_id: "c1".into(),
            env: Arc::new(LocalEnv::new(LocalEnvOptions::default())),
            files: Arc::new(FileLedger::default()),
            cancel: CancellationToken::new(),
            progress: Progress::new(|_| {}),
            vision: false,
            secrets: Arc::default(),
            ui: crate::ui::Ui::declining(),
        };
        let output = tool.run(given, context).await.unwrap();
        assert_eq!(text_of(&output.content), skill.text(message));
    }
}

#[test]
fn a_skill_without_a_tool_is_none() {
    assert!(SkillTool::new(Arc::new(review(None))).is_none());
}

#[test]
fn a48_names_are_one_line_without_controls() {
    assert_eq!(one_line(" a\u{1b}]0;x\u{7} \n b\u{9b}c "), "a ]0;x b c");
}
