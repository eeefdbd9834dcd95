//! Links between pages: what they point to is in the tree, heading and all.
//!
//! Owns what counts as a link: `[text](path#heading)` in Markdown, outside of code. Must not look at
//! addresses of the web.

use super::Finding;
use crate::tree::{TextFile, Tree};

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let pages = tree.files.iter().filter(|file| file.path.ends_with(".md"));
    pages.flat_map(|page| dead_links(tree, page)).collect()
}

fn dead_links(tree: &Tree, page: &TextFile) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (number, line) in prose(&page.text) {
        for target in targets(line).filter(|target| !target.contains(':')) {
            let (path, heading) = target.split_once('#').unwrap_or((target, ""));
            let path = resolve(&page.path, path);
            let text = match tree.text(&path) {
                Some(text) if heading.is_empty() || has_heading(text, heading) => continue,
                Some(_) => format!("{path} has no heading for #{heading}"),
                None if heading.is_empty() && is_folder(tree, &path) => continue,
                None => format!("there is no {path}"),
            };
            findings.push(Finding::new(&page.path, number, text));
        }
    }
    findings
}

/// Returns the lines outside of fenced code, with their numbers.
fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut in_code = false;
    text.lines().enumerate().filter_map(move |(index, line)| {
        let is_fence = line.trim_start().starts_with("```");
        in_code ^= is_fence;
        (!in_code && !is_fence).then_some((index + 1, line))
    })
}

/// Returns what the links of a line point to; code between back quotes holds none.
fn targets(line: &str) -> impl Iterator<Item = &str> {
    let is_code =
        |at: usize| line.get(..at).is_some_and(|before| before.matches('`').count() % 2 == 1);
    let found = line.match_indices("](").filter(move |(at, _)| !is_code(*at));
    found.filter_map(|(at, begin)| line.get(at + begin.len()..)?.split(')').next())
}

/// Returns a path as it is from the workspace's root, seen from a page.
fn resolve(page: &str, path: &str) -> String {
    if path.is_empty() {
        return page.to_owned();
    }
    let mut parts: Vec<&str> = page.split('/').collect();
    parts.pop();
    for part in path.split('/') {
        match part {
            "." | "" => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

fn is_folder(tree: &Tree, path: &str) -> bool {
    let folder = format!("{path}/");
    tree.files.iter().any(|file| file.path.starts_with(&folder))
}

/// Returns whether a page has a heading that is linked by this name.
fn has_heading(text: &str, name: &str) -> bool {
    let headings = prose(text).filter_map(|(_, line)| line.strip_prefix('#'));
    headings.map(|line| link_name(line.trim_start_matches('#').trim())).any(|known| known == name)
}

/// Returns the name of a heading in links: lower case, hyphens for spaces, and no other signs.
fn link_name(heading: &str) -> String {
    let kept = heading.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(page: &str) -> Vec<(usize, String)> {
        let tree = Tree::of(&[
            ("docs/page.md", page),
            ("docs/other.md", "# Other\n\n## Time, faults: `restart`\n\n```\n# no heading\n```\n"),
            ("README.md", "# Read me\n"),
        ]);
        check(&tree).into_iter().map(|finding| (finding.line, finding.text)).collect()
    }

    #[test]
    fn links_that_lead_somewhere_are_fine() {
        let page = "# Page\n[a](other.md) [b](other.md#time-faults-restart) [c](../README.md#read-me)\n\
                    [d](#page) [e](../docs) [f](https://example.com/x.md) `[g](none.md)`\n\
                    ```\n[h](none.md)\n```\n";
        assert_eq!(found(page), []);
    }

    #[test]
    fn links_that_lead_nowhere_are_found_with_their_line() {
        let page = "# Page\n[a](none.md)\n[b](other.md#no-heading) and [c](#none)\n";
        let expected = [
            (2, "there is no docs/none.md"),
            (3, "docs/other.md has no heading for #no-heading"),
            (3, "docs/page.md has no heading for #none"),
        ];
        assert_eq!(found(page), expected.map(|(line, text)| (line, text.to_owned())));
    }
}
