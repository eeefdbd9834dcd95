//! Which prompt templates there are, for a person who types a slash.
//!
//! Owns the search for them, which goes on beside everything else. Must not read what they say: they
//! are read again where one is called for, which also tells what is wrong with it.

use crate::compose::Built;
use letscode_core::env::ExecutionEnv;
use letscode_core::prompts::{Template, load_templates};
use letscode_wire::CommandInfo;
use std::future::pending;
use std::path::PathBuf;
use std::sync::Arc;
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};

/// The prompt templates of the user and of the project.
pub(in crate::modes) struct Templates {
    /// The working directory is this one's.
    env: Arc<dyn ExecutionEnv>,
    home: Option<PathBuf>,
    finds: UnboundedSender<Vec<CommandInfo>>,
    found: UnboundedReceiver<Vec<CommandInfo>>,
}

impl Templates {
    /// Returns those of the agent that was built, not looked for yet.
    pub(in crate::modes) fn of(built: &Built) -> Self {
        let (finds, found) = mpsc::unbounded_channel();
        let (env, home) = (Arc::clone(&built.parts.env), built.parts.typing.home.clone());
        Self { env, home, finds, found }
    }

    /// Begins to look for them.
    pub(super) fn find(&self) {
        let (env, home) = (Arc::clone(&self.env), self.home.clone());
        let finds = self.finds.clone();
        tokio::spawn(async move {
            let (templates, _) = load_templates(&*env, home.as_deref(), None).await;
            // Nobody waits for it once the front end has ended.
            drop(finds.send(templates.into_iter().map(command).collect()));
        });
    }

    /// Waits for what was found, as slash commands.
    pub(super) async fn found(&mut self) -> Vec<CommandInfo> {
        match self.found.recv().await {
            Some(found) => found,
            None => pending().await,
        }
    }
}

fn command(template: Template) -> CommandInfo {
    CommandInfo { name: template.name, arguments: "[TEXT]".to_owned(), help: template.description }
}
