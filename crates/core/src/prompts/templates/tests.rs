//! Places for arguments, words, and which file holds.

use super::*;
use crate::env::{LocalEnv, LocalEnvOptions};
use proptest::prelude::*;
use tempfile::TempDir;

fn template(body: &str) -> Template {
    Template {
        name: "fix".into(),
        description: String::new(),
        body: body.into(),
        path: "/p/fix.md".into(),
    }
}

#[test]
fn arguments_take_their_places() {
    for (body, arguments, expected) in [
        ("Fix this: {{args}}", "the bug", "Fix this: the bug"),
        ("Fix this: {{arg}}!", "the bug", "Fix this: the bug!"),
        ("{{ args }}", "x", "x"),
        ("{{1}} to {{2}}, {{3}}.", "a 'b c'", "a to b c, ."),
        ("{{2}}{{1}}{{2}}", "a b", "bab"),
        ("{{args}}", "{{1}} {{args}}", "{{1}} {{args}}"),
        ("{{other}} {{0}} {{ {{1}} }}", "a", "{{other}} {{0}} {{ a }}"),
        ("{{1", "a", "{{1\n\na"),
        ("{{{1}}}", "a", "{a}"),
        ("{{99999999999999999999}} {{+1}}", "", "{{99999999999999999999}} {{+1}}"),
        ("no place", "  keep me ", "no place\n\nkeep me"),
        ("no place", "", "no place"),
        ("ends {{args}}", "", "ends"),
        ("{{args}}", "line one\nline two", "line one\nline two"),
    ] {
        assert_eq!(template(body).expand(arguments), expected, "{body:?} {arguments:?}");
    }
}

#[test]
fn words_are_split_as_a_shell_does() {
    for (text, expected) in [
        ("", &[][..]),
        ("  a   b\tc\nd ", &["a", "b", "c", "d"]),
        ("'a b' \"c d\"", &["a b", "c d"]),
        ("a'b c'd", &["ab cd"]),
        ("'' \"\"", &["", ""]),
        (r#""a \"b\" \n" 'c\d'"#, &[r#"a "b" \n"#, r"c\d"]),
        (r"a\ b \'c", &["a b", "'c"]),
        ("don't stop", &["don't", "stop"]),
        ("5\" wide", &["5\"", "wide"]),
        ("fix #12 now", &["fix", "#12", "now"]),
        ("end\\", &["end\\"]),
    ] {
        assert_eq!(split_words(text), expected, "{text:?}");
    }
}

#[tokio::test]
async fn the_nearest_template_holds_and_front_matter_is_no_part_of_it() {
    let folder = TempDir::new().unwrap();
    let home = folder.path();
    for (path, text) in [
        (".letscode/prompts/fix.md", "user's"),
        (".claude/prompts/fix.md", "user's, later"),
        ("work/.pi/prompts/fix.md", "outer"),
        ("work/app/.letscode/prompts/fix.md", "nearest {{args}}\n\n"),
        (
            ".pi/agent/prompts/doc.md",
            "\u{feff}---\r\ndescription: writes docs\r\n---\r\n\r\nDoc {{1}}\r\n",
        ),
        (".agents/prompts/rule.md", "---\nafter a rule\n"),
        (".agents/prompts/odd.md", "---\ndescription: a: b\n---\nbody\n"),
        (".agents/prompts/readme.txt", "none"),
        (".agents/prompts/.md", "none"),
        (".agents/prompts/deep/x.md", "none"),
    ] {
        let path = home.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let working_dir = home.join("work/app");
    let env = LocalEnv::new(LocalEnvOptions { working_dir, ..LocalEnvOptions::default() });
    let (templates, warnings) = load_templates(&env, Some(home), None).await;
    let found: Vec<[&str; 3]> = templates
        .iter()
        .map(|found| [found.name.as_str(), &found.description, &found.body])
        .collect();
    assert_eq!(
        found,
        [
            ["doc", "writes docs", "Doc {{1}}"],
            ["fix", "", "nearest {{args}}"],
            ["odd", "a: b", "body"],
            ["rule", "", "---\nafter a rule"],
        ]
    );
    assert_eq!(warnings.len(), 1);
    assert!(warnings[0].contains("odd.md:2: the front matter is not valid YAML"), "{warnings:?}");
}

#[tokio::test]
async fn beyond_the_limit_the_template_that_is_called_for_is_read_all_the_same() {
    let folder = TempDir::new().unwrap();
    let prompts = folder.path().join(".letscode/prompts");
    std::fs::create_dir_all(&prompts).unwrap();
    for number in 0..FILE_LIMIT + 2 {
        std::fs::write(prompts.join(format!("p{number:04}.md")), "body").unwrap();
    }
    let working_dir = folder.path().to_owned();
    let env = LocalEnv::new(LocalEnvOptions { working_dir, ..LocalEnvOptions::default() });
    let warning = format!("there are more than {FILE_LIMIT} prompts: 2 are left out");
    let last = "p1001";
    for (called, has_last) in [(Some(last), true), (Some("p0000"), false), (None, false)] {
        let (templates, warnings) = load_templates(&env, Some(folder.path()), called).await;
        assert_eq!(templates.len(), FILE_LIMIT, "{called:?}");
        assert!(templates.is_sorted_by_key(|template| &template.name), "{called:?}");
        assert_eq!(templates.iter().any(|template| template.name == last), has_last);
        assert_eq!(warnings, [warning.as_str()], "{called:?}");
    }
}

#[tokio::test]
async fn a_template_with_several_faults_is_one_warning() {
    let folder = TempDir::new().unwrap();
    let prompts = folder.path().join(".letscode/prompts");
    std::fs::create_dir_all(&prompts).unwrap();
    std::fs::write(prompts.join("x.md"), b"---\ndescription: a: b \xe9\n---\nbody").unwrap();
    let working_dir = folder.path().to_owned();
    let env = LocalEnv::new(LocalEnvOptions { working_dir, ..LocalEnvOptions::default() });
    let (_, warnings) = load_templates(&env, Some(folder.path()), None).await;
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert!(warnings[0].contains("x.md:2: ") && warnings[0].contains("; it is not UTF-8"));
}

proptest! {
    #[test]
    fn words_without_quotes_are_those_between_white_space(text in "[a-z#$&|;é \t\n]{0,60}") {
        let expected: Vec<&str> = text.split_whitespace().collect();
        prop_assert_eq!(split_words(&text), expected);
    }

    #[test]
    fn expanding_never_fails(body in "[{}a1 \n]{0,40}", arguments in "[\\\\\"'{}a1 ]{0,40}") {
        template(&body).expand(&arguments);
    }
}
