//! The table of `docs/plugins/hooks.md` against the table of the hooks: every hook, in the order in
//! which a run meets them, and how answers combine.
//!
//! Owns which columns are compared. Must not judge the words between them.

use super::Finding;
use crate::tree::Tree;
use letscode_wire::HOOKS;
use serde_json::json;

const PAGE: &str = "docs/plugins/hooks.md";

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let Some(page) = tree.text(PAGE) else {
        return vec![Finding::new(PAGE, 1, "it is missing; write it")];
    };
    let lines = page.lines().enumerate().map(|(index, line)| (index + 1, line));
    let table = lines
        .skip_while(|(_, line)| !line.starts_with('|'))
        .take_while(|(_, line)| line.starts_with('|'));
    let rows: Vec<(usize, &str)> = table.skip(2).collect();
    let expected: Vec<(String, &str)> = HOOKS
        .iter()
        .map(|hook| (json!(hook.name).as_str().unwrap_or_default().to_owned(), hook.combination))
        .collect();
    let mut findings: Vec<Finding> = rows
        .iter()
        .zip(&expected)
        .filter(|((_, row), (name, combination))| {
            !row.starts_with(&format!("| `{name}` |"))
                || !row.ends_with(&format!("| {combination} |"))
        })
        .map(|((line, _), (name, combination))| {
            let text = format!("this row is `{name}`'s, and ends with: {combination}");
            Finding::new(PAGE, *line, text)
        })
        .collect();
    if rows.len() != expected.len() {
        let text =
            format!("its table has {} rows, and there are {} hooks", rows.len(), expected.len());
        findings.push(Finding::new(PAGE, 1, text));
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(page: &str) -> Vec<String> {
        check(&Tree::of(&[(PAGE, page)])).into_iter().map(|finding| finding.text).collect()
    }

    #[test]
    fn the_committed_page_is_that_of_the_hooks() {
        let page = std::fs::read_to_string(crate::workspace_root().join(PAGE)).unwrap();
        assert_eq!(texts(&page), [""; 0]);
        let wrong = page.replace("the first block wins; rewrites are chained", "all count");
        let expected = "this row is `before_tool_call`'s, and ends with: the first block wins; rewrites are chained";
        assert_eq!(texts(&wrong), [expected]);
        let page = page.replace("| `on_event` | something", "\n| `on_event` | something");
        assert_eq!(texts(&page), ["its table has 10 rows, and there are 11 hooks"]);
        assert_eq!(texts(""), ["its table has 0 rows, and there are 11 hooks"]);
    }
}
