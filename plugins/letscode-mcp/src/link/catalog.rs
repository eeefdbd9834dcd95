//! What a server has: tools, prompts, resources.
//!
//! Owns the lists and their bounds. Must not name anything for the model.

use super::{CallError, Link, lenient};
use crate::journal::Journal;
use crate::settings::ToolFilter;
use rmcp::model::{
    ClientRequest, ListPromptsRequest, ListToolsRequest, PaginatedRequestParams, Prompt,
    ServerResult, Tool,
};

/// More pages than that are a server's fault.
const MOST_PAGES: usize = 50;

/// More tools than that no model takes.
const MOST_TOOLS: usize = 500;

/// What a server has.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Catalog {
    /// The tools that are offered.
    pub(crate) tools: Vec<Tool>,
    /// The prompts.
    pub(crate) prompts: Vec<Prompt>,
    /// Whether there are resources to read.
    pub(crate) has_resources: bool,
}

impl Link {
    /// Asks the server what it has.
    ///
    /// # Errors
    /// When it does not tell its tools. Prompts that it does not tell are none.
    pub(crate) async fn catalog(
        &self,
        filter: &ToolFilter,
        journal: &Journal,
    ) -> Result<Catalog, CallError> {
        let info = self.peer.peer_info().ok_or(CallError::Ended)?;
        let has = &info.capabilities;
        let mut catalog = Catalog { has_resources: has.resources.is_some(), ..Catalog::default() };
        if has.tools.is_some() {
            catalog.tools = tools(self, journal).await?;
            catalog.tools.retain(|tool| filter.admits(&tool.name));
            catalog.tools.truncate(MOST_TOOLS);
        }
        if has.prompts.is_some() {
            match prompts(self).await {
                Ok(prompts) => catalog.prompts = prompts,
                Err(error) => journal.add(&format!("no prompts: {error}")),
            }
        }
        Ok(catalog)
    }
}

async fn tools(link: &Link, journal: &Journal) -> Result<Vec<Tool>, CallError> {
    let (mut tools, mut cursor) = (Vec::new(), None);
    for _ in 0..MOST_PAGES {
        let request = ListToolsRequest { params: page(cursor), ..ListToolsRequest::default() };
        let answer = link.send(ClientRequest::ListToolsRequest(request), &|_| {}).await?;
        let (more, next) = lenient::tools(answer, journal).ok_or(CallError::Unreadable)?;
        tools.extend(more);
        if next.is_none() || tools.len() > MOST_TOOLS {
            break;
        }
        cursor = next;
    }
    Ok(tools)
}

async fn prompts(link: &Link) -> Result<Vec<Prompt>, CallError> {
    let (mut prompts, mut cursor) = (Vec::new(), None);
    for _ in 0..MOST_PAGES {
        let request = ListPromptsRequest { params: page(cursor), ..ListPromptsRequest::default() };
        match link.send(ClientRequest::ListPromptsRequest(request), &|_| {}).await? {
            ServerResult::ListPromptsResult(list) => {
                prompts.extend(list.prompts);
                cursor = list.next_cursor;
            }
            ServerResult::EmptyResult(_) => cursor = None,
            _ => return Err(CallError::Unreadable),
        }
        if cursor.is_none() {
            break;
        }
    }
    Ok(prompts)
}

fn page(cursor: Option<String>) -> Option<PaginatedRequestParams> {
    cursor.map(|cursor| PaginatedRequestParams::default().with_cursor(Some(cursor)))
}
