//! The tools that are at hand, by name, in a fixed order.
//!
//! Owns the order (that of registration, so that request bytes stay the same within a session)
//! and the user's selection. Must not run tools.

use super::Tool;
use letscode_wire::ToolSpec;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// The tools that are at hand.
#[derive(Clone, Default)]
pub struct ToolRegistry {
    tools: Vec<Arc<dyn Tool>>,
    /// The place of each name among the tools: every skill is a tool, and there may be a thousand.
    places: HashMap<String, usize>,
}

/// Which of the registered tools the model may use.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum ToolSelection {
    /// Every tool.
    #[default]
    All,
    /// Only these.
    Only(Vec<String>),
    /// No tool at all.
    None,
}

/// A selection names a tool that nobody registered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no tool is named {name:?}; known tools: {known}")]
pub struct UnknownTool {
    /// The name.
    pub name: String,
    /// The names of all tools, joined by commas.
    pub known: String,
}

impl ToolRegistry {
    /// Adds a tool. One of the same name is replaced where it stands.
    pub fn add(&mut self, tool: Arc<dyn Tool>) {
        let place = self.places.get(&tool.spec().name);
        match place.and_then(|place| self.tools.get_mut(*place)) {
            Some(known) => *known = tool,
            None => {
                self.places.insert(tool.spec().name.clone(), self.tools.len());
                self.tools.push(tool);
            }
        }
    }

    /// Returns the tool of that name.
    pub fn get(&self, name: &str) -> Option<&Arc<dyn Tool>> {
        self.tools.get(*self.places.get(name)?)
    }

    /// Returns the names in order.
    pub fn names(&self) -> Vec<String> {
        self.tools.iter().map(|tool| tool.spec().name.clone()).collect()
    }

    /// Returns the declarations in order.
    pub fn specs(&self) -> Arc<[ToolSpec]> {
        self.tools.iter().map(|tool| tool.spec().clone()).collect()
    }

    /// Leaves only the selected tools.
    ///
    /// # Errors
    /// When the selection names a tool that is not there; the registry is then as it was.
    pub fn select(&mut self, selection: &ToolSelection) -> Result<(), UnknownTool> {
        match selection {
            ToolSelection::All => {}
            ToolSelection::None => *self = Self::default(),
            ToolSelection::Only(names) => {
                if let Some(name) = names.iter().find(|name| self.get(name).is_none()) {
                    return Err(UnknownTool { name: name.clone(), known: self.names().join(", ") });
                }
                let names: HashSet<&String> = names.iter().collect();
                let selected = std::mem::take(self).tools.into_iter();
                for tool in selected.filter(|tool| names.contains(&tool.spec().name)) {
                    self.add(tool);
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
