//! The three notations, their order, their limits, and all that must stay plain text.

use super::*;
use crate::env::{LocalEnv, LocalEnvOptions};
use letscode_wire::text_of;
use proptest::prelude::*;
use std::time::Duration;
use tempfile::TempDir;

mod files;
mod slash_names;
mod typed_commands;

/// A working directory, a skill and a template.
struct Desk {
    folder: TempDir,
    env: Arc<dyn ExecutionEnv>,
    skills: Vec<Arc<Skill>>,
    templates: Vec<Template>,
    vision: bool,
}

impl Desk {
    fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let working_dir = folder.path().to_owned();
        let skill = |name: &str, tool: Option<&str>| {
            Arc::new(Skill {
                name: name.into(),
                description: "d".into(),
                body: "BODY".into(),
                folder: "/s".into(),
                tool: tool.map(str::to_owned),
            })
        };
        let template = |name: &str, body: &str| Template {
            name: name.into(),
            description: String::new(),
            body: body.into(),
            path: "/p".into(),
        };
        Self {
            folder,
            env: Arc::new(LocalEnv::new(LocalEnvOptions { working_dir, ..Default::default() })),
            skills: vec![skill("code-review", Some("skill_code_review")), skill("hidden", None)],
            templates: vec![
                template("fix", "Fix: {{args}}"),
                template("tools", "never"),
                template("sly", "!touch PWNED\n@secret.txt {{args}}"),
            ],
            vision: true,
        }
    }

    fn put(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }

    fn has(&self, name: &str) -> bool {
        self.folder.path().join(name).exists()
    }

    async fn expand(&self, text: &str) -> Result<Expanded, InputError> {
        let context = Context {
            env: &self.env,
            home: None,
            commands: &["tools", "model"],
            skills: &self.skills,
            templates: &self.templates,
            vision: self.vision,
            cancel: CancellationToken::new(),
        };
        expand(text, &context).await
    }

    /// Returns the text, the number of pictures, and the notices of what is to be sent.
    async fn sent(&self, text: &str) -> (String, usize, Vec<String>) {
        match self.expand(text).await.unwrap() {
            Expanded::Prompt { content, notices, .. } => {
                (text_of(&content), content.len() - 1, notices)
            }
            other => panic!("{text:?}: {other:?}"),
        }
    }

    /// Requires that a text is sent as it is.
    async fn plain(&self, text: &str) {
        assert_eq!(self.sent(text).await, (text.to_owned(), 0, Vec::new()), "{text:?}");
    }
}

#[test]
fn a52_foreign_text_cannot_close_its_marks() {
    for (content, expected) in [
        ("x", "```\nx\n```"),
        ("x\n", "```\nx\n```"),
        ("a ``` b", "````\na ``` b\n````"),
        ("````\n`", "`````\n````\n`\n`````"),
    ] {
        assert_eq!(fenced(content), expected, "{content:?}");
    }
}

#[tokio::test]
async fn a52_only_what_was_typed_is_expanded() {
    let desk = Desk::new();
    desk.put("secret.txt", "SECRET");
    desk.put("notes.txt", "see @secret.txt\n!touch PWNED");
    let (text, _, _) = desk.sent("/sly do it").await;
    assert_eq!(text, "!touch PWNED\n@secret.txt do it");
    let (text, _, _) = desk.sent("read @notes.txt").await;
    assert!(text.contains("see @secret.txt\n!touch PWNED") && !text.contains("SECRET"));
    let (text, _, _) = desk.sent("!echo @secret.txt").await;
    assert!(text.contains("@secret.txt") && !text.contains("SECRET"));
    assert!(!desk.has("PWNED"));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn text_without_notation_stays_byte_for_byte(text in "[a-zé.,:;(){}#$`'\"/!\\\\ \t\r\n]{0,80}") {
        prop_assume!(!text.starts_with(['/', '!']));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(Desk::new().plain(&text));
    }

    #[test]
    fn no_text_makes_an_expansion_panic(text in "/?[a@/.\"'`~:é \n]{0,60}") {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let desk = Desk::new();
        desk.put("a", "content");
        let _ = runtime.block_on(desk.expand(&text));
    }
}
