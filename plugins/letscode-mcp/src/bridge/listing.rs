//! What `/mcp` and `letscode mcp test` show.
//!
//! Owns its words. Must not change anything.

use super::{Bridge, Phase, Server};
use crate::server::LAST_WORDS;
use std::sync::PoisonError;

/// How many lines of a server's journal are shown.
const MOST_LINES: usize = 20;

impl Bridge {
    /// Returns all servers, or what there is to say about the one called `name`.
    pub(super) fn listing(&self, name: &str) -> Result<String, String> {
        if !name.is_empty() {
            let server = self.server(name);
            return server.map(|server| self.details(server)).ok_or_else(|| {
                let names: Vec<&str> = self.servers.iter().map(|server| server.name()).collect();
                format!("no MCP server {name}; there are {}", names.join(", "))
            });
        }
        if self.servers.is_empty() && self.disabled.is_empty() {
            return Ok("No MCP servers; `letscode mcp add` adds one.".into());
        }
        let mut lines: Vec<String> = self
            .servers
            .iter()
            .map(|server| format!("{}: {}", server.name(), summary(server)))
            .collect();
        lines.extend(self.disabled.iter().map(|name| format!("{name}: switched off")));
        lines.sort();
        Ok(lines.join("\n"))
    }

    /// Waits until all servers are ready or left out, and returns what there is to say about them
    /// and whether all are ready.
    pub(crate) async fn report(&self) -> (String, bool) {
        let mut ready = true;
        for server in &self.servers {
            server.settled().await;
            ready &= server.state().phase == Phase::Ready;
        }
        self.registrations();
        let mut texts: Vec<String> =
            self.servers.iter().map(|server| self.details(server)).collect();
        texts.extend(self.disabled.iter().map(|name| format!("{name}: switched off")));
        (texts.join("\n"), ready)
    }

    fn details(&self, server: &Server) -> String {
        let mut lines = vec![format!("{}: {}", server.name(), summary(server))];
        {
            let index = self.index.lock().unwrap_or_else(PoisonError::into_inner);
            let tools = index.tools.iter().filter(|(_, (owner, _))| owner.name() == server.name());
            lines.extend(tools.map(|(name, _)| format!("  {name}")));
            let prompts = index.prompts.iter();
            let prompts = prompts.filter(|(_, (owner, _))| owner.name() == server.name());
            lines.extend(prompts.map(|(name, _)| format!("  /{name}")));
        }
        let journal = server.journal().newest(MOST_LINES);
        let told = matches!(server.state().phase, Phase::Failed(_)) && journal.len() <= LAST_WORDS;
        if !journal.is_empty() && !told {
            lines.push("It said:".into());
            lines.extend(journal.into_iter().map(|line| format!("  {line}")));
        }
        lines.join("\n")
    }
}

fn summary(server: &Server) -> String {
    let state = server.state();
    match state.phase {
        Phase::Starting => "starting".into(),
        Phase::Failed(reason) => format!("left out: {reason}"),
        Phase::Ready => {
            let catalog = &state.catalog;
            let mut text = format!("{} tools", catalog.tools.len());
            if !catalog.prompts.is_empty() {
                text.push_str(&format!(", {} prompts", catalog.prompts.len()));
            }
            if catalog.has_resources {
                text.push_str(", resources");
            }
            if let Some(protocol) = server.protocol() {
                text.push_str(&format!("; protocol {protocol}"));
            }
            text
        }
    }
}
