//! The pages of the protocols against the wire types: every table names what there is, field for
//! field.
//!
//! Owns which table shows which type. The names come from the types' schemas, so a new event
//! without a row is a finding. Must not judge the words beside the names.

use super::Finding;
use crate::tree::Tree;
use serde_json::Value;
use std::collections::BTreeMap;

/// A table of a page: the heading above it, the schema, and the place of the variants in it.
type Table = (&'static str, &'static str, &'static str);

const PAGES: [(&str, &[Table]); 2] = [
    (
        "docs/rpc.md",
        &[
            ("## Commands", "command", "/oneOf"),
            ("## Control messages", "control", "/oneOf"),
            ("## Events", "event", "/oneOf"),
            ("### Stream events", "event", "/$defs/StreamEvent/oneOf"),
            ("## Messages", "message", "/oneOf"),
        ],
    ),
    (
        "docs/plugin-protocol.md",
        &[
            ("## From the program to the plugin", "to-plugin", "/oneOf"),
            ("## From the plugin to the program", "from-plugin", "/oneOf"),
        ],
    ),
];

/// A row: a name and its fields.
type Row = (String, Vec<String>);

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let schemas: BTreeMap<&str, Value> = letscode_wire::roots()
        .into_iter()
        .map(|(name, schema)| (name, schema.to_value()))
        .collect();
    let mut findings = Vec::new();
    for (path, tables) in PAGES {
        let Some(page) = tree.text(path) else {
            findings.push(Finding::new(path, 1, "it is missing; write it"));
            continue;
        };
        for (heading, schema, variants) in tables {
            let rows = written_rows(page, heading);
            let types = schemas.get(schema).map(|schema| type_rows(schema, variants));
            findings.extend(compare(path, heading, &rows, &types.unwrap_or_default()));
        }
    }
    findings
}

fn compare(path: &str, heading: &str, written: &[(usize, Row)], types: &[Row]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (line, (name, fields)) in written {
        let text = match types.iter().find(|(known, _)| known == name) {
            None => format!("`{name}` is in no type; take it out of \"{heading}\""),
            Some((_, known)) if known != fields => {
                format!("`{name}` has the fields {}; write these", known.join(", "))
            }
            Some(_) => continue,
        };
        findings.push(Finding::new(path, *line, text));
    }
    for (name, _) in types {
        if !written.iter().any(|(_, (known, _))| known == name) {
            let text = format!("\"{heading}\" has no row for `{name}`; add it");
            findings.push(Finding::new(path, 1, text));
        }
    }
    findings
}

/// Returns the rows of the first table below a heading, with their lines.
fn written_rows(page: &str, heading: &str) -> Vec<(usize, Row)> {
    let lines = page.lines().enumerate().skip_while(|(_, line)| *line != heading);
    let table = lines
        .skip_while(|(_, line)| !line.starts_with('|'))
        .take_while(|(_, line)| line.starts_with('|'))
        .skip(2);
    let rows = table.map(|(index, line)| {
        let mut cells = line.split('|').skip(1).map(quoted);
        let name = cells.next().unwrap_or_default().join(" ");
        (index + 1, (name, cells.next().unwrap_or_default()))
    });
    rows.collect()
}

/// Returns the words in back quotes.
fn quoted(cell: &str) -> Vec<String> {
    cell.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

/// Returns the name and the fields of every variant of a tagged enum.
fn type_rows(schema: &Value, variants: &str) -> Vec<Row> {
    let variants = schema.pointer(variants).and_then(Value::as_array);
    variants.into_iter().flatten().filter_map(|variant| type_row(schema, variant)).collect()
}

fn type_row(schema: &Value, variant: &Value) -> Option<Row> {
    let own = variant.get("properties")?.as_object()?;
    let name = own.values().find_map(|property| property.get("const")?.as_str())?;
    let shared = variant
        .get("$ref")
        .and_then(Value::as_str)
        .and_then(|path| schema.pointer(path.trim_start_matches('#')))
        .and_then(|shared| shared.get("properties")?.as_object());
    let fields = own.iter().chain(shared.into_iter().flatten());
    let fields = fields.filter(|(_, property)| property.get("const").is_none());
    Some((name.to_owned(), fields.map(|(field, _)| field.clone()).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const RPC: &str = "docs/rpc.md";
    const PLUGINS: &str = "docs/plugin-protocol.md";

    fn committed(page: &str) -> String {
        std::fs::read_to_string(crate::workspace_root().join(page)).unwrap()
    }

    fn texts(rpc: &str, plugins: &str) -> Vec<String> {
        let tree = Tree::of(&[(RPC, rpc), (PLUGINS, plugins)]);
        check(&tree).into_iter().map(|finding| finding.text).collect()
    }

    #[test]
    fn the_committed_pages_name_every_type_field_for_field() {
        assert_eq!(texts(&committed(RPC), &committed(PLUGINS)), [""; 0]);
    }

    #[test]
    fn a_missing_row_a_wrong_field_and_an_unknown_name_are_found() {
        let page = committed(RPC)
            .replace("| `turn_start` | `turn` |", "| `turn_start` | `number` |")
            .replace("| `abort` |", "| `halt` |");
        assert_eq!(
            texts(&page, &committed(PLUGINS)),
            [
                "`halt` is in no type; take it out of \"## Commands\"",
                "\"## Commands\" has no row for `abort`; add it",
                "`turn_start` has the fields turn; write these",
            ]
        );
    }

    #[test]
    fn shared_fields_count_and_a_page_without_tables_lacks_everything() {
        let found = texts("# RPC mode\n", "# Plugins\n");
        assert!(found.contains(&"\"## Events\" has no row for `retry`; add it".to_owned()));
        let call = "\"## From the program to the plugin\" has no row for `call_tool`; add it";
        assert!(found.contains(&call.to_owned()));
        let page = committed(RPC).replace("`delay_seconds`, `reason` | a request", "`reason` | a");
        assert_eq!(
            texts(&page, &committed(PLUGINS)),
            ["`retry` has the fields attempt, total_attempts, delay_seconds, reason; write these",]
        );
        assert_eq!(check(&Tree::of(&[])).len(), PAGES.len());
    }
}
