//! What `/mcp` shows.
//!
//! Owns its words. Must not change anything.

use super::{Bridge, Phase, Server};

/// How many lines of a server's journal are shown.
const MOST_LINES: usize = 20;

impl Bridge {
    /// Returns all servers, or what there is to say about the one called `name`.
    pub(super) fn listing(&self, name: &str) -> Result<String, String> {
        if !name.is_empty() {
            let server = self.server(name);
            return server.map(|server| details(server)).ok_or_else(|| {
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

fn details(server: &Server) -> String {
    let state = server.state();
    let mut lines = vec![format!("{}: {}", server.name(), summary(server))];
    let tools = state.catalog.tools.iter().map(|tool| format!("  {}", tool.name));
    lines.extend(tools);
    let prompts = state.catalog.prompts.iter();
    lines.extend(prompts.map(|prompt| format!("  /{}:{}", server.name(), prompt.name)));
    let journal = server.journal().newest(MOST_LINES);
    if !journal.is_empty() {
        lines.push("It said:".into());
        lines.extend(journal.into_iter().map(|line| format!("  {line}")));
    }
    lines.join("\n")
}
