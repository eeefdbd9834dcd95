//! Every oddity of front matter that was seen, and those that must not matter.

use super::*;
use proptest::prelude::*;

/// The text of a `SKILL.md` with these lines between the marks.
fn file(header: &str) -> String {
    format!("---\n{header}\n---\nBODY\n")
}

#[test]
fn a43_valid_yaml_is_read_as_yaml() {
    for (header, expected) in [
        ("description: plain words", "plain words"),
        ("description: \"Use when: always\"", "Use when: always"),
        ("description: 'it''s [fine] # here'", "it's [fine] # here"),
        ("description: a url https://x.y/z", "a url https://x.y/z"),
        ("description: C# code", "C# code"),
        ("description: text # a comment", "text"),
        ("description: 123", "123"),
        ("description: true", "true"),
        ("description: 1.5e3", "1.5e3"),
        ("description:", ""),
        ("description: ~", ""),
        ("description: \"\"", ""),
        ("description: \"~\"", "~"),
        ("description: one\n  two", "one two"),
        ("metadata:\n  description: inner\ndescription: outer", "outer"),
        (
            "tags: [a, b]\nallowed-tools:\n  - x\n  - {y: z}\ndescription: behind lists",
            "behind lists",
        ),
        ("metadata: &a {x: 1}\nmore: *a\ndescription: behind an alias", "behind an alias"),
    ] {
        let text = file(header);
        let document = Document::read(&text);
        assert_eq!(document.problem, None, "{header}");
        assert_eq!(document.field("description"), Some(expected), "{header}");
        assert_eq!(document.body, "BODY", "{header}");
    }
}

#[test]
fn a44_block_scalars_become_their_text() {
    for (mark, expected) in [
        (">-", "first second\nthird"),
        (">", "first second\nthird\n"),
        ("|", "first\nsecond\n\nthird\n"),
        ("|-", "first\nsecond\n\nthird"),
    ] {
        let text = file(&format!("description: {mark}\n  first\n  second\n\n  third\nname: x"));
        let document = Document::read(&text);
        assert_eq!(document.problem, None, "{mark}");
        assert_eq!(document.field("description"), Some(expected), "{mark}");
        assert_eq!(document.field("name"), Some("x"), "{mark}");
    }
}

#[test]
fn a43_what_yaml_refuses_is_read_line_by_line() {
    for (header, line, expected) in [
        ("description: Use when: always", 2, "Use when: always"),
        ("name: x\ndescription: Use when: always", 3, "Use when: always"),
        ("description: @mentions of people", 2, "@mentions of people"),
        ("description: *all* kinds of text", 2, "*all* kinds of text"),
        ("description: [draft] write it", 2, "[draft] write it"),
        ("description: `code` in front", 2, "`code` in front"),
        ("description: %percent", 2, "%percent"),
        ("description: \"quoted\" and more", 2, "\"quoted\" and more"),
        ("description: 'quoted: whole'\nother: a: b", 3, "quoted: whole"),
        ("description: >-\n  folded\n  text\nother: a: b", 5, "folded text"),
        ("description: |\n  kept\n\n  text\nother: a: b", 6, "kept text"),
        ("description: one\n\ttab: two", 3, "one tab: two"),
        ("description:\ttabbed", 2, "tabbed"),
        ("description: {a: b}", 2, "{a: b}"),
        ("description: [a, b]", 2, "[a, b]"),
        ("description:\n  - a\n  - b\n", 3, "- a - b"),
        ("description: {open", 3, "{open"),
        ("? {a: b}\n: c\ndescription: words", 2, "words"),
    ] {
        let text = file(header);
        let document = Document::read(&text);
        let problem = document.problem.as_ref().unwrap_or_else(|| panic!("{header}: no problem"));
        assert_eq!(document.field("description"), Some(expected), "{header}");
        assert!(problem.line.abs_diff(line) <= 1, "{header}: {problem:?}");
        assert_eq!(document.body, "BODY", "{header}");
    }
}

#[test]
fn a43_marks_may_have_blanks_behind_and_empty_lines_before() {
    for text in ["--- \t\nname: x\n---  \nBODY", "\n\n---\nname: x\n---\n\n\nBODY\n\n"] {
        let document = Document::read(text);
        assert_eq!((document.field("name"), document.body), (Some("x"), "BODY"), "{text:?}");
        assert!(document.is_closed && document.problem.is_none());
    }
}

#[test]
fn a43_a_missing_end_is_guessed_and_said() {
    for (text, body) in [
        ("---\nname: x\ndescription: y\n\n# Title\nbody: text\n", "# Title\nbody: text"),
        ("---\nname: x\ndescription: y\n# Title\n", "# Title"),
        ("---\nname: x\ndescription: >-\n  y\n", ""),
    ] {
        let document = Document::read(text);
        assert_eq!(document.field("name"), Some("x"), "{text:?}");
        assert_eq!(document.field("description"), Some("y"), "{text:?}");
        assert_eq!(document.body, body, "{text:?}");
        let problem = document.problem.unwrap();
        assert_eq!(problem.line, 1);
        assert!(problem.text.contains("no closing line"), "{problem:?}");
    }
}

#[test]
fn a43_no_front_matter_at_all_leaves_the_whole_text() {
    for text in ["# Title\nbody", "", "----\nname: x\n----\n", "text\n---\nname: x\n---\n"] {
        let document = Document::read(text);
        assert_eq!((document.body, document.field("name")), (text, None));
        assert_eq!(document.problem.unwrap().line, 1);
    }
}

#[test]
fn a43_a_header_without_fields_is_said() {
    for header in ["just words", "- a\n- b"] {
        let text = file(header);
        let document = Document::read(&text);
        assert_eq!(document.problem.as_ref().map(|problem| problem.line), Some(2), "{header}");
        assert_eq!(document.body, "BODY");
    }
}

#[test]
fn switches_take_what_yaml_takes() {
    for (value, expected) in [
        ("true", true),
        ("True", true),
        ("yes", true),
        ("\"true\"", true),
        ("false", false),
        ("", false),
    ] {
        let text = file(&format!("disable-model-invocation: {value}"));
        assert_eq!(Document::read(&text).is_on("disable-model-invocation"), expected, "{value}");
        let broken = file(&format!("disable-model-invocation: {value}\nx: a: b"));
        assert_eq!(Document::read(&broken).is_on("disable-model-invocation"), expected, "{value}");
    }
}

#[test]
fn deep_nesting_does_no_harm() {
    let flow = Document::read(&file(&format!("name: {}", "[".repeat(50_000)))).problem.is_some();
    let block = Document::read(&file(&"- ".repeat(30_000))).problem.is_some();
    assert!(flow && block);
}

proptest! {
    #[test]
    fn any_text_can_be_read(text in "(---\n)?([a-z:#>|@*\\[\\]{}\"'&!%? \t\n-]|é){0,80}(\n---\n)?b?") {
        let document = Document::read(&text);
        prop_assert!(text.contains(document.body));
    }

    #[test]
    fn a43_no_description_in_one_line_is_lost(words in "[A-Za-z:#@*,\"' -]{0,40}") {
        let text = file(&format!("description: x{words}y"));
        let document = Document::read(&text);
        // A comment is the one thing that YAML leaves out.
        let kept = format!("x{words}y");
        let kept = kept.split(" #").next().unwrap().trim_end();
        let found = document.field("description").unwrap();
        prop_assert!(found == kept || found == format!("x{words}y"), "{found:?} {kept:?}");
    }
}
