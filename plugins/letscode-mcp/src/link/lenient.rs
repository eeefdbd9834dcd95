//! Answers that are nearly right.
//!
//! Owns what is made of them: one bad tool or part must not cost the others. Must not guess.

use crate::journal::Journal;
use rmcp::model::{CallToolResult, ContentBlock, ListToolsResult, ServerResult, Tool};
use serde_json::{Map, Value};

/// Returns a tool's answer; parts that cannot be read are shown as they came.
pub(super) fn tool_result(answer: ServerResult) -> Option<CallToolResult> {
    let value = match answer {
        ServerResult::CallToolResult(result) => return Some(result),
        ServerResult::EmptyResult(_) | ServerResult::TaskAckResult(_) => {
            return Some(CallToolResult::default());
        }
        ServerResult::CustomResult(custom) => custom.0,
        _ => return None,
    };
    let result = value.as_object()?;
    let content = result.get("content").and_then(Value::as_array)?;
    let mut read = CallToolResult::default();
    read.content = content.iter().map(block).collect();
    read.structured_content = result.get("structuredContent").cloned();
    read.is_error = result.get("isError").and_then(Value::as_bool);
    Some(read)
}

/// Returns a page of tools and where the next begins. A tool that cannot be read is noted.
pub(super) fn tools(
    answer: ServerResult,
    journal: &Journal,
) -> Option<(Vec<Tool>, Option<String>)> {
    let value = match answer {
        ServerResult::ListToolsResult(ListToolsResult { tools, next_cursor, .. }) => {
            return Some((tools, next_cursor));
        }
        ServerResult::EmptyResult(_) => return Some((Vec::new(), None)),
        ServerResult::CustomResult(custom) => custom.0,
        _ => return None,
    };
    let page = value.as_object()?;
    let mut tools = Vec::new();
    for value in page.get("tools")?.as_array()? {
        match tool(value) {
            Some(tool) => tools.push(tool),
            None => journal.add(&format!("a tool that cannot be read is passed over: {value}")),
        }
    }
    let next = page.get("nextCursor").and_then(Value::as_str).map(str::to_owned);
    Some((tools, next))
}

fn tool(value: &Value) -> Option<Tool> {
    if let Ok(tool) = serde_json::from_value(value.clone()) {
        return Some(tool);
    }
    let name = value.get("name").and_then(Value::as_str).filter(|name| !name.is_empty())?;
    let mut plain = Map::new();
    plain.insert("name".into(), name.into());
    if let Some(description) = value.get("description").and_then(Value::as_str) {
        plain.insert("description".into(), description.into());
    }
    let schema = value.get("inputSchema").filter(|schema| schema.is_object());
    plain.insert("inputSchema".into(), schema.cloned().unwrap_or_else(|| Map::new().into()));
    serde_json::from_value(Value::Object(plain)).ok()
}

fn block(value: &Value) -> ContentBlock {
    serde_json::from_value(value.clone()).unwrap_or_else(|_| {
        let text = value.get("text").and_then(Value::as_str).map(str::to_owned);
        ContentBlock::text(text.unwrap_or_else(|| value.to_string()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::masks::Masks;
    use serde_json::json;

    fn answer(value: Value) -> ServerResult {
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn one_bad_tool_does_not_cost_the_others() {
        let journal = Journal::new(Masks::default());
        let page = answer(json!({"nextCursor": "2", "tools": [
            {"name": "good", "inputSchema": {"type": "object"}},
            {"name": "no schema"},
            {"name": "odd", "inputSchema": [], "annotations": 3},
            {"inputSchema": {}},
        ]}));
        let (tools, next) = tools(page, &journal).unwrap();
        let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_ref()).collect();
        assert_eq!(names, ["good", "no schema", "odd"]);
        assert_eq!(next.as_deref(), Some("2"));
        assert_eq!(journal.newest(9).len(), 1);
    }

    #[test]
    fn one_bad_part_does_not_cost_the_others() {
        let result = answer(json!({"isError": true, "content": [
            {"type": "text", "text": "good"}, {"type": "hologram", "text": "odd"}, {"type": "text"},
        ]}));
        let result = tool_result(result).unwrap();
        let texts: Vec<String> =
            result.content.iter().map(|block| block.as_text().unwrap().text.clone()).collect();
        assert_eq!(texts, ["good", "odd", r#"{"type":"text"}"#]);
        assert_eq!(result.is_error, Some(true));
        assert!(tool_result(answer(json!({"other": 1}))).is_none());
    }
}
