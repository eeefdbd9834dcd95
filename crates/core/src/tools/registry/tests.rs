//! Order, selection, and what a thousand tools cost.

use super::*;
use crate::tools::{ToolContext, ToolError};
use futures_util::future::BoxFuture;
use letscode_wire::{ExecutionMode, ToolOutput};
use serde_json::{Map, Value, json};
use std::sync::atomic::{AtomicUsize, Ordering};

/// A tool that counts how often it is looked at.
struct Counting {
    spec: ToolSpec,
    looks: Arc<AtomicUsize>,
}

impl Tool for Counting {
    fn spec(&self) -> &ToolSpec {
        self.looks.fetch_add(1, Ordering::Relaxed);
        &self.spec
    }

    fn run<'a>(
        &'a self,
        _arguments: Map<String, Value>,
        _context: ToolContext,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        Box::pin(async { Ok(ToolOutput::default()) })
    }
}

fn tool(name: &str, description: &str, looks: &Arc<AtomicUsize>) -> Arc<dyn Tool> {
    let spec = ToolSpec {
        name: name.to_owned(),
        description: description.to_owned(),
        parameters: json!({"type": "object"}),
        execution_mode: ExecutionMode::Parallel,
    };
    Arc::new(Counting { spec, looks: Arc::clone(looks) })
}

#[test]
fn tools_keep_their_order_and_the_last_of_a_name_holds() {
    let looks = Arc::default();
    let mut tools = ToolRegistry::default();
    for (name, description) in [("c", "1"), ("a", "2"), ("b", "3"), ("a", "4")] {
        tools.add(tool(name, description, &looks));
    }
    assert_eq!(tools.names(), ["c", "a", "b"]);
    assert_eq!(tools.get("a").unwrap().spec().description, "4");
    assert!(tools.get("d").is_none());

    let unknown = tools.select(&ToolSelection::Only(vec!["a".to_owned(), "d".to_owned()]));
    assert_eq!(unknown.unwrap_err().to_string(), "no tool is named \"d\"; known tools: c, a, b");
    assert_eq!(tools.names().len(), 3);
    tools.select(&ToolSelection::Only(vec!["b".to_owned(), "c".to_owned()])).unwrap();
    assert_eq!(tools.names(), ["c", "b"]);
    assert_eq!(tools.get("b").unwrap().spec().description, "3");
    assert!(tools.get("a").is_none());
    tools.select(&ToolSelection::None).unwrap();
    assert!(tools.names().is_empty() && tools.get("c").is_none());
}

#[test]
fn a_thousand_tools_are_not_compared_with_each_other() {
    let looks = Arc::default();
    let mut tools = ToolRegistry::default();
    let names: Vec<String> = (0..1_000).map(|number| format!("skill_{number}")).collect();
    for name in &names {
        tools.add(tool(name, "", &looks));
    }
    for name in &names {
        assert!(tools.get(name).is_some());
    }
    tools.select(&ToolSelection::Only(names.clone())).unwrap();
    assert_eq!(tools.names(), names);
    let looks = looks.load(Ordering::Relaxed);
    assert!(looks <= 10 * names.len(), "{looks}");
}
